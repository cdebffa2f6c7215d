/**
 * The wrong attempts with a password that an account has, from wherever they come: a hundred, of which one comes back each day. Whoever goes
 * beyond them locks the account against passwords until its person sets a new one, signed in by passkey or provider, or accepts a new
 * invitation; passkeys and providers are not affected. A success gives back what failed from its own network alone.
 *
 * An account is an address in an organization, whether it belongs to somebody or not: what belongs to nobody is counted the same way, so
 * that a lock tells nothing. Counts are rows, which outlive the process; new rows for nobody are rationed, because anybody can ask for them.
 */
import {
  addFailure,
  dropForgottenFailures,
  forgetFailures,
  giveBackFailures,
} from '../../store/access/sign-in-failures.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { openFailureBudget } from '../failure-budget.ts';
import type { Keyring } from '../secrets.ts';
import { type Account, accountDigest } from './identity.ts';

/** As many as NIST SP 800-63B allows in a row at the most. */
const ATTEMPTS = 100;
/** Rows for addresses of nobody, over all networks: a million a day and process at the most, each of some 60 bytes, which lives a day. */
const INVENTED = { burst: 1_000, perSecond: 10 };

/** `locked`: the time since when; `isNew`: this attempt has locked it. */
export type Taken = { locked: false } | { locked: true; isNew: boolean };

export type AccountBudget = {
  /** Counts an attempt as wrong before it is made, so that many at once get no more than there are. */
  take(account: Account & { exists: boolean }): Promise<Taken>;
  giveBack(account: Account, failures: number): Promise<void>;
  /** All that was guessed so far was for another password. */
  forget(tx: Sql, account: Account): Promise<void>;
};

export function openAccountBudget(options: {
  db: Db;
  clock: () => number;
  monotonic: () => number;
  keyring: Keyring;
}): AccountBudget {
  const { db, clock, keyring } = options;
  const invented = openFailureBudget({ monotonic: options.monotonic, ...INVENTED });
  return {
    async take({ exists, ...account }) {
      if (!exists && !invented.hasRoom(EVERYWHERE)) return { locked: false };
      if (!exists) invented.spend(EVERYWHERE);
      const at = new Date(clock());
      await dropForgottenFailures(db, at);
      const { lockedAt } = await addFailure(db, accountDigest(keyring, account), { at, most: ATTEMPTS });
      return lockedAt === null ? { locked: false } : { locked: true, isNew: lockedAt.getTime() === at.getTime() };
    },
    giveBack: (account, failures) => giveBackFailures(db, accountDigest(keyring, account), failures),
    forget: (tx, account) => forgetFailures(tx, accountDigest(keyring, account)),
  };
}

const EVERYWHERE = 'everywhere';
