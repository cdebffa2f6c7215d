/**
 * Checks the secret of a client that requests a token.
 *
 * A correct secret is checked with the slow hash once per process; after that a keyed digest in memory recognises it, even when access has
 * changed in the meantime. So clients that have proven themselves never wait. For all others the slow checks are rationed:
 * an id that belongs to no client rarely reaches them, and takes as long as if it did; an address that has used up its failures, counted
 * over all client ids, has a lane of its own. See secret-checks.ts for the lanes, guard.ts for guesses at one client.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';
import type { Client, Directory } from './directory.ts';
import { openFailureBudget } from './failure-budget.ts';
import { addressBlock, openGuard } from './guard.ts';
import { type Lane, type SecretChecks, TooBusy } from './secret-checks.ts';
import type { Tally } from './usage-reports.ts';

export type PresentedSecret = { clientId: string; clientSecret: string; address: string };
export type Unproven = { denied: 'bad_credentials' } | { denied: 'too_many_failures'; retryAfterSeconds: number };

/** Wrong secrets from one address over all client ids: thirty at once, then one every two seconds. */
const FAILURES = { burst: 30, perSecond: 0.5 };
/**
 * Ids that belong to no client and still get a slow check, over all addresses: they keep the imitated durations realistic. These are
 * durations of one process, so this budget is not shared with other processes.
 */
const STRANGERS = { burst: 10, perSecond: 1 };

export type Proving = {
  prove(presented: PresentedSecret): Promise<Client | Unproven>;
  tallies: Readonly<Record<'guesses' | 'invented' | 'wrongSecrets', Tally>>;
};

export function openProving(options: {
  directory: Directory;
  checks: SecretChecks;
  clock: () => number;
  monotonic: () => number;
  nameOf: (text: string) => string;
  /** Called for a client that exists. */
  onWrongSecret?: (client: Client) => void;
}): Proving {
  const { directory, checks, clock, monotonic, nameOf, onWrongSecret } = options;
  const guard = openGuard({ clock, nameOf });
  const failures = openFailureBudget({ monotonic, ...FAILURES, nameOf });
  const strangers = openFailureBudget({ monotonic, ...STRANGERS });
  const digestKey = randomBytes(32);
  /** The secret that was found correct, by client id; valid as long as the client still has that hash. */
  const proven = new LRUCache<string, { digest: Buffer; secretHash: string }>(atMost(10_000));
  /** Clients and the address blocks from which they have proven themselves. */
  const familiar = new LRUCache<string, true>(atMost(50_000));
  const attempts = new Map<string, Promise<Client | Unproven>>();

  return {
    tallies: { guesses: guard.tallies.real, invented: guard.tallies.invented, wrongSecrets: failures.tally },
    /**
     * Callers that present the same secret for the same client from the same address at the same time count as one attempt: fifty workers that
     * start together are not guessing, and a guesser learns nothing from asking the same thing twice.
     */
    prove(presented) {
      const digest = createHmac('sha256', digestKey)
        .update(`${presented.clientId}\n${presented.clientSecret}`)
        .digest();
      const name = `${digest.toString('base64')} ${presented.address}`;
      const shared = attempts.get(name);
      if (shared) return shared;
      const attempt = prove(presented, digest).finally(() => attempts.delete(name));
      attempts.set(name, attempt);
      return attempt;
    },
  };

  async function prove(presented: PresentedSecret, digest: Buffer): Promise<Client | Unproven> {
    const { clientId, address } = presented;
    await directory.freshen(monotonic());
    const cached = directory.snapshot.clients.get(clientId);
    const isProven = cached !== undefined && matches(cached, digest);
    // Anything but a proven secret is looked up in the database, so that a secret created by another process a moment ago is accepted.
    const client = isProven ? cached : await directory.loadClient(clientId);
    const attempt = guard.begin({ clientId, exists: client !== null, address });
    if ('retryAfterSeconds' in attempt) return { denied: 'too_many_failures', ...attempt };
    try {
      const right = isProven || (client !== null && matches(client, digest)) || (await isRight(presented, client));
      attempt.end(right ? 'right' : 'wrong');
      if (!right || client === null) {
        failures.spend(address);
        if (client !== null) onWrongSecret?.(client);
        return { denied: 'bad_credentials' };
      }
      proven.set(clientId, { digest, secretHash: client.secretHash });
      familiar.set(pairOf(presented), true);
      return client;
    } catch (error) {
      // For an address over its budget, only a few secrets are checked at a time; the refusal is the same whether the client exists or not.
      if (error instanceof TooBusy && laneOf(presented) === 'suspect') {
        return { denied: 'too_many_failures', retryAfterSeconds: 1 };
      }
      throw error;
    } finally {
      attempt.end('undecided');
    }
  }

  function matches(client: Client, digest: Buffer): boolean {
    const known = proven.get(client.clientId);
    return client.active && known?.secretHash === client.secretHash && timingSafeEqual(known.digest, digest);
  }

  /** The slow check. For an id that belongs to no active client it is imitated, except for a few: see `STRANGERS`. */
  async function isRight(presented: PresentedSecret, client: Client | null): Promise<boolean> {
    const { clientSecret } = presented;
    const lane = laneOf(presented);
    if (client?.active) return checks.verify(clientSecret, client.secretHash, lane);
    // A full lane refuses existing clients too; an imitation that is never refused would reveal which ids exist.
    if (checks.isFull(lane)) throw new TooBusy('Too many secrets are being checked.');
    if (strangers.hasRoom(EVERYWHERE)) {
      strangers.spend(EVERYWHERE);
      await checks.verify(clientSecret, null, lane);
    } else await checks.imitate();
    return false;
  }

  function laneOf(presented: PresentedSecret): Lane {
    if (familiar.has(pairOf(presented))) return 'proven';
    return failures.hasRoom(presented.address) ? 'new' : 'suspect';
  }
}

/** The budget for all addresses together. */
const EVERYWHERE = 'everywhere';

// A newline cannot occur in an address, so two pairs never share a name.
const pairOf = ({ address, clientId }: PresentedSecret): string => `${addressBlock(address)}\n${clientId}`;
