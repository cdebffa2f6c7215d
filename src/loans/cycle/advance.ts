/**
 * Moves test clocks: one day at a time, and after each step the cycles of the days that are over by then. The day a clock is moved to is
 * stored first, so an advance outlives the process that received the call: every process takes on advances that no process holds, also those that another one
 * left when it ended. Two are worked on at a time, each for two seconds, in turn: so a long one keeps neither the others nor the pool.
 * A clock that is stuck does not delay the others: it is tried again later, reports why, and may be advanced to another day.
 */
import { addDays, daysBetween, type PlainDate } from '../../core/calendar.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { isDemoBeingFilled } from '../../store/access/demo.ts';
import { DatabaseUnavailable, type Db } from '../../store/db/db.ts';
import type { StoredTestClock } from '../../store/door/clocks.ts';
import {
  beginAdvance,
  claimAdvance,
  failAdvance,
  finishAdvance,
  type HeldAdvance,
  keepAdvance,
  moveClock,
  releaseAdvance,
} from '../../store/door/test-clocks.ts';
import { type Clock, type Clocks, type ClockView, clockViewOf } from '../door/clocks.ts';
import { sourcePlaceOf } from './sweep.ts';

/** Runs the cycles of an organization that have not been run yet, in order, through a day that is over; only when `stopped` not all of them. */
export type RunCyclesThrough = (
  organizationId: string,
  through: PlainDate,
  how: { readonly stopped: () => boolean },
) => Promise<unknown>;

/** An advance that could not be moved on. */
export type AdvanceFailure = { readonly organizationId: string; readonly error: unknown };

export type AdvancesOptions = {
  db: Db;
  clock: () => number;
  clocks: Clocks;
  /** This process. */
  holder: string;
  runCyclesThrough: RunCyclesThrough;
  /** False: nothing may be written now, and no clock moves. */
  mayWrite: () => boolean;
  monotonic?: () => number;
  /** The time that a caller waits for the end. */
  patienceMs?: number;
};

/** Days of one advance: ten years. */
const DAYS_AT_MOST = 3_660;
const PATIENCE_MS = 20_000;
const AT_ONCE = 2;
const SLICE_MS = 2_000;
/** Times that a call looks again because another was faster. */
const BEGUN_AGAIN = 10;
/** An advance is held for five seconds at a time, and a cycle may take longer. */
const KEPT_EVERY_MS = 1_500;
/** A caller looks for the end after this long, and each time a bit later. */
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;

