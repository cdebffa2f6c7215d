/** The queries behind reads of loans: views, the sealed part with its audit entry, lists, searches. */
import { randomBytes } from 'node:crypto';
import type { Sql } from './db.ts';
import { bytes, HISTORY, hexOf, LATEST, LOAN, type RawLoan, type StoredLoan, toStored } from './loans.ts';
import { byVolume, queryByVolume, volumeOf } from './volumes.ts';

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
/** Without a key id the borrower was erased. */
type RawPerson = { key_id: string | null; wrapped_key: Uint8Array; sealed: string; revision: number };

export type StoredView = StoredLoan & { file: string };

/** A loan with its history and its file; one statement is one snapshot, so they belong together. */
export async function readView(db: Sql, loanId: string): Promise<StoredView | null> {
  const [row] = await db.query<RawView>(
    `SELECT ${LOAN}, ${FILE}
     FROM loans l
     JOIN applications a USING (volume, loan_id)
     ${LATEST}
     ${HISTORY}
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
    `SELECT ${FILE}, ${PERSON} FROM applications a ${LATEST} LEFT JOIN people p USING (volume, loan_id)
     WHERE a.volume = $1 AND a.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_sealed_parts',
  );
  return row === undefined ? null : { file: row.file, person: personOf(row) };
}

/** The parts of the public record, with the key that the public part is sealed under; null: the borrower was erased. */
export type StoredPublic = {
  file: string;
  publicPart: Uint8Array;
  key: { keyId: string; wrappedKey: Uint8Array; revision: number } | null;
};

export async function readPublicParts(db: Sql, loanId: string): Promise<StoredPublic | null> {
  const [row] = await db.query<{ file: string } & RawPublic & Omit<RawPerson, 'sealed'>>(
    `SELECT ${FILE}, ${PUBLIC_PART}, p.key_id, p.wrapped_key, p.revision
     FROM applications a ${LATEST} LEFT JOIN people p ON p.volume = $1 AND p.loan_id = a.loan_id
     WHERE a.volume = $1 AND a.loan_id = $2`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_public_parts',
  );
  if (row === undefined) return null;
  const { file, key_id: keyId, wrapped_key: wrappedKey, revision } = row;
  const key = keyId === null ? null : { keyId, wrappedKey, revision };
  return { file, publicPart: fromBase64(row.public_part), key };
}

const STANDING = byVolume(
  (from, volume) =>
    `SELECT l.loan_id, l.version, p.revision
     FROM ${from}
     JOIN loans l ON l.volume = ${volume} AND l.loan_id = asked.id
     LEFT JOIN people p ON p.volume = ${volume} AND p.loan_id = asked.id`,
);

/** How loans stand at this moment. */
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
     JOIN applications a USING (volume, loan_id)
     ${LATEST}
     ${HISTORY}
     LEFT JOIN people p ON p.volume = l.volume AND p.loan_id = l.loan_id
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

/** One read of personal data, as the audit log keeps it. */
export type Disclosure = {
  /** Null for a search that found nothing. */
  loanId: string | null;
  organizationId: string;
  clientId: string;
  keyId: string | null;
  what: string;
  /** Sealed under the loan's key; null: none was stated, or there is no key to seal it under. */
  purpose: Uint8Array | null;
  requestId: string;
};

/** The version of a loan, and the revision of what is sealed of it; null: the borrower was erased. */
export type Seen = { version: number; revision: number | null };

/** Searches that found nothing are of no loan; they are kept in this volume. */
const OF_NO_LOAN = 0;

