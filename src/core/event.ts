/**
 * What can happen to a loan. Every event has two times: the day it takes effect (`date`) and when it was recorded (`recordedAt`, and
 * `recordedOn`, the business day of that). Events are facts and amounts; there is no place for a personal value in any of them.
 */
import type { PlainDate } from './calendar.ts';
import type { Contract, FeeKind, Policy, ScheduleTerms } from './loan.ts';
import type { Cents } from './money.ts';
import type { Percent } from './rate.ts';

export type LoanEvent = Fact & {
  readonly date: PlainDate;
  readonly recordedOn: PlainDate;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
};

export type Fact =
  | { readonly type: 'created'; readonly contract: Contract; readonly policy: Policy }
  | { readonly type: 'documentsRequested' }
  | { readonly type: 'documentsVerified' }
  | { readonly type: 'underwritingStarted' }
  /** A chosen counter-offer replaces the contract. */
  | { readonly type: 'approved'; readonly overridden: boolean; readonly contract: Contract | null }
  | { readonly type: 'rejected'; readonly overridden: boolean }
  | { readonly type: 'collateralRequested' }
  | { readonly type: 'collateralApproved'; readonly value: Cents }
  | { readonly type: 'cancelled' }
  | { readonly type: 'published'; readonly published: boolean }
  /** The money went out: the dates are set and interest runs. */
  | { readonly type: 'funded'; readonly terms: ScheduleTerms }
  | { readonly type: 'repaymentInitiated' }
  /** A loan that was serviced elsewhere begins here with these figures; installments due up to `paidThrough` are paid. */
  | {
      readonly type: 'opened';
      readonly principal: Cents;
      readonly interest: Cents;
      readonly fees: Cents;
      readonly paidThrough: PlainDate | null;
    }
  | { readonly type: 'disbursed'; readonly amount: Cents }
  | {
      readonly type: 'paymentSubmitted';
      readonly refId: string;
      readonly amount: Cents;
      readonly principalOnly: boolean;
    }
  | { readonly type: 'paymentAcknowledged'; readonly refId: string }
  | { readonly type: 'paymentReturned'; readonly refId: string }
  | {
      readonly type: 'feeAssessed';
      readonly feeId: string;
      readonly kind: FeeKind;
      readonly name: string;
      readonly amount: Cents;
    }
  | { readonly type: 'feeWaived'; readonly feeId: string; readonly amount: Cents }
  /** `scra`: the installments fall by the interest that is forgiven (50 USC 3937). */
  | { readonly type: 'rateChanged'; readonly rate: Percent; readonly why: 'contract' | 'scra' }
  /** Unsatisfied installments move by so many periods. */
  | { readonly type: 'extended'; readonly periods: number }
  /**
   * Unsatisfied installments move as far as `from`, the due date of the oldest when it was agreed, is from `to`; earlier ones stay. A
   * payment that is found or returned later changes which is the oldest, not what was agreed. Null: the oldest, whichever it is.
   */
  | { readonly type: 'dueDateChanged'; readonly from: PlainDate | null; readonly to: PlainDate }
  /** The level payment of the installments not yet due is computed anew. */
  | { readonly type: 'reamortized' }
  /** Past-due installments move to the next due date and beyond: the loan counts as current again. */
  | { readonly type: 'reaged' }
  | {
      readonly type: 'payoffQuoted';
      readonly quoteId: string;
      readonly kind: 'payoff' | 'settlement';
      readonly amount: Cents;
      readonly goodThrough: PlainDate;
    }
  | { readonly type: 'creditRefunded'; readonly refId: string; readonly amount: Cents }
  | { readonly type: 'delinquencyNoted' }
  | { readonly type: 'reminderDue' }
  | { readonly type: 'defaulted' }
  | { readonly type: 'chargedOff'; readonly collateral: Cents };

export type EventType = Fact['type'];

/** The order of events within a day. What comes first makes room for what follows: money goes out before it comes in. */
export const DAY_ORDER: readonly EventType[] = [
  'created',
  'documentsRequested',
  'documentsVerified',
  'underwritingStarted',
  'approved',
  'rejected',
  'collateralRequested',
  'collateralApproved',
  'cancelled',
  'published',
  'funded',
  'repaymentInitiated',
  'opened',
  'disbursed',
  'rateChanged',
  'dueDateChanged',
  'extended',
  'reaged',
  'feeAssessed',
  'feeWaived',
  'payoffQuoted',
  'paymentSubmitted',
  'paymentAcknowledged',
  'paymentReturned',
  // Paying down and computing the payment anew belong to one day, in this order.
  'reamortized',
  'creditRefunded',
  'delinquencyNoted',
  'reminderDue',
  'defaulted',
  'chargedOff',
];

/** The order in which events take effect: by day, by kind within a day, then by name, so that the order of arrival does not matter. */
export function inOrder(a: Placed, b: Placed): number {
  // A loan may take effect before the day it was entered here (a contract date in the past): its application still comes first.
  const [early, other] = [RANK[a.type] < RANK.funded, RANK[b.type] < RANK.funded];
  if (early !== other) return early ? -1 : 1;
  if (early && a.recordedAt !== b.recordedAt) return a.recordedAt < b.recordedAt ? -1 : 1;
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  const rank = RANK[a.type] - RANK[b.type];
  if (rank !== 0) return rank;
  const [nameA, nameB] = [nameOf(a), nameOf(b)];
  if (nameA !== nameB) return byName(nameA, nameB);
  return a.recordedAt < b.recordedAt ? -1 : a.recordedAt > b.recordedAt ? 1 : 0;
}

export const RANK = Object.fromEntries(DAY_ORDER.map((type, i) => [type, i])) as Record<Fact['type'], number>;

/** By the text before a number at the end, then by that number: payment-2 comes before payment-10. */
function byName(a: string, b: string): number {
  const [, textA = '', digitsA = ''] = /^(.*?)0*(\d*)$/s.exec(a) ?? [];
  const [, textB = '', digitsB = ''] = /^(.*?)0*(\d*)$/s.exec(b) ?? [];
  if (textA !== textB) return textA < textB ? -1 : 1;
  if (digitsA.length !== digitsB.length) return digitsA.length - digitsB.length;
  if (digitsA !== digitsB) return digitsA < digitsB ? -1 : 1;
  return a < b ? -1 : 1;
}

function nameOf({ refId, feeId, quoteId }: Placed): string {
  return refId ?? feeId ?? quoteId ?? '';
}

/** What the order goes by. */
export type Placed = Pick<LoanEvent, 'type' | 'date' | 'recordedAt'> & {
  readonly refId?: string;
  readonly feeId?: string;
  readonly quoteId?: string;
};

/** An event's place in the order, without the rest of it. */
export function placeOf(event: Placed): Placed {
  return { type: event.type, date: event.date, recordedAt: event.recordedAt, refId: nameOf(event) };
}
