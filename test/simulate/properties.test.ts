/** Properties of every loan history, and of every schedule. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type PlainDate } from '../../src/core/calendar.ts';
import { type Command, decide } from '../../src/core/decide/decide.ts';
import { delinquency, openInstallments } from '../../src/core/delinquency.ts';
import { type LoanEvent, undoesPayment } from '../../src/core/event.ts';
import { explain, FIGURES, type Figure } from '../../src/core/explain.ts';
import { fold } from '../../src/core/fold.ts';
import { type Loan, stayed } from '../../src/core/loan.ts';
import { cents, MAX_CENTS } from '../../src/core/money.ts';
import { payoff } from '../../src/core/payoff.ts';
import { isRefusal, REFUSALS, type RefusalCode } from '../../src/core/refusal.ts';
import { buildSchedule } from '../../src/core/schedule.ts';
import { closedBy, isClosed, statusOf } from '../../src/core/status.ts';
import { feesOwed, openStretch } from '../../src/core/working-loan.ts';
import { type Audit, audit, scheduleOf } from '../support/auditor/auditor.ts';
import { inAnotherOrder } from '../support/life.ts';
import { everyLife, LIVES, SEED, TIMEOUT } from '../support/simulate/every-life.ts';
import { anyTerms } from '../support/simulate/lives.ts';

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The auditor's figures, from the engine. */
function figures(loan: Loan): Audit {
  const view = openInstallments(loan);
  const { pastDueAmount, daysPastDue, bucket, nextDueDate, nextDueAmount } = delinquency(loan, view);
  const { principal, interest, fees, credits: credit, payoff: owed, perDiem } = payoff(loan);
  return {
    principal,
    interest,
    fees,
    credit,
    payoff: owed,
    perDiem,
    pastDueAmount,
    daysPastDue,
    bucket,
    nextDueDate,
    nextDueAmount,
    closedBy: closedBy(loan),
    payments: Object.fromEntries(
      loan.payments.filter(stayed).map(({ refId, allocation, balance }) => [refId, { ...allocation, balance }]),
    ),
    feeList: Object.fromEntries(
      loan.fees.map(({ feeId, date, amount, paid, waived, forgiven }) => [
        feeId,
        { date, amount, paid, waived, forgiven },
      ]),
    ),
    installments: view.map(({ installment: { n, dueDate, amount, paid }, open }) => ({
      n,
      dueDate,
      amount,
      paid,
      open,
    })),
  };
}

