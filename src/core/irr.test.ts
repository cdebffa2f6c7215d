import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, date, type PlainDate } from './calendar.ts';
import { parseExactDecimal } from './decimal.ts';
import { datedIrr, irr, presentValue } from './irr.ts';
import { isRefusal, type Refusal } from './refusal.ts';

function decimal(text: string | number) {
  const parsed = parseExactDecimal(String(text));
  if (parsed === null) throw new Error(`no decimal: ${text}`);
  return parsed;
}

function percentOf(answer: { irrPercent: string } | Refusal): string {
  if (isRefusal(answer)) throw new Error(answer.detail);
  return answer.irrPercent;
}

const periodic = (amounts: readonly (string | number)[], perYear = 1) => percentOf(irr(amounts.map(decimal), perYear));
const flowsOf = (flows: readonly (readonly [number | string, string])[]) =>
  flows.map(([amount, day]) => ({ date: date(day), amount: decimal(amount) }));
const dated = (flows: readonly (readonly [number | string, string])[]) => percentOf(datedIrr(flowsOf(flows)));

/** The Microsoft and OpenDocument example for XIRR and XNPV. */
const XIRR_EXAMPLE = [
  [-10_000, '2008-01-01'],
  [2_750, '2008-03-01'],
  [4_250, '2008-10-30'],
  [3_250, '2009-02-15'],
  [2_750, '2009-04-01'],
] as const;

