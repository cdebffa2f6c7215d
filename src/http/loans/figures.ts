/** Figures of a loan that several answers show, as text. */
import { amountText } from '../../core/decimal.ts';
import { type Cents, cents, ZERO } from '../../core/money.ts';
import type { JournalEntry } from '../../loans/loans.ts';

export function amountTexts<K extends string>(amounts: Readonly<Record<K, Cents>>, plain: boolean): Record<K, string> {
  const entries = Object.entries(amounts) as [K, Cents][];
  return Object.fromEntries(entries.map(([name, amount]) => [name, amountText(amount, plain)])) as Record<K, string>;
}

type Posting = Pick<JournalEntry, 'account' | 'amount'>;

/** A line of the books with its amount in one of two columns. */
export function inColumns({ account, amount }: Posting, plain: boolean) {
  const [debit, credit] = amount > 0 ? [amount, ZERO] : [ZERO, cents(-amount)];
  return { account, debit: amountText(debit, plain), credit: amountText(credit, plain) };
}
