/**
 * Rows that decide rights and money are recorded in the audit trail. A transaction that changes some of them ends by writing down what each
 * holds, as a SHA-256, in the entry that it has recorded; so they are under the chains like the entry itself, and `npm run verify` finds a
 * row that was changed, added or removed in any other way. All statements that change such a table are sent by `changeRows`.
 */
import type { Sql } from '../db/db.ts';
import { lastEntryOf, recordAudit } from './audit.ts';

type Recorded = {
  /** The primary key, with the types of its columns. */
  readonly key: Readonly<Record<string, string>>;
  /** Columns that are left out, each with the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** A condition for those that are recorded, where not all are; `t` is the table. */
  readonly only?: string;
  /** Rows that were never recorded are no complaint. */
  readonly mayBeUnrecorded?: true;
};

/** The tables, each spread over servers by its `volume` if that is part of its key. */
const RECORDED = {
  account_codes: { key: { organization_id: 'text', lender_id: 'text', account: 'text' } },
  allowances: { key: { organization_id: 'text', period: 'text', lender_id: 'text' } },
  api_keys: { key: { key_id: 'text' } },
  approvals: { key: { volume: 'smallint', approval_id: 'text' } },
  clients: { key: { client_id: 'text' } },
  // A cycle is recorded when it has ended.
  cycles: { key: { organization_id: 'text', date: 'date' }, only: 't.ended_at IS NOT NULL' },
  former_time_zones: { key: { organization_id: 'text', until: 'timestamptz' } },
  grants: { key: { grant_id: 'text' } },
  identity_providers: { key: { organization_id: 'text' } },
  ledger_periods: { key: { organization_id: 'text', period: 'text' } },
  ledger_years: { key: { organization_id: 'text', year: 'integer' } },
  organization_approvals: { key: { approval_id: 'text' } },
  // One that has no client and no person gives nobody a right.
  organizations: { key: { organization_id: 'text' }, mayBeUnrecorded: true },
  passkeys: {
    key: { credential_id: 'bytea' },
    without: { counter: 'changes with every use', used_at: 'changes with every use' },
  },
  passwords: { key: { user_id: 'text' }, without: { last_step: 'changes with every use' } },
  policy_versions: { key: { organization_id: 'text', number: 'integer' } },
  provider_subjects: { key: { organization_id: 'text', subject_digest: 'bytea' } },
  roles: { key: { organization_id: 'text', name: 'text' } },
  sandboxes: { key: { organization_id: 'text' } },
  signing_keys: { key: { key_id: 'text' } },
  users: { key: { user_id: 'text' } },
} as const satisfies Record<string, Recorded>;

export type RecordedTable = keyof typeof RECORDED;
export const RECORDED_TABLES = Object.keys(RECORDED) as RecordedTable[];

export const rulesOf = (table: RecordedTable): Recorded => RECORDED[table];
/** Its rows are asked for volume by volume. */
export const isInVolumes = (table: RecordedTable): boolean => 'volume' in rulesOf(table).key;

/** A row by its key, as text; `hash` null: there is none. */
export type RowContent = { readonly table: RecordedTable; readonly key: string; readonly hash: string | null };

/** The changes of one transaction; of two that changed the same row the later one has the higher number. */
export type RecordedContent = { readonly number: number; readonly rows: readonly RowContent[] };

/** The columns of a key as texts that can be cast back to their types. */
const keyTexts = (table: RecordedTable, of: string): string =>
  Object.keys(rulesOf(table).key)
    .map((column) => `to_jsonb(${of}.${column}) #>> '{}' AS ${column}`)
    .join(', ');

/** Citus evaluates no function in RETURNING, and the keys that have a volume need none. */
const keyReturned = (table: RecordedTable): string =>
  isInVolumes(table) ? Object.keys(rulesOf(table).key).join(', ') : keyTexts(table, table);

/** A column that is null counts like one that the table does not have, so that a new one changes no record. */
export function contentOf(table: RecordedTable): string {
  const without = Object.keys(rulesOf(table).without ?? {});
  const row = without.length === 0 ? 'to_jsonb(t)' : `to_jsonb(t) - ARRAY['${without.join("', '")}']`;
  return `${keyTexts(table, 't')}, encode(sha256(convert_to(jsonb_strip_nulls(${row})::text, 'UTF8')), 'hex') AS row_hash`;
}

type KeyRow = Readonly<Record<string, string>>;

/** The key of a row as text: its columns in their order, with a space between them. */
export const keyIn = (table: RecordedTable, row: KeyRow): string =>
  Object.keys(rulesOf(table).key)
    .map((column) => row[column])
    .join(' ');

// ---- writing ----

type Change = Map<RecordedTable, Set<string>>;
const changes = new WeakMap<Sql, Change>();

/**
 * Sends a statement that changes rows of a table that is recorded, without an alias and without RETURNING; which rows it has changed. It must
 * be part of a transaction.
 */
