import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { ok, operation, withAliases } from './operation.ts';

const described = {
  tag: 'Loans',
  description: 'What it does.',
  scopes: ['loans:write'],
  key: 'checked',
  answer: Type.Object({}),
  problems: [],
  handle: () => ok({}),
} as const;

test('an alias is the operation at another address, right after its original', () => {
  const fund = operation({
    ...described,
    at: 'POST /fund-loan',
    id: 'fundLoan',
    summary: 'Fund the loan',
    aliases: ['disburse-loan', 'pay-out-loan'],
  });
  const close = operation({ ...described, at: 'POST /close', id: 'closeLoan', summary: 'Close the loan' });
  const listed = withAliases([fund, close]);
  expect(listed.map(({ path, id, isAlias }) => ({ path, id, isAlias }))).toEqual([
    { path: '/fund-loan', id: 'fundLoan' },
    { path: '/disburse-loan', id: 'fundLoanAlias', isAlias: true },
    { path: '/pay-out-loan', id: 'fundLoanAlias2', isAlias: true },
    { path: '/close', id: 'closeLoan' },
  ]);
  const { path, id, aliases, ...same } = fund;
  expect(listed[1]).toMatchObject(same);
  expect(listed[1]).not.toHaveProperty('aliases');
  expect(listed[1]?.handle).toBe(fund.handle);
});
