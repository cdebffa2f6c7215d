/**
 * Saves a batch of the write path with one statement: a single statement is a single transaction and one round trip to the server,
 * however many tables it fills.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { Line } from '../ledger/post.ts';
import type { Sql } from './db.ts';
import { bytes, columnsOf, hexOf } from './loans.ts';

export type Summary = {
  status: string;
  pastDueFrom: PlainDate | null;
  delinquentFrom: PlainDate | null;
  late: boolean;
  loanAmount: number;
  principal: number;
  published: boolean;
  recordedOn: PlainDate;
};

export type NewLoanRow = {
  organizationId: string;
  applicationId: string;
  borrowerId: string;
  lenderId: string;
  primaryServicerId: string;
  secondaryServicerId: string;
  loanType: string;
  file: string;
  publicPart: Uint8Array;
  keyId: string;
  wrappedKey: Uint8Array;
  sealed: Uint8Array;
  blindIndex: readonly { kind: string; digest: Uint8Array }[];
};

export type SavedEvent = {
  sequence: number;
  hash: string;
  type: string;
  /** Of a payment. */
  refId: string | null;
  body: string;
  note: Uint8Array | null;
  dateEffective: PlainDate;
  datePosted: PlainDate;
  lines: readonly Line[];
};

/** Everything that one command saves. */
export type Save = {
  loanId: string;
  /** The hash of the loan's last event when it was read; null: the loan is new. */
  expected: string | null;
  version: number;
  /** When the last of its events was recorded. */
  recordedAt: Date;
  summary: Summary;
  created: NewLoanRow | null;
  clientId: string;
  events: readonly SavedEvent[];
  idempotency: { keyHash: string; requestHash: string; answer: string } | null;
  /** The record parts of an underwriting run, which replace those the loan was created with from the run's first event on. */
  assessed: AssessedParts | null;
};

export type AssessedParts = {
  file: string;
  publicPart: Uint8Array;
  sealed: Uint8Array;
  modelVersion: string;
  policyVersion: string;
};

/**
 * Numbers a statement's parameters in the order in which they are named. Rows come as columns, and a column as one text with the
 * separators below (`asText`): the driver's own arrays quote and escape every value, which took a sixth of a payment's time.
 */
function parameters() {
  let last = 0;
  const next = () => `$${++last}`;
  return {
    one: (type: string) => `${next()}::${type}`,
    rows(alias: string, columns: Readonly<Record<string, string>>, ordinality = ''): string {
      const arrays = Object.values(columns).map(
        (type) => `string_to_array(${next()}, chr(${BETWEEN.charCodeAt(0)}), chr(${NONE.charCodeAt(0)}))::${type}[]`,
      );
      const names = [...Object.keys(columns), ...(ordinality === '' ? [] : [ordinality])];
      const order = ordinality === '' ? '' : ' WITH ORDINALITY';
      return `unnest(${arrays.join(', ')})${order} AS ${alias} (${names.join(', ')})`;
    },
  };
}

/** Control characters, which no stored text contains: JSON escapes them, and names and references have none. */
const BETWEEN = '\u001e';
const NONE = '\u001f';

/** A column as one text. None of its values may be empty, because an empty text is a column without rows. */
function asText(values: readonly unknown[]): string {
  let text = '';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) text += BETWEEN;
    text += value === null ? NONE : value instanceof Date ? value.toISOString() : value;
  }
  return text;
}

const FIGURES = {
  version: 'int',
  last_hash: 'bytea',
  recorded_at: 'timestamptz',
  status: 'text',
  past_due_from: 'date',
  delinquent_from: 'date',
  late: 'boolean',
  loan_amount: 'bigint',
  principal: 'bigint',
  published: 'boolean',
  recorded_on: 'date',
};

/**
 * The whole save. The head of the ledger is locked first and held to the end, so batches of all processes are numbered in the order of
 * their commits, and no two can wait for each other's loans. A loan whose last event is no longer the expected one is left out with
 * everything that belongs to it; the result is what was saved. The event's hash is compared, not its number: a database that was restored
 * from a copy counts the same numbers again.
 */
