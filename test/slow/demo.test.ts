/** The demonstration as a user sees it: a first start without settings, stopped in the middle, and the starts after it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { STATUSES } from '../../src/core/loan.ts';
import { DEMO_PEOPLE } from '../../src/demo/people.ts';
import { migratedDataDir } from '../support/data-dir.ts';
import { askTheBooks } from '../support/demo-questions.ts';
import { atItsDatabase, sessionFor } from '../support/people.ts';
import { call, cli, endAll, eventually, type Service, startService } from '../support/service.ts';

// A loaded machine takes ten times as long.
const PATIENT = 300_000;
afterAll(endAll, PATIENT);

const BY_ITSELF = { LOG_LEVEL: 'info', DEMO: '' };

async function statusesOf(service: Service, credentials: Parameters<Service['token']>[0]): Promise<string[]> {
  const token = await service.token(credentials);
  const list = async (cursor: string): Promise<string[]> => {
    const { body } = await call(service.url, 'GET', `/v2/chain/loans?limit=100${cursor}`, { token });
    const { items, nextCursor } = body.data;
    const statuses = items.map(({ loanStatus }: { loanStatus: string }) => loanStatus);
    return nextCursor === null ? statuses : [...statuses, ...(await list(`&cursor=${encodeURIComponent(nextCursor)}`))];
  };
  return list('');
}

/** The first client, who has only been granted access, finds a loan that is late and takes a payment for it. */
async function serviceTheDemo(service: Service, credentials: Parameters<Service['token']>[0]) {
  const token = await service.token(credentials);
  const ask = (method: string, path: string, body?: object) =>
    call(service.url, method, `/v2/chain/${path}`, { token, ...(body && { body }) });
  const { body: listed } = await ask('GET', 'loans?status=Delinquent&limit=1');
  const [late] = listed.data.items;
  const paid = await ask('POST', 'loan-repay', { loanId: late.loanId, refId: 'DESK-1', amount: '50.00' });
  expect(paid.status, JSON.stringify(paid.body)).toBe(200);
  expect((await ask('POST', 'acknowledge-repayment', { loanId: late.loanId, refId: 'DESK-1' })).status).toBe(200);
  const { body: grants } = await ask('GET', 'grants');
  expect(grants.data.items.map(({ access }: { access: string }) => access)).toContain('servicing');
}

/** Its own client moves its clock a week on: loans have become late, and the books tie on every day. */
async function advanceTheDemo(service: Service, demo: Parameters<Service['token']>[0] & object) {
  const token = await service.token(demo);
  const get = async (path: string) => (await call(service.url, 'GET', `/v2/chain/${path}`, { token })).body.data;
  const { kind, today, advancing } = await get('clock');
  expect({ kind, advancing }).toEqual({ kind: 'test', advancing: null });
  const days = Array.from({ length: 8 }, (_, n) => Temporal.PlainDate.from(today).add({ days: n }).toString());
  const reached = days.at(-1) as string;
  const advanced = await call(service.url, 'POST', '/v2/chain/clock/advance', { token, body: { to: reached } });
  expect(advanced.status, JSON.stringify(advanced.body)).toBe(200);
  await eventually(async () => (await get('clock')).advancing === null, 60_000);
  for (const day of days) {
    const { accounts } = await get(`ledger/tie-out?asOf=${day}`);
    expect(accounts.filter(({ difference }: { difference: string }) => difference !== '0')).toEqual([]);
    expect((await get(`ledger/entries?date=${day}`)).items.length > 0).toBe(day !== reached);
  }
  return { demo, reached };
}

/** Every answer that a controller needs, of all loans of the demonstration. */
async function auditTheDemo(service: Service, demo: Parameters<Service['token']>[0] & object) {
  const token = await service.token(demo);
  const asked = async (path: string, headers?: Record<string, string>) => {
    const answer = await call(service.url, 'GET', `/v2/chain/${path}`, { token, ...(headers && { headers }) });
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200);
    return answer;
  };
  const counts = await askTheBooks({
    get: async (path) => (await asked(path)).body.data,
    csv: async (path) => String((await asked(path, { accept: 'text/csv' })).text),
  });
  const found = (what: string) => counts[what] ?? 0;
  expect(found('loans')).toBeGreaterThan(90);
  expect(
    Math.min(...['month ends', 'months of cash', 'fundings', 'boarded', 'late fees'].map(found)),
    JSON.stringify(counts),
  ).toBeGreaterThan(0);
}

/** The command that the start names lets somebody in who sees everything; the invented people are there, and cannot sign in. */
async function openTheConsole(
  service: Service,
  { dataDir, roles, organization }: { dataDir: string; roles: string; organization: string },
) {
  const env = { DATA_DIR: dataDir };
  const asked = ['--email', 'ada@example.com', '--name', 'Ada Byron', '--roles', roles, '--organization', organization];
  const invited = await cli(['users', 'invite', ...asked, '--json'], env);
  expect(invited.code, invited.output).toBe(0);
  const { userId } = JSON.parse(invited.output);
  const { cookie } = await atItsDatabase(env, ({ access }) =>
    access.people
      .change((tx) => access.people.accept(tx, JSON.parse(invited.output).invitationUrl.split('#')[1]))
      .then(() => sessionFor({ access }, userId)),
  );
  const get = async (path: string) =>
    (await call(service.url, 'GET', `/v2/chain/${path}`, { headers: cookie })).body.data;
  expect((await get('loans?limit=100')).items.length).toBeGreaterThan(90);
  const { items: waiting } = await get('approvals?state=pending');
  expect(waiting.map(({ operation }: { operation: string }) => operation).sort()).toEqual(['settle', 'waive-fee']);
  expect(
    waiting.every(({ requestedBy }: { requestedBy: { userId: string } }) => /^user_/.test(requestedBy.userId)),
  ).toBe(true);
  const { items } = await get('users?limit=100');
  expect(items.map(({ email, status }: { email: string; status: string }) => `${email} ${status}`).sort()).toEqual(
    [...DEMO_PEOPLE.map(({ email }) => `${email} invited`), 'ada@example.com active'].sort(),
  );
}

