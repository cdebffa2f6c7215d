/**
 * The connection to PostgreSQL: a small pool (four connections beat sixty-four), one way to run a
 * statement, one way to run a transaction. A database that cannot serve is `DatabaseUnavailable`,
 * whatever the driver called it, so that callers can answer 503 and try again later; the pool itself
 * recovers as soon as the server is back, or another one has taken its place (`servers.ts`).
 */
import pg from 'pg';
import { type Connection, end, openServers, type Server, type Servers, stateOf } from './servers.ts';
import {
  asUnavailable,
  asUncertain,
  DatabaseUnavailable,
  endsConnection,
  isTrouble,
  OutcomeUnknown,
  questionsServer,
  unknownOutcome,
} from './unavailable.ts';

export { type Connection, DatabaseUnavailable, OutcomeUnknown };

/** The number of volumes that the loans of a database are in, and whether its tables are spread over servers by volume. */
export type Volumes = { readonly count: number; readonly sharded: boolean };

export type Sql = {
  /** Read by `openVolumes`; none before that. */
  readonly volumes: Volumes;
  /** With a name the statement is planned once per connection and kept: for the few that run thousands of times a second. */
  query<R extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<R[]>;
  /** In a transaction: runs `work` when everything else is done, before the commit. */
  readonly beforeCommit?: (work: () => Promise<void>) => void;
};

/** The columns that a LEFT JOIN adds to a row: all null where it finds nothing. */
export type Joined<R> = R | { [K in keyof R]: null };

