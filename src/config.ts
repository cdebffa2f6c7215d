/**
 * The settings of a running service, read once from the environment, checked and frozen. A bad value is a
 * `ConfigError`: one line that names the variable. No secret has a default; what the embedded service needs
 * and nobody gave is made at random and kept under `DATA_DIR`, readable by its owner alone.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export type Config = Readonly<{
  port: number;
  host: string;
  dataDir: string;
  /** Absent: the embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | null;
  databasePool: number;
  /** The area segment of the path prefix: `/v2/<area>`. */
  area: string;
  timeZone: string;
  /** Days after a loan's last event during which its borrower cannot be erased. */
  retentionDays: number;
  /** Where credit reports come from; null: none, and applications cannot be assessed. */
  bureau: 'simulator' | { url: string; apiKey: string; timeoutMs: number } | null;
  /** Null: on when the embedded database is new and no BOOTSTRAP_* is set. */
  demo: 'on' | 'off' | null;
  masterKeyText: string | null;
  masterKeyFile: string | null;
  bootstrap: Readonly<{ clientId: string | null; clientSecret: string | null; apiKey: string | null }>;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  rateLimitPerMinute: number;
  corsOrigins: readonly string[];
  trustProxy: boolean;
  logLevel: LogLevel;
}>;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Every variable the service reads, with what it means: the text of `--help` and of docs/running.md. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['PORT', 'port to listen on (8080; 0 takes a free one)'],
  ['HOST', 'address to listen on (127.0.0.1)'],
  ['DATA_DIR', 'folder of the embedded database, its keys and credentials (./data)'],
  ['DATABASE_URL', 'a PostgreSQL 15 or newer to use instead of the embedded one'],
  ['DATABASE_POOL', 'connections to the database (4)'],
  ['MASTER_KEY', '32 bytes as hex or base64, several keys with the current one first; required with DATABASE_URL'],
  ['MASTER_KEY_FILE', 'a file that holds the master keys, one a line, instead of MASTER_KEY'],
  ['BOOTSTRAP_CLIENT_ID', 'id of the first client (random when absent)'],
  ['BOOTSTRAP_CLIENT_SECRET', 'secret of the first client (random when absent)'],
  ['BOOTSTRAP_API_KEY', 'API key of the first client (random when absent)'],
  ['AREA', 'area segment of the path: /v2/<AREA>/… (chain)'],
  ['TIME_ZONE', 'the zone of "today", an IANA name (UTC)'],
  ['BUREAU_URL', 'the credit bureau’s address, or simulator (the default with the embedded database)'],
  ['BUREAU_KEY', 'the key that the credit bureau wants'],
  ['BUREAU_TIMEOUT', 'seconds that a pull may take with all its attempts (20)'],
  ['RETENTION_DAYS', 'days after the last event during which no borrower is erased (2557, seven years)'],
  ['DEMO', 'on or off: a hundred made-up loans (on for a new embedded database without BOOTSTRAP_*)'],
  ['BODY_LIMIT', 'largest request body in bytes (10485760)'],
  ['REQUEST_TIMEOUT', 'seconds a request may take (30)'],
  ['RATE_LIMIT', 'requests a minute and client (600; 0 is no limit)'],
  ['CORS_ORIGINS', 'origins whose pages may call the API, separated by commas (none)'],
  ['TRUST_PROXY', 'true: the caller’s address is taken from X-Forwarded-For (false)'],
  ['LOG_LEVEL', `${LOG_LEVELS.join(', ')} (info)`],
];

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as absent: that is what `PORT= npm start` and most deployment tools mean.
  const text = (name: string): string | null => env[name]?.trim() || null;
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) fail(name, `a whole number from ${min} to ${max}`);
    return number;
  };

  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl !== null && !isPostgresUrl(databaseUrl)) {
    fail('DATABASE_URL', 'an address of the form postgres://user:password@host:5432/database');
  }
  const masterKeyText = text('MASTER_KEY');
  if (masterKeyText !== null) decodeKeys(masterKeyText, 'MASTER_KEY');
  const masterKeyFile = text('MASTER_KEY_FILE');
  if (masterKeyText !== null && masterKeyFile !== null) {
    throw new ConfigError('MASTER_KEY and MASTER_KEY_FILE are both set: give one of them.');
  }
  const area = text('AREA') ?? 'chain';
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(area)) fail('AREA', 'one path segment of lower-case letters, digits and -');
  const timeZone = text('TIME_ZONE') ?? 'UTC';
  if (!isTimeZone(timeZone)) fail('TIME_ZONE', 'an IANA time zone such as UTC or America/New_York');
  const corsOrigins = (text('CORS_ORIGINS') ?? '').split(',').map((origin) => origin.trim());
  for (const origin of corsOrigins) {
    if (origin !== '' && !isOrigin(origin))
      fail('CORS_ORIGINS', 'origins such as https://desk.example, without a path');
  }
  const demo = text('DEMO');
  if (demo !== null && demo !== 'on' && demo !== 'off') fail('DEMO', 'on or off');
  const trustProxy = text('TRUST_PROXY') ?? 'false';
  if (trustProxy !== 'true' && trustProxy !== 'false') fail('TRUST_PROXY', 'true or false');
  const logLevel = LOG_LEVELS.find((level) => level === (text('LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined) fail('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  // Taken as they stand: a secret that lost a space here would never fit again.
  const credential = (name: string, longest: number): string | null => {
    const value = env[name] || null;
    if (value !== null && (value.length > longest || !/^[\x21-\x7e]+$/.test(value))) {
      fail(name, `up to ${longest} printable ASCII characters without spaces`);
    }
    return value;
  };

  function readBureau(): Config['bureau'] {
    const url = text('BUREAU_URL');
    const timeoutMs = integer('BUREAU_TIMEOUT', 20, 1, 25) * 1_000;
    const apiKey = text('BUREAU_KEY');
    // Nobody's application is decided on an invented report unless somebody asked for that.
    if (url === null) return databaseUrl === null ? 'simulator' : null;
    if (url === 'simulator') return url;
    if (!isBureauUrl(url)) fail('BUREAU_URL', 'simulator, or an https:// address (http:// only to this machine)');
    if (apiKey === null || !/^[\x21-\x7e]{1,512}$/.test(apiKey))
      fail('BUREAU_KEY', 'the key that goes with BUREAU_URL');
    return { url, apiKey: apiKey as string, timeoutMs };
  }

  return Object.freeze({
    port: integer('PORT', 8080, 0, 65_535),
    host: text('HOST') ?? '127.0.0.1',
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    databaseUrl,
    databasePool: integer('DATABASE_POOL', 4, 2, 100),
    area,
    timeZone,
    retentionDays: integer('RETENTION_DAYS', 2_557, 0, 36_525),
    bureau: readBureau(),
    demo,
    masterKeyText,
    masterKeyFile,
    bootstrap: Object.freeze({
      clientId: credential('BOOTSTRAP_CLIENT_ID', 128),
      clientSecret: credential('BOOTSTRAP_CLIENT_SECRET', 512),
      apiKey: credential('BOOTSTRAP_API_KEY', 512),
    }),
    bodyLimitBytes: integer('BODY_LIMIT', 10 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    requestTimeoutMs: integer('REQUEST_TIMEOUT', 30, 1, 3600) * 1000,
    rateLimitPerMinute: integer('RATE_LIMIT', 600, 0, 100_000_000),
    corsOrigins: Object.freeze(corsOrigins.filter((origin) => origin !== '')),
    trustProxy: trustProxy === 'true',
    logLevel,
  });
}

export type MasterKey = { readonly keyId: string /** 32 bytes. */; readonly key: Uint8Array };

/** The keys that wrap every other key. The first one is current: it wraps; all of them open. */
export type MasterKeys = {
  current(): MasterKey;
  find(keyId: string): MasterKey | null;
  all(): readonly MasterKey[];
  /** Null: they are in MASTER_KEY, where nobody but who set it can change them. */
  readonly file: string | null;
  /** Makes a key, keeps it in the file and makes it current. */
  add(): MasterKey;
  /** Takes keys out of the file; the current one stays. */
  remove(keyIds: ReadonlySet<string>): void;
  /** When the file was last changed, in epoch milliseconds; 0 without a file. */
  changedAt(): number;
};

/** A file that has changed is read again this soon. */
const FOLLOWED_MS = 1_000;

/**
 * For the embedded default the key is made before the database; whoever loses it loses what it sealed, so it lies beside the database
 * and is backed up with it. A running service follows its file: it looks for a change once a second, and at once when it meets a key
 * that it does not know. `idOf` names a key.
 */
export function openMasterKeys(
  config: Config,
  idOf: (key: Uint8Array) => string,
  monotonic: () => number = () => performance.now(),
): MasterKeys {
  const { file, variable } = keyFile(config);
  let known = new Map<string, MasterKey>();
  let seen = '';
  let lookedAt = monotonic();
  const read = (): readonly MasterKey[] => {
    const { text, version } =
      file === null ? { text: config.masterKeyText ?? '', version: '' } : readKeyFile(file, variable);
    seen = version;
    const keys = decodeKeys(text, variable).map((key) => ({ keyId: idOf(key), key }));
    // A key that was known stays the same object, for whoever remembers something by it.
    known = new Map(keys.map((one) => [one.keyId, known.get(one.keyId) ?? one]));
    return [...known.values()];
  };
  let keys = read();
  /** A file that cannot be read just now, or not as keys, leaves the service with the keys it has. */
  const follow = (): void => {
    lookedAt = monotonic();
    try {
      if (file !== null && fileVersion(file) !== seen) keys = read();
    } catch {}
  };
  const write = (wanted: readonly MasterKey[]): void => {
    if (file === null) throw new ConfigError('MASTER_KEY is set by whoever starts the service: change it there.');
    writeKeyFile(
      file,
      wanted.map(({ key }) => key),
      variable,
    );
    keys = read();
  };
  return {
    file,
    current() {
      if (monotonic() - lookedAt >= FOLLOWED_MS) follow();
      return keys[0] as MasterKey;
    },
    find(keyId) {
      if (!known.has(keyId)) follow();
      return known.get(keyId) ?? null;
    },
    all() {
      follow();
      return keys;
    },
    add() {
      keys = read();
      const key = randomBytes(32);
      const made: MasterKey = { keyId: idOf(key), key };
      // Two steps, each on disk before the next: a service may wrap with the new key as soon as it is current, and by then no loss
      // of power can take it away.
      const before = keys;
      write([...before, made]);
      write([made, ...before]);
      return keys[0] as MasterKey;
    },
    remove(keyIds) {
      keys = read();
      const [current, ...others] = keys;
      write([current as MasterKey, ...others.filter(({ keyId }) => !keyIds.has(keyId))]);
    },
    changedAt: () => (file === null ? 0 : statSync(file).mtimeMs),
  };
}

/** Where the keys are, made first if they may be. */
function keyFile(config: Config): { file: string | null; variable: string } {
  if (config.masterKeyText !== null) return { file: null, variable: 'MASTER_KEY' };
  if (config.masterKeyFile !== null) return { file: config.masterKeyFile, variable: 'MASTER_KEY_FILE' };
  if (config.databaseUrl !== null) {
    throw new ConfigError(
      'MASTER_KEY is required with DATABASE_URL: 32 random bytes, for example from `openssl rand -hex 32`.',
    );
  }
  const file = join(config.dataDir, 'master-key');
  openDataDir(config);
  if (!existsSync(file)) {
    if (hasDatabase(config)) {
      throw new ConfigError(
        `MASTER_KEY is needed: ${file}, the key of the database beside it, is gone. Put it back from a backup, or set MASTER_KEY.`,
      );
    }
    makeKeyFile(file);
  }
  chmodSync(file, 0o600);
  return { file, variable: file };
}

/** Whether DATA_DIR holds an embedded database already. */
export function hasDatabase(config: Config): boolean {
  return existsSync(join(config.dataDir, 'postgres'));
}

export type Credentials = { clientId: string; clientSecret: string; apiKey: string };

export const credentialsFile = (config: Config): string => join(config.dataDir, 'credentials.json');

/**
 * Credentials are on disk before the client they belong to is in the database, under a name of their own, so that no
 * crash in between can leave a first client that nobody knows the secret of; `settleCredentials` gives them their name.
 */
export function draftCredentials(config: Config, credentials: Credentials): void {
  openDataDir(config);
  writePrivately(draftFile(config, credentials.clientId), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** The drafts of the client that is in the database become `credentials.json`; those of one that never was go away. */
export function settleCredentials(config: Config, clientId: string, drafted: string | null): void {
  try {
    renameSync(draftFile(config, clientId), credentialsFile(config));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (drafted !== null) rmSync(draftFile(config, drafted), { force: true });
}

/** Whose credentials lie in DATA_DIR; null when there are none. */
export function keptClientId(config: Config): string | null {
  try {
    return (JSON.parse(readFileSync(credentialsFile(config), 'utf8')) as Credentials).clientId;
  } catch {
    return null;
  }
}

const draftFile = (config: Config, clientId: string): string =>
  `${credentialsFile(config)}.${Buffer.from(clientId).toString('base64url')}`;

function openDataDir({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    fail('DATA_DIR', `a folder this user may write to (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Complete or not there at all. Of two processes that start at once one makes the key, and both read it. */
function makeKeyFile(path: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writePrivately(draft, `${randomBytes(32).toString('hex')}\n`);
    linkSync(draft, path);
    syncFolder(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') fail('DATA_DIR', `a folder this user may write to (${code})`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Whole or not at all, and on disk when this returns. Owner and group stay, so that a service of another user can go on reading it; of
 * the others nobody can. Whoever writes has made sure that nobody else does.
 */
function writeKeyFile(path: string, keys: readonly Uint8Array[], variable: string): void {
  try {
    const target = realpathSync(path);
    const { mode, uid, gid } = statSync(target);
    const draft = `${target}.new`;
    writePrivately(draft, keys.map((key) => `${Buffer.from(key).toString('hex')}\n`).join(''));
    const made = statSync(draft);
    if (made.uid !== uid || made.gid !== gid) chownSync(draft, uid, gid);
    chmodSync(draft, (mode & 0o640) | 0o600);
    renameSync(draft, target);
    syncFolder(target);
  } catch (error) {
    fail(variable, `a file that this user may replace (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A new name is on disk only when its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Another text whenever the file was replaced or written to. */
function fileVersion(path: string): string {
  const { ino, mtimeNs, size } = statSync(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

function writePrivately(path: string, text: string): void {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The version is from before the text: what changes in between is read again. */
function readKeyFile(path: string, variable: string): { text: string; version: string } {
  try {
    const version = fileVersion(path);
    return { text: readFileSync(path, 'utf8'), version };
  } catch (error) {
    return fail(variable, `a readable file (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** One or more keys, separated by commas or white space; each once. */
function decodeKeys(text: string, variable: string): Uint8Array[] {
  const keys = new Map<string, Uint8Array>();
  for (const word of text.split(/[\s,]+/)) {
    if (word === '') continue;
    const key = decodeKey(word) ?? fail(variable, '32 bytes as 64 hex digits or as base64, or several such keys');
    keys.set(key.toString('hex'), key);
  }
  return keys.size > 0 ? [...keys.values()] : fail(variable, '32 bytes as 64 hex digits or as base64');
}

function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
  return bytes?.length === 32 ? bytes : null;
}

/** What a server at DATABASE_URL said that no waiting can help; null for any other error. */
export function databaseUrlProblem(error: unknown): string | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === '28P01' || code === '28000') return 'DATABASE_URL: the server refuses this user or password.';
  if (code === '3D000') return 'DATABASE_URL names a database that does not exist: create it, or correct the name.';
  if (/CERT|ERR_TLS|ERR_SSL/.test(code) || /does not support SSL/.test(message)) {
    const why = code === '' ? 'the server has no TLS' : code;
    return `DATABASE_URL: no TLS connection can be made (${why}); its parameter sslmode says what is wanted.`;
  }
  return null;
}

/** Says what the variable must be and never what it was: it may be a secret. */
function fail(variable: string, expected: string): never {
  throw new ConfigError(`${variable} must be ${expected}.`);
}

/** The form with a socket's folder, `postgres://user:password@/database?host=/run/postgresql`, has no host in front. */
function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace(/^(\w+:\/\/[^/]*@)\//, '$1localhost/'));
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Social security numbers go there: in the clear only to this very machine. */
function isBureauUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}
