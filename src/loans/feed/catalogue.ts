/**
 * The types of the feed: what each event of a loan is called outside, and what it says. A name is a family and a fact (`payment.returned`),
 * and stays for ever. The name alone says what happened; the figures are read through the API, where access to them is decided.
 */
import type { LoanEvent } from '../../core/event.ts';

type Named = { readonly type: string; readonly about: string };

/** By the type of the ledger's transaction. */
export const OF_LOANS: Readonly<Record<LoanEvent['type'], Named>> = {
  created: { type: 'loan.created', about: 'A loan application was submitted.' },
  boarded: {
    type: 'loan.status_boarded',
    about: 'A loan was boarded in the status it had at another service: before funding, or ended.',
  },
  documentsRequested: {
    type: 'application.documents_requested',
    about: 'Documents were requested from the applicant.',
  },
  documentsVerified: {
    type: 'application.documents_verified',
    about: 'The documents of an application were verified.',
  },
  underwritingStarted: { type: 'application.underwriting_started', about: 'Underwriting of an application started.' },
  approved: { type: 'application.approved', about: 'An application was approved.' },
  rejected: { type: 'application.rejected', about: 'An application was rejected.' },
  collateralRequested: { type: 'collateral.requested', about: 'Collateral was requested.' },
  collateralApproved: { type: 'collateral.approved', about: 'Collateral was approved, with its value.' },
  cancelled: { type: 'loan.cancelled', about: 'An application was cancelled before it was funded.' },
  published: { type: 'loan.published', about: 'The public record of a loan was published, or withdrawn.' },
  funded: { type: 'loan.funded', about: 'A loan was funded: its terms and schedule are fixed.' },
  repaymentInitiated: { type: 'loan.repayment_initiated', about: 'Repayment of a loan began.' },
  opened: { type: 'loan.boarded', about: 'A loan was boarded with the figures of an earlier servicer.' },
  disbursed: { type: 'loan.disbursed', about: 'A further amount was disbursed.' },
  holdPlaced: { type: 'hold.placed', about: 'A hold was placed.' },
  holdReleased: { type: 'hold.released', about: 'A hold was released.' },
  rateChanged: { type: 'loan.rate_changed', about: 'The interest rate changed.' },
  militaryService: { type: 'loan.military_service', about: 'A period of military service was reported, or its end.' },
  dueDateChanged: { type: 'loan.due_date_changed', about: 'The due date of the installments changed.' },
  extended: { type: 'loan.extended', about: 'Unpaid installments were moved to a later date.' },
  reaged: { type: 'loan.reaged', about: 'A loan was re-aged: past due installments were moved.' },
  reamortized: { type: 'loan.reamortized', about: 'The remaining installments were recalculated.' },
  feeAssessed: { type: 'fee.assessed', about: 'A fee was charged.' },
  feeWaived: { type: 'fee.waived', about: 'A fee was waived, in full or in part.' },
  payoffQuoted: { type: 'payoff.quoted', about: 'A payoff or settlement amount was quoted.' },
  paymentSubmitted: { type: 'payment.submitted', about: 'A payment was received and allocated.' },
  paymentAcknowledged: { type: 'payment.acknowledged', about: 'A payment was acknowledged: its money has arrived.' },
  paymentReturned: { type: 'payment.returned', about: 'The money of a payment went back.' },
  paymentReversed: { type: 'payment.reversed', about: 'A payment that was posted in error was reversed.' },
  creditRefunded: { type: 'credit.refunded', about: 'Money owed to the borrower was refunded.' },
  delinquencyNoted: { type: 'loan.delinquency_noted', about: 'A loan was noted as delinquent.' },
  reminderDue: { type: 'loan.reminder_due', about: 'A reminder to the borrower is due.' },
  transferScheduled: { type: 'transfer.scheduled', about: 'A transfer to another servicer or owner was scheduled.' },
  transferAccepted: { type: 'transfer.accepted', about: 'The new owner accepted a transfer.' },
  transferCancelled: { type: 'transfer.cancelled', about: 'A transfer was cancelled.' },
  transferred: {
    type: 'transfer.completed',
    about: 'A transfer was carried out: the loan has a new servicer or owner.',
  },
  partyUpdated: { type: 'party.updated', about: 'Contact data of an applicant changed.' },
  dayEnded: {
    type: 'loan.day_ended',
    about:
      'A day ended with something that follows from the date: a late fee, a delinquency bucket, the end of accrual, of a quote or of a hold.',
  },
  undone: { type: 'loan.undone', about: 'An earlier event of the loan was undone.' },
  defaulted: { type: 'loan.defaulted', about: 'A loan went into default.' },
  accelerated: { type: 'loan.accelerated', about: 'Everything that is owed became due.' },
  chargedOff: { type: 'loan.charged_off', about: 'A loan was charged off.' },
  writtenDown: {
    type: 'collateral.written_down',
    about: 'The value kept for the collateral of a charged-off loan was written down.',
  },
};

/** Events of an organization that are not of a loan; `subject` is the id of what they are about. */
export const OF_ORGANIZATIONS = {
  'webhook_endpoint.paused':
    'A webhook endpoint was paused: by a person, because it answered 410, or because it failed for a day.',
  'webhook_endpoint.resumed': 'A webhook endpoint is active again; it gets everything that happened meanwhile.',
} as const;

/** Sent to one endpoint on request; it stands in no feed. */
export const TEST = {
  type: 'webhook.test',
  about: 'A test of a webhook endpoint, sent by `POST /test-webhook`.',
} as const;

export type NoteType = keyof typeof OF_ORGANIZATIONS;

/** Every type with its description, by name. */
export const CATALOGUE: ReadonlyMap<string, string> = new Map(
  [
    ...Object.values(OF_LOANS).map(({ type, about }) => [type, about] as const),
    ...Object.entries(OF_ORGANIZATIONS),
  ].sort(([a], [b]) => (a < b ? -1 : 1)),
);

const FAMILIES = [...new Set([...CATALOGUE.keys()].map((type) => `${type.split('.')[0]}.*`))];

/** What a filter may name: a type, or a family of them (`payment.*`). */
export const FILTERS: readonly string[] = [...FAMILIES, ...CATALOGUE.keys()].sort();

/** Whether an event of this type is asked for; no filter asks for all. */
export function matches(filter: readonly string[], type: string): boolean {
  return filter.length === 0 || filter.some((one) => one === type || one === `${type.split('.')[0]}.*`);
}

/** The ledger's types that a filter asks for; null: all. */
export function ledgerTypes(filter: readonly string[]): string[] | null {
  if (filter.length === 0) return null;
  return Object.entries(OF_LOANS).flatMap(([ledger, { type }]) => (matches(filter, type) ? [ledger] : []));
}
