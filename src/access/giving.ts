/**
 * The rights that a caller may grant: only those its own token has. This covers the scopes of a client it creates or changes, the
 * credentials of a client (which carry its scopes), and what a grant opens to another organization. Funding and personal data are granted
 * only with the API key, so that a stolen token alone gives access to neither.
 */
import { type Limits, scopesOf } from './people/roles.ts';
import { knownScopes, type Scope } from './scopes.ts';

/** A client that administers its organization with a token, or a person who does so with a session. */
export type Giver = {
  organizationId: string;
  clientId: string;
  scopes: ReadonlySet<Scope>;
  keyId: string | null;
  userId?: string | null;
  /** Those of a person's roles. */
  limits?: Limits;
  /** The person or client that has approved the change, and is shown what it makes. */
  approvedBy?: string;
};

/** The party that changes access: a client, or the operator at the command line, who names the organization and may grant everything. */
export type Acting = string | Giver;

export const organizationActing = (acting: Acting): string =>
  typeof acting === 'string' ? acting : acting.organizationId;

/** The people and clients that may see a credential which is made now; the operator is none of them. */
export function holdersOf(acting: Acting): string[] {
  if (typeof acting === 'string') return [];
  const { userId, clientId, approvedBy } = acting;
  return [userId ?? clientId, ...(approvedBy === undefined ? [] : [approvedBy])];
}

/** The change would grant scopes that the caller does not have (`scopes`), or that are granted only with its API key. */
export class MayNotGive extends Error {
  override name = 'MayNotGive';
  /** The scopes that the caller's token lacks; empty: the API key is missing. */
  readonly scopes: readonly Scope[];
  constructor(message: string, scopes: readonly Scope[]) {
    super(message);
    this.scopes = scopes;
  }
}

const WITH_KEY: readonly Scope[] = ['loans:read_pii', 'loans:fund'];

/** The scopes in which a grant takes effect: a client of the other organization needs the scope itself too. */
const OPENED_BY_READ: readonly Scope[] = ['loans:read', 'loans:read_pii', 'reports:read', 'events:read'];
export const OPENED_BY_GRANT: Readonly<Record<'read' | 'servicing', readonly Scope[]>> = {
  read: OPENED_BY_READ,
  servicing: [...OPENED_BY_READ, 'payments:write', 'servicing:write'],
};

/** Throws unless `acting` may grant these scopes; `what` is the subject of the sentence. */
export function checkGiving(acting: Acting, scopes: Iterable<string>, what: string): void {
  if (typeof acting === 'string') return;
  const given = knownScopes(scopes);
  const lacking = given.filter((scope) => !acting.scopes.has(scope));
  if (lacking.length > 0) {
    const message = `${what} would grant ${lacking.join(', ')}, which your own token does not have.`;
    throw new MayNotGive(message, lacking);
  }
  const keyed = given.filter((scope) => WITH_KEY.includes(scope));
  if (keyed.length > 0 && acting.keyId === null) {
    const message = `${what} grants ${keyed.join(', ')}: send the header "key" with an API key of your client.`;
    throw new MayNotGive(message, []);
  }
}

/** The same for the credentials of a client. A client has no limits, so somebody who has some does not make one for what they limit. */
export function checkCredentials(acting: Acting, scopes: Iterable<string>, what: string): void {
  checkGiving(acting, scopes, what);
  const given = knownScopes(scopes);
  const limited = typeof acting === 'string' ? [] : Object.keys(acting.limits ?? {});
  const needed = new Set(limited.flatMap((operation) => scopesOf(operation as Parameters<typeof scopesOf>[0])));
  const open = given.filter((scope) => needed.has(scope));
  if (open.length === 0) return;
  const message = `${what} would have ${open.join(', ')} without the limits that your role has. Somebody without these limits can do it.`;
  throw new MayNotGive(message, open);
}
