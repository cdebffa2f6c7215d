/**
 * The nightly cycle of each organization: for every date that is over, step by step, in the order of dates. Everything that it writes down
 * follows from the events, so a date may be run twice, days late, or by several workers at once without a cent's difference. What a step
 * has done is known from the loans themselves; an interrupted one is begun again and does the rest.
 */
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { type AuditEntry, recordAudit } from '../../store/audit/audit.ts';
import { readFirstRecorded } from '../../store/books/books.ts';
import {
  addCounts,
  beginCycle,
  beginHead,
  type CycleHead,
  type CycleKey,
  countLoansOfDay,
  endCycle,
  isDayWithWork,
  passStep,
  readHeads,
  saveFindings,
  setCounts,
  sumProposals,
} from '../../store/cycle/cycles.ts';
import type { Db } from '../../store/db/db.ts';
import { organizationsWithLoans } from '../../store/door/loans.ts';
import type { Accrue } from '../books/accrual.ts';
import type { Clock, Clocks } from '../door/clocks.ts';
import { isMoved, lastDayOver, passFence } from '../door/fence.ts';
import type { LoanCache } from '../door/loan-cache.ts';
import { markBy } from '../policies/marks.ts';
import { proposeChargeOffs, recordChargeOffs } from './charge-offs.ts';
import { writePositions } from './positions.ts';
import { STEPS, type Step, sourcePlaceOf, sweepVolume } from './sweep.ts';

export type CycleProgress = {
  readonly organizationId: string;
  readonly date: PlainDate;
  readonly step: Step;
  /** Loans; both 0 where a step begins, which does not know yet how many there are. */
  readonly done: number;
  readonly total: number;
};

/** The result of a run. */
export type CyclesRun = {
  /** Days that were gone through. */
  readonly days: number;
  readonly loans: number;
  readonly exceptions: number;
};

export type NightsOptions = {
  /** Connections of its own: what it reads and writes takes none from requests. */
  db: Db;
  clock: () => number;
  clocks: Clocks;
  cache: LoanCache;
  accrue: Accrue;
};

/** An organization with past days whose cycles have not run: the last day that has run, and the last past day. */
export type Behind = { readonly organizationId: string; readonly through: PlainDate; readonly over: PlainDate };

export type CyclesHow = {
  readonly progress?: (progress: CycleProgress) => void;
  /** True: this run ends after what is being saved, and what it has not done is done by the next. */
  readonly stopped?: () => boolean;
  /** Called for each day that was gone through, also when a later one fails. */
  readonly onDay?: (done: Omit<CyclesRun, 'days'>) => void;
};

export type Nights = {
  /**
   * Runs every cycle from the last one that has run up to a date, in order. Nothing may be recorded of that date any more; writes that
   * are under way are waited for. A date that has run is not run again, but for `again`, which names one.
   */
  runCyclesThrough(organizationId: string, date: PlainDate, how?: CyclesHow): Promise<CyclesRun>;
  /** The steps of one date that has run: what could not be done then is tried once more. */
  runAgain(organizationId: string, date: PlainDate, how?: CyclesHow): Promise<CyclesRun>;
  /** Its days from the first to the last that has run; null: it has no loan. */
  reach(organizationId: string): Promise<CycleHead | null>;
  /** Organizations that have loans and days to run, but for those whose clock is being moved: that runs them. */
  behind(): Promise<Behind[]>;
  /** Stops after what is being saved; waits for it. */
  close(): Promise<void>;
};

type StepHow = {
  readonly progress: (part: { done: number; total: number }) => void;
  readonly stopped: () => boolean;
};

const NOBODY = { days: 0, loans: 0, exceptions: 0 };

