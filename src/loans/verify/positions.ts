/**
 * Positions, rebuilt from the events of each loan: every row as it was known on its day, none missing, and none too many. A row is due for
 * each month end that the cycle has passed, for each date that was asked for, and on each later day that changed one of them. Then what the
 * loan's own row has for reports, and the sums.
 */
import type { LoanFile } from '../../boarding/file.ts';
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { type LoanEvent, looksBack } from '../../core/event.ts';
import { changesOwner, partiesOf } from '../../core/ownership.ts';
import { characteristicsOf } from '../../portfolio/characteristics.ts';
import { beginningOf, type Holders } from '../../portfolio/history.ts';
import type { CycleHead } from '../../store/cycle/cycles.ts';
import type { Session, Sql } from '../../store/db/db.ts';
import { countWrongSums, readSumKeys } from '../../store/reports/checks.ts';
import type { PositionDate } from '../../store/reports/position-dates.ts';
import { POSITION_COLUMNS, type PositionRow, positionsIn } from '../../store/reports/positions.ts';
import { type CheckedBook, type Nights, readNights } from '../../store/verify/verify.ts';
import { isSame, monthEndsFrom, rowsOf, withdrawn } from '../reports/write.ts';
import { objectOf } from './chain.ts';
import { type BookComplaint, complaintOf, type Tell } from './complaint.ts';
import { surely } from './second-look.ts';

/** The reach of the positions of organizations, by their ids: the days of their cycles, and the dates that were asked for and are ready. */
export type PositionsReach = ReadonlyMap<string, { readonly head: CycleHead; readonly asked: readonly PositionDate[] }>;

export function reachOf({ cycles, positionDates: dates }: Nights): PositionsReach {
  return new Map(
    cycles.map((head) => [
      head.organizationId,
      { head, asked: dates.filter(({ organizationId, ready }) => ready && organizationId === head.organizationId) },
    ]),
  );
}

// ---- the rows of a loan ----

/** `events`: all of the loan, with the policies that it follows. */
export function checkPositions(
  row: CheckedBook,
  events: readonly LoanEvent[],
  reach: PositionsReach,
  tell: Tell,
): void {
  const file = fileOf(row);
  if (file === null) return;
  const loanId = `0x${row.loan_id}`;
  const created: Holders = {
    organizationId: row.first_organization,
    lenderId: row.lender_id,
    primaryServicerId: row.primary_servicer_id,
    secondaryServicerId: row.secondary_servicer_id,
  };
  const loan = { loanId, created, characteristics: characteristicsOf(file), events };
  const stored = Map.groupBy(positionsIn(loanId, row.positions), ({ organizationId }) => organizationId);
  const { formerOwners } = partiesOf(events);
  const owners = new Set([...formerOwners.map(({ organizationId }) => organizationId), row.organization_id]);
  for (const organizationId of new Set([...owners, ...stored.keys()])) {
    const found = stored.get(organizationId) ?? [];
    const own = reach.get(organizationId);
    if (!owners.has(organizationId) || own === undefined) {
      if (found.length > 0) tell('positions', null, 'are of an organization that never had the loan or no cycles');
      continue;
    }
    // Once everything is paid, an acknowledgement closes the loan on the day of the payment. If the loan owes something again now, it is
    // only known from its row.
    const written = new Set(found.map(({ knownOn }) => knownOn));
    const mayClose = (day: PlainDate) => Number(row.principal) === 0 || written.has(day);
    compare(found, dueRows(loan, organizationId, own, mayClose), { loan, organizationId, head: own.head }, tell);
  }
}

/** The columns of the file that counts, which may point to a person: a complaint does not quote them. */
function fileOf({ file, assessed_file }: CheckedBook): LoanFile | null {
  return objectOf(assessed_file ?? file ?? '') as LoanFile | null;
}

type Rebuilt = Parameters<typeof rowsOf>[0];

/**
 * The rows that there should be, in any order. A fact that is recorded on its own day changes no earlier date, so all dates between two days that
 * look back are known alike, and are folded at once. On the day on which a loan comes back, its owner learns what was recorded meanwhile.
 */
function dueRows(
  loan: Rebuilt,
  organizationId: string,
  { head, asked }: { readonly head: CycleHead; readonly asked: readonly PositionDate[] },
  mayClose: (day: PlainDate) => boolean,
): PositionRow[] {
  const first = beginningOf(loan.events);
  if (first === null) return [];
  const { through } = head;
  const dates = monthEndsFrom(
    first,
    through,
    asked.map(({ date }) => date),
  );
  /** The day on which a date got its first rows; null: only what was recorded later gives it one. */
  const baseOf = (date: PlainDate): PlainDate | null => {
    if (date === lastOfMonth(date) && date >= head.first) return date;
    return asked.find((one) => one.date === date)?.knownOn ?? null;
  };
  const days = [
    ...new Set(
      loan.events
        .filter((event) => changesPast(event, mayClose) || comesTo(organizationId, event))
        .map(({ recordedOn }) => recordedOn),
    ),
  ]
    .filter((day) => day >= head.first && day <= through)
    .sort();
  const due: PositionRow[] = [];
  const last = new Map<PlainDate, PositionRow>();
  for (let i = 0; i <= days.length; i++) {
    const day = i === 0 ? null : (days[i - 1] as PlainDate);
    const next = days[i];
    const knownOn = next === undefined ? through : addDays(next, -1);
    const isBase = (date: PlainDate) => {
      const base = baseOf(date);
      return base !== null && (day === null || base >= day) && base <= knownOn;
    };
    const restated = (date: PlainDate) => {
      const base = baseOf(date);
      return day !== null && date < day && (base === null || base < day);
    };
    const counted = dates.filter((date) => isBase(date) || restated(date));
    const rows = new Map(rowsOf(loan, { organizationId, knownOn }, counted).map((row) => [row.date, row]));
    for (const date of counted) {
      const row = rows.get(date);
      const on = isBase(date) ? (baseOf(date) as PlainDate) : (day as PlainDate);
      const before = last.get(date);
      const made = row === undefined ? takenBack(before, on) : { ...row, knownOn: on };
      if (made === null || (before !== undefined && isSame(before, made))) continue;
      due.push(made);
      last.set(date, made);
    }
  }
  return due;
}

