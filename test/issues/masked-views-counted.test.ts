/** A masked view of a borrower shows no digit of the social security number, and is counted: in the audit trail, by person or client and hour. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';
import { granted } from '../support/granted.ts';
import { sessionFor, signedIn } from '../support/people.ts';

const HOUR = 3_600_000;

let service: TestApp;
let loans: string[];
let digits: string;
beforeAll(async () => {
  service = await testApp();
  const token = await service.token();
  const make = async (n: number) => {
    const answer = await service.call('POST', '/v2/chain/loans', {
      ...{ token, key: service.credentials.apiKey, body: fullBody(n) },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.loanId as string;
  };
  loans = [await make(3), await make(5)];
  digits = String((fullBody(3) as Given).Request.ApplicantInfo.ApplicantSSN).slice(-4);
  expect(digits).toMatch(/^\d{4}$/);
}, 60_000);
afterAll(() => service.close());

type Given = { Request: { ApplicantInfo: { ApplicantSSN: string } } };

/** At the beginning of another hour. */
beforeEach(async () => {
  service.clock.now = Math.ceil(service.clock.now / HOUR) * HOUR + HOUR;
  await service.loans.people.saveSightings();
});

type Way = { token?: string; key?: string; headers?: Record<string, string> };

const look = (way: Way, loanId = loans[0] ?? '') => service.call('GET', `/v2/chain/loans/${loanId}/identity`, way);

async function entries(organizationId = service.organizationId) {
  const [client] = (await service.access.listClients(organizationId, { limit: 1, cursor: null }))?.items ?? [];
  const caller = { organizationId, clientId: client?.clientId ?? '', userId: null, keyId: null, requestId: 'test' };
  const page = await service.loans.audit.list(caller, { operation: 'read-identity', limit: 100, cursor: null });
  if (page === 'bad_cursor') throw new Error(page);
  return page.items;
}

test('views are counted by person and by client, an entry for each hour', async () => {
  const before = (await entries()).length;
  const token = await service.token(['loans:read_pii']);
  const person = await signedIn(service, ['agent']);
  for (let n = 0; n < 3; n++) expect((await look({ headers: person.cookie }, loans[n % 2])).status).toBe(200);
  expect((await look({ token })).status).toBe(200);
  // In the same hour another process adds to the count.
  await service.loans.people.saveSightings();
  service.clock.now += HOUR / 2;
  expect((await look({ headers: (await sessionFor(service, person.userId)).cookie })).status).toBe(200);
  await service.loans.people.saveSightings();
  expect(await entries()).toHaveLength(before);
  const [kept] = await service.db.query<{ n: number }>('SELECT sum(count)::int AS n FROM sightings');
  expect(kept?.n).toBe(5);

  const hour = new Date(service.clock.now).toISOString().slice(0, 13);
  service.clock.now += HOUR;
  await service.loans.people.saveSightings();
  const made = (await entries()).slice(0, -before || undefined);
  const seen = made.map(({ kind, subject, userId, count, outcome }) => ({ kind, subject, userId, count, outcome }));
  const entry = { kind: 'saw', subject: `masked ${hour}`, outcome: 'done' };
  expect(seen).toHaveLength(2);
  expect(seen).toEqual(
    expect.arrayContaining([
      { ...entry, userId: person.userId, count: 4 },
      { ...entry, userId: null, count: 1 },
    ]),
  );
  // Once.
  await service.loans.people.saveSightings();
  expect(await entries()).toHaveLength(before + 2);
});

test('those of a loan of another organization are in both trails', async () => {
  const { organizationId } = await service.access.createOrganization('Servicer');
  await granted(service.access, service.organizationId, { granteeOrganizationId: organizationId, access: 'read' });
  const person = await signedIn(service, ['agent'], organizationId);
  expect((await look({ headers: person.cookie })).status).toBe(200);
  service.clock.now += HOUR + HOUR / 2;
  await service.loans.people.saveSightings();
  expect(await entries(organizationId)).toMatchObject([{ organizationId, userId: person.userId, count: 1 }]);
  expect((await entries())[0]).toMatchObject({ organizationId, userId: null, count: 1 });
});

test('counts are kept while the database cannot be reached, and saved when the service stops', async () => {
  const person = await signedIn(service, ['agent']);
  expect((await look({ headers: person.cookie })).status).toBe(200);
  await service.db.query('ALTER TABLE sightings RENAME TO away');
  await expect(service.loans.people.saveSightings()).rejects.toThrow();
  await service.db.query('ALTER TABLE away RENAME TO sightings');
  await service.loans.people.saveSightings();
  const [kept] = await service.db.query<{ n: number }>('SELECT count AS n FROM sightings WHERE user_id = $1', [
    person.userId,
  ]);
  expect(kept?.n).toBe(1);
});

test('without a purpose no digit of the number is shown; with one it is a disclosure', async () => {
  const person = await signedIn(service, ['agent']);
  const token = await service.token();
  const key = service.credentials.apiKey;
  const without: Way[] = [{ headers: person.cookie }, { token }, { token, key }, { token, headers: { purpose: 'x' } }];
  for (const way of [...without, { headers: { ...person.cookie, purpose: '  ' } }]) {
    const { status, body, text } = await look(way);
    expect([status, body.data.borrower.ssn]).toEqual([200, '••••']);
    expect(text).not.toContain(digits);
  }
  const disclosed = async () =>
    (await service.call('GET', `/v2/chain/loans/${loans[0]}/disclosures`, { token, key })).body.data.items.filter(
      ({ what }: { what: string }) => what === 'identity',
    );
  expect(await disclosed()).toEqual([]);
  const purpose = { purpose: 'Caller says the last four' };
  for (const way of [{ headers: { ...person.cookie, ...purpose } }, { token, key, headers: purpose }]) {
    const { body, headers } = await look(way);
    expect(body.data.borrower.ssn).toBe(`•••• ${digits}`);
    expect(headers.get('cache-control')).toBe('no-store');
  }
  expect(await disclosed()).toMatchObject([
    { userId: null, ...purpose },
    { userId: person.userId, ...purpose },
  ]);
  await service.loans.people.saveSightings();
  const [counted] = await service.db.query<{ n: number }>('SELECT count AS n FROM sightings WHERE user_id = $1', [
    person.userId,
  ]);
  expect(counted?.n).toBe(2);
});
