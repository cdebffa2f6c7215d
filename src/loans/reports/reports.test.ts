/**
 * Reports over a random book: every figure equals what the loans themselves show when they are read as of the date, as known by the day, one by
 * one. Four months of loans that pay, pay late, pay ahead, pay off, are charged off, and whose payments are found later.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, FILE, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { type By, datedOf, type Read, rolledOf } from '../../../test/support/portfolio.ts';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import { isRefusal } from '../../core/refusal.ts';
import { characteristicsOf } from '../../portfolio/characteristics.ts';
import { cashflowRows } from '../../portfolio/reports/cashflows.ts';
import { delinquencyRows } from '../../portfolio/reports/delinquency.ts';
import { prepaymentRows } from '../../portfolio/reports/prepayment.ts';
import { type Dated, type Row, tableOf } from '../../portfolio/reports/report.ts';
import { rollRateRows } from '../../portfolio/reports/roll-rates.ts';
import { summaryRows } from '../../portfolio/reports/summary.ts';
import { vintageRows } from '../../portfolio/reports/vintages.ts';
import { yieldRows } from '../../portfolio/reports/yield.ts';
import type { Actor } from '../door/actor.ts';
import type { Report, ReportName, ReportQuery, SliceName } from './reports.ts';

const ORG = ACTOR.organizationId;
const MONTH_ENDS = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30'].map((text) => date(text));
const TODAY = date('2026-05-12');
const GRADES = ['A', 'B', 'C'];

type Made = { loanId: string; lenderId: string; primaryServicerId: string; grade: string };

let room: TestLoans;
const made: Made[] = [];

/** A seeded sequence of random numbers below a bound. */
function randomFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x7fffffff) * below) % below;
  };
}

const random = randomFrom(20_260_501);

function at(day: string, time = '12:00'): void {
  room.clock.now = Date.parse(`${day}T${time}:00Z`);
}

async function create(): Promise<void> {
  const file = {
    lenderId: `L-${random(3)}`,
    primaryServicerId: `S-${random(2)}`,
    grade: GRADES[random(GRADES.length)] as string,
    predictedYield: random(3) === 0 ? '' : `0.0${4 + random(5)}25`,
  };
  made.push({ loanId: await room.live(file), ...file });
}

/** Does what may happen to a loan on a day; what is refused did not happen. */
async function happen(loanId: string, n: number): Promise<void> {
  const today = date(new Date(room.clock.now).toISOString().slice(0, 10));
  const refId = `P-${n}`;
  const amount = [88_849, 88_849, 88_849, 50_000, 200_000, 1_500_000][random(6)] as number;
  const roll = random(20);
  if (roll < 12) await room.write(loanId, repay(refId, amount, amount > 1_000_000 ? { acceptOverpayment: true } : {}));
  else if (roll < 15) {
    const earlier = addDays(today, -5 - random(40));
    await room.write(loanId, repay(refId, amount, { date: earlier, reason: 'Found in the lockbox' }));
  } else if (roll < 16) {
    await room.write(loanId, { do: 'charge-off', date: null, reason: 'Uncollectible', collateral: null } as never);
  }
  if (roll % 3 !== 0) await room.write(loanId, { do: 'acknowledge-repayment', refId } as never);
  if (roll === 5) await room.write(loanId, { do: 'return-repayment', refId, date: null, reason: 'NSF' } as never);
}

beforeAll(async () => {
  room = await testLoans();
  let n = 0;
  for (let day = date('2026-01-03'); day <= TODAY; day = addDays(day, 3)) {
    at(day);
    if (made.length < 24) await create();
    for (const { loanId } of made) if (random(5) === 0) await happen(loanId, ++n);
    const ended = MONTH_ENDS.find((end) => end > day && end <= addDays(day, 2));
    at(addDays(ended ?? day, 1), '00:20');
    await room.loans.cycle.runCyclesThrough(ORG, ended ?? day);
  }
  at(TODAY);
  await room.loans.cycle.runCyclesThrough(ORG, addDays(TODAY, -1));
}, 180_000);
afterAll(() => room?.close());

