/**
 * The feed from a place to the end of a tick, for who reads all of it. A page of the feed looks at all volumes and leaves most of what it found to
 * the next page when one volume has much in a tick, as after an import. Here what was read of a volume waits for its turn, so every event is
 * read once.
 */
import type { Sql } from '../../store/db/db.ts';
import {
  type FeedRow,
  type NoteRow,
  readEvents,
  readFeedNotes,
  readStretches,
  type Stretch,
} from '../../store/feed/feed.ts';
import { feedPlaceOf } from './place.ts';
import { type FeedEvent, type FeedReach, inOrder, isSeen, isThere, notedOf, ownersOf, toldOf } from './read.ts';

/** Events that are read at once, of one volume; of all of them together when the walk begins. */
const EACH = 500;
const AT_ONCE = 1_000;
const NOTES_AT_ONCE = 500;

/** The events that were read of a volume and are not told yet. */
type Lane = { readonly stretch: Stretch; rows: readonly FeedRow[]; next: number; done: boolean };

export type WalkRange = {
  /** An event or a cursor of the feed; null: the beginning. */
  readonly after: string | null;
  /** The last tick. */
  readonly through: number;
};

/** `each`: events that are read at once of a volume. */
export async function* walkFeed(
  sql: Sql,
  reach: FeedReach,
  { after, through }: WalkRange,
  each = EACH,
): AsyncGenerator<readonly FeedEvent[]> {
  const from = after === null ? null : feedPlaceOf(after);
  const { stretches, known } = await readStretches(sql, from?.place ?? null);
  if ((after !== null && from === null) || !known || (from !== null && !(await isThere(sql, from)))) {
    throw new Error('The feed does not know an event that it gave.');
  }
  const organizations = ownersOf(reach);
  const lanes = stretches.map((stretch): Lane => ({ stretch, rows: [], next: 0, done: false }));
  const notes = notesFrom(sql, reach.organizationId, { after: from?.place.tick ?? 0, through });
  let note = await notes.next();
  await fill(lanes, Math.max(1, Math.ceil(each / lanes.length)));
  let page: FeedEvent[] = [];
  for (;;) {
    for (const lane of lanes) {
      while (lane.next === lane.rows.length && !lane.done) await fill([lane], each);
    }
    const lane = firstOf(lanes);
    const row = lane?.rows[lane.next];
    // A note has a tick of its own.
    while (note.done !== true && (row === undefined || note.value.tick < row.tick)) {
      page.push(notedOf(note.value));
      note = await notes.next();
    }
    if (lane === undefined || row === undefined) break;
    // Everything of the first lane in this tick follows: volumes come one after the other within a tick.
    for (let one: FeedRow | undefined = row; one?.tick === row.tick; one = lane.rows[lane.next]) {
      if (isSeen(reach, one)) page.push(toldOf(one));
      lane.next += 1;
    }
    if (page.length < AT_ONCE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;

  async function fill(some: readonly Lane[], most: number): Promise<void> {
    const query = { organizations, loanId: null, types: null, each: most };
    const found = Map.groupBy(
      await readEvents(
        sql,
        some.map(({ stretch }) => stretch),
        query,
      ),
      ({ volume }) => volume,
    );
    for (const lane of some) {
      const rows = (found.get(lane.stretch.volume) ?? []).sort(inOrder);
      const frontier = rows.find(({ last }) => last) ?? null;
      // One of several owners may have been read further than another. An event that both see is found twice.
      const read = rows.filter(
        (row, i) =>
          (frontier === null || inOrder(row, frontier) <= 0) && (i === 0 || inOrder(row, rows[i - 1] as FeedRow) !== 0),
      );
      lane.rows = read.filter(({ tick }) => tick <= through);
      lane.next = 0;
      lane.done = frontier === null || lane.rows.length < read.length;
      if (frontier !== null) lane.stretch.after = { block: frontier.block, position: frontier.position };
    }
  }
}

/** The one whose next event is first; undefined: nothing is left. */
function firstOf(lanes: readonly Lane[]): Lane | undefined {
  let first: Lane | undefined;
  for (const lane of lanes) {
    const row = lane.rows[lane.next];
    const least = first?.rows[first.next];
    if (row !== undefined && (least === undefined || inOrder(row, least) < 0)) first = lane;
  }
  return first;
}

async function* notesFrom(
  sql: Sql,
  organizationId: string,
  { after, through }: { after: number; through: number },
): AsyncGenerator<NoteRow> {
  for (let last = after; ; ) {
    const notes = await readFeedNotes(sql, organizationId, { after: last, through, limit: NOTES_AT_ONCE });
    yield* notes;
    if (notes.length < NOTES_AT_ONCE) return;
    last = (notes.at(-1) as NoteRow).tick;
  }
}