export type Session = Sql & {
  /** Runs `work` between BEGIN and COMMIT on one connection; anything thrown rolls back. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
};

export type Db = Session & {
  /**
   * Runs `work` on a connection of its own, outside the pool: for session locks and settings that span
   * several transactions. They end with the connection, so nothing leaks into the pool.
   */
  session<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * For a library with its own SQL: the text may hold several statements, values come in the driver's own types, and the rows
   * are those of all statements.
   */
  script(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  useVolumes(volumes: Volumes): void;
  /** Whether the server currently accepts writes: the server is asked, and it is false for a few seconds after a refused write. */
  takesWrites(): Promise<boolean>;
  /** Called when another server is used from now on, or the database was set back: what was read before may no longer exist. */
  onMoved(listener: () => void): void;
  /** The database was set back, or put right again: nothing that was read before counts. */
  changed(): void;
  /** Connections open, idle, and callers waiting for one. */
  stats(): { total: number; idle: number; waiting: number };
  /** Waits for statements under way; connections that are still in use after `graceMs` are dropped. */
  close(graceMs?: number): Promise<void>;
};

// bigint columns become bigint, plain dates stay text (a Date would move with the time zone).
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

export type DbOptions = {
  max?: number;
  /** A statement that takes longer is ended by the server. */
  statementTimeoutMs?: number;
  /** A transaction that is idle for this long is ended by the server, so that a stalled process blocks no other. */
  idleTransactionMs?: number;
  /** The time that opening a connection may take, or waiting for one of the pool. */
  connectMs?: number;
  /** A pool connection without an answer for this long is dropped: the server or the network has failed without closing it. */
  silenceMs?: number;
};

/** After the server has refused a write, how long it counts as unable to serve. Reads would not show that it has recovered. */
const TROUBLE_MS = 5_000;

function settingsOf({ connectMs = 3_000, statementTimeoutMs = 25_000 }: DbOptions) {
  return {
    types,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'daybook',
  };
}

/** For pools that share them: then each server is watched once, and what one pool finds the others know. */
export function serversFor(connection: Connection, options: DbOptions = {}): Servers {
  return openServers(connection, settingsOf(options));
}

export function openDb(
  connection: Connection,
  options: DbOptions = {},
  servers: Servers = serversFor(connection, options),
): Db {
  const settings = settingsOf(options);
  const open = new Map<pg.ClientBase, Server>();
  /** Connections that have said that a commit was not waited for. */
  const uncertain = new WeakSet<pg.ClientBase>();
  let troubledUntil = Number.NEGATIVE_INFINITY;

  class Client extends pg.Client {
    constructor(given: pg.ClientConfig) {
      const server = servers.last();
      super({ ...given, ...inUtc(server.connection) });
      open.set(this, server);
      this.once('end', () => open.delete(this));
      // The name of the server's function, because the text of the message may be translated.
      this.on('notice', ({ routine }) => {
        if (routine === 'SyncRepWaitForLSN') uncertain.add(this);
      });
    }
  }
  const admit = (client: pg.ClientBase) => servers.admit(client, open.get(client) ?? servers.last());
  const pool = new pg.Pool({
    ...settings,
    Client: Client as unknown as new () => pg.ClientBase,
    onConnect: admit,
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? 10_000,
    query_timeout: options.silenceMs ?? 30_000,
    max: options.max ?? 4,
  } as pg.PoolConfig);
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  const volumes = { count: 0, sharded: false };
  servers.onMoved((now) => {
    troubledUntil = Number.NEGATIVE_INFINITY;
    for (const [client, server] of open) if (server !== now) end(client);
  });
  const on = (client: pg.ClientBase): Statements => statementsOn(client, servers, uncertain);

  return {
    volumes,
    useVolumes: (read) => void Object.assign(volumes, read),
    query: (text, values, name) =>
      // The driver's own pool drops the connection after any error, too: a prepared plan that no longer fits is not met again.
      withClient(
        (client) => on(client).run(text, values, name),
        () => true,
      ),
    script: (text, values) =>
      withClient(
        async (client) => {
          const query = { text, values: values as unknown[], types: pg.types };
          const result: pg.QueryResult | pg.QueryResult[] = await client.query(query);
          return [result].flat().flatMap(({ rows }) => rows);
        },
        () => true,
      ),
    transaction: (work) => withClient((client) => transactionOn(on(client), volumes, work), endsConnection),
    async session(work) {
      await servers.find().catch(rethrow);
      const client = new Client(settings);
      const server = open.get(client) ?? servers.last();
      // A connection that breaks fails its next query; without a listener it would end the process.
      client.on('error', () => {});
      try {
        await client.connect().catch(rethrow);
        await admit(client).catch(rethrow);
        const inTurn = oneAtATime();
        const { run } = on(client);
        return await work({
          volumes,
          query: (text, values, name) => inTurn(() => run(text, values, name)),
          transaction: (inner) => inTurn(() => transactionOn(on(client), volumes, inner)),
        });
      } catch (error) {
        note(error, server);
        throw error;
      } finally {
        await client.end().catch(() => {});
      }
    },
    async takesWrites() {
      if (performance.now() < troubledUntil) return false;
      const asked = withClient(
        (client) => stateOf(client),
        () => true,
      );
      return asked.then(
        ({ standby, readOnly }) => !standby && !readOnly,
        () => false,
      );
    },
    onMoved: (listener) => servers.onMoved(() => listener()),
    changed: servers.changed,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close(graceMs) {
      servers.close();
      const drop = () => {
        for (const client of open.keys()) end(client);
      };
      const timer = graceMs === undefined ? undefined : setTimeout(drop, graceMs);
      await pool.end().finally(() => clearTimeout(timer));
    },
  };

  async function withClient<T>(
    work: (client: pg.ClientBase) => Promise<T>,
    drops: (error: unknown) => boolean,
  ): Promise<T> {
    const client = await connect();
    const server = open.get(client) ?? servers.last();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      const known = asUnavailable(error, servers.hasServed());
      note(known, server);
      if (drops(known)) broken = known as Error;
      throw known;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /** A connection that fails to open may have been to a server that is no longer the right one: the search is repeated once. */
  async function connect(): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt += 1) {
      const server = await servers.find().catch(rethrow);
      try {
        return await pool.connect();
      } catch (error) {
        const known = asUnavailable(error, servers.hasServed());
        note(known, server);
        const another = await servers.find().catch(rethrow);
        if (attempt === 2 || another === server) throw known;
      }
    }
  }

  /** Errors of a server that is no longer used do not count. */
  function note(error: unknown, server: Server): void {
    if (isTrouble(error) && server === servers.last()) troubledUntil = performance.now() + TROUBLE_MS;
    if (questionsServer(error)) servers.lost(server);
  }

  function rethrow(error: unknown): never {
    throw asUnavailable(error, servers.hasServed());
  }
}