export function openNights({ db, clock, clocks, cache, accrue }: NightsOptions): Nights {
  let stopping = false;
  const underWay = new Set<Promise<unknown>>();
  return {
    runCyclesThrough: (organizationId, date, how = {}) => tracked(runThrough(organizationId, date, running(how))),
    runAgain: (organizationId, date, how = {}) => tracked(again(organizationId, date, running(how))),
    reach: headOf,
    behind,
    async close() {
      stopping = true;
      await Promise.allSettled(underWay);
    },
  };

  function running({ progress = () => {}, stopped = () => false, onDay = () => {} }: CyclesHow): Required<CyclesHow> {
    return { progress, stopped: () => stopping || stopped(), onDay };
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  }

  async function runThrough(organizationId: string, through: PlainDate, how: Required<CyclesHow>): Promise<CyclesRun> {
    const head = await headOf(organizationId);
    const run = { ...NOBODY };
    if (head === null || head.through >= through) return run;
    await passFence(db);
    for (let date = addDays(head.through, 1); date <= through && !how.stopped(); date = addDays(date, 1)) {
      const done = await runDay({ organizationId, date }, how);
      if (done === null) break;
      how.onDay(done);
      run.days += 1;
      run.loans += done.loans;
      run.exceptions += done.exceptions;
    }
    return run;
  }

  async function again(organizationId: string, date: PlainDate, how: Required<CyclesHow>): Promise<CyclesRun> {
    const head = await headOf(organizationId);
    if (head === null || date < head.first) return NOBODY;
    if (date > head.through) return runThrough(organizationId, date, how);
    await passFence(db);
    const done = await runDay({ organizationId, date }, how);
    return done === null ? NOBODY : { days: 1, ...done };
  }

  /** Its days begin with the one on which its first loan was recorded. Null: it has no loan. */
  async function headOf(organizationId: string): Promise<CycleHead | null> {
    const [head] = await readHeads(db, [organizationId]);
    if (head !== undefined) return head;
    const [first] = [...(await readFirstRecorded(db, { organizationId, lenderId: null })).values()].sort();
    if (first === undefined) return null;
    await beginHead(db, organizationId, first);
    return (await readHeads(db, [organizationId]))[0] ?? null;
  }

  /** Null: it was stopped before it ended. */
  async function runDay(
    key: CycleKey,
    { progress, stopped }: Required<CyclesHow>,
  ): Promise<{ loans: number; exceptions: number } | null> {
    const run = { loans: 0, exceptions: 0 };
    const ownersClock = await clocks.one(key.organizationId);
    const now = () => new Date(ownersClock.at(clock()));
    if (await isDayWithWork(db, { ...key, isMonthEnd: key.date === lastOfMonth(key.date) })) {
      await markBy(db, key.organizationId, key.date, { now, stopped });
      await beginCycle(db, key, { steps: STEPS, at: now() });
      let ended: Step | null = null;
      for (const step of STEPS) {
        await passStep(db, key, { ended, begins: step, at: now() });
        progress({ ...key, step, done: 0, total: 0 });
        const done = await runStep(key, step, { stopped, progress: (part) => progress({ ...key, step, ...part }) });
        run.loans += done.loans;
        run.exceptions += done.exceptions;
        if (stopped()) return null;
        ended = step;
      }
      await passStep(db, key, { ended, begins: null, at: now() });
      await db.transaction(async (tx) => {
        await endCycle(tx, key, now());
        await recordAudit(tx, [runOf(key)]);
      });
    } else await db.transaction((tx) => endCycle(tx, key, now()));
    return run;
  }

  /** One entry of the audit trail for all loans of the organization: what was posted on them follows from the date alone. */
  function runOf({ organizationId, date }: CycleKey): AuditEntry {
    const what = { kind: 'did', operation: 'nightly-cycle', outcome: 'done', subject: date } as const;
    return { at: new Date(clock()), organizationId, clientId: 'service', ...what, requestId: null };
  }

  async function runStep(key: CycleKey, step: Step, how: StepHow): Promise<{ loans: number; exceptions: number }> {
    switch (step) {
      case 'accrual':
        return { loans: 0, exceptions: await postInterest(key) };
      case 'chargeOffsProposed': {
        const { policies } = await clocks.one(key.organizationId);
        const exceptions = await proposeChargeOffs({ db, policies, stopped: how.stopped }, key);
        if (key.date === lastOfMonth(key.date)) await setCounts(db, key, step, await sumProposals(db, key));
        return { loans: 0, exceptions };
      }
      case 'chargeOffsRecorded': {
        const { policies, startOf } = await clocks.one(key.organizationId);
        const lastMoment = startOf(addDays(key.date, 1)) - 1;
        return recordChargeOffs({ db, policies, stopped: how.stopped }, key, {
          lastMoment,
          at: new Date(clock()),
          cache,
        });
      }
      case 'positions': {
        const { policies } = await clocks.one(key.organizationId);
        return writePositions({ db, policies, stopped: how.stopped }, key, how.progress);
      }
      default:
        // One event of a loan holds everything that accrued or fell due on the day, so the first of these steps does the work of the others, and
        // they find what is left: loans that another worker or an interrupted run has not come to.
        return sweep(key, step, how);
    }
  }

  async function sweep(
    key: CycleKey,
    step: Step,
    { progress, stopped }: StepHow,
  ): Promise<{ loans: number; exceptions: number }> {
    const found = await countLoansOfDay(db, key);
    const total = found.reduce((sum, { count }) => sum + count, 0);
    const run = { loans: 0, exceptions: 0 };
    if (total === 0) return run;
    const { startOf, policies } = await clocks.one(key.organizationId);
    const lastMoment = startOf(addDays(key.date, 1)) - 1;
    let done = 0;
    const onDone = (loans: number) => {
      done += loans;
      progress({ done, total });
    };
    // Two workers rarely begin with the same volume, and then do half of the work each.
    const first = Math.floor(clock()) % found.length;
    for (const { volume } of [...found.slice(first), ...found.slice(0, first)]) {
      if (stopped()) break;
      const swept = await sweepVolume({ db, cache, policies, stopped }, volume, key, { step, lastMoment, onDone });
      run.loans += swept.written;
      run.exceptions += swept.exceptions;
    }
    return run;
  }

  /** A loan that cannot be folded counts as its row says, so that the others are posted. */
  async function postInterest({ organizationId, date }: CycleKey): Promise<number> {
    const failed = new Map<string, unknown>();
    const key = { organizationId, date };
    await accrue(organizationId, date, {
      failed: (loanId, error) => failed.set(loanId, error),
      onPosted: (tx, { amount }) => addCounts(tx, key, { accrual: { entries: 1, amount } }),
    });
    const found = [...failed].map(([loanId, error]) => ({
      loanId,
      step: 'accrual',
      facts: { error: sourcePlaceOf(error) },
    }));
    await saveFindings(db, key, 'exception', found);
    return failed.size;
  }

  async function behind(): Promise<Behind[]> {
    const owners = await organizationsWithLoans(db);
    const clockOf = await clocks.of(owners);
    const heads = new Map((await readHeads(db, owners)).map((head) => [head.organizationId, head]));
    const found: Behind[] = [];
    for (const organizationId of owners) {
      const ownersClock = clockOf.get(organizationId) as Clock;
      if (isMoved(ownersClock)) continue;
      const over = lastDayOver(ownersClock, clock());
      const through = heads.get(organizationId)?.through ?? (await headOf(organizationId))?.through;
      if (through !== undefined && through < over) found.push({ organizationId, through, over });
    }
    return found;
  }
}
