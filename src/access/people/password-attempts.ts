/**
 * An attempt with a password, and what may refuse it before anything is tried: the network over all accounts, the account at this network
 * (both in ./sign-in-guard.ts), and the account over all networks (./account-budget.ts). It counts as wrong in all three until it has ended
 * otherwise. A success clears what is its own: the account at this network. What others have tried stays counted.
 */
import type { AccountBudget } from './account-budget.ts';
import type { Account } from './identity.ts';
import type { SignInGuard } from './sign-in-guard.ts';

type Refused = { denied: 'too_many_failures'; retryAfterSeconds: number } | { denied: 'locked'; isNew: boolean };
/** `undecided`: it could not be made (no database, too busy) and does not count. The first end counts. */
export type PasswordAttempt = { end(outcome: 'right' | 'wrong' | 'undecided'): Promise<void> };

export type PasswordAttempts = {
  begin(who: Account & { address: string; exists: boolean }): Promise<PasswordAttempt | Refused>;
};

export function openPasswordAttempts(parts: { guard: SignInGuard; accounts: AccountBudget }): PasswordAttempts {
  const { guard, accounts } = parts;
  return {
    async begin({ address, exists, ...account }) {
      const guarded = guard.begin({ ...account, address, exists });
      if ('retryAfterSeconds' in guarded) return { denied: 'too_many_failures', ...guarded };
      let taken: Awaited<ReturnType<AccountBudget['take']>>;
      try {
        taken = await accounts.take({ ...account, exists });
      } catch (error) {
        guarded.end('undecided');
        throw error;
      }
      if (taken.locked) {
        guarded.end('wrong');
        return { denied: 'locked', isNew: taken.isNew };
      }
      let hasEnded = false;
      return {
        async end(outcome) {
          if (hasEnded) return;
          hasEnded = true;
          const { cleared } = guarded.end(outcome);
          if (outcome !== 'wrong') await accounts.giveBack(account, 1 + cleared);
        },
      };
    },
  };
}
