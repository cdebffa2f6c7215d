/** Commands as processes, beside a running service and on a stopped one. */
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atItsDatabase, sessionFor } from '../support/people.ts';
import {
  call,
  cli,
  endAll,
  eventually,
  newDataDir,
  PROJECT,
  postmasterOf,
  run,
  type Service,
  serviceEnv,
  startService,
} from '../support/service.ts';

const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-command-line',
  apiKey: 'first-key-of-the-command-line',
};
const PATIENT = { timeout: 90_000 };

afterAll(endAll, PATIENT.timeout);

describe('on a database', PATIENT, () => {
  const dataDir = newDataDir();
  const env = { DATA_DIR: dataDir };
  let service: Service;

  const json = async (...args: string[]) => {
    const { code, stdout, output } = await cli([...args, '--json'], env);
    expect(code, output).toBe(0);
    return JSON.parse(stdout);
  };

  test('migrate --snapshot writes what is committed', async () => {
    // In a copy of the project, because it writes into it: what the generator writes is what is committed.
    const copy = newDataDir('a copy');
    for (const part of ['src', 'migrations', 'package.json'])
      cpSync(join(PROJECT, part), join(copy, part), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
    rmSync(join(copy, 'migrations', 'schema.sql'));
    const again = await cli(['migrate', '--snapshot'], env, copy);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ migrations applied\.\n$/) });
    const [written, committed] = [copy, PROJECT].map((root) =>
      readFileSync(join(root, 'migrations', 'schema.sql'), 'utf8'),
    );
    expect(written).toBe(committed);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test('Ctrl-C ends a command and the database that it started', async () => {
    const command = run(process.execPath, [join(PROJECT, 'src', 'cli', 'main.ts'), 'migrate', '--status'], {
      env,
    });
    await eventually(() => postmasterOf(dataDir) !== undefined || command.hasEnded(), 30_000, 5);
    await command.stop('SIGINT');
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  describe('that a service uses', () => {
    beforeAll(async () => {
      service = await startService({ dataDir, credentials: FIRST });
    }, PATIENT.timeout);

    test('a person from the invitation to leaving; the only administrator is recovered and stays', async () => {
      const invite = (email: string, roles: string) =>
        cli(['users', 'invite', '--email', email, '--name', 'Dana Reyes', '--roles', roles], env);
      const made = await invite('dana@harbor.example', 'administrator, agent');
      expect(made.code, made.output).toBe(0);
      const created = Object.fromEntries(made.stdout.split('\n').map((line) => line.split(/ {2,}/)));
      expect(Object.keys(created).filter(Boolean).sort()).toEqual(['expiresAt', 'invitationUrl', 'userId']);
      expect(created.invitationUrl).toMatch(/^http:\/\/localhost:\d+\/invitation#[\w-]{43}$/);
      const elsewhere = await cli(['users', 'recover', created.userId, '--json'], {
        ...env,
        PUBLIC_URL: 'https://x.example',
      });
      const { invitationUrl } = JSON.parse(elsewhere.stdout);
      expect(invitationUrl).toMatch(/^https:\/\/x\.example\/invitation#/);
      const accept = (url: string) =>
        atItsDatabase(env, ({ access }) =>
          access.people.change((tx) => access.people.accept(tx, url.split('#')[1] ?? '')),
        );
      expect(await accept(created.invitationUrl)).toBeNull();
      expect(await accept(invitationUrl)).toMatchObject({ userId: created.userId, email: 'dana@harbor.example' });
      const { cookie } = await atItsDatabase(env, (at) => sessionFor(at, created.userId));
      const me = () => call(service.url, 'GET', '/v2/chain/session', { headers: cookie });
      expect((await me()).body.data).toMatchObject({ roles: ['administrator', 'agent'] });
      await json('users', 'update', created.userId, '--roles', 'administrator');
      await eventually(async () => (await me()).body.data?.roles?.length === 1, 5_000);
      expect(await json('users', 'list')).toMatchObject([{ userId: created.userId, status: 'active' }]);

      const last = await cli(['users', 'disable', created.userId], env);
      expect(last).toMatchObject({ code: 2, output: expect.stringMatching(/^This is the last active administrator/) });
      expect((await me()).status).toBe(200);
      const again = await json('users', 'recover', created.userId);
      await accept(again.invitationUrl);
      await eventually(async () => (await me()).status === 401, 5_000);

      const twice = await invite('DANA@harbor.example', 'agent');
      expect(twice).toMatchObject({ code: 2, output: expect.stringMatching(/^This organization has a person/) });
      expect((await invite('other@harbor.example', 'boss')).output).toBe(
        'Must be 1 to 20 different roles of GET /roles.\n',
      );
      expect((await invite('nobody', 'agent')).output).toBe('Must be an e-mail address.\n');
      const table = await cli(['users', 'roles'], env);
      expect(table.stdout).toMatch(/^agent +loans:read .* waive-fee=50\.00 /m);
    });

    test('a second organization, and a grant to it', async () => {
      const [first] = await json('organizations', 'list');
      const second = await json('organizations', 'create', '--name', 'Müller');
      expect((await call(service.url, 'GET', '/v2/chain/me', { token: await service.token(second) })).status).toBe(200);

      const which = await cli(['clients', 'list'], env);
      expect(which.code).toBe(2);
      expect(which.output).toBe(
        `There is more than one organization. Specify --organization:\n  ${first.organizationId}  First organization\n  ${second.organizationId}  Müller\n`,
      );
      const whose = ['--organization', first.organizationId];
      const to = ['--to', second.organizationId, '--access', 'servicing', '--servicer', 'S-1'];
      const grant = await json('grants', 'create', ...to, ...whose);
      expect(grant).toMatchObject({ granteeOrganizationId: second.organizationId, access: 'servicing' });
      expect(await json('grants', 'list', ...whose)).toMatchObject([{ grantId: grant.grantId, direction: 'given' }]);
      const received = await cli(['grants', 'list', '--organization', second.organizationId], env);
      expect(received.stdout).toMatch(/^grantId .* direction\b.*\n/);
      expect(received.stdout).toContain(grant.grantId);
      expect((await json('grants', 'revoke', grant.grantId, ...whose)).revokedAt).toMatch(/^\d{4}-/);
      const nobody = await cli(['grants', 'create', '--to', 'org_none', '--access', 'read', ...whose], env);
      expect(nobody).toMatchObject({ code: 2, output: 'There is no such organization.\n' });
    });

    test('the time zone of an organization, from its next day on', async () => {
      const [{ organizationId, timeZone }] = await json('organizations', 'list');
      expect(timeZone).toBe('UTC');
      const set = await json('organizations', 'update', organizationId, '--time-zone', 'Asia/Tokyo');
      expect(set).toMatchObject({ organizationId, kind: 'live', timeZone: 'UTC', next: { timeZone: 'Asia/Tokyo' } });
      const token = await service.token();
      const clock = async () => (await call(service.url, 'GET', '/v2/chain/clock', { token })).body.data;
      await eventually(async () => (await clock()).next?.from === set.next.from, 5_000);
      expect(await json('organizations', 'update', organizationId, '--time-zone', 'UTC')).not.toHaveProperty('next');

      const wrong = await cli(['organizations', 'update', organizationId, '--time-zone', 'Mars/Phobos'], env);
      expect(wrong.code).toBe(2);
      expect(wrong.output).toMatch(/^--time-zone: Unknown time zone; .*\n$/);
      const all = ['--name', 'Harbor', '--rate-limit', '600', '--time-zone'];
      const refused = await cli(['organizations', 'update', organizationId, ...all, 'Mars/Phobos'], env);
      expect(refused.code).toBe(2);
      const [unchanged] = await json('organizations', 'list');
      expect(unchanged).toMatchObject({ timeZone: 'UTC', rateLimitPerMinute: 0 });
      expect(unchanged.name).not.toBe('Harbor');
      const changed = { organizationId, name: 'Harbor', rateLimitPerMinute: 600 };
      const updated = await json('organizations', 'update', organizationId, ...all, 'Asia/Tokyo');
      expect(updated).toMatchObject({ ...changed, next: { timeZone: 'Asia/Tokyo' } });
      const shown = await cli(['organizations', 'update', organizationId, '--time-zone', 'Asia/Tokyo'], env);
      expect(shown.output).toMatch(/^next +timeZone Asia\/Tokyo, from \d{4}-/m);
      const limit = ['--rate-limit', '0'];
      expect(await json('organizations', 'update', organizationId, ...limit)).toMatchObject({
        ...changed,
        rateLimitPerMinute: 0,
        timeZone: 'Asia/Tokyo',
      });
      const nobody = await cli(['organizations', 'update', 'org_none', '--time-zone', 'UTC'], env);
      expect(nobody).toMatchObject({ code: 2, output: 'There is no such organization.\n' });
    });

    test('the ceiling of an organization for a time, which a running service applies at once', async () => {
      const [{ organizationId, rateLimitPerMinute }] = await json('organizations', 'list');
      const update = (...given: string[]) => cli(['organizations', 'update', organizationId, ...given, '--json'], env);
      const until = new Date(Date.now() + 3_600_000).toISOString();
      const raised = await update('--rate-limit', '24000', '--until', until);
      expect(raised.code, raised.output).toBe(0);
      expect(JSON.parse(raised.stdout)).toMatchObject({
        rateLimitPerMinute,
        raisedRateLimit: { perMinute: 24_000, until },
      });
      const token = await service.token();
      const policy = async () =>
        (await call(service.url, 'GET', '/v2/chain/me', { token })).headers.get('ratelimit-policy');
      await eventually(async () => (await policy())?.includes('"organization";q=24000;w=60') === true, 5_000);
      const refused = await update('--rate-limit', '24000', '--until', '2020-01-01');
      expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('at most 31 days from now') });
      await json('organizations', 'update', organizationId, '--rate-limit', String(rateLimitPerMinute));
      await eventually(async () => (await policy())?.includes('24000') !== true, 5_000);
    });

    test('a master key that is not the database’s is refused before anything is written with it', async () => {
      const other = await cli(['clients', 'list'], { ...env, MASTER_KEY: '11'.repeat(32) });
      expect(other.code).toBe(2);
      expect(other.output).toMatch(/^MASTER_KEY does not match this database: .*\n$/);
    });

    test('npm run clients is the same', async () => {
      const npm = run('npm', ['run', '--silent', 'clients', '--', 'list', '--organization', 'org_none'], {
        env: serviceEnv({ dataDir }),
      });
      expect(await npm.ended).toBe(2);
      expect(npm.output()).toContain('There is no such organization.\n');
      expect(await service.stop()).toBe(0);
      expect(postmasterOf(dataDir)).toBeUndefined();
    });
  });
});

test('study: writes its page and charts into a folder, without a database', async () => {
  const folder = newDataDir('a study');
  const { code, stdout } = await cli(['study', '--size', '200', '--seed', 'small', '--out', folder], {});
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/ written\.\n\d+ of \d+ figures are /) });
  const page = readFileSync(join(folder, 'calibration.md'), 'utf8');
  expect(page).toContain('`npm run study -- --size 200 --seed small`');
  for (const [, chart = ''] of page.matchAll(/\]\(([\w-]+\.svg)\)/g)) {
    expect(readFileSync(join(folder, chart), 'utf8'), chart).toMatch(/^<svg /);
  }
});