const LOOK = 'loan_id, disclosure_id, organization_id, client_id, key_id, what, purpose, request_id';
const LOOKS = '$3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bytea[], $10::text[]';
/** On a plain server the looks of several volumes are entered, and their loans read, at once. */
const RECORD = `WITH looks AS (
  SELECT * FROM unnest($1::smallint[], ${LOOKS}) AS looks (volume, ${LOOK})
), noted AS (
  INSERT INTO disclosures (volume, at, ${LOOK}) SELECT volume, $2::timestamptz, ${LOOK} FROM looks
)
SELECT l.loan_id, l.version, p.revision
FROM (SELECT DISTINCT volume, loan_id FROM looks) looks
JOIN loans l ON l.volume = looks.volume AND l.loan_id = looks.loan_id
LEFT JOIN people p ON p.volume = looks.volume AND p.loan_id = looks.loan_id`;
const RECORD_IN_ONE = `INSERT INTO disclosures (volume, at, ${LOOK})
SELECT $1::smallint, $2::timestamptz, ${LOOK} FROM unnest(${LOOKS}) AS looks (${LOOK})`;

let entries = 0;

/** Sorts by time, and within a process by the order of the entries. */
export function disclosureId(at: Date): string {
  entries = (entries + 1) % 2 ** 32;
  const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
  return `${hex(at.getTime(), 12)}${hex(entries, 8)}${randomBytes(4).toString('hex')}`;
}

/** Writes the entries and returns the versions of their loans, in one transaction a volume: on disk when this returns. */
export async function recordDisclosures(db: Sql, looks: readonly Disclosure[], at: Date): Promise<Map<string, Seen>> {
  const volume = ({ loanId }: Disclosure) => (loanId === null ? OF_NO_LOAN : volumeOf(db, loanId));
  const columns = (some: readonly Disclosure[]) => [
    at,
    some.map(({ loanId }) => (loanId === null ? '\\x' : bytes(loanId))),
    some.map(() => disclosureId(at)),
    some.map(({ organizationId }) => organizationId),
    some.map(({ clientId }) => clientId),
    some.map(({ keyId }) => keyId),
    some.map(({ what }) => what),
    some.map(({ purpose }) => purpose),
    some.map(({ requestId }) => requestId),
  ];
  if (db.volumes.sharded) {
    for (const [one, some] of Map.groupBy(looks, volume)) {
      await db.query(RECORD_IN_ONE, [one, ...columns(some)], 'record_disclosures_of_volume');
    }
    return readStanding(db, [...new Set(looks.flatMap(({ loanId }) => loanId ?? []))]);
  }
  const values = [looks.map(volume), ...columns(looks)];
  const rows = await db.query<{ loan_id: Uint8Array } & Seen>(RECORD, values, 'record_disclosures');
  return new Map(rows.map(({ loan_id, version, revision }) => [hexOf(loan_id), { version, revision }] as const));
}

export type DisclosureRow = Omit<Disclosure, 'loanId'> & { at: Date };

/** The newest first; at most `limit`. */
export async function readDisclosures(db: Sql, loanId: string, limit: number): Promise<DisclosureRow[]> {
  return db.query<DisclosureRow>(
    `SELECT at, organization_id AS "organizationId", client_id AS "clientId", key_id AS "keyId", what, purpose,
       request_id AS "requestId"
     FROM disclosures WHERE volume = $1 AND loan_id = $2 ORDER BY disclosure_id DESC LIMIT $3`,
    [volumeOf(db, loanId), bytes(loanId), limit],
  );
}

/** Sealed reasons of a loan's events, in order. */
export async function readNotes(db: Sql, loanId: string): Promise<{ hash: string; body: string; note: Uint8Array }[]> {
  const rows = await db.query<{ hash: Uint8Array; body: string; note: Uint8Array }>(
    'SELECT hash, body, note FROM events WHERE volume = $1 AND loan_id = $2 AND note IS NOT NULL ORDER BY sequence',
    [volumeOf(db, loanId), bytes(loanId)],
  );
  return rows.map(({ hash, body, note }) => ({ hash: hexOf(hash), body, note }));
}

export type SummaryRow = {
  loan_id: Uint8Array;
  organization_id: string;
  application_id: string;
  borrower_id: string;
  lender_id: string;
  primary_servicer_id: string;
  secondary_servicer_id: string;
  loan_type: string;
  status: string;
  past_due_from: string | null;
  delinquent_from: string | null;
  loan_amount: bigint;
  principal: bigint;
  published: boolean;
  created_at: Date;
  version: number;
  recorded_on: string;
  closed_by: string | null;
};

