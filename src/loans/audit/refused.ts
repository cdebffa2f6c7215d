/** What a known caller tried and was refused: in the audit trail before the answer is sent; many entries share one statement. */
import { type AuditEntry, readOwners, recordAudit } from '../../store/audit.ts';
import type { Db } from '../../store/db.ts';
import { coalesced } from '../coalesce.ts';
import type { Actor } from '../loans.ts';
import { shareOf } from '../too-many-waiting.ts';

export type RefusedCall = Pick<
  Actor,
  'organizationId' | 'countedFor' | 'clientId' | 'userId' | 'keyId' | 'requestId'
> & {
  readonly operation: string;
  /** The code of the problem. */
  readonly outcome: string;
  /** A loan that the call named; it need not exist. */
  readonly loanId: string | null;
  /** Organizations that let the caller's work with their loans: theirs is the trail too. */
  readonly grantedBy: readonly string[];
};

export function openRefused(db: Db, clock: () => number): (call: RefusedCall) => Promise<void> {
  const enter = coalesced(async (calls: readonly RefusedCall[]) => {
    const shared = calls.flatMap(({ loanId, grantedBy }) =>
      loanId === null || grantedBy.length === 0 ? [] : [loanId],
    );
    const owners = shared.length === 0 ? new Map<string, string>() : await readOwners(db, [...new Set(shared)]);
    const at = new Date(clock());
    await recordAudit(
      db,
      calls.map((call): AuditEntry => {
        const { organizationId, clientId, userId = null, keyId, requestId, operation, outcome, loanId } = call;
        const owner = owners.get(loanId ?? '') ?? '';
        const ownerId = owner !== organizationId && call.grantedBy.includes(owner) ? owner : null;
        const by = { organizationId, ownerId, clientId, userId, keyId, requestId };
        return { at, ...by, kind: 'tried', operation, outcome, loanId };
      }),
    );
  });
  return (call) => enter(shareOf(call), call);
}
