/**
 * Rows that are recorded in the audit trail: each is as the last change left it, none is missing, and none was added in any other way. The
 * book may be in use, so a row that does not match is looked at once more, between two looks at its records.
 */
import {
  isInVolumes,
  RECORDED_TABLES,
  type RecordedContent,
  type RecordedTable,
  readContents,
  rulesOf,
} from '../../store/audit/rows.ts';
import type { Session, Sql } from '../../store/db/db.ts';
import { readContentPage, readLaterContents } from '../../store/verify/rows.ts';
import { surelyWrong } from './second-look.ts';

const ROWS_AT_ONCE = 2_000;

type Latest = { readonly number: number; readonly hash: string | null };
type Complaint = readonly [table: string, what: string];

export function openRecordedRows(db: Session, complain: (...complaint: Complaint) => void) {
  /** The last record of each row: by table and key. */
  const latest = new Map<string, Latest>();
  /** Rows that do not match. */
  const doubted = new Set<string>();
  /** The last link of each volume that was read. */
  const read = new Map<number, number>();
  const nameOf = (table: string, key: string) => `${table} ${key}`;

  function add(content: string): void {
    for (const { name, ...record } of recordsIn(content)) {
      const known = latest.get(name);
      if (known === undefined || known.number < record.number) latest.set(name, record);
    }
  }

  /** Compares the rows of a table, or of one of its volumes, with their records. Those that match need not be kept. */
  async function compare(table: RecordedTable, volume: number | null): Promise<void> {
    for (let after: readonly string[] | null = null; ; ) {
      const page: Awaited<ReturnType<typeof readContentPage>> = await readContentPage(
        db,
        table,
        { volume, after },
        ROWS_AT_ONCE,
      );
      for (const { key, hash } of page.rows) {
        const name = nameOf(table, key);
        if (latest.get(name)?.hash === hash) latest.delete(name);
        else doubted.add(name);
      }
      after = page.last;
      if (after === null) return;
    }
  }

  /** Records that came after the links that were read. */
  async function readLater(sql: Sql): Promise<string[]> {
    const later: string[] = [];
    for (const [volume, through] of read) later.push(...(await readLaterContents(sql, volume, through)));
    return later;
  }

  /** Rows that do not match, and records without a row: each is read again. */
  async function settle(sql: Sql): Promise<Complaint[]> {
    for (const content of await readLater(sql)) add(content);
    for (const [name, { hash }] of latest) if (hash !== null) doubted.add(name);
    const asked = Map.groupBy(doubted, (name) => name.slice(0, name.indexOf(' ')) as RecordedTable);
    const rows = new Map<string, string | null>();
    for (const [table, names] of asked) {
      const keys = names.map((name) => name.slice(table.length + 1));
      for (const { key, hash } of await readContents(sql, table, keys)) rows.set(nameOf(table, key), hash);
    }
    /** Changes that were made while the rows were read. */
    const meanwhile = new Map<string, Latest[]>();
    for (const { name, ...record } of (await readLater(sql)).flatMap(recordsIn)) {
      if (record.number > (latest.get(name)?.number ?? 0))
        meanwhile.set(name, [...(meanwhile.get(name) ?? []), record]);
    }
    const complaints: Complaint[] = [];
    for (const [name, found] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const expected = latest.get(name);
      if (expected?.hash === found || (expected === undefined && found === null)) continue;
      if (meanwhile.get(name)?.some(({ hash }) => hash === found)) continue;
      const wrong = wrongWith(name, expected, found);
      if (wrong !== null) complaints.push(wrong);
    }
    return complaints;
  }

  function wrongWith(name: string, expected: Latest | undefined, found: string | null): Complaint | null {
    const [table, key] = [name.slice(0, name.indexOf(' ')) as RecordedTable, name.slice(name.indexOf(' ') + 1)];
    if (expected === undefined) {
      return rulesOf(table).mayBeUnrecorded === true ? null : [table, `${key}: was added, no change recorded it`];
    }
    if (found === null) return [table, `${key}: was removed, no change recorded it`];
    if (expected.hash === null) return [table, `${key}: was added again after it was removed`];
    return [table, `${key}: was changed, no change recorded it`];
  }

  return {
    add,

    /** All links of a volume up to one of them were added. */
    async volumeRead(volume: number, through: number): Promise<void> {
      read.set(volume, through);
      for (const content of await readLaterContents(db, volume, through)) add(content);
      for (const table of RECORDED_TABLES) if (isInVolumes(table)) await compare(table, volume);
    },

    /** The links of all volumes were added. */
    async check(): Promise<void> {
      for (const table of RECORDED_TABLES) if (!isInVolumes(table)) await compare(table, null);
      for (const complaint of await surelyWrong(db, settle)) complain(...complaint);
    },
  };
}

type NamedRecord = Latest & { readonly name: string };

/** The rows of a record. One that was changed is no list, or names no tables: its link tells. */
function recordsIn(content: string): NamedRecord[] {
  try {
    const { number, rows } = JSON.parse(content) as RecordedContent;
    return rows
      .filter(({ table }) => RECORDED_TABLES.includes(table))
      .map(({ table, key, hash }) => ({ name: `${table} ${key}`, number, hash }));
  } catch {
    return [];
  }
}