export async function changeRows(
  tx: Sql,
  table: RecordedTable,
  text: string,
  values: readonly unknown[],
  name?: string,
): Promise<KeyRow[]> {
  const changed = changesOf(tx);
  const rows = await tx.query<KeyRow>(`${text} RETURNING ${keyReturned(table)}`, values, name);
  const keys = changed.get(table) ?? new Set();
  for (const row of rows) keys.add(keyIn(table, row));
  changed.set(table, keys);
  return rows;
}

function changesOf(tx: Sql): Change {
  const known = changes.get(tx);
  if (known !== undefined) return known;
  if (tx.beforeCommit === undefined) throw new Error('Recorded rows are changed within a transaction.');
  const made: Change = new Map();
  changes.set(tx, made);
  tx.beforeCommit(() => recordChanges(tx, made));
  return made;
}

async function recordChanges(tx: Sql, changed: Change): Promise<void> {
  const rows: RowContent[] = [];
  for (const [table, keys] of changed) rows.push(...(await readContents(tx, table, [...keys])));
  if (rows.length === 0) return;
  const [next] = await tx.query<{ number: bigint; at: Date }>(
    "SELECT nextval('row_changes') AS number, clock_timestamp() AS at",
  );
  if (next === undefined) throw new Error('The sequence row_changes is missing.');
  const textOf = (some: RowContent[]) =>
    JSON.stringify({ number: Number(next.number), rows: some } satisfies RecordedContent);
  const entry = lastEntryOf(tx);
  const places = Map.groupBy(rows, (row) => placeOf(row) ?? entry?.volume ?? null);
  for (const [volume, some] of places) {
    if (entry === undefined || volume !== entry.volume) {
      const elsewhere = volume === null ? {} : { volume };
      await recordAudit(tx, [{ ...BY_ITSELF, ...elsewhere, at: next.at, content: textOf(some) }]);
    } else {
      await tx.query('UPDATE audit_waiting SET content = $3 WHERE volume = $1 AND entry_id = $2', [
        volume,
        entry.entryId,
        textOf(some),
      ]);
    }
  }
}

/** A row that is in a volume is recorded in the chain of that volume. */
const placeOf = ({ table, key }: RowContent): number | null =>
  isInVolumes(table) ? Number(key.slice(0, key.indexOf(' '))) : null;

export const RECORD_ROWS = 'record-rows';
/** A change that nobody asked for has an entry of its own, in the operator's trail. */
const BY_ITSELF = {
  organizationId: '',
  clientId: 'service',
  kind: 'did',
  operation: RECORD_ROWS,
  outcome: 'done',
  requestId: null,
} as const;

// ---- reading ----

/** The most keys of one statement. */
const KEYS_AT_ONCE = 1_000;

/** The present contents of rows by their keys, in this order. Those that are not recorded, or not there, have none. */
export async function readContents(sql: Sql, table: RecordedTable, keys: readonly string[]): Promise<RowContent[]> {
  const found = new Map<string, string>();
  for (let i = 0; i < keys.length; i += KEYS_AT_ONCE) {
    for (const { key, hash } of await readByKeys(sql, table, keys.slice(i, i + KEYS_AT_ONCE))) found.set(key, hash);
  }
  return keys.map((key) => ({ table, key, hash: found.get(key) ?? null }));
}

async function readByKeys(sql: Sql, table: RecordedTable, keys: readonly string[]) {
  const columns = Object.entries(rulesOf(table).key);
  // A key of one column may hold spaces.
  const parts = keys.map((key) => (columns.length === 1 ? [key] : key.split(' ')));
  const read = (some: readonly (readonly string[])[], by: typeof columns, volume: string | null) => {
    const given = volume === null ? 1 : 2;
    const asked = by.map(([, type], i) => `k${i}::${type}`).join(', ');
    const arrays = by.map((_, i) => `$${i + given}::text[]`).join(', ');
    const names = by.map((_, i) => `k${i}`).join(', ');
    return sql.query<KeyRow & { row_hash: string }>(
      `SELECT ${contentOf(table)} FROM ${table} t
       WHERE ${volume === null ? '' : 't.volume = $1 AND '}(${by.map(([column]) => `t.${column}`).join(', ')}) IN (
         SELECT ${asked} FROM unnest(${arrays}) AS asked (${names}))${onlyOf(table)}`,
      [...(volume === null ? [] : [volume]), ...by.map((_, i) => some.map((part) => part[i]))],
    );
  };
  const rows: (KeyRow & { row_hash: string })[] = [];
  if (!isInVolumes(table)) rows.push(...(await read(parts, columns, null)));
  else {
    for (const [volume, some] of Map.groupBy(parts, ([first]) => first as string)) {
      const others = some.map((part) => part.slice(1));
      rows.push(...(await read(others, columns.slice(1), volume)));
    }
  }
  return rows.map((row) => ({ key: keyIn(table, row), hash: row.row_hash }));
}

export const onlyOf = (table: RecordedTable): string => {
  const { only } = rulesOf(table);
  return only === undefined ? '' : ` AND ${only}`;
};
