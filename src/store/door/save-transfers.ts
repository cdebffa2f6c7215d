/** The rows that a transfer changes beside the events of its loan, in the transaction that saves them. */
import type { PlainDate } from '../../core/calendar.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';

export type TransferState = 'scheduled' | 'offered' | 'accepted' | 'cancelled' | 'done';

/** A row of `transfers`, as its event makes it. */
export type TransferPlan = {
  readonly what: 'servicer' | 'owner';
  readonly servicerId: string | null;
  readonly organizationId: string | null;
  readonly lenderId: string | null;
  readonly date: PlainDate;
};

/** The loan has a new owner: its lines that are posted in the new owner's books, numbered after those of the event before them. */
export type NewOwner = {
  readonly organizationId: string;
  readonly lenderId: string;
  readonly from: { readonly organizationId: string; readonly lenderId: string };
  readonly on: PlainDate;
  readonly sequence: number;
  readonly lines: readonly DatedLine[];
  /** The number of lines of the same event in the former owner's books. */
  readonly linesBefore: number;
};

/** Lines of an event in the books of a former owner of its loan, numbered after those in the present owner's. */
export type FormerLines = {
  readonly owner: { readonly organizationId: string; readonly lenderId: string };
  readonly sequence: number;
  readonly lines: readonly DatedLine[];
  readonly linesBefore: number;
};

export type TransferSave = {
  readonly transferId: string;
  readonly state: TransferState;
  /** Null: the row is there. */
  readonly plan: TransferPlan | null;
  /** The servicers of the loan from now on; null: unchanged. */
  readonly servicers: { readonly primary: string; readonly secondary: string | null } | null;
  readonly owner: NewOwner | null;
};

export async function saveTransfer(
  tx: Sql,
  { loanId, organizationId, transfer }: { loanId: string; organizationId: string; transfer: TransferSave },
  { at, block }: { at: Date; block: number },
): Promise<void> {
  const { transferId, state, plan, servicers, owner } = transfer;
  const loan = [volumeOf(tx, loanId), bytes(loanId)];
  if (plan === null) {
    await tx.query(
      'UPDATE transfers SET state = $4, changed_at = $5 WHERE volume = $1 AND loan_id = $2 AND transfer_id = $3',
      [...loan, transferId, state, at],
    );
  } else {
    await endOthers(tx, loan, { transferId, what: plan.what, at });
    await tx.query(
      `INSERT INTO transfers (volume, loan_id, transfer_id, organization_id, what, to_servicer_id, to_organization_id, to_lender_id, date,
         state, scheduled_at, changed_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
      [
        ...loan,
        transferId,
        organizationId,
        plan.what,
        plan.servicerId,
        plan.organizationId,
        plan.lenderId,
        plan.date,
        state,
        at,
      ],
    );
  }
  if (servicers !== null) {
    await tx.query(
      `UPDATE loans SET primary_servicer_id = nullif($3, ''), secondary_servicer_id = CASE WHEN $4::text IS NULL
         THEN secondary_servicer_id ELSE nullif($4, '') END
       WHERE volume = $1 AND loan_id = $2`,
      [...loan, servicers.primary, servicers.secondary],
    );
  }
  if (owner === null) return;
  await endOthers(tx, loan, { transferId, what: 'servicer', at });
  await saveOwner(tx, loan, owner);
  await saveLines(tx, loanId, { ...owner, owner }, block);
}

/** An offer that has lapsed is replaced by the next; what a former owner scheduled with its servicers ends with its ownership. */
async function endOthers(
  tx: Sql,
  loan: readonly unknown[],
  { transferId, what, at }: { transferId: string; what: string; at: Date },
): Promise<void> {
  await tx.query(
    `UPDATE transfers SET state = 'cancelled', changed_at = $5
     WHERE volume = $1 AND loan_id = $2 AND transfer_id <> $3 AND what = $4 AND state IN ('scheduled', 'offered', 'accepted')`,
    [...loan, transferId, what, at],
  );
}

async function saveOwner(tx: Sql, loan: readonly unknown[], owner: NewOwner): Promise<void> {
  const { organizationId, lenderId, from, on, sequence } = owner;
  await tx.query(
    `INSERT INTO former_owners (volume, loan_id, sequence, organization_id, lender_id, owned_from, owned_until, next_organization_id,
       first_organization_id)
     SELECT $1::smallint, l.loan_id, $3::int, $4, $5, l.first_recorded_on, $6::date, $7, a.organization_id
     FROM loans l JOIN applications a ON a.volume = $1 AND a.loan_id = l.loan_id
     WHERE l.volume = $1 AND l.loan_id = $2`,
    [...loan, sequence, from.organizationId, from.lenderId, on, organizationId],
  );
  await tx.query(
    `UPDATE loans SET organization_id = $3, lender_id = $4, first_recorded_on = $5 WHERE volume = $1 AND loan_id = $2`,
    [...loan, organizationId, lenderId, on],
  );
}

/** Lines in the books of another than the owner of the loan. */
export async function saveLines(
  tx: Sql,
  loanId: string,
  { owner, sequence, lines, linesBefore }: FormerLines,
  block: number,
): Promise<void> {
  if (lines.length === 0) return;
  await tx.query(
    `INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective,
       date_posted)
     SELECT $1::smallint, $2::bytea, $3::int, j.line, $4::text, $5::text, $6::bigint, j.entry, j.account, j.amount, j.date_effective,
       j.date_posted
     FROM unnest($7::int[], $8::text[], $9::text[], $10::bigint[], $11::date[], $12::date[])
       AS j (line, entry, account, amount, date_effective, date_posted)`,
    [
      volumeOf(tx, loanId),
      bytes(loanId),
      sequence,
      owner.organizationId,
      owner.lenderId,
      block,
      lines.map((_, i) => linesBefore + i + 1),
      ...(['entry', 'account', 'amount', 'dateEffective', 'datePosted'] as const).map((name) =>
        lines.map((line) => line[name]),
      ),
    ],
  );
}
