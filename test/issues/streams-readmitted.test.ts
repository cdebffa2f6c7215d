/**
 * Long answers go on only while their caller may still have them: a client that is revoked, a person who is disabled, a scope, a key or a grant
 * that is lost end them, at the next piece. The database is held until the caller has lost its access, so that nothing depends on time.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { date } from '../../src/core/calendar.ts';
import { operations } from '../../src/http/routes.ts';
import { ACCOUNTS } from '../../src/ledger/chart.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { signedIn } from '../support/people.ts';
import { loanIn } from '../support/statuses.ts';

/** The tables that exports read, and none of access. */
const READ = ['loans', 'events', 'positions', 'account_days', 'journal'];
const SCOPES: readonly Scope[] = ['reports:read', 'loans:read', 'loans:read_pii', 'events:read'];

let service: TestApp;
let others: { organizationId: string };
beforeAll(async () => {
  service = await testApp();
  const own = { token: await service.token(), key: service.credentials.apiKey };
  const post = (path: string, body: object) => service.call('POST', `/v2/chain/${path}`, { ...own, body });
  await loanIn('Current', post, async () => '');
  const codes = { codes: Object.fromEntries(ACCOUNTS.map((account, n) => [account, String(1_000 + n)])) };
  expect((await post('ledger/account-codes', codes)).status).toBe(200);
  // The month is over, and its books are complete.
  service.clock.now = Date.UTC(2026, 1, 3, 12);
  await service.loans.cycle.runCyclesThrough(service.organizationId, date('2026-02-02'));
  await service.loans.ledger.seal();
  others = await service.access.createOrganization('Servicer');
}, 60_000);
afterAll(() => service.close());

async function client(organizationId = service.organizationId) {
  const made = await service.access.createClient(organizationId, { name: 'reader', scopes: [...SCOPES] });
  const { clientId, clientSecret } = made;
  const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const headers = { authorization: `Bearer ${body.data.token}`, key: made.apiKey, purpose: 'Reconciliation' };
  return { ...made, headers };
}

/** The rest of the answer, with the access lost while its first rows are being read; null: it was not sent to its end. */
async function readWhile(
  path: string,
  headers: Record<string, string>,
  lose: () => Promise<unknown>,
): Promise<string | null> {
  const whole = async () => {
    const response = await fetch(`${service.url}/v2/chain/${path}`, { headers });
    expect(response.status).toBe(200);
    return response.text();
  };
  let answer: Promise<string | null> | undefined;
  await service.db.transaction(async (tx) => {
    await tx.query(`LOCK TABLE ${READ.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    answer = whole().catch((error: unknown) => {
      if (error instanceof TypeError) return null;
      throw error;
    });
    for (let waiting = 0; waiting === 0; ) {
      const [row] = await tx.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = ANY($1::regclass[])
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [READ],
      );
      waiting = row?.n ?? 0;
    }
    await lose();
  });
  return answer as Promise<string | null>;
}

const nothing = async () => {};

describe('every answer that is made while it is sent', () => {
  const QUERIES: Readonly<Record<string, string>> = { exportPeriod: '?period=2026-01', exportPositions: '' };
  const streaming = operations.filter(({ media = [], isAlias }) => !isAlias && media.includes('application/x-ndjson'));

  test('is listed here', () => {
    expect(streaming.map(({ id }) => id).sort()).toEqual([
      'exportEvents',
      'exportJournal',
      'exportLoans',
      'exportPayments',
      'exportPeriod',
      'exportPositions',
    ]);
    // Events readmit their caller at each page by themselves, because they go on with what is left of its reach.
    const live = operations.filter(({ media = [] }) => media.includes('text/event-stream')).map(({ id }) => id);
    expect(live).toEqual(['listEvents']);
  });

  test.each(streaming.map(({ id, path }) => [id, `${path.slice(1)}${QUERIES[id] ?? ''}`]))(
    '%s ends when its client is revoked',
    async (_id, path) => {
      const whole = await client();
      expect(await readWhile(path, whole.headers, nothing)).toMatch(/\n|^$/);
      const { clientId, headers } = await client();
      const lost = () => service.access.revokeClient(service.organizationId, clientId);
      expect(await readWhile(path, headers, lost)).toBeNull();
    },
  );
});

describe('an export ends when its caller loses', () => {
  test('a scope, even if the export itself does not need it', async () => {
    const { clientId, headers } = await client();
    const lose = () => service.access.updateClient(service.organizationId, clientId, { scopes: ['reports:read'] });
    expect(await readWhile('exports/loans?personal=true', headers, lose)).toBeNull();
  });

  test('its API key', async () => {
    const { keyId, headers } = await client();
    const lose = () => service.access.revokeKey(service.organizationId, keyId);
    expect(await readWhile('exports/loans?personal=true', headers, lose)).toBeNull();
  });

  test('its token, by a new secret', async () => {
    const { clientId, headers } = await client();
    const lose = () => service.access.rotateClient(service.organizationId, clientId, { what: 'secret' });
    expect(await readWhile('exports/loans', headers, lose)).toBeNull();
  });

  test('its session, and when the person is disabled', async () => {
    const one = await signedIn(service, ['auditor']);
    const leave = () => service.access.people.end(one.sessionId, 'signed_out');
    expect(await readWhile('exports/loans', one.cookie, leave)).toBeNull();
    const other = await signedIn(service, ['auditor']);
    const disable = () => service.access.disableUser(service.organizationId, other.userId);
    expect(await readWhile('exports/loans', other.cookie, disable)).toBeNull();
  });

  test.each(['revokeGrant', 'endGrant'] as const)('the loans of another organization: %s', async (how) => {
    const { headers } = await client(others.organizationId);
    const give = () =>
      granted(service.access, service.organizationId, {
        ...{ granteeOrganizationId: others.organizationId, access: 'read' },
      });
    const { grantId } = await give();
    const whole = await readWhile('exports/loans', headers, nothing);
    expect(whole?.trim().split('\n')).toHaveLength(1);
    const by = how === 'revokeGrant' ? service.organizationId : others.organizationId;
    expect(await readWhile('exports/loans', headers, () => service.access[how](by, grantId))).toBeNull();
    // Without it there is nothing to show, and the export can be taken again.
    expect(await readWhile('exports/loans', headers, nothing)).toBe('');
  });
});
