/** Who may do what with a loan. It belongs to the organization that created it; another one gets in by a grant of the owner alone. */

import { mayServicerDo, type Operation } from '../core/decide/decide.ts';
import type { LoanEvent } from '../core/event.ts';
import type { LoanRow } from '../store/loans.ts';
import type { Actor, Outcome } from './loans.ts';

/** `servicing` includes reading. Null: for this actor there is no such loan. */
export type Role = 'owner' | 'servicing' | 'read' | null;

export type Belonging = Pick<LoanRow, 'organizationId' | 'primaryServicerId' | 'secondaryServicerId'>;

export function roleOf(actor: Pick<Actor, 'organizationId' | 'grants'>, loan: Belonging): Role {
  if (actor.organizationId === loan.organizationId) return 'owner';
  let role: Role = null;
  for (const { ownerOrganizationId, access, servicerId } of actor.grants) {
    if (ownerOrganizationId !== loan.organizationId) continue;
    if (servicerId !== null && servicerId !== loan.primaryServicerId && servicerId !== loan.secondaryServicerId)
      continue;
    if (access === 'servicing') return 'servicing';
    role = 'read';
  }
  return role;
}

/** What only the owner may do, by whichever operation: decisions on the application, and disbursements. */
const OWNERS_ALONE: ReadonlySet<LoanEvent['type']> = new Set<LoanEvent['type']>([
  'approved',
  'rejected',
  'cancelled',
  'published',
  'funded',
  'opened',
  'disbursed',
]);

export function mayBring(role: Role, events: readonly LoanEvent[]): boolean {
  return role === 'owner' || !events.some(({ type }) => OWNERS_ALONE.has(type));
}

/** Why the actor may not do this with the loan; null: it may. Asked before anything else, the stored answer of a repeated call included. */
export function refusedFor(actor: Actor, loan: Belonging | null, operation: Operation): Outcome | null {
  const role = loan === null ? null : roleOf(actor, loan);
  if (role === null) return { kind: 'missing' };
  return mayDo(role, operation) ? null : { kind: 'denied', needs: 'grant' };
}

/** A servicer does what belongs to servicing, with a loan that another organization has made and funded. */
export function mayDo(role: Role, operation: Operation): boolean {
  return role === 'owner' || (role === 'servicing' && mayServicerDo(operation));
}
