/**
 * A month that two people have asked to close is closed by the approval of one request. The other one is not approved by a call that did
 * nothing: it stays pending, and the trail says nothing of it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { date } from '../../src/core/calendar.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { TRAIL } from '../support/trail.ts';

let all: Approving;
beforeAll(async () => {
  all = await approving();
  await all.loan();
  await all.policy({ approvals: { 'close-period': true } });
  all.on('2026-02-02');
  await all.service.loans.cycle.runCyclesThrough(all.service.organizationId, date('2026-01-31'));
}, 60_000);
afterAll(() => all.service.close());

test('approving what is done already decides nothing', async () => {
  const books: Scope[] = ['loans:read', 'reports:read', 'books:write'];
  const [one, other, approver] = await Promise.all(
    ['one', 'other', 'approver'].map((name) => all.person(name, {}, books)),
  );
  const asked = async (who: Someone | undefined): Promise<string> =>
    (await all.done((who as Someone).post('ledger/close', { period: '2026-01' }), 202)).data.approvalId;
  const [first, second] = [await asked(one), await asked(other)];
  const approve = (approvalId: string) => (approver as Someone).post('approve', { approvalId, reason: 'Seen' });
  expect((await all.done(approve(first))).data.state).toBe('approved');
  const late = await approve(second);
  expect([late.status, late.body.code]).toEqual([409, 'conflict']);
  expect((await all.done((approver as Someone).get(`approvals/${second}`))).data.state).toBe('pending');
  const entries = await all.service.db.query(
    `SELECT operation, outcome FROM ${TRAIL} WHERE approval_id = $1 AND kind = 'did' ORDER BY entry_id`,
    [second],
  );
  expect(entries).toEqual([{ operation: 'close-period', outcome: 'approval_requested' }]);
  expect(
    (await all.done((approver as Someone).post('reject', { approvalId: second, reason: 'Done' }))).data.state,
  ).toBe('rejected');
}, 60_000);
