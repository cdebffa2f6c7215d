/**
 * Lines of the journal: those in the books of the caller's own organization, the entries of its lenders' books included, and of granted
 * loans those in the books of their owner.
 */
import { type Cents, cents, ZERO } from '../../core/money.ts';
import { partiesOf } from '../../core/ownership.ts';
import type { Sql } from '../../store/db/db.ts';
import { type ExportedLine, readExportedLines, readOwnersThen } from '../../store/exports/exports.ts';
import type { Actor } from '../door/actor.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { roleOf } from '../door/permissions.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { ahead } from './ahead.ts';
import { isCount, loanIn, loanPart, shareOfLoans } from './cursors.ts';
import { exportScopesOf, type Portion, portionsOf } from './reach.ts';
import type { Row, Source, SourceQuery } from './source.ts';
import type { Cell } from './text.ts';

export type JournalRowsOptions = {
  reads: (actor: Actor) => Sql;
  turn: (organizationId: string) => Promise<void>;
};

/** Most events have one to four lines, so that the lines of a portion usually fit. */
const LINES_AT_ONCE = 1_000;
const EVENTS_AT_ONCE = 250;

export function openJournalRows({ reads, turn }: JournalRowsOptions): Source {
  const place: Source['place'] = ([loan, sequence, line, ...more]) =>
    loanIn(loan) !== null && isCount(sequence) && isCount(line) && more.length === 0;
  return { place, rows: (asked) => ahead(rows(asked)), share: shareOfLoans };

  async function* rows({ actor, asked, moment, after: last }: SourceQuery): AsyncGenerator<readonly Row[]> {
    const sql = reads(actor);
    const organizationIds = exportScopesOf(actor, moment).map(({ organizationId }) => organizationId);
    const first = loanIn(last?.[0]);
    let after: { loanId: string; sequence: number; line: number } | null =
      first === null ? null : { loanId: first, sequence: Number(last?.[1]), line: Number(last?.[2]) };
    const { from, to, asOf, knownAt, lenderId } = asked;
    const filters = { organizationIds, from, to, asOf, knownAt, lenderId, limit: LINES_AT_ONCE };
    const most = { events: EVENTS_AT_ONCE };
    const walk = { sql, actor, asked, moment, after: first, including: true, withBooks: true, most };
    for await (const portion of portionsOf(walk)) {
      const isShown = await shownOf(sql, actor, portion);
      for (;;) {
        const { volume, through, loanIds } = portion;
        const lines = await readExportedLines(sql, { volume, through, loanIds, after, ...filters });
        await turn(shareOf(actor));
        const shown = lines.filter(isShown).map((line) => rowOf(line, portion.books.has(line.loanId)));
        if (shown.length > 0) yield shown;
        after = lines.at(-1) ?? null;
        if (lines.length < LINES_AT_ONCE) break;
      }
      after = null;
    }
  }
}

/** Own lines always; another owner's where a grant shows the loan. */
async function shownOf(sql: Sql, actor: Actor, portion: Portion): Promise<(line: ExportedLine) => boolean> {
  const own = ({ organizationId }: ExportedLine) => organizationId === actor.organizationId;
  if (actor.grants.length === 0) return own;
  const owners = new Map<string, string>();
  for (const { loanId, created, bodies } of await readOwnersThen(sql, portion)) {
    const { organizationId, primaryServicerId, secondaryServicerId } = partiesOf(eventsIn(bodies));
    const belonging = {
      organizationId: organizationId ?? created.organizationId,
      primaryServicerId: primaryServicerId ?? created.primaryServicerId,
      secondaryServicerId: secondaryServicerId ?? created.secondaryServicerId,
    };
    if (roleOf(actor, belonging) !== null) owners.set(loanId, belonging.organizationId);
  }
  return (line) => own(line) || owners.get(line.loanId) === line.organizationId;
}

function rowOf(one: ExportedLine, isBook: boolean): Row {
  const { loanId, sequence, line, hash, lenderId, entry, account, dateEffective, datePosted, priorPeriod } = one;
  const amount = cents(one.amount);
  const [debit, credit]: [Cents, Cents] = amount > 0 ? [amount, ZERO] : [ZERO, cents(-amount)];
  const named: Cell[] = [isBook ? null : loanId, sequence, line, hash, lenderId, entry, account];
  return {
    at: [loanPart(loanId), String(sequence), String(line)],
    cells: [...named, debit, credit, dateEffective, datePosted, priorPeriod],
  };
}
