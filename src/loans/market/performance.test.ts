import { describe, expect, test } from 'vitest';
import type { Loan } from '../../core/loan.ts';
import { cents } from '../../core/money.ts';
import { parsePercent } from '../../core/rate.ts';
import { expectedOf } from './performance.ts';

const HEADER = 'Month,EndingBalance,TotalPaid,row_no';
const rowsOf = (amount: number, n: number, months = 2) =>
  Array.from({ length: months + 1 }, (_, month) => `${month},${amount - month}.00,${month}.50,${n}`);
const textOf = (...blocks: string[][]) => `${[HEADER, ...blocks.flat()].join('\n')}\n`;
const dealOf = (amount: number, term = 36, rate = '7.25') => ({
  TermsLoanAmount: `${amount}.00`,
  TermsTerm: String(term),
  TermsAPR: rate,
});
const loanOf = (amount: number) =>
  ({ contract: { amount: cents(amount * 100), count: 36, rate: parsePercent('7.25') } }) as Loan;
const balances = (CashflowsCsv: string, DealTermsInfo: object[], amount: number) =>
  expectedOf({ CashflowsCsv, DealTermsInfo }, loanOf(amount)).map(({ balance }) => balance / 100);

describe('what was expected of a loan', () => {
  test('with the cash flows of one deal: those, whatever its number', () => {
    expect(balances(textOf(rowsOf(900, 1)), [dealOf(1_000), dealOf(900)], 900)).toEqual([900, 899, 898]);
    // The terms of a deal are in months, those of the contract in installments.
    expect(balances(textOf(rowsOf(900, 1)), [dealOf(1_000), dealOf(900, 18)], 900)).toEqual([900, 899, 898]);
    expect(balances(textOf(rowsOf(900, 0)), [dealOf(900)], 850)).toEqual([900, 899, 898]);
  });

  test('with the cash flows of one deal that is another amount’s: nothing', () => {
    expect(balances(textOf(rowsOf(1_000, 0)), [dealOf(1_000), dealOf(900)], 800)).toEqual([]);
    expect(balances(textOf(rowsOf(1_000, 0)), [dealOf(1_000), dealOf(900)], 900)).toEqual([]);
  });

  test('with those of many deals, as a lender may hand them over: those of the deal with its terms', () => {
    const csv = textOf(rowsOf(1_000, 0), rowsOf(900, 1), rowsOf(900, 2, 1));
    const deals = [dealOf(1_000), dealOf(900, 48), dealOf(900)];
    expect(balances(csv, deals, 900)).toEqual([900, 899]);
    expect(balances(csv, deals, 1_000)).toEqual([1_000, 999, 998]);
    expect(balances(csv, deals, 700)).toEqual([]);
  });

  test('of the longest terms too, of which six hundred months are taken', () => {
    const [first, second] = [rowsOf(900, 0, 620), rowsOf(900, 1, 620)];
    expect(balances(textOf(first), [dealOf(900), dealOf(800)], 900)).toHaveLength(600);
    const both = textOf(
      first,
      second.map((row) => row.replace('.50', '.75')),
    );
    const [, month] = expectedOf({ CashflowsCsv: both, DealTermsInfo: [dealOf(900, 48), dealOf(900)] }, loanOf(900));
    expect(month?.paid).toBe(175);
  });

  test('without readable figures: nothing', () => {
    for (const csv of ['', HEADER, 'Month,TotalPaid\n0,1\n', textOf(['0,x,1.00,0'])]) {
      expect(balances(csv, [dealOf(900), dealOf(800)], 900), csv).toEqual([]);
    }
    expect(expectedOf({ CashflowsCsv: null, DealTermsInfo: [] }, loanOf(900))).toEqual([]);
  });
});
