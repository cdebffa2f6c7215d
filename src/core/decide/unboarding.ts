/**
 * A boarding is cancelled only while nothing but corrections has happened since. What follows from dates and the policy by itself (late fees,
 * the end of a day, an automatic charge-off), notes, and what is known of the borrower do not count, nor does what was undone, returned or
 * reversed.
 */
import type { LoanEvent } from '../event.ts';
import { type Loan, stayed } from '../loan.ts';
import { changesOwner, partiesOf } from '../ownership.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { undoneIn } from '../undo.ts';
import { transferPlanned } from './refusals.ts';

/** Facts that somebody chose to record once the loan was on the books, in words. All but money can be undone. */
const CHOSEN: Readonly<Partial<Record<LoanEvent['type'], string>>> = {
  paymentSubmitted: 'a payment',
  creditRefunded: 'a refund',
  feeAssessed: 'a fee',
  feeWaived: 'a waiver',
  rateChanged: 'a change of the rate',
  militaryService: 'military service',
  dueDateChanged: 'a change of the due date',
  extended: 'an extension',
  reaged: 'a re-age',
  reamortized: 'a re-amortization',
  payoffQuoted: 'a quote',
  defaulted: 'a default',
  accelerated: 'an acceleration',
  chargedOff: 'a charge-off',
  writtenDown: 'a write-down',
  rescinded: 'a rescission',
};

/** The refusal that says what stands in the way, and what to do about it; null: nothing does. */
export function whyNotUnboarded(events: readonly LoanEvent[], { payments }: Pick<Loan, 'payments'>): Refusal | null {
  const ofTransfer = transferIn(events);
  if (ofTransfer !== null) return ofTransfer;
  const undone = undoneIn(events);
  const standing = new Set(payments.filter(stayed).map(({ refId }) => refId));
  const returns = new Set(events.flatMap(({ type, recordedAt }) => (type === 'paymentReturned' ? [recordedAt] : [])));
  const boardedAt = events[0]?.recordedAt;
  const isChosen = (event: LoanEvent): boolean => {
    // It was boarded with it.
    if (event.recordedAt === boardedAt) return false;
    if (event.type === 'paymentSubmitted') return standing.has(event.refId);
    if (event.type === 'chargedOff') return event.automatic !== true;
    // The fee of a return comes with it by the policy.
    if (event.type === 'feeAssessed') return !returns.has(event.recordedAt);
    return CHOSEN[event.type] !== undefined;
  };
  const found = events.flatMap((event, i) => (isChosen(event) && !undone.has(i + 1) ? [{ event, n: i + 1 }] : []));
  if (found.length === 0) return null;
  const types = new Set(found.map(({ event }) => event.type));
  const names = Object.entries(CHOSEN).flatMap(([type, name]) => (types.has(type as LoanEvent['type']) ? [name] : []));
  const detail = `${STANDS} ${names.join(', ')}. ${whatToDo(types)}`;
  return refuse('depends', detail, { facts: { transactions: found.map(({ n }) => n) } });
}

const STANDS = 'More than corrections has happened to this loan, and stands:';

/** The part of it that today's loan shows, without its events. */
export function ifPaid({ payments }: Pick<Loan, 'payments'>): Refusal | null {
  return payments.some(stayed) ? refuse('depends', `${STANDS} ${CHOSEN.paymentSubmitted}.`) : null;
}

function whatToDo(types: ReadonlySet<LoanEvent['type']>): string {
  if (types.has('creditRefunded')) {
    return 'A refund is money and cannot be taken back, so the boarding cannot be cancelled any more: use rescind where the contract is void, otherwise correct the loan.';
  }
  const steps: string[] = [];
  if (types.has('paymentSubmitted')) steps.push('Return or reverse payments (return-repayment, reverse-repayment).');
  if ([...types].some((type) => type !== 'paymentSubmitted'))
    steps.push('Undo the other facts, beginning with the latest.');
  return `${steps.join(' ')} Then cancel the boarding.`;
}

function transferIn(events: readonly LoanEvent[]): Refusal | null {
  const { planned } = partiesOf(events);
  if (planned.length > 0) return transferPlanned();
  const sold = events.find(changesOwner);
  if (sold === undefined) return null;
  const detail = `The loan has had another owner since ${sold.date}, and is in the books of both, so its boarding cannot be cancelled. Correct the loan where it is, or settle it between the two by entries by hand.`;
  return refuse('reference_conflict', detail);
}
