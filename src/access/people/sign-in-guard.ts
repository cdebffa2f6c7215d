/**
 * Guards signing in against guessing and against work that callers without a session can cause. Two counts, apart from each other:
 *
 * - an account (an address in an organization) at one network: ten wrong attempts, then a growing wait (../guard.ts). A success clears it.
 * - a network over everything that can be guessed: passwords of all accounts, passkeys, links of invitations. No success clears it.
 *
 * Other people at a network, and the same person elsewhere, are not affected by the first; ./account-budget.ts limits an account over all
 * networks. What belongs to nobody is counted the same, and takes as long.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from '../at-most.ts';
import { openFailureBudget } from '../failure-budget.ts';
import { addressBlock, openGuard } from '../guard.ts';
import { openSecretChecks, TooBusy } from '../secret-checks.ts';
import { keyring } from '../secrets.ts';
import type { Tally } from '../usage-reports.ts';
import { type Account, normalizedEmail } from './identity.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

/** Wrong attempts from one network: thirty at once, then one every two seconds. */
const FAILURES = { burst: 30, perSecond: 0.5 };
/** Addresses of nobody that still get a slow check: they keep the imitated durations realistic. */
const STRANGERS = { burst: 10, perSecond: 1 };
/** Steps begun from one network: each is a row in the database. */
const BEGUN = { burst: 60, perSecond: 1 };
/** Mails: those of an organization with its sandboxes, and those of each kind to one address of it. */
const MAILS = {
  organization: { burst: 300, perSecond: 0.1 },
  person: { burst: 5, perSecond: 1 / 3_600 },
};
const EVERYWHERE = 'everywhere';

type Who = Account & { address: string };
type Wait = { retryAfterSeconds: number };

export type SignInGuard = {
  /** Counts an attempt with a password as wrong, at this network for this account and for all, until it ends otherwise. */
  begin(who: Who & { exists: boolean }): { end(outcome: 'right' | 'wrong' | 'undecided'): { cleared: number } } | Wait;
  /** Whether the password is right; `hashText` null: nobody has it, and the same time passes. Throws `TooBusy`. */
  isRight(who: Who, password: string, hashText: string | null): Promise<boolean>;
  /** The wait of a network that has used up its failures; null: it may go on. For what has no account: passkeys, invitations. */
  waitOf(address: string): Wait | null;
  failed(address: string): void;
  /** Whether the network may begin another step; counts it. */
  mayBegin(address: string): boolean;
  /** The wait before another invitation, or notice of a request, may be mailed to this address; null: it may, and is counted. */
  mailWait(of: { organizationId: string; email: string; what?: 'invitation' | 'notice' }): Wait | null;
  hash(password: string): Promise<string>;
  /** To be reported to the other processes. */
  tallies: Readonly<
    Record<
      'signInGuesses' | 'signInInvented' | 'wrongPasswords' | 'stepsBegun' | 'organizationMails' | 'personMails',
      Tally
    >
  >;
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
  // By the clock of the service, as the waits of a pair are.
  const byClock = { monotonic: clock, nameOf };
  const failures = openFailureBudget({ ...byClock, ...FAILURES });
  const begun = openFailureBudget({ ...byClock, ...BEGUN });
  const mails = {
    organization: openFailureBudget({ ...byClock, ...MAILS.organization }),
    person: openFailureBudget({ ...byClock, ...MAILS.person }),
  };
  const strangers = openFailureBudget({ monotonic, ...STRANGERS });
  const checks = openSecretChecks({ monotonic, hashing: { hash: hashPassword, verify: verifyPassword } });
  /** Accounts and the networks from which they have signed in. */
  const familiar = new LRUCache<string, true>(atMost(50_000));
  const accountOf = ({ organizationId, email }: Account) => JSON.stringify([organizationId, email]);
  const pairOf = (who: Who) => nameOf(`${addressBlock(who.address)}\n${accountOf(who)}`);
  const waitOf = (address: string): Wait | null =>
    failures.hasRoom(address) ? null : { retryAfterSeconds: Math.ceil(1 / FAILURES.perSecond) };

  return {
    begin({ exists, ...who }) {
      const { address } = who;
      const wait = waitOf(address);
      if (wait !== null) return wait;
      const attempt = guard.begin({ clientId: accountOf(who), exists, address });
      if ('retryAfterSeconds' in attempt) return attempt;
      failures.spend(address);
      let ended = false;
      return {
        end(outcome) {
          if (!ended && outcome !== 'wrong') failures.giveBack(address);
          if (!ended && outcome === 'right') familiar.set(pairOf(who), true);
          ended = true;
          return attempt.end(outcome);
        },
      };
    },
    async isRight(who, password, hashText) {
      const lane = familiar.has(pairOf(who)) ? 'proven' : 'new';
      if (hashText !== null) return checks.verify(password, hashText, lane);
      // A full lane refuses people who exist too; an imitation that is never refused would tell them apart.
      if (checks.isFull(lane)) throw new TooBusy('Too many passwords are being checked.');
      if (strangers.hasRoom(EVERYWHERE)) {
        strangers.spend(EVERYWHERE);
        await checks.verify(password, null, lane);
      } else await checks.imitate();
      return false;
    },
    waitOf,
    failed: (address) => failures.spend(address),
    mayBegin(address) {
      if (!begun.hasRoom(address)) return false;
      begun.spend(address);
      return true;
    },
    mailWait({ organizationId, email, what = 'invitation' }) {
      const person = nameOf(`${what}\n${organizationId}\n${normalizedEmail(email)}`);
      if (!mails.person.hasRoom(person)) return { retryAfterSeconds: Math.ceil(1 / MAILS.person.perSecond) };
      if (!mails.organization.hasRoom(organizationId)) {
        return { retryAfterSeconds: Math.ceil(1 / MAILS.organization.perSecond) };
      }
      mails.person.spend(person);
      mails.organization.spend(organizationId);
      return null;
    },
    hash: checks.hash,
    tallies: {
      signInGuesses: guard.tallies.real,
      signInInvented: guard.tallies.invented,
      wrongPasswords: failures.tally,
      stepsBegun: begun.tally,
      organizationMails: mails.organization.tally,
      personMails: mails.person.tally,
    },
  };
}
