/** Whether two callers may be the same hand: a person counts as every client whose credentials they have seen, and so does a client. */
import { partyOfId } from '../../store/approvals/parties.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Actor } from '../door/actor.ts';
import type { ApprovalParty } from '../door/write.ts';

type Caller = { readonly clientId: string; readonly userId?: string | null };

export async function areOneParty(sql: Sql, one: Caller, other: Caller): Promise<boolean> {
  const [a, b] = [one.userId ?? one.clientId, other.userId ?? other.clientId];
  if (a === b) return true;
  // Two people are two, whatever they hold.
  if ((one.userId ?? null) !== null && (other.userId ?? null) !== null) return false;
  return !(await partyOfId(sql, a)).isDisjointFrom(await partyOfId(sql, b));
}

export const partyOf = ({ organizationId, clientId, userId }: Actor): ApprovalParty => ({
  organizationId,
  clientId,
  userId: userId ?? null,
});
