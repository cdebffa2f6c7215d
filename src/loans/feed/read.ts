/** Reads a page of the feed. */
import type { PlainDate } from '../../core/calendar.ts';
import { DEFINITIONS, type LoanEvent } from '../../core/event.ts';
import type { Sql } from '../../store/db/db.ts';
import {
  type FeedPlace,
  type FeedRow,
  type NoteRow,
  readEvents,
  readFeedNotes,
  readHashAt,
  readStretches,
  type Stretch,
} from '../../store/feed/feed.ts';
import { roleOf } from '../door/permissions.ts';
import { ledgerTypes, matches } from './catalogue.ts';
import { checkOf, endOf, feedCursorOf, feedPlaceOf, idOf } from './place.ts';

/** Ids and times, nothing personal. For an event that is not of a loan, the members about one are null and `subject` is what it is about. */
export type FeedEvent = {
  readonly id: string;
  readonly type: string;
  readonly loanId: string | null;
  readonly transactionHash: string | null;
  readonly sequence: number | null;
  readonly dateEffective: PlainDate | null;
  readonly recordedAt: string;
  readonly subject: string | null;
};

/** The loans in reach: the organization's own, and those that grants show it. */
export type FeedReach = {
  readonly organizationId: string;
  readonly countedFor?: string;
  readonly grants: readonly {
    readonly ownerOrganizationId: string;
    readonly access: 'read' | 'servicing';
    readonly servicerId: string | null;
  }[];
};

export type FeedQuery = {
  /** The id of an event or a cursor; null: from the beginning. */
  readonly after: string | null;
  /** Types and families of the catalogue; none: all. */
  readonly types: readonly string[];
  readonly loanId: string | null;
  readonly limit: number;
};

/** A page may have fewer events than asked for although there are `more`. A reader can always go on from `nextCursor`. */
export type FeedPage = { readonly events: readonly FeedEvent[]; readonly nextCursor: string; readonly more: boolean };

/** Times that events are looked for until the page is full: with a filter that little matches, a page may be short. */
const ROUNDS = 6;
/** Events that are looked at in each volume when most of them are left out. */
const LOOKED_AT = 2_000;
/** And when none are: a little more than the page needs if they are spread evenly. */
const eachOf = (limit: number, volumes: number): number => 16 + Math.ceil((limit * 1.5) / volumes);

export async function readFeed(sql: Sql, reach: FeedReach, asked: FeedQuery): Promise<FeedPage | 'unknown cursor'> {
  const { types, loanId, limit } = asked;
  const after = asked.after === null ? null : feedPlaceOf(asked.after);
  if (asked.after !== null && after === null) return 'unknown cursor';
  const { tick, stretches, known } = await readStretches(sql, after?.place ?? null);
  if (!known || (after !== null && !(await isThere(sql, after)))) return 'unknown cursor';
  const wanted = ledgerTypes(types);
  const narrow = wanted !== null || reach.grants.some(({ servicerId }) => servicerId !== null);
  const query = {
    organizations: ownersOf(reach),
    loanId,
    types: wanted,
    each: narrow || loanId !== null ? LOOKED_AT : eachOf(limit, stretches.length),
  };
  const notes =
    loanId === null ? await notesOf(sql, reach, { after: after?.place.tick ?? 0, through: tick, limit, types }) : [];
  const found: FeedRow[] = [];
  let end: FeedPlace | null = endOf(tick);
  // Without a loan of the reader no volume has to be looked at.
  for (let round = 1; wanted === null || wanted.length > 0; round++) {
    const rows = (await readEvents(sql, stretches, query)).sort(inOrder);
    const frontier = rows.find(({ last }) => last) ?? null;
    const done = frontier === null ? rows : rows.filter((row) => inOrder(row, frontier) <= 0);
    for (const row of done) if (row.wanted && isSeen(reach, row)) add(found, row);
    end = frontier ?? endOf(tick);
    if (frontier === null || found.length >= limit || round === ROUNDS) break;
    passOn(stretches, done);
  }
  return pageOf(found, notes, end, limit);
}

/** The organizations whose events the reader may see. */
export function ownersOf({ organizationId, grants }: FeedReach): string[] {
  return [...new Set([organizationId, ...grants.map(({ ownerOrganizationId }) => ownerOrganizationId)])];
}

/** A loan that moves between two organizations that the reader sees is found by either. */
function add(found: FeedRow[], row: FeedRow): void {
  const last = found.at(-1);
  if (last?.block !== row.block || last.position !== row.position) found.push(row);
}

function passOn(stretches: readonly Stretch[], done: readonly FeedRow[]): void {
  const last = new Map(done.map(({ volume, block, position }) => [volume, { block, position }]));
  for (const stretch of stretches) stretch.after = last.get(stretch.volume) ?? stretch.after;
}

/** Events that an organization recorded stay its own; what others let it see depends on whose loan it is now. */
export function isSeen(reach: FeedReach, row: FeedRow): boolean {
  return (
    row.recordedFor === reach.organizationId ||
    row.nextOrganizationId === reach.organizationId ||
    roleOf(reach, row) !== null
  );
}

/** By tick, volume, block and position. */
export function inOrder(a: FeedRow, b: FeedRow): number {
  return a.tick - b.tick || a.volume - b.volume || a.block - b.block || a.position - b.position;
}

export async function isThere(
  sql: Sql,
  { place, check }: { place: FeedPlace; check: string | null },
): Promise<boolean> {
  if (check === null) return true;
  const hash = await readHashAt(sql, place);
  return hash !== null && checkOf(hash) === check;
}

async function notesOf(
  sql: Sql,
  { organizationId }: FeedReach,
  { types, ...asked }: { after: number; through: number; limit: number; types: readonly string[] },
): Promise<NoteRow[]> {
  return (await readFeedNotes(sql, organizationId, asked)).filter(({ type }) => matches(types, type));
}

/** Both in their order, up to `end`, and as many as fit. */
function pageOf(found: readonly FeedRow[], notes: readonly NoteRow[], end: FeedPlace, limit: number): FeedPage {
  const whole = end.block === 0;
  const all = [
    ...found.map((row) => ({ tick: row.tick, place: row as FeedPlace, event: () => toldOf(row) })),
    ...notes
      .filter(({ tick }) => whole || tick < end.tick)
      .map((note) => ({ tick: note.tick, place: endOf(note.tick), event: () => notedOf(note) })),
  ];
  // Stable: events of one tick stay in their order, and a note has a tick of its own.
  all.sort((a, b) => a.tick - b.tick);
  const page = all.slice(0, limit);
  const cut = all.length > limit;
  const last = cut ? (page.at(-1)?.place as FeedPlace) : end;
  return { events: page.map(({ event }) => event()), nextCursor: feedCursorOf(last), more: cut || !whole };
}

export function toldOf(row: FeedRow): FeedEvent {
  return {
    id: idOf(row, row.hash),
    type: DEFINITIONS[row.type as LoanEvent['type']].feed.type,
    loanId: row.loanId,
    transactionHash: row.hash,
    sequence: row.sequence,
    dateEffective: row.dateEffective as PlainDate,
    recordedAt: row.recordedAt,
    subject: null,
  };
}

export function notedOf({ tick, type, subject, at }: NoteRow): FeedEvent {
  return {
    id: idOf(endOf(tick), null),
    type,
    loanId: null,
    transactionHash: null,
    sequence: null,
    dateEffective: null,
    recordedAt: at.toISOString(),
    subject,
  };
}
