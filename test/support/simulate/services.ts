/**
 * Two instances of the assembled service on one database, each with a database connection that can be made to fail at a chosen statement.
 * Real HTTP, real tokens, one clock that the simulation moves.
 */
import { type Db, openDb, type Sql } from '../../../src/store/db/db.ts';
import { unknownOutcome } from '../../../src/store/db/unavailable.ts';
import { openVolumes } from '../../../src/store/db/volumes.ts';
import { type Answered, type TestApp, testApp } from '../app.ts';
import { testDatabase } from '../database.ts';

/**
 * `thrown`: the statement is never sent, as when a process ends there. `cut`: the server has ended the connection before it. `lost`: the
 * statement or the transaction takes effect, and its answer is lost. `dead`: as `thrown`, and every statement after it fails too.
 */
export type Fault = 'thrown' | 'cut' | 'lost' | 'dead';
export const FAULTS: readonly Fault[] = ['thrown', 'cut', 'lost', 'dead'];

export type Instance = TestApp & {
  /** The `count`th statement from now on fails. */
  failAfter(count: number, fault: Fault): void;
  /** Ends the faults; returns whether anything has failed. */
  mend(): boolean;
};

export type Services = {
  readonly instances: readonly [Instance, Instance];
  /** Advances the time of both, in milliseconds. */
  pass(ms: number): void;
  close(): Promise<void>;
};

export async function openServices(): Promise<Services> {
  const { db, connection, drop } = await testDatabase();
  const open = async (own: Db) => {
    const breakable = openBreakable(own);
    const app = await testApp({}, async () => ({ db: breakable.db, drop: async () => {} }), { advancePatienceMs: 0 });
    return { ...app, failAfter: breakable.failAfter, mend: breakable.mend } satisfies Instance;
  };
  const other = openDb(connection);
  await openVolumes(other, null);
  const instances = [await open(db), await open(other)] as const;
  return {
    instances,
    pass(ms) {
      for (const { clock } of instances) clock.now += ms;
    },
    async close() {
      for (const instance of instances) instance.mend();
      for (const instance of instances) await instance.close();
      await other.close();
      await drop();
    },
  };
}

function openBreakable(db: Db): { db: Db; failAfter: Instance['failAfter']; mend: Instance['mend'] } {
  let left = Number.POSITIVE_INFINITY;
  let fault: Fault = 'thrown';
  let failed = false;

  const counted = (sql: Sql, committed: boolean): Sql => ({
    ...sql,
    async query(text, values, name) {
      if (left === Number.POSITIVE_INFINITY) return sql.query(text, values, name);
      left -= 1;
      if (left > 0) return sql.query(text, values, name);
      failed = true;
      if (fault !== 'dead') left = Number.POSITIVE_INFINITY;
      if (fault === 'cut') await sql.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
      if (fault === 'lost' && committed) {
        await sql.query(text, values, name);
        throw unknownOutcome(new Error('The answer was lost.'));
      }
      if (fault === 'cut') return sql.query(text, values, name);
      throw new Error('The process ended here.');
    },
  });

  const breakable: Db = {
    ...db,
    query: (text, values, name) => counted(db, true).query(text, values, name),
    async transaction(work) {
      if (left === Number.POSITIVE_INFINITY) return db.transaction((tx) => work(counted(tx, false)));
      const loses = fault === 'lost' && left <= 4;
      if (loses) left = Number.POSITIVE_INFINITY;
      const done = await db.transaction((tx) => work(counted(tx, false)));
      if (!loses) return done;
      failed = true;
      throw unknownOutcome(new Error('The answer was lost.'));
    },
    session: (work) =>
      db.session((session) =>
        work({
          ...counted(session, true),
          transaction: (inner) => session.transaction((tx) => inner(counted(tx, false))),
        }),
      ),
  };
  return {
    db: breakable,
    failAfter(count, what) {
      left = count;
      fault = what;
      failed = false;
    },
    mend() {
      const had = failed;
      left = Number.POSITIVE_INFINITY;
      failed = false;
      return had;
    },
  };
}

/** A client of the sandbox at either instance. */
export type Client = {
  readonly organizationId: string;
  call(
    instance: Instance,
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answered>;
};

/** A sandbox of the first organization, with its own client. */
export async function openSandbox({ instances }: Services, name: string, start: string): Promise<Client> {
  const [first] = instances;
  const made = await first.call('POST', '/v2/chain/sandboxes', { token: await first.token(), body: { name, start } });
  if (made.status !== 200) throw new Error(made.text);
  const { organizationId, clientId, clientSecret, apiKey } = made.body.data;
  let token = '';
  return {
    organizationId,
    async call(instance, method, path, body, headers = {}) {
      const ask = () =>
        instance.call(method, `/v2/chain${path}`, {
          token,
          key: apiKey,
          headers: { prefer: 'numbers=plain', ...headers },
          ...(body === undefined ? {} : { body }),
        });
      const answer = await ask();
      if (answer.status !== 401) return answer;
      token = await tokenOf(first, { clientId, clientSecret });
      return ask();
    },
  };
}

/** On a busy machine a sign-in may time out: it is repeated, as a client would. */
async function tokenOf(instance: Instance, body: { clientId: string; clientSecret: string }): Promise<string> {
  let signed = await instance.call('POST', '/v2/chain/auth-token', { body });
  for (let again = 0; signed.status === 503 && again < 5; again++) {
    signed = await instance.call('POST', '/v2/chain/auth-token', { body });
  }
  if (signed.status !== 200) throw new Error(`No token: ${signed.status} ${signed.text}`);
  return signed.body.data.token;
}

export async function endSandbox({ instances: [first] }: Services, { organizationId }: Client): Promise<void> {
  const body = { organizationId };
  await first.call('POST', '/v2/chain/end-sandbox', { token: await first.token(), body });
}
