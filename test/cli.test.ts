/** The command line as processes: wrong usage, commands beside a running service, and on a stopped one. */
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atItsDatabase, sessionFor } from './support/people.ts';
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
  spawnService,
  startService,
} from './support/service.ts';

const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-command-line',
  apiKey: 'first-key-of-the-command-line',
};
const PATIENT = { timeout: 90_000 };

afterAll(endAll, PATIENT.timeout);

describe('used wrongly', PATIENT, () => {
  const dataDir = newDataDir();
  const wrong: [args: string, says: RegExp][] = [
    ['', /^Commands:\n {2}npm run migrate/],
    ['nonsense', /^There is no command "nonsense"\.\n\nCommands:\n/],
    ['clients', /^A command is missing\.\n\nUsage: npm run clients/],
    ['clients frob', /^There is no command "clients frob"\.\n\nUsage: npm run clients/],
    ['clients list --frob', /^Unknown option '--frob'\.\n\nUsage: npm run clients/],
    ['clients list --to x', /^"clients list" has no option --to\.\n\nUsage/],
    ['clients revoke', /^<clientId> is missing\.\n\nUsage/],
    ['clients revoke a b', /^Unexpected argument "b"\.\n\nUsage/],
    ['clients update a', /^Nothing to change: specify --name, --scopes or --rate-limit\.\n\nUsage/],
    ['clients create --name x', /^--scopes is missing\.\n\nUsage/],
    [
      'clients create --name x --scopes loans:read --rate-limit 1.5',
      /^--rate-limit must be a whole number or default\.\n/,
    ],
    ['clients rotate a --what password', /^--what must be secret, key or both\.\n/],
    ['grants create --to x --access write', /^--access must be read or servicing\.\n\nUsage: npm run grants/],
    ['organizations create', /^--name is missing\.\n\nUsage: npm run organizations/],
    ['organizations update', /^<organizationId> is missing\.\n\nUsage: npm run organizations/],
    [
      'organizations update org_a',
      /^Nothing to change: specify --name, --rate-limit or --time-zone\.\n\nUsage: npm run organizations/,
    ],
    ['study --size 20', /^--size must be a whole number from 200 to 100,000\.\n\nUsage: npm run study/],
    ['study --seed a_b', /^--seed must be 1 to 40 letters, digits and hyphens\.\n/],
    ['study --size 200 --out package.json', /^--out: package\.json cannot be written \(E[A-Z]+\)\.\n$/],
    ['clients list', /^There is no database in DATA_DIR \(.*\): start the service once, or set DATA_DIR .*\.\n$/],
    ['migrate --status', /^There is no database in DATA_DIR/],
  ];
  // Two at a time: each is a process, and most of its time is loading.
  test.each([0, 1].map((half) => wrong.filter((_, i) => i % 2 === half)))(
    'exit code 2 and what to do',
    async (...rows) => {
      for (const [args, says] of rows) {
        const { code, output } = await cli(args.split(' ').filter(Boolean), { DATA_DIR: dataDir });
        expect(output).toMatch(says);
        expect({ args, code }).toEqual({ args, code: 2 });
      }
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  test('options that npm consumed: the command says where -- belongs, and does nothing', async () => {
    const lost: [args: string, env: Record<string, string>, says: string][] = [
      ['clients create', { npm_config_name: 'x' }, 'npm run clients -- create --name x\n'],
      [
        'clients create',
        { npm_config_name: 'A b', npm_config_json: 'true' },
        'npm run clients -- create --name "A b"\n',
      ],
      ['clients update a 5', { npm_config_rate_limit: 'true' }, 'clients -- update <clientId> --rate-limit …\n'],
      ['clients org_a list', { npm_config_organization: 'true' }, 'npm run clients -- list --organization …\n'],
      ['migrate', { npm_config_status: 'true' }, 'npm run migrate -- --status\n'],
      ['export 0x12', { npm_config_loan: 'true' }, 'npm run export -- --loan …\n'],
      // npm takes --to for an abbreviation of an option of its own, and does not pass on an unknown --access.
      ['grants create', {}, '--to is missing. Put -- before the options: npm run grants -- create --…\n'],
      ['grants create', { npm_config_access: 'public' }, '--to is missing. Put -- before the options: npm run grants'],
    ];
    for (const [args, env, says] of lost) {
      const [topic = '', ...rest] = args.split(' ');
      const { code, output } = await cli([topic, ...rest], { DATA_DIR: dataDir, npm_lifecycle_event: topic, ...env });
      expect(output).toContain(says);
      expect({ args, code }).toEqual({ args, code: 2 });
    }
    const npm = run('npm', ['run', '--silent', 'clients', 'create', '--name', 'x'], { env: serviceEnv({ dataDir }) });
    expect(await npm.ended).toBe(2);
    expect(npm.output()).toContain('Put -- before the options: npm run clients -- create --name ');
    const settings = { npm_lifecycle_event: 'clients', npm_config_json: 'true', npm_config_yes: 'true' };
    expect((await cli(['clients', 'list'], { DATA_DIR: dataDir, ...settings })).output).toMatch(
      /^There is no database/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test('wrong settings of the service: one line, exit code 2, nothing created', async () => {
    const file = join(PROJECT, 'package.json');
    const bad: [env: Record<string, string>, says: RegExp][] = [
      [{ PORT: 'http' }, /^PORT must be a whole number from 0 to 65535\.\n$/],
      [{ HOST: '203.0.113.7' }, /^HOST must be an address of this machine \(EADDRNOTAVAIL\)\.\n$/],
      [{ MASTER_KEY_FILE: `${dataDir}/none` }, /^MASTER_KEY_FILE must be a readable file \(ENOENT\)\.\n$/],
      [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /^MASTER_KEY is required with DATABASE_URL: .*\n$/],
      [{ DATA_DIR: file }, /^DATA_DIR \([^)]*package\.json\) is not a folder\..*\n$/],
    ];
    await Promise.all(
      bad.map(async ([env, says]) => {
        const service = spawnService({ dataDir, env });
        expect(await service.ended).toBe(2);
        expect(service.output()).toMatch(says);
      }),
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test('--help of the service and of every command', async () => {
    const main = join(PROJECT, 'src', 'main.ts');
    const service = run(process.execPath, [main, '--help']);
    const argument = run(process.execPath, [main, '--port', '9000']);
    const topics = ['migrate', 'organizations', 'clients', 'grants', 'verify', 'export', 'study', 'openapi'];
    const helps = await Promise.all(topics.map((topic) => cli([topic, '--help'], {})));
    for (const [i, { code, stdout }] of helps.entries()) {
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: npm run ${topics[i]}[\\s\\S]*--help +show this help\n$`));
    }
    expect(await service.ended).toBe(0);
    expect(service.output()).toMatch(
      /^Daybook, .*\n\nUsage: npm start\n\nSettings are environment variables:\n {2}PORT /,
    );
    expect(await argument.ended).toBe(2);
    expect(argument.output()).toBe(
      'The service takes no arguments; its settings are environment variables, listed by --help.\n',
    );
  });
});

describe('on a database', PATIENT, () => {
  const dataDir = newDataDir();
  const env = { DATA_DIR: dataDir };
  let service: Service;

  const json = async (...args: string[]) => {
    const { code, stdout, output } = await cli([...args, '--json'], env);
    expect(code, output).toBe(0);
    return JSON.parse(stdout);
  };

  test('of a stopped service: a command starts it, migrates, and leaves nothing running', async () => {
    const first = await cli(['migrate'], env);
    expect(first).toMatchObject({ code: 0 });
    expect(first.output).toMatch(/applied 0001_access\.sql in \d+ ms\n/);
    expect(first.stdout).toMatch(/^\d+ migrations? applied\.\n$/);
    expect(postmasterOf(dataDir)).toBeUndefined();

    // In a copy of the project, because it writes into it: what the generator writes is what is committed.
    const copy = newDataDir('a copy');
    for (const folder of ['src', 'migrations']) cpSync(join(PROJECT, folder), join(copy, folder), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
    rmSync(join(copy, 'migrations', 'schema.sql'));
    const again = await cli(['migrate', '--snapshot'], env, copy);
    expect(again).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
    const [written, committed] = [copy, PROJECT].map((root) =>
      readFileSync(join(root, 'migrations', 'schema.sql'), 'utf8'),
    );
    expect(written).toBe(committed);
    expect(postmasterOf(dataDir)).toBeUndefined();

    const empty = await cli(['clients', 'list'], env);
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(empty.output).toBe(
      'There is no organization yet: start the service once, or run `npm run organizations -- create`.\n',
    );
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

    test('migrations and their state', async () => {
      const status = await cli(['migrate', '--status'], env);
      expect(status.code).toBe(0);
      expect(status.stdout).toMatch(/^migration +state +applied at\n0001_access\.sql +applied +\d{4}-/);
      const states = await json('migrate', '--status');
      expect(states[0]).toMatchObject({ number: 1, name: 'access', state: 'applied' });
      expect(await json('migrate')).toEqual({ applied: 0 });
    });

    test('a client from its creation to its revocation, and the service knows at once', async () => {
      const made = await cli(['clients', 'create', '--name', 'Desk', '--scopes', 'loans:read, admin'], env);
      expect(made.code, made.output).toBe(0);
      const created = Object.fromEntries(made.stdout.split('\n').map((line) => line.split(/ {2,}/)));
      expect(Object.keys(created).filter(Boolean).sort()).toEqual(['apiKey', 'clientId', 'clientSecret', 'keyId']);
      const token = await service.token(created);
      const me = () => call(service.url, 'GET', '/v2/chain/me', { token });
      expect((await me()).body.data.scopes).toEqual(['loans:read', 'admin']);

      const id = created.clientId;
      await json('clients', 'update', id, '--scopes', 'loans:read', '--name', 'Back office', '--rate-limit', '5000');
      await eventually(async () => (await me()).body.data.scopes.length === 1, 5_000);
      expect((await me()).headers.get('ratelimit-policy')).toContain('q=5000');

      const list = await json('clients', 'list');
      expect(list.map(({ name }: { name: string }) => name)).toEqual(['First client', 'Back office']);
      const table = await cli(['clients', 'list'], env);
      expect(table.stdout).toMatch(/^clientId +name +kind +scopes +status .*\n/);
      expect(table.stdout).toContain('Back office');
      expect(table.stdout + JSON.stringify(list)).not.toContain(created.clientSecret);

      const rotated = await json('clients', 'rotate', id);
      expect(rotated.clientSecret).not.toBe(created.clientSecret);
      await eventually(async () => (await me()).status === 401, 5_000);
      const renewed = await service.token({ ...created, ...rotated });
      const alive = () => call(service.url, 'GET', '/v2/chain/me', { token: renewed });
      expect((await alive()).status).toBe(200);

      const revoked = await json('clients', 'revoke', id);
      expect(revoked).toMatchObject({ clientId: id });
      await eventually(async () => (await alive()).status === 401, 5_000);

      const gone = await cli(['clients', 'rotate', id], env);
      expect(gone).toMatchObject({ code: 2, output: 'There is no such active client.\n' });
      const unknown = await cli(['clients', 'create', '--name', 'x', '--scopes', 'everything'], env);
      expect(unknown.code).toBe(2);
      expect(unknown.output).toMatch(/^The scopes must be one or more of: public:read, .*\n$/);
    });

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
      expect((await json('grants', 'list', ...whose)).given).toMatchObject([{ grantId: grant.grantId }]);
      const received = await cli(['grants', 'list', '--organization', second.organizationId], env);
      expect(received.stdout).toMatch(/^given\n\(none\)\n\nreceived\ngrantId .*\n/);
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

  test('openapi --check: the committed document is the one generated from the routes', async () => {
    expect(await cli(['openapi', '--check'], {})).toEqual({ code: 0, stdout: '', output: '' });
  });
});
