import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFigures, type Figures, inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { between, byTheBook } from '../../test/support/underwriting/book.ts';
import { sheetOf } from '../../test/support/underwriting/deals.ts';
import { date } from '../core/calendar.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import { percent } from '../core/rate.ts';
import { recoveryOf } from './collateral.ts';
import { MODELS } from './model-data.ts';
import { highestRateIn, type LendingPolicy, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { type Costs, costsFor, type Lender, type Risk, type Sheet, sheetFor } from './rate-sheet.ts';
import type { Model } from './score.ts';

const model = MODELS[0] as Model;
const policy = POLICIES[0] as LendingPolicy;
const TODAY = date('2026-01-15');
const LENDER: Lender = { model, policy, today: TODAY, states: [], markupCap: null };
const VEHICLE = { value: 22_000_00, age: 4, mileage: 52_000 };
const RUNS = Number(process.env.APPLICANTS ?? (process.env.TEST_LONG ? 2_000 : 40));
const OPTIONS = { timeout: 60_000 + RUNS * 400 };

/** The costs of the best risks of a grade: the policy's own figures. */
function costsOf(grade: Grade): Costs {
  const { servicingPercent, capitalPercent, hurdlePoints, shortestMonths } = policy.pricing[grade];
  const capital = Math.round(capitalPercent * policy.targetReturnPoints);
  return { servicing: hundredths(servicingPercent), capital, hurdle: hundredths(hurdlePoints), shortestMonths };
}

function riskOf(logOdds: number, change: Partial<Risk> = {}): Risk {
  const recovery = recoveryOf(model.collateral, model.chargeOffLagMonths, VEHICLE, 120);
  const plain = { amount: 20_000_00, term: 60, balloon: 0, deferredMonths: 0, interestOnlyMonths: 0 } as const;
  return { ...plain, costs: costsOf('C'), recovery, logOddsAt: () => logOdds, ...change };
}

const hundredths = (rate: number) => Math.round(rate * 100);
const addUp = ({ parts }: Sheet) => Object.values(parts).reduce((sum, part) => sum + hundredths(part), 0);

/** The cost of the lender's money for a term, by hand from the data: the curve of the day, and the return on capital. */
function requiredFor(term: number, { capital }: Costs) {
  const points = policy.funds.findLast(({ from }) => from <= TODAY)?.points ?? [];
  const funds = between(
    points.map((point) => [point.months, point.percent]),
    term * policy.averageLifeShare,
  );
  return Math.round(funds * 100) / 100 + capital / 100;
}

/** The worth of a loan at a rate, by plain sums over its months. */
function worthByHand(rate: number, term: number, logOdds: number, { amount, costs }: Risk): number {
  const monthly = rate / 1200;
  const payment = (amount * monthly) / (1 - (1 + monthly) ** -term);
  const [interest, principal]: [number[], number[]] = [[], []];
  let owed = amount;
  for (let month = 1; month <= term; month++) {
    interest.push(owed * monthly);
    principal.push(month === term ? owed : payment - owed * monthly);
    owed -= principal.at(-1) as number;
  }
  const flows = byTheBook(
    model,
    { others: logOdds, deal: 0, prepay: 0, aboveMarket: 0, grade: 'A' },
    { amount, interest, principal },
    { vehicle: VEHICLE, feePercent: costs.servicing / 100 },
  );
  const step = 1 + requiredFor(term, costs) / 1200;
  let worth = 0;
  for (let month = 1; month < flows.fee.length; month++) {
    const of = (column: keyof typeof flows) => flows[column][month] as number;
    worth += (of('principal') + of('prepaid') + of('interest') + of('recovered') - of('fee')) / step ** month;
  }
  return worth;
}

describe('the buy rate', () => {
  test.each([
    [-1.5, 'A', 60],
    [0, 'B', 36],
    [0.5, 'C', 72],
    [1.2, 'D', 48],
    [2, 'F', 60],
    [1, 'C', 84],
    [1, 'C', 41],
  ] as const)(
    'is the lowest hundredth at which the loan is worth what is lent: log-odds %d, grade %s, %d months',
    (logOdds, grade, term) => {
      const risk = riskOf(logOdds, { costs: costsOf(grade), term });
      const sheet = sheetFor(risk, LENDER);
      const net = (hundredths(sheet.uncappedRate) - hundredths(policy.acquisition.ratePercent)) / 100;
      // No longer term costs less than a shorter one: each of the sheet's terms up to this one is worth the loan, and one of them just.
      const terms = policy.terms.filter((_, i) => i === 0 || (policy.terms[i - 1] as number) < term);
      const slack = risk.amount * 1e-9;
      for (const one of terms) {
        expect(worthByHand(net, one, logOdds, risk), `${one} months`).toBeGreaterThanOrEqual(risk.amount - slack);
      }
      const least = Math.min(...terms.map((one) => worthByHand(net - 0.01, one, logOdds, risk)));
      expect(least).toBeLessThan(risk.amount);
    },
  );

  test('without losses is what funds, servicing, capital and acquisition cost, to the hundredth', () => {
    for (const grade of GRADES) {
      for (const term of [12, 36, 60, 84]) {
        const sheet = sheetFor(riskOf(-60, { costs: costsOf(grade), term }), LENDER);
        expect(sheet.parts.loss, `${grade} ${term}`).toBe(0);
        const { servicingPercent } = policy.pricing[grade];
        // A shorter term may have dearer money, and no longer one costs less.
        const required = Math.max(
          ...policy.terms.filter((one) => one <= term).map((one) => requiredFor(one, costsOf(grade))),
        );
        const all = required + servicingPercent + policy.acquisition.ratePercent;
        expect(hundredths(sheet.uncappedRate), `${grade} ${term}`).toBe(hundredths(all));
      }
    }
  });

  test('has parts that add up to it, with the cap or without', OPTIONS, () => {
    const property = fc.property(anyFigures, (figures) => {
      const sheet = sheetOf(figures);
      expect(addUp(sheet)).toBe(hundredths(sheet.uncappedRate));
      expect(Math.min(...Object.values(sheet.parts))).toBeGreaterThanOrEqual(0);
      expect(sheet.buyRate).toBeLessThanOrEqual(sheet.uncappedRate);
      expect(sheet.highestOffer).toBeGreaterThanOrEqual(sheet.buyRate);
    });
    fc.assert(property, { numRuns: RUNS, seed: 1 });
  });
});

describe('never falls', () => {
  const never = (name: string, worse: (figures: Figures) => Figures | null) => {
    test(name, OPTIONS, () => {
      const property = fc.property(anyFigures, (figures) => {
        const changed = worse(figures);
        if (changed === null) return;
        expect(sheetOf(changed).uncappedRate).toBeGreaterThanOrEqual(sheetOf(figures).uncappedRate);
      });
      fc.assert(property, { numRuns: RUNS, seed: 2 });
    });
  };
  never('when the score falls', (figures) =>
    figures.hit && figures.score !== null ? { ...figures, score: Math.max(300, figures.score - 20) } : null,
  );
  never('when the vehicle is worth less', (figures) =>
    figures.value * figures.ltv < 300_00
      ? null
      : { ...figures, value: figures.value / 2, ltv: figures.ltv * 2, products: 0 },
  );
  never('when more is lent on it', (figures) => ({ ...figures, ltv: figures.ltv + 10, products: 0 }));
  never('when the vehicle is older', (figures) => ({ ...figures, vehicleAge: figures.vehicleAge + 1 }));
  never('when it has been driven more', (figures) => ({ ...figures, mileage: figures.mileage + 15_000 }));

  test('when the term is longer, by any whole month from 6 to 96', OPTIONS, () => {
    const property = fc.property(anyFigures, (figures) => {
      const { contract } = inputOf({ ...figures, frequency: 'Monthly' });
      let before = 0;
      for (let term = 6; term <= 96; term++) {
        const { uncappedRate } = sheetOf(figures, { term, contract: { ...contract, count: term } });
        if (uncappedRate < before) throw new Error(`${term} months cost ${uncappedRate}, not at least ${before}.`);
        before = uncappedRate;
      }
    });
    fc.assert(property, { numRuns: Math.ceil(RUNS / 20), seed: 3 });
  });
});

describe('what a risk costs beside its losses', () => {
  const at = (risk: number) => costsFor(LENDER, risk);

  test('begins with the figures of the grade and rises evenly to those of the next; the worst grade has one figure', () => {
    const bounds = GRADES.map((_, i) => (i === 0 ? 0 : model.grades[GRADES[i - 1] as Grade]));
    for (const [i, grade] of GRADES.entries()) {
      const [own, next] = [costsOf(grade), costsOf(GRADES[i + 1] ?? 'F')];
      expect(at(bounds[i] as number)).toEqual(own);
      const end = grade === 'F' ? 1 : model.grades[grade];
      expect(at(end)).toEqual(next);
      const middle = at(((bounds[i] as number) + end) / 2);
      expect(middle.servicing).toBe(Math.ceil((own.servicing + next.servicing) / 2 - 1e-9));
      expect(middle.capital).toBe(Math.ceil((own.capital + next.capital) / 2 - 1e-9));
      expect(middle.hurdle).toBe(Math.floor((own.hurdle + next.hurdle) / 2 + 1e-9));
      expect(middle.shortestMonths).toBeCloseTo((own.shortestMonths + next.shortestMonths) / 2, 9);
    }
  });

  test('never falls with the risk, and has no steps', () => {
    let before = at(0);
    for (let risk = 0; risk <= 0.5; risk += 0.0005) {
      const now = at(risk);
      expect(now.servicing).toBeGreaterThanOrEqual(before.servicing);
      expect(now.hurdle).toBeGreaterThanOrEqual(before.hurdle);
      expect(now.hurdle).toBeLessThanOrEqual(now.capital);
      expect(now.shortestMonths).toBeGreaterThanOrEqual(before.shortestMonths);
      expect(now.capital + now.servicing - before.capital - before.servicing).toBeLessThanOrEqual(3);
      before = now;
    }
  });
});

describe('a short loan', () => {
  const at = (grade: Grade, term: number, costs: Partial<Costs> = {}) =>
    sheetFor(riskOf(2, { costs: { ...costsOf(grade), ...costs }, term }), LENDER);

  test('to a subprime borrower costs no less than a longer one, and to a prime one what it costs by itself', () => {
    for (const grade of ['E', 'F'] as const) {
      const longer = at(grade, 36);
      for (const term of [12, 18, 24, 36]) {
        expect(at(grade, term).uncappedRate, `${grade} ${term}`).toBe(longer.uncappedRate);
      }
      expect(longer.parts.shortTerm).toBe(0);
      // By its own losses alone it would cost less.
      const alone = at(grade, 12, { shortestMonths: 12 });
      expect(alone.uncappedRate).toBeLessThan(longer.uncappedRate - 0.5);
      expect(hundredths(at(grade, 12).parts.shortTerm)).toBe(
        hundredths(longer.uncappedRate) - hundredths(alone.uncappedRate),
      );
    }
    for (const grade of ['A', 'B', 'C'] as const) expect(at(grade, 12).parts.shortTerm, grade).toBe(0);
  });

  test('between two terms of the sheet pays its share of the way, without a step', () => {
    const rates = Array.from({ length: 25 }, (_, i) => at('D', 12, { shortestMonths: 12 + i }).uncappedRate);
    expect(rates[0]).toBe(at('D', 12, { shortestMonths: 12 }).uncappedRate);
    expect(rates[24]).toBe(at('D', 36).uncappedRate);
    const steps = rates.slice(1).map((rate, i) => hundredths(rate) - hundredths(rates[i] as number));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...steps)).toBeLessThan(25);
  });

  test('stays below the cap of the state', () => {
    const risk = riskOf(3.5, { costs: costsOf('F'), term: 12 });
    expect(sheetFor(risk, { ...LENDER, states: ['NY'] }).buyRate).toBe(16);
  });
});

