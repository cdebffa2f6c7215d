/**
 * Fairness between organizations. `Shares` decides who may wait: one organization can never use up the room of the others. `Turns` decides who
 * is next: organizations with something waiting take turns, one item each, so that with k of them each gets every k-th turn, however
 * much another one has waiting. Every operation takes the same short time, however much is waiting.
 * Threads, reads and the queue of writes all use these two.
 */
export type Turns<T> = {
  add(organizationId: string, item: T): void;
  /** The oldest item of the organization whose turn it is. Undefined: nothing is waiting. */
  next(): T | undefined;
};

export function openTurns<T>(): Turns<T> {
  type Party = { readonly organizationId: string; readonly items: Line<T> };
  const parties = new Map<string, Party>();
  /** The organizations with something waiting, the next one first. */
  const ring = openLine<Party>();
  return {
    add(organizationId, item) {
      let party = parties.get(organizationId);
      if (party === undefined) {
        party = { organizationId, items: openLine() };
        parties.set(organizationId, party);
        ring.push(party);
      }
      party.items.push(item);
    },
    next() {
      const party = ring.shift();
      if (party === undefined) return undefined;
      const item = party.items.shift();
      if (party.items.first() === undefined) parties.delete(party.organizationId);
      else ring.push(party);
      return item;
    },
  };
}

/**
 * Runs work that blocks the event loop for a few milliseconds, one piece in each turn: other requests are read between
 * two pieces, and organizations take turns.
 */
export function openOneEachTurn(): (organizationId: string) => Promise<void> {
  const turns = openTurns<() => void>();
  let going = false;
  return (organizationId) =>
    new Promise((resolve) => {
      turns.add(organizationId, resolve);
      if (going) return;
      going = true;
      setImmediate(next);
    });

  function next(): void {
    const goOn = turns.next();
    going = goOn !== undefined;
    goOn?.();
    if (going) setImmediate(next);
  }
}

export type ShareLimits = {
  /** The most items that may wait in total. */
  readonly everyone: number;
  /** The most items that one organization may have waiting. */
  readonly organization: number;
  /** The items that an organization may have waiting even when the total is reached. They are in addition to `everyone`. */
  readonly guaranteed: number;
};

/** The limit that was reached: that of the item's own organization, or that of all together. */
export type Excess = 'organization' | 'everyone';

export type Shares = {
  /** The limit that the next item would reach; null: there is room. */
  excess(organizationId: string): Excess | null;
  /** Takes a place. Null: taken; otherwise the limit that was reached, and nothing is taken. */
  take(organizationId: string): Excess | null;
  give(organizationId: string): void;
};

export function openShares({ everyone, organization, guaranteed }: ShareLimits): Shares {
  const held = new Map<string, number>();
  let all = 0;
  const excess = (organizationId: string): Excess | null => {
    const own = held.get(organizationId) ?? 0;
    if (own >= organization) return 'organization';
    return all >= everyone && own >= guaranteed ? 'everyone' : null;
  };
  return {
    excess,
    take(organizationId) {
      const met = excess(organizationId);
      if (met !== null) return met;
      held.set(organizationId, (held.get(organizationId) ?? 0) + 1);
      all += 1;
      return null;
    },
    give(organizationId) {
      const own = held.get(organizationId) ?? 0;
      if (own === 0) throw new Error('A place was released that was not taken.');
      if (own === 1) held.delete(organizationId);
      else held.set(organizationId, own - 1);
      all -= 1;
    },
  };
}

/** First in, first out. Array.shift would move every remaining item. */
export type Line<T> = { push(item: T): void; first(): T | undefined; shift(): T | undefined };

export function openLine<T>(): Line<T> {
  type Link = { readonly item: T; next: Link | null };
  let first: Link | null = null;
  let last: Link | null = null;
  return {
    push(item) {
      const link: Link = { item, next: null };
      if (last === null) first = link;
      else last.next = link;
      last = link;
    },
    first: () => first?.item,
    shift() {
      const link = first;
      if (link === null) return undefined;
      first = link.next;
      if (first === null) last = null;
      return link.item;
    },
  };
}
