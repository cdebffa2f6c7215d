/**
 * Opens the exports. An export is read page by page while it is sent, with no connection held in between, so a slow reader costs one
 * place and some megabytes. What it shows is fixed when it starts: the last block of each volume, the days, the end of the feed.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { readHeads } from '../../store/cycle/cycles.ts';
import type { Sql } from '../../store/db/db.ts';
import { readBlockHeads, readExport, saveExport } from '../../store/exports/exports.ts';
import { openOneEachTurn, openShares } from '../../workers/turns.ts';
import type { Actor } from '../door/actor.ts';
import { type Clock, type Clocks, todayBy } from '../door/clocks.ts';
import { shareOf, TooManyWaiting } from '../door/too-many-waiting.ts';
import type { Feed } from '../feed/feed.ts';
import { columnsOf, type ExportName } from './columns.ts';
import { exportCursorOf, exportIdOf, lastCursorOf, readExportCursor, startCursor } from './cursors.ts';
import { openEventRows } from './event-rows.ts';
import { openJournalRows } from './journal-rows.ts';
import { openLoanRows } from './loan-rows.ts';
import { openPersonalCells, type PersonalOptions } from './personal.ts';
import { openPositionRows } from './position-rows.ts';
import type { ExportQuery, Moment, Place, Row, Source } from './source.ts';
import { type ExportFormat, headText, rowWriter } from './text.ts';

/** An export that can be sent. */
export type Started = {
  readonly exportId: string;
  /** Before its first row, or the one that it continues after. */
  readonly cursor: string;
  /** The query, with the dates that it was started with. */
  readonly asked: ExportQuery;
  /** The day of the caller's own loans. */
  readonly today: PlainDate;
  /** The text in pieces of some ten thousand characters. A place among the exports is taken from the first piece to the last. */
  readonly text: (format: ExportFormat) => AsyncGenerator<string>;
  /** Rows that were written so far, and about which part of the export is done, from 0 to 1. */
  readonly progress: () => { readonly rows: number; readonly share: number };
};

/** `cursor`: no export gave it, or it was too long ago. A name: the member differs from that of the export that is continued. */
export type ExportNotStarted = { readonly wrong: 'cursor' | keyof ExportQuery };

export type ExportsOptions = {
  /** The database in which exports are entered. */
  db: Sql;
  reads: (actor: Actor) => Sql;
  clock: () => number;
  clocks: Clocks;
  feed: Pick<Feed, 'head'>;
  /** Null: nothing can be unsealed here. */
  unsealing: Pick<PersonalOptions, 'masterKeys' | 'book' | 'parties'> | null;
};

/** Exports that are being taken. */
const AT_ONCE = { everyone: 16, organization: 4, guaranteed: 1 };
/** The time for which an export can be continued. */
const KEPT_MS = 7 * 86_400_000;
const PIECE = 32 * 1024;

