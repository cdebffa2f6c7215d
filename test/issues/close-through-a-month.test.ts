/** Several months are closed in one go, all of them or none; everything that stands in the way of any of them is named, and who can do something about it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { date } from '../../src/core/calendar.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';

const BOOKS: Scope[] = ['loans:read', 'reports:read', 'books:write'];

let all: Approving;
let controller: Someone;
let loanId: string;
beforeAll(async () => {
  all = await approving();
  loanId = await all.loan();
  all.on('2026-06-10');
  controller = await all.program(BOOKS);
}, 60_000);
afterAll(() => all.service.close());

const cycles = (through: string) => all.service.loans.cycle.runCyclesThrough(all.service.organizationId, date(through));
const close = (body: object, query = '') => controller.post(`ledger/close${query}`, body);
type Period = { period: string; closedFrom: string; closedAt: string; hash: string; lenders: Lender[] };
type Lender = { lenderId: string; accounts: { account: string; balance: string }[] };
const periods = async (): Promise<Period[]> => (await all.done(controller.get('ledger/periods'))).data.items;
const balances = ({ lenders }: Period) =>
  lenders.flatMap(({ accounts }) => accounts.map(({ account, balance }) => [account, balance]));
const trialBalance = async (asOf: string) => {
  const { accounts } = (await all.done(controller.get(`ledger/trial-balance?asOf=${asOf}`))).data;
  return accounts.flatMap(({ account, debit, credit }: Record<string, string>) =>
    debit === '0' && credit === '0' ? [] : [[account, credit === '0' ? debit : `-${credit}`]],
  );
};

test('nothing is closed if one check fails, and each is named with its month and with who can do something about it', async () => {
  await cycles('2026-02-10');
  await all.service.db.query('UPDATE loans SET book_fees = book_fees + 7 WHERE true');
  const { status, body } = await close({ through: '2026-06' });
  await all.service.db.query('UPDATE loans SET book_fees = book_fees - 7 WHERE true');
  expect([status, body.code, body.refusal, body.date]).toEqual([409, 'conflict', 'untied', undefined]);
  expect(body.detail).toMatch(/^10 checks stand in the way, and no month was closed\. 2026-01: /);
  const named = body.checks.map(({ period, check }: Record<string, string>) => `${period} ${check}`);
  expect(named).toEqual([
    ...['2026-01 untied', '2026-02 cycle_pending', '2026-02 untied', '2026-03 cycle_pending', '2026-03 untied'],
    ...['2026-04 cycle_pending', '2026-04 untied', '2026-05 cycle_pending', '2026-05 untied', '2026-06 not_over'],
  ]);
  expect(body.checks[1].detail).toContain('The cycle of 2026-02-11 has not run yet.');
  expect(body.checks[3].detail).toContain('The cycle of 2026-03-01 has not run yet.');
  for (const { who, detail } of body.checks) expect([who, detail]).toEqual([expect.any(String), expect.any(String)]);
  expect(new Set(body.checks.map(({ who }: { who: string }) => who)).size).toBe(3);
  expect(await periods()).toEqual([]);
  const one = await close({ through: '2026-03' });
  expect([one.status, one.body.code, one.body.date]).toEqual([409, 'cycle_pending', '2026-02-11']);
  expect(await periods()).toEqual([]);
});

test('a dry run shows the last month and closes none; the close stores the balances of each month', async () => {
  await cycles('2026-05-31');
  const ends = ['2026-01-31', '2026-02-28', '2026-03-31'];
  const expected = await Promise.all(ends.map(trialBalance));
  const dry = (await all.done(close({ through: '2026-03' }, '?dryRun=true'))).data;
  expect([dry.dryRun, dry.period, dry.closedFrom, await periods()]).toEqual([true, '2026-03', '2026-01', []]);
  const { data } = await all.done(close({ through: '2026-03' }));
  expect(data).toMatchObject({ period: '2026-03', closedFrom: '2026-01', hash: dry.hash });
  const closed = (await periods()).reverse();
  expect(closed.map(({ period, closedFrom }) => [period, closedFrom])).toEqual([
    ['2026-01', '2026-01'],
    ['2026-02', '2026-01'],
    ['2026-03', '2026-01'],
  ]);
  expect(new Set(closed.map(({ closedAt }) => closedAt)).size).toBe(1);
  expect(closed.map(balances)).toEqual(expected);
  expect(closed.at(-1)).toEqual(data);
  for (const body of [{ through: '2026-03' }, { period: '2026-03' }, { period: '2026-01', through: '2026-03' }]) {
    expect((await all.done(close(body))).data).toEqual(data);
  }
});

test('the first month may be given, and has to be the next one; the last must not be before it', async () => {
  expect((await close({ period: '2026-05', through: '2026-05' })).body.refusal).toBe('wrong_period');
  const backwards = await close({ period: '2026-04', through: '2026-03' });
  expect([backwards.status, backwards.body.errors[0].pointer]).toEqual([422, '/through']);
  const nothing = await close({});
  expect([nothing.status, nothing.body.errors[0]]).toMatchObject([422, { pointer: '/period', code: 'required' }]);
  const wrong = await close({ through: '2026-13' });
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/through']);
  const many = await close({ through: '2028-04' });
  expect([many.status, many.body.detail]).toEqual([422, expect.stringContaining('At most 24 months')]);
});

test('it waits for an approval as the close of one month does, which is for the balances of every month', async () => {
  await all.policy({ approvals: { 'close-period': true } });
  const asked = (await all.done(close({ through: '2026-05' }), 202)).data;
  expect(asked.preview).toEqual({
    ...{ period: '2026-05', closedFrom: '2026-04', hash: expect.any(String) },
    months: [
      { period: '2026-04', hash: expect.any(String) },
      { period: '2026-05', hash: expect.any(String) },
    ],
  });
  expect((await periods()).map(({ period }) => period)).toEqual(['2026-03', '2026-02', '2026-01']);
  const approver = await all.person('approver', {}, BOOKS);
  const { data } = await all.done(approver.post('approve', { approvalId: asked.approvalId, reason: 'Seen' }));
  expect(data).toMatchObject({ state: 'approved', result: { period: '2026-05', closedFrom: '2026-04' } });
  expect((await periods()).map(({ period, closedFrom }) => [period, closedFrom]).slice(0, 2)).toEqual([
    ['2026-05', '2026-04'],
    ['2026-04', '2026-04'],
  ]);
  expect((await all.done(controller.get(`loans/${loanId}/summary`))).data.pendingApprovals).toBe(0);
});
