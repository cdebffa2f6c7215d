/** A charge-off that the cycle recorded for its days past due, whose ground a payment of an earlier day takes away: the answer says so, and a list and the close name it. */
import { afterAll, expect } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type Command, decide } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold } from '../../src/core/fold.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { statusOf } from '../../src/core/status.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { live, money, payment } from '../support/life.ts';
import { sandboxBook } from '../support/sandbox-book.ts';
import { slowTest, usualTest } from '../support/whole.ts';

/** Nothing is paid of twelve installments from 1 February on: 120 days past due in June, charged off at its end. */
function chargedOff(automatic: boolean): readonly LoanEvent[] {
  const stamp = { date: date('2026-06-30'), recordedOn: date('2026-06-30'), recordedAt: '2026-06-30T23:59:59.999Z' };
  const fact = { type: 'chargedOff', collateral: money('0'), ...(automatic ? { automatic } : {}) } as const;
  return [...live().fund().events, { ...fact, ...stamp } as LoanEvent];
}

function answered(events: readonly LoanEvent[], command: Command) {
  const decision = decide(events, command, { today: date('2026-07-10'), at: '2026-07-10T12:00:00.000Z' });
  if (isRefusal(decision)) throw new Error(decision.detail);
  return { decision, ground: decision.changes?.filter(({ what }) => what === 'chargeOffGround') };
}

const backdated = (amount: string): Command => ({
  ...payment(amount, 'late'),
  date: date('2026-02-01'),
  reason: 'lockbox of February',
});

usualTest('the answer names the charge-off, which stays', () => {
  const { decision, ground } = answered(chargedOff(true), backdated('1776.98'));
  expect(ground).toEqual([{ date: '2026-06-30', what: 'chargeOffGround', before: 'pastDue', after: 'gone' }]);
  expect(statusOf(decision.loan)).toBe('ChargedOff');
  expect(decision.loan.chargeOff?.ground).toBe('gone');
  // The return of that payment brings it back.
  const again = answered([...chargedOff(true), ...decision.events], {
    ...{ do: 'return-repayment', refId: 'late', date: null, reason: 'R01' },
  } as Command);
  expect(again.ground).toEqual([{ date: '2026-06-30', what: 'chargeOffGround', before: 'gone', after: 'pastDue' }]);
});

usualTest('not of a payment that leaves it due, nor of a charge-off by a person', () => {
  expect(answered(chargedOff(true), backdated('100')).ground).toEqual([]);
  expect(answered(chargedOff(false), backdated('1776.98')).ground).toEqual([]);
  expect(fold(chargedOff(false), date('2026-07-01')).chargeOff?.ground).toBeNull();
});

let service: TestApp;
afterAll(() => service?.close(), 120_000);

type Line = { transactionHash: string; type: string };

slowTest(
  'lists, and the checks before a month is closed, name the loan until the charge-off or the payment is taken back',
  async () => {
    service = await testApp();
    const book = await sandboxBook(service, '2026-01-02');
    await book.post('policies', {
      ...{ policyId: 'RECORD', lenderId: 'LND-1', from: '2026-01-02' },
      values: { defaultDays: 30, chargeOffDays: 30, chargeOff: 'record', extension: { maximumDaysPastDue: 29 } },
    });
    const terms = { originationDate: '2025-12-15', firstPaymentDate: '2026-01-15' };
    const [loanId, other] = [await book.loan(terms), await book.loan(terms)];
    // The first installments are 44 days past due at the end of February.
    await book.on('2026-03-05');
    const { installments } = await book.get(`loans/${loanId}/schedule`);
    const listed = async (gone: string) =>
      (await book.get(`loans?chargeOffGroundGone=${gone}`)).items.map((item: { loanId: string }) => item.loanId).sort();
    const warned = async () => (await book.post('ledger/close?dryRun=true', { period: '2026-01' })).data.warnings;
    const both = [loanId, other].sort();
    expect((await book.get('loans?status=ChargedOff')).total).toBe(2);
    expect([await listed('true'), await listed('false'), await warned()]).toEqual([[], both, []]);

    const lockbox = (refId: string) => ({
      ...{ loanId, refId, amount: installments[0].amount, paymentDate: '2026-02-10', reason: 'lockbox of February' },
    });
    const isNamed = async () => {
      expect([await listed('true'), await listed('false')]).toEqual([[loanId], [other]]);
      const [warning, ...more] = await warned();
      expect([warning.check, warning.loans, more]).toEqual(['charge_off_ground_gone', 1, []]);
      expect(warning.detail).toContain('1 loan was charged off by the nightly cycle');
    };
    await book.post('loan-repay', lockbox('A'));
    await isNamed();
    await book.post('return-repayment', { loanId, refId: 'A', reason: 'R01' });
    expect([await listed('true'), await warned()]).toEqual([[], []]);
    await book.post('loan-repay', lockbox('B'));
    await isNamed();
    // It does not stand in the way, and the answer of a close is the same whatever was found.
    const { data } = await book.post('ledger/close', { period: '2026-01' });
    expect([data.period, 'warnings' in data]).toEqual(['2026-01', false]);
    const { items } = await book.get(`loans/${loanId}/transactions`);
    const { transactionHash } = (items as Line[]).find(({ type }) => type === 'chargedOff') as Line;
    await book.post('undo', { loanId, transactionHash, reason: 'Paid in time' });
    expect([await listed('true'), await listed('false')]).toEqual([[], both]);
    expect((await book.post('ledger/close?dryRun=true', { period: '2026-02' })).data.warnings).toEqual([]);
  },
  240_000,
);
