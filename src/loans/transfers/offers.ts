/** Whether a loan can be offered to an organization at all: before the write path decides, which knows nothing of organizations. */
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { Db } from '../../store/db/db.ts';
import { organizationExists } from '../../store/transfers/transfers.ts';
import type { Actor } from '../door/actor.ts';
import type { Clocks } from '../door/clocks.ts';
import type { LoanCommand } from '../door/write.ts';
import { type RunRequest, scopeOfRun, type TransferNotStarted, type TransferOrder } from './runs.ts';

export function openOffers({ db, clocks }: { db: Db; clocks: Clocks }) {
  return { refuseOffer, refuseRun };

  /** Null: it is allowed. Personal data goes to the other organization with the loan, so a stolen token alone must not be enough. */
  async function refuseOffer(
    { organizationId, keyId }: Actor,
    command: LoanCommand | RunRequest,
  ): Promise<TransferNotStarted | null> {
    if (!('what' in command) || command.what !== 'owner' || !('to' in command)) return null;
    const { to } = command;
    if (keyId === null) return { kind: 'denied', needs: 'key' };
    const refused = (refusal: Refusal): TransferNotStarted => ({ kind: 'refused', refusal });
    if (!(await organizationExists(db, to.organizationId))) {
      return refused(refuse('invalid_value', 'There is no organization with this id.', { member: 'to' }));
    }
    const clockOf = await clocks.of([organizationId, to.organizationId]);
    for (const [id, clock] of clockOf) {
      if (clock.test === null) continue;
      const whose = id === organizationId ? 'Your organization' : `The organization ${id}`;
      const detail = `${whose} has a test clock. Loans can only be transferred between organizations with live clocks.`;
      return refused(refuse('not_eligible', detail, { member: 'to' }));
    }
    return null;
  }

  /** The same for all loans of a run, before any of them is written. */
  async function refuseRun(actor: Actor, { request }: TransferOrder): Promise<TransferNotStarted | null> {
    const scope = scopeOfRun(request);
    if (!actor.scopes.has(scope)) return { kind: 'denied', needs: 'scope', scope };
    return refuseOffer(actor, request);
  }
}
