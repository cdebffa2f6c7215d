import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Config,
  ConfigError,
  credentialsFile,
  databaseUrlProblem,
  draftCredentials,
  keptClientId,
  openMasterKeys,
  readConfig,
  settleCredentials,
  VARIABLES,
} from './config.ts';

const KEY = 'ab'.repeat(32);
const SERVER = 'postgres://user:password@db.example:5432/daybook';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-config-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('settings', () => {
  test('without any there is a default for each that is no secret', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ port: 8080, host: '127.0.0.1', databaseUrl: null, area: 'chain', timeZone: 'UTC' });
    expect(config).toMatchObject({ masterKeyText: null, rateLimitPerMinute: 600, requestTimeoutMs: 30_000 });
    expect(config.retentionDays, 'seven years').toBe(2_557);
    expect(config.bootstrap).toEqual({ clientId: null, clientSecret: null, apiKey: null });
    expect(Object.isFrozen(config)).toBe(true);
    expect(readConfig(Object.fromEntries(VARIABLES.map(([name]) => [name, ''])))).toEqual(config);
  });

  const bad: [variable: string, values: string[], also?: Record<string, string>][] = [
    ['PORT', ['-1', '65536', '80.5', 'http', '0x50', '1e3']],
    ['DATABASE_URL', ['mysql://h/db', 'localhost:5432', 'postgres://', 'postgres://h:port/db', 'postgres://user@']],
    ['DATABASE_POOL', ['1', '101', 'many']],
    ['MASTER_KEY', ['short', 'g'.repeat(64), 'ab'.repeat(33), `${KEY} x`, ',']],
    ['MASTER_KEY_FILE', ['/somewhere'], { MASTER_KEY: KEY }],
    ['BOOTSTRAP_CLIENT_ID', ['two words', 'x'.repeat(129), 'ä', ' front']],
    ['BOOTSTRAP_CLIENT_SECRET', ['two words', 'x'.repeat(513), 'tab\t', 'end ']],
    ['BOOTSTRAP_API_KEY', ['two words', 'x'.repeat(513), 'line\n']],
    ['AREA', ['Chain', 'a/b', '../x', '-a', 'x'.repeat(33)]],
    ['TIME_ZONE', ['Mars/Phobos', '+25:00', 'EST5EDT,M3']],
    ['RETENTION_DAYS', ['-1', '36526', 'seven years']],
    ['BODY_LIMIT', ['0', '1023', '10MB', '1073741825']],
    ['REQUEST_TIMEOUT', ['0', '3601', '30s']],
    ['RATE_LIMIT', ['-1', '100000001', 'none']],
    ['CORS_ORIGINS', ['*', 'a.example', 'https://a.example/', 'https://a.example, null', 'ftp://a.example']],
    ['DEMO', ['yes', 'ON', 'true']],
    ['TRUST_PROXY', ['yes', '1', 'TRUE']],
    ['LOG_LEVEL', ['verbose', 'INFO', 'trace']],
  ];
  test.each(bad)('a bad %s is one line that names it, and not its value', (variable, values, also = {}) => {
    for (const value of values) {
      let message = '';
      try {
        readConfig({ ...also, [variable]: value });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        message = (error as Error).message;
      }
      expect(message, `${variable}=${value}`).toMatch(new RegExp(`\\b${variable}\\b.*\\.$`));
      expect(message).not.toContain('\n');
      if (value.length > 12) expect(message).not.toContain(value);
    }
  });

  test.each([
    SERVER,
    'postgresql://user@localhost/db',
    'postgres:///db?host=/run/postgresql',
    'postgres://user:p%40ss@/db?host=/run/postgresql',
    'postgres://user:secret@[::1]:5433/db?sslmode=require',
  ])('an address such as %s is taken', (databaseUrl) => {
    expect(readConfig({ DATABASE_URL: databaseUrl }).databaseUrl).toBe(databaseUrl);
  });

  test('every variable is in the list that --help prints', () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    expect([...asked].sort()).toEqual(VARIABLES.map(([name]) => name).sort());
  });

  test('what a server refuses is said without its words', () => {
    const refused = Object.assign(new Error('password authentication failed for user "x"'), { code: '28P01' });
    expect(databaseUrlProblem(refused)).toBe('DATABASE_URL: the server refuses this user or password.');
    expect(databaseUrlProblem(Object.assign(new Error(), { code: '3D000' }))).toMatch(
      /^DATABASE_URL names .*not exist/,
    );
    expect(databaseUrlProblem(Object.assign(new Error(), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }))).toMatch(/TLS/);
    expect(databaseUrlProblem(new Error('The server does not support SSL connections'))).toMatch(/TLS/);
    expect(databaseUrlProblem(Object.assign(new Error(), { code: '23505' }))).toBeNull();
  });
});