export function openExports(options: ExportsOptions) {
  const { db, reads, clock, clocks, feed, unsealing } = options;
  const turn = openOneEachTurn();
  const personal = unsealing === null ? null : openPersonalCells({ ...unsealing, reads, clock, turn });
  const shares = openShares(AT_ONCE);
  const sources: Readonly<Record<ExportName, Source>> = {
    ...openLoanRows({ reads, clocks, turn, personal }),
    journal: openJournalRows({ reads, turn }),
    events: openEventRows({ reads, turn }),
    positions: openPositionRows({ reads, turn }),
  };
  return { start };

  /** `after` null: a new export. Otherwise members of `asked` that are null or empty are those of the export that is continued. */
  async function start(
    actor: Actor,
    what: ExportName,
    asked: ExportQuery,
    after: string | null,
  ): Promise<Started | ExportNotStarted> {
    const found = after === null ? await begin(actor, what, asked) : await goOn(actor, what, asked, after);
    if ('wrong' in found) return found;
    const { exportId, place, ended } = found;
    const progress = { rows: 0, place };
    return {
      exportId,
      cursor: after ?? startCursor(exportId),
      asked: found.asked,
      today: found.moment.days[actor.organizationId] as PlainDate,
      text: (format) =>
        textOf(actor, what, found, format, (at) => {
          progress.rows += 1;
          progress.place = at;
        }),
      progress: () => ({
        rows: progress.rows,
        share: progress.place === null ? 0 : sources[what].share(progress.place, found.moment),
      }),
    };

    async function* textOf(
      ...[who, name, { moment, asked: of }, format, written]: [
        Actor,
        ExportName,
        Found,
        ExportFormat,
        (at: Place) => void,
      ]
    ): AsyncGenerator<string> {
      const share = shareOf(who);
      const excess = shares.take(share);
      if (excess !== null) throw new TooManyWaiting(excess);
      try {
        const columns = columnsOf(name, of.personal);
        // Without it where a file is continued. At once, so that the answer begins before the first row is found.
        yield place === null ? headText(format, columns) : '';
        if (ended) return;
        const given = { actor: who, asked: of, moment, after: place };
        yield* piecesOf(exportId, sources[name].rows(given), rowWriter(format, columns), written);
      } finally {
        shares.give(share);
      }
    }
  }

  type Found = {
    readonly exportId: string;
    readonly asked: ExportQuery;
    readonly moment: Moment;
    readonly place: Place | null;
    readonly ended: boolean;
  };

  async function begin(actor: Actor, what: ExportName, given: ExportQuery): Promise<Found> {
    // Always in this order: the id is a digest of it.
    const { asOf, knownAt, from, to, lenderId, statuses, personal: withPersonal } = given;
    const asked = { asOf, knownAt, from, to, lenderId, statuses, personal: withPersonal };
    const moment = await momentNow(actor, what, asked);
    const { organizationId } = actor;
    const row = { organizationId, what, asked: JSON.stringify(asked), moment: JSON.stringify(moment) };
    const exportId = exportIdOf(organizationId, what, row.asked, row.moment);
    const now = clock();
    await saveExport(db, { exportId, ...row }, new Date(now), new Date(now - KEPT_MS));
    return { exportId, asked, moment, place: null, ended: false };
  }

  async function momentNow(
    { organizationId, grants }: Actor,
    what: ExportName,
    { knownAt }: ExportQuery,
  ): Promise<Moment> {
    const owners = [
      ...new Set([organizationId, ...grants.map(({ ownerOrganizationId }) => ownerOrganizationId)]),
    ].sort();
    const [heads, cycles, clockOf] = [await readBlockHeads(db), await readHeads(db, owners), await clocks.of(owners)];
    const real = clock();
    const dayOf = (owner: Clock) => (knownAt === null ? todayBy(owner, real) : owner.dayOf(Date.parse(knownAt)));
    return {
      heads,
      days: Object.fromEntries(owners.map((owner) => [owner, dayOf(clockOf.get(owner) as Clock)])),
      cycles: Object.fromEntries(cycles.map((one) => [one.organizationId, one.through])),
      feed: what === 'events' ? await feed.head() : '',
    };
  }

  async function goOn(
    actor: Actor,
    what: ExportName,
    given: ExportQuery,
    after: string,
  ): Promise<Found | ExportNotStarted> {
    const cursor = readExportCursor(after);
    const row = cursor === null ? null : await readExport(db, cursor.exportId);
    if (cursor === null || row === null || row.organizationId !== actor.organizationId || row.what !== what) {
      return { wrong: 'cursor' };
    }
    const { exportId, place, ended } = cursor;
    if (place !== null && !sources[what].place(place)) return { wrong: 'cursor' };
    const asked = JSON.parse(row.asked) as ExportQuery;
    const different = (Object.keys(asked) as (keyof ExportQuery)[]).find((name) => differs(given[name], asked[name]));
    if (different !== undefined) return { wrong: different };
    return { exportId, asked, moment: JSON.parse(row.moment) as Moment, place, ended };
  }
}

/** Members that are not given again are as they were. Personal columns must be asked for again, because the caller must be allowed to see them. */
function differs(given: ExportQuery[keyof ExportQuery], first: ExportQuery[keyof ExportQuery]): boolean {
  if (typeof given === 'boolean') return given !== first;
  return given !== null && given.length > 0 && String(given) !== String(first);
}

/** The rows as text. The last one is held back until it is known to be the last. */
async function* piecesOf(
  exportId: string,
  pages: AsyncGenerator<readonly Row[]>,
  write: ReturnType<typeof rowWriter>,
  written: (at: Place) => void,
): AsyncGenerator<string> {
  let [piece, held]: [string, Row | null] = ['', null];
  for await (const page of pages) {
    for (const row of page) {
      if (held !== null) {
        piece += write(held.cells, exportCursorOf(exportId, held.at));
        written(held.at);
      }
      held = row;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
  }
  if (held !== null) {
    piece += write(held.cells, lastCursorOf(exportId, held.at));
    written(held.at);
  }
  if (piece !== '') yield piece;
}
