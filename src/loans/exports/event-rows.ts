/** Events in the order of the feed, up to its end at the moment of the export. */
import type { Sql } from '../../store/db/db.ts';
import type { Actor } from '../door/actor.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { tickOf } from '../feed/place.ts';
import type { FeedEvent } from '../feed/read.ts';
import { walkFeed } from '../feed/walk.ts';
import { ahead } from './ahead.ts';
import type { ExportQuery, Moment, Place, Row, Source, SourceQuery } from './source.ts';

export type EventRowsOptions = {
  reads: (actor: Actor) => Sql;
  turn: (organizationId: string) => Promise<void>;
};

export function openEventRows({ reads, turn }: EventRowsOptions): Source {
  return { place: ([id, ...more]) => /^evt_[0-9a-z_]{1,60}$/.test(id ?? '') && more.length === 0, rows, share };

  function share([id = '']: Place, moment: Moment): number {
    return tickOf(id) / Math.max(1, tickOf(moment.feed));
  }

  async function* rows({ actor, asked, moment, after }: SourceQuery): AsyncGenerator<readonly Row[]> {
    const through = tickOf(moment.feed);
    for await (const events of ahead(walkFeed(reads(actor), actor, { after: after?.[0] ?? null, through }))) {
      await turn(shareOf(actor));
      const shown = events.filter((event) => isAsked(event, asked)).map(rowOf);
      if (shown.length > 0) yield shown;
    }
  }
}

/** By the date on which it takes effect. An event that is not about a loan has none, and is left out when one is asked for. */
function isAsked({ dateEffective: on, recordedAt }: FeedEvent, { from, to, asOf, knownAt }: ExportQuery): boolean {
  if (knownAt !== null && Date.parse(recordedAt) > Date.parse(knownAt)) return false;
  if (on === null) return from === null && to === null && asOf === null;
  return (from === null || on >= from) && (to === null || on <= to) && (asOf === null || on <= asOf);
}

function rowOf(event: FeedEvent): Row {
  const { id, type, loanId, transactionHash, sequence, dateEffective, recordedAt, subject } = event;
  return { at: [id], cells: [id, type, loanId, transactionHash, sequence, dateEffective, recordedAt, subject] };
}
