/** A small book with a winter of nightly cycles still to run, every row that they write, and a database that stops at a given statement. */
import { addDays, date } from '../../src/core/calendar.ts';
import { cents } from '../../src/core/money.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Db, Sql } from '../../src/store/db/db.ts';
import { repay, type TestLoans } from './loans.ts';

const LATE_FEE = {
  ...{ flat: cents(2_500), percent: null, floor: null, cap: null, graceDays: 10 },
  judge: 'currentFirst',
} as const;

const FIRST_NIGHT = date('2026-01-01');
/** The last date whose cycle is run, and a time after it. */
export const LAST_NIGHT = date('2026-02-14');
export const AFTERWARDS = Date.parse(`${addDays(LAST_NIGHT, 1)}T12:00:00Z`);

/** Six loans of two lenders, from 1 January on; one of them pays. */
export async function fillWinter({ clock, create, done }: TestLoans): Promise<void> {
  clock.now = Date.parse(`${FIRST_NIGHT}T12:00:00Z`);
  const policy = { ...DEFAULT_POLICY, lateFee: LATE_FEE, nonAccrualDays: 10 };
  for (let i = 0; i < 6; i++) {
    const loanId = await create({ lenderId: `L-${i % 2}` }, { policy });
    await done(loanId, { do: 'start-underwriting' });
    await done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    await done(loanId, { do: 'initiate-repayment', date: null, opening: null });
    if (i === 5) await done(loanId, repay('ahead', 100_000));
  }
  clock.now = AFTERWARDS;
}

const WRITTEN = [
  'loans',
  'events',
  'journal',
  'books',
  'ledger_heads',
  'feed_marks',
  'feed_head',
  'positions',
  'position_sums',
];
const CYCLES = ['cycle_heads', 'cycle_steps', 'cycle_findings', 'cycles'];

/** Saves the book as it is; the returned function restores it. */
export async function keepBook(db: Db): Promise<() => Promise<void>> {
  const tables = [...WRITTEN, ...CYCLES];
  await keepTables(db, tables);
  return () => putAllBack(db, tables);
}

/** Copies of all of one moment: services that are open look for what is new at any time, and note that they did. */
export async function keepTables(db: Db, tables: readonly string[], kept = 'kept'): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    for (const table of tables) await tx.query(`CREATE TABLE ${kept}_${table} AS TABLE ${table}`);
  });
}

export async function putAllBack(db: Db, tables: readonly string[], kept = 'kept'): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('LOCK TABLE feed_head IN ACCESS EXCLUSIVE MODE');
    for (const table of tables) await putBack(tx, table, `${kept}_${table}`);
  });
}

/** A table as its copy has it, also one that refuses every change. */
export async function putBack(db: Sql, table: string, copy: string): Promise<void> {
  await setTriggers(db, table, 'DISABLE');
  await db.query(`DELETE FROM ${table}`);
  const columns = await db.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 AND is_generated = 'NEVER'",
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await db.query(`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${copy}`);
  await setTriggers(db, table, 'ENABLE');
}

/** Only of a table that has any: Citus refuses otherwise. */
export async function setTriggers(db: Sql, table: string, to: 'ENABLE' | 'DISABLE'): Promise<void> {
  const any = await db.query('SELECT 1 FROM pg_trigger WHERE tgrelid = $1::regclass AND NOT tgisinternal', [table]);
  if (any.length > 0) await db.query(`ALTER TABLE ${table} ${to} TRIGGER USER`);
}

/** The numbers of blocks, and how often the feed looked: they depend on who was first. */
const TIMED = ['ledger_heads', 'feed_marks', 'feed_head'];

/** Every row that the cycles wrote, except for their block numbers, and the nonces with the hashes that follow from them. */
export async function writtenRows(db: Db): Promise<string[]> {
  const rows: string[] = [];
  for (const table of [...WRITTEN.filter((one) => !TIMED.includes(one)), ...CYCLES]) {
    const found = await db.query<{ row: string }>(
      `SELECT (to_jsonb(t) - '{block,position,hash,last_hash}'::text[])::text AS row FROM ${table} t`,
    );
    const plain = (row: string) => row.replaceAll(/\\"(?:nonce|previous)\\":\\"[^"\\]*\\"/g, '');
    rows.push(...found.map(({ row }) => `${table} ${plain(row)}`).sort());
  }
  return rows;
}

/**
 * Calls `before` ahead of the first statement, after the given number of them, that is `within`: inside a transaction that has begun, or
 * anywhere. Its promise is awaited, and then the statement is sent.
 */
export function interruptedDb(
  inner: Db,
  { after, within, before }: { after: number; within: 'a transaction' | 'anything'; before: () => Promise<void> },
): { db: Db; asked(): number } {
  let asked = 0;
  let met = false;
  const on = <T extends Sql>(sql: T, inside: boolean): T => ({
    ...sql,
    async query(...statement: Parameters<Sql['query']>) {
      asked += 1;
      if (!met && asked > after && (inside || within === 'anything')) {
        met = true;
        await before();
      }
      return sql.query(...statement);
    },
  });
  const transaction: Db['transaction'] = (work) =>
    inner.transaction(async (tx) => {
      let first = true;
      const later = on(tx, true);
      const query: Sql['query'] = (...statement) => {
        if (!first) return later.query(...statement);
        first = false;
        asked += 1;
        return tx.query(...statement);
      };
      return work({ ...tx, query });
    });
  return { db: { ...on(inner, false), transaction }, asked: () => asked };
}
