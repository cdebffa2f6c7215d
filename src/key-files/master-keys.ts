/**
 * The master keys of a service: in MASTER_KEY, in the file that MASTER_KEY_FILE names, or in `DATA_DIR/master-key`, which is created before
 * the embedded database. Losing them means losing the data they seal, so that file is beside the database and is backed up with it.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { badSetting, type Config, ConfigError, decodeMasterKeys } from '../config.ts';
import type { ChangeableMasterKeys, MasterKey } from '../vault/master-keys.ts';
import { hasDatabase, openDataDir, syncFolder, writePrivately } from './data-dir.ts';

/** The time after which a changed file is read again. */
const FOLLOWED_MS = 1_000;

/**
 * A running service follows its file: it checks for a change once a second, and at once when it meets an unknown key. `idOf` names a key.
 */
export function openMasterKeys(
  config: Config,
  idOf: (key: Uint8Array) => string,
  monotonic: () => number = () => performance.now(),
): ChangeableMasterKeys {
  const { file, variable } = keyFile(config);
  let known = new Map<string, MasterKey>();
  let seen = '';
  let lookedAt = monotonic();
  const read = (): readonly MasterKey[] => {
    const { text, version } =
      file === null ? { text: config.masterKeyText ?? '', version: '' } : readKeyFile(file, variable);
    seen = version;
    const keys = decodeMasterKeys(text, variable).map((key) => ({ keyId: idOf(key), key }));
    // A key that was known stays the same object: derived keys are cached by it.
    known = new Map(keys.map((one) => [one.keyId, known.get(one.keyId) ?? one]));
    return [...known.values()];
  };
  let keys = read();
  /** If the file is currently unreadable or does not hold keys, the service continues with the keys it has. */
  const follow = (): void => {
    lookedAt = monotonic();
    try {
      if (file !== null && fileVersion(file) !== seen) keys = read();
    } catch {}
  };
  const write = (wanted: readonly MasterKey[]): void => {
    if (file === null) throw new ConfigError('MASTER_KEY is set in the environment of the service: change it there.');
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
      // Two steps, each on disk before the next: a service may wrap with the new key as soon as it is current, and by then a loss of power
      // cannot remove it.
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

/** The file of the keys, created first where that is allowed, and the variable that names it. */
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
        `The master key file ${file} of this database is missing. Restore it from a backup, or set MASTER_KEY.`,
      );
    }
    makeKeyFile(file);
  }
  chmodSync(file, 0o600);
  return { file, variable: file };
}

/** The file is complete or absent. Of two processes that start at once, one creates the key, and both read it. */
function makeKeyFile(path: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writePrivately(draft, `${randomBytes(32).toString('hex')}\n`);
    linkSync(draft, path);
    syncFolder(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') badSetting('DATA_DIR', `a folder that this user can write to (${code})`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The file is replaced as a whole, and is on disk when this returns. Owner and group stay, so that a service of another user can keep
 * reading it; others cannot read it. The caller holds the lock under which master keys are changed.
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
    badSetting(variable, `a file that this user can replace (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Changes whenever the file is replaced or written. */
function fileVersion(path: string): string {
  const { ino, mtimeNs, size } = statSync(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

/** The version is read before the text, so that a change in between is read again. */
function readKeyFile(path: string, variable: string): { text: string; version: string } {
  try {
    const version = fileVersion(path);
    return { text: readFileSync(path, 'utf8'), version };
  } catch (error) {
    return badSetting(variable, `a readable file (${(error as NodeJS.ErrnoException).code})`);
  }
}
