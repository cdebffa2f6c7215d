/**
 * The second administrator. Some changes would let one administrator act as somebody else, or without anybody else: a new invitation of a
 * person who had one before, the identity provider, fewer approvals, more or fewer administrators. They need a fresh proof of the person who
 * asks, and the approval of another person who administers, where there is one.
 *
 * Administrators are not added or taken away by one of them alone, so nobody can be alone by their own doing.
 */
import { readBeginning } from '../../store/access/sign-in.ts';
import { partyOfId } from '../../store/approvals/parties.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import type { Acting, Giver } from '../giving.ts';
import { activeAdministrators } from './own-roles.ts';
import { FRESH_MS } from './people.ts';

/** The caller has to prove who they are once more, or is a client where a person has to act. */
export class ProofRequired extends Error {
  override name = 'ProofRequired';
}

/** Whether another administrator has to approve the change. Throws `ProofRequired`. */
export async function needsSecond(tx: Sql, caller: Giver, now: number): Promise<boolean> {
  const { organizationId, clientId, userId = null, keyId } = caller;
  if (userId !== null) await checkProof(tx, keyId, now);
  const administrators = await activeAdministrators(tx, organizationId);
  const own = await partyOfId(tx, userId ?? clientId);
  if (administrators.some((one) => !own.has(one))) return true;
  if (userId === null && administrators.length > 0) {
    throw new ProofRequired(
      'Only those who hold this client administer the organization. Make this change in a session, within five minutes of signing in.',
    );
  }
  return false;
}

async function checkProof(tx: Sql, sessionId: string | null, now: number): Promise<void> {
  const began = sessionId === null ? null : await readBeginning(tx, sessionId);
  if (began !== null && now - began.at.getTime() <= FRESH_MS) return;
  throw new ProofRequired('This change is possible within five minutes of signing in. Sign in again, then make it.');
}

/** For a change as above. The operator at the command line is asked nothing. */
export async function askSecond(tx: Sql, keep: Keep | null, acting: Acting): Promise<void> {
  if (keep === null || typeof acting === 'string') return;
  if (keep.second === undefined) throw new Error('The operation does not declare that it may wait for an approval.');
  await keep.second(tx);
}
