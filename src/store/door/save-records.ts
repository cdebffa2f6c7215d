/** The records of loans: the files of new ones with the personal data sealed, and what an underwriting run replaces. */
import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { columnsOf } from './loans.ts';
import type { AssessedParts, NewLoanRow, Save } from './save-loans.ts';

/** $1 is the volume, $3 the ids of the loans; $2 the times they were created, or the time they are stored. Each a statement of its own: one with all would not be passed on whole by a sharded server. */
const SAVE_FILES = `
INSERT INTO applications (volume, loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id,
  secondary_servicer_id, loan_type, created_at, start_block, file, applied, public_part)
SELECT $1::smallint, n.loan_id, n.organization_id, n.application_id, n.borrower_id, n.lender_id, n.primary_servicer_id,
  n.secondary_servicer_id, n.loan_type, n.created_at, $4::bigint, n.file, n.applied, substring($16::bytea FROM n.public_from FOR n.public_length)
FROM unnest($3::bytea[], $2::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
  $13::boolean[], $14::int[], $15::int[])
  AS n (loan_id, created_at, organization_id, application_id, borrower_id, lender_id, primary_servicer_id, secondary_servicer_id, loan_type,
    file, applied, public_from, public_length)`;

const SAVE_PEOPLE = `
INSERT INTO people (volume, loan_id, key_id, wrapped_key, sealed, stored_at)
SELECT $1::smallint, p.loan_id, p.key_id, p.wrapped_key, substring($8::bytea FROM p.sealed_from FOR p.sealed_length), $2::timestamptz
FROM unnest($3::bytea[], $4::text[], $5::bytea[], $6::int[], $7::int[])
  AS p (loan_id, key_id, wrapped_key, sealed_from, sealed_length)`;

const SAVE_INDEX = `
INSERT INTO blind_index (volume, organization_id, kind, digest, loan_id)
SELECT $1::smallint, b.organization_id, b.kind, b.digest, b.loan_id
FROM unnest($2::text[], $3::text[], $4::bytea[], $5::bytea[]) AS b (organization_id, kind, digest, loan_id)
ON CONFLICT DO NOTHING`;

/** New loans go to the database in statements of about this many bytes: building one blocks the event loop. */
const AT_ONCE_BYTES = 2 * 1024 * 1024;

/** The new loans of a batch, each with the block that it is in. Within a transaction. */
export async function saveNewLoans(
  tx: Sql,
  fresh: readonly Save[],
  { at, blocks }: { at: Date; blocks: ReadonlyMap<string, number> },
): Promise<void> {
  for (const [volume, all] of Map.groupBy(fresh, ({ loanId }) => volumeOf(tx, loanId))) {
    for (const some of together(all)) {
      await saveTogether(tx, { volume, at, block: blocks.get(some[0]?.loanId ?? '') }, some);
    }
  }
}

/** The row with personal data is replaced, and so is the public part; the parts the loan was created with stay where they are. */
export async function saveAssessment(
  tx: Sql,
  { loanId, events }: Pick<Save, 'loanId' | 'events'>,
  { file, publicPart, sealed, modelVersion, policyVersion, characteristics }: AssessedParts,
  at: Date,
): Promise<void> {
  const loan = [volumeOf(tx, loanId), bytes(loanId)];
  await tx.query(
    'UPDATE people SET sealed = $3, stored_at = $4, revision = revision + 1 WHERE volume = $1 AND loan_id = $2',
    [...loan, sealed, at],
  );
  await tx.query(
    `INSERT INTO assessments (volume, loan_id, sequence, file, public_part, model_version, policy_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [...loan, events[0]?.sequence, file, publicPart, modelVersion, policyVersion],
  );
  const { grade, predictedYield, predictedLoss } = characteristics;
  await tx.query(
    'UPDATE loans SET grade = $3, predicted_yield = $4, predicted_loss = $5 WHERE volume = $1 AND loan_id = $2',
    [...loan, grade, predictedYield, predictedLoss],
  );
}

/** Another loan may have the same application id, or none may any more. */
export async function saveIdIsFree(tx: Sql, loanId: string, isFree: boolean): Promise<void> {
  await tx.query('UPDATE applications SET id_is_free = $3 WHERE volume = $1 AND loan_id = $2', [
    volumeOf(tx, loanId),
    bytes(loanId),
    isFree,
  ]);
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

async function saveTogether(
  tx: Sql,
  { volume, at, block }: { volume: number; at: Date; block: number | undefined },
  saves: readonly Save[],
): Promise<void> {
  const files = saves.map(({ created }) => created as NewLoanRow);
  const ids = saves.map(({ loanId }) => bytes(loanId));
  const created = saves.map(({ createdAt }) => createdAt);
  const shown = joined(files.map(({ publicPart }) => publicPart));
  const columns = columnsOf(
    files,
    'organizationId',
    'applicationId',
    'borrowerId',
    'lenderId',
    'primaryServicerId',
    'secondaryServicerId',
    'loanType',
    'file',
    'applied',
  );
  await tx.query(
    SAVE_FILES,
    [volume, created, ids, block, ...columns, shown.from, shown.lengths, shown.bytes],
    'save_files',
  );
  const sealed = joined(files.map((file) => file.sealed));
  const keys = columnsOf(files, 'keyId', 'wrappedKey');
  await tx.query(SAVE_PEOPLE, [volume, at, ids, ...keys, sealed.from, sealed.lengths, sealed.bytes], 'save_people');
  const index = saves.flatMap(({ loanId, created }) =>
    (created?.blindIndex ?? []).map((one) => ({ ...one, organizationId: created?.organizationId, id: bytes(loanId) })),
  );
  await tx.query(SAVE_INDEX, [volume, ...columnsOf(index, 'organizationId', 'kind', 'digest', 'id')], 'save_index');
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