/** The first three bytes name a key well enough here. */
const idOf = (key: Uint8Array) => Buffer.from(key.subarray(0, 3)).toString('hex');

describe('the master keys', () => {
  const open = (config: Config) => openMasterKeys(config, idOf);
  const current = (env: Record<string, string>) => open(readConfig(env)).current().key;

  test('a key is taken as hex or base64, from the environment or a file', () => {
    const bytes = Buffer.from(KEY, 'hex');
    const file = join(newFolder(), 'key');
    writeFileSync(file, `${bytes.toString('base64url')}\n`);
    expect(current({ MASTER_KEY: KEY })).toEqual(bytes);
    expect(current({ MASTER_KEY: bytes.toString('base64') })).toEqual(bytes);
    expect(current({ MASTER_KEY_FILE: file })).toEqual(bytes);
  });

  test('of several the first is current, all are known, and the same one twice is one', () => {
    const keys = open(readConfig({ MASTER_KEY: `${'11'.repeat(32)}, ${'22'.repeat(32)}\n${'11'.repeat(32)} ${KEY}` }));
    expect(keys.current().keyId).toBe('111111');
    expect(keys.all().map(({ keyId }) => keyId)).toEqual(['111111', '222222', 'ababab']);
    expect(keys.find('222222')?.key).toEqual(Buffer.alloc(32, 0x22));
    expect(keys.find('333333')).toBeNull();
  });

  test('one is made once, whole and private, for the embedded database', () => {
    const dataDir = join(newFolder(), 'data');
    const config = readConfig({ DATA_DIR: dataDir });
    const { key } = open(config).current();
    expect(open(config).current().key).toEqual(key);
    expect(readdirSync(dataDir)).toEqual(['master-key']);
    expect(statSync(join(dataDir, 'master-key')).mode & 0o777).toBe(0o600);
  });

  test('must be given for a server, and makes nothing when it is not', () => {
    const dataDir = join(newFolder(), 'data');
    expect(() => open(readConfig({ DATABASE_URL: SERVER, DATA_DIR: dataDir }))).toThrow(
      /^MASTER_KEY is required with DATABASE_URL: .*openssl rand -hex 32/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a file that cannot be one is named', () => {
    const folder = newFolder();
    const file = join(folder, 'file');
    const empty = join(folder, 'empty');
    writeFileSync(file, 'too short\n');
    writeFileSync(empty, '\n');
    expect(() => open(readConfig({ MASTER_KEY_FILE: file }))).toThrow(/^MASTER_KEY_FILE must be 32 bytes/);
    expect(() => open(readConfig({ MASTER_KEY_FILE: empty }))).toThrow(/^MASTER_KEY_FILE must be 32 bytes/);
    expect(() => open(readConfig({ MASTER_KEY_FILE: join(folder, 'none') }))).toThrow(
      'MASTER_KEY_FILE must be a readable file (ENOENT).',
    );
    expect(() => open(readConfig({ DATA_DIR: file }))).toThrow(/^DATA_DIR must be a folder .*\(EEXIST\)\.$/);
    expect(() => open(readConfig({ DATA_DIR: join(file, 'data') }))).toThrow(/^DATA_DIR must be a folder/);
  });

  test('a new key becomes current in the file, and the older ones stay behind it', () => {
    const file = join(newFolder(), 'master-key');
    writeFileSync(file, `${KEY}\n`, { mode: 0o640 });
    chmodSync(file, 0o644);
    const keys = open(readConfig({ MASTER_KEY_FILE: file }));
    const made = keys.add();
    expect(keys.current()).toBe(made);
    expect(readFileSync(file, 'utf8')).toBe(`${Buffer.from(made.key).toString('hex')}\n${KEY}\n`);
    expect(statSync(file).mode & 0o777, 'nobody else may read it').toBe(0o640);
    keys.remove(new Set(['ababab', made.keyId]));
    expect(readFileSync(file, 'utf8'), 'the current one stays').toBe(`${Buffer.from(made.key).toString('hex')}\n`);
    expect(keys.find('ababab')).toBeNull();
    expect(readdirSync(join(file, '..'))).toEqual(['master-key']);
  });

  test('behind a link the file itself is replaced', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'real'), `${KEY}\n`, { mode: 0o600 });
    symlinkSync('real', join(folder, 'link'));
    open(readConfig({ MASTER_KEY_FILE: join(folder, 'link') })).add();
    expect(readFileSync(join(folder, 'real'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(['link', 'real']);
  });

  test('those of the environment cannot be changed from here', () => {
    const keys = open(readConfig({ MASTER_KEY: KEY }));
    expect(keys.file).toBeNull();
    expect(() => keys.add()).toThrow(/^MASTER_KEY is set by whoever starts the service/);
  });

  test('a service follows its file: within a second, and at once for a key it does not know', () => {
    const file = join(newFolder(), 'master-key');
    writeFileSync(file, `${KEY}\n`);
    const config = readConfig({ MASTER_KEY_FILE: file });
    let now = 0;
    const service = openMasterKeys(config, idOf, () => now);
    const old = service.current();
    const made = open(config).add();
    now = 999;
    expect(service.current()).toBe(old);
    now = 1_000;
    expect(service.current()).toEqual(made);
    expect(service.find('ababab'), 'a key that was known stays the same object').toBe(old);
    const newer = open(config).add();
    expect(service.current()).toEqual(made);
    expect(service.find(newer.keyId)).toEqual(newer);
  });

  test('a service whose file is away, or no longer holds keys, goes on with those it has', () => {
    const file = join(newFolder(), 'master-key');
    writeFileSync(file, `${KEY}\n`);
    let now = 0;
    const service = openMasterKeys(readConfig({ MASTER_KEY_FILE: file }), idOf, () => now);
    for (const spoil of [() => writeFileSync(file, 'half a k'), () => rmSync(file)]) {
      spoil();
      now += 5_000;
      expect(service.current().keyId).toBe('ababab');
      expect(service.find('999999')).toBeNull();
    }
    writeFileSync(file, `${'11'.repeat(32)}\n${KEY}\n`);
    now += 5_000;
    expect(service.current().keyId).toBe('111111');
  });
});

describe('the first credentials', () => {
  const mine = { clientId: 'a/../b', clientSecret: 's', apiKey: 'k' };

  test('lie under their name only when their client is in the database', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    expect(keptClientId(config)).toBeNull();
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(keptClientId(config)).toBe(mine.clientId);
    expect(JSON.parse(readFileSync(credentialsFile(config), 'utf8'))).toEqual(mine);
    expect(statSync(credentialsFile(config)).mode & 0o777).toBe(0o600);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
  });

  test('of an instance that came too late go away, and those of the first one stay', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    draftCredentials(config, { ...mine, clientId: 'late' });
    settleCredentials(config, mine.clientId, 'late');
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
    expect(keptClientId(config)).toBe(mine.clientId);
  });

  test('survive a crash after the client was made', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    settleCredentials(config, mine.clientId, null);
    expect(keptClientId(config)).toBe(mine.clientId);
  });
});
