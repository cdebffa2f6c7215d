/** The callers of this module: of operations on loans, and of those on the books and settings of an organization. */
import type { Cents } from '../../core/money.ts';
import type { OverrideAuthority } from '../../core/overrides.ts';

/** The caller of an operation on loans. */
export type Actor = {
  readonly organizationId: string;
  /** The organization whose share of places and turns it uses: for a sandbox the one that made it; absent: its own. */
  readonly countedFor?: string;
  readonly clientId: string;
  /** The person who acts through the client; absent or null: the client acts by itself. */
  readonly userId?: string | null;
  readonly keyId: string | null;
  readonly scopes: ReadonlySet<string>;
  /** By operation, the amount above which a write of this person needs approval; absent: without limits. */
  readonly limits?: ActorLimits;
  /** The rights that other organizations give this one to their loans. */
  readonly grants: readonly {
    readonly ownerOrganizationId: string;
    readonly access: 'read' | 'servicing';
    readonly servicerId: string | null;
  }[];
  readonly requestId: string;
  /** The caller's reason for reading personal data. */
  readonly purpose: string;
};

export type ActorLimits = Readonly<{ [operation: string]: Cents | OverrideAuthority | undefined }> & {
  readonly override?: OverrideAuthority;
};

/** The caller of an operation on what belongs to an organization: its books, policies and reports. */
export type Asker = {
  readonly organizationId: string;
  readonly clientId: string;
  /** The person; absent or null: a program. */
  readonly userId?: string | null;
  /** The organization whose share of turns it uses: for a sandbox the one that made it; absent: its own. */
  readonly countedFor?: string;
  /** Aborted when the caller is gone: what is only read for it ends. */
  readonly signal?: AbortSignal;
};

/**
 * Asks for the rights that an actor has now, for work that goes on after its request was answered; null: none any more. `keyId` null: its
 * key was revoked.
 */
export type AskRights = (
  ordering: Pick<Actor, 'organizationId' | 'clientId' | 'keyId'> & { readonly userId: string | null },
) => Promise<Pick<Actor, 'countedFor' | 'scopes' | 'limits' | 'keyId'> | null>;

/** The limit of an operation on no loan, which is an amount; undefined: none. */
export function amountLimit(limits: ActorLimits | undefined, operation: string): Cents | undefined {
  const limit = limits?.[operation];
  return typeof limit === 'number' ? limit : undefined;
}
