/** Checks of names, ids, scopes and limits, and of the number of each. */
import * as store from '../store/access/access.ts';
import type { Numbers } from './caller.ts';
import { AccessRefused } from './refused.ts';
import { isScope, SCOPES } from './scopes.ts';
import { isName } from './secrets.ts';

export type ClientInput = {
  name: string;
  scopes: readonly string[];
  rateLimitPerMinute?: number | null | undefined;
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
  if (limit === null || (Number.isInteger(limit) && limit >= 0 && limit <= 1_000_000_000)) return;
  const message = 'The rate limit must be a whole number of cost units per minute; 0 means no limit.';
  throw new AccessRefused('invalid', message, 'rateLimitPerMinute');
}

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