describe('a random history', () => {
  everyLife('closed form = day by day: the auditor agrees to the cent on every figure', (life, asOf) => {
    const { events, terms, policy, contract } = life;
    const { frequency, prepaymentPenalty } = contract;
    expect(figures(fold(events, asOf))).toEqual(audit({ terms, policy, frequency, prepaymentPenalty, events, asOf }));
  });

  everyLife('acceleration makes everything due and changes nothing else that is owed', ({ events, today }) => {
    const before = fold(events, today);
    if (before.stage !== 'Funded' || before.acceleratedOn !== null || before.contract.prepaymentPenalty > 0) return;
    const event: LoanEvent = { type: 'accelerated', date: today, recordedOn: today, recordedAt: `${today}T999999Z` };
    const after = fold([...events, event], today);
    expect(payoff(after)).toEqual(payoff(before));
    const [was, is] = [delinquency(before), delinquency(after)];
    expect([is.daysPastDue, is.oldestDueDate ?? today]).toEqual([was.daysPastDue, was.oldestDueDate ?? today]);
    const owed = before.principal + before.interest;
    // If only fees are left, they may be what is past due.
    if (owed > 0) expect([is.pastDueAmount, is.nextDueAmount]).toEqual([owed, owed]);
    else expect([is.pastDueAmount, is.nextDueAmount]).toEqual([was.pastDueAmount, 0]);
    const later = addDays(today, 400);
    const fees = ({ fees: all }: Loan) => all.filter(({ installment }) => installment !== null).length;
    expect(fees(fold([...events, event], later))).toBe(fees(before));
  });

  everyLife('parts sum to the whole', ({ events, today }, asOf) => {
    for (const day of [asOf, today]) accountsTie(fold(events, day));
  });

  everyLife('no balance is negative and every cent is explained', ({ events, turns }, asOf) => {
    const loans = turns.flatMap(({ answer }) => (isRefusal(answer) ? [] : [answer.loan]));
    for (const loan of [fold(events, asOf), ...loans]) {
      if (loan.stage !== 'Funded') continue;
      const { principal, interest, credit, fees, installments } = loan;
      const open = fees.map(({ amount, paid, waived }) => amount - paid - waived);
      const late = delinquency(loan);
      const amounts = [principal, interest, credit, payoff(loan).payoff, late.pastDueAmount, late.nextDueAmount];
      const paid = installments.flatMap((one) => [one.paid, one.amount, one.paidAhead, one.paidLate]);
      expect(Math.min(...amounts, ...open, ...paid)).toBeGreaterThanOrEqual(0);
      const asked: Figure[] = [...FIGURES, ...loan.payments.map(({ refId }): Figure => `payment:${refId}`)];
      for (const figure of asked) {
        const explained = explain(loan, figure);
        expect(sum(explained?.steps.map(({ amount }) => amount) ?? [Number.NaN])).toBe(explained?.amount);
      }
    }
  });

  everyLife('folding all = folding step by step', ({ turns, events, today }) => {
    for (const { before, answer, when } of turns) {
      if (isRefusal(answer)) continue;
      expect(answer.loan).toEqual(fold([...before, ...answer.events], when.today));
    }
    const first = events.findIndex(({ type }) => type === 'funded') + 1;
    let loan = fold(events.slice(0, first), today);
    for (let count = first + 1; count <= events.length; count++) loan = fold(events.slice(0, count), today);
    expect(loan).toEqual(fold(events, today));
  });

  everyLife('the order of arrival matters only within a kind and a day', ({ events, today }, asOf, pick) => {
    const other = inAnotherOrder(events, (i) => (i * 7_919 + pick * 104_729) % 101);
    expect(fold(other, asOf)).toEqual(fold(events, asOf));
    expect(fold(inAnotherOrder(events), today)).toEqual(fold(events, today));
  });

  everyLife('a return undoes its payment to the cent, and the quotes that counted it', (life, asOf, pick) => {
    const { events, today, policy } = life;
    const returned = new Set(events.flatMap((event) => (undoesPayment(event) ? [event.refId] : [])));
    const payments = events.filter((event) => event.type === 'paymentSubmitted' && !returned.has(event.refId));
    const payment = payments[pick % Math.max(1, payments.length)];
    if (payment?.type !== 'paymentSubmitted') return;
    const without = events.filter(
      (event) =>
        (!('refId' in event) || event.refId !== payment.refId) &&
        (event.type !== 'payoffQuoted' || event.recordedAt <= payment.recordedAt),
    );
    // With a late fee the day of recording matters, because the fee is assessed then. A return recorded at once changes nothing else.
    const recordedOn = policy.lateFee === null ? today : payment.date;
    const undone: LoanEvent = {
      type: pick % 2 === 0 ? 'paymentReturned' : 'paymentReversed',
      refId: payment.refId,
      date: today,
      recordedOn,
      recordedAt: `${today}T999999Z`,
    };
    // `month` says when something happened last: a return is something.
    const plain = ({ payments: all, quotes, month: _, ...rest }: Loan) => ({
      ...rest,
      quotes: quotes.filter(({ isVoid }) => !isVoid),
      payments: all.filter(({ refId }) => refId !== payment.refId),
    });
    for (const day of [asOf, today]) {
      expect(plain(fold([...events, undone], day))).toEqual(plain(fold(without, day)));
    }
  });

  everyLife('the payoff, paid on its date, leaves exactly zero, and the loan closes', ({ events, terms, today }) => {
    const loan = fold(events, today);
    const { payoff: owed } = payoff(loan);
    // With a quote for less, the excess is a credit.
    const promised = loan.quotes.some(
      ({ amount, received, goodThrough, isVoid }) => !isVoid && amount - received < owed && goodThrough >= today,
    );
    if (owed === 0 || promised) return;
    let history = events;
    const say = (command: Command) => {
      const answer = decide(history, command, { today, at: `${today}T999999Z` });
      if (isRefusal(answer)) throw new Error(answer.detail);
      history = [...history, ...answer.events];
      return answer.loan;
    };
    const paid = say({
      do: 'loan-repay',
      refId: 'z',
      amount: owed,
      date: null,
      purpose: 'installment',
      acceptOverpayment: false,
      reason: null,
    });
    expect(payoff(paid)).toMatchObject({ payoff: 0, principal: 0, interest: 0, fees: 0, credits: 0 });
    let last = paid;
    for (const { refId, status } of paid.payments) {
      if (status === 'Submitted') last = say({ do: 'acknowledge-repayment', refId });
    }
    expect(isClosed(last)).toBe(true);
    expect(['Closed', 'ClosedEarly']).toContain(statusOf(last));
    const moreToCome = terms.disbursements.some(({ date }) => date > today);
    if (!moreToCome) expect(payoff(fold(history, addDays(today, 400))).payoff).toBe(0);
  });

  everyLife(
    'insurance, sale and refund money leaves due dates and days past due alone',
    ({ events, today }, _, pick) => {
      leavesDatesAlone(fold(events, today), events, today, pick);
    },
  );

  everyLife('a loan that was charged off has nothing paid ahead', ({ events }, asOf) => {
    const loan = fold(events, asOf);
    if (loan.chargeOff !== null) expect(delinquency(loan).paidAhead).toBe(0);
  });

  everyLife('what a write changes is the difference between two folds of its day', ({ turns }) => {
    for (const { before, when, answer } of turns) {
      if (isRefusal(answer) || answer.changes === null) continue;
      const [was, is] = [fold(before, when.today), answer.loan];
      const changed = new Map(answer.changes.map((one) => [one.what, one]));
      for (const name of ['principal', 'interest', 'credit'] as const) {
        const one = changed.get(name);
        expect(one === undefined ? null : [one.before, one.after]).toEqual(
          was[name] === is[name] ? null : [was[name], is[name]],
        );
      }
      expect(changed.has('status')).toBe(statusOf(was) !== statusOf(is));
      expect(changed.has('lienRelease')).toBe(isClosed(was) && !isClosed(is));
    }
  });

  everyLife('a refusal changes nothing, is in the list, and is the same when repeated', ({ turns }) => {
    for (const { before, command, when, answer } of turns) {
      if (!isRefusal(answer)) continue;
      expect(REFUSALS).toContain(answer.refused);
      expect(answer.detail.length).toBeGreaterThan(0);
      const known = JSON.stringify(before);
      expect(decide(before, command, when)).toEqual(answer);
      expect(JSON.stringify(before)).toBe(known);
    }
  });

  everyLife('of several refusals the first in the list is the answer', ({ events, today }, _, pick) => {
    for (const { good, faults } of faultyCommands(fold(events, today), today)) {
      const refusalOf = (command: Command): RefusalCode | null => {
        const answer = decide(events, command, { today, at: `${today}T999999Z` });
        return isRefusal(answer) ? answer.refused : null;
      };
      // A fault can only be tested alone where nothing else is wrong.
      if (![null, 'wrong_status'].includes(refusalOf(good))) continue;
      const single = faults.map((fault) => refusalOf({ ...good, ...fault } as Command));
      const [a, b] = [pick % faults.length, Math.floor(pick / faults.length) % faults.length];
      const both = refusalOf({ ...good, ...faults[a], ...faults[b] } as Command);
      const rank = (code: RefusalCode | null | undefined) => (code ? REFUSALS.indexOf(code) : Number.POSITIVE_INFINITY);
      // Faults of the same member replace one another; then the second alone counts.
      const same = Object.keys(faults[a] ?? {}).some((member) => member in (faults[b] ?? {}));
      const expected = same ? rank(single[b]) : Math.min(rank(single[a]), rank(single[b]));
      expect(rank(both), `${good.do}: ${single[a]} and ${single[b]}`).toBe(expected);
    }
  });

  everyLife('a read of the past sees what was in effect by then', ({ events }, asOf) => {
    const paid = new Set(
      events.flatMap((event) => (event.type === 'paymentSubmitted' && event.date <= asOf ? [event.refId] : [])),
    );
    // A return or an acknowledgement belongs to its payment, whenever it was recorded.
    const inEffect = events.filter(
      (event) =>
        event.date <= asOf ||
        event.type === 'created' ||
        ((undoesPayment(event) || event.type === 'paymentAcknowledged') && paid.has(event.refId)),
    );
    expect(fold(inEffect, asOf)).toEqual(fold(events, asOf));
  });
});

