/** Requests and decisions on the module `loans`, without HTTP. */
import type { Command } from '../../src/core/decide/decide.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import type { Change, Outcome, Write } from '../../src/loans/door/write.ts';
import type { OpenLoans } from '../../src/loans/open.ts';
import { remainingBalance } from '../../src/loans/reads/figures.ts';
import { ACTOR, PLAIN, type TestLoans } from './loans.ts';

export const person = (userId: string): Actor => ({ ...ACTOR, userId });

/** The previews of the tests. */
const preview = ({ status, loan, events, journal }: Change) =>
  JSON.stringify({
    status,
    remainingBalance: remainingBalance(loan),
    events: events.map(({ recordedOn: _, recordedAt: __, approvalId: ___, ...fact }) => fact),
    journal,
  });

export function asked(loanId: string, command: Command): Write {
  const reason = 'reason' in command ? (command.reason ?? null) : null;
  return {
    loanId,
    command,
    reason,
    answer: ({ transactionHash, status }) => JSON.stringify({ data: { transactionHash, status } }),
    approvable: { source: JSON.stringify(command), fresh: 'fresh', says: () => JSON.stringify(command), preview },
  };
}

/** A loan in repayment whose own policy requires approvals. */
export async function loanWith(room: TestLoans, approvals: (typeof DEFAULT_POLICY)['approvals']): Promise<string> {
  const loanId = await room.create({}, { policy: { ...DEFAULT_POLICY, approvals } });
  await room.done(loanId, { do: 'start-underwriting' });
  await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
  return loanId;
}

export async function requestOf(loans: OpenLoans, actor: Actor, loanId: string, command: Command): Promise<string> {
  const outcome = await loans.write(actor, asked(loanId, command), PLAIN);
  if (outcome.kind !== 'requested') throw new Error(`Not requested: ${JSON.stringify(outcome)}`);
  return outcome.request.approvalId;
}

/** As `POST /approve` does it: what was found, or the outcome of the write. */
export async function approve(
  loans: OpenLoans,
  actor: Actor,
  approvalId: string,
  previewHash: string | null = null,
): Promise<Outcome | { kind: string }> {
  const found = await loans.approvals.open(actor, approvalId, { reason: 'Agreed', previewHash });
  if (found === null) return { kind: 'missing' };
  if (found.kind !== 'open') return found;
  const command = JSON.parse(found.source) as Command;
  const view = await loans.approvals.read(actor, approvalId);
  if (view === null) throw new Error('An approval is gone.');
  return loans.write(actor, asked(view.loanId, command), { ...PLAIN, approval: found.approving });
}