async function reported(
  name: Exclude<ReportName, 'roll-rates'>,
  asked: ReportQuery,
  actor: Actor = ACTOR,
): Promise<Report> {
  const found = await room.loans.reports.report(actor, name, asked);
  if (isRefusal(found) || 'computing' in found) throw new Error(JSON.stringify(found));
  return found;
}

/** Every loan on a date, as known at the end of a day; null: as it stands now. */
function readAll(on: PlainDate | null, knownOn: PlainDate | null): Promise<Read[]> {
  const asked = `${on} ${knownOn}`;
  const known = reads.get(asked) ?? readLoans(on, knownOn);
  reads.set(asked, known);
  return known;
}

// The book stays as it is, and most comparisons ask for the same dates.
const reads = new Map<string, Promise<Read[]>>();

async function readLoans(on: PlainDate | null, knownOn: PlainDate | null): Promise<Read[]> {
  const knownAt = knownOn === null ? null : `${knownOn}T23:59:59.999Z`;
  const read = await Promise.all(
    made.map(async ({ loanId, lenderId, primaryServicerId, ...file }): Promise<Read[]> => {
      const state = await room.loans.reads.readState(ACTOR, loanId, { asOf: on, knownAt });
      if (state === null) throw new Error('No such loan.');
      const characteristics = characteristicsOf({ ...FILE, ...file });
      return state === 'before'
        ? []
        : [{ loanId, loan: state.loan, characteristics, lenderId, servicerId: primaryServicerId }];
    }),
  );
  return read.flat();
}

/** The whole series up to a date from the loans alone. `knownOn`: null for each month end as it was reported. */
async function fromLoans(asOf: PlainDate, knownOn: PlainDate | 'asReported', by: By): Promise<Dated[]> {
  const all: Dated[] = [];
  for (const end of MONTH_ENDS.filter((one) => one <= asOf)) {
    const known = knownOn === 'asReported' ? end : knownOn;
    for (const read of await readAll(end, known)) all.push(...(withDate(read, end, by, false) ?? []));
  }
  if (asOf === TODAY)
    for (const read of await readAll(null, null)) all.push(...(withDate(read, TODAY, by, true) ?? []));
  return all;
}

const withDate = (read: Read, on: PlainDate, by: By, isToday: boolean) => {
  const one = datedOf(read, on, by, isToday);
  return one === null ? null : [one];
};

const ROWS: Readonly<
  Record<
    Exclude<ReportName, 'roll-rates'>,
    (all: readonly Dated[], asOf: PlainDate, dates: string[], asReported: boolean) => Row[]
  >
> = {
  summary: (all, asOf) => summaryRows(all, asOf),
  delinquency: (all, asOf) => delinquencyRows(all, asOf),
  cashflows: (all, asOf, dates, asReported) =>
    cashflowRows(all, asOf === TODAY ? asOf : null, { asReported, byStatus: false, first: dates[0] ?? '', last: asOf }),
  yield: (all) => yieldRows(all),
  prepayment: (all) => prepaymentRows(all),
  vintages: (all, _, dates) => vintageRows(all, dates),
};

const NAMES = Object.keys(ROWS) as (keyof typeof ROWS)[];

async function compare(
  name: keyof typeof ROWS,
  asOf: PlainDate,
  knownAt: ReportQuery['knownAt'],
  by: SliceName | null,
) {
  const knownOn =
    knownAt === null ? TODAY : knownAt === 'asReported' ? knownAt : 'day' in knownAt ? knownAt.day : TODAY;
  const all = await fromLoans(asOf, knownOn, by ?? 'none');
  const byPool = name === 'vintages' ? all : all.map((one) => ({ ...one, vintage: '' }));
  const dates = [...new Set(all.map((one) => one.date))].sort();
  const expected = tableOf(byPool, by !== null, (some) => ROWS[name](some, asOf, dates, knownAt === 'asReported'));
  const found = await reported(name, { asOf: asOf === TODAY ? null : asOf, by, knownAt });
  expect(found.asOf).toBe(asOf);
  const isEmpty = ({ rows }: { rows: readonly Row[] }) => rows.every((row) => row.count === 0n && row.principal === 0n);
  const slices = (table: Report['table']) =>
    name === 'delinquency' ? table.slices.filter((one) => !isEmpty(one)) : table.slices;
  expect(found.table.totals, `${name} ${asOf}`).toEqual(expected.totals);
  expect(slices(found.table), `${name} ${asOf} by ${by}`).toEqual(slices(expected));
}