type Described = {
  parameters?: { in: string; name: string; required?: boolean; example?: string }[];
  requestBody?: { content: Record<string, { example?: object; examples?: Record<string, { value: object }> }> };
};

/** They name what a caller has to make first, or a person who has signed in. */
const NOT_THERE = [
  ...['GET session', 'GET transfers/{transfer_id}', 'GET policies/{policy_id}', 'GET identity-provider'],
  ...['GET webhook-endpoints/{endpoint_id}', 'POST accept-transfer', 'POST cancel-transfer', 'POST ledger/close-year'],
  'POST update-stipulation',
];
/** Without a dry run, and harmless to the rest of this test. */
const REALLY = ['reject', 'users', 'roles', 'clients', 'webhook-endpoints'];

/** Each example of the playground is sent as it stands, and answered; a write that has a dry run, as one. */
async function tryTheExamples(service: Service, demo: Parameters<Service['token']>[0] & { apiKey: string }) {
  const token = await service.token(demo);
  const { body: document } = await call(service.url, 'GET', '/docs/openapi.json');
  expect(document.info.description).toContain('demonstration');
  const failed: string[] = [];
  let tried = 0;
  for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const json = requestBody?.content['application/json'];
      const body = json?.example ?? Object.values(json?.examples ?? {})[0]?.value;
      const name = path.replace('/v2/chain/', '');
      const dry = parameters.some((parameter) => parameter.name === 'dryRun');
      const changes = method === 'post' && !dry && !/calculate|simulate|search|notice/.test(name);
      if (changes && !REALLY.includes(name)) continue;
      // Without an id the address would be that of the list.
      const value = ({ example = '-' }: { example?: string }) => encodeURIComponent(example);
      const filled = parameters.reduce((all, one) => all.replace(`{${one.name}}`, value(one)), path);
      // Entries are asked for by their date, unless they are those by hand.
      const isAsked = (one: { name: string; required?: boolean }) =>
        one.required === true || (name === 'ledger/entries' && one.name === 'date');
      const query = parameters.filter((one) => one.in === 'query' && isAsked(one));
      const asked = [...query.map((one) => `${one.name}=${value(one)}`), ...(dry ? ['dryRun=true'] : [])].join('&');
      const answer = await call(service.url, method.toUpperCase(), `${filled}${asked && '?'}${asked}`, {
        ...{ token, key: demo.apiKey },
        ...(body && { body }),
      });
      tried += 1;
      const works = answer.status >= 200 && answer.status < 300;
      if (!works) failed.push(`${method.toUpperCase()} ${name}`);
    }
  }
  expect(failed.sort()).toEqual(NOT_THERE.sort());
  expect(tried).toBeGreaterThan(110);
}

test(
  'the first start fills it beside the requests, a stop is waited for, the next start finishes it, a third leaves it alone',
  async () => {
    const dataDir = await migratedDataDir();
    const first = await startService({ dataDir, env: BY_ITSELF });
    await eventually(() => first.output().includes('filling the demo'));
    const letIn = /Console with demo data\n +\S+ \S+ npm run users -- (invite .*) --roles (\S+) --organization (\S+)\n/;
    const [, , roles = '', organization = ''] = letIn.exec(first.output()) ?? [];
    expect(roles).toBe('administrator,manager,underwriter,accountant');
    const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
    await eventually(async () => (await statusesOf(first, credentials)).length > 2, 60_000);
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(first.output()).toMatch(/"msg":"demo stopped"/);

    // More is asked of it in a minute than a client may.
    const second = await startService({ dataDir, env: { ...BY_ITSELF, RATE_LIMIT: '0' } });
    await eventually(() => /"refused":0,.*"msg":"demo filled"/.test(second.output()), 200_000);
    const statuses = await statusesOf(second, credentials);
    expect(statuses.length).toBeGreaterThanOrEqual(95);
    expect([...new Set(statuses)].sort()).toEqual([...STATUSES].sort());
    await serviceTheDemo(second, credentials);
    const days = await advanceTheDemo(second, JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')).demo);
    await auditTheDemo(second, days.demo);
    await openTheConsole(second, { dataDir, roles, organization });
    await tryTheExamples(second, days.demo);
    const verified = await cli(['verify'], { DATA_DIR: dataDir });
    expect([verified.code, verified.output]).toEqual([0, expect.stringContaining('No problems found.')]);
    expect(await second.stop('SIGTERM')).toBe(0);

    const third = await startService({ dataDir, env: BY_ITSELF });
    const { body } = await call(third.url, 'GET', '/v2/chain/clock', { token: await third.token(days.demo) });
    expect(body.data).toMatchObject({ kind: 'test', today: days.reached, advancing: null });
    expect(await third.stop('SIGTERM')).toBe(0);
    expect(third.output()).not.toContain('demo');
  },
  PATIENT,
);

test(
  'whoever brings the first client’s credentials gets no demonstration',
  async () => {
    const credentials = {
      clientId: 'given-id',
      clientSecret: 'given-secret-of-the-demo-test',
      apiKey: 'given-api-key-of-the-demo-test',
    };
    const service = await startService({ dataDir: await migratedDataDir(), credentials, env: BY_ITSELF });
    expect(await statusesOf(service, credentials)).toEqual([]);
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(service.output()).not.toContain('demo');
  },
  PATIENT,
);
