import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ACCOUNTS, accountsText, balancesOf, rolledOf, ties, totalsOf } from './sums.ts';

describe('sums of the books', () => {
  it('knows every account that can have a code', () => {
    const { components } = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'));
    const known = Object.keys(components.schemas.AccountCodeChanges.properties).sort();
    expect(ACCOUNTS.map(({ account }) => account as string).sort()).toEqual(known);
  });
  it('names accounts in the order of the chart', () => {
    expect(accountsText(['chargeOffExpense', 'suspense', 'loanPrincipal'])).toBe(
      'Loan principal, Suspense, Charge-off expense',
    );
  });
  it('finds a difference of one cent', () => {
    expect(
      totalsOf([
        { debit: '1,000.10', credit: '0' },
        { debit: '0', credit: '1,000.09' },
      ]),
    ).toEqual({
      debit: 100010n,
      credit: 100009n,
      difference: 1n,
    });
    expect(ties([{ difference: '0' }, { difference: '-0.00' }])).toBe(true);
    expect(ties([{ difference: '0' }, { difference: '0.01' }])).toBe(false);
  });
  it('adds up lenders in the order of the accounts, each on its side', () => {
    const lender = (lenderId: string, principal: string) => ({
      lenderId,
      accounts: [
        { account: 'cash', balance: `-${principal}` },
        { account: 'loanPrincipal', balance: principal },
      ],
    });
    expect(balancesOf([lender('A', '1,000.50'), lender('B', '0.25')])).toEqual([
      { account: 'loanPrincipal', debit: 100075n, credit: 0n },
      { account: 'cash', debit: 0n, credit: 100075n },
    ]);
  });
  it('rolls all lenders forward, and says whether it adds up', () => {
    const lender = (closing: string) => ({
      lenderId: 'A',
      accounts: [
        { account: 'cash', opening: '-10', activity: [{ entry: 'receipt', amount: '2.50' }], closing: '-7.50' },
        {
          account: 'loanPrincipal',
          opening: '10',
          activity: [
            { entry: 'receipt', amount: '-2.50' },
            { entry: 'disbursement', amount: '5' },
          ],
          closing,
        },
      ],
    });
    const { entries, accounts, total } = rolledOf([lender('12.50'), lender('12.50')]);
    expect(entries).toEqual(['disbursement', 'receipt']);
    expect(accounts.map(({ account, opening, closing, adds }) => [account, opening, closing, adds])).toEqual([
      ['loanPrincipal', 2000n, 2500n, true],
      ['cash', -2000n, -1500n, true],
    ]);
    expect([total.opening, total.byEntry.get('receipt'), total.byEntry.get('disbursement'), total.closing]).toEqual([
      0n,
      0n,
      1000n,
      1000n,
    ]);
    expect(rolledOf([lender('12.51')]).accounts[0]?.adds).toBe(false);
  });
});