export function openAdvances(options: AdvancesOptions) {
  const { db, clock, clocks, holder, runCyclesThrough, mayWrite } = options;
  const { monotonic = () => performance.now(), patienceMs = PATIENCE_MS } = options;
  let stopped = false;
  const workers = new Set<Promise<void>>();
  /** Since they were last reported; the newest of each organization. */
  const failures = new Map<string, unknown>();
  /** The error that kept this process from taking any on. */
  let failed: unknown = null;
  let slices = 0;
  return { advance, goOn, stop };

  /** Answers when the date is reached, or after 20 seconds with the current date of the clock. */
  async function advance(organizationId: string, to: PlainDate): Promise<ClockView | Refusal> {
    const until = monotonic() + patienceMs;
    const refused = await begin(organizationId, to);
    if (refused !== null) return refused;
    work();
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(2 * wait, LAST_LOOK_MS)) {
      const now = await clocks.one(organizationId);
      const { standsOn, advancingTo } = now.test as StoredTestClock;
      // Then it is over: the day is reached with all its cycles run, or it has ended before (its sandbox has, or a new zone leaves the day out).
      if (advancingTo !== to) return (standsOn >= to ? null : refuseAdvance(now, to)) ?? clockViewOf(now, clock());
      if (stopped || monotonic() >= until) return clockViewOf(now, clock());
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Null: it is under way, or there is nothing to do. */
  async function begin(organizationId: string, to: PlainDate): Promise<Refusal | null> {
    for (let attempt = 0; attempt < BEGUN_AGAIN; attempt++) {
      const before = await clocks.one(organizationId);
      const refused = refuseAdvance(before, to);
      if (refused !== null) return refused;
      const { advancingTo, standsOn, filling } = before.test as StoredTestClock;
      if (advancingTo === to || (advancingTo === null && standsOn === to)) return null;
      if (filling) return refuseFilling(await isDemoBeingFilled(db));
      // False: another call was faster, and what it did is looked at.
      if (await beginAdvance(db, organizationId, to)) return null;
    }
    return refuse('clock_busy', 'Another request is advancing this clock; try again in a moment.', { retryable: true });
  }

  /** Works on advances that no process holds; returns those that got stuck since the last call. */
  async function goOn(): Promise<AdvanceFailure[]> {
    work();
    while (workers.size > 0) await Promise.all(workers);
    const told = [...failures].map(([organizationId, error]) => ({ organizationId, error }));
    failures.clear();
    const error = failed;
    failed = null;
    if (error !== null) throw error;
    return told;
  }

  /** Stops advancing clocks in this process and answers all waiting callers; resolves when the last step has ended. */
  async function stop(): Promise<void> {
    stopped = true;
    while (workers.size > 0) await Promise.all(workers);
  }

  function work(): void {
    if (workers.size >= AT_ONCE || stopped || !mayWrite()) return;
    const worker: Promise<void> = workOn().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  async function workOn(): Promise<void> {
    try {
      while (!stopped && mayWrite()) {
        // Two workers of one process must not take each other's for their own.
        slices += 1;
        const held = await claimAdvance(db, `${holder} ${slices}`);
        if (held === null) return;
        // There may be another.
        work();
        await slice(held);
      }
    } catch (error) {
      // Every process looks again.
      if (!(error instanceof DatabaseUnavailable)) failed ??= error;
    }
  }

  async function slice(held: HeldAdvance): Promise<void> {
    const until = monotonic() + SLICE_MS;
    const keeping = setInterval(() => void keepAdvance(db, held).catch(() => {}), KEPT_EVERY_MS);
    try {
      for (;;) {
        const now = await keepAdvance(db, held);
        if (now === null) return;
        await runCyclesThrough(held.organizationId, addDays(now.standsOn, -1), { stopped: () => stopped });
        // Before the end, which would say that all cycles have run.
        if (stopped) return;
        const next = nextDay(await clocks.one(held.organizationId), now.standsOn);
        // A zone that was set meanwhile may leave the last day out.
        if (now.standsOn === now.to || next > now.to) return await finishAdvance(db, held);
        if (!mayWrite() || monotonic() >= until) return;
        if (!(await moveClock(db, held, { from: now.standsOn, to: next, at: new Date(clock()) }))) return;
      }
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      failures.set(held.organizationId, error);
      await failAdvance(db, held, sourcePlaceOf(error));
    } finally {
      clearInterval(keeping);
      await releaseAdvance(db, held).catch(() => {});
    }
  }
}

/** Null: it may be begun, is under way, or is done. */
function refuseAdvance(clock: Clock, to: PlainDate): Refusal | null {
  const { test } = clock;
  const wrong = (detail: string) => refuse('invalid_value', detail, { member: 'to' });
  if (test === null) {
    return refuse(
      'live_clock',
      'The clock of this organization follows real time; only the clock of a sandbox can be advanced.',
    );
  }
  const { standsOn, advancingTo, problem } = test;
  if (test.ended) return refuse('clock_busy', 'This sandbox has ended.');
  if (to < standsOn) return wrong(`The clock is at ${standsOn} and can only move forward.`);
  if (advancingTo !== null && advancingTo !== to && problem === null) {
    const detail = `The clock is being advanced to ${advancingTo}; wait until GET /clock shows this date.`;
    return refuse('clock_busy', detail, { retryable: true });
  }
  if (daysBetween(standsOn, to) > DAYS_AT_MOST) {
    return wrong(`The clock can be advanced by at most ${DAYS_AT_MOST} days at a time; advance it in several steps.`);
  }
  if (clock.dayOf(clock.startOf(to)) !== to) return wrong('This date does not exist in the time zone of this clock.');
  return null;
}

function refuseFilling(underWay: boolean): Refusal {
  return underWay
    ? refuse('clock_busy', 'The loans of this sandbox are still being created; try again when this has finished.', {
        retryable: true,
      })
    : refuse(
        'clock_busy',
        'Creating the loans of this sandbox was interrupted. Start the service with DEMO=on to complete it.',
      );
}

/** The day after, or the one after that where a zone leaves a day out. */
function nextDay({ dayOf, startOf }: Clock, day: PlainDate): PlainDate {
  return dayOf(startOf(addDays(day, 1)));
}
