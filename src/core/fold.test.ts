/** Continuing a folding: what can be appended to it, and what needs the whole history again. */
import { describe, expect, it } from 'vitest';
import { contractOf, live, money } from '../../test/support/life.ts';
import { date } from './calendar.ts';
import type { Fact, LoanEvent } from './event.ts';
import { append, fold, foldAll, stateOn } from './fold.ts';
import { cents } from './money.ts';
import { percent } from './rate.ts';

const lateFee = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst' as const,
};

/** Paid on 1 February and 1 March 2026, the first acknowledged; with late fees after ten days. */
function paidTwice() {
  const life = live(contractOf(), { lateFee }).fund().pay('2026-02-01', '888.49', 'a').pay('2026-03-01', '888.49', 'b');
  life.take('2026-03-03', { do: 'acknowledge-repayment', refId: 'a' });
  return life.events;
}

function event(day: string, fact: Fact, recordedOn = day): LoanEvent {
  return { ...fact, date: date(day), recordedOn: date(recordedOn), recordedAt: `${recordedOn}T23:00:00.000Z` };
}

const paid = (refId: string): Fact => ({
  type: 'paymentSubmitted',
  refId,
  amount: money('100'),
  purpose: 'installment',
});

describe('what can be appended without the history', () => {
  const folding = foldAll(paidTwice());

  it.each<[string, LoanEvent]>([
    ['a payment of today', event('2026-04-01', paid('c'))],
    ['a payment of a day before, but after all others', event('2026-03-02', paid('c'), '2026-03-20')],
    ['a payment of the last one’s day', event('2026-03-01', paid('c'), '2026-03-20')],
    [
      'a payment of the last one’s day, under a name that sorts before its',
      event('2026-03-01', paid('A'), '2026-03-20'),
    ],
    ['an acknowledgement', event('2026-03-20', { type: 'paymentAcknowledged', refId: 'b' })],
    ['a reminder', event('2026-03-20', { type: 'reminderDue' })],
    [
      'publishing, which comes before everything in the order',
      event('2026-03-20', { type: 'published', published: true }),
    ],
    ['an extension', event('2026-03-20', { type: 'extended', periods: 1 })],
    ['a change of the rate', event('2026-03-20', { type: 'rateChanged', rate: percent('6'), why: 'contract' })],
    ['a charge-off', event('2026-05-20', { type: 'chargedOff', collateral: cents(0) })],
  ])('%s', (_, next) => {
    const on = date('2026-06-15');
    const after = append(folding, [next]);
    expect(after && stateOn(after, on)).toEqual(fold([...paidTwice(), next], on));
  });

  it('an acknowledgement does not advance the day: a payment found in between can still be appended', () => {
    const between = event('2026-03-02', paid('c'), '2026-03-20');
    const events = [...paidTwice(), event('2026-03-19', { type: 'paymentAcknowledged', refId: 'b' })];
    const after = append(foldAll(events), [between]);
    expect(after && stateOn(after, date('2026-03-20'))).toEqual(fold([...events, between], date('2026-03-20')));
  });

  it('late fees that fall due are in the shown loan, not in the folding', () => {
    expect(stateOn(folding, date('2026-04-12'))?.fees).toMatchObject([{ feeId: 'late-3' }]);
    expect(stateOn(folding, date('2026-04-11'))?.fees).toEqual([]);
  });

  it('after a known return everything can be appended as before', () => {
    const returned = [...paidTwice(), event('2026-03-05', { type: 'paymentReturned', refId: 'b' })];
    const next = event('2026-03-06', paid('c'));
    const after = append(foldAll(returned), [next]);
    expect(after && stateOn(after, date('2026-04-20'))).toEqual(fold([...returned, next], date('2026-04-20')));
  });
});

describe('what needs the whole history', () => {
  const folding = foldAll(paidTwice());

  it.each<[string, LoanEvent]>([
    ['a payment before another', event('2026-02-20', paid('c'), '2026-03-20')],
    [
      'a fee of the last payment’s day, which comes before it',
      event('2026-03-01', { type: 'feeAssessed', feeId: 'f', kind: 'fee', name: 'fee', amount: money('5') }),
    ],
    ['a return', event('2026-03-20', { type: 'paymentReturned', refId: 'b' })],
    ['an acknowledgement of an unknown payment', event('2026-03-20', { type: 'paymentAcknowledged', refId: 'x' })],
  ])('%s', (_, next) => {
    expect(append(folding, [next])).toBeNull();
  });

  it('a day before the last event', () => {
    expect(stateOn(folding, date('2026-02-28'))).toBeNull();
    expect(stateOn(folding, date('2026-03-01'))).not.toBeNull();
  });

  it('a late fee that waits for the day its return was recorded', () => {
    const returned = event('2026-03-01', { type: 'paymentReturned', refId: 'b' }, '2026-03-20');
    const after = foldAll([...paidTwice(), returned]);
    expect(stateOn(after, date('2026-03-11'))).not.toBeNull();
    expect(stateOn(after, date('2026-03-12'))).toBeNull();
  });

  it('terms that schedule later changes', () => {
    const events = paidTwice().map((one): LoanEvent => {
      if (one.type !== 'funded') return one;
      return { ...one, terms: { ...one.terms, rateChanges: [{ date: date('2026-06-01'), rate: percent('9') }] } };
    });
    expect(stateOn(foldAll(events), date('2026-07-01'))).toBeNull();
    expect(append(foldAll(events), [event('2026-07-01', { type: 'reminderDue' })])).toBeNull();
    const [created, ...rest] = events;
    expect(append(foldAll([created as LoanEvent]), rest)).toBeNull();
  });
});