const SAVE = saveStatement();

function saveStatement(): string {
  const given = parameters();
  const at = given.one('timestamptz');
  return `
WITH head AS (
  UPDATE ledger_head SET number = number + 1 RETURNING number
), created AS (
  INSERT INTO loans (loan_id, organization_id, created_at, version, last_hash, updated_at, status, past_due_from, delinquent_from, late,
    loan_amount, principal, published, recorded_on)
  SELECT n.loan_id, n.organization_id, ${at}, n.version, n.last_hash, n.recorded_at, n.status, n.past_due_from, n.delinquent_from,
    n.late, n.loan_amount, n.principal, n.published, n.recorded_on
  FROM ${given.rows('n', { loan_id: 'bytea', organization_id: 'text', ...FIGURES })}, head
  RETURNING loan_id, organization_id
), changed AS (
  UPDATE loans l SET version = u.version, last_hash = u.last_hash, updated_at = u.recorded_at, status = u.status,
    past_due_from = u.past_due_from, delinquent_from = u.delinquent_from, late = u.late, loan_amount = u.loan_amount,
    principal = u.principal, published = u.published, recorded_on = u.recorded_on
  FROM ${given.rows('u', { loan_id: 'bytea', expected: 'bytea', ...FIGURES })}, head
  WHERE l.loan_id = u.loan_id AND l.last_hash = u.expected
  RETURNING l.loan_id, l.organization_id
), saved AS (
  SELECT loan_id, organization_id FROM created UNION ALL SELECT loan_id, organization_id FROM changed
), happened AS (
  SELECT e.*, saved.organization_id
  FROM ${given.rows(
    'e',
    {
      loan_id: 'bytea',
      sequence: 'int',
      hash: 'bytea',
      type: 'text',
      body: 'text',
      client_id: 'text',
      note: 'bytea',
    },
    'position',
  )}
  JOIN saved USING (loan_id)
), new_events AS (
  INSERT INTO events (loan_id, sequence, hash, block, position, type, body, client_id, note)
  SELECT loan_id, sequence, hash, head.number, position, type, body, client_id, note FROM happened, head
), new_lines AS (
  INSERT INTO journal (loan_id, sequence, line, organization_id, block, entry, account, amount, date_effective, date_posted)
  SELECT j.loan_id, j.sequence, j.line, saved.organization_id, head.number, j.entry, j.account, j.amount, j.date_effective, j.date_posted
  FROM ${given.rows('j', {
    loan_id: 'bytea',
    sequence: 'int',
    line: 'smallint',
    entry: 'text',
    account: 'text',
    amount: 'bigint',
    date_effective: 'date',
    date_posted: 'date',
  })}
  JOIN saved USING (loan_id), head
), kept_answers AS (
  INSERT INTO idempotency (key_hash, loan_id, request_hash, answer, at)
  SELECT i.key_hash, i.loan_id, i.request_hash, i.answer, ${at}
  FROM ${given.rows('i', { loan_id: 'bytea', key_hash: 'bytea', request_hash: 'bytea', answer: 'text' })}
  JOIN saved USING (loan_id)
), to_tell AS (
  INSERT INTO outbox (loan_id, sequence, organization_id, type)
  SELECT loan_id, sequence, organization_id, type FROM happened
)
SELECT head.number, saved.loan_id FROM head LEFT JOIN saved ON true`;
}

