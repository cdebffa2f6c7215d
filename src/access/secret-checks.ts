/**
 * The slow checks of secrets, at most two at a time. They take 32 MiB and two of the four threads that Node also needs
 * for files and DNS; a check takes 64 ms at best, with a median of 106 ms on two busy cores.
 *
 * Checks wait in lanes, each with its own limit, and the lanes take turns: a caller that fills one lane delays a check of another by three
 * checks at most, which is a third of a second.
 */
import { randomInt } from 'node:crypto';
import { hashSecret, verifySecret } from './secrets.ts';

/**
 * `proven`: the client has proven itself from this address before. `new`: it has not. `suspect`: neither, and the address has used up its
 * failures. `made`: the hash of a new secret.
 */
export type Lane = 'proven' | 'new' | 'suspect' | 'made';
const LANES: readonly Lane[] = ['proven', 'new', 'suspect', 'made'];

/** Too many secrets are waiting in a lane. A retry after a second may succeed. */
export class TooBusy extends Error {
  override name = 'TooBusy';
}

export type SecretChecks = {
  verify(secret: string, hashText: string | null, lane: Lane): Promise<boolean>;
  hash(secret: string): Promise<string>;
  isFull(lane: Lane): boolean;
  /** Takes as long as one of the last checks took, waiting included, and does nothing. */
  imitate(): Promise<void>;
};

/** Both slow on purpose. With null `verify` does the same work, and the answer is false. */
type Hashing = {
  hash(secret: string): Promise<string>;
  verify(secret: string, hashText: string | null): Promise<boolean>;
};
const OF_CLIENTS: Hashing = { hash: hashSecret, verify: verifySecret };

/** The number of durations `imitate` chooses from. */
const REMEMBERED = 32;

export function openSecretChecks(options: {
  monotonic: () => number;
  limits?: { running: number; waiting: number };
  /** The hash of the secrets: that of clients by default. */
  hashing?: Hashing;
}): SecretChecks {
  const { monotonic, limits = { running: 2, waiting: 32 }, hashing = OF_CLIENTS } = options;
  const waiting: Record<Lane, (() => void)[]> = { proven: [], new: [], suspect: [], made: [] };
  const durations: number[] = [];
  let running = 0;
  let turn = LANES.length - 1;

  const isFull = (lane: Lane) => running >= limits.running && waiting[lane].length >= limits.waiting;

  /** The next lane that has a check waiting. */
  function next(): (() => void) | undefined {
    for (let i = 1; i <= LANES.length; i += 1) {
      const at = (turn + i) % LANES.length;
      const found = waiting[LANES[at] as Lane].shift();
      if (found === undefined) continue;
      turn = at;
      return found;
    }
    return undefined;
  }

  async function inLane<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (isFull(lane)) throw new TooBusy('Too many secrets are being checked.');
    if (running < limits.running) running += 1;
    // A check that ends passes its slot to the next one, so `running` does not change.
    else await new Promise<void>((resolve) => waiting[lane].push(resolve));
    try {
      return await work();
    } finally {
      const following = next();
      if (following === undefined) running -= 1;
      else following();
    }
  }

  return {
    isFull,
    hash: (secret) => inLane('made', () => hashing.hash(secret)),
    async verify(secret, hashText, lane) {
      const begun = monotonic();
      const right = await inLane(lane, () => hashing.verify(secret, hashText));
      durations.push(monotonic() - begun);
      if (durations.length > REMEMBERED) durations.shift();
      return right;
    },
    imitate() {
      const ms = durations.length === 0 ? 100 : durations[randomInt(durations.length)];
      return new Promise((resolve) => setTimeout(resolve, ms));
    },
  };
}
