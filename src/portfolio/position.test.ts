/** The position of a loan: loans that a loan officer can check by hand, and what holds for every history. */
import { describe, expect, it } from 'vitest';
import { contractOf, live } from '../../test/support/life.ts';
import { everyLife } from '../../test/support/simulate/every-life.ts';
import { addDays, date, lastOfMonth, type PlainDate } from '../core/calendar.ts';
import { recoveredNet } from '../core/charged-off.ts';
import { fold } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import { type Flows, lastFlowsOf, NO_FLOWS, positionOf } from './position.ts';

/** 10,000.00 at 12 % in twelve months, due on the first: 888.49 each, of the first 788.49 principal. */
const funded = () => live(contractOf()).fund();

const onDay = (life: { loan(on: string): Loan }, day: string) => {
  const position = positionOf(life.loan(day));
  if (position === null) throw new Error(`No position on ${day}.`);
  return position;
};

describe('the position of a loan', () => {
  it('the month of its funding', () => {
    expect(onDay(funded(), '2026-01-31')).toEqual({
      ...NO_FLOWS,
      disbursed: 1_000_000,
      fundedOn: '2026-01-01',
      vintage: '2026-01-01',
      original: 1_000_000,
      rate: '12',
      remaining: 12,
      status: 'Funded',
      daysPastDue: 0,
      principal: 1_000_000,
      interest: 10_000,
      fees: 0,
      credits: 0,
      kept: 0,
      creditSince: null,
      nonAccrualSince: null,
    });
    expect(positionOf(live(contractOf()).approve('2026-01-01').loan('2026-01-31'))).toBeNull();
  });

  it('a month in which it pays what is due', () => {
    const life = funded().pay('2026-02-01', '888.49', 'a');
    expect(onDay(life, '2026-02-28')).toMatchObject({
      openingPrincipal: 1_000_000,
      disbursed: 0,
      principalReceived: 78_849,
      interestReceived: 10_000,
      unscheduledPrincipal: 0,
      scheduled: 88_849,
      scheduledPrincipal: 78_849,
      principal: 921_151,
      remaining: 11,
      status: 'Current',
    });
  });

  it('a month in which nothing is paid begins and ends with the same principal', () => {
    const life = funded().pay('2026-02-01', '888.49', 'a');
    expect(onDay(life, '2026-04-30')).toMatchObject({
      openingPrincipal: 921_151,
      principalReceived: 0,
      scheduled: 88_849,
      principal: 921_151,
      daysPastDue: 60,
      status: 'Delinquent',
    });
  });

  it('whoever pays some days early or late, or catches up, prepays nothing', () => {
    const life = live(contractOf({ firstPaymentDate: date('2026-02-15') })).fund();
    life.pay('2026-02-10', onSchedule(life, 1), 'early').pay('2026-03-28', onSchedule(life, 2), 'late');
    // April is missed; in May both are paid.
    life.pay('2026-05-20', onSchedule(life, 3), 'c').pay('2026-05-21', onSchedule(life, 4), 'd');
    for (const day of ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']) {
      expect(onDay(life, day).unscheduledPrincipal, day).toBe(0);
    }
    expect(onDay(life, '2026-05-31').principalReceived).toBeGreaterThan(0);
  });

  it('what is paid ahead or beside the installments is unscheduled, once', () => {
    const life = funded().pay('2026-02-01', '1388.49', 'a');
    life.pay('2026-02-10', '250.00', 'b', { purpose: 'principal' });
    // Interest of nine days is taken first of the second payment.
    const { unscheduledPrincipal, principalReceived } = onDay(life, '2026-02-28');
    expect(principalReceived - unscheduledPrincipal).toBe(78_849);
    life.pay('2026-03-01', '388.49', 'c');
    expect(onDay(life, '2026-03-31').unscheduledPrincipal).toBe(0);
  });

  it('whoever stays as far ahead as before prepays nothing more', () => {
    const life = funded();
    // The first two installments on the first due date; from then on each in the month before it is due.
    life.pay('2026-02-01', '1776.98', 'a').pay('2026-03-28', '888.49', 'b').pay('2026-04-28', '888.49', 'c');
    // Nothing in May, for which all is paid.
    life.pay('2026-06-01', '888.49', 'd');
    const months = ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'];
    expect(months.map((day) => onDay(life, day).unscheduledPrincipal)).toEqual([88_849, 0, 0, 0, 0]);
    // A date within a month counts what is due by its end, as the loan's own row does.
    expect(onDay(life, '2026-04-29').unscheduledPrincipal).toBe(0);
  });

  it('a payoff counts all that was not due in the month, and the loan has no position afterwards', () => {
    const life = funded().pay('2026-02-01', '10100.00', 'all');
    expect(onDay(life, '2026-02-28')).toMatchObject({ principalReceived: 1_000_000, unscheduledPrincipal: 921_151 });
    life.take('2026-02-02', { do: 'acknowledge-repayment', refId: 'all' });
    expect(onDay(life, '2026-02-28')).toMatchObject({ status: 'ClosedEarly', principal: 0, remaining: 0 });
    expect(positionOf(life.loan('2026-03-31'))).toBeNull();
    // A returned payment never paid.
    life.take('2026-04-05', { do: 'return-repayment', refId: 'all', code: 'R01', reason: null, date: null } as never);
    expect(onDay(life, '2026-02-28')).toMatchObject({
      principalReceived: 0,
      unscheduledPrincipal: 0,
      principal: 1_000_000,
    });
    expect(onDay(life, '2026-03-31')).toMatchObject({ openingPrincipal: 1_000_000, principal: 1_000_000 });
  });

  it('after a charge-off all money is recovered, and the loan has left the balance', () => {
    const life = funded().pay('2026-02-01', '888.49', 'a');
    life.take('2026-08-10', {
      do: 'charge-off',
      collateral: 0,
      reason: 'Months without a payment',
      date: null,
    } as never);
    life.pay('2026-08-20', '100.00', 'r1').pay('2026-09-20', '50.00', 'r2');
    expect(onDay(life, '2026-08-31')).toMatchObject({
      status: 'ChargedOff',
      openingPrincipal: 921_151,
      principalReceived: 0,
      chargedOff: 921_151,
      recovered: 10_000,
      unscheduledPrincipal: 0,
      interest: 0,
      fees: 0,
    });
    expect(onDay(life, '2026-09-30')).toMatchObject({ ...NO_FLOWS, recovered: 5_000 });
  });
});

