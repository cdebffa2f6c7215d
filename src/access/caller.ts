/** The admitted caller of a request. */
import type { Limits } from './people/roles.ts';
import type { Scope } from './scopes.ts';

export type Caller = {
  organizationId: string;
  organizationName: string;
  clientId: string;
  clientName: string;
  /** The person whose session it is; null: the client acts by itself. */
  userId: string | null;
  /** The scopes that the token was issued with and the client still has; in a session, those of the person's roles. */
  scopes: ReadonlySet<Scope>;
  /** By operation, the amount above which a write needs approval; an operation that is not listed has no limit. */
  limits: Limits;
  /** The API key that was sent and belongs to this client; null when none was sent. A session counts as having one: then its own id. */
  keyId: string | null;
  quota: Quota;
  /** The form of amounts and counts in its answers, where a request does not say. */
  numbers: Numbers;
  /** Unix time in seconds. */
  tokenExpiresAt: number;
};

/** Amounts and counts with thousands separators, as the interface writes them, or plain. */
export const NUMBERS = ['interface', 'plain'] as const;
export type Numbers = (typeof NUMBERS)[number];

/** Cost units per minute; 0: no limit. */
export type Quota = {
  /** The client's own limit, where it is lower than the organization's. */
  perMinute: number;
  /** The limit for all clients of the organization together, set by the operator. */
  organizationPerMinute: number;
  /** The organization whose limit applies: a sandbox shares the limit of the organization that created it. */
  countedFor: string;
  /** The quota that applies from a time on (epoch milliseconds), when a limit that is raised for a time ends; null: it stays as it is. */
  next: { readonly from: number; readonly quota: Quota } | null;
};

/** A limit in cost units per minute that applies until a time, in epoch milliseconds. */
export type RaisedLimit = { readonly perMinute: number; readonly until: number };

/** The limit that applies at a time: the raised one, or the lasting one. */
export function limitAt<T>(lasting: T, raised: RaisedLimit | null, at: number): T | number {
  return raised !== null && at < raised.until ? raised.perMinute : lasting;
}

/** As it is stored. */
export const raisedIn = (to: number | null, until: Date | null): RaisedLimit | null =>
  to === null || until === null ? null : { perMinute: to, until: until.getTime() };

/** Times are Unix seconds. */
export type IssuedToken = { token: string; issuedAt: number; expiresAt: number; scope: string };