describe('irr', () => {
  test('spreadsheet documentation, IRR: -70,000 12,000 15,000 18,000 21,000 26,000 is 8.66 %', () => {
    expect(periodic([-70_000, 12_000, 15_000, 18_000, 21_000, 26_000])).toMatch(/^8\.66/);
  });

  test('spreadsheet documentation, IRR: after four years -2.1 %, after two years -44.4 %', () => {
    expect(periodic([-70_000, 12_000, 15_000, 18_000, 21_000])).toMatch(/^-2\.12/);
    expect(periodic([-70_000, 12_000, 15_000])).toMatch(/^-44\.35/);
  });

  test('spreadsheet documentation, RATE: 48 payments of 200 on 8,000 are 9.24 % a year', () => {
    expect(periodic([-8_000, ...new Array(48).fill(200)], 12)).toMatch(/^9\.24/);
  });

  test('numpy-financial documentation, irr', () => {
    const rounded = (amounts: number[]) => Number(periodic(amounts)).toFixed(3);
    expect(rounded([-100, 39, 59, 55, 20])).toBe('28.095');
    expect(rounded([-100, 0, 0, 74])).toBe('-9.550');
    expect(rounded([-100, 100, 0, -7])).toBe('-8.330');
    expect(rounded([-100, 100, 0, 7])).toBe('6.206');
    expect(rounded([-5, 10.5, 1, -8, 1])).toBe('8.860');
  });

  test('nominal: the rate of a period × the periods of a year', () => {
    expect(periodic([-100, 101], 12)).toBe('12.0000000000');
    expect(periodic([-100, 100], 12)).toBe('0.0000000000');
    expect(periodic(['-0.0000001', '0.00000011'])).toBe('10.0000000000');
  });

  test('a tie at the eleventh decimal is rounded up, away from zero', () => {
    expect(periodic(['-1', '1.0000000000005'])).toBe('0.0000000001');
    expect(periodic(['-1', '1.00000000000049999'])).toBe('0.0000000000');
    expect(periodic(['-1', '0.9999999999995'])).toBe('-0.0000000001');
  });

  test('of several roots the one nearest zero from above', () => {
    // (1 - 1.10v)(1 - 1.20v): 10 % and 20 %.
    expect(periodic([-100, 230, -132])).toBe('10.0000000000');
    // 5 %, 10 % and 15 %; and -50 %, 10 % and 20 %.
    expect(periodic(['-1', '3.30', '-3.6275', '1.32825'])).toBe('5.0000000000');
    expect(periodic(['-1', '2.8', '-2.47', '0.66'])).toBe('10.0000000000');
    // Two roots one hundred-thousandth of a percent apart.
    expect(periodic(['-1', '2.2000001', '-1.21000011'])).toBe('10.0000000000');
  });

  test('of several roots below zero the nearest', () => {
    // (1 - 0.9v)(1 - 0.5v): -10 % and -50 %.
    expect(periodic(['-1', '1.4', '-0.45'])).toBe('-10.0000000000');
  });

  test('a double root is a root', () => {
    expect(periodic(['-1', '2.2', '-1.21'])).toBe('10.0000000000');
    expect(periodic(['-1', '1.8', '-0.81'])).toBe('-10.0000000000');
  });

  test('a zero is a root before any other', () => {
    expect(periodic([-100, 210, -110])).toBe('0.0000000000');
  });

  test.each([
    ['nothing but income', [1, 2, 3]],
    ['nothing but cost', [-1, -2]],
    ['nothing', []],
    ['only zeros', [0, 0]],
    ['a curve that does not reach zero', [-100, 200, -101]],
    ['numpy-financial documentation: no real root', [-1, 2, -3]],
  ])('no_solution: %s', (_, amounts) => {
    expect(irr(amounts.map(decimal), 1)).toMatchObject({ refused: 'no_solution' });
  });

  test('periods of a year are a whole number', () => {
    for (const perYear of [0, -1, 1.5, Number.NaN, 1_000]) {
      expect(irr([decimal(-1), decimal(2)], perYear)).toMatchObject({ refused: 'invalid_value' });
    }
  });

  test('every root is the nearest: against all factors of a polynomial made from known roots', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -60, max: 90 }), { minLength: 1, maxLength: 4 }), (roots) => {
        // Product of (100 + root)·v − 100, in whole numbers.
        let terms = [1n];
        for (const root of roots) {
          const next = new Array<bigint>(terms.length + 1).fill(0n);
          terms.forEach((term, k) => {
            next[k] = (next[k] as bigint) - 100n * term;
            next[k + 1] = (next[k + 1] as bigint) + BigInt(100 + root) * term;
          });
          terms = next;
        }
        const above = roots.filter((root) => root >= 0);
        const nearest = above.length > 0 ? Math.min(...above) : Math.max(...roots);
        expect(periodic(terms.map(String))).toBe(`${nearest}.0000000000`);
      }),
      { numRuns: 300 },
    );
  });

  test('the flows are worth zero at the answer, and scale and sign do not matter', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10 ** 8 }),
        fc
          .array(fc.integer({ min: 0, max: 10 ** 7 }), { minLength: 1, maxLength: 120 })
          .filter((a) => a.some((n) => n > 0)),
        (advance, payments) => {
          const answer = periodic([-advance, ...payments]);
          expect(periodic([advance, ...payments.map((n) => -n)])).toBe(answer);
          expect(periodic([-advance, ...payments].map((n) => `${n}000`))).toBe(answer);
          expectBalance(
            [-advance, ...payments].map((amount, steps) => ({ amount: BigInt(amount), steps })),
            answer,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

/**
 * The plain check: at half a unit of the last decimal below and above the answer the flows have different signs. In decimal fixed point
 * with 400 places, one power after another.
 */
function expectBalance(flows: readonly { amount: bigint; steps: number }[], percent: string) {
  const places = 10n ** 400n;
  const at = (shift: bigint) => {
    const rate = BigInt(percent.replace('.', '')) * 2n + shift;
    const grow = places + (rate * places) / (2n * 10n ** 12n);
    let factor = places;
    let steps = 0;
    let total = 0n;
    for (const flow of flows) {
      for (; steps < flow.steps; steps++) factor = (factor * places) / grow;
      total += flow.amount * factor;
    }
    return total;
  };
  const [low, high] = [at(-1n), at(1n)];
  expect(low <= 0n !== high <= 0n || low >= 0n !== high >= 0n).toBe(true);
}

describe('dated irr', () => {
  test('spreadsheet documentation, XIRR: 37.3362535 %', () => {
    // The spreadsheets stop within 0.000001 %.
    expect(Number(dated(XIRR_EXAMPLE))).toBeCloseTo(37.3362535, 6);
  });

  test('a year of 365 days is a year, and a day is the 365th root', () => {
    expect(
      dated([
        [-100, '2023-01-01'],
        [110, '2024-01-01'],
      ]),
    ).toBe('10.0000000000');
    // 366 days: 1.1^(365/366) - 1.
    expect(
      Number(
        dated([
          [-100, '2024-01-01'],
          [110, '2025-01-01'],
        ]),
      ),
    ).toBeCloseTo((1.1 ** (365 / 366) - 1) * 100, 10);
    // Twice as much tomorrow: 2^365 - 1, to the last decimal.
    expect(
      dated([
        [-100, '2024-01-01'],
        [200, '2024-01-02'],
      ]),
    ).toBe(`${(2n ** 365n - 1n) * 100n}.0000000000`);
  });

  test('the order of the flows does not matter, and flows of a day are one', () => {
    expect(dated([...XIRR_EXAMPLE].reverse())).toBe(dated(XIRR_EXAMPLE));
    expect(dated([[-4_000, '2008-01-01'], ...XIRR_EXAMPLE.slice(1), [-6_000, '2008-01-01']])).toBe(dated(XIRR_EXAMPLE));
  });

  test('a loss is a rate between -100 % and zero', () => {
    expect(
      dated([
        [-100, '2023-01-01'],
        [50, '2024-01-01'],
      ]),
    ).toBe('-50.0000000000');
    expect(
      dated([
        [-100, '2023-01-01'],
        ['0.01', '2024-01-01'],
      ]),
    ).toBe('-99.9900000000');
  });

  test.each([
    [
      'one day only',
      [
        [-100, '2024-01-01'],
        [110, '2024-01-01'],
      ],
    ],
    [
      'no income',
      [
        [-100, '2024-01-01'],
        [-10, '2025-01-01'],
      ],
    ],
    ['no flows', []],
  ] as [string, [number, string][]][])('no_solution: %s', (_, flows) => {
    expect(datedIrr(flowsOf(flows))).toMatchObject({ refused: 'no_solution' });
  });

  test('against logarithms and exponentials of 80 digits, which the solver does not use', () => {
    const flow = fc.tuple(fc.integer({ min: 60, max: 4_000 }), fc.integer({ min: 1, max: 10 ** 7 }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10 ** 7 }),
        fc.array(flow, { minLength: 1, maxLength: 12 }),
        (paid, income) => {
          const start = date('2020-02-29');
          const flows = [{ days: 0, amount: -paid }, ...income.map(([days, amount]) => ({ days, amount }))];
          const answer = datedIrr(
            flows.map(({ days, amount }) => ({ date: addDays(start, days), amount: decimal(amount) })),
          );
          const text = percentOf(answer);
          // Beyond a millionfold a year the simple check runs out of digits.
          fc.pre(Math.abs(Number(text)) < 1e8 && Number(text) > -99.999);
          const units = BigInt(text.replace('.', '')) * 2n;
          const worth = (shift: bigint) => {
            const grow = ONE + ((units + shift) * ONE) / (2n * 10n ** 12n);
            const log = naturalLog(grow);
            return flows.reduce(
              (all, { days, amount }) => all + BigInt(amount) * exponential((-log * BigInt(days)) / 365n),
              0n,
            );
          };
          expect(worth(-1n) >= 0n && worth(1n) <= 0n).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});

const ONE = 10n ** 80n;

/** ln x = 2 artanh((x - 1) / (x + 1)), after x is brought near 1 by doublings. */
function naturalLog(x: bigint): bigint {
  let doublings = 0n;
  let y = x;
  for (; y > 2n * ONE; doublings++) y /= 2n;
  for (; y < ONE; doublings--) y *= 2n;
  return artanhTwice(((y - ONE) * ONE) / (y + ONE)) + doublings * artanhTwice(ONE / 3n);
}

function artanhTwice(z: bigint): bigint {
  const square = (z * z) / ONE;
  let term = z;
  let total = 0n;
  for (let n = 1n; term !== 0n; n += 2n) {
    total += term / n;
    term = (term * square) / ONE;
  }
  return 2n * total;
}

/** e^x by its series, of x halved sixteen times and squared as often. */
function exponential(x: bigint): bigint {
  const small = x / 65_536n;
  let term = ONE;
  let total = 0n;
  for (let n = 1n; term !== 0n; n++) {
    total += term;
    term = (term * small) / (n * ONE);
  }
  for (let n = 0; n < 16; n++) total = (total * total) / ONE;
  return total;
}

describe('present value', () => {
  const level = (amount: string | number, count: number) => new Array(count).fill(decimal(amount));

  test('spreadsheet documentation, PV: 500 a month for 20 years at 8 % are 59,777.15', () => {
    expect(
      presentValue({ amounts: level(500, 240), firstPeriod: 1, nominalPercent: decimal(8), periodsPerYear: 12 }),
    ).toBe(5_977_715);
  });

  test('spreadsheet documentation, NPV: -10,000 3,000 4,200 6,800 at 10 % are 1,188.44', () => {
    const amounts = [-10_000, 3_000, 4_200, 6_800].map(decimal);
    expect(presentValue({ amounts, firstPeriod: 1, nominalPercent: decimal(10), periodsPerYear: 1 })).toBe(118_844);
  });

  test('spreadsheet documentation, PMT: 10 payments of 1,037.03 repay 10,000 at 8 %, in advance 1,030.16', () => {
    const worth = (amount: string, firstPeriod: 0 | 1) =>
      presentValue({ amounts: level(amount, 10), firstPeriod, nominalPercent: decimal(8), periodsPerYear: 12 });
    // A cent of payment is ten cents of value: the documented payments are the ones nearest to 10,000.
    expect(Math.abs(Number(worth('1037.03', 1)) - 1_000_000)).toBeLessThanOrEqual(5);
    expect(Math.abs(Number(worth('1030.16', 0)) - 1_000_000)).toBeLessThanOrEqual(5);
  });

  test('spreadsheet documentation, XNPV: the flows of the XIRR example at 9 % are 2,086.65', () => {
    const flows = flowsOf(XIRR_EXAMPLE);
    expect(presentValue({ flows, on: date('2008-01-01'), effectivePercent: decimal(9) })).toBe(208_665);
  });

  test('at the dated IRR the flows are worth nothing, on any day', () => {
    const flows = flowsOf(XIRR_EXAMPLE);
    const effectivePercent = decimal(dated(XIRR_EXAMPLE));
    for (const on of ['2008-01-01', '2008-12-31', '2010-06-30']) {
      expect(presentValue({ flows, on: on as PlainDate, effectivePercent })).toBe(0);
    }
  });

  test('flows before the day grow; a zero rate adds up; a tie is rounded as specified', () => {
    const one = (amount: string, day: string) => flowsOf([[amount, day]]);
    const at = (amount: string, day: string, percent: string) =>
      presentValue({ flows: one(amount, day), on: date('2024-01-01'), effectivePercent: decimal(percent) });
    expect(at('100', '2023-01-01', '10')).toBe(11_000);
    expect(at('110', '2024-12-31', '10')).toBe(10_000);
    expect(at('100', '2150-12-31', '0')).toBe(10_000);
    expect(at('1', '2024-12-31', '-50')).toBe(200);
    const tie = {
      amounts: [decimal('0.125')],
      firstPeriod: 0,
      nominalPercent: decimal(5),
      periodsPerYear: 12,
    } as const;
    expect(presentValue(tie)).toBe(13);
    expect(presentValue(tie, 'half-even')).toBe(12);
    // 1.05 ÷ (1 + 5 %) × 0.125 is the tie again, if no precision was lost.
    expect(presentValue({ ...tie, amounts: [decimal('0.13125')], firstPeriod: 1, periodsPerYear: 1 })).toBe(13);
  });

  test('a meaningless rate is refused', () => {
    for (const percent of ['-100', '-150']) {
      expect(
        presentValue({ amounts: [decimal(1)], firstPeriod: 1, nominalPercent: decimal(percent), periodsPerYear: 1 }),
      ).toMatchObject({ refused: 'invalid_value' });
    }
  });
});