describe('bounds', () => {
  const RISKY = riskOf(3.5, { costs: costsOf('F') });

  test('the state’s cap holds the rate down, and the sheet says what this risk pays elsewhere', () => {
    const free = sheetFor(RISKY, LENDER);
    for (const states of [['NY'], ['AR'], ['TX'], []]) {
      const sheet = sheetFor(RISKY, { ...LENDER, states });
      const highest = highestRateIn(policy, states, TODAY);
      expect(sheet.buyRate).toBe(Math.min(highest, free.uncappedRate));
      expect(sheet.highestOffer).toBeLessThanOrEqual(highest);
      expect(sheet.uncappedRate).toBe(free.uncappedRate);
    }
    expect(sheetFor(RISKY, { ...LENDER, states: ['NY'] }).buyRate).toBe(16);
  });

  test('a dealer may add what the policy allows for the term', () => {
    for (const { upToMonths, points } of policy.dealer.markup) {
      const { buyRate, highestOffer } = sheetFor(riskOf(-1, { term: Math.min(84, upToMonths) }), LENDER);
      expect(hundredths(highestOffer) - hundredths(buyRate)).toBe(hundredths(points));
    }
  });

  test('the lender’s cap on markups also limits what may be added', () => {
    const sheet = sheetFor(riskOf(0), { ...LENDER, markupCap: 1.25 });
    expect(hundredths(sheet.markupCap ?? 0) - hundredths(sheet.buyRate)).toBe(125);
    expect(sheet.highestOffer).toBe(sheet.markupCap);
    const wide = sheetFor(riskOf(0), { ...LENDER, markupCap: 9 });
    expect(wide.highestOffer).toBe(sheetFor(riskOf(0), LENDER).highestOffer);
    expect(sheetFor(riskOf(0), LENDER).markupCap).toBeNull();
  });
});

