/** An administrator alone becomes nobody else: what would let them needs a fresh proof and, where there is one, a second administrator. */
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { type Colleague, type Desk, desk } from '../support/administrators.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { mailServer } from '../support/smtp.ts';
import { TRAIL } from '../support/trail.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let service: TestApp;
let room: Desk;
let anna: Colleague;
let ben: Colleague;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());
beforeEach(async () => {
  room = await desk(service);
  [anna, ben] = [await room.administrator(), await room.administrator()];
});

const PROVIDER = { issuer: 'https://login.example', clientId: 'daybook', clientSecret: 'not to be shown' };
const LATER = 5 * 60_000 + 1;

const code = ({ status, body }: Answered) => (status === 200 ? 'done' : status === 202 ? 'waits' : body.code);
const idOf = ({ status, body, text }: Answered): string => {
  expect(status, text).toBe(202);
  expect(body.data.loanId).toBeNull();
  return body.data.approvalId;
};
const approve = (who: Colleague, approvalId: string, previewHash?: string) =>
  who.post('approve', { approvalId, reason: 'Agreed', ...(previewHash && { previewHash }) });
const today = () => new Date(service.clock.now).toISOString().slice(0, 10);
const policy = (values: object, lenderId: string | null = null) => ({
  policyId: lenderId ?? 'standard',
  lenderId,
  from: today(),
  values,
});

describe('a new invitation of somebody who has accepted one', () => {
  test('waits for a second administrator, who is shown the link where there is no mail server', async () => {
    const agent = await room.colleague(['agent']);
    const asked = await anna.post('invite-user', { userId: agent.userId });
    const approvalId = idOf(asked);
    expect(asked.text).not.toContain('invitation#');
    expect(asked.body.data.preview).toEqual({ userId: agent.userId, roles: ['agent'], renews: true, returns: false });
    // Nobody else can: not who asked, not a client, not somebody who does not administer.
    const client = await room.client([...SCOPES]);
    expect(code(await approve(anna, approvalId))).toBe('own_request');
    expect(code(await client.post('approve', { approvalId, reason: 'Agreed' }))).toBe('person_required');
    expect(code(await approve(agent, approvalId))).toBe('insufficient_scope');
    expect((await agent.get('session')).status).toBe(200);
    const approved = await approve(ben, approvalId);
    expect(approved.body.data).toMatchObject({ state: 'approved', decidedBy: { userId: ben.userId }, loanId: null });
    const [, token] = approved.body.data.result.invitationUrl.split('#');
    expect((await service.access.people.invited(token))?.userId).toBe(agent.userId);
    // It is shown once.
    const later = await ben.get(`approvals/${approvalId}`);
    expect(later.body.data).toMatchObject({ state: 'approved', body: { userId: agent.userId } });
    expect(later.text).not.toContain(token);
    expect((await approve(ben, approvalId)).text).not.toContain(token);
  });

  test('is told to the person on their account page, and is in the trail', async () => {
    const agent = await room.colleague(['agent']);
    const means = () => service.call('GET', '/account/means', { headers: agentHeaders });
    const agentHeaders = { cookie: `daybook_session=${await secretOf(agent)}` };
    expect((await means()).body.data.invitation).toBeNull();
    const approvalId = idOf(await anna.post('invite-user', { userId: agent.userId }));
    await approve(ben, approvalId);
    expect((await means()).body.data.invitation).toMatchObject({ createdAt: expect.any(String) });
    const entries = await service.db.query(
      `SELECT user_id, operation, outcome, subject FROM ${TRAIL} WHERE approval_id = $1 ORDER BY entry_id`,
      [approvalId],
    );
    expect(entries).toEqual([
      { user_id: anna.userId, operation: 'invite-user', outcome: 'approval_requested', subject: agent.userId },
      { user_id: ben.userId, operation: 'approve', outcome: 'done', subject: null },
      { user_id: anna.userId, operation: 'invite-user', outcome: 'done', subject: agent.userId },
    ]);
  });

  test('goes to the person alone where there is a mail server', async () => {
    const mails = await mailServer();
    const mailing = await testApp({ SMTP_URL: mails.url, MAIL_FROM: 'daybook@example.com' });
    try {
      const there = await desk(mailing);
      /** The mails since the last time. */
      const mailed = () => mails.said.splice(0).join('\n').replaceAll('=\n', '');
      const boss = await there.administrator();
      const agent = await there.colleague(['agent']);
      const { body, text } = await boss.post('invite-user', { userId: agent.userId });
      expect(body.data).toMatchObject({ userId: agent.userId, invitationUrl: null, sent: true });
      expect(text).not.toContain('invitation#');
      expect(mailed()).toContain('/invitation#');
      const second = await there.administrator();
      const approvalId = idOf(await boss.post('invite-user', { userId: agent.userId }));
      // They are told at once.
      const told = mailed();
      expect(told).toContain('asked for a new invitation');
      expect(told).not.toContain('/invitation#');
      // Once, however often it is asked for.
      expect(idOf(await boss.post('invite-user', { userId: agent.userId }))).toBe(approvalId);
      expect(mailed()).toBe('');
      const approved = await approve(second, approvalId);
      expect(approved.body.data.result).toMatchObject({ invitationUrl: null, sent: true });
      expect(mailed()).toContain('/invitation#');
    } finally {
      await mailing.close();
      await mails.close();
    }
  });

  test('also of somebody who was disabled, or has other roles since; not of somebody who has never accepted', async () => {
    const agent = await room.colleague(['agent']);
    expect(code(await anna.post('disable-user', { userId: agent.userId }))).toBe('done');
    const approvalId = idOf(await anna.post('invite-user', { userId: agent.userId }));
    expect(code(await anna.post('update-user', { userId: agent.userId, roles: ['manager'] }))).toBe('done');
    const changed = await approve(ben, approvalId);
    expect([code(changed), changed.body.preview.roles]).toEqual(['outcome_changed', ['manager']]);
    expect(code(await approve(ben, approvalId, changed.body.previewHash))).toBe('done');
    const made = await anna.post('users', { email: 'new@example.com', name: 'New', roles: ['agent'] });
    expect(code(await anna.post('invite-user', { userId: made.body.data.userId }))).toBe('done');
  });

  test('needs a fresh proof, with a second administrator and without', async () => {
    const agent = await room.colleague(['agent']);
    service.clock.now += LATER;
    expect(code(await anna.post('invite-user', { userId: agent.userId }))).toBe('proof_required');
    await anna.signIn();
    expect(code(await anna.post('invite-user', { userId: agent.userId }))).toBe('waits');
    const alone = await desk(service);
    const only = await alone.administrator();
    const other = await alone.colleague(['agent']);
    const done = await only.post('invite-user', { userId: other.userId });
    expect([code(done), done.body.data.invitationUrl]).toEqual(['done', expect.stringContaining('invitation#')]);
    service.clock.now += LATER;
    expect(code(await only.post('invite-user', { userId: other.userId }))).toBe('proof_required');
  });
});

