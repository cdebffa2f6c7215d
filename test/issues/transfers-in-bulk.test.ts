/** A transfer of many loans is that of the person who ordered it, with the limits and rights that they have while it goes on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import { openLoans } from '../../src/loans/open.ts';
import { type Approving, approving } from '../support/approvals.ts';
import { testMasterKeys, testSecrets } from '../support/loans.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { testWorkers as workers } from '../support/workers.ts';

let all: Approving;
let loanIds: string[];
beforeAll(async () => {
  all = await approving();
});
afterAll(() => all.service.close());
beforeEach(async () => {
  loanIds = [await all.loan(), await all.loan(), await all.loan()];
});

const reason = 'Servicing agreement 7';
const toServicer = () => ({ loanIds, what: 'servicer', to: 'SRV-77', date: '2026-01-15', reason });

const chain = (path: string) => `/v2/chain/${path}`;

async function ordered(person: SignedIn, body: object = toServicer()): Promise<string> {
  const { headers } = person;
  return (await all.done(all.service.call('POST', chain('transfers'), { headers, body }))).data.transferId;
}

/** Once nothing is left to do. */
async function ended(transferId: string) {
  await all.service.loans.transfers.goOn();
  return shown(transferId);
}
async function shown(transferId: string) {
  const token = await all.service.token();
  return (await all.done(all.service.call('GET', chain(`transfers/${transferId}`), { token }))).data;
}

const servicerOf = async (loanId: string): Promise<unknown[]> => {
  const sql = "SELECT user_id, client_id FROM events WHERE loan_id = $1 AND type = 'transferred'";
  return all.service.db.query(sql, [Buffer.from(loanId.slice(2), 'hex')]);
};

describe('limits', () => {
  test('an agent, who transfers no loan alone, transfers none in bulk', async () => {
    const agent = await signedIn(all.service, ['agent']);
    const one = await all.service.call('POST', chain('transfer'), {
      headers: agent.headers,
      body: { loanId: loanIds[0], what: 'servicer', to: 'SRV-77', date: '2026-01-15', reason },
    });
    expect(one.status).toBe(202);
    const run = await ended(await ordered(agent));
    expect(run).toMatchObject({
      done: 0,
      refused: 3,
      refusals: [{ refusal: 'approval_required', count: 3 }],
      stopped: null,
    });
    for (const loanId of loanIds) expect(await servicerOf(loanId)).toEqual([]);
  });

  test('a limit that is set after the order counts for what is left', async () => {
    const { service } = all;
    const scopes = ['loans:read', 'servicing:write'] as const;
    await service.access.putRole(service.organizationId, { name: 'mover', scopes: [...scopes], limits: {} });
    const transferId = await ordered(await signedIn(service, ['mover']));
    await service.access.putRole(service.organizationId, {
      ...{ name: 'mover', scopes: [...scopes] },
      limits: { transfer: 0 } as never,
    });
    expect(await ended(transferId)).toMatchObject({ done: 0, refusals: [{ refusal: 'approval_required', count: 3 }] });
  });
});

test('the loans and the trail name the person', async () => {
  const manager = await signedIn(all.service, ['manager']);
  const transferId = await ordered(manager);
  expect(await ended(transferId)).toMatchObject({ done: 3, refused: 0, stopped: null });
  for (const loanId of loanIds) expect(await servicerOf(loanId)).toMatchObject([{ user_id: manager.userId }]);
  const token = await all.service.token();
  const path = chain(`audit?loanId=${loanIds[0]}&operation=transfer`);
  const { data } = await all.done(all.service.call('GET', path, { token }));
  expect(data.items).toMatchObject([{ userId: manager.userId, operation: 'transfer', outcome: 'done' }]);
  const rows = await all.service.db.query('SELECT user_id FROM transfer_runs WHERE run_id = $1', [transferId]);
  expect(rows).toEqual([{ user_id: manager.userId }]);
});

