/** Talking to a server that may still be starting, as its superuser: wait until it answers, prove which cluster it serves. */
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Place } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import type { ProcessRef } from './processes.ts';
import { OWNER, SUPERUSER } from './roles.ts';

/** The port only names the socket's file: the folder is private, and nothing listens on TCP. */
export const PORT = 5432;

export type EmbeddedServer = {
  ref: ProcessRef;
  socketDir: string;
  /** Resolves when the process is gone, with how it ended where that is known. Never rejects. */
  exited: Promise<string>;
  hasExited(): boolean;
};

/** The process is running but did not answer in time. */
export class NoAnswer extends EmbeddedPostgresError {}
/** The process ended while we waited for it. */
export class ServerEnded extends Error {}

/** A server that reports that it is recovering after a crash gets this long. */
const RECOVERY_MS = 300_000;
/** Each connection attempt to a server that is not ready adds a line to its log. */
const ASK_EVERY_MS = { atFirst: 20, later: 200 };
const AT_FIRST_MS = 3_000;

/** Waits until the server answers and `check` has examined it; returns what `check` returns. */
export async function untilItAnswers(options: {
  server: EmbeddedServer;
  password: string;
  abort: AbortSignal;
  /** The time for which a server may give no answer at all. */
  patienceMs: number;
  check?: (client: pg.Client) => Promise<boolean>;
}): Promise<boolean> {
  const { server, password, check } = options;
  const begin = performance.now();
  let { patienceMs } = options;
  let said = '';
  while (performance.now() - begin < patienceMs) {
    if (server.hasExited()) throw new ServerEnded();
    options.abort.throwIfAborted();
    let client: pg.Client | undefined;
    try {
      client = await connectAs(SUPERUSER, server.socketDir, password);
      return check ? await check(client) : true;
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'refused') {
        if (await isOfAnEarlierDraft(server.socketDir, password)) {
          throw new EmbeddedPostgresError(
            'The database in DATA_DIR was made by an earlier draft of Daybook and cannot be used by this one. ' +
              'Nothing in it was changed: move that folder away, or set DATA_DIR to another one.',
          );
        }
        throw new EmbeddedPostgresError(
          'The embedded PostgreSQL rejected the password in DATA_DIR/postgres-password. ' +
            'Restore the file that belongs to this database from a backup of the same folder.',
        );
      }
      if (failure === 'starting or stopping') patienceMs = Math.max(patienceMs, RECOVERY_MS);
      if (failure === 'other' && client) throw error;
      said = (error as Error).message;
    } finally {
      await client?.end().catch(() => {});
    }
    await sleep(performance.now() - begin < AT_FIRST_MS ? ASK_EVERY_MS.atFirst : ASK_EVERY_MS.later);
  }
  throw new NoAnswer(
    `The embedded PostgreSQL (process ${server.ref.pid}) does not answer: ${said}. ` +
      'Its log is postgres.log in DATA_DIR; stop that process and start again.',
  );
}

/** Runs `work` as the superuser of a server that answers. */
export async function asSuperuser<T>(
  socketDir: string,
  password: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectAs(SUPERUSER, socketDir, password);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Proves that the server works in this folder and not in a copy of it: it can read what was just written here. */
export async function servesCluster(client: pg.Client, place: Place): Promise<boolean> {
  const proof = randomBytes(16).toString('hex');
  const name = `daybook.proof-${proof.slice(0, 8)}`;
  const file = join(place.cluster, name);
  try {
    writeFileSync(file, proof, { mode: 0o644, flag: 'wx' });
    const { rows } = await client.query('SELECT pg_read_file($1, 0, 64, true) AS proof', [name]);
    return rows[0]?.proof === proof;
  } finally {
    rmSync(file, { force: true });
  }
}

async function connectAs(user: string, socketDir: string, password: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: socketDir,
    port: PORT,
    user,
    password,
    // The one that initdb makes: it is there before ours.
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
    application_name: 'daybook launcher',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    // Not awaited: a connection that was never made has no end to wait for.
    client.end().catch(() => {});
    throw error;
  }
}

/** In early drafts the service's own role was the superuser, and the file held its password. */
async function isOfAnEarlierDraft(socketDir: string, password: string): Promise<boolean> {
  try {
    const client = await connectAs(OWNER, socketDir, password);
    await client.end();
    return true;
  } catch {
    return false;
  }
}

type Failure = 'refused' | 'starting or stopping' | 'connection broken' | 'other';

function failureOf(error: unknown): Failure {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (code === '28P01' || code === '28000') return 'refused';
  if (code === '57P03') return 'starting or stopping';
  if (/^(57P0.|08...|E[A-Z]+)$/.test(code) || /Connection terminated/.test((error as Error).message)) {
    return 'connection broken';
  }
  return 'other';
}
