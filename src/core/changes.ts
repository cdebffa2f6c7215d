/**
 * The changes that a command makes to the past: a backdated, returned, reversed or undone fact changes what was already known of a loan.
 * Both loans are of the day of the command, before it and after it; what is the same in both is left out.
 */
import type { PlainDate } from './calendar.ts';
import { daysPastDue } from './delinquency.ts';
import { type LoanEvent, looksBack } from './event.ts';
import type { CHANGES, Fee, Loan, OnFile } from './loan.ts';
import { type Cents, ZERO } from './money.ts';
import { quoteStandingOf } from './quote.ts';
import { closedBy, finalPayment, statusOf } from './status.ts';
import { feesOwed } from './working-loan.ts';

/** `date` is the day of the command; for a late fee its own day, and for the effects of the loan's end the day of that end. */
export type Changed = { readonly date: PlainDate; readonly what: (typeof CHANGES)[number] } & (
  | {
      readonly what: 'principal' | 'interest' | 'fees' | 'credit' | 'lateFee';
      readonly before: Cents;
      readonly after: Cents;
    }
  | { readonly what: 'daysPastDue'; readonly before: number; readonly after: number }
  | {
      readonly what: 'status' | 'quote' | 'closedBy' | 'lienRelease';
      readonly before: string | null;
      readonly after: string | null;
    }
);

/** Null: the events change nothing in the past. They do when one is backdated, or undoes a payment or another event. */
export function changedFacts(
  { before, after, events }: { before: Loan; after: Loan; events: readonly LoanEvent[] },
  { encumberedStatus }: Pick<OnFile, 'encumberedStatus'>,
): Changed[] | null {
  if (!events.some(looksBack)) return null;
  if (before.stage !== 'Funded' && !events.some(({ type }) => type === 'undone')) return null;
  const date = after.on;
  const all: Changed[] = [
    { date, what: 'principal', before: before.principal, after: after.principal },
    { date, what: 'interest', before: before.interest, after: after.interest },
    { date, what: 'fees', before: feesOwed(before), after: feesOwed(after) },
    { date, what: 'credit', before: before.credit, after: after.credit },
    { date, what: 'status', before: statusOf(before), after: statusOf(after) },
    { date, what: 'daysPastDue', before: daysPastDue(before), after: daysPastDue(after) },
    ...lateFees(before, after),
    ...quotes(before, after),
    ...endings(before, after, { hasLien: encumberedStatus !== 'Unencumbered' }),
  ];
  return all.filter((one) => one.before !== one.after);
}

/** A late fee that was added, removed or moved to another day. */
function lateFees(before: Loan, after: Loan): Changed[] {
  const late = ({ fees }: Loan) => new Map(fees.filter(isLateFee).map((fee) => [`${fee.feeId} ${fee.date}`, fee]));
  const [was, is] = [late(before), late(after)];
  return [...new Map([...was, ...is])].map(([name, { date }]) => ({
    date,
    what: 'lateFee',
    before: was.get(name)?.amount ?? ZERO,
    after: is.get(name)?.amount ?? ZERO,
  }));
}

const isLateFee = ({ installment }: Fee): boolean => installment !== null;

/** A quote that was undone has no standing any more. */
function quotes(before: Loan, after: Loan): Changed[] {
  return before.quotes.map((was): Changed => {
    const quote = after.quotes.find(({ quoteId }) => quoteId === was.quoteId) ?? null;
    const date = was.honouredOn ?? quote?.honouredOn ?? after.on;
    const is = quote === null ? null : quoteStandingOf(quote, after.on);
    return { date, what: 'quote', before: quoteStandingOf(was, before.on), after: is };
  });
}

/** The end of a loan makes the release of its lien due; when the loan turns out not to have ended, the release is withdrawn. */
function endings(before: Loan, after: Loan, { hasLien }: { hasLien: boolean }): Changed[] {
  const [was, is] = [closedBy(before), closedBy(after)];
  if (was === is) return [];
  const date = finalPayment(was === null ? after : before)?.date ?? after.on;
  const ended: Changed = { date, what: 'closedBy', before: was, after: is };
  if (was === null || is !== null || !hasLien) return [ended];
  return [ended, { date, what: 'lienRelease', before: 'due', after: 'withdrawn' }];
}
