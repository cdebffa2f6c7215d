/** Everything for signing in, put together: what the HTTP shell calls. */

import type { Outbound } from '../../outbound/client.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { Db } from '../../store/db/db.ts';
import { sealing as sealingOf } from '../../vault/cipher.ts';
import { keyring } from '../secrets.ts';
import { openAccountBudget } from './account-budget.ts';
import { type MeansOfSigningIn, openMeans } from './means.ts';
import type { People } from './people.ts';
import { openProviderSettings, type ProviderSettings } from './provider-settings.ts';
import { openProviders } from './providers.ts';
import { openSigningIn, type SignIn } from './sign-in.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import { openSteps } from './steps.ts';

export type SigningIn = SignIn & {
  means: MeansOfSigningIn;
  provider: ProviderSettings;
  /** The wait before another mail may be sent; null: it may, and is counted. */
  mailWait: SignInGuard['mailWait'];
  /** Waits for audit entries that are being written. */
  settled(): Promise<void>;
};

/** Connection settings of the client for providers; `allow` is the operator's setting. */
export const PROVIDER_CONNECTIONS = { connectMs: 3_000, silenceMs: 8_000, connections: 4 } as const;

export function openSignIn(options: {
  db: Db;
  clock: () => number;
  monotonic: () => number;
  /** The root secret `access`. */
  secret: Uint8Array;
  people: People;
  guard: SignInGuard;
  outbound: Outbound;
  /** An audit entry that nobody waited for could not be written. */
  onFailure: (error: unknown) => void;
}): SigningIn {
  const { db, clock, people, guard, outbound, onFailure } = options;
  const sealing = sealingOf(options.secret, 'daybook sign-in seal v1');
  const underWay = new Set<Promise<void>>();
  const parts = {
    ...{ db, clock, people, guard, sealing },
    accounts: openAccountBudget({ db, clock, monotonic: options.monotonic, keyring: keyring(options.secret) }),
    steps: openSteps({ db, clock, sealing }),
    providers: openProviders({ outbound, secret: options.secret }),
    later(entry: Parameters<typeof recordAudit>[1][number]) {
      const writing = recordAudit(db, [entry])
        .catch(onFailure)
        .finally(() => underWay.delete(writing));
      underWay.add(writing);
    },
  };
  return {
    ...openSigningIn(parts),
    means: openMeans(parts),
    provider: openProviderSettings({ db, clock, sealing }),
    mailWait: guard.mailWait,
    async settled() {
      await Promise.all(underWay);
    },
  };
}
