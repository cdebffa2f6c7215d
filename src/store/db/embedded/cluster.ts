/**
 * The files for PostgreSQL in DATA_DIR, and how they are first made: `postgres/` (the cluster), `postgres-password`
 * (of its superuser, mode 600), `postgres.log`, and `daybook.lock`.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_ENV } from './binaries.ts';
import { diskFull, EmbeddedPostgresError, noSpaceLine } from './errors.ts';
import { SUPERUSER } from './roles.ts';
import { canReach, type ServerUser } from './user.ts';

export type Place = {
  dataDir: string;
  cluster: string;
  log: string;
  /** Distinguishes this DATA_DIR from others: the cluster's name in process titles and of its socket folder. */
  name: string;
};

/** The folder itself, made when it is missing and known by its real path from here on. */
export function openPlace(folder: string): Place {
  makeFolder(folder);
  const dataDir = realpathSync(folder);
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return { dataDir, cluster: join(dataDir, 'postgres'), log: join(dataDir, 'postgres.log'), name: `daybook-${hash}` };
}

/** With the folders above it. `recursive` of mkdir never returns below a folder that takes none, /proc for instance. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it a moment ago.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** The socket, and a copy of the programs where one is needed, are below the system's temporary folder. */
export function checkTemporaryFolder(): void {
  const folder = tmpdir();
  const wrong = (what: string) =>
    new EmbeddedPostgresError(
      `The temporary folder ${folder} ${what}. Set TMPDIR to a folder that this user can write to.`,
    );
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw wrong('does not exist');
  if (!found.isDirectory()) throw wrong('is not a folder');
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw wrong('cannot be written by this user');
  }
}

/** The major version the cluster was made by, or undefined when there is no cluster yet. */
export function clusterVersion(place: Place): number | undefined {
  const found = lstatSync(place.cluster, { throwIfNoEntry: false });
  if (!found) return undefined;
  try {
    return Number(readFileSync(join(place.cluster, 'PG_VERSION'), 'utf8').trim());
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    if (code === 'ENOENT' && readdirSync(place.cluster).length === 0) {
      rmdirSync(place.cluster);
      return undefined;
    }
    throw new EmbeddedPostgresError(
      `${place.cluster} exists but does not contain a PostgreSQL database. Move it away, or set DATA_DIR to another folder.`,
    );
  }
}

/** The password of an existing cluster. */
export function readPassword(place: Place): string {
  try {
    const password = readFileSync(passwordFile(place), 'utf8').trim();
    if (password) return password;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  throw new EmbeddedPostgresError(
    `The password of the database in ${place.cluster} is missing. Restore ${passwordFile(place)} ` +
      'from a backup of the same folder, or set DATA_DIR to another folder.',
  );
}

/**
 * Creates the cluster beside its final place and moves it there when complete, so that a start killed half-way leaves
 * nothing that looks like a cluster. The password is in place before the cluster that needs it.
 */
export async function makeCluster(options: {
  place: Place;
  binaries: string;
  major: number;
  user: ServerUser | undefined;
  sync: boolean;
}): Promise<void> {
  const { place, binaries, major, user } = options;
  const password = randomBytes(24).toString('base64url');
  writePrivately(passwordFile(place), `${password}\n`);

  const workshop = mkdtempSync(join(place.dataDir, WORKSHOP));
  try {
    // initdb runs inside the new folder and finds the password one step up: neither needs a path from the root, which
    // the server's user may not be allowed to traverse.
    const made = join(workshop, 'cluster');
    mkdirSync(made, { mode: 0o700 });
    writeFileSync(join(workshop, 'password'), `${password}\n`, { mode: 0o600 });
    if (user) for (const path of [workshop, made, join(workshop, 'password')]) chownSync(path, user.uid, user.gid);
    const args = ['-D', dataDirectory(made, user), '-U', SUPERUSER, '--pwfile=../password'];
    args.push('--auth=scram-sha-256', '--data-checksums', '--no-instructions', '-E', 'UTF8', '--locale=C');
    if (major >= 17) args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    if (!options.sync) args.push('--no-sync');
    const spawnOptions = { ...user, cwd: made, env: PROGRAM_ENV, timeout: 120_000 };
    await promisify(execFile)(join(binaries, 'bin', 'initdb'), args, spawnOptions).catch((error) => {
      throw initdbError(error, place);
    });
    renameSync(made, place.cluster);
    syncFolder(place.dataDir);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** Removes what starts killed half-way left behind. An initdb that still runs there fails by itself. */
export function sweepWorkshops(place: Place): void {
  for (const name of readdirSync(place.dataDir).filter((entry) => entry.startsWith(WORKSHOP))) {
    try {
      rmSync(join(place.dataDir, name), { recursive: true, force: true });
    } catch {
      // The next start tries again.
    }
  }
}

/**
 * The data directory argument of the programs, which are started inside it. A folder below one that the user may not
 * enter (/root, mode 700) has no path for that user, but the link to a process's working directory leads there without
 * permissions on the folders above.
 */
export function dataDirectory(cluster: string, user: ServerUser | undefined): string {
  if (canReach(cluster, user)) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and no other user can access ${cluster}. Set DATA_DIR to a folder below ` +
      'one that all users can enter, or start Daybook as an ordinary user.',
  );
}

/** A cluster that root copied into place belongs to root, which PostgreSQL refuses; it is given to the server's user. */
export function giveCluster(place: Place, user: ServerUser | undefined): void {
  if (!user || lstatSync(place.cluster).uid === user.uid) return;
  const give = (path: string): void => {
    lchownSync(path, user.uid, user.gid);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
  };
  give(place.cluster);
  chmodSync(place.cluster, 0o700);
}

/**
 * The folder of the socket: private to the server's user, and outside DATA_DIR because a socket's path may have about a
 * hundred bytes only. A folder of that name that belongs to another user is not used.
 */
export function socketFolder(place: Place, user: ServerUser | undefined): string {
  const uid = user?.uid ?? process.getuid?.() ?? 0;
  const base = Buffer.byteLength(tmpdir()) > 50 ? '/tmp' : tmpdir();
  const folder = join(base, `${place.name}-${uid}`);
  if (openSocketFolder(folder, user)) return folder;
  const another = mkdtempSync(join(base, 'daybook-'));
  if (user) chownSync(another, user.uid, user.gid);
  return another;
}

/** Makes the socket's folder if it is missing; false when it is not ours alone. */
export function openSocketFolder(folder: string, user: ServerUser | undefined): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === (user?.uid ?? process.getuid?.()) && (found.mode & 0o077) === 0;
}

const WORKSHOP = 'postgres.new-';
const passwordFile = (place: Place) => join(place.dataDir, 'postgres-password');

function writePrivately(path: string, text: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function initdbError(error: unknown, place: Place): EmbeddedPostgresError {
  const said = String((error as { stderr?: unknown }).stderr || (error as Error).message);
  if (noSpaceLine(said) !== null) return new EmbeddedPostgresError(diskFull(place.dataDir));
  if (/could not look up effective user ID/.test(said)) {
    return new EmbeddedPostgresError(
      `The user this runs as (number ${process.getuid?.()}) has no entry in /etc/passwd, which PostgreSQL needs to create ` +
        'its database. Add one, run as another user, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  const line = said.split('\n').find((text) => /error|fatal|could not/i.test(text)) ?? said.split('\n')[0];
  return new EmbeddedPostgresError(
    `The database could not be created in ${place.cluster}: ${line?.trim()}. ` +
      'Set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL 15 or newer.',
  );
}
