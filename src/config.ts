/**
 * The settings of a running service, read once from the environment, checked and frozen. A bad value is a
 * `ConfigError`: one line that names the variable. No secret has a default; what the embedded service needs and the
 * operator has not set is generated and kept under `DATA_DIR` (`key-files/`). It is longer than other files because every setting is declared and read here.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

/** The version of this release; `npm run release` writes it. */
export const VERSION: string = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;

/** A service that is asked about people. */
type NamedService = { url: string; apiKey: string; timeoutMs: number };

export type Config = Readonly<{
  version: string;
  port: number;
  host: string;
  /** The host on which this process accepts writes that other processes of the same database forward to it. */
  forwardHost: string;
  forwardPort: number;
  dataDir: string;
  /** Absent: the embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | null;
  /** A replica for heavy reads. */
  databaseReadUrl: string | null;
  databasePool: number;
  /** The number of volumes of a new database; null: the default, or the number the database was created with. */
  volumes: number | null;
  /** The hash of the ledger root from which a restored database may continue. */
  acceptRestore: string | null;
  /** The area segment of the path prefix: `/v2/<area>`. */
  area: string;
  timeZone: string;
  /** Days after a loan's last event during which its borrower cannot be erased. */
  retentionDays: number;
  /** The source of credit reports; null: none, and applications cannot be assessed. */
  bureau: NamedService | 'simulator' | null;
  /** The screening against sanctions lists; null: none, and nobody is screened. */
  screening: NamedService | 'simulator' | null;
  /** Null: on when the embedded database is new and no BOOTSTRAP_* is set. */
  demo: 'on' | 'off' | null;
  /** Whether answers are compressed for callers that take it. */
  compression: boolean;
  /** Whether everybody may read published loans on the pages of the market. */
  market: boolean;
  masterKeyText: string | null;
  masterKeyFile: string | null;
  bootstrap: Readonly<{ clientId: string | null; clientSecret: string | null; apiKey: string | null }>;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  /** The time for which the service may load loans at the start before it is ready. */
  warmMs: number;
  /** The time for which requests are still accepted after SIGTERM, while `/readyz` answers 503. */
  drainMs: number;
  /** After so many seconds without a turn of the event loop the process ends; 0: never. */
  watchdogSeconds: number;
  /** Default cost units per minute: of a client, of an organization as a whole, and of a network address on the market. */
  quotas: Readonly<{ client: number; organization: number; market: number }>;
  corsOrigins: readonly string[];
  /** Addresses inside the operator's network that an organization's identity provider and webhook endpoints may be at. */
  outboundAllow: readonly string[];
  /** An origin, without a slash at its end; null: that of each request. */
  publicUrl: string | null;
  sessions: { idleMs: number; absoluteMs: number };
  /** Null: invitations are not sent. */
  mail: { url: string; from: string } | null;
  trustProxy: boolean;
  logLevel: LogLevel;
}>;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Every variable the service reads, with its meaning: the text of `--help` and of docs/running.md. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['PORT', 'port to listen on (8080; 0 picks a free port)'],
  ['HOST', 'address to listen on (127.0.0.1)'],
  ['FORWARD_HOST', 'address where other processes of the same DATABASE_URL reach this one (127.0.0.1)'],
  ['FORWARD_PORT', 'port for FORWARD_HOST (0 picks a free port)'],
  ['DATA_DIR', 'folder for the embedded database, its keys and credentials (./data)'],
  [
    'DATABASE_URL',
    'PostgreSQL 15 or newer to use instead of the embedded one; with several hosts, the writable one is used',
  ],
  ['DATABASE_READ_URL', 'replica of DATABASE_URL for large reads (none)'],
  ['DATABASE_POOL', 'connections to the database (4)'],
  ['VOLUMES', 'volumes of the ledger in a new database, a power of two up to 256 (16); cannot be changed later'],
  ['ACCEPT_RESTORE', 'hash of the ledger root from which a database restored from an older copy continues'],
  ['MASTER_KEY', '32 bytes as hex or base64, or several keys with the current one first; required with DATABASE_URL'],
  ['MASTER_KEY_FILE', 'file with the master keys, one per line, instead of MASTER_KEY'],
  ['BOOTSTRAP_CLIENT_ID', 'id of the first client (random by default)'],
  ['BOOTSTRAP_CLIENT_SECRET', 'secret of the first client, at least 24 characters (random by default)'],
  ['BOOTSTRAP_API_KEY', 'API key of the first client, at least 24 characters (random by default)'],
  ['AREA', 'area segment of the path: /v2/<AREA>/… (chain)'],
  ['TIME_ZONE', 'time zone of new organizations, an IANA name (UTC)'],
  ['BUREAU_URL', 'URL of the credit bureau, or simulator (the default with the embedded database)'],
  ['BUREAU_KEY', 'API key for the credit bureau'],
  ['BUREAU_TIMEOUT', 'seconds that a credit pull may take, retries included (20)'],
  ['SCREENING_URL', 'URL of the sanctions screening, or simulator (the default with the embedded database)'],
  ['SCREENING_KEY', 'API key for the sanctions screening'],
  ['SCREENING_TIMEOUT', 'seconds that the screening of a person may take, retries included (20)'],
  ['RETENTION_DAYS', 'days after the last event of a loan before its borrower can be erased (2557, seven years)'],
  ['DEMO', 'on or off: a hundred sample loans (on for a new embedded database without BOOTSTRAP_*)'],
  ['MARKET', 'on or off: the public market at /market, with published loans for everybody (on)'],
  ['COMPRESSION', 'on or off: compress answers for callers that accept it (on); off where a proxy compresses them'],
  ['BODY_LIMIT', 'largest request body in bytes (10485760)'],
  ['REQUEST_TIMEOUT', 'seconds a request may take (30)'],
  ['WARM_SECONDS', 'seconds that the start may spend on loading recently paid loans before the service is ready (10)'],
  ['DRAIN_SECONDS', 'seconds after SIGTERM during which requests are still accepted (5; 0 with the embedded database)'],
  ['WATCHDOG_SECONDS', 'seconds after which a process that no longer answers anything ends itself (60; 0 means never)'],
  ['RATE_LIMIT', 'cost units per minute per client; a small request costs one (3000; 0 means no limit)'],
  [
    'ORGANIZATION_RATE_LIMIT',
    'cost units per minute for all clients of an organization (twice RATE_LIMIT; 0 means no limit)',
  ],
  ['MARKET_RATE_LIMIT', 'cost units per minute per network address on the public market (600; 0 means no limit)'],
  ['CORS_ORIGINS', 'origins whose pages may call the API, separated by commas (none)'],
  [
    'OUTBOUND_ALLOW',
    'addresses and ranges of your network that identity providers and webhook endpoints may be at, separated by commas (none)',
  ],
  [
    'PUBLIC_URL',
    'address of the service for people, for links and cookies (that of the request, on this machine only)',
  ],
  ['SMTP_URL', 'mail server for invitations: smtps://user:password@host:465, or smtp:// with STARTTLS (none)'],
  ['MAIL_FROM', 'sender of mail; required with SMTP_URL'],
  ['SESSION_IDLE_MINUTES', 'minutes without a request after which a session ends (30)'],
  ['SESSION_HOURS', 'hours after which a session ends in any case (12)'],
  ['TRUST_PROXY', 'true: take the caller’s address from X-Forwarded-For (false)'],
  ['LOG_LEVEL', `${LOG_LEVELS.join(', ')} (info)`],
];

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as not set: that is what `PORT= npm start` and most deployment tools mean.
  const text = (name: string): string | null => env[name]?.trim() || null;
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) badSetting(name, `a whole number from ${min} to ${max}`);
    return number;
  };

  const forwardHost = text('FORWARD_HOST') ?? '127.0.0.1';
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(forwardHost) || /^(0\.0\.0\.0|[0:]*)$/.test(forwardHost)) {
    badSetting('FORWARD_HOST', 'one specific address of this machine that the other processes can reach');
  }
  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl !== null && !isPostgresUrl(databaseUrl)) {
    badSetting('DATABASE_URL', 'a URL of the form postgres://user:password@host:5432/database');
  }
  if (databaseUrl !== null && !/^(any|read-write|primary|)$/.test(sessionWanted(databaseUrl))) {
    badSetting(
      'DATABASE_URL',
      'the URL of a server that accepts writes: target_session_attrs may be read-write, primary or any',
    );
  }
  const databaseReadUrl = text('DATABASE_READ_URL');
  if (databaseReadUrl !== null && (databaseUrl === null || !isPostgresUrl(databaseReadUrl))) {
    badSetting('DATABASE_READ_URL', 'the URL of a replica of DATABASE_URL, in the same form');
  }
  if (!/^(any|read-only|standby|)$/.test(sessionWanted(databaseReadUrl ?? ''))) {
    badSetting('DATABASE_READ_URL', 'the URL of a replica: target_session_attrs may be standby, read-only or any');
  }
  const masterKeyText = text('MASTER_KEY');
  if (masterKeyText !== null) decodeMasterKeys(masterKeyText, 'MASTER_KEY');
  const masterKeyFile = text('MASTER_KEY_FILE');
  if (masterKeyText !== null && masterKeyFile !== null) {
    throw new ConfigError('MASTER_KEY and MASTER_KEY_FILE are both set: set only one of them.');
  }
  const area = text('AREA') ?? 'chain';
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(area))
    badSetting('AREA', 'one path segment of lower-case letters, digits and -');
  const timeZone = text('TIME_ZONE') ?? 'UTC';
  if (!isTimeZone(timeZone)) badSetting('TIME_ZONE', 'an IANA time zone such as UTC or America/New_York');
  const corsOrigins = (text('CORS_ORIGINS') ?? '').split(',').map((origin) => origin.trim());
  for (const origin of corsOrigins) {
    if (origin !== '' && !isOrigin(origin))
      badSetting('CORS_ORIGINS', 'origins such as https://desk.example, without a path');
  }
  const volumes = text('VOLUMES') === null ? null : integer('VOLUMES', 16, 1, 256);
  if (volumes !== null && (volumes & (volumes - 1)) !== 0) badSetting('VOLUMES', 'a power of two from 1 to 256');
  const demo = text('DEMO');
  if (demo !== null && demo !== 'on' && demo !== 'off') badSetting('DEMO', 'on or off');
  const market = text('MARKET') ?? 'on';
  if (market !== 'on' && market !== 'off') badSetting('MARKET', 'on or off');
  const compression = text('COMPRESSION') ?? 'on';
  if (compression !== 'on' && compression !== 'off') badSetting('COMPRESSION', 'on or off');
  const trustProxy = text('TRUST_PROXY') ?? 'false';
  if (trustProxy !== 'true' && trustProxy !== 'false') badSetting('TRUST_PROXY', 'true or false');
  const logLevel = LOG_LEVELS.find((level) => level === (text('LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined) badSetting('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  // Used unchanged: a secret that was trimmed here would never match.
  const credential = (name: string, longest: number): string | null => {
    const value = env[name] || null;
    if (value !== null && (value.length > longest || !/^[\x21-\x7e]+$/.test(value))) {
      badSetting(name, `up to ${longest} printable ASCII characters without spaces`);
    }
    return value;
  };
  const secret = (name: string): string | null => {
    const value = credential(name, 512);
    if (value !== null && !isStrong(value)) {
      badSetting(
        name,
        'hard to guess: at least 24 characters, at least 10 different ones, without a repeated or regular pattern; ' +
          '"openssl rand -base64 32" generates one',
      );
    }
    return value;
  };
  const bootstrap = {
    clientId: credential('BOOTSTRAP_CLIENT_ID', 128),
    clientSecret: secret('BOOTSTRAP_CLIENT_SECRET'),
    apiKey: secret('BOOTSTRAP_API_KEY'),
  };
  if (bootstrap.clientSecret !== null && bootstrap.clientSecret === bootstrap.apiKey) {
    badSetting('BOOTSTRAP_API_KEY', 'different from BOOTSTRAP_CLIENT_SECRET');
  }

  const outboundAllow = (text('OUTBOUND_ALLOW') ?? '').split(',').flatMap((entry) => entry.trim() || []);
  if (!outboundAllow.every(isRange)) {
    badSetting('OUTBOUND_ALLOW', 'addresses or ranges such as 10.1.2.3 or 10.0.0.0/8, separated by commas');
  }
  const publicUrl = text('PUBLIC_URL')?.replace(/\/$/, '') ?? null;
  if (publicUrl !== null && !isOrigin(publicUrl)) {
    badSetting('PUBLIC_URL', 'the address of the service such as https://loans.example, without a path');
  }
  const mailUrl = text('SMTP_URL');
  if (
    mailUrl !== null &&
    !(/^smtps?:\/\//.test(mailUrl) && URL.canParse(mailUrl) && new URL(mailUrl).hostname !== '')
  ) {
    badSetting('SMTP_URL', 'a URL of the form smtps://user:password@mail.example:465 or smtp://mail.example:587');
  }
  const mailFrom = text('MAIL_FROM');
  if (mailUrl !== null && !/^[^\s@]+@[^\s@]+$|^[^<>\r\n]+<[^\s@<>]+@[^\s@<>]+>$/.test(mailFrom ?? '')) {
    badSetting('MAIL_FROM', 'the sender of mail, such as loans@bank.example, when SMTP_URL is set');
  }
  // 600 full reads a minute.
  const rateLimit = integer('RATE_LIMIT', 3_000, 0, 100_000_000);
  const quotas = {
    client: rateLimit,
    organization: integer('ORGANIZATION_RATE_LIMIT', 2 * rateLimit, 0, 1_000_000_000),
    market: integer('MARKET_RATE_LIMIT', 600, 0, 100_000_000),
  };

  function readService(name: 'BUREAU' | 'SCREENING'): NamedService | 'simulator' | null {
    const url = text(`${name}_URL`);
    const timeoutMs = integer(`${name}_TIMEOUT`, 20, 1, 25) * 1_000;
    const apiKey = text(`${name}_KEY`);
    // With an operator's own database, simulated answers decide applications only if the operator asks for them.
    if (url === null) return databaseUrl === null ? 'simulator' : null;
    if (url === 'simulator') return url;
    if (!isServiceUrl(url)) badSetting(`${name}_URL`, 'simulator or an https:// URL (http:// only for this machine)');
    if (apiKey === null || !/^[\x21-\x7e]{1,512}$/.test(apiKey))
      badSetting(`${name}_KEY`, `the API key for ${name}_URL`);
    return { url, apiKey: apiKey as string, timeoutMs };
  }

  return Object.freeze({
    version: VERSION,
    port: integer('PORT', 8080, 0, 65_535),
    host: text('HOST') ?? '127.0.0.1',
    forwardHost,
    forwardPort: integer('FORWARD_PORT', 0, 0, 65_535),
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    databaseUrl,
    databaseReadUrl,
    databasePool: integer('DATABASE_POOL', 4, 2, 100),
    volumes,
    acceptRestore: text('ACCEPT_RESTORE'),
    area,
    timeZone,
    retentionDays: integer('RETENTION_DAYS', 2_557, 0, 36_525),
    bureau: readService('BUREAU'),
    screening: readService('SCREENING'),
    demo,
    compression: compression === 'on',
    market: market === 'on',
    masterKeyText,
    masterKeyFile,
    bootstrap: Object.freeze(bootstrap),
    bodyLimitBytes: integer('BODY_LIMIT', 10 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    requestTimeoutMs: integer('REQUEST_TIMEOUT', 30, 1, 3600) * 1000,
    warmMs: integer('WARM_SECONDS', 10, 0, 600) * 1000,
    // Ctrl-C on the embedded service stays quick; behind a load balancer, the balancer needs time to stop sending requests.
    drainMs: integer('DRAIN_SECONDS', databaseUrl === null ? 0 : 5, 0, 3600) * 1000,
    watchdogSeconds: integer('WATCHDOG_SECONDS', 60, 0, 3600),
    quotas: Object.freeze(quotas),
    corsOrigins: Object.freeze(corsOrigins.filter((origin) => origin !== '')),
    outboundAllow: Object.freeze(outboundAllow),
    publicUrl,
    sessions: Object.freeze({
      idleMs: integer('SESSION_IDLE_MINUTES', 30, 1, 1_440) * 60_000,
      absoluteMs: integer('SESSION_HOURS', 12, 1, 168) * 3_600_000,
    }),
    mail: mailUrl === null ? null : Object.freeze({ url: mailUrl, from: mailFrom ?? '' }),
    trustProxy: trustProxy === 'true',
    logLevel,
  });
}

/**
 * Whether a chosen secret is hard to guess: long, of many different characters, neither a repeated piece (`secretsecretsecret`) nor
 * mostly characters that follow each other (`abcdef…`, `111222…`). It does not measure randomness; 32 random bytes always pass.
 */
function isStrong(secret: string): boolean {
  if (secret.length < 24 || new Set(secret).size < 10) return false;
  for (let piece = 1; piece <= secret.length / 2; piece += 1) {
    if (secret.slice(piece) === secret.slice(0, -piece)) return false;
  }
  const steps = Array.from({ length: secret.length - 1 }, (_, i) => secret.charCodeAt(i + 1) - secret.charCodeAt(i));
  return steps.filter((step) => Math.abs(step) <= 1).length <= steps.length / 2;
}

/** The text of MASTER_KEY or of a key file: one or more keys, separated by commas or white space; duplicates are dropped. */
export function decodeMasterKeys(text: string, variable: string): Uint8Array[] {
  const keys = new Map<string, Uint8Array>();
  for (const word of text.split(/[\s,]+/)) {
    if (word === '') continue;
    const key = decodeKey(word) ?? badSetting(variable, '32 bytes as 64 hex digits or as base64, or several such keys');
    keys.set(key.toString('hex'), key);
  }
  return keys.size > 0 ? [...keys.values()] : badSetting(variable, '32 bytes as 64 hex digits or as base64');
}

function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
  return bytes?.length === 32 ? bytes : null;
}

/** The fault of DATABASE_URL, for errors of its server that waiting cannot fix; null for any other error. */
export function databaseUrlProblem(error: unknown): string | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === '28P01' || code === '28000') return 'DATABASE_URL: the server rejected the user or password.';
  if (code === '53100') return 'The disk of the database is full. Free some space and start again.';
  if (code === '3D000') return 'DATABASE_URL names a database that does not exist: create it, or correct the name.';
  if (/CERT|ERR_TLS|ERR_SSL/.test(code) || /does not support SSL/.test(message)) {
    const why = code === '' ? 'the server has no TLS' : code;
    return `DATABASE_URL: a TLS connection failed (${why}); check its sslmode parameter.`;
  }
  return null;
}

/** States what the variable must be, never what it was: it may be a secret. */
export function badSetting(variable: string, expected: string): never {
  throw new ConfigError(`${variable} must be ${expected}.`);
}

/** The form with a socket folder, `postgres://user:password@/database?host=/run/postgresql`, has no host before the path. */
function isPostgresUrl(text: string): boolean {
  const scheme = /^postgres(ql)?:\/\//.exec(text)?.[0];
  if (scheme === undefined) return false;
  const [authority = ''] = text.slice(scheme.length).split(/[/?#]/, 1);
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  const front = text.slice(0, scheme.length + authority.length - hosts.length);
  const rest = text.slice(scheme.length + authority.length);
  if (hosts + rest === '') return false;
  // Several hosts, as libpq accepts them: postgres://user:password@a:5432,b:5433/database.
  return hosts
    .split(',')
    .every((host) => (host !== '' || hosts === '') && URL.canParse(`${front}${host || 'localhost'}${rest}`));
}

function sessionWanted(url: string): string {
  return /[?&]target_session_attrs=([^&#]*)/.exec(url)?.[1] ?? '';
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes('%') || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Social security numbers are sent there: unencrypted only to this machine. */
function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}
