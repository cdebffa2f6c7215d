/** The allowance by hand: three groups, two overlays, and a month of books, each figure worked out beside it. */
import { describe, expect, test } from 'vitest';
import { parseCents } from '../core/money.ts';
import type { AllowanceOverlay } from '../core/policy.ts';
import { percent } from '../core/rate.ts';
import { estimateOf, type LoanGroup, type LossOf, type MonthOfBooks, monthOfAllowance, sliced } from './allowance.ts';

const group = (more: Partial<LoanGroup>): LoanGroup => ({
  ...{ lenderId: 'L-1', grade: 'B', bucket: 'current', vintage: '2026-01', loans: 1 },
  ...{ principal: 0, original: 0, rate: 9, remaining: 48 },
  ...more,
});
const overlay = (more: Partial<AllowanceOverlay>): AllowanceOverlay => ({
  ...{ name: 'Flood', reason: 'Wet cars', effect: 'raise', percent: null, amount: null, grade: null, bucket: null },
  ...more,
});

/** 2 % where nothing is past due, half of it in the first month; 31.4159 % of the others, all in the second. */
const lossOf: LossOf = ({ bucket }) =>
  bucket === 'current'
    ? { millionths: 20_000, byMonth: [0.01, 0.015, 0.02] }
    : { millionths: 314_159, byMonth: [0, 0.314159] };

const GROUPS = [
  group({ loans: 3, principal: 3_000_050, original: 4_000_000 }),
  group({ loans: 1, principal: 999_975, original: 1_000_000, bucket: '30-59' }),
  group({ grade: null, loans: 2, principal: 250_000, original: 800_000, bucket: 'chargedOff', vintage: '' }),
];

describe('what is required', () => {
  const model = { method: 'model', overlays: [] } as const;

  test('of each group its share, rounded half-up to the cent; nothing of collateral that is kept', () => {
    const { principal, modelled, required, cells, expected, loans } = estimateOf(GROUPS, model, '2026-10-31', lossOf);
    // 30,000.50 × 2 % = 600.01; 9,999.75 × 31.4159 % = 3,141.511… = 3,141.51.
    expect(cells.map((cell) => [cell.grade, cell.bucket, cell.modelled])).toEqual([
      ['B', 'current', 60_001],
      ['B', '30-59', 314_151],
      [null, 'chargedOff', 0],
    ]);
    expect([loans, principal, modelled, required]).toEqual([6, 4_250_025, 374_152, 374_152]);
    // 30,000.50 × 1 % = 300.005; then 450.0075 + 3,141.51; at the end all of it.
    expect(expected).toEqual([30_001, 359_152, 374_152]);
  });

  test('overlays in their order: points of a pool, an amount over a pool by principal, none below nothing or above the principal', () => {
    const overlays = [
      overlay({ percent: percent('0.25'), bucket: 'current' }),
      overlay({ name: 'Fund', amount: parseCents('100.01') }),
      overlay({ name: 'Sold', effect: 'lower', percent: percent('90'), bucket: '30-59', grade: 'B' }),
      overlay({ name: 'None', amount: parseCents('5'), grade: 'A' }),
    ];
    const found = estimateOf(GROUPS, { method: 'model', overlays }, '2026-10-31', lossOf);
    // 30,000.50 × 0.25 % = 75.00125. Of 100.01 by 3,000,050 : 999,975 : 250,000 are 70.59… : 23.53… : 5.88…
    expect(found.overlays.map(({ name, amount }) => [name, amount])).toEqual([
      ['Flood', 7_500],
      ['Fund', 10_001],
      // Lowered by 8,999.78, but never below nothing: 3,141.51 + 23.53.
      ['Sold', -316_504],
      ['None', 0],
    ]);
    expect(found.cells.map(({ required }) => required)).toEqual([60_001 + 7_500 + 7_060, 0, 588]);
    expect(found.required).toBe(found.modelled + found.overlays.reduce((sum, { amount }) => sum + amount, 0));
  });

  test('with the method none nothing, whatever the overlays', () => {
    const found = estimateOf(
      GROUPS,
      { method: 'none', overlays: [overlay({ amount: parseCents('5') })] },
      '2026-10-31',
      lossOf,
    );
    expect([found.required, found.overlays, found.expected]).toEqual([0, [], []]);
  });

  test('every division adds up to the same', () => {
    const { cells, required, principal } = estimateOf(GROUPS, model, '2026-10-31', lossOf);
    for (const by of ['pool', 'grade', 'vintage', 'bucket', 'lender'] as const) {
      const slices = [...sliced([{ lenderId: 'L-1', cells }], by).values()];
      const sum = (name: 'required' | 'principal') => slices.reduce((so, one) => so + one[name], 0);
      expect([by, sum('required'), sum('principal')]).toEqual([by, required, principal]);
    }
    expect([...sliced([{ lenderId: 'L-1', cells }], 'pool').keys()]).toEqual([
      'B:current',
      'B:30-59',
      'none:chargedOff',
    ]);
  });
});