/** Money for other purposes, and money after a charge-off, does not change days past due and due dates until nothing is owed. */
function leavesDatesAlone(loan: Loan, history: readonly LoanEvent[], today: PlainDate, pick: number): void {
  const before = delinquency(loan);
  const owed = loan.principal + loan.interest;
  const purpose = (['insurance', 'sale', 'productRefund', 'principal'] as const)[pick % 4] ?? 'sale';
  const amount = cents(Math.floor((owed * (1 + pick)) / 101));
  const most = purpose === 'principal' ? loan.principal : owed;
  if (loan.stage !== 'Funded' || amount === 0 || amount >= most) return;
  const at = `${today}T999999Z`;
  const event: LoanEvent = {
    type: 'paymentSubmitted',
    refId: 'zz',
    amount,
    purpose,
    date: today,
    recordedOn: today,
    recordedAt: at,
  };
  const quoted = loan.quotes.some(
    ({ isVoid, honouredOn, goodThrough }) => !isVoid && honouredOn === null && goodThrough >= today,
  );
  const after = fold([...history, event], today);
  if (quoted || after.credit < loan.credit) return;
  const late = delinquency(after);
  expect([late.daysPastDue, late.oldestDueDate]).toEqual([before.daysPastDue, before.oldestDueDate]);
  expect(after.installments.map(({ paid, dueDate }) => [paid, dueDate])).toEqual(
    loan.installments.map(({ paid, dueDate }) => [paid, dueDate]),
  );
}

