/**
 * The connection to PostgreSQL: a small pool (four connections beat sixty-four), one way to run a
 * statement, one way to run a transaction. A database that cannot be reached is `DatabaseUnavailable`,
 * whatever the driver called it, so that callers can answer 503 and try again later; the pool itself
 * recovers as soon as the server is back.
 */
import pg from 'pg';

/** Where the database is: a URL, or the parts of one (a directory as `host` means its unix socket). */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** How many volumes the loans of a database are in, and whether its tables are spread over servers by volume. */
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
};

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
  useVolumes(volumes: Volumes): void;
  /** Connections open, idle, and callers waiting for one. */
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/** The server is away, starting, stopping, full, or did not answer in time. Trying again can help. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

// bigint columns become bigint, plain dates stay text (a Date would move with the time zone).
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

export type DbOptions = {
  max?: number;
  /** A statement that takes longer is ended by the server. */
  statementTimeoutMs?: number;
  /** A transaction that is idle for so long is ended by the server, so that a stalled process blocks no other. */
  idleTransactionMs?: number;
  /** A connection of the pool without an answer for so long is dropped: the server or the network is gone without closing it. */
  silenceMs?: number;
};

export function openDb(connection: Connection, options: DbOptions = {}): Db {
  const settings = {
    ...inUtc(connection),
    types,
    connectionTimeoutMillis: 3_000,
    statement_timeout: options.statementTimeoutMs ?? 25_000,
    keepAlive: true,
    application_name: 'daybook',
  };
  const pool = new pg.Pool({
    ...settings,
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? 10_000,
    query_timeout: options.silenceMs ?? 30_000,
    max: options.max ?? 4,
  });
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  const volumes = { count: 0, sharded: false };

  return {
    volumes,
    useVolumes: (read) => void Object.assign(volumes, read),
    query: (text, values, name) => run(pool, text, values, name),
    async transaction(work) {
      const client = await pool.connect().catch(rethrow);
      let broken: Error | undefined;
      const onError = (error: Error) => {
        broken = error;
      };
      client.on('error', onError);
      try {
        return await transactionOn(client, volumes, work, (error) => {
          broken = error;
        });
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
    async session(work) {
      const client = new pg.Client(settings);
      // A connection that breaks fails its next query; without a listener it would end the process.
      client.on('error', () => {});
      await client.connect().catch(rethrow);
      try {
        const inTurn = oneAtATime();
        return await work({
          volumes,
          query: (text, values, name) => inTurn(() => run(client, text, values, name)),
          transaction: (inner) => inTurn(() => transactionOn(client, volumes, inner, () => {})),
        });
      } finally {
        await client.end().catch(() => {});
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
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

/**
 * UTC on every connection, whatever else its URL sets: a timestamp's text never depends on the server's zone. And no just-in-time
 * compilation: the statements are short, and compiling the save of a batch took PostgreSQL 15 more than a second each time.
 */
function inUtc(connection: Connection): Connection & { options?: string } {
  if (!('connectionString' in connection)) return { ...connection, options: '-c TimeZone=UTC -c jit=off' };
  // By hand: `postgres://user:password@/name?host=/folder`, the form of a unix socket, is not a URL to the URL class.
  const text = connection.connectionString;
  const utc = '-c%20TimeZone%3DUTC%20-c%20jit%3Doff';
  const extended = text.replace(/([?&]options=)([^&#]*)/, `$1$2%20${utc}`);
  return { connectionString: extended === text ? `${text}${text.includes('?') ? '&' : '?'}options=${utc}` : extended };
}

async function transactionOn<T>(
  client: pg.ClientBase,
  volumes: Volumes,
  work: (tx: Sql) => Promise<T>,
  onBroken: (error: Error) => void,
): Promise<T> {
  try {
    await run(client, 'BEGIN');
    const result = await work({ volumes, query: (text, values, name) => run(client, text, values, name) });
    // A statement that failed and was caught has ended the transaction: PostgreSQL then answers COMMIT with ROLLBACK.
    const { command } = await client.query('COMMIT').catch(rethrow);
    if (command !== 'COMMIT') throw new Error('A statement of the transaction failed, so it was rolled back.');
    return result;
  } catch (error) {
    // A connection that has gone silent would not answer this either; the server ends the transaction with it.
    if (isSilence(error)) onBroken(error);
    else await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}

async function run<R extends object>(
  target: pg.Pool | pg.ClientBase,
  text: string,
  values?: readonly unknown[],
  name?: string,
): Promise<R[]> {
  const query = { text, values: values as unknown[], ...(name === undefined ? {} : { name }) };
  const result = await target.query<R & pg.QueryResultRow>(query).catch(rethrow);
  return result.rows;
}

function rethrow(error: unknown): never {
  throw isUnavailable(error) ? new DatabaseUnavailable('The database cannot be reached.', { cause: error }) : error;
}

// SQLSTATE classes: 08 connection, 25P03 idle transaction ended, 53300 too many connections, 57014 statement timeout, 57P0x shutdown,
// crash, starting up.
const UNAVAILABLE_CODE = /^(08...|25P03|53300|57014|57P0[1-5]|E[A-Z]+)$/;
const UNAVAILABLE_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error/;
const SILENCE_TEXT = 'Query read timeout';

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  const known = typeof code === 'string' && UNAVAILABLE_CODE.test(code);
  return known || UNAVAILABLE_TEXT.test(error.message) || error.message === SILENCE_TEXT;
}

function isSilence(error: unknown): error is DatabaseUnavailable {
  return error instanceof DatabaseUnavailable && (error.cause as Error).message === SILENCE_TEXT;
}
