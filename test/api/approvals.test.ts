/** Approvals over HTTP: a request changes nothing, and its approval carries out what it has shown. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Approving, approving, type Someone } from '../support/approvals.ts';

let all: Approving;
let alice: Someone;
let bob: Someone;
let robot: Someone;
let loanId: string;

const reason = 'Goodwill';
const waive = (more: object = {}) => ({ loanId, feeId: 'F-1', reason, ...more });
const version = async (id = loanId) => (await all.done(robot.get(`loans/${id}/summary`))).data.version;

beforeAll(async () => {
  all = await approving();
  [alice, bob, robot] = await Promise.all([all.person('user_alice'), all.person('user_bob'), all.program()]);
  loanId = await all.loan();
  await all.policy({ approvals: { 'waive-fee': { above: '50.00' }, 'charge-off': true } });
});
afterAll(() => all.service.close());

describe('a request', () => {
  it('is 202 with the preview, and nothing changes', async () => {
    const before = await robot.get(`loans/${loanId}/history`);
    const { data } = await all.done(alice.post('waive-fee', waive()), 202);
    expect(data).toMatchObject({ loanId, operation: 'waive-fee', lapsesOn: '2026-01-22' });
    expect(data.approvalId).toMatch(new RegExp(`^approval_${loanId.slice(2, 4)}[0-9a-f]{30}$`));
    const dry = await all.done(alice.post('waive-fee?dryRun=true', waive()));
    expect(dry.data).toMatchObject({ approval: true, dryRun: true });
    expect(data.preview).toEqual(dry.data);
    const after = await robot.get(`loans/${loanId}/history`);
    expect(before.status).toBe(200);
    expect([after.headers.get('etag'), after.text]).toEqual([before.headers.get('etag'), before.text]);
    const again = await all.done(alice.post('waive-fee', { reason, feeId: 'F-1', loanId }), 202);
    expect(again.data).toEqual(data);
    const [one, two] = await Promise.all([bob.post('waive-fee', waive()), bob.post('waive-fee', waive())]);
    expect([one.status, two.status, one.body.data.approvalId]).toEqual([202, 202, two.body.data.approvalId]);
    expect(one.body.data.approvalId).not.toBe(data.approvalId);
  });

  it('is approved by another person, and recorded for the requester', async () => {
    const { data } = await all.done(alice.post('waive-fee', waive()), 202);
    const approved = await all.done(bob.post('approve', { approvalId: data.approvalId, reason: 'Agreed' }));
    expect(approved.data).toMatchObject({ state: 'approved', decidedBy: { userId: 'user_bob' } });
    const { transactionHash } = approved.data;
    const again = await all.done(bob.post('approve', { approvalId: data.approvalId, reason: 'Agreed' }));
    expect(again).toEqual(approved);
    const { items } = (await all.done(robot.get(`loans/${loanId}/timeline`))).data;
    const fact = items.find((one: { transactionHash?: string }) => one.transactionHash === transactionHash);
    expect(fact).toMatchObject({ type: 'feeWaived', userId: 'user_alice', clientId: alice.clientId });
    expect(await version()).toBe(fact.version);
  });
});
