/**
 * The client by which the public market reads: it belongs to the service itself and holds `public:read` alone. It exists in memory only: it
 * has no secret, key or row, so nobody can get a token for it, and no administrator can give it a further scope. Its ids are none that an
 * organization or a client can have, so it owns no loan and has no grant.
 */
import type { Caller } from './caller.ts';

export const MARKET_CLIENT: Caller = Object.freeze({
  organizationId: 'market',
  organizationName: 'Public market',
  clientId: 'market',
  clientName: 'Public market',
  userId: null,
  scopes: Object.freeze(new Set(['public:read'] as const)),
  limits: Object.freeze({}),
  keyId: null,
  // Requests are limited by network address (`shell/address-quota.ts`).
  quota: Object.freeze({ perMinute: 0, organizationPerMinute: 0, countedFor: 'market', next: null }),
  numbers: 'interface',
  tokenExpiresAt: Number.POSITIVE_INFINITY,
});
