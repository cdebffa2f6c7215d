/**
 * Posts what accrued or fell due on a day, for every loan of an organization that is affected: found by the date in their rows, a page
 * at a time, volume by volume. This lane goes past the queue of writes and past the memory of loans, so that it neither takes the place of
 * a payment nor pushes loans out that payments use. A loan that another request writes in the meantime is skipped: that event posts the same
 * lines. What is done leaves the index, so an interrupted sweep goes on by beginning again.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { PlainDate } from '../../core/calendar.ts';
import {
  addCounts,
  type Counts,
  type CycleKey,
  correctChanges,
  readLoansOfDay,
  saveFindings,
} from '../../store/cycle/cycles.ts';
import { DatabaseUnavailable, type Db } from '../../store/db/db.ts';
import { loadLoans, type StoredLoan } from '../../store/door/loans.ts';
import { saveInVolume } from '../../store/door/save-in-volume.ts';
import { saveLoans } from '../../store/door/save-loans.ts';
import { fromStored, type LoanCache } from '../door/loan-cache.ts';
import type { Timelines } from '../door/policy-timelines.ts';
import { type EndedDay, endDay, type Unchanged } from './end-day.ts';

/** In the order in which they run. */
export const STEPS = [
  'lateFeesAndBuckets',
  'chargeOffsRecorded',
  'accrual',
  'nonAccrual',
  'quotesExpired',
  'chargeOffsProposed',
  'positions',
] as const;

export type Step = (typeof STEPS)[number];

/**
 * Loans that are saved in one transaction. It holds the head of their volume for some milliseconds, longer the more they are, and a payment
 * in that volume waits for it.
 */
const AT_ONCE = 8;
/** The time for which folding holds the event loop. */
const TURN_MS = 1;
/** The rest between two transactions, for each millisecond that it worked: the processor and the disk are there for payments first. */
const REST = 0.5;

export type SweepOptions = {
  db: Db;
  cache: LoanCache;
  /** Those of the organization. */
  policies: Timelines;
  stopped: () => boolean;
};

type Swept = { written: number; exceptions: number };

export async function sweepVolume(
  { db, cache, policies, stopped }: SweepOptions,
  volume: number,
  key: CycleKey,
  { step, lastMoment, onDone }: { step: Step; lastMoment: number; onDone: (loans: number) => void },
): Promise<Swept> {
  const swept = { written: 0, exceptions: 0 };
  let after: { changesOn: PlainDate; loanId: string } | null = null;
  while (!stopped()) {
    const began = performance.now();
    const page: { changesOn: PlainDate; loanId: string }[] = await readLoansOfDay(db, volume, key, {
      after,
      limit: AT_ONCE,
    });
    const ids = page.map(({ loanId }) => loanId);
    const { ended, unchanged, failed } =
      ids.length === 0 ? NOTHING : await endDays(await loadLoans(db, ids), policies, { day: key.date, lastMoment });
    if (unchanged.length > 0) await correctChanges(db, volume, unchanged);
    for (const [loanId, error] of await save(ended)) failed.set(loanId, error);
    if (failed.size > 0) await listed(failed);
    swept.exceptions += failed.size;
    onDone(page.length);
    if (page.length < AT_ONCE) break;
    after = page.at(-1) ?? null;
    await delay((performance.now() - began) * REST);
  }
  return swept;

  /** Those that could not be saved, by halves: one that cannot be saved must not keep the others from it. */
  async function save(ended: readonly EndedDay[]): Promise<Map<string, unknown>> {
    if (ended.length === 0) return new Map();
    try {
      swept.written += await saveTogether(ended);
      return new Map();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      if (ended.length === 1) return new Map(ended.map(({ save: { loanId } }) => [loanId, error]));
      const middle = Math.ceil(ended.length / 2);
      return new Map([...(await save(ended.slice(0, middle))), ...(await save(ended.slice(middle)))]);
    }
  }

  async function saveTogether(ended: readonly EndedDay[]): Promise<number> {
    const saves = ended.map((one) => one.save);
    const saved = await db.transaction(async (tx) => {
      // First what payments do not wait for: they wait for the head that saving takes.
      await addCounts(tx, key, countsOf(ended));
      const moment = { at: new Date(lastMoment), until: null };
      const done = await (tx.volumes.sharded ? saveInVolume(tx, saves, moment) : saveLoans(tx, saves, moment));
      const left = ended.filter(({ save: { loanId } }) => !done.has(loanId));
      await addCounts(tx, key, negative(countsOf(left)));
      return done;
    });
    for (const { next } of ended) if (saved.has(next.loanId)) cache.refresh(next);
    return saved.size;
  }

  function listed(failed: ReadonlyMap<string, unknown>): Promise<void> {
    const found = [...failed].map(([loanId, error]) => ({ loanId, step, facts: { error: sourcePlaceOf(error) } }));
    return saveFindings(db, key, 'exception', found);
  }
}

