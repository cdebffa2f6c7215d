/**
 * The events of one endpoint that are on their way, in the order of the feed: which may be sent now, and what has to be saved. An event of a
 * loan waits until the one before it is delivered or dead; events of different loans do not wait for each other. Pure: times come in.
 *
 * Live events are one lane, and each replay is another, so that both keep their order and neither waits for the other.
 */
import type { FeedEvent } from '../loans/feed/read.ts';

/** Read ahead of the saved cursor, at most. */
const WINDOW = 1_000;
/** With a row of their own, at most: then the cursor stays until some of them are delivered or dead. */
const STORED_AT_MOST = 10_000;
/** An attempt that takes longer gets a row, so that the cursor does not wait for it. */
const SLOW_MS = 2_000;

export type Item = {
  readonly lane: string;
  readonly event: FeedEvent;
  readonly place: number;
  /** The cursor right before it, and a digest of the grants under which it was read. */
  readonly preceding: string | null;
  readonly reach: string;
  attempts: number;
  /** The attempts that count until it is given up: those while the endpoint was not down. */
  steps: number;
  nextAt: number;
  firstFailedAt: number | null;
  lastOutcome: string | null;
  deadAt: number | null;
  /** The time of the last attempt; 0: none yet. */
  triedAt: number;
  state: 'waiting' | 'flying' | 'settled';
  isStored: boolean;
};

export type Placed = { readonly event: FeedEvent; readonly preceding: string | null };

export type LaneChanges = { cursor: string | null; save: Item[]; remove: Item[] };

export type Lane = {
  readonly name: string;
  /** A page of the feed, each event with the cursor right before it; `to` is the cursor after the page. */
  add(events: readonly Placed[], to: string, reach: string): void;
  hasRoom(): boolean;
  /** The next event to send, marked as flying. `probing`: the one whose loan was tried the longest ago, due or not. */
  next(now: number, probing: boolean): Item | null;
  /** The time at which the next event becomes due; null: none waits for a time. */
  dueAt(): number | null;
  delivered(item: Item): void;
  /** `steps`: how many of its attempts count by now. */
  failed(item: Item, nextAt: number, steps: number): void;
  /** It stays as a dead letter, and its loan goes on. */
  dead(item: Item, at: number): void;
  /** It must not be delivered any more. */
  dropped(item: Item): void;
  /** Not sent after all; to be looked at again then. */
  putBack(item: Item, nextAt: number): void;
  /** Everything that waits for a time is due. */
  hurry(now: number): void;
  /** The changes since the last call. `isDown`: then the cursor stays before everything that has failed. */
  changes(now: number, isDown: boolean): LaneChanges;
  /** Nothing is waiting or flying. */
  isEmpty(): boolean;
  hasFailed(): boolean;
  /** The time at which the oldest undelivered event was recorded. */
  oldest(): string | null;
  readonly readTo: string | null;
};

export type Restored = Omit<Item, 'triedAt' | 'state' | 'isStored'>;

/** The key of the events that keep their order: the loan, or the subject of an event that is not about a loan. */
export const loanOf = ({ event }: Pick<Item, 'event'>): string => event.loanId ?? event.subject ?? event.id;

