/**
 * The changes that a command makes to the past: a backdated, returned, reversed or undone fact changes what was already known of a loan, and
 * so may one of today that takes effect before the payments of its day (a fee, a waiver, a moved due date). Both loans are of the day of the
 * command, before it and after it; what is the same in both is left out.
 */
import type { PlainDate } from './calendar.ts';
import { daysPastDue } from './delinquency.ts';
import { type LoanEvent, looksBack } from './event.ts';
import { type Allocation, type CHANGES, type Fee, type Loan, NO_ALLOCATION, type OnFile } from './loan.ts';
import { type Cents, ZERO } from './money.ts';
import { quoteStandingOf } from './quote.ts';
import { closedBy, finalPayment, statusOf } from './status.ts';
import { feesOwed } from './working-loan.ts';

/** `date` is the day of the command; for a late fee or a payment its own day, and for the effects of the loan's end the day of that end. */
export type Changed = { readonly date: PlainDate; readonly what: (typeof CHANGES)[number] } & (
  | {
      readonly what: 'principal' | 'interest' | 'fees' | 'credit' | 'lateFee';
      readonly before: Cents;
      readonly after: Cents;
    }
  /** The part of a payment that went to each. */
  | {
      readonly what: (typeof PARTS)[keyof Allocation];
      readonly refId: string;
      readonly before: Cents;
      readonly after: Cents;
    }
  | { readonly what: 'daysPastDue'; readonly before: number; readonly after: number }
  | {
      readonly what: 'status' | 'quote' | 'closedBy' | 'lienRelease' | 'chargeOffGround';
      readonly before: string | null;
      readonly after: string | null;
    }
);

/**
 * Null: the events change nothing in the past. They do when one is backdated, or undoes a payment or another event, or when a payment or a
 * late fee that was known is not the same any more.
 */
export function changedFacts(
  { before, after, events }: { before: Loan; after: Loan; events: readonly LoanEvent[] },
  { encumberedStatus }: Pick<OnFile, 'encumberedStatus'>,
): Changed[] | null {
  const restated = [...lateFees(before, after), ...paymentParts(before, after)].filter(differs);
  if (restated.length === 0 && !events.some(looksBack)) return null;
  const wasFunded = before.stage === 'Funded' || before.rescission !== null;
  if (!wasFunded && !events.some(({ type }) => type === 'undone')) return null;
  const date = after.on;
  const all: Changed[] = [
    { date, what: 'principal', before: before.principal, after: after.principal },
    { date, what: 'interest', before: before.interest, after: after.interest },
    { date, what: 'fees', before: feesOwed(before), after: feesOwed(after) },
    { date, what: 'credit', before: before.credit, after: after.credit },
    { date, what: 'status', before: statusOf(before), after: statusOf(after) },
    { date, what: 'daysPastDue', before: daysPastDue(before), after: daysPastDue(after) },
    ...restated,
    ...quotes(before, after),
    ...endings(before, after, { hasLien: encumberedStatus !== 'Unencumbered' }),
    ...chargeOffGround(before, after),
  ];
  return all.filter(differs);
}

const differs = ({ before, after }: Changed): boolean => before !== after;

const PARTS = {
  interest: 'paymentInterest',
  principal: 'paymentPrincipal',
  fees: 'paymentFees',
  credit: 'paymentCredit',
} as const satisfies Record<keyof Allocation, (typeof CHANGES)[number]>;

/** The parts of each payment that was known before, then and now. */
function paymentParts(before: Loan, after: Loan): Changed[] {
  // Usually a payment is added to the same ones.
  let same = 0;
  while (same < before.payments.length && before.payments[same] === after.payments[same]) same += 1;
  if (same === before.payments.length) return [];
  const now = new Map(after.payments.slice(same).map((payment) => [payment.refId, payment]));
  return before.payments.slice(same).flatMap(({ date, refId, allocation: was }) => {
    const is = now.get(refId)?.allocation ?? NO_ALLOCATION;
    const parts = Object.entries(PARTS) as [keyof Allocation, (typeof PARTS)[keyof Allocation]][];
    return parts.map(([part, what]): Changed => ({ date, what, refId, before: was[part], after: is[part] }));
  });
}

/** A late fee that was added, removed or moved to another day. */
function lateFees(before: Loan, after: Loan): Changed[] {
  // Usually they are the same.
  const isSame = ({ feeId, date, amount }: Fee, i: number) => {
    const now = after.fees[i];
    return now?.feeId === feeId && now.date === date && now.amount === amount;
  };
  if (before.fees.length === after.fees.length && before.fees.every(isSame)) return [];
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

/** The ground of a charge-off that the nightly cycle recorded: it is not undone by itself when its ground is gone. */
function chargeOffGround({ chargeOff: was }: Loan, { chargeOff: is }: Loan): Changed[] {
  const date = (is ?? was)?.date;
  return date === undefined
    ? []
    : [{ date, what: 'chargeOffGround', before: was?.ground ?? null, after: is?.ground ?? null }];
}

/** The end of a loan makes the release of its lien due; when the loan turns out not to have ended, the release is withdrawn. */
function endings(before: Loan, after: Loan, { hasLien }: { hasLien: boolean }): Changed[] {
  const [was, is] = [closedBy(before), closedBy(after)];
  if (was === is) return [];
  const ending = was === null ? after : before;
  const date = ending.rescission?.date ?? finalPayment(ending)?.date ?? after.on;
  const ended: Changed = { date, what: 'closedBy', before: was, after: is };
  if (was === null || is !== null || !hasLien) return [ended];
  return [ended, { date, what: 'lienRelease', before: 'due', after: 'withdrawn' }];
}
