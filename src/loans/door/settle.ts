/**
 * The end of a decision: a command that was decided (`transact`) gets the text of its answer from the operation that asked for it, waits for
 * an approval, or becomes a save. The texts are pure, so a command that is decided again is answered alike.
 */
import { columnsOf, seldomText } from '../../portfolio/loan-columns.ts';
import type { ApprovalSave } from '../../store/approvals/approvals.ts';
import type { StoredAnswer } from '../../store/door/idempotency.ts';
import type { Save } from '../../store/door/save-loans.ts';
import type { Actor } from './actor.ts';
import { awaited, needsApproval } from './approval-outcome.ts';
import type { Known } from './loan-cache.ts';
import type { LoanCall, NewLoanJob } from './pending.ts';
import { withNextPolicy } from './saved-transfers.ts';
import { type Held, type RecordedLoan, type RecordedWrite, transact, transactNew } from './transact.ts';
import type { Approving, Outcome, Write } from './write.ts';

/** An answer that needs no save, a save with its answer, or a request for the loan's whole history. */
export type Settled =
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  | { readonly kind: 'save'; readonly save: Save; readonly next: Known; readonly outcome: Outcome }
  | { readonly kind: 'needs_events' };

const answer = (outcome: Outcome): Settled => ({ kind: 'answer', outcome });

/** The answer that is stored under a call's key. */
export function replay(before: StoredAnswer, requestHash: string | undefined): Outcome {
  const { loanId, version, answer: text } = before;
  return before.requestHash === requestHash ? { kind: 'replayed', text, loanId, version } : { kind: 'key_reused' };
}

export function settleNew(call: LoanCall, job: NewLoanJob, held: Parameters<typeof transactNew>[2]): Settled {
  const made = transactNew(call.loanId, job, held);
  if (made.kind === 'unchanged') throw new Error('A new loan is not there yet.');
  if (made.kind !== 'recorded') return made;
  const outcome = { kind: 'done', text: job.answer(made.change), change: made.change } as const;
  if (call.options.dryRun) return answer(outcome);
  const act = actOf(call.actor, 'create-loan', undefined);
  const save = { ...saveOf(call, made, outcome.text), expected: null, before: null, created: job.row, act };
  return saving(save, made, outcome);
}

export function settle(call: LoanCall, write: Write, held: Held): Settled {
  const made = transact(call, write, held);
  if (made.kind === 'unchanged') return answer({ kind: 'done', text: write.answer(made.change), change: made.change });
  if (made.kind !== 'recorded') return made;
  const { actor, options } = call;
  const { change } = made;
  const approval = needsApproval(actor, made);
  // Without a way to wait for an approval, a dry run is refused as the write would be.
  if (options.dryRun && !(approval && write.approvable === undefined)) {
    const told = { ...change, approval };
    return answer({ kind: 'done', text: write.answer(told), change: told });
  }
  const { known } = held;
  const waits = awaited(approval, { ...made, actor, write, options, known });
  if (waits !== null) return answer(waits);
  const outcome = { kind: 'done', text: write.answer(change), change } as const;
  return saving(saveOfWrite(call, write, { known, made, text: outcome.text }), made, outcome);
}

/** The loan is remembered with the columns that its row has then. */
function saving(save: Save, { next }: RecordedLoan, outcome: Outcome): Settled {
  return { kind: 'save', save, next: { ...next, seldom: save.seldom }, outcome };
}

function saveOfWrite(
  call: LoanCall,
  write: Write,
  { known, made, text }: { known: Known; made: RecordedWrite; text: string },
): Save {
  const { approval } = call.options;
  const { command, when, next, transfer, ofFormer, idIsFree } = made;
  const save = saveOf(call, made, text);
  return {
    ...save,
    // A transfer is saved as a change of its owner until now.
    organizationId: known.organizationId,
    expected: known.lastHash,
    before: known.seldom,
    columns: withNextPolicy(save.columns, made.decision.events),
    act: actOf(call.actor, command.do, approval),
    assessed: write.assessed?.parts ?? null,
    partyChange: write.partyChange ?? null,
    customIndex: write.customData?.digests ?? null,
    ...(transfer === null ? {} : { transfer }),
    ...(ofFormer.length === 0 ? {} : { ofFormer }),
    ...(idIsFree === null ? {} : { idIsFree }),
    ...(approval === undefined
      ? {}
      : { approval: approvedBy(approval, { at: when.at, text, transactionHash: next.lastHash }) }),
  };
}

/** The parts that every save has. */
function saveOf({ loanId, actor, options, idempotency }: LoanCall, { next, loan, saved }: RecordedLoan, text: string) {
  const { approval } = options;
  const columns = columnsOf(loan);
  return {
    loanId,
    organizationId: next.organizationId,
    createdAt: new Date(next.createdAt),
    version: next.version,
    recordedAt: new Date(next.recordedAt),
    columns,
    seldom: seldomText(columns),
    created: null,
    clientId: approval?.requestedBy.clientId ?? actor.clientId,
    userId: approval === undefined ? (actor.userId ?? null) : approval.requestedBy.userId,
    events: saved,
    idempotency: idempotency === null ? null : { ...idempotency, answer: text },
    assessed: null,
    partyChange: null,
    customIndex: null,
  };
}

/** The call as the audit trail keeps it: for an approved one, that its requester did it. The approver's own entry is beside it. */
function actOf(
  { organizationId, keyId, requestId }: Actor,
  operation: string,
  approval: Approving | undefined,
): Save['act'] {
  if (approval === undefined) return { operation, organizationId, keyId, requestId };
  const { approvalId, requestedBy } = approval;
  return { operation, organizationId: requestedBy.organizationId, keyId: null, requestId, approvalId };
}

/** The decision, as it is saved with what it approves. */
function approvedBy(
  { approvalId, decidedBy, note, entry }: Approving,
  { at, text, transactionHash }: { at: string; text: string; transactionHash: string },
): ApprovalSave {
  return { approvalId, ...decidedBy, at: new Date(at), note, entry, transactionHash, answer: text };
}
