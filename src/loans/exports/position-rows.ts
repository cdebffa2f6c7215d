/** Positions of month ends, as they were known when the nightly cycle had last run before the moment of the export. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Sql } from '../../store/db/db.ts';
import { type ExportedPosition, readExportedPositions } from '../../store/exports/exported-positions.ts';
import type { Actor } from '../door/actor.ts';
import { roleOf } from '../door/permissions.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { ahead } from './ahead.ts';
import { loanIn, loanPart, shareOfLoans } from './cursors.ts';
import { portionsOf } from './reach.ts';
import type { Row, Source, SourceQuery } from './source.ts';

export type PositionRowsOptions = {
  reads: (actor: Actor) => Sql;
  turn: (organizationId: string) => Promise<void>;
};

/** A loan of ten years has 120 rows. */
const LOANS_AT_ONCE = 40;

export function openPositionRows({ reads, turn }: PositionRowsOptions): Source {
  const place: Source['place'] = ([loan, date, owner, ...more]) =>
    loanIn(loan) !== null && /^\d{4}-\d{2}-\d{2}$/.test(date ?? '') && owner !== undefined && more.length === 0;
  return { place, rows: (asked) => ahead(rows(asked)), share: shareOfLoans };

  async function* rows({ actor, asked, moment, after }: SourceQuery): AsyncGenerator<readonly Row[]> {
    const sql = reads(actor);
    const last = loanIn(after?.[0]);
    const isAfter = ({ loanId, date, organizationId }: ExportedPosition) => {
      const [, day = '', owner = ''] = after ?? [];
      return loanId !== last || date > day || (date === day && organizationId > owner);
    };
    // As of a month end: that date alone.
    const range = asked.asOf === null ? { from: asked.from, to: asked.to } : { from: asked.asOf, to: asked.asOf };
    const until = asked.knownAt?.slice(0, 10) as PlainDate | undefined;
    const known = Object.entries(moment.cycles).map(([owner, day]) => [owner, until && until < day ? until : day]);
    const knownOn = Object.fromEntries(known) as Record<string, PlainDate>;
    const walk = { sql, actor, asked, moment, after: last, including: true, most: { loans: LOANS_AT_ONCE } };
    for await (const { volume, loanIds } of portionsOf(walk)) {
      const found = await readExportedPositions(sql, { volume, loanIds, ...range, lenderId: asked.lenderId, knownOn });
      await turn(shareOf(actor));
      const shown = found.filter((one) => roleOf(actor, one) !== null && isAfter(one));
      if (shown.length > 0) yield shown.map(rowOf);
    }
  }
}

function rowOf({ loanId, date, organizationId, values }: ExportedPosition): Row {
  return { at: [loanPart(loanId), date, organizationId], cells: [loanId, ...values] };
}
