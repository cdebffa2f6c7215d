/** Figures of a loan that several answers show, as text. */
import { amountText, countText } from '../../core/decimal.ts';
import { type Cents, cents, ZERO } from '../../core/money.ts';
import type { Change } from '../../loans/door/write.ts';
import type { JournalEntry } from '../../loans/ledger/ledger.ts';
import { FIGURES } from '../../loans/reads/figures.ts';
import { Problem } from './problems.ts';

export function amountTexts<K extends string>(amounts: Readonly<Record<K, Cents>>, plain = false): Record<K, string> {
  const entries = Object.entries(amounts) as [K, Cents][];
  return Object.fromEntries(entries.map(([name, amount]) => [name, amountText(amount, plain)])) as Record<K, string>;
}

type Posting = Pick<JournalEntry, 'account' | 'amount'>;

/** A line of the books with its amount in one of two columns. */
export function inColumns({ account, amount }: Posting, plain = false) {
  const [debit, credit] = amount > 0 ? [amount, ZERO] : [ZERO, cents(-amount)];
  return { account, debit: amountText(debit, plain), credit: amountText(credit, plain) };
}

/** The member `changes` of an answer: only for writes that may restate past figures. */
export function changesText(changes: Change['changes']): { changes?: object[] } {
  if (changes === null) return {};
  return {
    changes: changes.map((one) => {
      const { date, what, before, after } = one;
      switch (one.what) {
        case 'status':
        case 'quote':
        case 'closedBy':
        case 'lienRelease':
        case 'chargeOffGround':
          return { date, what, before, after };
        case 'daysPastDue':
          return { date, what, before: countText(one.before), after: countText(one.after) };
        default: {
          const payment = 'refId' in one ? { refId: one.refId } : {};
          return { date, what, ...payment, before: amountText(one.before), after: amountText(one.after) };
        }
      }
    }),
  };
}

/** For an explanation of something else: the answer lists what can be explained. */
export function noSuchFigure(): never {
  const figures = `${FIGURES.join(', ')}, and payment:<refId> for a payment of this loan`;
  throw new Problem('not_found', `Unknown figure. Figures that can be explained: ${figures}.`);
}