describe.each(NAMES)('%s equals the loans', (name) => {
  const SLICES: (SliceName | null)[] = [null, 'lender', 'servicer', 'grade', 'state', 'vintage', 'status'];
  const allowed = SLICES.filter((by) => name !== 'vintages' || by !== 'status');

  test.each(allowed)('at the last month end, by %s', async (by) => {
    await compare(name, MONTH_ENDS[3] as PlainDate, null, by);
  });

  test.each(allowed)('today, by %s', async (by) => {
    await compare(name, TODAY, null, by);
  });

  test.each(MONTH_ENDS.slice(0, 3))('at the end of %s as reported then, and as known two weeks later', async (end) => {
    await compare(name, end, 'asReported', 'lender');
    await compare(name, end, { day: end }, 'grade');
    await compare(name, end, { day: addDays(end, 14) }, 'lender');
  });
});

describe('roll-rates equals the loans', () => {
  const [january, , march, april] = MONTH_ENDS as [PlainDate, PlainDate, PlainDate, PlainDate];
  test.each<[PlainDate, PlainDate, ReportQuery['knownAt'], SliceName | null]>([
    [march, april, null, null],
    [march, april, null, 'servicer'],
    [march, april, 'asReported', 'lender'],
    [march, april, { day: addDays(april, 5) }, 'grade'],
    [january, april, null, 'status'],
    [january, march, 'asReported', 'vintage'],
    [april, TODAY, null, null],
    [april, TODAY, null, 'lender'],
    [april, TODAY, null, 'status'],
    [january, TODAY, 'asReported', 'state'],
  ])('from %s to %s, known at %o, by %s', async (from, to, knownAt, by) => {
    const known = (on: PlainDate) =>
      knownAt === 'asReported' ? on : knownAt !== null && 'day' in knownAt ? knownAt.day : TODAY;
    const after = to === TODAY ? await readAll(null, null) : await readAll(to, known(to));
    const rolled = rolledOf(await readAll(from, known(from)), after, by ?? 'none');
    const found = await room.loans.reports.rollRates(ACTOR, { from, to, knownAt, by });
    if (isRefusal(found) || 'computing' in found) throw new Error(JSON.stringify(found));
    expect(found.table.totals).toEqual(rollRateRows(rolled));
    expect(found.table.totals.length).toBeGreaterThan(3);
    const slices = [...new Set(rolled.map(({ slice }) => slice))].sort();
    const rowsOf = (slice: string) => rollRateRows(rolled.filter((one) => one.slice === slice));
    expect(found.table.slices).toEqual(by === null ? [] : slices.map((slice) => ({ slice, rows: rowsOf(slice) })));
  });
});

test('the book is varied enough for that', async () => {
  const { table } = await reported('cashflows', { asOf: MONTH_ENDS[3] as PlainDate, by: null, knownAt: null });
  const sum = (column: string) => table.totals.reduce((all, row) => all + (row[column] as bigint), 0n);
  for (const column of ['unscheduledPrincipal', 'chargedOff', 'recoveries', 'interest', 'scheduled']) {
    expect(sum(column), column).toBeGreaterThan(0n);
  }
  const reportedThen = await reported('summary', { asOf: MONTH_ENDS[2] as PlainDate, by: null, knownAt: 'asReported' });
  const restated = await reported('summary', { asOf: MONTH_ENDS[2] as PlainDate, by: null, knownAt: null });
  expect(restated.table).not.toEqual(reportedThen.table);
});
