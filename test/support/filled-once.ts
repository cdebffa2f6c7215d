/**
 * Databases that are filled once in a run, by the first test file that asks: filling takes seconds, and a copy of a filled database, as
 * `testDatabase({ template })` gives it, tens of milliseconds. They are dropped with the others of the run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { openDb, type Session } from '../../src/store/db/db.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { type TestApp, testApp } from './app.ts';
import { connectionTo, createDatabase, dropDatabase, type TestServer, withServer } from './server.ts';

/** The filled database to copy, and the content as `fill` has described it. */
export type Filled<T> = { readonly template: string; readonly content: T };

/**
 * `fill` works in the assembled service. The description that it returns is kept as JSON, as the comment of the database, for the other
 * workers. One that fills the same at this moment is waited for.
 */
export async function filledOnce<T>(kind: string, fill: (app: TestApp) => Promise<T>): Promise<Filled<T>> {
  const server = inject('server');
  const template = `${server.prefix}${kind}`;
  return withServer(server.connection, (admin) =>
    admin.session(async (session) => {
      const lock = 'SELECT pg_try_advisory_lock(hashtext($1)) AS held';
      while (!(await session.query<{ held: boolean }>(lock, [template]))[0]?.held) await pause(50);
      const filled = await readFilled<T>(session, template);
      return filled ?? { template, content: await makeTemplate(server, session, template, fill) };
    }),
  );
}

/** Undefined: it is not filled yet. */
async function readFilled<T>(sql: Pick<Session, 'query'>, template: string): Promise<Filled<T> | undefined> {
  const described = "SELECT shobj_description(oid, 'pg_database') AS content FROM pg_database WHERE datname = $1";
  const [row] = await sql.query<{ content: string }>(described, [template]);
  return row && { template, content: JSON.parse(row.content) };
}

async function makeTemplate<T>(
  server: TestServer,
  session: Pick<Session, 'query'>,
  template: string,
  fill: (app: TestApp) => Promise<T>,
): Promise<T> {
  const filling = `${template}_filling`;
  await dropDatabase(server, filling);
  await createDatabase(server, filling, server.template);
  const db = openDb(connectionTo(server, filling));
  await openVolumes(db, null);
  const app = await testApp({}, async () => ({ db, drop: () => db.close() }));
  const content = await fill(app).finally(() => app.close());
  await session.query(`COMMENT ON DATABASE ${filling} IS '${JSON.stringify(content).replaceAll("'", "''")}'`);
  await session.query(`ALTER DATABASE ${filling} RENAME TO ${template}`);
  return content;
}
