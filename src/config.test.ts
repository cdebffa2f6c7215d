import { describe, expect, test } from 'vitest';
import { ConfigError, databaseUrlProblem, readConfig, VARIABLES } from './config.ts';

const KEY = 'ab'.repeat(32);
const STRONG = 'correct-horse-battery-staple';
/** Too short, too few different characters, a repeated piece, a sequence, and a sequence with a tail. */
const WEAK = [
  ...['secret', 'p4ssw0rd-of-23-chars-xx', 'a'.repeat(40), 'password'.repeat(4), 'Kx7-pQ2.mZ9!'.repeat(2)],
  ...[
    'abcdefghijklmnopqrstuvwxyz',
    '0123456789abcdefghijklmnop',
    '9876543210zyxwvutsrqponml',
    'aabbccddeeffgghhiijjkkll',
  ],
];
const SERVER = 'postgres://user:password@db.example:5432/daybook';

describe('settings', () => {
  test('every setting that is not a secret has a default', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ port: 8080, host: '127.0.0.1', databaseUrl: null, area: 'chain', timeZone: 'UTC' });
    expect(config).toMatchObject({ masterKeyText: null, requestTimeoutMs: 30_000 });
    expect(config.quotas).toEqual({ client: 3_000, organization: 6_000, market: 600 });
    expect(readConfig({ RATE_LIMIT: '0' }).quotas).toEqual({ client: 0, organization: 0, market: 600 });
    const own = { RATE_LIMIT: '20', ORGANIZATION_RATE_LIMIT: '30', MARKET_RATE_LIMIT: '0' };
    expect(readConfig(own).quotas).toEqual({ client: 20, organization: 30, market: 0 });
    expect(config.retentionDays, 'seven years').toBe(2_557);
    expect(config.bootstrap).toEqual({ clientId: null, clientSecret: null, apiKey: null });
    expect(Object.isFrozen(config)).toBe(true);
    expect(readConfig(Object.fromEntries(VARIABLES.map(([name]) => [name, ''])))).toEqual(config);
  });

  const bad: [variable: string, values: string[], also?: Record<string, string>][] = [
    ['PORT', ['-1', '65536', '80.5', 'http', '0x50', '1e3']],
    ['FORWARD_HOST', ['0.0.0.0', '::', '0', 'two words', 'a/b', '[::1]']],
    ['FORWARD_PORT', ['-1', '65536', 'http']],
    ['DATABASE_URL', ['mysql://h/db', 'localhost:5432', 'postgres://', 'postgres://h:port/db', 'postgres://user@']],
    ['DATABASE_POOL', ['1', '101', 'many']],
    ['MASTER_KEY', ['short', 'g'.repeat(64), 'ab'.repeat(33), `${KEY} x`, ',']],
    ['MASTER_KEY_FILE', ['/somewhere'], { MASTER_KEY: KEY }],
    ['BOOTSTRAP_CLIENT_ID', ['two words', 'x'.repeat(129), 'ä', ' front']],
    ['BOOTSTRAP_CLIENT_SECRET', ['two words', 'x'.repeat(513), 'tab\t', 'end ', ...WEAK]],
    ['BOOTSTRAP_API_KEY', ['two words', 'x'.repeat(513), 'line\n', ...WEAK]],
    ['BOOTSTRAP_API_KEY', [STRONG], { BOOTSTRAP_CLIENT_SECRET: STRONG }],
    ['AREA', ['Chain', 'a/b', '../x', '-a', 'x'.repeat(33)]],
    ['TIME_ZONE', ['Mars/Phobos', '+25:00', 'EST5EDT,M3']],
    ['RETENTION_DAYS', ['-1', '36526', 'seven years']],
    ['BODY_LIMIT', ['0', '1023', '10MB', '1073741825']],
    ['REQUEST_TIMEOUT', ['0', '3601', '30s']],
    ['RATE_LIMIT', ['-1', '100000001', 'none']],
    ['ORGANIZATION_RATE_LIMIT', ['-1', '1000000001', 'none']],
    ['MARKET_RATE_LIMIT', ['-1', '100000001', 'none']],
    ['CORS_ORIGINS', ['*', 'a.example', 'https://a.example/', 'https://a.example, null', 'ftp://a.example']],
    ['DEMO', ['yes', 'ON', 'true']],
    ['TRUST_PROXY', ['yes', '1', 'TRUE']],
    ['LOG_LEVEL', ['verbose', 'INFO', 'trace']],
  ];
  test.each(bad)(
    'an invalid %s is reported in one line with its name and without its value',
    (variable, values, also = {}) => {
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
    },
  );

  test.each([
    STRONG,
    'dbs_kZ3vY5c1wq0T7n9XbLr2',
    '3f9a1c7e5b2d8064a1f3c5e79b0d2468',
    'tr0ub4dor&3-is-shorter-but-fine',
  ])('a first secret such as %s is accepted', (secret) => {
    expect(readConfig({ BOOTSTRAP_CLIENT_SECRET: secret }).bootstrap.clientSecret).toBe(secret);
  });

  test.each([
    SERVER,
    'postgresql://user@localhost/db',
    'postgres:///db?host=/run/postgresql',
    'postgres://user:p%40ss@/db?host=/run/postgresql',
    'postgres://user:secret@[::1]:5433/db?sslmode=require',
  ])('a URL such as %s is accepted', (databaseUrl) => {
    expect(readConfig({ DATABASE_URL: databaseUrl }).databaseUrl).toBe(databaseUrl);
  });

  test('--help lists every variable', () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    expect([...asked].sort()).toEqual(VARIABLES.map(([name]) => name).sort());
  });

  test('an error of the database server is reported without quoting it', () => {
    const refused = Object.assign(new Error('password authentication failed for user "x"'), { code: '28P01' });
    expect(databaseUrlProblem(refused)).toBe('DATABASE_URL: the server rejected the user or password.');
    expect(databaseUrlProblem(Object.assign(new Error(), { code: '3D000' }))).toMatch(
      /^DATABASE_URL names .*not exist/,
    );
    expect(databaseUrlProblem(Object.assign(new Error(), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }))).toMatch(/TLS/);
    expect(databaseUrlProblem(new Error('The server does not support SSL connections'))).toMatch(/TLS/);
    expect(databaseUrlProblem(Object.assign(new Error(), { code: '23505' }))).toBeNull();
  });
});
