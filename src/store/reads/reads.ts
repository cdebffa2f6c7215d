/** The queries behind reads of one loan: views, and the sealed part with its audit entry. */
import { auditEntryId, auditVolume } from '../audit/audit.ts';
import { trailIn } from '../audit/chain.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Joined, Session, Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { byVolume, PLAIN, queryByVolume, volumeOf } from '../db/volumes.ts';
import { history, LOAN, latest, type RawLoan, type StoredLoan, toStored } from '../door/loans.ts';

/** The last underwriting run's file, or the one the loan was created with. */
const FILE = 'coalesce(s.file, a.file) AS file';
/**
 * Large columns come as base64: it is two thirds of the text of hexadecimal digits, which the driver asks for, and decoding it takes a
 * tenth of the time. A cold read of a record of 900 KB takes half as long this way.
 */
const PUBLIC_PART = "encode(coalesce(s.public_part, a.public_part), 'base64') AS public_part";
const PERSON = "p.key_id, p.wrapped_key, encode(p.sealed, 'base64') AS sealed, p.revision";

type RawView = RawLoan & { file: string };
type RawPublic = { public_part: string };
type RawKey = Pick<Tables['people'], 'key_id' | 'wrapped_key' | 'revision'>;
/** Nothing: the borrower was erased. */
type RawPerson = Joined<RawKey & { sealed: string }>;

export type StoredView = StoredLoan & { file: string };

/** A loan with its history and its file; one statement is one snapshot, so they belong together. */
export async function readView(db: Sql, loanId: string): Promise<StoredView | null> {
  const [row] = await db.query<RawView>(
    `SELECT ${LOAN}, ${FILE}
     FROM loans l
     JOIN applications a ON a.volume = $1 AND a.loan_id = l.loan_id
     ${latest('$1')}
     ${history('$1')}
     WHERE l.volume = $1 AND l.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_view',
  );
  return row === undefined ? null : { ...toStored(row), file: row.file };
}

/** Null: the borrower was erased. */
export type StoredPerson = { keyId: string; wrappedKey: Uint8Array; sealed: Uint8Array; revision: number } | null;

/** The parts of the full record. */
export async function readSealedParts(db: Sql, loanId: string): Promise<{ file: string; person: StoredPerson } | null> {
  const [row] = await db.query<{ file: string } & RawPerson>(
    `SELECT ${FILE}, ${PERSON} FROM applications a ${latest('$1')} LEFT JOIN people p ON p.volume = $1 AND p.loan_id = a.loan_id
     WHERE a.volume = $1 AND a.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_sealed_parts',
  );
  return row === undefined ? null : { file: row.file, person: personOf(row) };
}

/** The same with the decisions on the application, which the record shows: one statement, because a read of a record waits for its turn once. */
export async function readRecordParts(
  db: Sql,
  loanId: string,
): Promise<{ file: string; person: StoredPerson; decisions: readonly DecisionNote[] } | null> {
  const [row] = await db.query<{ file: string; decisions: [number, string, string | null][] | null } & RawPerson>(
    `SELECT ${FILE}, ${PERSON},
            (SELECT json_agg(json_build_array(e.sequence, e.body, encode(e.note, 'base64')) ORDER BY e.sequence)
             FROM events e WHERE e.volume = $1 AND e.loan_id = $2 AND ${OF_DECISIONS}) AS decisions
     FROM applications a ${latest('$1')} LEFT JOIN people p ON p.volume = $1 AND p.loan_id = a.loan_id
     WHERE a.volume = $1 AND a.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_record_parts',
  );
  if (row === undefined) return null;
  const decisions = (row.decisions ?? []).map(([sequence, body, note]) => ({
    sequence,
    body,
    note: note === null ? null : Buffer.from(note, 'base64'),
  }));
  return { file: row.file, person: personOf(row), decisions };
}

/** A decision on an application, or an undo: the text of its transaction, and the sealed reason. */
export type DecisionNote = { readonly sequence: number; readonly body: string; readonly note: Uint8Array | null };

const OF_DECISIONS = `e.type IN ('approved', 'rejected', 'undone')`;

/** The parts of the public record, with the key that the public part is sealed under; null: the borrower was erased. */
export type StoredPublic = {
  file: string;
  publicPart: Uint8Array;
  key: { keyId: string; wrappedKey: Uint8Array; revision: number } | null;
};

export async function readPublicParts(db: Sql, loanId: string): Promise<StoredPublic | null> {
  const [row] = await db.query<{ file: string } & RawPublic & Joined<RawKey>>(
    `SELECT ${FILE}, ${PUBLIC_PART}, p.key_id, p.wrapped_key, p.revision
     FROM applications a ${latest('$1')} LEFT JOIN people p ON p.volume = $1 AND p.loan_id = a.loan_id
     WHERE a.volume = $1 AND a.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_public_parts',
  );
  if (row === undefined) return null;
  const key = row.key_id === null ? null : { keyId: row.key_id, wrappedKey: row.wrapped_key, revision: row.revision };
  return { file: row.file, publicPart: fromBase64(row.public_part), key };
}

