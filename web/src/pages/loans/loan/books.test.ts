import { expect, it } from 'vitest';
import { type Entry, policyRows, postingsOf } from './books.ts';

const entry = (sequence: number, account: string, debit: string, credit: string): Entry => ({
  ...{ transactionHash: `0x${sequence}`, sequence, account, debit, credit, lenderId: 'L', entry: 'receipt' },
  ...{ dateEffective: '2026-02-01', datePosted: `2026-02-0${sequence}`, priorPeriod: false },
});

it('groups the journal by transaction, newest first, with totals of each', () => {
  const postings = postingsOf([
    entry(1, 'loanPrincipal', '1,000', '0'),
    entry(1, 'cash', '0', '1,000'),
    entry(2, 'cash', '288.27', '0'),
    entry(2, 'interestReceivable', '0', '101.68'),
    entry(2, 'loanPrincipal', '0', '186.59'),
  ]);
  expect(postings.map(({ sequence, debit, credit }) => [sequence, debit, credit])).toEqual([
    [2, 28_827n, 28_827n],
    [1, 100_000n, 100_000n],
  ]);
});

it('shows the values of a policy one level deep', () => {
  expect(
    policyRows({
      graceDays: 10,
      publish: false,
      extension: { perLife: 6 },
      waterfall: ['pastDue.interest', 'due.fee'],
      judge: 'currentFirst',
      approvals: {},
      cap: null,
    }),
  ).toEqual([
    { name: ['graceDays'], value: '10' },
    { name: ['publish'], value: 'no' },
    { name: ['extension', 'perLife'], value: '6' },
    { name: ['waterfall'], value: 'interest past due → fees due' },
    { name: ['judge'], value: 'current first' },
    { name: ['approvals'], value: 'none' },
    { name: ['cap'], value: 'none' },
  ]);
});