/** The amount of an installment. */
function onSchedule(life: { loan(on: string): Loan }, n: number): string {
  const { amount = 0 } = life.loan('2026-01-31').installments[n - 1] ?? {};
  return (amount / 100).toFixed(2);
}

describe('every history', () => {
  /** Its month ends from funding on, up to the month after its last day. */
  function monthEnds(from: PlainDate, through: PlainDate): PlainDate[] {
    const ends = [lastOfMonth(from)];
    for (let last = ends[0] as PlainDate; last < through; ends.push(last)) last = lastOfMonth(addDays(last, 1));
    return ends;
  }

  everyLife('the flows of months tie, and add up to what the loan has received', ({ events, today }) => {
    const last = fold(events, today);
    const opened = events.find(({ type }) => type === 'opened');
    const from = opened?.date ?? last.fundedOn;
    if (from === null) return;
    const sums = { ...NO_FLOWS } as Record<keyof Flows, number>;
    let before: Loan | null = null;
    for (const day of monthEnds(from, today)) {
      const loan = fold(events, day);
      const position = positionOf(loan);
      if (position === null) {
        expect(loan.principal).toBe(0);
        before = loan;
        continue;
      }
      for (const name of Object.keys(NO_FLOWS) as (keyof Flows)[]) {
        if (name !== 'disbursed') expect(position[name], `${name} on ${day}`).toBeGreaterThanOrEqual(0);
        sums[name] += position[name];
      }
      const { openingPrincipal, disbursed, principalReceived, forgiven, chargedOff } = position;
      const left = openingPrincipal + disbursed - principalReceived - forgiven;
      expect(left).toBe(loan.chargeOff === null ? position.principal : chargedOff);
      if (before !== null) expect(openingPrincipal).toBe(before.chargeOff === null ? before.principal : 0);
      expect(position.unscheduledPrincipal).toBeLessThanOrEqual(principalReceived);
      before = loan;
    }
    const end = before as Loan;
    const { totals } = end.chargeOff ?? end;
    expect(sums.principalReceived).toBe(totals.principalPaid);
    expect(sums.interestReceived).toBe(totals.interestPaid);
    expect(sums.feesReceived).toBe(totals.feesPaid);
    expect(sums.forgiven).toBe(totals.principalForgiven);
    expect(sums.chargedOff).toBe(end.chargeOff?.principal ?? 0);
    expect(sums.recovered).toBe(end.chargeOff === null ? 0 : recoveredNet(end, end.chargeOff));
    // A refund that turned out to be uncovered is lent again.
    if (end.totals.refunded === 0) expect(sums.disbursed).toBe(totals.disbursed);
  });

  everyLife(
    'the flows in the row of a loan are those of its position at the end of that month',
    ({ events, today }) => {
      const loan = fold(events, today);
      if (loan.stage !== 'Funded') return;
      const { month, flows } = lastFlowsOf(loan);
      const end = lastOfMonth(month);
      const then = positionOf(fold(events, end < today ? end : today));
      // Installments scheduled in the month of the loan's day count up to its end.
      const { scheduled, scheduledPrincipal, ...others } = flows;
      expect(then).toMatchObject(end < today ? flows : others);
      expect(scheduledPrincipal).toBeLessThanOrEqual(scheduled);
    },
  );
});
