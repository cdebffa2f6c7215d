/** The identity provider of an organization: how it is set, shown and removed. Its client secret is sealed and never shown. */

import {
  isOfLivePeople,
  type ProviderRow,
  readProvider,
  removeProvider,
  setProvider,
} from '../../store/access/sign-in.ts';
import type { Db } from '../../store/db/db.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import type { Sealing } from '../../vault/cipher.ts';
import { type Acting, organizationActing } from '../giving.ts';
import { AccessRefused } from '../refused.ts';
import { SCOPES } from '../scopes.ts';
import { checkGivingRoles } from './own-roles.ts';
import type { Provider } from './providers.ts';
import { askSecond } from './second-administrator.ts';

export type ProviderInfo = { issuer: string; clientId: string; allowedDomains: string[]; changedAt: string };

export type ProviderSettings = {
  read(organizationId: string): Promise<ProviderInfo | null>;
  /** A client needs every scope and its key: whoever runs the provider says who its people are, whatever their roles. */
  set(acting: Acting, asked: Provider & { allowedDomains: readonly string[] }, keep: Keep): Promise<ProviderInfo>;
  /** False: there was none. */
  remove(acting: Acting, keep: Keep): Promise<{ removed: true } | null>;
};

const label = (organizationId: string): string => `identity provider ${organizationId}`;

/** The stored provider with its secret. */
export function openedProvider(row: ProviderRow, sealing: Sealing): Provider & { allowedDomains: string[] } {
  const secret = sealing.unseal(row.client_secret_sealed, label(row.organization_id));
  if (secret === null) throw new Error('The secret of an identity provider cannot be unsealed.');
  const { allowedDomains = [] } = JSON.parse(row.settings) as { allowedDomains?: string[] };
  return { issuer: row.issuer, clientId: row.client_id, clientSecret: secret.toString(), allowedDomains };
}

export function openProviderSettings(options: { db: Db; clock: () => number; sealing: Sealing }): ProviderSettings {
  const { db, clock, sealing } = options;
  return {
    async read(organizationId) {
      const row = await readProvider(db, organizationId);
      return row && infoOf(row);
    },
    async set(acting, asked, keep) {
      checkGivingRoles(acting, SCOPES, 'The identity provider');
      const organizationId = organizationActing(acting);
      const { issuer, clientId, clientSecret } = asked;
      const allowedDomains = [...new Set(asked.allowedDomains.map((domain) => domain.toLowerCase()))];
      if (!isIssuer(issuer)) {
        throw new AccessRefused(
          'invalid',
          'The issuer must be an http(s) URL without a query, fragment or user.',
          'issuer',
        );
      }
      const row: ProviderRow = {
        organization_id: organizationId,
        issuer,
        client_id: clientId,
        client_secret_sealed: sealing.seal(Buffer.from(clientSecret), label(organizationId)),
        settings: JSON.stringify({ allowedDomains }),
        changed_at: new Date(clock()),
      };
      return db.transaction(async (tx) => {
        await keep.begin?.(tx);
        if (await isOfLivePeople(tx, row)) {
          throw new AccessRefused(
            'conflict',
            'This is the provider’s client for the live people of your organization. Register another client with the provider for this sandbox.',
          );
        }
        await askSecond(tx, keep, acting);
        await setProvider(tx, row);
        const answer = infoOf(row);
        await keep(tx, answer);
        return answer;
      });
    },
    remove: (acting, keep) =>
      db.transaction(async (tx) => {
        const organizationId = organizationActing(acting);
        await keep.begin?.(tx);
        if ((await readProvider(tx, organizationId)) === null) return null;
        await askSecond(tx, keep, acting);
        await removeProvider(tx, organizationId);
        const answer = { removed: true } as const;
        await keep(tx, answer);
        return answer;
      }),
  };
}

function infoOf(row: ProviderRow): ProviderInfo {
  const { allowedDomains = [] } = JSON.parse(row.settings) as { allowedDomains?: string[] };
  return { issuer: row.issuer, clientId: row.client_id, allowedDomains, changedAt: row.changed_at.toISOString() };
}

/** http: is refused by the guarded client unless the operator allows the address. */
function isIssuer(text: string): boolean {
  // URL.canParse alone would take white space around it, backslashes and a missing `//`, and no provider calls itself that.
  return /^https?:\/\/[^\s\\@?#\p{C}]+$/u.test(text) && URL.canParse(text);
}
