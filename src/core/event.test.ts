import { expect, test } from 'vitest';
import { KINDS } from './event.ts';
import { PHASES } from './events/definition.ts';

test('events of a day take effect in this order, in which stored histories are folded', () => {
  expect(Object.keys(KINDS)).toEqual([
    'created',
    'boarded',
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
    'holdPlaced',
    'holdReleased',
    'rateChanged',
    'militaryService',
    'dueDateChanged',
    'extended',
    'reaged',
    'feeAssessed',
    'feeWaived',
    'payoffQuoted',
    'paymentSubmitted',
    'paymentAcknowledged',
    'paymentReturned',
    'paymentReversed',
    'reamortized',
    'creditRefunded',
    'delinquencyNoted',
    'reminderDue',
    'transferScheduled',
    'transferAccepted',
    'transferCancelled',
    'transferred',
    'partyUpdated',
    'dayEnded',
    'undone',
    'defaulted',
    'accelerated',
    'chargedOff',
    'writtenDown',
  ]);
  expect(Object.values(KINDS).map(({ rank }) => rank)).toEqual(Object.keys(KINDS).map((_, i) => i));
});

test('the application comes before everything else, whatever its date', () => {
  expect(kindsThat(({ early }) => early)).toEqual([
    'created',
    'boarded',
    'documentsRequested',
    'documentsVerified',
    'underwritingStarted',
    'approved',
    'rejected',
    'collateralRequested',
    'collateralApproved',
    'cancelled',
    'published',
  ]);
});

test('disbursements, holds and changes of terms come before the late fees of their day', () => {
  expect(kindsThat(({ judgedFirst }) => !judgedFirst)).toEqual([
    'disbursed',
    'holdPlaced',
    'holdReleased',
    'rateChanged',
    'militaryService',
    'dueDateChanged',
    'extended',
    'reaged',
  ]);
});

test('an event without effect at its position comes after everything that moves installments', () => {
  expect(kindsThat(({ inert }) => inert)).toEqual([
    'paymentAcknowledged',
    'delinquencyNoted',
    'reminderDue',
    'transferScheduled',
    'transferAccepted',
    'transferCancelled',
    'transferred',
    'dayEnded',
  ]);
  const lastMove = Math.max(...Object.values(KINDS).flatMap(({ judgedFirst, rank }) => (judgedFirst ? [] : [rank])));
  for (const { inert, rank } of Object.values(KINDS)) expect(!inert || rank > lastMove).toBe(true);
  expect(Object.keys(PHASES)[0]).toBe('application');
});

function kindsThat(holds: (kind: (typeof KINDS)[keyof typeof KINDS]) => boolean): string[] {
  return Object.entries(KINDS).flatMap(([type, kind]) => (holds(kind) ? [type] : []));
}
