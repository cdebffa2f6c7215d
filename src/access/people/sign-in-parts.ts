/** Shared by the ways of signing in: the services that they use, and their outcomes. */
import type { AuditEntry } from '../../store/audit/audit.ts';
import type { Db } from '../../store/db/db.ts';
import type { Sealing } from '../../vault/cipher.ts';
import type { AccountBudget } from './account-budget.ts';
import type { NewSession, People, Person } from './people.ts';
import type { Providers } from './providers.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import type { Steps } from './steps.ts';

/** The services that the parts of signing in share. */
export type SignInParts = {
  db: Db;
  clock: () => number;
  people: People;
  guard: SignInGuard;
  accounts: AccountBudget;
  steps: Steps;
  providers: Providers;
  sealing: Sealing;
  /** Records an entry that nobody waits for: waiting would tell that the person exists. */
  later(entry: AuditEntry): void;
};

export type SignedIn = { session: NewSession; person: Person };
/** `locked`: the account has used up its attempts with a password. `organization`: several are served, and none was named. */
export type NotSignedIn =
  | { denied: 'wrong' }
  | { denied: 'too_many_failures'; retryAfterSeconds: number }
  | { denied: 'locked' }
  | { denied: 'organization' }
  | { denied: 'unavailable' }
  | { denied: 'no_provider' };

export type From = { address: string; requestId: string };
