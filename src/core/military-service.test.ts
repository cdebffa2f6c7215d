import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { booksChangeOn } from '../ledger/accrue.ts';
import { addDays, date } from './calendar.ts';
import type { Command } from './decide/decide.ts';
import { delinquency, openInstallments, pastDueFrom } from './delinquency.ts';
import { explain } from './explain.ts';
import { fold, foldAll, stateOn } from './fold.ts';
import { feeRoom } from './military-service.ts';
import { payoff } from './payoff.ts';
import { formatDecimal, percent } from './rate.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import { statusOf } from './status.ts';

const LATE_FEE = {
  lateFee: { flat: money('25'), percent: null, floor: null, cap: null, graceDays: 10, judge: 'currentFirst' },
} as const;

function service(from: string, to: string | null = null, rate = '6'): Extract<Command, { do: 'change-rate' }> {
  const period = { from: date(from), to: to === null ? null : date(to) };
  return { do: 'change-rate', rate: percent(rate), date: null, why: 'scra', service: period, reason: 'orders' };
}

function fee(amount: string, feeId: string): Command {
  return { do: 'assess-fee', feeId, kind: 'fee', name: 'a fee', amount: money(amount), date: null };
}

function refusal(life: Life, today: string, command: Command): Refusal | null {
  const answer = life.ask(today, command);
  return isRefusal(answer) ? answer : null;
}

const rateOn = (life: Life, on: string) => formatDecimal(life.loan(on).rate);
const amounts = (life: Life, on: string) => life.loan(on).installments.map(({ amount }) => amount);

describe('when it counts', () => {
  test('from its first day, whenever it is reported, to its last, and then ends by itself', () => {
    const life = live().fund();
    life.take('2026-06-10', service('2026-02-10', '2026-05-20'));
    expect(['2026-02-09', '2026-02-10', '2026-05-20', '2026-05-21'].map((on) => rateOn(life, on))).toEqual([
      '12',
      '6',
      '6',
      '12',
    ]);
    // Nothing is paid: 39 days at 12 %, 101 at 6 % and 10 at 12 % of 10,000 (30/360).
    expect(life.loan('2026-06-01').interest).toBe(13000 + 16833 + 3333);
  });

  test('with no end it lasts; a later report of the same service gives the end, also one that has passed', () => {
    const life = live().fund();
    const before = amounts(life, '2026-01-01');
    life.take('2026-02-10', service('2026-02-01'));
    expect(rateOn(life, '2027-01-01')).toBe('6');
    life.take('2026-08-10', service('2026-02-01', '2026-05-31'));
    expect(rateOn(life, '2026-05-31')).toBe('6');
    expect(rateOn(life, '2026-06-01')).toBe('12');
    expect(amounts(life, '2026-08-10').slice(5)).toEqual(before.slice(5));
    // The loan is as if the end had been known from the beginning.
    const other = live().fund();
    other.take('2026-02-10', service('2026-02-01', '2026-05-31'));
    const { pastService: _, ...corrected } = life.loan('2026-09-01');
    const { pastService: __, ...known } = other.loan('2026-09-01');
    expect(corrected).toEqual(known);
  });

  test('the end is in every read before it: schedule, next payment, past due, the day on which the books change', () => {
    const life = live().fund();
    const before = amounts(life, '2026-01-01');
    life.take('2026-02-01', service('2026-02-01', '2026-05-31'));
    const loan = life.loan('2026-02-01');
    const open = openInstallments(loan).map((one) => one.open);
    expect(open.slice(5, -1)).toEqual(before.slice(5, -1));
    expect(open[4]).toBeLessThan(before[4] ?? 0);
    expect(booksChangeOn(life.loan('2026-05-20'))).toBe('2026-06-01');
    expect(pastDueFrom(loan)).toBe('2026-02-01');
    const folding = foldAll(life.events);
    for (const on of ['2026-05-31', '2026-06-01', '2026-07-15'].map(date)) {
      expect(stateOn(folding, on)).toEqual(fold(life.events, on));
    }
  });

  test('a change of the rate meanwhile changes the rate underneath; the lower of the two is in force', () => {
    const life = live(contractOf({ variable: true })).fund();
    life.take('2026-02-01', service('2026-02-01', '2026-07-31'));
    const change = (rate: string): Command => ({
      ...{ do: 'change-rate', rate: percent(rate), date: null, why: 'contract', reason: 'index' },
    });
    life.take('2026-03-01', change('9'));
    expect(rateOn(life, '2026-03-01')).toBe('6');
    life.take('2026-04-01', change('5'));
    expect(rateOn(life, '2026-04-01')).toBe('5');
    life.take('2026-05-01', change('8'));
    expect(rateOn(life, '2026-05-01')).toBe('6');
    expect(rateOn(life, '2026-08-01')).toBe('8');
  });

  test('a second service may follow the first, the day after its end too', () => {
    const life = live().fund();
    life.take('2026-03-01', service('2026-02-01', '2026-02-28'));
    life.take('2026-03-01', service('2026-03-01', '2026-03-31', '4'));
    expect(['2026-02-28', '2026-03-01', '2026-03-31', '2026-04-01'].map((on) => rateOn(life, on))).toEqual([
      ...['6', '4', '4', '12'],
    ]);
  });

  test('of a loan that was boarded later it counts from the opening on', () => {
    const life = live().approve('2026-06-10');
    const figures = {
      principal: money('8000'),
      interest: money('80'),
      fees: money('10'),
      paidThrough: date('2026-06-01'),
    };
    life.take('2026-06-10', { do: 'fund-loan', date: null, opening: { date: date('2026-06-10'), ...figures } });
    const decision = life.take('2026-07-10', service('2026-03-01'));
    expect(decision.events).toMatchObject([{ from: '2026-03-01', date: '2026-06-10' }]);
    // A month at 6 % of 8,000, and what the opening carried over.
    expect(life.loan('2026-07-10')).toMatchObject({ interest: 8000 + 4000, fees: [{ amount: 1000, forgiven: 0 }] });
    expect(refusal(live2(), '2026-07-10', service('2026-03-01', '2026-06-09'))).toMatchObject({
      ...{ refused: 'contradiction', member: 'service.to' },
    });
    function live2(): Life {
      const other = live().approve('2026-06-10');
      other.take('2026-06-10', { do: 'fund-loan', date: null, opening: { date: date('2026-06-10'), ...figures } });
      return other;
    }
  });
});

