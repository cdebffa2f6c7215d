/** Saves a batch of the write path in one transaction: with one statement where no loan is new, newly assessed or transferred, and no party changes. */
import type { PlainDate } from '../../core/calendar.ts';
import { holdApprovals, saveApproval } from '../approvals/approvals.ts';
import { recordAudit } from '../audit/audit.ts';
import { bytes } from '../db/bytes.ts';
import type { Session, Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { savePartyChange } from '../people/parties.ts';
import { columnsOf } from './loans.ts';
import { saveInVolume } from './save-in-volume.ts';
import { type AssessedParts, type Moment, type NewLoanRow, type Save, saveLoans } from './save-loans.ts';
import { saveTransfer } from './save-transfers.ts';
import { movedClocks } from './test-clocks.ts';

/** $1 is the volume, $3 the ids of the loans; $2 the times they were created, or the time they are stored. Each a statement of its own: one with all would not be passed on whole by a sharded server. */
const SAVE_FILES = `
INSERT INTO applications (volume, loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id,
  secondary_servicer_id, loan_type, created_at, start_block, file, public_part)
SELECT $1::smallint, n.loan_id, n.organization_id, n.application_id, n.borrower_id, n.lender_id, n.primary_servicer_id,
  n.secondary_servicer_id, n.loan_type, n.created_at, $4::bigint, n.file, substring($15::bytea FROM n.public_from FOR n.public_length)
FROM unnest($3::bytea[], $2::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
  $13::int[], $14::int[])
  AS n (loan_id, created_at, organization_id, application_id, borrower_id, lender_id, primary_servicer_id, secondary_servicer_id, loan_type,
    file, public_from, public_length)`;

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

/**
 * Saves a batch in one transaction: which loans were saved, each with its block. `at` is real time. `standing` has the days of the test
 * clocks by which the batch was decided: loans of an organization whose clock has moved since are left out.
 */
export async function saveBatch(
  db: Session,
  saves: readonly Save[],
  moment: Moment & { readonly standing: ReadonlyMap<string, PlainDate> },
): Promise<ReadonlyMap<string, number>> {
  const { standing } = moment;
  if (standing.size === 0) return saveAll(db, saves, moment);
  return db.transaction(async (tx) => {
    const moved = await movedClocks(tx, standing);
    const dated = saves.filter(({ organizationId }) => !moved.has(organizationId));
    if (dated.length === 0) return new Map();
    return saveAll({ ...tx, transaction: (work) => work(tx) }, dated, moment);
  });
}

/** With approvals: what they approve is saved where they are still pending, and they are decided where it was saved. */
async function saveAll(db: Session, saves: readonly Save[], moment: Moment): Promise<ReadonlyMap<string, number>> {
  const approvals = saves.flatMap(({ approval }) => approval ?? []);
  if (approvals.length === 0) return saveThese(db, saves, moment);
  return db.transaction(async (tx) => {
    const held = await holdApprovals(
      tx,
      approvals.map(({ approvalId }) => approvalId),
    );
    const open = saves.filter(({ approval }) => approval === undefined || held.has(approval.approvalId));
    if (open.length === 0) return new Map();
    const saved = await saveThese({ ...tx, transaction: (work) => work(tx) }, open, moment);
    for (const { loanId, approval } of open) {
      if (approval === undefined || !saved.has(loanId)) continue;
      await saveApproval(tx, approval);
      await recordAudit(tx, [approval.entry]);
    }
    return saved;
  });
}

async function saveThese(db: Session, saves: readonly Save[], moment: Moment): Promise<ReadonlyMap<string, number>> {
  const { at } = moment;
  const fresh = saves.filter(({ created }) => created !== null);
  const runs = saves.filter(({ assessed }) => assessed !== null);
  const updates = saves.filter(({ partyChange }) => partyChange !== null);
  const transfers = saves.flatMap(({ transfer, ...one }) => (transfer === undefined ? [] : [{ ...one, transfer }]));
  if (fresh.length === 0 && runs.length === 0 && updates.length === 0 && transfers.length === 0)
    return db.volumes.sharded ? db.transaction((tx) => saveInVolume(tx, saves, moment)) : saveLoans(db, saves, moment);
  return db.transaction(async (tx) => {
    const saved = await (tx.volumes.sharded ? saveInVolume(tx, saves, moment) : saveLoans(tx, saves, moment));
    const created = fresh.filter(({ loanId }) => saved.has(loanId));
    for (const [volume, all] of Map.groupBy(created, ({ loanId }) => volumeOf(tx, loanId))) {
      for (const some of together(all)) {
        await saveNewLoans(tx, { volume, at, block: saved.get(some[0]?.loanId ?? '') }, some);
      }
    }
    for (const one of runs) if (saved.has(one.loanId)) await saveAssessment(tx, one, at);
    for (const one of updates) {
      if (saved.has(one.loanId) && one.partyChange !== null) await savePartyChange(tx, one, one.partyChange);
    }
    for (const one of transfers) {
      const block = saved.get(one.loanId);
      if (block !== undefined) await saveTransfer(tx, one, { at, block });
    }
    return saved;
  });
}

/** The row with personal data is replaced, and so is the public part; the parts the loan was created with stay where they are. */
async function saveAssessment(tx: Sql, { loanId, assessed, events }: Save, at: Date): Promise<void> {
  const { file, publicPart, sealed, modelVersion, policyVersion, characteristics } = assessed as AssessedParts;
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

async function saveNewLoans(
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
