/**
 * What may be handed on. A caller gives only what its own token allows: the scopes of a client it creates or changes, the credentials of
 * a client (whoever has them has its scopes), and what a grant opens to another organization. Funding and personal data are given only
 * with the API key, so that a stolen token alone gets at neither.
 */
import { knownScopes, type Scope } from './scopes.ts';

/** A client that administers its organization by a token. */
export type Giver = { organizationId: string; scopes: ReadonlySet<Scope>; keyId: string | null };

/** Who changes access: a client, or the operator at the command line, who names the organization and may give everything. */
export type Acting = string | Giver;

export const organizationActing = (acting: Acting): string =>
  typeof acting === 'string' ? acting : acting.organizationId;

/** Something is given away that the caller does not have (`scopes`), or that is given only with its API key. */
export class MayNotGive extends Error {
  override name = 'MayNotGive';
  /** The scopes that the caller's token lacks; none: the API key is missing. */
  readonly scopes: readonly Scope[];
  constructor(message: string, scopes: readonly Scope[]) {
    super(message);
    this.scopes = scopes;
  }
}

const WITH_KEY: readonly Scope[] = ['loans:read_pii', 'loans:fund'];

/** What the clients of the other organization can do with the loans, whichever of these scopes each of them has. */
export const OPENED_BY_GRANT: Readonly<Record<'read' | 'servicing', readonly Scope[]>> = {
  read: ['loans:read', 'loans:read_pii', 'reports:read'],
  servicing: ['loans:read', 'loans:read_pii', 'reports:read', 'payments:write', 'servicing:write'],
};

/** Throws unless `acting` may give these scopes away; `what` names what is given, as the subject of the sentence. */
export function checkGiving(acting: Acting, scopes: Iterable<string>, what: string): void {
  if (typeof acting === 'string') return;
  const given = knownScopes(scopes);
  const lacking = given.filter((scope) => !acting.scopes.has(scope));
  if (lacking.length > 0) {
    const message = `${what} would give away ${lacking.join(', ')}, which your own token does not have.`;
    throw new MayNotGive(message, lacking);
  }
  const keyed = given.filter((scope) => WITH_KEY.includes(scope));
  if (keyed.length > 0 && acting.keyId === null) {
    const message = `${what} gives away ${keyed.join(', ')}: send the header "key" with an API key of your client.`;
    throw new MayNotGive(message, []);
  }
}
