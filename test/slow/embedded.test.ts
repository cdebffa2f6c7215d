/** Real clusters in temporary folders. Everything here is stopped and removed again, even when a test fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packagedBinaries } from '../../src/store/db/embedded/binaries.ts';
import { openPlace, readPassword } from '../../src/store/db/embedded/cluster.ts';
import { isAlive, isPostmaster, processesTitled, refer, signal } from '../../src/store/db/embedded/processes.ts';
import { SUPERUSER } from '../../src/store/db/embedded/roles.ts';
import { canReach } from '../../src/store/db/embedded/user.ts';
import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresEvent,
  type EmbeddedPostgresOptions,
  startPostgres,
} from '../../src/store/db/embedded.ts';

const NOBODY = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;
const FAST = { fsync: 'off' };
// A loaded machine takes ten times as long.
const PATIENT = { timeout: 60_000 };

const folders: string[] = [];
const started: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

// Making a cluster is most of a test's time, so most tests start this one, and leave it stopped and whole.
let shared: string;
beforeAll(async () => {
  shared = join(newFolder(), 'data');
  const postgres = await startPostgres({ dataDir: shared, own: true, settings: FAST });
  await query(postgres, 'CREATE TABLE kept (answer int)');
  await postgres.stop();
}, PATIENT.timeout);
afterAll(() => rmSync(join(shared, '..'), { recursive: true, force: true }));

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const postgres of started.splice(0)) await postgres.stop();
  for (const dataDir of [shared, ...folders.map((folder) => join(folder, 'data'))]) {
    const pid = postmasterOf(dataDir);
    if (!pid) continue;
    if (isPostmaster(pid)) signal(refer(pid), 'SIGKILL');
    for (const orphan of processesTitled(`postgres: ${openPlace(dataDir).name}: `)) signal(orphan, 'SIGKILL');
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}, PATIENT.timeout);

describe('start and stop', PATIENT, () => {
  test('a first start creates the cluster, the next one finds the data again', async () => {
    const dataDir = newDataDir('two words é');
    const events: EmbeddedPostgresEvent[] = [];
    const first = await start({ dataDir, own: true, onEvent: (event) => events.push(event) });
    expect(first.adopted).toBe(false);
    expect(events.map((event) => event.kind)).toEqual(['initialized', 'started']);
    expect(first.connection).toMatchObject({ user: 'daybook', database: 'daybook' });
    await query(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const settings = await query(
      first,
      "SELECT name, setting FROM pg_settings WHERE name = ANY('{fsync,synchronous_commit}')",
    );
    expect(settings.map((row) => row.setting)).toEqual(['on', 'on']);
    await first.stop();
    await first.stop();
    expectNoProcess(dataDir);

    const second = await start({ dataDir, own: true });
    expect(second.connection).toEqual(first.connection);
    expect(await query(second, 'SELECT answer FROM kept LIMIT 1')).toEqual([{ answer: 42 }]);
  });

  test('it listens on a private socket only, and the password is in no argument and no log', async () => {
    const dataDir = shared;
    const postgres = await start({ dataDir, own: true, settings: FAST });
    expect(await query(postgres, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(statSync(postgres.connection.host).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    const wrong = { ...postgres, connection: { ...postgres.connection, password: 'guessed' } };
    await expect(query(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    await expect(query(postgres, "SELECT 'no-date-but-a-secret'::date")).rejects.toThrow();
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('ready to accept connections');
    expect(log).not.toContain('no-date-but-a-secret');
    expect(log).not.toContain(postgres.connection.password);
    if (process.platform !== 'linux') return;
    const pid = postmasterOf(dataDir);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(postgres.connection.password);
    expect(tcpListenersOf(pid)).toEqual([]);
    // A session of its own: Ctrl-C on our terminal does not reach it.
    expect(sessionOf(pid)).not.toBe(sessionOf(process.pid));
  });

  test('what an interrupted first start left behind is removed', async () => {
    const dataDir = newDataDir();
    const child = ownerProcess(dataDir);
    await poll(() => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.new-')));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    const postgres = await start({ dataDir, own: true, settings: FAST });
    expect(await query(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await postgres.stop();
    const next = await start({ dataDir, own: true, settings: FAST });
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))).toEqual([]);
    expect(next.adopted).toBe(false);
  });
});

describe('owners and borrowers', PATIENT, () => {
  test('a second service is refused, a command borrows the server and leaves it running', async () => {
    const dataDir = shared;
    const service = await start({ dataDir, own: true, settings: FAST });
    const refused = startPostgres({ dataDir, own: true });
    await expect(refused).rejects.toThrow(EmbeddedPostgresError);
    await expect(refused).rejects.toThrow(`process ${process.pid}`);
    const command = await start({ dataDir, own: false });
    expect(command.adopted).toBe(true);
    expect(command.connection).toEqual(service.connection);
    await command.stop();
    expect(await query(service, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a command waits for a server that has not noted its socket yet', async () => {
    const dataDir = shared;
    const service = await start({ dataDir, own: true, settings: FAST });
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.split('\n').slice(0, 4).join('\n'));
    const borrowing = start({ dataDir, own: false });
    // The command has read the file by then, however often.
    await sleep(500);
    writeFileSync(file, whole);
    expect((await borrowing).connection).toEqual(service.connection);
    await service.stop();
  });

  test('without a service, commands run a server for themselves one after the other', async () => {
    const dataDir = shared;
    const used = await Promise.all(
      [1, 2].map(async () => {
        const command = await start({ dataDir, own: false, settings: FAST });
        const rows = await query(command, 'SELECT 1 AS one');
        await command.stop();
        return rows;
      }),
    );
    expect(used).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    expectNoProcess(dataDir);
  });
});

describe('after a kill', PATIENT, () => {
  test('the server of a killed service is adopted, supervised and stopped at the end', async () => {
    const dataDir = shared;
    const owner = ownerProcess(dataDir);
    const left = await connectionFrom(owner);
    await query(left, 'INSERT INTO kept VALUES (42)');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const orphan = postmasterOf(dataDir);
    expect(isAlive(refer(orphan))).toBe(true);

    const events: EmbeddedPostgresEvent[] = [];
    const postgres = await start({ dataDir, own: true, settings: FAST, onEvent: (event) => events.push(event) });
    expect(postgres.adopted).toBe(true);
    expect(postmasterOf(dataDir)).toBe(orphan);
    process.kill(orphan, 'SIGKILL');
    await poll(() => events.some((event) => event.kind === 'restarted'));
    expect(events.map((event) => event.kind)).toEqual(['adopted', 'exited', 'restarted']);
    expect(await query(postgres, 'SELECT answer FROM kept LIMIT 1')).toEqual([{ answer: 42 }]);
    await postgres.stop();
    expectNoProcess(dataDir);
  });

  test('a killed server is started again under the same connection, though a child of it is still busy', async () => {
    const dataDir = shared;
    const events: EmbeddedPostgresEvent[] = [];
    const postgres = await start({ dataDir, own: true, onEvent: (event) => events.push(event) });
    await query(postgres, 'INSERT INTO kept VALUES (42)');
    // This query computes without waiting for anything, so it does not notice that its parent is gone.
    const busy = query(postgres, 'SELECT count(*) FROM generate_series(1, 1e12::bigint)').catch(
      (error: Error) => error,
    );
    await poll(async () => {
      const rows = await query(
        postgres,
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%1e12%' AND state = 'active'",
      );
      return rows.length > 1;
    });
    process.kill(postmasterOf(dataDir), 'SIGKILL');
    await poll(() => events.some((event) => event.kind === 'restarted'));
    expect(await busy).toBeInstanceOf(Error);
    expect(await query(postgres, 'SELECT answer FROM kept LIMIT 1')).toEqual([{ answer: 42 }]);
    await postgres.stop();
    expectNoProcess(dataDir);
  });

  test('service and server killed: the next start recovers, even when another process has the pid of the old server', async () => {
    const dataDir = shared;
    const owner = ownerProcess(dataDir);
    const left = await connectionFrom(owner);
    await query(left, 'INSERT INTO kept VALUES (42)');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const old = postmasterOf(dataDir);
    process.kill(old, 'SIGKILL');
    await poll(() => !isAlive(refer(old)));

    // A process of the server's own user: PostgreSQL would mistake it for the old server.
    const serverUser = statSync(join(dataDir, 'postgres'));
    const as = isRoot ? { uid: serverUser.uid, gid: serverUser.gid } : {};
    const stranger = spawn('sleep', ['60'], { ...as, stdio: 'ignore' });
    children.push(stranger);
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(stranger.pid)));

    const postgres = await start({ dataDir, own: true, settings: FAST });
    expect(postgres.adopted).toBe(false);
    expect(await query(postgres, 'SELECT answer FROM kept LIMIT 1')).toEqual([{ answer: 42 }]);
    expect(isAlive(refer(stranger.pid ?? 0))).toBe(true);
  });

  test('a copied folder gets a server of its own beside that of the original', async () => {
    const original = await start({ dataDir: shared, own: true, settings: FAST });
    await query(superuserOf(original, shared), 'CHECKPOINT');
    const dataDir = newDataDir();
    // The copy of postmaster.pid names the server of the original, which runs.
    cpSync(shared, dataDir, { recursive: true, filter: (path) => !basename(path).startsWith('daybook.') });
    const copy = await start({ dataDir, own: true, settings: FAST });
    expect(copy.adopted).toBe(false);
    expect(copy.connection.host).not.toBe(original.connection.host);
    await query(copy, 'CREATE TABLE only_in_the_copy ()');
    await expect(query(original, 'SELECT FROM only_in_the_copy')).rejects.toThrow(/does not exist/);
  });
});

describe('what cannot work is reported, and leaves no server running', PATIENT, () => {
  test('another major version, a lost or wrong password, a broken setting', async () => {
    const attempt = (settings = FAST) => startPostgres({ dataDir: shared, own: true, settings });
    await expect(attempt({ fsync: 'sideways' })).rejects.toThrow(/parameter "fsync"/);
    const passwordFile = join(shared, 'postgres-password');
    await withContent(passwordFile, 'another', () => expect(attempt()).rejects.toThrow(/rejected the password/));
    await withContent(passwordFile, '', () =>
      expect(attempt()).rejects.toThrow(/password of the database in .* is missing/),
    );
    await withContent(join(shared, 'postgres', 'PG_VERSION'), '14\n', () =>
      expect(attempt()).rejects.toThrow(/created by PostgreSQL 14, but this is PostgreSQL \d\d/),
    );
    chmodSync(join(shared, 'postgres'), 0o755);
    await expect(attempt()).rejects.toThrow(`chmod 700 '${join(shared, 'postgres')}'`);
    chmodSync(join(shared, 'postgres'), 0o700);
    expectNoProcess(shared);
    const postgres = await start({ dataDir: shared, own: true, settings: FAST });
    expect(await query(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a DATA_DIR that is a file, and a `postgres` folder that is not a cluster', async () => {
    const dataDir = newDataDir();
    writeFileSync(dataDir, '');
    await expect(startPostgres({ dataDir, own: true })).rejects.toThrow(/is not a folder/);
    const used = newDataDir();
    mkdirSync(join(used, 'postgres', 'photos'), { recursive: true });
    await expect(startPostgres({ dataDir: used, own: true })).rejects.toThrow(/does not contain a PostgreSQL database/);
  });
});

describe('roles', PATIENT, () => {
  test('the service’s role owns its database and is nothing else: no file, no program, no role, no other database', async () => {
    const postgres = await start({ dataDir: shared, own: true, settings: FAST });
    const [role] = await query(
      postgres,
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = pg_roles.oid) AS memberships
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(role).toEqual({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
    });
    for (const statement of [
      "SELECT pg_read_file('PG_VERSION')",
      "SELECT pg_read_binary_file('/etc/hostname')",
      "SELECT pg_ls_dir('.')",
      "SELECT lo_import('/etc/hostname')",
      "COPY kept FROM '/etc/hostname'",
      "COPY kept TO '/tmp/daybook-copied'",
      "COPY kept FROM PROGRAM 'true'",
      "COPY (SELECT 1) TO PROGRAM 'true'",
      'SELECT * FROM pg_authid',
      'SET ROLE postgres',
      'SET SESSION AUTHORIZATION postgres',
      'CREATE ROLE another SUPERUSER',
      'ALTER ROLE daybook SUPERUSER',
      'CREATE DATABASE another',
      "ALTER SYSTEM SET archive_command = 'true'",
      "CREATE FUNCTION run(text) RETURNS int LANGUAGE c AS '/lib/x86_64-linux-gnu/libc.so.6', 'system'",
    ]) {
      await expect(query(postgres, statement), statement).rejects.toThrow(/permission denied|must be|Only roles/i);
    }
    // The password of the superuser is another one, and is not in what the service is given.
    const superuser = superuserOf(postgres, shared).connection;
    expect(superuser.password).not.toBe(postgres.connection.password);
    const guess = { connection: { ...postgres.connection, user: superuser.user } };
    await expect(query(guess, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    await query(postgres, 'CREATE TABLE own (n int); DROP TABLE own');
  });

  test('a folder of an earlier draft, whose one role was the superuser, is refused in one line and left as it is', async () => {
    const dataDir = newDataDir();
    cpSync(shared, dataDir, { recursive: true });
    const first = await start({ dataDir, own: true, settings: FAST });
    const superuser = superuserOf(first, dataDir);
    const { password } = superuser.connection;
    await query(superuser, `ALTER ROLE daybook SUPERUSER PASSWORD '${password}'`);
    await query({ connection: { ...first.connection, password } }, 'ALTER ROLE postgres RENAME TO unknown');
    await first.stop();
    const refused = startPostgres({ dataDir, own: true, settings: FAST });
    await expect(refused).rejects.toThrow(/earlier draft of Daybook.*move that folder away/);
    expectNoProcess(dataDir);
  });
});

describe('users and permissions', PATIENT, () => {
  test('a socket folder that others can enter is not used', async () => {
    const first = await start({ dataDir: shared, own: true, settings: FAST });
    const usual = first.connection.host;
    await first.stop();
    mkdirSync(usual);
    chmodSync(usual, 0o777);
    folders.push(usual);
    const postgres = await start({ dataDir: shared, own: true, settings: FAST });
    expect(postgres.connection.host).not.toBe(usual);
    expect(await query(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a package installed without scripts; for root, package and data where only root may enter', async () => {
    const dataDir = newDataDir();
    const binaries = packageWithoutLinks(dataDir);
    if (isRoot) chmodSync(join(dataDir, '..'), 0o700);
    const events: EmbeddedPostgresEvent[] = [];
    const onEvent = (event: EmbeddedPostgresEvent) => events.push(event);
    const postgres = await start({ dataDir, own: true, binaries, settings: FAST, onEvent });
    expect(readdirSync(join(binaries, 'lib')).filter((name) => isLink(join(binaries, 'lib', name)))).not.toEqual([]);
    if (isRoot) {
      folders.push(runningProgramFolder(dataDir));
      expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
    }
    await query(postgres, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(postmasterOf(dataDir), 'SIGKILL');
    await poll(() => events.some((event) => event.kind === 'restarted'));
    expect(await query(postgres, 'SELECT answer FROM kept LIMIT 1')).toEqual([{ answer: 42 }]);
    await postgres.stop();
    expectNoProcess(dataDir);
  });

  test.skipIf(!isRoot || !canReach(process.execPath, NOBODY) || !canReach(import.meta.dirname, NOBODY))(
    'an ordinary user runs it as itself',
    async () => {
      const dataDir = newDataDir();
      chownSync(join(dataDir, '..'), NOBODY.uid, NOBODY.gid);
      const owner = ownerProcess(dataDir, NOBODY);
      const postgres = await connectionFrom(owner);
      expect(await query(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(statSync(join(dataDir, 'postgres')).uid).toBe(NOBODY.uid);
      owner.kill('SIGTERM');
      await once(owner, 'exit');
      expectNoProcess(dataDir);
    },
  );
});

/** A folder that every user may enter. */
function newFolder(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), `daybook-embedded-${name}`));
  chmodSync(folder, 0o755);
  return folder;
}

