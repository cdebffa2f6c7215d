/** The command line: wrong usage, and as processes a command beside a running service and on a stopped one. `slow/commands.test.ts` has the others. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { commandOf } from '../src/cli/command.ts';
import { TOPICS } from '../src/cli/topics.ts';
import { refusalOf } from './support/command.ts';
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
import { slowTest, usualTest, WHOLE } from './support/whole.ts';

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
    ['clients update a', /^Nothing to change: specify --name, --scopes, --rate-limit or --numbers\.\n\nUsage/],
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
    ['verify all', /^Unexpected argument "all"\.\n\nUsage: npm run verify/],
    ['verify --out x', /^"verify" has no option --out\.\n\nUsage: npm run verify/],
    ['export', /^--loan is missing\.\n\nUsage: npm run export/],
    ['export --loan 0x12', /^--loan must be a loan id: 0x followed by 64 lower-case hexadecimal digits\.\n/],
    ['export loans --format xml', /^--format must be csv or ndjson\./],
    ['compare', /^Specify one of --simulated, --applications and --print\.\n\nUsage/],
    ['compare --simulated 0', /^--simulated must be a whole number from 1 to 20,000\.\n/],
    ['fairness --size 5', /^--size must be a whole number from 100/],
    ['study --size 20', /^--size must be a whole number from 200 to 100,000\.\n\nUsage: npm run study/],
    ['study --seed a_b', /^--seed must be 1 to 40 letters, digits and hyphens\.\n/],
    ['study --size 200 --out package.json', /^--out: package\.json cannot be written \(E[A-Z]+\)\.\n$/],
  ];
  usualTest.each(wrong)('%s: what to do', async (args, says) => {
    expect(await refusalOf(args.split(' ').filter(Boolean))).toMatch(says);
  });

  usualTest('exit code 2, and the message alone', async () => {
    for (const [args, says] of [
      ['clients frob', /^There is no command "clients frob"\.\n\nUsage: npm run clients/],
      ['clients list', /^There is no database in DATA_DIR \(.*\): start the service once, or set DATA_DIR .*\.\n$/],
      ['migrate --status', /^There is no database in DATA_DIR/],
    ] as const) {
      const { code, stdout, output } = await cli(args.split(' '), { DATA_DIR: dataDir });
      expect(output).toMatch(says);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  usualTest('options that npm consumed: the command says where -- belongs, and does nothing', async () => {
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
      expect(await refusalOf([topic, ...rest], { npm_lifecycle_event: topic, ...env })).toContain(says);
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

  slowTest('wrong settings of the service: one line, exit code 2, nothing created', async () => {
    const file = join(PROJECT, 'package.json');
    const bad: [env: Record<string, string>, says: RegExp][] = [
      [{ PORT: 'http' }, /^PORT must be a whole number from 0 to 65535\.\n$/],
      [{ HOST: '203.0.113.7' }, /^HOST must be an address of this machine \(EADDRNOTAVAIL\)\.\n$/],
      [{ MASTER_KEY_FILE: `${dataDir}/none` }, /^MASTER_KEY_FILE must be a readable file \(ENOENT\)\.\n$/],
      [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /^MASTER_KEY is required with DATABASE_URL: .*\n$/],
      [{ DATA_DIR: file }, /^DATA_DIR \([^)]*package\.json\) is not a folder\..*\n$/],
    ];
    await Promise.all(
      bad
        .filter((_, n) => WHOLE || n < 2)
        .map(async ([env, says]) => {
          const service = spawnService({ dataDir, env });
          expect(await service.ended).toBe(2);
          expect(service.output()).toMatch(says);
        }),
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  usualTest('--help of the service and of every command', async () => {
    const main = join(PROJECT, 'src', 'main.ts');
    const service = run(process.execPath, [main, '--help']);
    const argument = run(process.execPath, [main, '--port', '9000']);
    const clients = await cli(['clients', '--help'], {});
    expect(clients.code).toBe(0);
    expect(clients.stdout).toMatch(/^Usage: npm run clients[\s\S]*--help +show this help\n$/);
    for (const topic of Object.keys(TOPICS)) {
      const written = vi.spyOn(console, 'log').mockImplementation(() => {});
      await (await commandOf([topic, '--help'], {}))();
      expect(written.mock.calls.join('\n')).toMatch(
        new RegExp(`^Usage: npm run ${topic}[\\s\\S]*--help +show this help$`),
      );
      written.mockRestore();
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

  slowTest('of a stopped service: a command starts it, migrates, and leaves nothing running', async () => {
    const first = await cli(['migrate'], env);
    expect(first).toMatchObject({ code: 0 });
    expect(first.output).toMatch(/applied 0001_access\.sql in \d+ ms\n/);
    expect(first.stdout).toMatch(/^\d+ migrations? applied\.\n$/);
    expect(postmasterOf(dataDir)).toBeUndefined();

    const empty = await cli(['clients', 'list'], env);
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(empty.output).toBe(
      'There is no organization yet: start the service once, or run `npm run organizations -- create`.\n',
    );
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  describe('that a service uses', () => {
    beforeAll(async () => {
      service = await startService({ dataDir, credentials: FIRST });
    }, PATIENT.timeout);
    afterAll(() => service?.stop(), PATIENT.timeout);

    usualTest('migrations and their state', async () => {
      const status = await cli(['migrate', '--status'], env);
      expect(status.code).toBe(0);
      expect(status.stdout).toMatch(/^migration +state +applied at\n0001_access\.sql +applied +\d{4}-/);
      const states = await json('migrate', '--status');
      expect(states[0]).toMatchObject({ number: 1, name: 'access', state: 'applied' });
      expect(await json('migrate')).toEqual({ applied: 0 });
    });

    slowTest('its book is verified, exported, and its trail is listed', async () => {
      expect((await cli(['verify'], env)).code).toBe(0);
      expect(await cli(['export', 'loans'], env)).toMatchObject({ code: 0, stdout: '' });
      expect(await json('audit', 'list')).toEqual(expect.any(Object));
    });

    slowTest('a client from its creation to its revocation, and the service knows at once', async () => {
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
  });

  usualTest('openapi --check: the committed document is the one generated from the routes', async () => {
    expect(await cli(['openapi', '--check'], {})).toEqual({ code: 0, stdout: '', output: '' });
  });
});