function takenBack(before: PositionRow | undefined, knownOn: PlainDate): PositionRow | null {
  return before === undefined || before.withdrawn ? null : withdrawn(before, knownOn);
}

function changesPast(event: LoanEvent, mayClose: (day: PlainDate) => boolean): boolean {
  if (looksBack(event) || event.type === 'militaryService') return true;
  return event.type === 'paymentAcknowledged' && mayClose(event.recordedOn);
}

function comesTo(organizationId: string, event: LoanEvent): boolean {
  return changesOwner(event) && event.to.organizationId === organizationId;
}

type Compared = { readonly loan: Rebuilt; readonly organizationId: string; readonly head: CycleHead };

function compare(
  found: readonly PositionRow[],
  due: readonly PositionRow[],
  { loan, organizationId, head }: Compared,
  tell: Tell,
): void {
  const nameOf = ({ date, knownOn }: PositionRow) => `${date} known on ${knownOn}`;
  const dueOf = new Map(due.map((row) => [nameOf(row), row]));
  for (const row of found) {
    const name = nameOf(row);
    let should = dueOf.get(name);
    dueOf.delete(name);
    // A cycle that has not ended, or a date that is not ready: its rows are compared, but none is due yet. Month ends before the first cycle
    // are such dates too.
    const isAsked = row.date !== lastOfMonth(row.date) || row.date < head.first;
    if (should === undefined && (row.knownOn > head.through || isAsked)) {
      should = rowsOf(loan, { organizationId, knownOn: row.knownOn }, [row.date])[0];
      if (should === undefined && row.withdrawn) continue;
    }
    if (should === undefined) tell('positions', null, `${name} should not be there`);
    else compareColumns(row, should, (what, compared) => tell('positions', null, `${name}: ${what}`, compared));
  }
  for (const name of dueOf.keys()) tell('positions', null, `${name} is missing`);
}

/** Ids of lenders and servicers, which are the callers' own words. */
const UNQUOTED = new Set(['lender_id', 'primary_servicer_id', 'secondary_servicer_id']);

function compareColumns(
  row: PositionRow,
  should: PositionRow,
  tell: (what: string, compared?: { expected: unknown; found: unknown }) => void,
): void {
  for (const [column, [, member]] of Object.entries(POSITION_COLUMNS)) {
    const [expected, found] = [should[member as keyof PositionRow], row[member as keyof PositionRow]];
    if (expected === found) continue;
    const what = `${column} does not match its history`;
    if (UNQUOTED.has(column)) tell(what);
    else tell(what, { expected, found });
  }
}

// ---- the file ----

/** The values in a loan's own row that follow from its file, for reports. */
export function checkCharacteristics(row: CheckedBook, tell: Tell): void {
  const file = fileOf(row);
  if (file === null) return;
  const { grade, state, predictedYield, predictedLoss } = characteristicsOf(file);
  const expected = { grade, state, predicted_yield: predictedYield, predicted_loss: predictedLoss };
  for (const [column, value] of Object.entries(expected)) {
    const found = row[column as keyof typeof expected];
    if (value !== found) tell('loans', null, `${column} does not match its history`, { expected: value, found });
  }
}

// ---- sums ----

/** The sums of every date and day that have rows or sums; those whose cycle has not ended are left out. */
export async function checkPositionSums(
  session: Session,
  reach: PositionsReach,
  complain: (complaint: BookComplaint) => void,
): Promise<void> {
  for (const key of await readSumKeys(session)) {
    const { organizationId, date, knownOn } = key;
    const isDone = (by: PositionsReach) => {
      const own = by.get(organizationId);
      if (own === undefined || knownOn > own.head.through) return false;
      // Nights make the sums of month ends from the first cycle on; those of other dates are there once a date is ready.
      const isOfNights = date === lastOfMonth(date) && date >= own.head.first;
      return isOfNights || own.asked.some((one) => one.date === date);
    };
    const differences = async (sql: Sql, by: PositionsReach) => (isDone(by) ? countWrongSums(sql, key) : 0);
    const wrong = await surely(
      session,
      await differences(session, reach),
      (found) => found > 0,
      async (tx) => differences(tx, reachOf(await readNights(tx))),
    );
    if (wrong === 0) continue;
    const what = `${organizationId} ${date} known on ${knownOn}: the sums do not match the positions`;
    complain(complaintOf('position_sums', {}, what, { expected: '0 differences', found: wrong }));
  }
}