describe('the cost of funds', () => {
  test('is that of the day’s curve', () => {
    const funds = (day: string) => sheetFor(riskOf(0), { ...LENDER, today: date(day) }).parts.funds;
    const years = ['2021-06-01', '2023-06-01', '2026-06-01'];
    for (const day of years) {
      const points = policy.funds.findLast(({ from }) => from <= day)?.points ?? [];
      const all = policy.terms
        .filter((term) => term <= 60)
        .map((term) =>
          between(
            points.map((point) => [point.months, point.percent]),
            term * policy.averageLifeShare,
          ),
        );
      // The figure of one of the sheet's terms: the one that costs most.
      expect(all.map((percentage) => Math.round(percentage * 100) / 100)).toContain(funds(day));
    }
    expect(new Set(years.map(funds)).size).toBe(3);
  });

  test('moves with the central bank’s rate of another economy, point for point', () => {
    const usual = macroOn(policy, inputOf(ORDINARY).today);
    const at = (fedRate: number) => sheetOf({ ...ORDINARY, macro: { ...usual, fedRate } });
    const moved = hundredths(at(usual.fedRate + 1).parts.funds) - hundredths(at(usual.fedRate).parts.funds);
    expect(moved).toBe(100);
    expect(at(usual.fedRate + 1).buyRate).toBeGreaterThan(at(usual.fedRate).buyRate);
    expect(at(usual.fedRate)).toEqual(sheetOf({ ...ORDINARY, macro: null }));
    // Also where money costs more than any rate: no part is negative, and they still add up.
    for (const fedRate of [90, 100]) {
      const sheet = at(fedRate);
      for (const part of Object.values(sheet.parts)) expect(part).toBeGreaterThanOrEqual(0);
      expect(addUp(sheet)).toBe(hundredths(sheet.uncappedRate));
    }
  });
});

test('does not depend on the requested rate', () => {
  const { contract } = inputOf(ORDINARY);
  const at = (rate: string) => sheetOf(ORDINARY, { contract: { ...contract, rate: percent(rate) } });
  expect(at('0')).toEqual(at('29.99'));
});
