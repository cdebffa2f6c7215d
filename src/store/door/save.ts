/**
 * Saves a batch of the write path: with one statement where no loan is new, newly assessed, transferred or cancelled, and no party or custom
 * data changes.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { holdApprovals, saveApproval } from '../approvals/approvals.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Sql } from '../db/db.ts';
import { saveCustomIndex } from '../people/custom-data.ts';
import { savePartyChange } from '../people/parties.ts';
import { saveInVolume } from './save-in-volume.ts';
import { type Moment, type Save, saveLoans } from './save-loans.ts';
import { saveAssessment, saveIdIsFree, saveNewLoans } from './save-records.ts';
import { saveLines, saveTransfer } from './save-transfers.ts';
import { movedClocks } from './test-clocks.ts';

/** `at` is real time. `standing` has the days of the test clocks by which a batch was decided. */
export type Decided = Moment & { readonly standing: ReadonlyMap<string, PlainDate> };

/** Whether `save` takes a single statement, which is a transaction of its own. */
export function isOneStatement({ volumes }: Sql, saves: readonly Save[], { standing }: Decided): boolean {
  return !volumes.sharded && standing.size === 0 && !saves.some(hasMore);
}

/** It changes more than the loan, its events, its lines and the audit trail. */
function hasMore({ created, assessed, partyChange, customIndex, ...more }: Save): boolean {
  if (created !== null || assessed !== null || partyChange !== null || customIndex !== null) return true;
  const { transfer, ofFormer, idIsFree, approval } = more;
  return transfer !== undefined || ofFormer !== undefined || idIsFree !== undefined || approval !== undefined;
}

/**
 * Within a transaction, unless it is one statement: which loans were saved, each with its block. Left out are loans of an organization whose
 * test clock has moved since, those whose approval is no longer pending, and those that have changed.
 */
export async function save(tx: Sql, saves: readonly Save[], moment: Decided): Promise<ReadonlyMap<string, number>> {
  const { at, standing } = moment;
  const moved = standing.size === 0 ? NONE : await movedClocks(tx, standing);
  const dated = moved.size === 0 ? saves : saves.filter(({ organizationId }) => !moved.has(organizationId));
  const open = await withoutDecided(tx, dated);
  if (open.length === 0) return new Map();
  const blocks = await (tx.volumes.sharded ? saveInVolume(tx, open, moment) : saveLoans(tx, open, moment));
  const saved = open.filter((one) => hasMore(one) && blocks.has(one.loanId));
  if (saved.length === 0) return blocks;
  await saveNewLoans(
    tx,
    saved.filter(({ created }) => created !== null),
    { at, blocks },
  );
  for (const { assessed, partyChange, customIndex, transfer, ofFormer = [], idIsFree, approval, ...one } of saved) {
    const block = blocks.get(one.loanId) as number;
    if (assessed !== null) await saveAssessment(tx, one, assessed, at);
    if (partyChange !== null) await savePartyChange(tx, one, partyChange);
    if (customIndex !== null) await saveCustomIndex(tx, one, customIndex);
    if (transfer !== undefined) await saveTransfer(tx, { ...one, transfer }, { at, block });
    for (const lines of ofFormer) await saveLines(tx, one.loanId, lines, block);
    if (idIsFree !== undefined) await saveIdIsFree(tx, one.loanId, idIsFree);
    if (approval === undefined) continue;
    await saveApproval(tx, approval);
    await recordAudit(tx, [approval.entry]);
  }
  return blocks;
}

const NONE: ReadonlySet<string> = new Set();

/** Without those whose approval was decided in the meantime. The others' approvals stay pending until the commit. */
async function withoutDecided(tx: Sql, saves: readonly Save[]): Promise<readonly Save[]> {
  const approvals = saves.flatMap(({ approval }) => approval?.approvalId ?? []);
  if (approvals.length === 0) return saves;
  const held = await holdApprovals(tx, approvals);
  return saves.filter(({ approval }) => approval === undefined || held.has(approval.approvalId));
}
