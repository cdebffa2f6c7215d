/**
 * The allowance for expected losses (CECL) in the books of a lender: what is required on a date, the month's proposal, booked once and with an
 * approval, and what became of each that was booked. A month is booked while it is open, from its positions as they were known at its end, so
 * that the proposal ties to the trial balance of that day and is the same whenever it is made.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { type Mistakes, Reader } from '../../core/reader.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { canonical } from '../../ledger/canonical.ts';
import { type GivenAllowance, readAllowance } from '../../policy/allowance.ts';
import { type AllowanceSlice, sliced } from '../../portfolio/allowance.ts';
import { isMonthEnd, monthEndBefore, monthsBetween } from '../../portfolio/months.ts';
import {
  type AllowanceRow,
  lastAllowance,
  readAllowances,
  readLost,
  saveAllowance,
} from '../../store/allowance/allowance.ts';
import { readEntryState } from '../../store/books/entry-books.ts';
import { lockClosing } from '../../store/books/periods.ts';
import { readHeads } from '../../store/cycle/cycles.ts';
import type { Sql } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import type { InnerBooks } from '../books/books.ts';
import { lastClosed, pendingDay } from '../books/closing.ts';
import { balancesOn } from '../books/day.ts';
import type { Look } from '../books/looks.ts';
import { cyclePending, daysOf, monthOf, notOver, type Period } from '../books/months.ts';
import type { Asker } from '../door/actor.ts';
import { todayBy } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import type { HowWritten } from '../door/write.ts';
import type { PositionDates } from '../reports/dates.ts';
import { estimatesOn, type LenderAllowance, type LenderEstimate, linesOf, proposalsOf } from './proposal.ts';

export { ALLOWANCE_SLICES, type AllowanceSlice } from '../../portfolio/allowance.ts';
export { type LenderEstimate, poolsOf } from './proposal.ts';

export type AllowanceQuery = {
  /** Null: today. Otherwise a month end. */
  readonly asOf: PlainDate | null;
  readonly by: AllowanceSlice;
  readonly lenderId: string | null;
  /** Only what was recorded up to the end of this day counts; null: up to the end of the date itself. */
  readonly knownOn: PlainDate | null;
};

type Amounts = {
  readonly loans: number;
  readonly principal: number;
  readonly modelled: number;
  readonly required: number;
  /** Cents on the credit side: of all, what the books hold on the date; of a slice, what was required of it when a month was last booked. */
  readonly booked: number;
};

/** A booked month of all lenders asked for; opening + other − chargedOff + recovered + provision = closing. */
export type RolledMonth = {
  readonly period: Period;
  readonly opening: number;
  readonly other: number;
  readonly chargedOff: number;
  readonly recovered: number;
  readonly provision: number;
  readonly closing: number;
};

export type AllowanceReport = {
  readonly asOf: PlainDate;
  /** Null: today, of which everything counts. */
  readonly knownOn: PlainDate | null;
  readonly by: AllowanceSlice;
  readonly totals: Amounts;
  readonly slices: readonly (Amounts & { readonly slice: string })[];
  readonly lenders: readonly LenderEstimate[];
  /** The last month that was booked by the date; null: none was. */
  readonly bookedThrough: Period | null;
  readonly months: readonly RolledMonth[];
};

/** The allowance of a booked month beside what was lost of the same loans since. */
export type BackTest = {
  readonly period: Period;
  readonly lenderId: string;
  readonly principal: number;
  readonly required: number;
  readonly modelled: number;
  /** Month ends since, of which the last is `through`. */
  readonly months: number;
  readonly through: PlainDate;
  /** The part of `modelled` that was expected to be lost by then. */
  readonly expected: number;
  readonly chargedOff: number;
  readonly recovered: number;
};

export type AllowanceBooking = {
  readonly period: Period;
  readonly date: PlainDate;
  readonly bookedAt: string;
  readonly bookedBy: { readonly clientId: string; readonly userId: string | null };
  readonly lenders: readonly (LenderAllowance & { readonly transactionHash: string | null })[];
};

export type BookingAsked = { readonly period: Period; readonly policy: GivenAllowance | null };

/** Months of the roll-forward, and of back-tests. */
const MONTHS_SHOWN = 24;
const MONTHS_TESTED = 12;
const LOOK_MS = 100;
const PLAINLY: HowWritten = { dryRun: false, keep: async () => {} };