describe('the entries of a month', () => {
  const account = (name: string, opening: number, activity: Record<string, number>): MonthOfBooks[number] => ({
    ...{ account: name, opening },
    activity: Object.entries(activity).map(([entry, amount]) => ({ entry, amount })),
    closing: opening + Object.values(activity).reduce((sum, amount) => sum + amount, 0),
  });
  const BOOKS = [
    account('loanPrincipal', 9_000_000, { receipt: -200_000, chargeOff: -500_000, writeDown: -30_000 }),
    account('allowance', -400_000, { manual: -1_000 }),
    // 5,000.00 of principal and 12.34 of interest that an opening brought; 300.00 of a write-down; a fee waived; a year that was closed.
    account('chargeOffExpense', 700, { chargeOff: 501_234, writeDown: 30_000, waiver: 2_500, yearEnd: -700 }),
    account('recoveryIncome', 0, { recovery: -80_000 }),
    account('saleLoss', 0, { manual: 5_000 }),
  ];

  test('principal that was lost and recoveries go to the allowance first, then it is brought to the required level', () => {
    const month = monthOfAllowance(BOOKS, 450_000);
    // 4,010.00 − 5,350.00 + 800.00 = −540.00, so 4,500.00 needs 5,040.00.
    expect(month).toMatchObject({ opening: 400_000, other: 1_000, chargedOff: 535_000, recovered: 80_000 });
    expect(month.provision).toBe(504_000);
    expect(month.lines).toEqual([
      { entry: 'allowanceLoss', account: 'allowance', amount: 535_000 },
      { entry: 'allowanceLoss', account: 'chargeOffExpense', amount: -530_000 },
      { entry: 'allowanceLoss', account: 'saleLoss', amount: -5_000 },
      { entry: 'allowanceRecovery', account: 'recoveryIncome', amount: 80_000 },
      { entry: 'allowanceRecovery', account: 'allowance', amount: -80_000 },
      { entry: 'provision', account: 'provisionExpense', amount: 504_000 },
      { entry: 'provision', account: 'allowance', amount: -504_000 },
    ]);
  });

  test('what was deferred of the principal is part of the loss: fees lower it, costs add to it', () => {
    const lossOf = (deferred: MonthOfBooks[number], chargeOff: number) =>
      monthOfAllowance(
        [
          account('loanPrincipal', 900_000, { chargeOff: -500_000 }),
          deferred,
          account('chargeOffExpense', 0, { chargeOff }),
        ],
        0,
      ).chargedOff;
    // With 12.34 of interest that an opening brought, which was not provided for.
    expect(lossOf(account('deferredFees', -20_000, { chargeOff: 20_000 }), 481_234)).toBe(480_000);
    expect(lossOf(account('deferredCosts', 30_000, { chargeOff: -30_000 }), 531_234)).toBe(530_000);
    expect(lossOf(account('deferredFees', -20_000, { amortization: 9_000 }), 500_000)).toBe(500_000);
  });

  test('an allowance that is too large is released, and a month in which nothing happened has no lines', () => {
    expect(monthOfAllowance([account('allowance', -400_000, {})], 390_000).lines).toEqual([
      { entry: 'provision', account: 'provisionExpense', amount: -10_000 },
      { entry: 'provision', account: 'allowance', amount: 10_000 },
    ]);
    expect(monthOfAllowance([account('allowance', -400_000, {})], 400_000).lines).toEqual([]);
  });

  test('a charge-off that was undone gives its principal back', () => {
    const books = [
      account('loanPrincipal', 0, { chargeOff: 500_000 }),
      account('chargeOffExpense', 0, { chargeOff: -501_234 }),
    ];
    expect(monthOfAllowance(books, 0)).toMatchObject({ chargedOff: -500_000, provision: -500_000 });
  });
});
