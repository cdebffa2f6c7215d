/**
 * Owners: with several processes on one database, each volume has an owner, and the others forward writes of its loans to it. So the
 * commands for one loan meet in one process, where they queue, instead of losing races against each other in the database.
 *
 * It is about speed alone. Two processes that both take themselves for the owner, or none that does, make no wrong book: the version of
 * the loan in the database decides every write. A forwarded write is never forwarded again.
 */
import type { Db } from '../store/db.ts';
import { beat, removeForgotten, removeProcess } from '../store/processes.ts';
import { volumeOf } from '../store/volumes.ts';
import { type Link, openLink, type Sent } from './link.ts';
import { openListener } from './listener.ts';
import { ownersOf } from './rendezvous.ts';
import { forwardingKey } from './tls.ts';

export type Owners = {
  /** Whether another process owns the volume of the loan, as far as this one knows. */
  isElsewhere(loanId: string): boolean;
  /** Sends a message to the owner. `slow`: it asks a credit bureau, and may take as long as a request. */
  forward(loanId: string, message: object, slow: boolean): Promise<Sent>;
  /** How many were sent, by what came of it, and how many were carried out for others. */
  counts(): Readonly<Record<Sent['kind'] | 'served', number>>;
  /** Whether nothing is heard of a process now. Which of its writes have taken effect only the database knows. */
  isAway(processId: string): boolean;
  /** Gives the volumes up: from now on the others own them, and this process forwards too. A silent database is not waited for. */
  leave(): Promise<void>;
  /** Waits for what was taken from others, and takes nothing more. */
  close(): Promise<void>;
};

export type OwnersEvent = { kind: 'process joined' | 'process left' | 'process not reached'; processId: string };

const BEAT_MS = 1_000;
/** A process that was last seen longer ago is away: three beats missed. */
const ALIVE_MS = 3_500;
/** How long a process that could not be reached, or did not answer, is not asked again. */
const SHUNNED_MS = 10_000;
/** How long an owner may take, unless the message is slow: far more than the longest queue of writes. */
const LIMIT_MS = 10_000;
/** How long giving the volumes up may take: without it the others find out when the heartbeat lapses. */
const LEAVE_MS = 1_000;

type Other = { address: string; link: Link };

export async function openOwners(options: {
  /** New at every start. */
  processId: string;
  /** Its volumes must have been read. */
  volumes: Pick<Db, 'volumes'>;
  /** For the heartbeat: a pool that other work does not fill. */
  db: Db;
  /** Epoch milliseconds. */
  clock: () => number;
  /** Milliseconds that never jump. */
  monotonic: () => number;
  /** The root secret `forwarding`. */
  secret: Uint8Array;
  /** Where to listen; the others reach this process there. */
  listen: { host: string; port: number };
  /** How long a request may take. */
  requestMs: number;
  /** Whether this process can write now. While it cannot, it owns nothing and carries nothing out for others. */
  canWrite: () => boolean;
  /** Carries a forwarded message out; null: not here. It does not forward. */
  serve: (message: unknown, isMine: (loanId: string) => boolean) => Promise<object | null>;
  onEvent: (event: OwnersEvent) => void;
}): Promise<Owners> {
  const { processId, db, volumes, clock, monotonic, secret, canWrite, onEvent } = options;
  const slowMs = Math.max(1_000, options.requestMs - 1_000);
  const others = new Map<string, Other>();
  const shunned = new Map<string, number>();
  const counts = { answered: 0, away: 0, unknown: 0, served: 0 };
  /** The owner of each volume; empty while this process is alone. */
  let owners: readonly string[] = [];
  /** How far the clock of the database is ahead of ours. */
  let ahead = 0;
  let leaving = false;
  /** The processes that `owners` was computed from. */
  let assigned = '';
  let beats = 0;
  const now = () => clock() + ahead;

  const listener = await openListener({
    listen: options.listen,
    processId,
    key: forwardingKey(secret, processId),
    now,
    longestMs: Math.max(slowMs, LIMIT_MS),
    async serve(message) {
      const done = leaving || !canWrite() ? null : await options.serve(message, isMine);
      if (done !== null) counts.served += 1;
      return done;
    },
  });
  // Without the database nothing is forwarded, and requests report that it is away.
  let beating: Promise<void> | null = null;
  await keepBeating();
  const timer = setInterval(keepBeating, BEAT_MS);
  timer.unref();

  return {
    isElsewhere: (loanId) => ownerOf(loanId) !== processId,
    async forward(loanId, message, slow) {
      const owner = ownerOf(loanId);
      const other = others.get(owner);
      if (other === undefined) return { kind: 'away', lasting: false };
      const sent = await other.link.send(message, slow ? slowMs : Math.min(LIMIT_MS, slowMs));
      counts[sent.kind] += 1;
      if (sent.kind !== 'answered' && sent.lasting) shun(owner);
      return sent;
    },
    counts: () => counts,
    isAway: (id) => id !== processId && (!others.has(id) || shunned.has(id)),
    leave,
    async close() {
      await leave();
      await listener.close();
      for (const { link } of others.values()) link.retire();
    },
  };

  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    clearInterval(timer);
    assign();
    const left = async () => {
      await beating;
      await removeProcess(db, processId);
    };
    const late = new Promise((resolve) => setTimeout(resolve, LEAVE_MS).unref());
    await Promise.race([left().catch(() => {}), late]);
  }

  function ownerOf(loanId: string): string {
    return owners.length === 0 ? processId : (owners[volumeOf(volumes, loanId)] as string);
  }

  function isMine(loanId: string): boolean {
    return ownerOf(loanId) === processId;
  }

  function keepBeating(): Promise<void> {
    beating ??= beatOnce()
      .catch(() => {})
      .finally(() => {
        beating = null;
      });
    return beating;
  }

  async function beatOnce(): Promise<void> {
    if (leaving) return;
    const before = clock();
    const seen = await beat(db, { processId, address: listener.address, aliveMs: ALIVE_MS, isAlive: canWrite() });
    ahead = seen.now - (before + clock()) / 2;
    meet(new Map(seen.others.map((other) => [other.processId, other.address])));
    beats += 1;
    if (beats % 60 === 1) await removeForgotten(db);
  }

  function meet(seen: ReadonlyMap<string, string>): void {
    for (const [id, { address, link }] of [...others]) {
      if (seen.get(id) === address) continue;
      others.delete(id);
      shunned.delete(id);
      link.retire();
      onEvent({ kind: 'process left', processId: id });
    }
    for (const [id, address] of seen) {
      if (others.has(id)) continue;
      others.set(id, {
        address,
        link: openLink({ processId: id, address, key: forwardingKey(secret, id), now }),
      });
      onEvent({ kind: 'process joined', processId: id });
    }
    for (const [id, until] of [...shunned]) if (until <= monotonic()) shunned.delete(id);
    assign();
  }

  /** Its volumes go to the others at once, as they will for everybody when its heartbeat lapses. */
  function shun(id: string): void {
    if (!others.has(id)) return;
    if (!shunned.has(id)) onEvent({ kind: 'process not reached', processId: id });
    shunned.set(id, monotonic() + SHUNNED_MS);
    assign();
  }

  function assign(): void {
    const live = [...others.keys()].filter((id) => !shunned.has(id));
    if (!leaving && canWrite()) live.push(processId);
    // The hashes are computed when somebody comes or goes, not with every beat.
    const list = live.sort().join(' ');
    if (list === assigned) return;
    assigned = list;
    owners = live.length === 0 || list === processId ? [] : ownersOf(volumes.volumes.count, live);
  }
}