describe('a client that administers', () => {
  test('waits for a person who does, and does as it likes where nobody does', async () => {
    const agent = await room.colleague(['agent']);
    const client = await room.client([...SCOPES]);
    const approvalId = idOf(await client.post('invite-user', { userId: agent.userId }));
    expect(code(await approve(anna, approvalId))).toBe('done');
    const empty = await desk(service);
    const nobody = await empty.colleague(['agent']);
    expect(code(await (await empty.client([...SCOPES])).post('invite-user', { userId: nobody.userId }))).toBe('done');
  });

  test('does nothing for the only administrator that they would have to prove themselves', async () => {
    const alone = await desk(service);
    await service.access.putRole(alone.organizationId, { name: 'everything', scopes: [...SCOPES], limits: {} });
    const only = await alone.colleague(['everything']);
    const agent = await alone.colleague(['agent']);
    const { clientId, clientSecret } = (await only.post('clients', { name: 'mine', scopes: [...SCOPES] })).body.data;
    const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const headers = { authorization: `Bearer ${body.data.token}` };
    const call = await service.call('POST', '/v2/chain/disable-user', { headers, body: { userId: agent.userId } });
    expect(code(call)).toBe('done');
    const invited = await service.call('POST', '/v2/chain/remove-identity-provider', { headers, body: {} });
    expect(code(invited)).toBe('not_found');
    const keyed = { ...headers, key: await keyOf(only, clientId) };
    const set = await service.call('POST', '/v2/chain/identity-provider', { headers: keyed, body: PROVIDER });
    expect(code(set)).toBe('proof_required');
  });
});

describe('the identity provider', () => {
  test('is set and removed by two; its secret is shown to nobody', async () => {
    const approvalId = idOf(await anna.post('identity-provider', PROVIDER));
    expect(code(await ben.get('identity-provider'))).toBe('not_found');
    const shown = await ben.get(`approvals/${approvalId}`);
    expect(shown.body.data.body).toEqual({ ...PROVIDER, clientSecret: null });
    expect(shown.text).not.toContain(PROVIDER.clientSecret);
    const [row] = await service.db.query<{ all: string }>(
      'SELECT a::text AS all FROM organization_approvals a WHERE approval_id = $1',
      [approvalId],
    );
    expect(Buffer.from(row?.all ?? '', 'utf8').toString()).not.toContain(PROVIDER.clientSecret);
    expect(code(await approve(ben, approvalId))).toBe('done');
    expect((await ben.get('identity-provider')).body.data).toMatchObject({ issuer: PROVIDER.issuer });
    const removing = idOf(await ben.post('remove-identity-provider', {}));
    expect(code(await approve(anna, removing))).toBe('done');
    expect(code(await ben.get('identity-provider'))).toBe('not_found');
  });
});