describe('forgiven, not deferred', () => {
  test('paid on the lower amounts, the loan ends on its last due date with the interest of both rates and no more', () => {
    const life = live().fund();
    life.take('2026-01-15', service('2026-01-15', '2026-08-14'));
    for (let n = 1; n <= 12; n++) {
      const due = life.loan('2026-01-15').installments[n - 1]?.dueDate ?? '';
      const { nextDueAmount } = delinquency(life.loan(due));
      life.pay(due, (nextDueAmount / 100).toFixed(2), `P${n}`);
    }
    const loan = life.loan('2027-01-01');
    expect(payoff(loan).payoff).toBe(0);
    const [first, ...rest] = loan.installments;
    expect(first?.interest).toBe(4667 + 2667);
    expect(loan.totals.interestPaid).toBe(loan.installments.reduce((sum, { interest }) => sum + interest, 0));
    expect(rest.every(({ amount, paid }) => paid >= amount - 10)).toBe(true);
  });

  test('money paid above the limit pays later installments; of a loan paid off it is owed back', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A').pay('2026-03-01', '9303.63', 'B');
    life.take('2026-03-02', { do: 'acknowledge-repayment', refId: 'A' });
    life.take('2026-03-02', { do: 'acknowledge-repayment', refId: 'B' });
    expect(statusOf(life.loan('2026-03-02'))).toBe('ClosedEarly');
    const { changes } = life.take('2026-07-01', service('2026-02-01', '2026-06-30'));
    // Half of the 92.12 that February cost.
    expect(life.loan('2026-07-01').credit).toBe(4606);
    expect(changes).toEqual([
      { date: '2026-07-01', what: 'credit', before: 0, after: 4606 },
      { date: '2026-03-01', what: 'paymentInterest', refId: 'B', before: 9212, after: 4606 },
      { date: '2026-03-01', what: 'paymentCredit', refId: 'B', before: 0, after: 4606 },
    ]);
    expect(statusOf(life.loan('2026-07-01'))).toBe('ClosedEarly');
  });

  test('a charge-off has less to charge off', () => {
    const life = live().fund();
    life.take('2026-06-30', { do: 'charge-off', date: null, reason: '120 days', collateral: money('0') });
    const before = life.loan('2026-06-30').chargeOff;
    life.take('2026-09-01', service('2026-02-01'));
    expect(before?.interest).toBe(60000 - 333);
    expect(life.loan('2026-09-01').chargeOff).toMatchObject({ principal: 1000000, interest: 10000 + 24833 });
  });

  test('an installment that was paid short by exactly the interest forgiven is not late', () => {
    const life = live(contractOf(), { ...LATE_FEE, satisfiedPercent: 100 })
      .fund()
      .pay('2026-02-01', '888.49', 'A');
    life.pay('2026-03-01', '842.43', 'B');
    expect(life.loan('2026-03-12').fees).toHaveLength(1);
    life.take('2026-03-20', service('2026-02-01'));
    expect(life.loan('2026-03-20').fees).toEqual([]);
    expect(delinquency(life.loan('2026-03-20'))).toMatchObject({ daysPastDue: 0, nextDueDate: '2026-04-01' });
  });

  test('a payment that does not cover its interest falls by the interest forgiven, to zero at most', () => {
    // 50.00 a month of 100.00 that accrue; of 100.00 the law forgives half.
    const life = live(contractOf({ payment: money('50') })).fund();
    life.take('2026-02-01', service('2026-02-01'));
    expect(amounts(life, '2026-02-01').slice(0, 3)).toEqual([5000, 0, 0]);
  });

  test('a re-amortization meanwhile is computed at the agreed rate, less what is forgiven', () => {
    const life = live().fund();
    life.take('2026-01-15', service('2026-01-15', '2026-06-30'));
    life.pay('2026-02-01', '861.83', 'A').pay('2026-02-01', '2000', 'B', { purpose: 'principal' });
    life.take('2026-02-01', { do: 'reamortize', date: null, reason: 'lower payment' });
    const loan = life.loan('2026-02-01');
    const [, second, , , , , , eighth, ninth] = loan.installments;
    expect(eighth?.amount).toBe(ninth?.amount);
    // Half a percent of the balance a month is forgiven.
    expect((eighth?.amount ?? 0) - (second?.amount ?? 0)).toBe(Math.round(loan.principal / 200));
  });

  test('the payoff of a quote from before the report is more than is owed: the rest is owed back', () => {
    const life = live().fund();
    life.take('2026-03-01', { do: 'payoff-quotes', quoteId: 'Q', date: null, goodThrough: date('2026-03-31') });
    life.take('2026-03-10', service('2026-02-01'));
    life.pay('2026-03-31', '10300', 'A');
    // January at 12 %, two months at 6 %.
    expect(life.loan('2026-03-31')).toMatchObject({ principal: 0, credit: 1030000 - 1000000 - 10000 - 10000 });
  });
});