const STANDING = byVolume(
  (from, volume) =>
    `SELECT l.loan_id, l.version, p.revision
     FROM ${from}
     JOIN loans l ON l.volume = ${volume} AND l.loan_id = asked.id
     LEFT JOIN people p ON p.volume = ${volume} AND p.loan_id = asked.id`,
);

/** The current versions of loans. */
export async function readStanding(db: Sql, loanIds: readonly string[]): Promise<Map<string, Seen>> {
  const rows = await queryByVolume<{ loan_id: Uint8Array } & Seen>(db, STANDING, loanIds, [], 'read_standing');
  return new Map(rows.map(({ loan_id, version, revision }) => [hexOf(loan_id), { version, revision }]));
}

/** A loan with its history and everything that was submitted or assessed, all of one snapshot. */
export type StoredCase = StoredView & { publicPart: Uint8Array; person: StoredPerson };

export async function readCase(db: Sql, loanId: string): Promise<StoredCase | null> {
  const [row] = await db.query<RawView & RawPublic & RawPerson>(
    `SELECT ${LOAN}, ${FILE}, ${PUBLIC_PART}, ${PERSON}
     FROM loans l
     JOIN applications a ON a.volume = $1 AND a.loan_id = l.loan_id
     ${latest('$1')}
     ${history('$1')}
     LEFT JOIN people p ON p.volume = $1 AND p.loan_id = l.loan_id
     WHERE l.volume = $1 AND l.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_case',
  );
  if (row === undefined) return null;
  return { ...toStored(row), file: row.file, publicPart: fromBase64(row.public_part), person: personOf(row) };
}

function personOf({ key_id: keyId, wrapped_key: wrappedKey, sealed, revision }: RawPerson): StoredPerson {
  return keyId === null ? null : { keyId, wrappedKey, sealed: fromBase64(sealed), revision };
}

/** PostgreSQL breaks base64 into lines; the decoder passes over the ends of lines. */
function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

/** One read of personal data, as the audit trail keeps it. */
export type Disclosure = {
  /** Null for a search that found nothing. */
  loanId: string | null;
  organizationId: string;
  clientId: string;
  userId: string | null;
  keyId: string | null;
  operation: string;
  what: string;
  /** Sealed under the loan's key; null: none was stated, or there is no key to seal it under. */
  purpose: Uint8Array | null;
  requestId: string;
};

/** The version of a loan, and the revision of what is sealed of it; null: the borrower was erased. */
export type Seen = { version: number; revision: number | null };

const LOOK = 'loan_id, entry_id, organization_id, client_id, user_id, key_id, operation, subject, purpose, request_id';
const LOOKS = `$3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bytea[],
  $12::text[]`;
/** The owner of the loan, where that is another organization. */
const OWNER = 'nullif(owner, organization_id)';
/** On a plain server the looks of several volumes are entered, and their loans read, at once. */
const RECORD = `${PLAIN} WITH looks AS MATERIALIZED (
  SELECT given.*, l.organization_id AS owner, l.version, p.revision
  FROM unnest($1::smallint[], ${LOOKS}) AS given (volume, ${LOOK})
  LEFT JOIN loans l ON l.volume = given.volume AND l.loan_id = given.loan_id
  LEFT JOIN people p ON p.volume = given.volume AND p.loan_id = given.loan_id
), noted AS (
  INSERT INTO audit_waiting (volume, at, kind, outcome, owner_id, ${LOOK})
  SELECT volume, $2::timestamptz, 'saw', 'done', ${OWNER}, ${LOOK} FROM looks
)
SELECT DISTINCT loan_id, version, revision FROM looks WHERE version IS NOT NULL`;
const RECORD_IN_ONE = `INSERT INTO audit_waiting (volume, at, kind, outcome, owner_id, ${LOOK})
SELECT $1::smallint, $2::timestamptz, 'saw', 'done', ${OWNER}, ${LOOK}
FROM (SELECT given.*, l.organization_id AS owner FROM unnest(${LOOKS}) AS given (${LOOK})
  LEFT JOIN loans l ON l.volume = $1 AND l.loan_id = given.loan_id) looks`;

/** Writes the entries and returns the versions of their loans, in one transaction a volume: on disk when this returns. */
export async function recordDisclosures(
  db: Session,
  looks: readonly Disclosure[],
  at: Date,
): Promise<Map<string, Seen>> {
  const columns = (some: readonly Disclosure[]) => [
    some.map(({ loanId }) => (loanId === null ? null : bytes(loanId))),
    some.map(() => auditEntryId(at)),
    some.map(({ organizationId }) => organizationId),
    some.map(({ clientId }) => clientId),
    some.map(({ userId }) => userId),
    some.map(({ keyId }) => keyId),
    some.map(({ operation }) => operation),
    some.map(({ what }) => what),
    some.map(({ purpose }) => purpose),
    some.map(({ requestId }) => requestId),
  ];
  if (db.volumes.sharded) {
    for (const [volume, some] of Map.groupBy(looks, (look) => auditVolume(db, look))) {
      await db.query(RECORD_IN_ONE, [volume, at, ...columns(some)], 'record_disclosures_of_volume');
    }
    return readStanding(db, [...new Set(looks.flatMap(({ loanId }) => loanId ?? []))]);
  }
  const values = [looks.map((look) => auditVolume(db, look)), at, ...columns(looks)];
  const rows = await db.query<{ loan_id: Uint8Array } & Seen>(RECORD, values, 'record_disclosures');
  return new Map(rows.map(({ loan_id, version, revision }) => [hexOf(loan_id), { version, revision }] as const));
}

export type DisclosureRow = Omit<Disclosure, 'loanId' | 'operation'> & { entryId: string; at: Date };

/** A condition on the entries of a loan. The index of its entries is for these alone, so that many writes of a loan do not hide its few reads. */
const DISCLOSING = "(kind = 'saw' OR operation = 'erase-borrower')";

/** The reads of personal data of a loan, and its erasure: the newest first, before the entry `before`; at most `limit`. */
export async function readDisclosures(
  db: Sql,
  loanId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<DisclosureRow[]> {
  return db.query<DisclosureRow>(
    `SELECT entry_id AS "entryId", at, organization_id AS "organizationId", client_id AS "clientId", user_id AS "userId", key_id AS "keyId", subject AS what, purpose,
       coalesce(request_id, '') AS "requestId"
     FROM ${trailIn('$1')} a WHERE loan_id = $2 AND ${DISCLOSING} AND ($3::text IS NULL OR entry_id < $3) ORDER BY entry_id DESC LIMIT $4`,
    [volumeOf(db, loanId), bytes(loanId), before, limit],
  );
}

/** Sealed reasons of a loan's events, in order. */
export async function readSealedNotes(
  db: Sql,
  loanId: string,
): Promise<{ hash: string; body: string; note: Uint8Array }[]> {
  const rows = await db.query<{ hash: Uint8Array; body: string; note: Uint8Array }>(
    'SELECT hash, body, note FROM events WHERE volume = $1 AND loan_id = $2 AND note IS NOT NULL ORDER BY sequence',
    [volumeOf(db, loanId), bytes(loanId)],
  );
  return rows.map(({ hash, body, note }) => ({ hash: hexOf(hash), body, note }));
}

/** The decisions on an application, and what was undone, in order. */
export async function readDecisionNotes(db: Sql, loanId: string): Promise<DecisionNote[]> {
  return db.query<DecisionNote>(
    `SELECT e.sequence, e.body, e.note FROM events e
     WHERE e.volume = $1 AND e.loan_id = $2 AND ${OF_DECISIONS} ORDER BY e.sequence`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_decision_notes',
  );
}

/** Those of the clients that belong to other organizations than this one. */
export async function readClientsOfOthers(
  db: Sql,
  organizationId: string,
  clientIds: readonly string[],
): Promise<Set<string>> {
  if (clientIds.length === 0) return new Set();
  const rows = await db.query<{ client_id: string }>(
    'SELECT client_id FROM clients WHERE client_id = ANY($1) AND organization_id <> $2',
    [clientIds, organizationId],
  );
  return new Set(rows.map(({ client_id }) => client_id));
}

/** The actor who recorded each event of a loan, and the sealed reason, in order. */
export async function readActs(
  db: Sql,
  loanId: string,
): Promise<{ hash: string; clientId: string; userId: string | null; note: Uint8Array | null }[]> {
  const rows = await db.query<{ hash: Uint8Array; client_id: string; user_id: string | null; note: Uint8Array | null }>(
    'SELECT hash, client_id, user_id, note FROM events WHERE volume = $1 AND loan_id = $2 ORDER BY sequence',
    [volumeOf(db, loanId), bytes(loanId)],
    'read_acts',
  );
  return rows.map(({ hash, client_id, user_id, note }) => ({
    hash: hexOf(hash),
    clientId: client_id,
    userId: user_id,
    note,
  }));
}
