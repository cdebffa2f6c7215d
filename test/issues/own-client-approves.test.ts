/** Everybody who has seen a credential of a client counts as that client: nobody approves their own request through one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { slowTest, WHOLE } from '../support/whole.ts';

let all: Approving;
beforeAll(async () => {
  all = await approving();
  await all.policy({ approvals: { 'waive-fee': true } });
});
afterAll(() => all.service.close());

type Credentials = { clientId: string; clientSecret: string; apiKey: string };

/** A caller with the credentials of a client. */
async function through({ clientId, clientSecret }: Credentials): Promise<Someone> {
  const { service } = all;
  const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const headers = { authorization: `Bearer ${body.data.token}` };
  return {
    clientId,
    userId: null,
    post: (path, given) => service.call('POST', `/v2/chain/${path}`, { headers, body: given }),
    get: (path) => service.call('GET', `/v2/chain/${path}`, { headers }),
  };
}

const SERVICE: Scope[] = ['loans:read', 'servicing:write', 'admin'];
const ADMINISTERS: Scope[] = [...SERVICE];

const person = (name: string) => all.person(name, {}, ADMINISTERS);
const operatorMade = async (scopes: Scope[] = ADMINISTERS) =>
  all.service.access.createClient(all.service.organizationId, { name: 'by the operator', scopes });
const makes = async (maker: Someone, scopes: Scope[] = ADMINISTERS): Promise<Credentials> =>
  (await all.done(maker.post('clients', { name: 'made', scopes }))).data;

/** Asks for a waiver as one, and approves it as another. */
async function tried(one: Someone, other: Someone, loan = all.loan()) {
  const loanId = await loan;
  const { data } = await all.done(one.post('waive-fee', { loanId, feeId: 'F-1', reason: 'Please' }), 202);
  const { status, body } = await other.post('approve', { approvalId: data.approvalId, reason: 'Agreed' });
  return status === 200 ? 'approved' : (body.code as string);
}

describe('refused as their own request', () => {
  // Nothing of it changes, so one loan is enough.
  let shared: Promise<string>;
  beforeAll(async () => {
    shared = all.loan();
    await shared;
  });

  test('a person, through a client that they made, in both directions', async () => {
    const alice = await person('alice');
    const made = await through(await makes(alice));
    expect([await tried(alice, made, shared), await tried(made, alice, shared)]).toEqual([
      'own_request',
      'own_request',
    ]);
  });

  test.each(WHOLE ? ['secret', 'key', 'both'] : ['both'])(
    'a person, through a client whose %s they replaced',
    async (what) => {
      const bob = await person('bob');
      const client = await operatorMade();
      const rotated = (await all.done(bob.post('rotate-client', { clientId: client.clientId, what }))).data;
      const held = await through({ ...client, ...rotated });
      expect(await tried(bob, held, shared)).toBe('own_request');
    },
  );

  test('a person, through a client of which they made a further key', async () => {
    const carol = await person('carol');
    const client = await operatorMade();
    await all.done(carol.post('create-key', { clientId: client.clientId }));
    expect(await tried(carol, await through(client), shared)).toBe('own_request');
  });

  test('two clients that one client made, and that client itself', async () => {
    const maker = await through(await operatorMade());
    const [one, two] = [await through(await makes(maker)), await through(await makes(maker))];
    expect([await tried(one, two, shared), await tried(two, maker, shared), await tried(maker, one, shared)]).toEqual(
      Array(3).fill('own_request'),
    );
  });

  slowTest('over any number of clients between them', async () => {
    const dora = await person('dora');
    const first = await through(await makes(dora));
    const second = await through(await makes(first));
    const third = await through(await makes(second));
    expect([await tried(dora, third, shared), await tried(third, dora, shared)]).toEqual([
      'own_request',
      'own_request',
    ]);
  });

  slowTest('a client that replaces its own secret stays its maker’s', async () => {
    const erin = await person('erin');
    const made = await makes(erin);
    const rotated = await all.done(
      (await through(made)).post('rotate-client', { clientId: made.clientId, what: 'both' }),
    );
    expect(await tried(erin, await through({ ...made, ...rotated.data }), shared)).toBe('own_request');
  });

  test('whoever had a client before somebody else took it over', async () => {
    const [fred, gina] = [await person('fred'), await person('gina')];
    const made = await makes(fred);
    const rotated = await all.done(gina.post('rotate-client', { clientId: made.clientId, what: 'both' }));
    const held = await through({ ...made, ...rotated.data });
    expect([await tried(fred, held, shared), await tried(gina, held, shared)]).toEqual(['own_request', 'own_request']);
  });

  slowTest('a client of a person who was disabled since, once they are back', async () => {
    const hugo = await person('hugo');
    const made = await through(await makes(hugo));
    const { access, organizationId } = all.service;
    await access.disableUser(organizationId, hugo.userId ?? '');
    const { token } = (await access.inviteUser(organizationId, hugo.userId ?? '')) ?? { token: '' };
    await access.people.change((tx) => access.people.accept(tx, token));
    expect(await tried(made, await person('hugo'), shared)).toBe('own_request');
  });
});

describe('approved', () => {
  test('by another person, by a client that somebody else made, and by one of the operator', async () => {
    const [jill, kate] = [await person('jill'), await person('kate')];
    const hers = await through(await makes(kate));
    const [one, two] = [await through(await operatorMade()), await through(await operatorMade())];
    expect([await tried(jill, kate), await tried(jill, hers), await tried(jill, one), await tried(one, two)]).toEqual(
      Array(4).fill('approved'),
    );
  });

  test('by nobody new when a person only changed the scopes of a client', async () => {
    const liam = await person('liam');
    const client = await operatorMade();
    await all.done(liam.post('update-client', { clientId: client.clientId, name: 'renamed' }));
    expect(await tried(liam, await through(client))).toBe('approved');
  });
});

test('the requester withdraws through any client that they hold', async () => {
  const mona = await person('mona');
  const made = await through(await makes(mona));
  const loanId = await all.loan();
  const { data } = await all.done(mona.post('waive-fee', { loanId, feeId: 'F-1', reason: 'Please' }), 202);
  const rejected = await all.done(made.post('reject', { approvalId: data.approvalId, reason: 'Not needed' }));
  expect(rejected.data.state).toBe('rejected');
});

test('the list of clients says who holds them', async () => {
  const nora = await person('nora');
  const { clientId } = await makes(nora);
  const { data } = await all.done(nora.get('clients'));
  expect(data.items.find((one: { clientId: string }) => one.clientId === clientId).holders).toEqual([nora.userId]);
});

describe('approvers: people', () => {
  test('a client cannot approve, whoever asked; a person can; a client may reject', async () => {
    const [otto, paul] = [await person('otto'), await person('paul')];
    const client = await through(await operatorMade());
    await all.policy({ approvals: { 'waive-fee': true }, approvers: 'people' });
    const loanId = await all.loan();
    const ask = () => otto.post('waive-fee', { loanId, feeId: 'F-1', reason: 'Please' });
    const { approvalId } = (await all.done(ask(), 202)).data;
    const refused = await client.post('approve', { approvalId, reason: 'Agreed' });
    expect([refused.status, refused.body.code]).toEqual([403, 'person_required']);
    expect((await all.done(client.post('reject', { approvalId, reason: 'No' }))).data.state).toBe('rejected');
    const again = (await all.done(ask(), 202)).data;
    expect((await all.done(paul.post('approve', { approvalId: again.approvalId, reason: 'Agreed' }))).data.state).toBe(
      'approved',
    );
  });
});
