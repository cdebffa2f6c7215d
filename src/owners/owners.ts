/**
 * Owners: with several processes on one database, each volume has an owner, and the others forward writes of its loans to it. So the
 * commands for one loan are queued in one process instead of losing races against each other in the database.
 *
 * This only affects speed. If two processes both consider themselves the owner, or none does, the books stay correct: the version of
 * the loan in the database decides every write. A forwarded write is never forwarded again.
 */

import { beat, removeForgotten, removeProcess } from '../store/access/processes.ts';
import type { Db } from '../store/db/db.ts';
import { volumeOf } from '../store/db/volumes.ts';
import { type Link, openLink, type Sent } from './link.ts';
import { openListener } from './listener.ts';
import { ownersOf } from './rendezvous.ts';
import { forwardingKey } from './tls.ts';

export type Owners = {
  /** Whether another process owns the volume of the loan, as far as this one knows. */
  isElsewhere(loanId: string): boolean;
  /** Sends a message to the owner. `slow`: it calls a credit bureau, and may take as long as a request. */
  forward(loanId: string, message: object, slow: boolean): Promise<Sent>;
  /** The number of messages sent, by outcome, and of those processed for others. */
  counts(): Readonly<Record<Sent['kind'] | 'served', number>>;
  /** Whether a process has no current heartbeat. Only the database knows which of its writes have taken effect. */
  isAway(processId: string): boolean;
  /** Gives up the volumes: from now on the others own them, and this process forwards too. Does not wait for a silent database. */
  leave(): Promise<void>;
  /** Waits for accepted messages and accepts no more. */
  close(): Promise<void>;
};

export type OwnersEvent = { kind: 'process joined' | 'process left' | 'process unreachable'; processId: string };

const BEAT_MS = 1_000;
/** A process last seen longer ago than this is away: it has missed three heartbeats. */
const ALIVE_MS = 3_500;
/** The time for which a process that could not be reached, or did not answer, is not contacted again. */
const SHUNNED_MS = 10_000;
/** The time that an owner may take, unless the message is slow: far longer than the longest queue of writes. */
const LIMIT_MS = 10_000;
/** The time that giving up the volumes may take; otherwise the others notice when the heartbeat expires. */
const LEAVE_MS = 1_000;

type Other = { address: string; link: Link };

export async function openOwners(options: {
  /** New at every start. */
  processId: string;
  /** Its volumes must have been read. */
  volumes: Pick<Db, 'volumes'>;
  /** For the heartbeat: a connection pool that other work does not use up. */
  db: Db;
  /** Epoch milliseconds. */
  clock: () => number;
  /** Monotonic milliseconds. */
  monotonic: () => number;
  /** The root secret `forwarding`. */
  secret: Uint8Array;
  /** The address to listen on; other processes reach this one there. */
  listen: { host: string; port: number };
  /** The time that a request may take. */
  requestMs: number;
  /** Whether this process can currently write. While it cannot, it owns nothing and processes nothing for others. */
  canWrite: () => boolean;
  /** Processes a forwarded message; null: not here. It does not forward. */
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
  /** The time by which the clock of the database is ahead of ours. */
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
  // Without the database nothing is forwarded, and requests report that it is unavailable.
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

  /** For this process, its volumes go to the others at once, as they will for all processes when its heartbeat expires. */
  function shun(id: string): void {
    if (!others.has(id)) return;
    if (!shunned.has(id)) onEvent({ kind: 'process unreachable', processId: id });
    shunned.set(id, monotonic() + SHUNNED_MS);
    assign();
  }

  function assign(): void {
    const live = [...others.keys()].filter((id) => !shunned.has(id));
    if (!leaving && canWrite()) live.push(processId);
    // The hashes are computed when a process joins or leaves, not with every heartbeat.
    const list = live.sort().join(' ');
    if (list === assigned) return;
    assigned = list;
    owners = live.length === 0 || list === processId ? [] : ownersOf(volumes.volumes.count, live);
  }
}