export type AllowancesOptions = Pick<Door, 'db' | 'clock' | 'clocks'> &
  Pick<InnerBooks, 'looks' | 'post' | 'bookIdOf' | 'patienceMs'> & { readonly positionDates: PositionDates };

export function openAllowances(options: AllowancesOptions) {
  const { db, clock, clocks, looks, post, bookIdOf, patienceMs, positionDates } = options;
  return { read, book, backTests };

  async function read(asker: Asker, asked: AllowanceQuery): Promise<AllowanceReport | Refusal> {
    const { organizationId } = asker;
    const { by, lenderId, knownOn } = asked;
    const own = await clocks.one(organizationId);
    const today = todayBy(own, clock());
    const asOf = asked.asOf ?? today;
    const refusal = refuseDate(asOf, today, knownOn) ?? (asOf === today ? null : await waiting(organizationId, asOf));
    if (refusal !== null) return refusal;
    const knownBy = asOf === today ? null : (knownOn ?? (await knownAsFirst(db, organizationId, asOf)));
    return looks.look(asker, async (look) => {
      const lenders = await estimatesOn(look, own, {
        organizationId,
        lenderId,
        date: asOf,
        knownOn: knownBy,
        policy: null,
      });
      const held = await balancesOn(look, { organizationId, lenderId }, asOf);
      const through = monthOf(isMonthEnd(asOf) ? asOf : monthEndBefore(asOf));
      const rows = await readAllowances(look.tx, organizationId, { lenderId, through, limit: MONTHS_SHOWN });
      let inBooks = 0;
      for (const accounts of held.values()) inBooks -= accounts.get('allowance') ?? 0;
      return reportOf({ asOf, by, knownOn: knownBy, lenders, inBooks, booked: rows.map(keptOf) });
    });
  }

  /** Null: the positions of the month end are there. */
  async function waiting(organizationId: string, date: PlainDate): Promise<Refusal | null> {
    const state = await positionDates.ensure(organizationId, date);
    return 'ready' in state && state.ready ? null : cyclePending(date);
  }

  /** Another policy than the lenders' own is for a dry run alone. */
  async function book(
    asker: Asker,
    { period, policy }: BookingAsked,
    how: HowWritten = PLAINLY,
  ): Promise<AllowanceBooking | Refusal | Mistakes> {
    const reader = new Reader();
    const given = policy === null ? null : readAllowance(reader, policy, '/policy');
    if (given !== null && !how.dryRun) {
      reader.note('/policy', { code: 'contradiction', detail: 'Another policy can be tried in a dry run alone.' });
    }
    if (!reader.isClean) return { mistakes: reader.mistakes };
    const { organizationId } = asker;
    const own = await clocks.one(organizationId);
    const { last } = daysOf(period);
    if (last >= todayBy(own, clock())) return notOver();
    const until = performance.now() + patienceMs;
    const bookedAt = new Date(own.datesAt(clock())).toISOString();
    const work = (look: Look) => booked(look, { asker, period, given, own, bookedAt, how });
    if (how.dryRun) {
      const found = await looks.look(asker, work);
      return found === 'elsewhere' ? busy() : found;
    }
    for (;;) {
      const found = await looks.lookAndWrite(asker, work).catch((error: unknown) => {
        if (isCollision(error)) return 'elsewhere' as const;
        throw error;
      });
      if (found !== 'elsewhere') return found;
      if (performance.now() > until) return busy();
      await delay(LOOK_MS);
    }
  }

  type Booking = {
    readonly asker: Asker;
    readonly period: Period;
    readonly given: ReturnType<typeof readAllowance> | null;
    readonly own: Awaited<ReturnType<typeof clocks.one>>;
    readonly bookedAt: string;
    readonly how: HowWritten;
  };

  /** `elsewhere`: something else is being posted or closed at this moment. */
  async function booked(
    look: Look,
    { asker, period, given, own, bookedAt, how: { dryRun, keep } }: Booking,
  ): Promise<AllowanceBooking | Refusal | 'elsewhere'> {
    const { organizationId, clientId, userId = null } = asker;
    const { tx } = look;
    const { first, last } = daysOf(period);
    if (!dryRun) {
      if (!(await lockClosing(tx, organizationId))) return 'elsewhere';
      // An entry that was saved between the first statement of this moment and its lock is not seen here.
      const entries = await Promise.all([tx, db].map((sql) => readEntryState(sql, organizationId)));
      if (entries[0]?.state !== entries[1]?.state) return 'elsewhere';
    }
    const refusal = await refuseMonth(tx, organizationId, period);
    // A dry run with another policy may look at any month.
    if (refusal !== null && given === null) return refusal;
    const pending = await pendingDay(tx, { organizationId, lenderId: null }, last);
    if (pending !== null) return cyclePending(pending < first ? first : pending);
    const knownOn = await knownAsFirst(tx, organizationId, last);
    const asked = { organizationId, lenderId: null, date: last, knownOn, policy: given };
    const proposals = await proposalsOf(look, own, asked, { from: first, through: last });
    if (proposals.length === 0) {
      const detail = `There is nothing to book for ${period}: no lender has loans, losses or an allowance.`;
      return refuse('wrong_period', detail, { member: 'period' });
    }
    const about = { period, date: last, bookedAt, bookedBy: { clientId, userId } };
    if (dryRun) return { ...about, lenders: proposals.map((one) => ({ ...one, transactionHash: null })) };
    const amount = proposals.reduce(
      (sum, { lines }) => sum + lines.reduce((so, one) => so + Math.max(one.amount, 0), 0),
      0,
    );
    await keep.begin?.(tx, { always: true, amount });
    const hashes = new Map<string, string | null>();
    // Volumes are held in their order, as every other transaction of several does.
    const place = ({ lenderId }: { lenderId: string }) => volumeOf(tx, bookIdOf(asker, lenderId));
    for (const proposal of proposals.toSorted((a, b) => place(a) - place(b))) {
      const { lenderId } = proposal;
      const lines = linesOf(proposal);
      const days = { date: last, datePosted: last };
      const event = { type: 'allowanceBooked', period, ...days, lines, recordedAt: bookedAt } as const;
      hashes.set(lenderId, lines.length === 0 ? null : await post(tx, asker, { lenderId, event }));
    }
    const lenders = proposals.map((one) => ({ ...one, transactionHash: hashes.get(one.lenderId) ?? null }));
    for (const { transactionHash, ...proposal } of lenders) {
      const { lenderId } = proposal;
      const kept = { period, lenderId, transactionHash, bookedAt, clientId, userId, proposal: canonical(proposal) };
      await saveAllowance(tx, organizationId, kept);
    }
    const done = { ...about, lenders };
    await keep(tx, done);
    return done;
  }

  /** The months that were booked, the newest first. */
  async function backTests(asker: Asker, { lenderId }: { lenderId: string | null }): Promise<BackTest[] | Refusal> {
    const { organizationId } = asker;
    const own = await clocks.one(organizationId);
    const through = monthEndBefore(todayBy(own, clock()));
    const [head] = await readHeads(db, [organizationId]);
    // The last month end whose positions are there.
    const last = head === undefined || head.through >= through ? through : monthEndBefore(head.through);
    return looks.look(asker, async (look) => {
      const asked = { lenderId, through: monthOf(last), limit: MONTHS_TESTED };
      const rows = (await readAllowances(look.tx, organizationId, asked)).map(keptOf);
      const tests: BackTest[] = [];
      for (const { period, proposal } of rows.reverse()) {
        const date = lastOfMonth(`${period}-01` as PlainDate);
        const months = monthsBetween(date, last);
        const { lenderId: whose, principal, required, modelled, expected } = proposal;
        const knownOn = await knownAsFirst(look.tx, organizationId, date);
        const lost = await readLost(look.tx, { organizationId, lenderId: whose, date, knownOn, through: last });
        tests.push({
          ...{ period, lenderId: whose, principal, required, modelled, months, through: last },
          expected: months === 0 ? 0 : (expected[Math.min(months, expected.length) - 1] ?? 0),
          ...lost,
        });
        await look.pause();
      }
      return tests;
    });
  }
}