const SUMMARY = `l.loan_id, l.organization_id, a.application_id, a.borrower_id, a.lender_id, a.primary_servicer_id,
  a.secondary_servicer_id, a.loan_type, l.status, l.past_due_from, l.delinquent_from, l.loan_amount, l.principal, l.published,
  l.created_at, l.version, l.recorded_on, l.closed_by`;

/** Whose loans: an organization's, or those of one servicer in it; by the organization's own day and zone. */
export type ListScope = {
  organizationId: string;
  servicerId: string | null;
  today: string;
  createdFrom: Date | null;
  createdBefore: Date | null;
};

export type ListQuery = {
  scopes: readonly ListScope[];
  status: string | null;
  /** Days past due; null: and more. */
  bucket: readonly [least: number, most: number | null] | 'current' | null;
  lenderId: string | null;
  servicerId: string | null;
  borrowerId: string | null;
  applicationId: string | null;
  /** Matches ids exactly or by their beginning. */
  q: string | null;
  after: { createdAt: Date; loanId: string } | null;
  newestFirst: boolean;
  limit: number;
};

/**
 * One branch for each index that can give its rows in the wanted order, merged by the outer ORDER BY: no branch reads more than the
 * page needs, however many loans there are.
 */
export async function listLoans(db: Sql, query: ListQuery): Promise<SummaryRow[]> {
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const branches = query.scopes
    .flatMap((scope) => branchesOf(scope, query))
    .map((branch) => selectOf(branch, query, put));
  const direction = query.newestFirst ? 'DESC' : 'ASC';
  return db.query<SummaryRow>(
    `SELECT DISTINCT * FROM (${branches.join('\nUNION ALL\n')}) page
     ORDER BY created_at ${direction}, loan_id ${direction} LIMIT ${put(query.limit)}`,
    values,
  );
}

type Branch = ListScope & {
  column: 'primary_servicer_id' | 'secondary_servicer_id' | null;
  /** For late loans: those that are marked so, in the order of the page; and the few that became late since the last marking. */
  marked: boolean | null;
};

/** A servicer may be a loan's first or its second: each has an index of its own. Late loans are looked for in two indexes as well. */
function branchesOf(scope: ListScope, query: ListQuery): Branch[] {
  const marks = isLateOnly(query) ? [true, false] : [null];
  const wanted = scope.servicerId ?? query.servicerId;
  const columns = wanted === null ? [null] : (['primary_servicer_id', 'secondary_servicer_id'] as const);
  return columns.flatMap((column) => marks.map((marked) => ({ ...scope, column, marked })));
}

/** Whether only loans that are past due are asked for. */
function isLateOnly({ status, bucket }: ListQuery): boolean {
  return status === 'Delinquent' || (bucket !== null && bucket !== 'current');
}