describe('ends with a refusal', () => {
  const stopped = async (transferId: string, refusal: string) => {
    const run = await ended(transferId);
    expect(run).toMatchObject({ pending: 0, done: 0, refused: 3, stopped: { refusal } });
    expect(run.endedAt).not.toBeNull();
    expect(run.refusals).toEqual([{ refusal, count: 3 }]);
    expect(run.items[0].detail).toBe(run.stopped.detail);
    for (const loanId of loanIds) expect(await servicerOf(loanId)).toEqual([]);
  };

  test('when the person was disabled, also before its loans were gathered', async () => {
    const { service } = all;
    const manager = await signedIn(service, ['manager']);
    const transferId = await ordered(manager);
    const { loanIds: _, ...terms } = toServicer();
    const filtered = await ordered(manager, { ...terms, filter: { servicerId: 'SRV-1' } });
    await service.access.disableUser(service.organizationId, manager.userId);
    await stopped(transferId, 'not_granted');
    expect(await shown(filtered)).toMatchObject({
      ...{ complete: false, pending: 0, done: 0, refused: 0 },
      stopped: { refusal: 'not_granted', detail: 'The person that ordered this transfer is no longer active.' },
    });
  });

  test('when the person has lost the role', async () => {
    const { service } = all;
    const manager = await signedIn(service, ['manager']);
    const transferId = await ordered(manager);
    await service.access.updateUser(service.organizationId, manager.userId, { roles: ['auditor'] });
    await stopped(transferId, 'insufficient_scope');
  });

  test('when the client was revoked, has lost the scope, or its key was revoked', async () => {
    const { service } = all;
    const { organizationId, access } = service;
    const scopes = ['loans:read', 'servicing:write', 'loans:write'] as const;
    const made = async () => {
      const client = await access.createClient(organizationId, { name: 'mover', scopes: [...scopes] });
      const { clientId, clientSecret, apiKey: key } = client;
      const { body } = await service.call('POST', chain('auth-token'), { body: { clientId, clientSecret } });
      const answer = await service.call('POST', chain('transfers'), {
        token: body.data.token,
        key,
        body: toServicer(),
      });
      return { ...client, transferId: (await all.done(Promise.resolve(answer))).data.transferId };
    };
    const revoked = await made();
    await access.revokeClient(organizationId, revoked.clientId);
    await stopped(revoked.transferId, 'not_granted');
    const narrowed = await made();
    await access.updateClient(organizationId, narrowed.clientId, { scopes: ['loans:read'] });
    await stopped(narrowed.transferId, 'insufficient_scope');
    const keyless = await made();
    await access.revokeKey(organizationId, keyless.keyId);
    await stopped(keyless.transferId, 'key_required');
  });

  test('in the middle, by another process: what was done stays', async () => {
    const { service } = all;
    const more = await Promise.all(Array.from({ length: 37 }, () => all.loan()));
    const manager = await signedIn(service, ['manager']);
    const transferId = await ordered(manager, { ...toServicer(), loanIds: [...loanIds, ...more] });
    let steps = 0;
    const other = openLoans({
      ...{ db: service.db, clock: () => service.clock.now, masterKeys: testMasterKeys, secrets: testSecrets, workers },
      ...{ bureau: openSimulator(workers), simulator: openSimulator(workers) },
      async rightsNow(ordering) {
        steps += 1;
        if (steps === 2) await service.access.disableUser(service.organizationId, manager.userId);
        return service.access.rightsNow(ordering);
      },
    });
    await other.transfers.goOn();
    await other.close();
    expect(await shown(transferId)).toMatchObject({
      done: 32,
      refused: 8,
      pending: 0,
      stopped: { refusal: 'not_granted' },
    });
  });
});

test('goes on when the person has signed out', async () => {
  const manager = await signedIn(all.service, ['manager']);
  const transferId = await ordered(manager);
  await all.done(all.service.call('POST', chain('sign-out'), { headers: manager.headers, body: {} }));
  expect(await ended(transferId)).toMatchObject({ done: 3, refused: 0 });
});