const SAVE_NEW = `
WITH head AS (
  SELECT $1::bigint AS number
), files AS (
  INSERT INTO applications (loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id,
    secondary_servicer_id, loan_type, created_at, start_block, file, public_part)
  SELECT n.loan_id, n.organization_id, n.application_id, n.borrower_id, n.lender_id, n.primary_servicer_id, n.secondary_servicer_id,
    n.loan_type, $2::timestamptz, head.number, n.file, substring($20::bytea FROM n.public_from FOR n.public_length)
  FROM unnest($3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
    $12::int[], $13::int[])
    AS n (loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id, secondary_servicer_id, loan_type,
      file, public_from, public_length), head
), persons AS (
  INSERT INTO people (loan_id, key_id, wrapped_key, sealed, stored_at)
  SELECT p.loan_id, p.key_id, p.wrapped_key, substring($21::bytea FROM p.sealed_from FOR p.sealed_length), $2::timestamptz
  FROM unnest($3::bytea[], $14::text[], $15::bytea[], $16::int[], $17::int[])
    AS p (loan_id, key_id, wrapped_key, sealed_from, sealed_length)
)
INSERT INTO blind_index (organization_id, kind, digest, loan_id)
SELECT b.organization_id, b.kind, b.digest, b.loan_id
FROM unnest($18::text[], $19::text[], $22::bytea[], $23::bytea[]) AS b (organization_id, kind, digest, loan_id)
ON CONFLICT DO NOTHING`;

/** New loans go to the database in statements of about this many bytes: putting one together holds the event loop. */
const AT_ONCE_BYTES = 2 * 1024 * 1024;

/** Saves a batch in one transaction: which loans were saved, and the block they are in. */
export async function saveBatch(
  db: Sql & { transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> },
  saves: readonly Save[],
  at: Date,
): Promise<{ block: number; saved: ReadonlySet<string> }> {
  const fresh = saves.filter(({ created }) => created !== null);
  const runs = saves.filter(({ assessed }) => assessed !== null);
  if (fresh.length === 0 && runs.length === 0) return save(db, saves, at);
  return db.transaction(async (tx) => {
    const done = await save(tx, saves, at);
    for (const some of together(fresh)) {
      await tx.query(SAVE_NEW, newLoanValues(some, done.block, at), 'save_new_loans');
    }
    const kept = runs.filter(({ loanId }) => done.saved.has(loanId));
    for (const one of kept) await saveAssessment(tx, one, at);
    return done;
  });
}

async function save(db: Sql, saves: readonly Save[], at: Date): Promise<{ block: number; saved: Set<string> }> {
  const rows = await db.query<{ number: bigint; loan_id: Uint8Array | null }>(
    SAVE,
    saveValues(saves, at),
    'save_batch',
  );
  const saved = new Set<string>();
  for (const { loan_id } of rows) if (loan_id !== null) saved.add(hexOf(loan_id));
  return { block: Number(rows[0]?.number), saved };
}

function saveValues(saves: readonly Save[], at: Date): unknown[] {
  const fresh = saves.filter(({ created }) => created !== null);
  const known = saves.filter(({ created }) => created === null);
  const lastHash = ({ events }: Save) => bytes((events.at(-1) as SavedEvent).hash);
  const summaries = (some: readonly Save[]) => [
    some.map(({ version }) => version),
    some.map(lastHash),
    some.map(({ recordedAt }) => recordedAt),
    ...columnsOf(
      some.map(({ summary }) => summary),
      'status',
      'pastDueFrom',
      'delinquentFrom',
      'late',
      'loanAmount',
      'principal',
      'published',
      'recordedOn',
    ),
  ];
  const events: unknown[][] = Array.from({ length: 7 }, () => []);
  const lines: unknown[][] = Array.from({ length: 8 }, () => []);
  for (const { loanId, clientId, events: happened } of saves) {
    const id = bytes(loanId);
    for (const event of happened) {
      const note = event.note === null ? null : `\\x${Buffer.from(event.note).toString('hex')}`;
      push(events, id, event.sequence, bytes(event.hash), event.type, event.body, clientId, note);
      event.lines.forEach(({ entry, account, amount }, i) => {
        push(lines, id, event.sequence, i + 1, entry, account, amount, event.dateEffective, event.datePosted);
      });
    }
  }
  const answers: unknown[][] = Array.from({ length: 4 }, () => []);
  for (const { loanId, idempotency } of saves) {
    if (idempotency === null) continue;
    push(answers, bytes(loanId), bytes(idempotency.keyHash), bytes(idempotency.requestHash), idempotency.answer);
  }
  const all = [
    fresh.map(({ loanId }) => bytes(loanId)),
    fresh.map(({ created }) => created?.organizationId),
    ...summaries(fresh),
    known.map(({ loanId }) => bytes(loanId)),
    known.map(({ expected }) => bytes(expected ?? '0x')),
    ...summaries(known),
    ...events,
    ...lines,
    ...answers,
  ];
  return [at, ...all.map(asText)];
}

