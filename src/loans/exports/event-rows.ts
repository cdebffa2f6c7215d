/** Events in the order of the feed, up to its end at the moment of the export. */
import type { Feed, FeedEvent } from '../feed/feed.ts';
import { tickOf } from '../feed/place.ts';
import { shareOf } from '../too-many-waiting.ts';
import type { ExportAsked, Moment, Place, Row, Source, SourceAsked } from './exports.ts';

export type EventRowsOptions = {
  feed: Pick<Feed, 'read'>;
  turn: (organizationId: string) => Promise<void>;
};

const EVENTS_AT_ONCE = 1_000;

export function openEventRows({ feed, turn }: EventRowsOptions): Source {
  return { place: ([id, ...more]) => /^evt_[0-9a-z_]{1,60}$/.test(id ?? '') && more.length === 0, rows, share };

  function share([id = '']: Place, moment: Moment): number {
    return tickOf(id) / Math.max(1, tickOf(moment.feed));
  }

  async function* rows({ actor, asked, moment, after: last }: SourceAsked): AsyncGenerator<readonly Row[]> {
    const end = tickOf(moment.feed);
    let after = last?.[0] ?? null;
    for (;;) {
      const page = await feed.read(actor, { after, types: [], loanId: null, limit: EVENTS_AT_ONCE });
      if (page === 'unknown cursor') throw new Error('The feed does not know an event that it gave.');
      await turn(shareOf(actor));
      const events = page.events.filter(({ id }) => tickOf(id) <= end);
      const shown = events.filter((event) => isAsked(event, asked)).map(rowOf);
      if (shown.length > 0) yield shown;
      if (!page.more || events.length < page.events.length || tickOf(page.nextCursor) > end) return;
      after = page.nextCursor;
    }
  }
}

/** By the date on which it takes effect. An event that is not about a loan has none, and is left out when one is asked for. */
function isAsked({ dateEffective: on, recordedAt }: FeedEvent, { from, to, asOf, knownAt }: ExportAsked): boolean {
  if (knownAt !== null && Date.parse(recordedAt) > Date.parse(knownAt)) return false;
  if (on === null) return from === null && to === null && asOf === null;
  return (from === null || on >= from) && (to === null || on <= to) && (asOf === null || on <= asOf);
}

function rowOf(event: FeedEvent): Row {
  const { id, type, loanId, transactionHash, sequence, dateEffective, recordedAt, subject } = event;
  return { at: [id], cells: [id, type, loanId, transactionHash, sequence, dateEffective, recordedAt, subject] };
}
