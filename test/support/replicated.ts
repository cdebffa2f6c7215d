/**
 * A primary and its synchronous replica, which a test may kill, promote and rebuild. They run from Debian's PostgreSQL 15 when the tests
 * use a server of their own (`.ci/run`), and from the embedded one otherwise; neither needs more than `initdb` and `postgres`.
 */
import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';

import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { PROGRAM_ENV, packagedBinaries, usableBinaries } from '../../src/store/db/embedded/binaries.ts';
import { serverUser } from '../../src/store/db/embedded/user.ts';
import { databaseFolder } from './folder.ts';
import { eventually, freePort } from './service.ts';

const DEBIAN = '/usr/lib/postgresql/15';
const DATABASE = 'daybook';

export type Replicated = {
  /** Both servers, as DATABASE_URL. */
  url: string;
  /** Kills the primary without a shutdown; or freezes it (`SIGSTOP`), as a machine that has lost its network. */
  killPrimary(how: 'SIGKILL' | 'SIGQUIT' | 'SIGSTOP'): Promise<void>;
  /** Makes the replica the primary; when it took its first write, by the clock of this process. */
  promote(): Promise<number>;
  /** Makes the server that was killed a synchronous replica of the other one. */
  rebuild(): Promise<void>;
  /** Ends the replica; commits of the primary wait from then on. */
  killReplica(): Promise<void>;
  /** Runs SQL on the primary, without waiting for the replica. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  onReplica(text: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
};

type Node = { folder: string; port: number; process: ReturnType<typeof spawn> | null };

export async function startReplicated(): Promise<Replicated> {
  const home = mkdtempSync(join(databaseFolder(), 'daybook-replicated-'));
  const user = serverUser(home);
  if (user) chownSync(home, user.uid, user.gid);
  const ofDebian = process.env.TEST_DATABASE_URL !== undefined && existsSync(join(DEBIAN, 'bin', 'initdb'));
  const binaries = join(ofDebian ? DEBIAN : usableBinaries(packagedBinaries(), user), 'bin');
  const place = { ...user, cwd: home, env: PROGRAM_ENV };
  const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, place);
  let primary: Node = { folder: join(home, 'a'), port: await freePort(), process: null };
  let replica: Node = { folder: join(home, 'b'), port: await freePort(), process: null };
  let frozen: { node: Node; pids: number[] } | null = null;
  const urlOf = ({ port }: Node) => `postgres://daybook@127.0.0.1:${port}/${DATABASE}`;

  try {
    await run(
      join(binaries, 'initdb'),
      '-D',
      primary.folder,
      '-U',
      'daybook',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    );
    await start(primary);
    await ask(primary, `CREATE DATABASE ${DATABASE}`, 'postgres');
    await follow();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url: `postgres://daybook@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/${DATABASE}`,
    killPrimary: (how) => (how === 'SIGSTOP' ? freeze(primary) : kill(primary, how)),
    async promote() {
      await ask(replica, 'SELECT pg_promote(false)');
      await eventually(
        async () => (await ask(replica, 'SELECT pg_is_in_recovery() AS yes'))[0]?.yes === false,
        20_000,
        5,
      );
      const at = performance.now();
      [primary, replica] = [replica, primary];
      return at;
    },
    rebuild: follow,
    killReplica: () => kill(replica, 'SIGKILL'),
    sql: (text) => ask(primary, text),
    onReplica: (text) => ask(replica, text),
    remove,
  };

  /** A copy of the running primary, made as a base backup is. */
  async function follow(): Promise<void> {
    await endFrozen();
    await rm(replica.folder, { recursive: true, force: true });
    const client = new pg.Client({ connectionString: urlOf(primary) });
    await client.connect();
    try {
      await client.query("SET synchronous_commit = 'local'");
      await client.query("SELECT pg_backup_start('replica', true)");
      // Files come and go while they are copied; the log that is replayed afterwards makes the copy whole.
      await run('cp', '-a', primary.folder, replica.folder).catch(() => {});
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
      await run('rm', '-f', join(replica.folder, 'postmaster.pid'), join(replica.folder, 'postmaster.opts'));
      write(replica, 'backup_label', rows[0]?.labelfile);
      write(replica, 'standby.signal', '');
      write(
        replica,
        'postgresql.auto.conf',
        `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=daybook application_name=replica'\n`,
      );
      await start(replica);
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await client.query('SELECT pg_reload_conf()');
      await eventually(async () => {
        const found = await client.query('SELECT sync_state FROM pg_stat_replication');
        return found.rows[0]?.sync_state === 'sync';
      });
    } finally {
      await client.end();
    }
  }

  function write(node: Node, name: string, text: string): void {
    const path = join(node.folder, name);
    writeFileSync(path, text);
    if (user) chownSync(path, user.uid, user.gid);
  }

  async function start(node: Node): Promise<void> {
    const settings = [
      `port=${node.port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${home}`,
      // The servers are killed, the machine is not.
      'fsync=off',
      'wal_keep_size=512MB',
      'wal_receiver_timeout=2s',
      'wal_retrieve_retry_interval=100ms',
      'max_connections=60',
    ];
    const args = ['-D', node.folder, ...settings.flatMap((one) => ['-c', one])];
    node.process = spawn(join(binaries, 'postgres'), args, { ...place, stdio: 'ignore' });
    await eventually(async () => (await ask(node, 'SELECT 1 AS up', 'postgres'))[0]?.up === 1, 30_000);
  }

  /** The server and its processes: their connections stay open, new ones are accepted by the system, and nothing is answered. */
  async function freeze(node: Node): Promise<void> {
    const rows = await ask(node, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    frozen = { node, pids: [node.process?.pid as number, ...rows.map(({ pid }) => pid as number)] };
    for (const pid of frozen.pids) process.kill(pid, 'SIGSTOP');
  }

  /** Killed while stopped, so that not even the last record of its log leaves it. */
  async function endFrozen(): Promise<void> {
    if (frozen === null) return;
    const { node, pids } = frozen;
    frozen = null;
    const ended = new Promise((resolve) => node.process?.once('exit', resolve));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await ended;
    await eventually(async () => (await ask(node, 'SELECT 1', 'postgres').catch(() => null)) === null);
  }

  async function kill(node: Node, how: NodeJS.Signals): Promise<void> {
    const { process: server } = node;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(how);
    await ended;
    // Its processes end when they notice; until then they hold the folder.
    await eventually(async () => (await ask(node, 'SELECT 1', 'postgres').catch(() => null)) === null);
  }

  async function ask(node: Node, text: string, database = DATABASE): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: node.port, user: 'daybook', database });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query("SET synchronous_commit = 'local'");
      await client.query("SET default_transaction_read_only = 'off'");
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async function remove(): Promise<void> {
    await endFrozen();
    await kill(primary, 'SIGQUIT');
    await kill(replica, 'SIGQUIT');
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
}
