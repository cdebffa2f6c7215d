/**
 * The people of an organization, and what they write down for themselves, stay its own: the buyer of a loan, its owner and a servicer see of each
 * other which organization acted, and no person, no purpose.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { loanIn } from '../support/statuses.ts';

const PURPOSE = 'Complaint of the seller’s own customer';
const DISCUSSED = 'We should not have charged it';

let service: TestApp;
let buyerId: string;
let servicerId: string;
beforeAll(async () => {
  service = await testApp();
  buyerId = (await service.access.createOrganization('Buyer')).organizationId;
  servicerId = (await service.access.createOrganization('Servicer')).organizationId;
  const values = { approvals: { 'waive-fee': true } };
  const policy = { policyId: 'P', lenderId: null, from: '2026-01-16', values };
  await post('policies', policy, await signedIn(service, ROLES));
  service.clock.now += 86_400_000;
}, 60_000);
afterAll(() => service.close());

const ROLES = ['manager', 'administrator', 'auditor'];

const post = async (path: string, body: object, { headers }: SignedIn, status = 200) => {
  const answer = await service.call('POST', `/v2/chain/${path}`, { headers, body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(status);
  return answer.body.data;
};
const get = (path: string, { cookie }: SignedIn, purpose = 'A look'): Promise<Answered> =>
  service.call('GET', `/v2/chain/${path}`, { headers: { ...cookie, purpose: encoded(purpose) } });
/** As a browser sends it. */
const encoded = (text: string) => Buffer.from(text).toString('latin1');

async function loanOf(by: SignedIn): Promise<string> {
  const send = (path: string, body: object) => service.call('POST', `/v2/chain/${path}`, { headers: by.headers, body });
  return loanIn('Current', send, async () => '');
}

/** Every read of the loan that names who did something, as one text. A former owner does not get all of them. */
async function everything(
  loanId: string,
  by: SignedIn,
  approvalId?: string,
  statuses: readonly number[] = [200],
): Promise<string> {
  const paths = ['timeline', 'disclosures', 'holds', 'history', 'transactions', 'summary', 'journal'];
  const texts: string[] = [];
  for (const path of [
    ...paths.map((one) => `loans/${loanId}/${one}`),
    ...[`loans/${loanId}`, `approvals?loanId=${loanId}`, `audit?loanId=${loanId}&limit=100`, 'audit?limit=100'],
    ...['exports/events', 'exports/loans?personal=true', 'events', 'grants'],
    ...(approvalId === undefined ? [] : [`approvals/${approvalId}`]),
  ]) {
    const answer = await get(path, by);
    expect([path, statuses.includes(answer.status)]).toEqual([path, true]);
    texts.push(answer.text);
  }
  return texts.join('\n');
}

describe('the buyer of a loan', () => {
  test('sees that the seller has read it, and not by whom and for what', async () => {
    const [one, other] = [await signedIn(service, ROLES), await signedIn(service, ROLES)];
    const owner = await signedIn(service, ROLES, buyerId);
    const loanId = await loanOf(one);
    expect((await get(`loans/${loanId}`, one, PURPOSE)).status).toBe(200);
    const waived = { loanId, feeId: 'F-1', reason: 'Goodwill' };
    const { approvalId } = await post('waive-fee', waived, one, 202);
    await post('reject', { approvalId, reason: DISCUSSED }, other);
    const offered = {
      loanId,
      what: 'owner',
      to: { organizationId: buyerId, lenderId: 'LND-B' },
      date: '2026-01-16',
      reason: 'Sold',
    };
    await post('transfer', offered, one);
    await post('accept-transfer', { loanId }, owner);
    await service.loans.cycle.runCyclesThrough(service.organizationId, date('2026-01-15'));
    expect(await service.loans.transfers.carryOutDue()).toBe(1);

    // Requests of the seller's time are not the buyer's to see.
    expect((await get(`approvals/${approvalId}`, owner)).status).toBe(404);
    const text = await everything(loanId, owner);
    for (const { userId, sessionId } of [one, other]) {
      expect(text).not.toContain(userId);
      expect(text).not.toContain(sessionId);
    }
    expect(text).not.toContain(PURPOSE);
    expect(text).not.toContain(DISCUSSED);
    const { items } = (await get(`loans/${loanId}/disclosures`, owner, 'Due diligence')).body.data;
    const sellers = items.filter((item: { organizationId: string }) => item.organizationId === service.organizationId);
    expect(sellers.length).toBeGreaterThan(0);
    for (const item of sellers) expect(item).toMatchObject({ clientId: null, userId: null, keyId: null, purpose: '' });
    expect(items[0]).toMatchObject({ organizationId: buyerId, userId: owner.userId, purpose: 'Due diligence' });

    // The seller sees its own people still, and nothing of the buyer's.
    const before = await everything(loanId, one, approvalId, [200, 404]);
    expect(before).toContain(other.userId);
    expect(before).not.toContain(owner.userId);
    expect(before).not.toContain('Due diligence');
  }, 60_000);
});

describe('an owner and its servicer', () => {
  test('see each other’s organization, not each other’s people; requests for approval included', async () => {
    const owner = await signedIn(service, ROLES);
    const servicer = await signedIn(service, ROLES, servicerId);
    const loanId = await loanOf(owner);
    await granted(service.access, service.organizationId, { granteeOrganizationId: servicerId, access: 'servicing' });
    expect((await get(`loans/${loanId}`, servicer, PURPOSE)).status).toBe(200);
    const asked = await post('waive-fee', { loanId, feeId: 'F-1', reason: 'They asked' }, servicer, 202);
    const { approvalId } = asked;
    const request = (await get(`approvals/${approvalId}`, owner)).body.data;
    expect(request.requestedBy).toMatchObject({ organizationId: servicerId, userId: null });
    // The reason is shown to whoever has to decide on it.
    expect(request.body.reason).toBe('They asked');
    await post('approve', { approvalId, reason: DISCUSSED }, owner);
    const late = await service.call('POST', '/v2/chain/approve', {
      ...{ headers: servicer.headers, body: { approvalId, reason: 'x' } },
    });
    expect(late.text).not.toContain(owner.userId);

    const seen = await everything(loanId, owner, approvalId);
    expect(seen).not.toContain(servicer.userId);
    expect(seen).not.toContain(servicer.sessionId);
    expect(seen).not.toContain(PURPOSE);
    expect(seen).toContain(owner.userId);
    const theirs = await everything(loanId, servicer, approvalId);
    expect(theirs).not.toContain(owner.userId);
    expect(theirs).not.toContain(owner.sessionId);
    expect(theirs).toContain(servicer.userId);
    // Nor can they be searched for.
    expect((await get(`audit?userId=${servicer.userId}`, owner)).body.data.items).toEqual([]);
    expect((await get(`audit?userId=${servicer.userId}`, servicer)).body.data.items.length).toBeGreaterThan(0);
  }, 60_000);
});