describe('fees are counted into the 6 %', () => {
  test('at 6 % no fee is charged at all: late fees, assessed fees, return fees and the prepayment penalty', () => {
    const penalty = { prepaymentPenalty: money('100') };
    const life = live(contractOf(penalty), { ...LATE_FEE, returnFee: money('30') }).fund();
    life.take('2026-01-20', service('2026-01-20', '2026-05-31'));
    expect(refusal(life, '2026-02-01', fee('0.01', 'F'))).toMatchObject({ refused: 'scra_limit', facts: { room: 0 } });
    life.pay('2026-02-20', '888.49', 'A');
    life.take('2026-02-25', { do: 'return-repayment', refId: 'A', date: null, reason: 'R01' });
    const { fees } = life.loan('2026-05-31');
    expect(fees.map(({ feeId, amount, forgiven }) => [feeId, amount, forgiven])).toEqual([
      ['late-1', 0, 2500],
      ['return-1', 0, 3000],
      ['late-2', 0, 2500],
      ['late-3', 0, 2500],
      ['late-4', 0, 2500],
    ]);
    expect(payoff(life.loan('2026-05-31')).prepaymentPenalty).toBe(0);
    // The day after its end.
    expect(payoff(life.loan('2026-06-01')).prepaymentPenalty).toBe(10000);
    expect(life.loan('2026-06-12').fees.at(-1)).toMatchObject({ feeId: 'late-5', amount: 2500, forgiven: 0 });
    expect(refusal(life, '2026-06-01', fee('10', 'F'))).toBeNull();
  });

  test('the room is what 6 % of the same balances and days leaves; a waived fee gives its room back', () => {
    const life = live().fund();
    life.take('2026-01-15', service('2026-01-15', null, '5'));
    // 1 % of 10,000 for 46 days (30/360): 6 % is 76.67, 5 % is 63.89.
    expect(feeRoom(life.loan('2026-03-01'), date('2026-03-01'))).toBe(1278);
    life.take('2026-03-01', fee('12.78', 'F'));
    expect(refusal(life, '2026-03-01', fee('0.01', 'G'))?.refused).toBe('scra_limit');
    life.take('2026-03-01', { do: 'waive-fee', feeId: 'F', amount: null, reason: 'courtesy' });
    expect(refusal(life, '2026-03-01', fee('12.78', 'G'))).toBeNull();
  });

  test('never more in interest and fees than 6 %, day by day', () => {
    const life = live(contractOf(), LATE_FEE).fund();
    life.take('2026-01-15', service('2026-01-15', null, '4.5'));
    const start = life.loan('2026-01-15').interest;
    for (let day = date('2026-01-15'); day < '2027-03-01'; day = addDays(day, 13)) {
      const loan = life.loan(day);
      const charged = loan.interest - start + loan.fees.reduce((sum, { amount }) => sum + amount, 0);
      const six = payoff(live6().loan(day)).interest - start;
      expect(charged, day).toBeLessThanOrEqual(six);
    }
    function live6(): Life {
      const other = live().fund();
      other.take('2026-01-15', service('2026-01-15'));
      return other;
    }
  });

  test('fees that were charged before the report are forgiven, those from before service are not', () => {
    const life = live().fund();
    life.take('2026-01-10', fee('20', 'BEFORE'));
    life.take('2026-02-10', fee('30', 'SINCE'));
    life.pay('2026-02-15', '938.49', 'A');
    life.take('2026-03-01', service('2026-02-01'));
    const loan = life.loan('2026-03-01');
    expect(loan.fees).toMatchObject([
      { feeId: 'BEFORE', amount: 2000, paid: 2000, forgiven: 0 },
      { feeId: 'SINCE', amount: 0, paid: 0, forgiven: 3000 },
    ]);
    expect(loan.payments[0]?.allocation).toMatchObject({ fees: 2000, credit: 0 });
    expect(explain(loan, 'fees')?.sentences).toEqual([
      '30.00 of the fee SINCE of 2026-02-10 was not charged: during military service interest and fees together are at most 6 % (50 USC 3937).',
    ]);
    expect(explain(loan, 'interest')?.sentences.at(-1)).toBe(
      'From 2026-02-01 the rate is at most 6 % because of military service (50 USC 3937); 47.88 of interest above it is forgiven.',
    );
  });
});