export function openLane(name: string, cursor: string | null, restored: readonly Restored[]): Lane {
  /** By loan, in order. The first of each may be sent. */
  const loans = new Map<string, Item[]>();
  /** Loans whose first event is due. */
  const ready = new Set<string>();
  /** First events that wait for a time, the soonest first. */
  let later: Item[] = [];
  /** Everything after the saved cursor, in the order of the feed. */
  let order: Item[] = [];
  let [readTo, savedTo] = [cursor, cursor];
  const stored = new Set<Item>();
  const changed = new Set<Item>();
  let removed: Item[] = [];
  let place = restored.at(-1)?.place ?? 0;
  let failing = 0;

  for (const one of restored) {
    const item: Item = { ...one, triedAt: 0, state: 'waiting', isStored: true };
    stored.add(item);
    if (item.attempts > 0) failing += 1;
    append(item);
  }

  return {
    name,
    add(events, to, reach) {
      for (const { event, preceding } of events) {
        place += 1;
        const item: Item = {
          ...{ lane: name, event, place, preceding, reach },
          ...{ attempts: 0, steps: 0, nextAt: 0, firstFailedAt: null, lastOutcome: null, deadAt: null, triedAt: 0 },
          state: 'waiting',
          isStored: false,
        };
        order.push(item);
        append(item);
      }
      readTo = to;
    },
    hasRoom: () => order.length < WINDOW,
    next(now, probing) {
      if (probing) {
        const heads = [...ready].map(headOf).concat(later);
        const item = heads.reduce<Item | null>((best, one) => (best === null || before(one, best) ? one : best), null);
        return item && fly(item, now);
      }
      while (later[0] !== undefined && later[0].nextAt <= now) ready.add(loanOf(later.shift() as Item));
      for (const loan of ready) return fly(headOf(loan), now);
      return null;
    },
    dueAt: () => later[0]?.nextAt ?? null,
    delivered: (item) => settle(item, true),
    failed(item, nextAt, steps) {
      if (item.attempts === 0) failing += 1;
      item.attempts += 1;
      item.steps = steps;
      item.nextAt = nextAt;
      item.state = 'waiting';
      if (item.isStored) changed.add(item);
      wait(item);
    },
    dead(item, at) {
      if (item.attempts === 0) failing += 1;
      item.attempts += 1;
      item.deadAt = at;
      changed.add(item);
      settle(item, false);
    },
    dropped: (item) => settle(item, true),
    putBack(item, nextAt) {
      item.nextAt = nextAt;
      item.state = 'waiting';
      wait(item);
    },
    hurry(now) {
      for (const item of later) {
        item.nextAt = Math.min(item.nextAt, now);
        ready.add(loanOf(item));
      }
      later = [];
    },
    changes(now, isDown) {
      let passed = 0;
      for (const item of order) {
        if (item.state !== 'settled' && !item.isStored) {
          if (isDown || stored.size >= STORED_AT_MOST || !isHeldUp(item, now)) break;
          item.isStored = true;
          stored.add(item);
          changed.add(item);
        }
        savedTo = item.event.id;
        passed += 1;
      }
      order = passed === 0 ? order : order.slice(passed);
      if (order.length === 0) savedTo = readTo;
      const made = { cursor: savedTo, save: [...changed], remove: removed };
      changed.clear();
      removed = [];
      return made;
    },
    isEmpty: () => loans.size === 0,
    hasFailed: () => failing > 0,
    oldest() {
      const first = stored.values().next().value ?? order.find(({ state }) => state !== 'settled');
      return first?.event.recordedAt ?? null;
    },
    get readTo() {
      return readTo;
    },
  };

  function append(item: Item): void {
    const loan = loanOf(item);
    const waiting = loans.get(loan);
    if (waiting !== undefined) {
      waiting.push(item);
      return;
    }
    loans.set(loan, [item]);
    wait(item);
  }

  function headOf(loan: string): Item {
    return (loans.get(loan) as Item[])[0] as Item;
  }

  /** The first of its loan is due now or later. */
  function wait(item: Item): void {
    if (item.nextAt === 0) {
      ready.add(loanOf(item));
      return;
    }
    let [low, high] = [0, later.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((later[middle] as Item).nextAt <= item.nextAt) low = middle + 1;
      else high = middle;
    }
    later.splice(low, 0, item);
  }

  function fly(item: Item, now: number): Item {
    if (!ready.delete(loanOf(item))) later = later.filter((other) => other !== item);
    item.state = 'flying';
    item.triedAt = now;
    return item;
  }

  /** `gone`: its row, if it has one, is removed; a dead letter keeps it. */
  function settle(item: Item, gone: boolean): void {
    if (item.attempts > 0) failing -= 1;
    item.state = 'settled';
    if (gone && item.isStored) {
      changed.delete(item);
      removed.push(item);
    }
    stored.delete(item);
    const loan = loanOf(item);
    const waiting = loans.get(loan) as Item[];
    waiting.shift();
    if (waiting[0] === undefined) loans.delete(loan);
    else wait(waiting[0]);
  }

  /** It has failed, takes long, or waits behind one of its loan that does. */
  function isHeldUp(item: Item, now: number): boolean {
    const first = headOf(loanOf(item));
    return first.isStored || first.attempts > 0 || (first.state === 'flying' && now - first.triedAt > SLOW_MS);
  }
}

function before(one: Item, other: Item): boolean {
  return one.triedAt === other.triedAt ? one.place < other.place : one.triedAt < other.triedAt;
}