/** As known at the end of the date; of one before the first cycle, whose positions were made later, as known first. */
async function knownAsFirst(sql: Sql, organizationId: string, date: PlainDate): Promise<PlainDate> {
  const [head] = await readHeads(sql, [organizationId]);
  return head !== undefined && date >= head.first ? date : LAST_DAY;
}

/** After every day. */
const LAST_DAY = '9999-12-31' as PlainDate;

function refuseDate(asOf: PlainDate, today: PlainDate, knownOn: PlainDate | null): Refusal | null {
  if (asOf > today) return refuse('date_in_future', 'The date must not be after today.', { member: 'asOf' });
  if (asOf < today && !isMonthEnd(asOf)) {
    return refuse('invalid_value', 'asOf must be a month end, or today.', { member: 'asOf' });
  }
  if (knownOn === null) return null;
  if (knownOn > today) return refuse('date_in_future', 'knownOn must not be after today.', { member: 'knownOn' });
  if (asOf !== today && knownOn >= asOf) return null;
  const detail =
    asOf === today ? 'knownOn needs a month end as asOf.' : 'knownOn must not be before the date of the report.';
  return refuse('invalid_value', detail, { member: 'knownOn' });
}

/** A month is booked once, in order, and while it is open. */
async function refuseMonth(tx: Sql, organizationId: string, period: Period): Promise<Refusal | null> {
  const booked = await lastAllowance(tx, organizationId);
  const closed = await lastClosed(tx, organizationId);
  const detail =
    booked === period
      ? `The allowance of ${period} is booked already; a month is booked once.`
      : booked !== null && booked > period
        ? `The allowance of ${booked} is booked already; months are booked in order.`
        : closed !== null && closed >= period
          ? `${period} is closed, and its books stay as they are; what it lacks is part of the allowance of the next month.`
          : null;
  return detail === null ? null : refuse('wrong_period', detail, { member: 'period' });
}

