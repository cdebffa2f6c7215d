import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { BUCKETS } from '../core/delinquency.ts';
import { forecast } from '../core/forecast.ts';
import { GRADES } from '../core/grade.ts';
import { cents } from '../core/money.ts';
import { percent } from '../core/rate.ts';
import { recoveryOf } from './collateral.ts';
import { type LossGroup, openLossEstimator } from './expected-loss.ts';
import { MODELS } from './model-data.ts';
import { hazardsAlong, hazardsOf, inForce } from './score.ts';

const TODAY = date('2026-10-31');
const AVERAGE = [{ fromMonth: 1, unemployment: percent('4.5'), cpi: percent('2.5') }];
const at = (unemployment: string) => [{ fromMonth: 1, unemployment: percent(unemployment), cpi: percent('2.5') }];
const group = (more: Partial<LossGroup> = {}): LossGroup => ({
  ...{ grade: 'C', bucket: 'current', age: 12, remaining: 48, rate: 12, principal: 16_000_00, original: 20_000_00 },
  ...more,
});
const loss = (more: Partial<LossGroup>, path = { horizon: 24, reversion: 12, macro: AVERAGE }) =>
  openLossEstimator(TODAY, path).expectedLoss(group(more)).millionths;

describe('the expected loss of a group', () => {
  test('is the net loss of the forecast of its typical loan, by the same hazards and the same recovery', () => {
    const model = inForce(MODELS, TODAY);
    // Without grade the odds are the model's reference, in an economy at its references: no log-odds at all but for the incentive to prepay.
    const [months, age, amount] = [24, 12, 10_000_00];
    const vehicle = { value: 20_000_00, age: 3, mileage: 40_000 };
    const whole = recoveryOf(model.collateral, model.chargeOffLagMonths, vehicle, age + months);
    const principal = amount / 25;
    const installments = Array.from({ length: months }, (_, i) => {
      const dueDate = date(`${2026 + Math.floor((10 + i) / 12)}-${String(((10 + i) % 12) + 1).padStart(2, '0')}-28`);
      return {
        dueDate,
        interest: cents(0),
        principal: cents(i === months - 1 ? amount - principal * (months - 1) : principal),
      };
    });
    const even = installments.map((one, i) => {
      const upTo = (n: number) => Math.round((amount * n) / months);
      return { ...one, principal: cents(upTo(i + 1) - upTo(i)) };
    });
    // A rate of zero is as far below the market as counts.
    const prepay = model.prepay.incentive.perPointBelow * model.prepay.incentive.low;
    const { totals } = forecast(
      {
        ...{ amount: cents(amount), start: TODAY, installments: even },
        ...{ chargeOffLagMonths: model.chargeOffLagMonths, servicingFeePercent: 0 },
        recovery: { ...whole, proceeds: whole.proceeds.slice(age) },
      },
      hazardsOf(model, { default: 0, prepay }, months, age),
    );
    const found = loss({ grade: null, age, remaining: months, rate: 0, principal: amount, original: 20_000_00 });
    expect(totals.netLoss).toBeGreaterThan(1_000);
    expect(Math.abs((found * amount) / 1e6 - totals.netLoss)).toBeLessThan(3);
  });

  test('rises with the grade and with the days past due, and is a share', () => {
    const byGrade = GRADES.map((grade) => loss({ grade }));
    const byBucket = BUCKETS.map((bucket) => loss({ bucket }));
    for (const list of [byGrade, byBucket]) {
      expect(list.every((one, i) => one > 0 && one <= 1e6 && (i === 0 || one > (list[i - 1] as number)))).toBe(true);
    }
  });

  test('comes month by month, up to all of it; of loans that are long past due at once', () => {
    const { byMonth, millionths } = openLossEstimator(TODAY, {
      horizon: 24,
      reversion: 12,
      macro: AVERAGE,
    }).expectedLoss(group({ bucket: '120+' }));
    expect(Math.round((byMonth.at(-1) as number) * 1e6)).toBe(millionths);
    expect(byMonth[0]).toBeGreaterThan(0.9);
    const current = openLossEstimator(TODAY, { horizon: 24, reversion: 12, macro: AVERAGE }).expectedLoss(group());
    expect(current.byMonth.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(current.byMonth[4]).toBeGreaterThan(0);
  });

  test('follows the path of the policy over its horizon, and returns evenly to the average of the model', () => {
    const short = { horizon: 6, reversion: 0, macro: at('12') };
    const [average, sixMonths, year, life] = [
      loss({}),
      loss({}, short),
      loss({}, { ...short, reversion: 6 }),
      loss({}, { horizon: 120, reversion: 0, macro: at('12') }),
    ] as const;
    expect([average < sixMonths, sixMonths < year, year < life]).toEqual([true, true, true]);
    // With no horizon the path does not count.
    expect(loss({}, { horizon: 0, reversion: 0, macro: at('12') })).toBe(average);
    const later = [...AVERAGE, { fromMonth: 4, unemployment: percent('12'), cpi: percent('2.5') }];
    const fromFour = loss({}, { ...short, macro: later });
    expect(fromFour).toBeGreaterThan(average);
    expect(fromFour).toBeLessThan(sixMonths);
  });
});

test('hazards along a path are those of one economy where it is the same every month', () => {
  const model = inForce(MODELS, TODAY);
  const along = hazardsAlong(model, { default: new Array(30).fill(0.4), prepay: 0.1 }, 7);
  expect(along).toEqual(hazardsOf(model, { default: 0.4, prepay: 0.1 }, 30, 7));
});