/** Runs work in the order in which it is asked for. The driver's own queue of a connection is deprecated and warns. */
function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
}

const FIXED = '-c TimeZone=UTC -c bytea_output=hex -c jit=off -c client_min_messages=warning';

/**
 * UTC on every connection, whatever else its URL sets: a timestamp's text never depends on the server's zone, nor that of bytes on its
 * settings. And no just-in-time
 * compilation: the statements are short, and compiling the save of a batch took PostgreSQL 15 more than a second each time. Warnings are
 * always sent: one of them says that a commit was not waited for.
 */
function inUtc(connection: Connection): Connection & { options?: string } {
  if (!('connectionString' in connection)) return { ...connection, options: FIXED };
  // By hand: `postgres://user:password@/name?host=/folder`, the form of a unix socket, is not a URL to the URL class.
  const text = connection.connectionString;
  const utc = FIXED.replaceAll(' ', '%20').replaceAll('=', '%3D');
  const extended = text.replace(/([?&]options=)([^&#]*)/, `$1$2%20${utc}`);
  return { connectionString: extended === text ? `${text}${text.includes('?') ? '&' : '?'}options=${utc}` : extended };
}

/** Statements on one connection, one at a time. */
type Statements = {
  run<R extends object>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
  /** In a transaction: nothing takes effect before the commit. */
  inside<R extends object>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
  /** Rejects with `OutcomeUnknown` unless the server said whether it has committed. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
};

function statementsOn(client: pg.ClientBase, servers: Servers, uncertain: WeakSet<pg.ClientBase>): Statements {
  async function send<R extends object>(text: string, values?: readonly unknown[], name?: string) {
    const query = { text, values: values as unknown[], ...(name === undefined ? {} : { name }) };
    const result = await client.query<R & pg.QueryResultRow>(query);
    // The server has stopped waiting for its synchronous replica: what it committed may be gone after a failover.
    if (uncertain.has(client)) throw unknownOutcome(new Error('The commit was not replicated.'));
    return result;
  }
  return {
    async run(text, values, name) {
      try {
        return (await send<never>(text, values, name)).rows;
      } catch (error) {
        throw READS.test(text) ? asUnavailable(error, servers.hasServed()) : asUncertain(error, servers.hasServed());
      }
    },
    async inside(text, values, name) {
      try {
        return (await send<never>(text, values, name)).rows;
      } catch (error) {
        throw asUnavailable(error, servers.hasServed());
      }
    },
    async commit() {
      const { command } = await send('COMMIT').catch((error: unknown) => {
        throw asUncertain(error, servers.hasServed());
      });
      // A statement that failed and was caught has ended the transaction: PostgreSQL then answers COMMIT with ROLLBACK.
      if (command !== 'COMMIT') throw new Error('A statement of the transaction failed, so it was rolled back.');
    },
    async rollback() {
      // A connection that cannot even roll back must not be given to the next caller in the middle of a transaction.
      await send('ROLLBACK').catch(() => end(client));
    },
  };
}

/** A comment may come first. */
const READS = /^\s*(\/\*[^*]*\*\/\s*)?(SELECT|SHOW)\b/i;

async function transactionOn<T>(
  { inside, commit, rollback }: Statements,
  volumes: Volumes,
  work: (tx: Sql) => Promise<T>,
): Promise<T> {
  try {
    await inside('BEGIN');
    const last: (() => Promise<void>)[] = [];
    const result = await work({ volumes, query: inside, beforeCommit: (one) => void last.push(one) });
    for (const one of last) await one();
    await commit();
    return result;
  } catch (error) {
    // A broken connection would not answer this either; the server ends the transaction with it.
    if (!endsConnection(error)) await rollback();
    throw error;
  }
}