describe('a policy', () => {
  const RULES = { 'waive-fee': { above: '50' }, 'assess-fee': true };
  const ASKS = { approvals: RULES, approvers: 'people' };

  test.each([
    ['without a rule', { ...ASKS, approvals: { 'assess-fee': true } }],
    ['with an amount in place of every call', { ...ASKS, approvals: { ...RULES, 'assess-fee': { above: '1' } } }],
    ['with a higher amount', { ...ASKS, approvals: { ...RULES, 'waive-fee': { above: '50.01' } } }],
    ['with more who may approve', { ...ASKS, approvers: 'any' }],
    ['of one lender that asks for less than that of all', { ...ASKS, approvals: {} }, 'L-1'],
  ])('%s waits for a second administrator', async (_, values, lenderId = null as never) => {
    expect(code(await anna.post('policies', policy(ASKS)))).toBe('done');
    const approvalId = idOf(await anna.post('policies', policy(values, lenderId)));
    expect((await anna.get('policies')).body.data.items).toHaveLength(1);
    expect(code(await approve(ben, approvalId))).toBe('done');
    expect((await anna.get('policies')).body.data.items).toHaveLength(2);
  });

  test.each([
    ['the same', ASKS],
    [
      'a lower amount, more rules and other values',
      {
        ...ASKS,
        graceDays: 5,
        approvalDays: 30,
        approvals: { ...RULES, 'waive-fee': { above: '10' }, settle: true },
      },
    ],
    ['every call in place of an amount', { ...ASKS, approvals: { ...RULES, 'waive-fee': true } }],
  ])('with %s does not', async (_, values) => {
    expect(code(await anna.post('policies', policy(ASKS)))).toBe('done');
    service.clock.now += LATER;
    expect(code(await anna.post('policies', policy(values)))).toBe('done');
  });

  test('that would now be another version is shown again first', async () => {
    await anna.post('policies', policy(ASKS));
    const approvalId = idOf(await anna.post('policies', policy({ ...ASKS, approvals: {} })));
    await anna.post('policies', policy({ ...ASKS, graceDays: 4 }));
    const changed = await approve(ben, approvalId);
    expect([code(changed), changed.body.preview.version]).toEqual(['outcome_changed', 3]);
  });

  test('of a later day is compared with what is in force then', async () => {
    await anna.post('policies', { ...policy(ASKS), from: '2027-01-01' });
    expect(code(await anna.post('policies', policy({})))).toBe('done');
    expect(code(await anna.post('policies', policy({}, 'L-1')))).toBe('waits');
  });
});

describe('nobody becomes the only administrator, or a second one, by themselves', () => {
  test('disabling one, and taking or giving the right, waits; the person concerned may agree', async () => {
    const agent = await room.colleague(['agent']);
    expect(code(await anna.post('disable-user', { userId: ben.userId }))).toBe('waits');
    expect(code(await anna.post('update-user', { userId: ben.userId, roles: ['agent'] }))).toBe('waits');
    expect(code(await anna.post('update-user', { userId: agent.userId, roles: ['administrator'] }))).toBe('waits');
    const made = await anna.post('users', { email: 'mine@example.com', name: 'Mine', roles: ['administrator'] });
    expect(code(made)).toBe('waits');
    const [only] = await service.access
      .listUsers(room.organizationId, { limit: 50, cursor: null })
      .then((page) => [page?.items]);
    expect(only?.filter(({ roles }) => roles.includes('administrator'))).toHaveLength(2);
    const approvalId = idOf(await anna.post('disable-user', { userId: ben.userId }));
    expect(code(await approve(ben, approvalId))).toBe('done');
    // Now she is the only one, with the other's consent.
    expect(code(await anna.post('invite-user', { userId: agent.userId }))).toBe('done');
  });

  test('a role that people have, and that administers from now on or no longer, waits', async () => {
    await service.access.putRole(room.organizationId, { name: 'desk', scopes: ['loans:read'], limits: {} });
    await room.colleague(['desk']);
    expect(code(await anna.post('roles', { name: 'desk', scopes: ['loans:read', 'admin'] }))).toBe('waits');
    expect(code(await anna.post('roles', { name: 'desk', scopes: ['loans:read', 'reports:read'] }))).toBe('done');
    expect(code(await anna.post('roles', { name: 'nobodys', scopes: ['admin'] }))).toBe('done');
  });

  test('an administrator who has not accepted yet is not invited again by one', async () => {
    const approvalId = idOf(
      await anna.post('users', { email: 'third@example.com', name: 'Third', roles: ['administrator'] }),
    );
    const { result } = (await approve(ben, approvalId)).body.data;
    expect(code(await anna.post('invite-user', { userId: result.userId }))).toBe('waits');
  });

  test('the last one stays, whoever agrees', async () => {
    const alone = await desk(service);
    const only = await alone.administrator();
    const client = await alone.client([...SCOPES]);
    expect(code(await client.post('disable-user', { userId: only.userId }))).toBe('conflict');
  });
});