describe('what is refused', () => {
  const refused = (command: Command, today = '2026-06-01') => {
    const answer = refusal(live().fund(), today, command);
    return answer === null ? null : `${answer.refused} ${answer.member}`;
  };

  test.each<[string, Command, string | null]>([
    ['the day after the contract', service('2026-01-02'), null],
    ['the day of the contract: the debt is not from before', service('2026-01-01'), 'not_eligible service.from'],
    ['a first day to come', service('2026-06-02'), 'date_in_future service.from'],
    ['a last day to come', service('2026-05-01', '2030-01-01'), null],
    ['the last day before the first', service('2026-05-01', '2026-04-30'), 'contradiction service.to'],
    ['more than 6 %', service('2026-05-01', null, '6.01'), 'invalid_value rate'],
    ['a date of its own', { ...service('2026-05-01'), date: date('2026-05-01') }, 'contradiction date'],
    ['no period', { ...service('2026-05-01'), service: undefined } as never, 'required service.from'],
    ['no reason', { ...service('2026-05-01'), reason: '' }, 'reason_required reason'],
    ['a period for another reason', { ...service('2026-05-01'), why: 'contract' }, 'contradiction service.from'],
  ])('%s', (_, command, expected) => {
    expect(refused(command)).toBe(expected);
  });

  test('but not a limit above the agreed rate, which raises nothing', () => {
    const life = live(contractOf({ rate: percent('5') })).fund();
    life.take('2026-06-01', service('2026-05-01'));
    expect(life.loan('2026-06-01').rate).toEqual(percent('5'));
  });

  test('a period that overlaps with another; what to send is said', () => {
    const life = live().fund();
    life.take('2026-06-01', service('2026-03-01', '2026-04-30'));
    for (const other of [service('2026-02-01'), service('2026-04-30'), service('2026-02-01', '2026-03-01')]) {
      expect(refusal(life, '2026-06-01', other)).toMatchObject({
        refused: 'contradiction',
        detail: expect.stringContaining('To correct that period, send serviceFrom 2026-03-01.'),
      });
    }
    expect(refusal(life, '2026-06-01', service('2026-02-01', '2026-02-28'))).toBeNull();
    expect(refusal(life, '2026-06-01', service('2026-05-01'))).toBeNull();
  });

  test('the same report again changes nothing; another one corrects it', () => {
    const life = live().fund();
    const first = life.take('2026-06-01', service('2026-03-01', '2026-04-30'));
    const again = life.ask('2026-07-01', service('2026-03-01', '2026-04-30'));
    expect(again).toMatchObject({ repeated: true, events: [], original: life.events.length - 1 });
    expect(first.repeated).toBe(false);
    expect(life.take('2026-07-01', service('2026-03-01', '2026-04-30', '5')).repeated).toBe(false);
    expect(rateOn(life, '2026-03-15')).toBe('5');
  });

  test('other changes of the rate of a loan that is closed', () => {
    const life = live().fund().pay('2026-02-01', '10100', 'A');
    life.take('2026-02-01', { do: 'acknowledge-repayment', refId: 'A' });
    const change: Command = { do: 'change-rate', rate: percent('5'), date: null, why: 'contract', reason: 'agreed' };
    expect(refusal(life, '2026-03-01', change)?.refused).toBe('wrong_status');
    expect(refusal(life, '2026-03-01', service('2026-01-15'))).toBeNull();
  });
});