/** The row with personal data is replaced, and so is the public part; the parts the loan was created with stay where they are. */
async function saveAssessment(tx: Sql, { loanId, assessed, events }: Save, at: Date): Promise<void> {
  const { file, publicPart, sealed, modelVersion, policyVersion } = assessed as AssessedParts;
  await tx.query(
    `WITH person AS (UPDATE people SET sealed = $2, stored_at = $3, revision = revision + 1 WHERE loan_id = $1)
     INSERT INTO assessments (loan_id, sequence, file, public_part, model_version, policy_version)
     VALUES ($1, $4, $5, $6, $7, $8)`,
    [bytes(loanId), sealed, at, events[0]?.sequence, file, publicPart, modelVersion, policyVersion],
  );
}

/** In their order, as many at a time as `AT_ONCE_BYTES` hold, and at least one. */
function together(fresh: readonly Save[]): Save[][] {
  const groups: Save[][] = [];
  let room = 0;
  for (const one of fresh) {
    const { publicPart, sealed } = one.created as NewLoanRow;
    room -= publicPart.length + sealed.length;
    if (room < 0 || groups.length === 0) {
      groups.push([]);
      room = AT_ONCE_BYTES - publicPart.length - sealed.length;
    }
    groups.at(-1)?.push(one);
  }
  return groups;
}

function newLoanValues(saves: readonly Save[], block: number, at: Date): unknown[] {
  const files = saves.map(({ created }) => created as NewLoanRow);
  const index: unknown[][] = Array.from({ length: 4 }, () => []);
  for (const { loanId, created } of saves) {
    for (const { kind, digest } of created?.blindIndex ?? []) {
      push(index, created?.organizationId, kind, digest, bytes(loanId));
    }
  }
  const [organizations, kinds, digests, loanIds] = index;
  const shown = joined(files.map(({ publicPart }) => publicPart));
  const sealed = joined(files.map((file) => file.sealed));
  return [
    block,
    at,
    saves.map(({ loanId }) => bytes(loanId)),
    ...columnsOf(
      files,
      'organizationId',
      'applicationId',
      'borrowerId',
      'lenderId',
      'primaryServicerId',
      'secondaryServicerId',
      'loanType',
      'file',
    ),
    shown.from,
    shown.lengths,
    ...columnsOf(files, 'keyId', 'wrappedKey'),
    sealed.from,
    sealed.lengths,
    organizations,
    kinds,
    shown.bytes,
    sealed.bytes,
    digests,
    loanIds,
  ];
}

/**
 * Large parts go as one value of bytes, and where each begins (from 1): bytes inside an array would be written out as hexadecimal digits,
 * which takes a fifth of a second for ten megabytes and holds the event loop.
 */
function joined(parts: readonly Uint8Array[]): { bytes: Buffer; from: number[]; lengths: number[] } {
  const lengths = parts.map(({ length }) => length);
  let next = 1;
  const from = lengths.map((length) => {
    next += length;
    return next - length;
  });
  const [only] = parts;
  const one = only !== undefined && parts.length === 1;
  return { bytes: one ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(parts), from, lengths };
}

function push(into: unknown[][], ...values: unknown[]): void {
  values.forEach((value, i) => {
    into[i]?.push(value);
  });
}
