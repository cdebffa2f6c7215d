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

/** Facts that somebody chose to record once the loan was on the books, in words; money is told by the loan. */
const CHOSEN: Readonly<Partial<Record<LoanEvent['type'], string>>> = {
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

/** The refusal for payments and refunds, which the loan alone tells; null: none stands. */
export function moneyStands({ payments, totals }: Pick<Loan, 'payments' | 'totals'>): Refusal | null {
  const standing = payments.filter(stayed).length;
  if (totals.refunded > 0) {
    const detail =
      'A refund is money and cannot be taken back, so the boarding cannot be cancelled any more: use rescind where the contract is void, otherwise correct the loan.';
    return refuse('reference_conflict', detail);
  }
  if (standing === 0) return null;
  const some = standing === 1 ? 'A payment of this loan stands' : `${standing} payments of this loan stand`;
  const detail = `${some}. Return or reverse payments first (return-repayment, reverse-repayment), then cancel the boarding.`;
  return refuse('reference_conflict', detail);
}

/** The refusal that names what else stands in the way, and what to do about it; null: nothing does. */
export function whyNotUnboarded(events: readonly LoanEvent[]): Refusal | null {
  const ofTransfer = transferIn(events);
  if (ofTransfer !== null) return ofTransfer;
  const undone = undoneIn(events);
  const returns = new Set(events.flatMap(({ type, recordedAt }) => (type === 'paymentReturned' ? [recordedAt] : [])));
  const boardedAt = events[0]?.recordedAt;
  const isChosen = (event: LoanEvent): boolean => {
    // It was boarded with it.
    if (event.recordedAt === boardedAt) return false;
    if (event.type === 'chargedOff') return event.automatic !== true;
    // The fee of a return comes with it by the policy.
    if (event.type === 'feeAssessed') return !returns.has(event.recordedAt);
    return CHOSEN[event.type] !== undefined;
  };
  const found = events.flatMap((event, i) => (isChosen(event) && !undone.has(i + 1) ? [{ event, n: i + 1 }] : []));
  if (found.length === 0) return null;
  const types = new Set(found.map(({ event }) => event.type));
  const names = [...types].map((type) => CHOSEN[type]).join(', ');
  const detail = `More than corrections has happened to this loan, and stands: ${names}. Undo it, beginning with the latest, then cancel the boarding.`;
  return refuse('depends', detail, { facts: { transactions: found.map(({ n }) => n) } });
}

function transferIn(events: readonly LoanEvent[]): Refusal | null {
  const { planned } = partiesOf(events);
  if (planned.length > 0) return transferPlanned();
  const sold = events.find(changesOwner);
  if (sold === undefined) return null;
  const detail = `The loan has had another owner since ${sold.date}, and is in the books of both, so its boarding cannot be cancelled. Correct the loan where it is, or settle it between the two by entries by hand.`;
  return refuse('reference_conflict', detail);
}
