/** Checks of names, ids, scopes and limits, and of the number of each. */
import * as store from '../store/access/access.ts';
import type { Numbers } from './caller.ts';
import { AccessRefused } from './refused.ts';
import { isScope, SCOPES } from './scopes.ts';
import { isName } from './secrets.ts';

/** `until`: ISO 8601, UTC. */
export type RaisedRateLimit = { readonly perMinute: number; readonly until: string };

/** Absent: it stays as it is. `raisedRateLimit` null: it is not raised any more. */
export type RateLimits = {
  rateLimitPerMinute?: number | null | undefined;
  raisedRateLimit?: RaisedRateLimit | null | undefined;
};

export type ClientInput = RateLimits & {
  name: string;
  scopes: readonly string[];
  /** Absent for a new client: `interface`. */
  numbers?: Numbers | undefined;
};
export type GrantInput = {
  granteeOrganizationId: string;
  access: 'read' | 'servicing';
  servicerId?: string | null | undefined;
};

const SERVICER_ID = /^[A-Za-z0-9._:-]{1,64}$/;

// The form of ids that the service creates. Nothing else can exist, and text with a NUL would fail in SQL.
export const isPlainId = (text: string): boolean => text.length <= 64 && /^[a-z]+_[a-z0-9]+$/.test(text);

export function checkProgram({ kind }: store.ClientRow): void {
  if (kind === 'program') return;
  const message =
    'This client stands for the sessions of people and has no credentials; see POST /disable-user and POST /end-sessions.';
  throw new AccessRefused('conflict', message);
}

export function checkRoom(what: string, present: number, limit: number = store.LIST_LIMIT): void {
  if (present < limit) return;
  throw new AccessRefused('limit', `The limit of ${limit} ${what} is reached; revoke some that are no longer used.`);
}

export function checkName(name: string): void {
  if (isName(name)) return;
  const message = 'The name must be 1 to 200 characters without control characters.';
  throw new AccessRefused('invalid', message, 'name');
}

export function checkClient(input: ClientInput): void {
  checkName(input.name);
  if (input.scopes.length === 0 || !input.scopes.every(isScope)) {
    throw new AccessRefused('invalid', `The scopes must be one or more of: ${SCOPES.join(', ')}.`, 'scopes');
  }
  checkRateLimit(input.rateLimitPerMinute ?? null);
}

export function checkRateLimit(limit: number | null): void {
  if (limit === null || isRateLimit(limit)) return;
  const message = 'The rate limit must be a whole number of cost units per minute; 0 means no limit.';
  throw new AccessRefused('invalid', message, 'rateLimitPerMinute');
}

/** Longer than a month it is no exception any more. */
const RAISED_DAYS = 31;

/** The time at which a raised limit ends. */
export function checkRaised({ perMinute, until }: RaisedRateLimit, now: number): Date {
  if (perMinute === 0 || !isRateLimit(perMinute)) {
    const message = 'A rate limit for a time must be a whole number of cost units per minute, 1 or more.';
    throw new AccessRefused('invalid', message, 'raisedRateLimit/perMinute');
  }
  const ends = new Date(until);
  if (ends.getTime() > now && ends.getTime() <= now + RAISED_DAYS * 86_400_000) return ends;
  const message = `The rate limit can be raised until a time in the future, at most ${RAISED_DAYS} days from now.`;
  throw new AccessRefused('invalid', message, 'raisedRateLimit/until');
}

const isRateLimit = (limit: number): boolean => Number.isInteger(limit) && limit >= 0 && limit <= 1_000_000_000;

export function checkGrant(ownerOrganizationId: string, input: GrantInput): void {
  if (input.granteeOrganizationId === ownerOrganizationId) {
    const message = 'An organization needs no grant for its own loans.';
    throw new AccessRefused('invalid', message, 'granteeOrganizationId');
  }
  if (input.access !== 'read' && input.access !== 'servicing') {
    throw new AccessRefused('invalid', 'The access must be read or servicing.', 'access');
  }
  if (input.servicerId != null && !SERVICER_ID.test(input.servicerId)) {
    const message = 'The servicer id must be 1 to 64 letters, digits, dots, underscores, colons or hyphens.';
    throw new AccessRefused('invalid', message, 'servicerId');
  }
}