slowTest(
  'whatever one administrator tries, in any order, by session and by clients, stays without effect while nobody agrees',
  async () => {
    await service.access.putRole(room.organizationId, { name: 'all', scopes: [...SCOPES], limits: {} });
    await service.access.putRole(room.organizationId, { name: 'desk', scopes: ['loans:read'], limits: {} });
    const mallory = await room.colleague(['all']);
    const [agent, gone] = [await room.colleague(['desk']), await room.colleague(['agent'])];
    await mallory.post('policies', policy({ approvals: { 'charge-off': true }, approvers: 'people' }));
    const callers: Pick<Colleague, 'post' | 'get'>[] = [mallory];
    const held = await mallory.post('clients', { name: 'held', scopes: [...SCOPES] });
    callers.push(await through(held.body.data));
    const people = [agent, gone, anna, ben].map(({ userId }) => userId);
    const roles = [['agent'], ['administrator'], ['all'], ['desk']];
    const random = seeded(7);
    const one = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
    const attempts: (() => [string, object])[] = [
      () => ['invite-user', { userId: one(people) }],
      () => ['disable-user', { userId: one(people) }],
      () => ['update-user', { userId: one(people), roles: one(roles) }],
      () => ['users', { email: `made.${random()}@example.com`, name: 'Made', roles: one(roles) }],
      () => ['roles', { name: 'desk', scopes: one([['loans:read', 'admin'], ['admin'], ['reports:read']]) }],
      () => ['identity-provider', PROVIDER],
      () => ['remove-identity-provider', {}],
      () => ['policies', policy({ approvals: one([{}, { 'charge-off': true }]), approvers: one(['any', 'people']) })],
      () => ['policies', policy({}, 'L-9')],
      () => ['create-key', { clientId: held.body.data.clientId }],
    ];
    let waited = 0;
    for (let n = 0; n < 80; n++) {
      const [path, body] = one(attempts)();
      const asked = await one(callers).post(path, body);
      if (asked.status !== 202) continue;
      waited += 1;
      for (const who of callers) {
        const tried = await who.post('approve', { approvalId: asked.body.data.approvalId, reason: 'Mine' });
        expect(['own_request', 'person_required'], `${path} ${tried.text}`).toContain(tried.body.code);
      }
    }
    expect(waited).toBeGreaterThan(20);
    // A role that nobody has may administer; those who have one are counted.
    const administers = await service.db.query<{ user_id: string }>(
      `SELECT user_id FROM users u WHERE organization_id = $1 AND status <> 'disabled' AND ('administrator' = ANY (roles) OR EXISTS (
       SELECT 1 FROM roles r WHERE r.organization_id = $1 AND r.name = ANY (u.roles) AND 'admin' = ANY (r.scopes))) ORDER BY 1`,
      [room.organizationId],
    );
    expect(administers.map(({ user_id }) => user_id)).toEqual([anna, ben, mallory].map(({ userId }) => userId).sort());
    const links = await service.db.query(
      `SELECT 1 FROM invitations i JOIN users u USING (user_id) WHERE u.organization_id = $1 AND u.accepted_at IS NOT NULL AND i.used_at IS NULL`,
      [room.organizationId],
    );
    expect(links).toEqual([]);
    expect(code(await anna.get('identity-provider'))).toBe('not_found');
    const { items } = (await anna.get('policies')).body.data;
    for (const { values } of items) {
      expect(values).toMatchObject({ approvals: { 'charge-off': true }, approvers: 'people' });
    }
  },
);

/** Numbers from 0 to 1, the same each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function through({ clientId, clientSecret, apiKey }: { clientId: string; clientSecret: string; apiKey: string }) {
  const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const headers = { authorization: `Bearer ${body.data.token}` };
  return {
    post: (path: string, given: object) =>
      service.call('POST', `/v2/chain/${path}`, { headers, key: apiKey, body: given }),
    get: (path: string) => service.call('GET', `/v2/chain/${path}`, { headers }),
  };
}

const secretOf = async ({ userId }: Colleague) =>
  (await service.access.people.begin(userId, { method: 'password', requestId: 'test' }))?.secret ?? '';
const keyOf = async (who: Colleague, clientId: string) =>
  (await who.post('create-key', { clientId })).body.data.apiKey as string;