/** A DATA_DIR that is not there yet, in a folder of its own that goes away after the test. */
function newDataDir(name?: string): string {
  const folder = newFolder(name);
  folders.push(folder);
  return join(folder, 'data');
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres(options);
  started.push(postgres);
  return postgres;
}

/** A process that owns the server like the service does: prints the connection, stops it on SIGTERM. */
function ownerProcess(dataDir: string, user: { uid?: number; gid?: number } = {}): ChildProcess {
  const module = JSON.stringify(new URL('../../src/store/db/embedded.ts', import.meta.url).href);
  const script = `
    const { startPostgres } = await import(${module});
    const postgres = await startPostgres({ dataDir: process.argv[1], own: true, settings: { fsync: 'off' } });
    const alive = setInterval(() => {}, 1000);
    process.once('SIGTERM', () => postgres.stop().then(() => clearInterval(alive)));
    console.log(JSON.stringify(postgres.connection));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    ...user,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function connectionFrom(child: ChildProcess): Promise<Pick<EmbeddedPostgres, 'connection'>> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.endsWith('\n')) return { connection: JSON.parse(text) };
  }
  throw new Error('the owner process ended without a server');
}

/** The launcher's own connection to the same server. */
function superuserOf({ connection }: EmbeddedPostgres, dataDir: string): Pick<EmbeddedPostgres, 'connection'> {
  const password = readPassword(openPlace(dataDir));
  return { connection: { ...connection, user: SUPERUSER, password, database: 'postgres' } };
}

async function query(
  postgres: Pick<EmbeddedPostgres, 'connection'> | undefined,
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgres?.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function poll(check: () => boolean | Promise<boolean>, timeoutMs = 40_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error('it did not happen in time');
    await sleep(5);
  }
}

function postmasterOf(dataDir: string): number {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
}

async function withContent(path: string, content: string, work: () => Promise<void>): Promise<void> {
  const before = readFileSync(path);
  writeFileSync(path, content);
  try {
    await work();
  } finally {
    writeFileSync(path, before);
  }
}

function expectNoProcess(dataDir: string): void {
  expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  expect(processesTitled(`postgres: ${openPlace(dataDir).name}: `).filter(isAlive)).toEqual([]);
}

/** The package as `npm ci --ignore-scripts` leaves it, beside DATA_DIR. */
function packageWithoutLinks(dataDir: string): string {
  const target = join(dataDir, '..', 'package', 'native');
  const copy = (from: string, to: string): void => {
    mkdirSync(to, { recursive: true });
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const [source, made] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) copy(source, made);
      else if (entry.isFile()) linkOrCopy(source, made);
    }
  };
  copy(packagedBinaries(), target);
  return target;
}

// A second name for the same file takes no time, where both are on one disk.
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();

const runningProgramFolder = (dataDir: string): string =>
  join(readFileSync(`/proc/${postmasterOf(dataDir)}/cmdline`, 'utf8').split('\0')[0] ?? '', '..', '..');

function tcpListenersOf(pid: number): string[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const stat = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
    return stat?.isSocket() ? [String(stat.ino)] : [];
  });
  expect(sockets.length).toBeGreaterThan(0);
  const tables = ['tcp', 'tcp6'].map((name) => `/proc/${pid}/net/${name}`).filter(existsSync);
  const inodes = tables.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[9]),
  );
  return sockets.filter((inode) => inodes.includes(inode));
}

function sessionOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3];
}
