/**
 * The rights to a loan. It belongs to the organization that created it, or to the one it was transferred to; another one gets in by a
 * grant of the owner alone. A former owner sees what it owned, and an organization that a loan is offered to may accept it.
 */

import type { Rights } from '../../core/decide/brought.ts';
import { mayServicerDo, type Operation } from '../../core/decide/decide.ts';
import { OVERRIDE } from '../../core/overrides.ts';
import type { FormerOwner, Parties } from '../../core/ownership.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { LoanRow } from '../../store/door/loans.ts';
import type { Actor } from './actor.ts';
import type { LoanCommand, Outcome } from './write.ts';

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

/**
 * The reason that the actor may not do what a decision brings about beside the operation that it called; null: it may. A grant covers what
 * belongs to servicing, and never exceeds a limit of the owner's policy.
 */
export function refusedToBring(
  actor: Actor,
  loan: Belonging,
  { operations, scopes, overrides }: Rights,
): Extract<Outcome, { kind: 'denied' }> | null {
  const role = roleOf(actor, loan);
  const others = operations.filter(({ takesScope }) => takesScope);
  if (others.some(({ operation }) => operation !== OVERRIDE && !mayDo(role, operation)))
    return { kind: 'denied', needs: 'grant' };
  const lacking = scopes.find((some) => !some.some((scope) => actor.scopes.has(scope)));
  if (lacking !== undefined) return { kind: 'denied', needs: 'scope', scope: lacking.join(' or ') };
  return overrides && role !== 'owner' ? { kind: 'denied', needs: 'grant' } : null;
}

/** An owner cannot accept its own offer. */
export function refuseOwnOffer({ organizationId }: Actor, loan: Belonging, operation: Operation): Refusal | null {
  if (operation !== 'accept-transfer' || organizationId !== loan.organizationId) return null;
  return refuse('contradiction', 'Only the organization that the loan is offered to can accept the transfer.');
}

/** An organization that a loan is offered to cancels the offer: what else is scheduled is its owner's. */
export function offeredAlone({ organizationId }: Actor, loan: Belonging, command: LoanCommand): LoanCommand | Refusal {
  if (command.do !== 'cancel-transfer' || organizationId === loan.organizationId) return command;
  if (command.what === 'servicer') return refuse('unknown_reference', 'No transfer of this loan is scheduled.');
  return { ...command, what: 'owner' };
}

/** The last time that the actor's organization owned the loan; null: never, or it may see all of it. */
export function formerlyOwned(actor: Actor, loan: Transferable): FormerOwner | null {
  if (loan.parties.formerOwners.length === 0 || roleOf(actor, loan) !== null) return null;
  return loan.parties.formerOwners.findLast(({ organizationId }) => organizationId === actor.organizationId) ?? null;
}

type Transferable = Belonging & { readonly parties: Parties };

/** The operations of the two sides of an offered transfer. */
const OF_TRANSFER: ReadonlySet<Operation> = new Set<Operation>(['accept-transfer', 'cancel-transfer']);

function isOfferedTo({ organizationId }: Actor, { planned }: Parties): boolean {
  return planned.some((one) => one.what === 'owner' && one.to.organizationId === organizationId);
}

/** The refusal of an operation on the loan; null: the actor may do it. Checked before anything else, the stored answer of a repeated call included. */
export function refusedFor(actor: Actor, loan: Transferable | null, operation: Operation): Outcome | null {
  if (loan === null) return { kind: 'missing' };
  if (OF_TRANSFER.has(operation) && isOfferedTo(actor, loan.parties)) return null;
  const role = roleOf(actor, loan);
  if (role === null)
    return formerlyOwned(actor, loan) === null ? { kind: 'missing' } : { kind: 'denied', needs: 'ownership' };
  return mayDo(role, operation) ? null : { kind: 'denied', needs: 'grant' };
}

/** A servicer does what belongs to servicing, with a loan that another organization has made and funded. */
export function mayDo(role: Role, operation: Operation): boolean {
  return role === 'owner' || (role === 'servicing' && mayServicerDo(operation));
}

/** Whether an operation that shows more to some callers shows it to this one. A person must say why. */
export function maySeePersonal({
  scopes,
  keyId,
  userId = null,
  purpose,
}: Pick<Actor, 'scopes' | 'keyId' | 'userId' | 'purpose'>): boolean {
  return scopes.has('loans:read_pii') && keyId !== null && (userId === null || purpose.trim() !== '');
}