/** Every account of the loan is the sum of its postings. */
function accountsTie(loan: Loan): void {
  const { totals, payments, fees, installments } = loan;
  for (const payment of payments) {
    const { amount, allocation, steps } = payment;
    const { fees: toFees, interest, principal, credit } = allocation;
    const whole = stayed(payment) ? amount : 0;
    expect(toFees + interest + principal + credit).toBe(whole);
    expect(sum(steps.map((step) => step.amount))).toBe(whole);
    const into = (part: string) =>
      sum(steps.filter(({ bucket }) => bucket.split('.').at(-1) === part).map((step) => step.amount));
    expect([into('interest'), into('principal'), into('credit')]).toEqual([interest, principal, credit]);
    expect(into('fee') + into('penalty')).toBe(toFees);
  }
  const counted = payments.filter(stayed);
  expect(totals.received).toBe(sum(counted.map(({ amount }) => amount)));
  expect(totals.received).toBe(totals.principalPaid + totals.interestPaid + totals.feesPaid + totals.credited);

  const opening = fees.find(({ feeId }) => feeId === 'opening')?.amount ?? 0;
  const open = openStretch(loan, loan.on)?.interest ?? 0;
  expect(loan.interest).toBe(
    totals.opened - opening + totals.interestAccrued + open - totals.interestPaid - totals.interestForgiven,
  );
  expect(totals.interestAccrued).toBe(sum(loan.stretches.map(({ interest }) => interest)));
  expect(feesOwed(loan)).toBe(opening + totals.feesAssessed - totals.feesPaid - totals.feesWaived);
  // A refund beyond the credit becomes principal; together with the credit it ties.
  expect(loan.principal - loan.credit).toBe(
    totals.disbursed - totals.principalPaid - totals.principalForgiven - totals.credited + totals.refunded,
  );
  const { disbursed, interestAccrued, feesAssessed, opened, received, refunded, feesWaived } = totals;
  const forgiven = totals.principalForgiven + totals.interestForgiven + feesWaived;
  expect(loan.principal + loan.interest + feesOwed(loan) - loan.credit).toBe(
    disbursed + interestAccrued + open + feesAssessed + opened + refunded - received - forgiven,
  );
  if (loan.openedOn === null) {
    const satisfying = counted.filter(({ purpose, recovery }) => purpose === 'installment' && !recovery);
    const given = sum(satisfying.map(({ allocation }) => allocation.interest + allocation.principal));
    expect(sum(installments.map(({ paid }) => paid))).toBeGreaterThanOrEqual(given);
  }
  for (const { paid, paidAhead, paidLate } of installments) expect(paidAhead + paidLate).toBeLessThanOrEqual(paid);
}

