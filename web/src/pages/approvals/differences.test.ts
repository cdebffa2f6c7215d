import { expect, it } from 'vitest';
import { differences } from './differences.ts';

it('puts the figures that differ first, with the parts of a split, and leaves out what says nothing', () => {
  const before = {
    transactionHash: '0x0',
    dryRun: true,
    loanStatus: 'Current',
    remainingBalance: '100',
    fees: '80',
    allocation: { interest: '1', principal: '9' },
    journal: [{ account: 'cash' }],
  };
  const now = {
    ...before,
    remainingBalance: '90',
    fees: '80',
    allocation: { interest: '2', principal: '9', credit: '1' },
  };
  expect(differences(before, now)).toEqual([
    { name: 'remainingBalance', was: '100', is: '90' },
    { name: 'interest', was: '1', is: '2' },
    { name: 'credit', is: '1' },
    { name: 'loanStatus', was: 'Current', is: 'Current' },
    { name: 'fees', was: '80', is: '80' },
    { name: 'principal', was: '9', is: '9' },
  ]);
  expect(differences(null, undefined)).toEqual([]);
});
