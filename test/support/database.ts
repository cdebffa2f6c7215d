/**
 * A database of its own for a test file, on the server that `setup.ts` started. Call `testDatabase` in
 * `beforeAll` and `drop` in `afterAll`. It is a copy of a template that was migrated once, made in tens of
 * milliseconds; with `migrated: false` it is empty. What the service sends to it is recorded (`recorder.ts`).
 */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { type Connection, type Db, openDb } from '../../src/store/db/db.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { recording } from './recorder.ts';
import { connectionTo, createDatabase, dropDatabase, type TestServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    server: TestServer;
  }
}

/** Whether the databases of this run are spread over servers. */
export const onCitus = (): boolean => inject('server').workers.length > 0;

export type TestDatabase = { db: Db; connection: Connection; drop(): Promise<void> };

export async function testDatabase({
  migrated = true,
  template,
}: {
  migrated?: boolean;
  /** Another database of the server to copy, in place of the migrated one. */
  template?: string;
} = {}): Promise<TestDatabase> {
  const server = inject('server');
  const { prefix } = server;
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, migrated ? (template ?? server.template) : 'template0');
  const connection = connectionTo(server, name);
  // A machine that does other things may stand still for longer than a service would wait.
  const db = recording(openDb(connection, { connectMs: 20_000 }));
  if (migrated) await openVolumes(db, null);
  return {
    db,
    connection,
    async drop() {
      await db.close();
      await dropDatabase(server, name);
    },
  };
}
