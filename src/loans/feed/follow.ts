import { DatabaseUnavailable } from '../../store/db/db.ts';
import { tickOf } from './place.ts';
import type { FeedPage, FeedQuery, FeedReach } from './read.ts';

export type Follow = {
  /** The loans that the reader sees now; null: it is no longer admitted, and the reading ends. */
  readonly reach: () => Promise<FeedReach | null>;
  readonly asked: Omit<FeedQuery, 'limit'>;
  readonly signal: AbortSignal;
};

/** Pages as they come; one without events says that the reader is still connected. */
export type Following = AsyncGenerator<FeedPage, void, undefined>;

export type FollowOptions = {
  readonly read: (reach: FeedReach, asked: FeedQuery) => Promise<FeedPage | 'unknown cursor'>;
  readonly changed: (after: string, ms: number, signal?: AbortSignal) => Promise<void>;
};

/** Readers of one organization, and of all, in one process. */
const READERS = { organization: 256, everyone: 2_048 };
/** A reader hears something at least this often, so that neither side keeps a dead connection. */
const QUIET_MS = 15_000;
const PAGE = 500;
/** Pages that a channel remembers for readers who are a moment late. */
const REMEMBERED = 16;

type Channel = {
  readers: number;
  /** The cursor that it has read up to. */
  edge: string;
  readonly pages: { readonly from: string; readonly page: FeedPage }[];
  /** Resolves when it has read a page, or has ended. */
  next: Promise<void>;
  ended: boolean;
};

export function openFollowers({ read, changed }: FollowOptions) {
  const ends = new AbortController();
  const channels = new Map<string, Channel>();
  const readers = new Map<string, number>();
  let everyone = 0;
  return { follow, stop: () => ends.abort() };

  /** `too many`: the organization has as many readers as it may have; `full`: the process has. */
  function follow(organizationId: string, given: Follow): Following | 'too many' | 'full' {
    if ((readers.get(organizationId) ?? 0) >= READERS.organization) return 'too many';
    return everyone >= READERS.everyone ? 'full' : counted(organizationId, given);
  }

  async function* counted(organizationId: string, given: Follow): Following {
    everyone += 1;
    readers.set(organizationId, (readers.get(organizationId) ?? 0) + 1);
    try {
      yield* pagesOf({ ...given, signal: AbortSignal.any([given.signal, ends.signal]) });
    } catch (error) {
      // The reader comes back, and goes on after the last event it has.
      if (!(error instanceof DatabaseUnavailable)) throw error;
    } finally {
      everyone -= 1;
      const left = (readers.get(organizationId) ?? 1) - 1;
      if (left === 0) readers.delete(organizationId);
      else readers.set(organizationId, left);
    }
  }

  async function* pagesOf({ reach, asked, signal }: Follow): Following {
    let cursor = asked.after;
    let joined: { name: string; channel: Channel } | null = null;
    try {
      while (!signal.aborted) {
        const now = await reach();
        if (now === null) return;
        const name = nameOf(now, asked);
        if (joined !== null && (joined.name !== name || joined.channel.ended)) {
          leave(joined);
          joined = null;
        }
        const ready = joined === null || cursor === null ? null : pageAfter(joined.channel, cursor);
        if (ready !== null) {
          cursor = ready.nextCursor;
          if (ready.events.length > 0) yield ready;
        } else if (joined !== null && cursor !== null && tickOf(cursor) >= tickOf(joined.channel.edge)) {
          const came = await soon(joined.channel.next, signal);
          if (!came && !signal.aborted) yield { events: [], nextCursor: cursor, more: false };
        } else {
          const page = await read(now, { ...asked, after: cursor, limit: PAGE });
          if (page === 'unknown cursor') return;
          cursor = page.nextCursor;
          if (!page.more) joined ??= { name, channel: join(name, now, asked, cursor) };
          yield page;
        }
      }
    } finally {
      if (joined !== null) leave(joined);
    }
  }

  function join(name: string, reach: FeedReach, asked: Follow['asked'], at: string): Channel {
    const channel = channels.get(name) ?? begin(name, reach, asked, at);
    channel.readers += 1;
    return channel;
  }

  function leave({ channel }: { channel: Channel }): void {
    channel.readers -= 1;
  }

  function begin(name: string, reach: FeedReach, asked: Follow['asked'], at: string): Channel {
    let told = () => {};
    const another = () =>
      new Promise<void>((resolve) => {
        told = resolve;
      });
    const channel: Channel = { readers: 0, edge: at, pages: [], next: another(), ended: false };
    channels.set(name, channel);
    // A failure ends the channel; its readers read by themselves then, and find out what it is.
    void run()
      .catch(() => {})
      .finally(() => {
        channel.ended = true;
        channels.delete(name);
        told();
      });
    return channel;

    async function run(): Promise<void> {
      do {
        await changed(channel.edge, QUIET_MS, ends.signal);
        if (channel.readers === 0) return;
        const page = await read(reach, { ...asked, after: channel.edge, limit: PAGE });
        if (page === 'unknown cursor') return;
        if (page.nextCursor === channel.edge) continue;
        channel.pages.push({ from: channel.edge, page });
        if (channel.pages.length > REMEMBERED) channel.pages.shift();
        channel.edge = page.nextCursor;
        const wake = told;
        channel.next = another();
        wake();
      } while (!ends.signal.aborted);
    }
  }
}

/** The page that a channel has read after the cursor; null: nothing, or it no longer remembers. A cursor inside a tick is where a page ended. */
function pageAfter({ pages }: Channel, cursor: string): FeedPage | null {
  const exact = pages.find(({ from }) => from === cursor);
  if (exact !== undefined) return exact.page;
  const tick = tickOf(cursor);
  const around = pages.find(({ from, page }) => tickOf(from) <= tick && tick < tickOf(page.nextCursor));
  if (around === undefined || !cursor.endsWith('_0_0')) return null;
  return { ...around.page, events: around.page.events.filter(({ id }) => tickOf(id) > tick) };
}

/** False: nothing came in time. */
function soon(next: Promise<void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (came: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', gone);
      resolve(came);
    };
    const gone = () => end(false);
    const timer = setTimeout(end, QUIET_MS, false).unref();
    signal.addEventListener('abort', gone);
    void next.then(() => end(true));
  });
}

/** Readers with the same name see the same. */
function nameOf({ organizationId, grants }: FeedReach, { types, loanId }: Follow['asked']): string {
  const seen = grants.map(({ ownerOrganizationId, servicerId }) => `${ownerOrganizationId} ${servicerId ?? ''}`).sort();
  return JSON.stringify([organizationId, seen, [...types].sort(), loanId]);
}
