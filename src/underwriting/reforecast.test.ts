import { describe, expect, test } from 'vitest';
import { contractOf, live, money } from '../../test/support/life.ts';
import { bringsAt } from '../../test/support/underwriting/book.ts';
import { columnSum, readCashflows } from '../../test/support/underwriting/cashflows.ts';
import { addMonths, date } from '../core/calendar.ts';
import { riskRatingOf } from '../core/grade.ts';
import type { Loan } from '../core/loan.ts';
import { percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { inEconomy } from './macro.ts';
import { MODELS } from './model-data.ts';
import type { LendingPolicy } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { type Reforecast, type ReforecastInput, reforecast } from './reforecast.ts';
import { hazardsOf, lifetimeDefault, type Model } from './score.ts';

const model = MODELS[0] as Model;
const LENDER = POLICIES[0] as LendingPolicy;

/** 24,000.00 at 9 % over 48 months from 1 January 2026. */
const CONTRACT = contractOf({ amount: money('24000'), rate: percent('9'), count: 48, dayCount: 'actual/365' });
const PAYMENT = '597.15';
const KNOWN: ReforecastInput = {
  defaultProbability: 0.05,
  grade: null,
  ltv: 1,
  vehicleAge: 3,
  mileage: 40_000,
  policy: inEconomy(LENDER, date('2026-01-01'), { unemployment: 4.5, cpi: 2.5, fedRate: 4 }),
};

/** Funded, with `count` installments paid on their due dates. */
function paid(count: number) {
  const life = live(CONTRACT).fund();
  for (let n = 1; n <= count; n++) life.pay(addMonths(date('2026-01-01'), n), PAYMENT, `p${n}`);
  return life;
}

function ahead(loan: Loan, change: Partial<ReforecastInput> = {}): Reforecast {
  const found = reforecast(loan, { ...KNOWN, ...change });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

describe('a new loan', () => {
  const found = ahead(paid(0).loan('2026-01-01'));

  test('has the default probability it began with, recovered from the model', () => {
    // Rates are hundredths, and so early payment moves in small steps: within a thousandth of the probability.
    for (const defaultProbability of [0.01, 0.05, 0.12, 0.3]) {
      const again = ahead(paid(0).loan('2026-01-01'), { defaultProbability }).defaultProbability;
      expect(Math.abs(again / defaultProbability - 1), String(defaultProbability)).toBeLessThan(0.002);
    }
  });

  test('keeps the person’s grade; without one it follows from the default probability', () => {
    for (const grade of ['A', 'B', 'D', 'F'] as const) {
      const graded = ahead(paid(0).loan('2026-01-01'), { grade });
      expect([graded.grade, graded.riskRating]).toEqual([grade, riskRatingOf(grade)]);
    }
    const grades = [0.002, 0.03, 0.1, 0.5].map(
      (defaultProbability) => ahead(paid(0).loan('2026-01-01'), { defaultProbability }).grade,
    );
    expect(grades).toEqual([...grades].sort());
    expect([grades[0], grades.at(-1)]).toEqual(['A', 'F']);
  });

  test('pays all its installments, and its totals are the sums of its rows', () => {
    const { totals } = found.forecast;
    expect(found.balance).toBe(money('24000'));
    expect(totals.principalPaid + totals.chargedOff).toBe(money('24000'));
    const block = readCashflows(found.cashflowsCsv).blocks[0];
    if (block === undefined) throw new Error('There are no rows.');
    expect(columnSum(block, 'PrincipalPaid')).toBe(totals.principalPaid);
    expect(columnSum(block, 'FairValue')).toBe(found.price.fairValue);
    expect(Number(found.figures.predictedGrossCashflow) * 100).toBeCloseTo(totals.totalPaid, 6);
  });
});

describe('a seasoned loan', () => {
  const young = ahead(paid(6).loan('2026-07-01'));
  const old = ahead(paid(36).loan('2029-01-01'));

  test('has less left to pay, and a lower default probability', () => {
    expect(old.balance).toBeLessThan(young.balance);
    expect(old.defaultProbability).toBeLessThan(young.defaultProbability);
    const { saleLagMonths, collectionLagMonths } = model.collateral;
    const after = model.chargeOffLagMonths + Math.max(saleLagMonths, collectionLagMonths);
    expect(old.forecast.rows.length).toBe(1 + 12 + after);
    expect(old.forecast.totals.principalPaid + old.forecast.totals.chargedOff).toBe(old.balance);
  });

  test('has the hazards of its remaining months: those of its fourth year, not of a first', () => {
    // Without incentive early payment has its usual speed at any rate.
    const none = { perPoint: { A: 0, B: 0, C: 0, D: 0, E: 0, F: 0 }, perPointBelow: 0 };
    const plain = { ...model, prepay: { ...model.prepay, incentive: { ...model.prepay.incentive, ...none } } };
    const logOdds = { default: 0.4, prepay: 0 };
    const defaultProbability = lifetimeDefault(hazardsOf(plain, logOdds, 48));
    const fourth = lifetimeDefault(hazardsOf(plain, logOdds, 12, 36));
    const found = ahead(paid(36).loan('2029-01-01'), { defaultProbability, model: plain });
    expect(found.defaultProbability).toBeCloseTo(fourth, 5);
  });

  test('recovers what its vehicle brings by then: less in months to come, and the less the more it has been driven', () => {
    const recovered = (change: Partial<ReforecastInput>) => {
      const { totals } = ahead(paid(24).loan('2028-01-01'), change).forecast;
      return totals.recovered / totals.chargedOff;
    };
    expect(recovered({ mileage: 120_000 })).toBeLessThan(recovered({}));
    expect(recovered({ vehicleAge: 9 })).toBeLessThan(recovered({}));
    expect(recovered({ ltv: 1.3 })).toBeLessThan(recovered({}));
    expect(recovered({ ltv: 0.7 })).toBeGreaterThanOrEqual(recovered({}));
  });

  test('is worth about its balance while its rate is about the required yield', () => {
    expect(young.price.fairValue / young.balance).toBeGreaterThan(0.95);
    expect(young.price.fairValue / young.balance).toBeLessThan(1.1);
  });

  test('starts from the given day, also between two installments', () => {
    const between = ahead(paid(6).loan('2026-07-19'));
    expect(between.asOf).toBe('2026-07-19');
    expect(between.forecast.rows[0]?.date).toBe('2026-07-19');
    // The next installment is in the first month, with the interest of 31 days.
    expect(between.forecast.rows[1]?.scheduledInterest).toBeGreaterThan(0);
  });
});

describe('what changed since', () => {
  const current = paid(6).loan('2026-07-01');

  test('the more days past due, the likelier the loss and the lower the value', () => {
    const life = paid(6);
    const days = ['2026-07-01', '2026-08-11', '2026-09-15', '2026-10-15', '2026-11-15', '2026-12-20'];
    const all = days.map((day) => ahead(life.loan(day)));
    const probabilities = all.map(({ defaultProbability }) => defaultProbability);
    expect(probabilities).toEqual([...probabilities].sort((a, b) => a - b));
    expect(probabilities.at(-1)).toBeGreaterThan(0.8);
    const grades = days.map((day) => ahead(life.loan(day), { grade: 'B' }).grade);
    expect(grades).toEqual([...grades].sort());
    expect([grades[0], grades.at(-1)]).toEqual(['B', 'F']);
    const values = all.map(({ price, balance }) => price.fairValue / balance);
    expect(values.at(-1)).toBeLessThan((values[0] as number) * 0.7);
  });

  test('a few days late change nothing; years late, also past the last installment, leave only what the car brings', () => {
    const life = paid(6);
    expect(ahead(life.loan('2026-08-10')).grade).toBe(ahead(life.loan('2026-07-01')).grade);
    const near = ahead(life.loan('2026-08-14'));
    const punctual = ahead(paid(7).loan('2026-08-14'));
    expect(near.defaultProbability).toBeCloseTo(punctual.defaultProbability, 2);
    for (const day of ['2027-06-01', '2029-01-01', '2031-06-01']) {
      const found = ahead(life.loan(day));
      expect(found.grade).toBe('F');
      expect(found.defaultProbability).toBeGreaterThan(0.94);
      expect(found.price.fairValue / found.balance).toBeLessThan(0.7);
    }
  });

  test('more unemployment than when it began makes it riskier, a higher central bank rate makes it worth less', () => {
    const then = ahead(current);
    const { policy } = KNOWN;
    if (policy === undefined) throw new Error('No policy.');
    const [row] = policy.macro as [LendingPolicy['macro'][number]];
    const [curve] = policy.funds as [LendingPolicy['funds'][number]];
    const since = date('2026-02-01');
    const macro = [row, { ...row, from: since, unemployment: 9 }];
    const crisis = ahead(current, { policy: { ...policy, macro } });
    expect(crisis.defaultProbability).toBeGreaterThan(then.defaultProbability);
    const points = curve.points.map(({ months, percent: rate }) => ({ months, percent: rate + 4 }));
    const dear = ahead(current, { policy: { ...policy, funds: [...policy.funds, { ...curve, from: since, points }] } });
    expect(dear.price.fairValue).toBeLessThan(then.price.fairValue);
  });

  test('a higher default probability at the start gives a higher one now', () => {
    const risks = [0.01, 0.05, 0.2, 0.6].map(
      (defaultProbability) => ahead(current, { defaultProbability }).defaultProbability,
    );
    expect(risks).toEqual([...risks].sort((a, b) => a - b));
  });

  test('unknown values are those of the reference loan, never zero', () => {
    const unknown = ahead(current, {
      defaultProbability: null,
      ltv: null,
      vehicleAge: null,
    });
    expect(unknown.defaultProbability).toBeGreaterThan(0);
    expect(JSON.stringify(unknown)).not.toMatch(/NaN|Infinity|null/);
  });
});

describe('ends', () => {
  test('a loan that is not funded has nothing to forecast', () => {
    const found = reforecast(live(CONTRACT).create('2026-01-01').loan('2026-01-01'), KNOWN);
    expect(isRefusal(found) && found.refused).toBe('wrong_status');
  });

  test('a paid-off loan has no further cash flows', () => {
    const life = paid(6);
    life.pay('2026-07-01', '21600.00', 'all', { acceptOverpayment: true });
    const found = ahead(life.loan('2026-07-01'));
    expect([found.balance, found.forecast.totals.totalPaid, found.price.fairValue]).toEqual([0, 0, 0]);
    expect(found.defaultProbability).toBe(0);
  });

  test('a charged-off loan has only its remaining recoveries', () => {
    const life = paid(6);
    const { principal } = life.loan('2027-01-31');
    life.take('2027-01-31', {
      do: 'charge-off',
      date: date('2027-01-31'),
      reason: 'x',
      collateral: money('0'),
    } as never);
    const found = ahead(life.loan('2027-02-15'), { grade: 'A' });
    // It was charged off in the month after the twelfth, for a default four months before, and its car is sold two months later.
    const { collateral } = model;
    const brings = bringsAt(collateral, { value: 24_000_00, age: 3, mileage: 40_000 }, 12);
    const sale = Math.round(collateral.foundShare * Math.min(principal, brings));
    const collected = Math.round((principal - sale) * collateral.collectedShare);
    expect(found.forecast.totals.recovered).toBe(sale + collected);
    const received = found.forecast.rows.filter(({ recovered }) => recovered > 0);
    expect(received.map(({ month, recovered }) => [month, recovered])).toEqual([
      [collateral.saleLagMonths, sale],
      [collateral.collectionLagMonths, collected],
    ]);
    expect(found.grade).toBe('F');
    // Fourteen months after the charge-off the sale is a year overdue, and another ten months later what is collected, too.
    const later = (day: string) => ahead(life.loan(day)).forecast.totals.recovered;
    expect(later('2028-03-15')).toBe(sale + collected);
    expect(later('2028-04-15')).toBe(collected);
    expect(later('2029-02-15')).toBe(0);
  });

  test('a loan past its last installment owes the remaining balance at once', () => {
    const found = ahead(paid(40).loan('2030-06-01'));
    expect(found.forecast.rows[1]?.scheduledPrincipal).toBe(found.balance);
    expect(found.forecast.totals.principalPaid + found.forecast.totals.chargedOff).toBe(found.balance);
  });
});
