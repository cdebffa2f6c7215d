/**
 * Records the statements that code of `src` sends to the databases of tests, for `scripts/statements.mjs` to judge after the run. Those of the
 * tests themselves are not: they may ask of a database what the service must not.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Db, Session, Sql } from '../../src/store/db/db.ts';

export type Recorded = {
  text: string;
  /** The file of `src` that sent it: `src/store/door/loans.ts`. */
  file: string;
  /** Whether the tables were spread over servers, as far as the service knew. */
  sharded: boolean;
};

/** A folder: each thread of the run writes a file of its own there. Without it nothing is written. */
const FOLDER = process.env.TEST_STATEMENTS;
const ROOT = join(import.meta.dirname, '../..').replaceAll('\\', '/');
const FRAME = new RegExp(`${ROOT.replace(/[.+]/g, '\\$&')}/((?:src|test|bench|scripts|study|sdk|web)/[^\\s:?)]+)`);
const HERE = 'test/support/recorder.ts';
/** Migrations run before the tables are distributed. */
const MIGRATIONS = 'src/store/db/migrate.ts';

const known = { plain: new Set<string>(), sharded: new Set<string>() };
const recorded: Recorded[] = [];

/** The statements that this thread has recorded so far. */
export const recordedHere = (): readonly Recorded[] => recorded;

/** The same database; what is sent through it is recorded. */
export function recording(db: Db): Db {
  return {
    ...db,
    ...recordingSql(db),
    transaction: (work) => db.transaction((tx) => work(recordingSql(tx))),
    session: (work) => db.session((session) => work(recordingSession(session))),
    script(text, values) {
      record(text, db);
      return db.script(text, values);
    },
  };
}

function recordingSession(session: Session): Session {
  return {
    ...recordingSql(session),
    transaction: (work) => session.transaction((tx) => work(recordingSql(tx))),
  };
}

function recordingSql(sql: Sql): Sql {
  return {
    ...sql,
    query(text, values, name) {
      record(text, sql);
      return sql.query(text, values, name);
    },
  };
}

function record(text: string, { volumes: { sharded } }: Sql): void {
  const seen = sharded ? known.sharded : known.plain;
  if (seen.has(text)) return;
  const file = sender();
  if (file === null) return;
  seen.add(text);
  const one = { text, file, sharded };
  recorded.push(one);
  if (FOLDER !== undefined)
    appendFileSync(join(FOLDER, `${process.pid}-${threadId}.jsonl`), `${JSON.stringify(one)}\n`);
}

/** The file of `src/store` that the nearest call came from, or another of `src` when none did. Null: a test. */
function sender(): string | null {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  const files = stack.split('\n').flatMap((line) => FRAME.exec(line)?.[1] ?? []);
  const callers = files.filter((file) => file !== HERE);
  const isOurs = (file: string | undefined) => file?.startsWith('src/') && !file.endsWith('.test.ts');
  const [nearest] = callers;
  if (nearest === undefined || nearest === MIGRATIONS || !isOurs(nearest)) return null;
  const ours = callers.filter(isOurs);
  // The connection's own room, and one that gives reads their turns, only pass statements on.
  return (
    ours.find((file) => /^src\/store\/(?!db\/)/.test(file)) ??
    ours.find((file) => !file.startsWith('src/store/')) ??
    nearest
  );
}