type Faulty = { good: Command; faults: Partial<Record<string, unknown>>[] };

/** Commands that could succeed, each with members that make it fail. */
function faultyCommands(loan: Loan, today: PlainDate): Faulty[] {
  const tomorrow = addDays(today, 1);
  const tooEarly = addDays(loan.terms?.disbursements[0]?.date ?? today, -1);
  const fee = loan.fees[0]?.feeId ?? 'none';
  const dates = [{ date: tomorrow }, { date: tooEarly }];
  return [
    {
      good: {
        do: 'loan-repay',
        refId: 'new',
        amount: cents(1),
        date: null,
        purpose: 'installment',
        acceptOverpayment: false,
        reason: null,
      },
      faults: [...dates, { amount: 0 }, { amount: MAX_CENTS }],
    },
    {
      good: { do: 'settle', quoteId: 'new', amount: cents(1), goodThrough: tomorrow, reason: 'hardship' },
      faults: [{ reason: '' }, { goodThrough: addDays(today, -1) }, { amount: 0 }, { amount: MAX_CENTS }],
    },
    {
      good: { do: 'assess-fee', feeId: 'new', kind: 'fee', name: 'fee', amount: cents(1), date: null },
      faults: [...dates, { amount: 0 }, { feeId: fee }],
    },
    {
      good: { do: 'waive-fee', feeId: fee, amount: null, reason: 'courtesy' },
      faults: [{ reason: '' }, { feeId: 'unknown' }, { amount: MAX_CENTS }],
    },
    {
      good: { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true },
      faults: [...dates, { periods: 0 }],
    },
    {
      good: { do: 'charge-off', date: null, reason: '120 days', collateral: cents(0) },
      faults: [...dates, { reason: '' }],
    },
    {
      good: { do: 'payoff-quotes', quoteId: 'new', date: today, goodThrough: tomorrow },
      faults: [{ date: addDays(today, -1) }, { goodThrough: addDays(today, -2) }],
    },
    { good: { do: 'refund-credit', refId: 'new', amount: cents(1) }, faults: [{ amount: 0 }, { amount: MAX_CENTS }] },
  ];
}

describe('a random schedule', () => {
  it('is the auditor’s, row by row, and its last installment clears the loan exactly', { timeout: TIMEOUT }, () => {
    const property = fc.property(anyTerms, (terms) => {
      const schedule = buildSchedule(terms);
      if (isRefusal(schedule)) throw new Error(schedule.detail);
      const { rows, totals } = schedule;
      const audited = scheduleOf(terms).map(({ n, due, payment, interest }) => [
        n,
        due,
        Number(payment),
        Number(interest),
      ]);
      expect(rows.map(({ n, dueDate, payment, interest }) => [n, dueDate, payment, interest])).toEqual(audited);
      for (const { payment, interest, principal, balance } of rows) {
        expect(payment).toBe(interest + principal);
        expect(Math.min(payment, interest, principal, balance)).toBeGreaterThanOrEqual(0);
      }
      expect(rows.at(-1)?.balance).toBe(0);
      expect(totals.principal).toBe(sum(terms.disbursements.map(({ amount }) => amount)));
      expect(totals).toEqual({
        payment: sum(rows.map(({ payment }) => payment)),
        interest: sum(rows.map(({ interest }) => interest)),
        principal: sum(rows.map(({ principal }) => principal)),
      });
    });
    fc.assert(property, { numRuns: LIVES * 2, seed: SEED });
  });
});