const isCollision = (error: unknown) => ['40001', '23505'].includes(String((error as { code?: unknown } | null)?.code));

const busy = () =>
  refuse('wrong_period', 'The books of this organization are being changed; try again when that has finished.', {
    retryable: true,
  });

type Kept = { readonly period: Period; readonly proposal: LenderAllowance };

const keptOf = ({ period, proposal }: AllowanceRow): Kept => ({ period, proposal: JSON.parse(proposal) });

function reportOf(of: {
  readonly asOf: PlainDate;
  readonly by: AllowanceSlice;
  readonly knownOn: PlainDate | null;
  readonly lenders: readonly LenderEstimate[];
  /** The account on the credit side. */
  readonly inBooks: number;
  /** The oldest first. */
  readonly booked: readonly Kept[];
}): AllowanceReport {
  const { asOf, by, knownOn, lenders, inBooks, booked } = of;
  const bookedThrough = booked.at(-1)?.period ?? null;
  const lastBooked = booked.filter(({ period }) => period === bookedThrough).map(({ proposal }) => proposal);
  const before = sliced(lastBooked, by);
  const now = sliced(lenders, by);
  const sum = (name: 'loans' | 'principal' | 'modelled' | 'required') => lenders.reduce((so, one) => so + one[name], 0);
  const gone = [...before].filter(([slice, { required }]) => !now.has(slice) && required !== 0);
  const nothing = { loans: 0, principal: 0, modelled: 0, required: 0 };
  const slices = [
    ...[...now].map(([slice, amounts]) => ({ slice, ...amountsOf(amounts), booked: before.get(slice)?.required ?? 0 })),
    ...gone.map(([slice, { required }]) => ({ slice, ...nothing, booked: required })),
  ];
  return {
    ...{ asOf, by, knownOn, lenders, bookedThrough, slices },
    totals: {
      ...{ loans: sum('loans'), principal: sum('principal') },
      ...{ modelled: sum('modelled'), required: sum('required'), booked: inBooks },
    },
    months: [...Map.groupBy(booked, ({ period }) => period)].map(([period, some]) => monthOfAll(period, some)),
  };
}

const amountsOf = ({ loans, principal, modelled, required }: Omit<Amounts, 'booked'>) => ({
  ...{ loans, principal, modelled, required },
});

function monthOfAll(period: Period, some: readonly Kept[]): RolledMonth {
  const sum = (name: 'opening' | 'other' | 'chargedOff' | 'recovered' | 'provision' | 'required') =>
    some.reduce((so, { proposal }) => so + proposal[name], 0);
  return {
    period,
    ...{ opening: sum('opening'), other: sum('other'), chargedOff: sum('chargedOff') },
    ...{ recovered: sum('recovered'), provision: sum('provision'), closing: sum('required') },
  };
}