const NOTHING = { ended: [] as EndedDay[], unchanged: [] as Unchanged[], failed: new Map<string, unknown>() };

async function endDays(
  stored: readonly StoredLoan[],
  policies: Timelines,
  when: { readonly day: PlainDate; readonly lastMoment: number },
): Promise<typeof NOTHING> {
  const ended: EndedDay[] = [];
  const unchanged: Unchanged[] = [];
  const failed = new Map<string, unknown>();
  let began = performance.now();
  for (const one of stored) {
    try {
      const done = endDay(fromStored(one, policies), when);
      if (typeof done === 'object' && 'save' in done) ended.push(done);
      else if (typeof done === 'object') unchanged.push(done);
    } catch (error) {
      failed.set(one.loanId, error);
    }
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return { ended, unchanged, failed };
}

/** By step: each event counts for those whose facts it holds. */
function countsOf(ended: readonly EndedDay[]): Partial<Record<Step, Counts>> {
  const lateFeesAndBuckets: Record<string, number> = { loans: ended.length };
  const more = (name: string, by = 1) => {
    lateFeesAndBuckets[name] = (lateFeesAndBuckets[name] ?? 0) + by;
  };
  let began = 0;
  let quotes = 0;
  let holds = 0;
  for (const { fact, small } of ended) {
    if (small !== null) {
      more('smallBalances');
      more('smallBalanceCents', small.amount);
    }
    if (fact.lateFees > 0) {
      more('lateFees');
      more('amount', fact.lateFees);
    }
    if (fact.bucket !== null) more(`bucket ${fact.bucket}`);
    if (fact.nonAccrual) began += 1;
    quotes += fact.quotesExpired.length;
    holds += fact.holdsExpired.length;
  }
  if (ended.length === 0) return {};
  return {
    lateFeesAndBuckets,
    ...(began > 0 ? { nonAccrual: { loans: began } } : {}),
    ...(quotes + holds > 0
      ? { quotesExpired: { ...(quotes > 0 ? { quotes } : {}), ...(holds > 0 ? { holds } : {}) } }
      : {}),
  };
}

function negative(counted: Partial<Record<Step, Counts>>): Record<string, Counts> {
  const turned = ([step, counts]: [string, Counts]) => [
    step,
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count])),
  ];
  return Object.fromEntries(Object.entries(counted).map(turned));
}

/** The innermost place of a stack that is in our own source. */
const FRAME = /[/\\]src[/\\]([\w.-]{1,40}(?:[/\\][\w.-]{1,40}){0,4}:\d{1,6})/;
const STACK_READ = 4_000;

/** The kind of the error and the place that it came from. Never its message, which may quote what a caller wrote. */
export function sourcePlaceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  const frame = FRAME.exec((error.stack ?? '').slice(0, STACK_READ))?.[1] ?? '';
  return [error.name, typeof code === 'string' ? code : '', frame].filter(Boolean).join(' ');
}
