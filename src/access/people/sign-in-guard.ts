/**
 * Guards signing in against guessing and against work that callers without a session can cause. Per e-mail address and network address ten
 * wrong attempts, then a growing wait (../guard.ts); other people at that address, and the same person elsewhere, are not affected. An e-mail
 * address that belongs to nobody is treated the same, and takes as long.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from '../at-most.ts';
import { openFailureBudget } from '../failure-budget.ts';
import { type Attempt, addressBlock, openGuard } from '../guard.ts';
import { type Lane, openSecretChecks, TooBusy } from '../secret-checks.ts';
import { keyring } from '../secrets.ts';
import type { Tally } from '../usage-reports.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

/** Wrong attempts from one address over all people: thirty at once, then one every two seconds; beyond that they have a lane of their own. */
const FAILURES = { burst: 30, perSecond: 0.5 };
/** Addresses of nobody that still get a slow check: they keep the imitated durations realistic. */
const STRANGERS = { burst: 10, perSecond: 1 };
/** Steps begun from one address: each is a row in the database. */
const BEGUN = { burst: 60, perSecond: 1 };
const EVERYWHERE = 'everywhere';

type Who = { email: string; address: string };

export type SignInGuard = {
  begin(who: Who & { exists: boolean }): Attempt | { retryAfterSeconds: number };
  /** Whether the password is right; `hashText` null: nobody has it, and the same time passes. Throws `TooBusy`. */
  isRight(who: Who, password: string, hashText: string | null): Promise<boolean>;
  succeeded(who: Who): void;
  failed(address: string): void;
  /** Whether the address may begin another step; counts it. */
  mayBegin(address: string): boolean;
  hash(password: string): Promise<string>;
  /** To be reported to the other processes. */
  tallies: Readonly<Record<'signInGuesses' | 'signInInvented' | 'wrongPasswords' | 'stepsBegun', Tally>>;
};

export function openSignInGuard(options: {
  clock: () => number;
  monotonic: () => number;
  /** The root secret `access`. */
  secret: Uint8Array;
}): SignInGuard {
  const { clock, monotonic } = options;
  const nameOf = keyring(options.secret).countedName;
  const guard = openGuard({ clock, nameOf: (pair) => nameOf(`person\n${pair}`) });
  const failures = openFailureBudget({ monotonic, ...FAILURES, nameOf });
  const begun = openFailureBudget({ monotonic, ...BEGUN, nameOf });
  const strangers = openFailureBudget({ monotonic, ...STRANGERS });
  const checks = openSecretChecks({ monotonic, hashing: { hash: hashPassword, verify: verifyPassword } });
  /** People and the address blocks from which they have signed in. */
  const familiar = new LRUCache<string, true>(atMost(50_000));
  const pairOf = ({ email, address }: Who) => nameOf(`${addressBlock(address)}\n${email}`);

  function laneOf(who: Who): Lane {
    if (familiar.has(pairOf(who))) return 'proven';
    return failures.hasRoom(who.address) ? 'new' : 'suspect';
  }

  return {
    begin: ({ email, address, exists }) => guard.begin({ clientId: email, exists, address }),
    async isRight(who, password, hashText) {
      const lane = laneOf(who);
      if (hashText !== null) return checks.verify(password, hashText, lane);
      // A full lane refuses people who exist too; an imitation that is never refused would tell them apart.
      if (checks.isFull(lane)) throw new TooBusy('Too many passwords are being checked.');
      if (strangers.hasRoom(EVERYWHERE)) {
        strangers.spend(EVERYWHERE);
        await checks.verify(password, null, lane);
      } else await checks.imitate();
      return false;
    },
    succeeded: (who) => void familiar.set(pairOf(who), true),
    failed: (address) => failures.spend(address),
    mayBegin(address) {
      if (!begun.hasRoom(address)) return false;
      begun.spend(address);
      return true;
    },
    hash: checks.hash,
    tallies: {
      signInGuesses: guard.tallies.real,
      signInInvented: guard.tallies.invented,
      wrongPasswords: failures.tally,
      stepsBegun: begun.tally,
    },
  };
}