function selectOf(branch: Branch, query: ListQuery, put: (value: unknown) => string): string {
  const { status, bucket, lenderId, servicerId, borrowerId, applicationId, q, after } = query;
  const { today, createdFrom, createdBefore } = branch;
  // A loan's day is its owner's, but never before the day of its last event.
  const day = () => `greatest(${put(today)}::date, l.recorded_on)`;
  const byApplication = branch.column !== null || lenderId !== null || borrowerId !== null || applicationId !== null;
  // The page is ordered by the table whose index carries the filter.
  const key = byApplication && branch.marked === null ? 'a' : 'l';
  const organization = put(branch.organizationId);
  const where = [`l.organization_id = ${organization}`, `a.organization_id = ${organization}`];
  if (branch.column !== null) where.push(`a.${branch.column} = ${put(branch.servicerId ?? servicerId)}`);
  if (branch.servicerId !== null && servicerId !== null) {
    const asked = put(servicerId);
    where.push(`(a.primary_servicer_id = ${asked} OR a.secondary_servicer_id = ${asked})`);
  }
  if (branch.marked === true) where.push('l.late');
  if (lenderId !== null) where.push(`a.lender_id = ${put(lenderId)}`);
  if (borrowerId !== null) where.push(`a.borrower_id = ${put(borrowerId)}`);
  if (applicationId !== null) where.push(`a.application_id = ${put(applicationId)}`);
  if (status !== null) where.push(statusIs(status, day, put));
  if (bucket === 'current') {
    where.push(`l.status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff')`);
    where.push(`(l.past_due_from IS NULL OR l.past_due_from >= ${day()})`);
  } else if (bucket !== null) {
    const [least, most] = bucket;
    where.push(`l.past_due_from <= ${day()} - ${put(least)}::int`);
    if (most !== null) where.push(`l.past_due_from >= ${day()} - ${put(most)}::int`);
  }
  if (createdFrom !== null) where.push(`${key}.created_at >= ${put(createdFrom)}`);
  if (createdBefore !== null) where.push(`${key}.created_at < ${put(createdBefore)}`);
  if (q !== null) where.push(`l.loan_id IN (${idsLike(q, organization, put)})`);
  const direction = query.newestFirst ? 'DESC' : 'ASC';
  if (after !== null) {
    const than = query.newestFirst ? '<' : '>';
    where.push(`(${key}.created_at, ${key}.loan_id) ${than} (${put(after.createdAt)}, ${put(bytes(after.loanId))})`);
  }
  // Those that became late since the last marking are few and found by their due date; without OFFSET 0 the planner, which takes them
  // for many, would go through all loans in the order of the page. Today is enough here: a loan whose last event is of a later day was
  // marked with that event if it was late on that day.
  const from =
    branch.marked === false
      ? `(SELECT * FROM loans WHERE organization_id = ${organization} AND NOT late AND past_due_from IS NOT NULL
          AND past_due_from < ${put(today)} OFFSET 0) l`
      : 'loans l';
  return `(SELECT ${SUMMARY} FROM ${from} JOIN applications a USING (volume, loan_id) WHERE ${where.join(' AND ')}
    ORDER BY ${key}.created_at ${direction}, ${key}.loan_id ${direction} LIMIT ${put(query.limit)})`;
}

/** Delinquent is derived from the date, for loans stored as Funded or Current. */
function statusIs(status: string, day: () => string, put: (value: unknown) => string): string {
  if (status === 'Delinquent') return `l.status IN ('Funded', 'Current') AND l.delinquent_from <= ${day()}`;
  const plain = `l.status = ${put(status)}`;
  if (status !== 'Funded' && status !== 'Current') return plain;
  return `${plain} AND (l.delinquent_from IS NULL OR l.delinquent_from > ${day()})`;
}

function idsLike(q: string, organization: string, put: (value: unknown) => string): string {
  const like = put(`${q.replace(/[\\%_]/g, '\\$&')}%`);
  const inFile = ['application_id', 'borrower_id'].map(
    (column) => `SELECT loan_id FROM applications WHERE organization_id = ${organization} AND ${column} LIKE ${like}`,
  );
  const byId = /^0x[0-9a-f]{64}$/i.test(q) ? [`SELECT ${put(bytes(q.toLowerCase()))}::bytea`] : [];
  return [...inFile, ...byId].join(' UNION ');
}

/** Loans that carry all of these digests, within each organization. */
export async function findByDigests(
  db: Sql,
  asked: readonly { organizationId: string; kind: string; digest: Uint8Array }[],
  kinds: number,
  limit: number,
): Promise<SummaryRow[]> {
  return db.query<SummaryRow>(
    `SELECT ${SUMMARY}
     FROM (
       SELECT b.volume, b.loan_id FROM blind_index b
       JOIN unnest($1::text[], $2::text[], $3::bytea[]) AS asked (organization_id, kind, digest)
         USING (organization_id, kind, digest)
       GROUP BY b.volume, b.loan_id HAVING count(DISTINCT b.kind) = $4
     ) found JOIN loans l USING (volume, loan_id) JOIN applications a USING (volume, loan_id)
     ORDER BY l.created_at DESC, l.loan_id DESC LIMIT $5`,
    [
      asked.map(({ organizationId }) => organizationId),
      asked.map(({ kind }) => kind),
      asked.map(({ digest }) => digest),
      kinds,
      limit,
    ],
  );
}
