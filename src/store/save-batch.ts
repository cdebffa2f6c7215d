/** Saves a batch of the write path in one transaction: with one statement where no loan is new or newly assessed. */
import type { Sql } from './db.ts';
import { bytes, columnsOf } from './loans.ts';
import { saveInVolume } from './save-in-volume.ts';
import { type AssessedParts, type NewLoanRow, push, type Save, saveLoans } from './save-loans.ts';
import { volumeOf } from './volumes.ts';

const SAVE_NEW = `
WITH files AS (
  INSERT INTO applications (volume, loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id,
    secondary_servicer_id, loan_type, created_at, start_block, file, public_part)
  SELECT $1, n.loan_id, n.organization_id, n.application_id, n.borrower_id, n.lender_id, n.primary_servicer_id,
    n.secondary_servicer_id, n.loan_type, $2::timestamptz, $3::bigint, n.file, substring($21::bytea FROM n.public_from FOR n.public_length)
  FROM unnest($4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
    $13::int[], $14::int[])
    AS n (loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id, secondary_servicer_id, loan_type,
      file, public_from, public_length)
), persons AS (
  INSERT INTO people (volume, loan_id, key_id, wrapped_key, sealed, stored_at)
  SELECT $1, p.loan_id, p.key_id, p.wrapped_key, substring($22::bytea FROM p.sealed_from FOR p.sealed_length), $2::timestamptz
  FROM unnest($4::bytea[], $15::text[], $16::bytea[], $17::int[], $18::int[])
    AS p (loan_id, key_id, wrapped_key, sealed_from, sealed_length)
)
INSERT INTO blind_index (volume, organization_id, kind, digest, loan_id)
SELECT $1::smallint, b.organization_id, b.kind, b.digest, b.loan_id
FROM unnest($19::text[], $20::text[], $23::bytea[], $24::bytea[]) AS b (organization_id, kind, digest, loan_id)
ON CONFLICT DO NOTHING`;

/** New loans go to the database in statements of about this many bytes: putting one together holds the event loop. */
const AT_ONCE_BYTES = 2 * 1024 * 1024;

/** Saves a batch in one transaction: which loans were saved, each with its block. */
export async function saveBatch(
  db: Sql & { transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> },
  saves: readonly Save[],
  at: Date,
): Promise<ReadonlyMap<string, number>> {
  const fresh = saves.filter(({ created }) => created !== null);
  const runs = saves.filter(({ assessed }) => assessed !== null);
  if (fresh.length === 0 && runs.length === 0)
    return db.volumes.sharded ? db.transaction((tx) => saveInVolume(tx, saves, at)) : saveLoans(db, saves, at);
  return db.transaction(async (tx) => {
    const saved = await (tx.volumes.sharded ? saveInVolume(tx, saves, at) : saveLoans(tx, saves, at));
    for (const [volume, all] of Map.groupBy(fresh, ({ loanId }) => volumeOf(tx, loanId))) {
      for (const some of together(all)) {
        const block = saved.get(some[0]?.loanId ?? '');
        await tx.query(SAVE_NEW, [volume, at, block, ...newLoanValues(some)], 'save_new_loans');
      }
    }
    for (const one of runs) if (saved.has(one.loanId)) await saveAssessment(tx, one, at);
    return saved;
  });
}

/** The row with personal data is replaced, and so is the public part; the parts the loan was created with stay where they are. */
async function saveAssessment(tx: Sql, { loanId, assessed, events }: Save, at: Date): Promise<void> {
  const { file, publicPart, sealed, modelVersion, policyVersion } = assessed as AssessedParts;
  await tx.query(
    `WITH person AS (
       UPDATE people SET sealed = $3, stored_at = $4, revision = revision + 1 WHERE volume = $1 AND loan_id = $2
     )
     INSERT INTO assessments (volume, loan_id, sequence, file, public_part, model_version, policy_version)
     VALUES ($1, $2, $5, $6, $7, $8, $9)`,
    [
      volumeOf(tx, loanId),
      bytes(loanId),
      sealed,
      at,
      events[0]?.sequence,
      file,
      publicPart,
      modelVersion,
      policyVersion,
    ],
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

function newLoanValues(saves: readonly Save[]): unknown[] {
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
