/**
 * The dry run of a version over the whole book: every open loan of its lenders is folded under the versions there are and under the new one,
 * on a worker thread, a page at a time. The run is a row in the database with its progress. The caller waits for it for a while; the same
 * call again joins it, and continues it where the process that worked on it has stopped.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlainDate } from '../../core/calendar.ts';
import type { LenderPolicy } from '../../core/policy.ts';
import { canonical } from '../../ledger/canonical.ts';
import { type ChangedValues, changedValues, type Impact, NO_IMPACT, plusImpact } from '../../policy/impact.ts';
import { newLoanPolicies, type PolicyVersion } from '../../policy/versions.ts';
import type { Db } from '../../store/db/db.ts';
import {
  beginDryRun,
  countExamined,
  type DryRunRow,
  readDryRun,
  readLoansExamined,
  saveDryRunPage,
  takeDryRun,
} from '../../store/policies/dry-runs.ts';
import type { LendersMarked } from '../../store/policies/policies.ts';
import { type Workers, WorkersBusy, type WorkModule } from '../../workers/workers.ts';
import { type Timelines, timelinesOf } from '../door/policy-timelines.ts';
import type * as ImpactWork from './impact-work.ts';

/** The changes that a version would make, as far as they were examined. */
export type DryRun = Impact &
  ChangedValues & {
    readonly through: PlainDate;
    readonly total: number;
    readonly done: number;
    readonly complete: boolean;
    /** Loans that could not be computed. */
    readonly failed: number;
  };

const PATIENCE_MS = 20_000;
const LOOK_MS = 100;
/** Loans of a page: some tens of milliseconds of a thread, so that others wait no longer. */
const LOANS_AT_ONCE = 200;
const PAGE_MS = 20_000;
/** The time that a process may be silent before another continues its run. */
const HELD_MS = 30_000;
/** The time for which a result is answered again before the book is examined anew. */
const KEPT_MS = 600_000;
const BUSY_MS = 250;

type DryRunsOptions = { db: Db; workers: Workers; patienceMs?: number };

type DryRunInput = {
  readonly organizationId: string;
  /** The organization whose turn at the threads it takes. */
  readonly share: string;
  readonly present: Timelines;
  /** As it would be recorded now. */
  readonly version: PolicyVersion;
  readonly through: PlainDate;
};

export function openDryRuns({ db, workers, patienceMs = PATIENCE_MS }: DryRunsOptions) {
  const work: WorkModule<typeof ImpactWork> = workers.module(new URL('./impact-work.ts', import.meta.url), {
    limitMs: PAGE_MS,
  });
  let stopped = false;
  /** Those that this process works on. */
  const running = new Map<string, Promise<void>>();
  return {
    run,
    async close() {
      stopped = true;
      await Promise.allSettled(running.values());
    },
  };

  async function run(asked: DryRunInput): Promise<DryRun> {
    const { organizationId, present, version, through } = asked;
    const before = policyBefore(present, version);
    const values = changedValues(before, version.values);
    const requestHash = hashOf(asked);
    const key = { organizationId, requestHash };
    const lenders = lendersOf(version, present);
    const total = await countExamined(db, { organizationId, lenders });
    // Nothing of a loan depends on what differs, on any day.
    const later = present.versions.some(({ figuresFrom }) => figuresFrom > version.from);
    if (values.figures.length === 0 && !later) {
      return { ...NO_IMPACT, loans: total, ...values, through, total, done: total, failed: 0, complete: true };
    }
    await beginDryRun(db, key, { total, result: { ...NO_IMPACT, failed: 0 }, keptMs: KEPT_MS });
    const until = performance.now() + patienceMs;
    for (;;) {
      const row = await readDryRun(db, key);
      if (row === null) throw new Error('A dry run is gone.');
      const name = `${organizationId} ${requestHash}`;
      if (!row.ended && !running.has(name) && !stopped) {
        // Its failure leaves the run where it is; the same call again continues it.
        const worked = workOn(asked, key, lenders).catch(() => {});
        running.set(name, worked);
        void worked.then(() => running.delete(name));
      }
      if (row.ended || stopped || performance.now() >= until) {
        const { failed, ...impact } = row.result as unknown as Impact & { failed: number };
        return { ...impact, ...values, through, total: row.total, done: row.done, failed, complete: row.ended };
      }
      await delay(LOOK_MS);
    }
  }

  /** Until the run has ended, or another process works on it. */
  async function workOn(asked: DryRunInput, key: DryRunRow['key'], lenders: LendersMarked): Promise<void> {
    let row = await takeDryRun(db, key, HELD_MS);
    if (row === null) return;
    const { organizationId, share, present, version, through } = asked;
    const proposed = timelinesOf([...present.versions, version]);
    const read = (at: { volume: number; after: string }) =>
      readLoansExamined(db, { organizationId, lenders }, { ...at, limit: LOANS_AT_ONCE });
    let next = read(row);
    while (row !== null && !stopped) {
      const page = await next;
      const at = nextPage(row.volume, page);
      // The server reads the next page while a thread is at this one.
      next = at === null ? Promise.resolve([]) : read(at);
      next.catch(() => {});
      const timelines = new Map(
        page.map(({ lenderId }) => [lenderId, { present: present.of(lenderId), proposed: proposed.of(lenderId) }]),
      );
      const loans = page.map(({ lenderId, bodies }) => ({ lenderId, bodies }));
      const found =
        page.length === 0 ? { ...NO_IMPACT, failed: 0 } : await examined(share, { loans, timelines, through });
      const before = row.result as unknown as Impact & { failed: number };
      const result = { ...plusImpact(before, found), failed: before.failed + found.failed };
      const done = { done: row.done + page.length, result };
      row = await saveDryRunPage(db, key, { ...(at ?? row), from: row, ...done, ended: at === null, heldMs: HELD_MS });
      if (at === null) return;
    }
  }

  /** The next page of the volume, or the first of the next one; null: that was the last. */
  function nextPage(volume: number, page: readonly { loanId: string }[]): { volume: number; after: string } | null {
    const last = page.length < LOANS_AT_ONCE ? undefined : page.at(-1);
    if (last !== undefined) return { volume, after: last.loanId };
    return volume + 1 < db.volumes.count ? { volume: volume + 1, after: '0x' } : null;
  }

  async function examined(share: string, page: ImpactWork.Page): Promise<ReturnType<typeof ImpactWork.examine>> {
    for (;;) {
      try {
        return await work.run('examine', share, page);
      } catch (error) {
        if (!(error instanceof WorkersBusy) || stopped) throw error;
        await delay(BUSY_MS);
      }
    }
  }
}

/** The policy of the lender's loans on the first day of the version, without it. */
function policyBefore({ versions }: Timelines, { lenderId, from, figuresFrom }: PolicyVersion): LenderPolicy {
  const { lenders, others } = newLoanPolicies(versions, from > figuresFrom ? from : figuresFrom);
  return (lenderId === null ? undefined : lenders.get(lenderId)) ?? others;
}

/** The lenders whose loans follow the version; all but those who have a policy of their own by then. */
function lendersOf({ lenderId, from }: PolicyVersion, { versions }: Timelines): LendersMarked {
  if (lenderId !== null) return { lenderId, not: [] };
  const own = versions.flatMap((one) => (one.lenderId !== null && one.from <= from ? [one.lenderId] : []));
  return { lenderId: null, not: [...new Set(own)] };
}

/** The same question: the same values for the same lender and dates, and the same versions before. */
function hashOf({ present, version, through }: DryRunInput): string {
  const { lenderId, from, figuresFrom, values } = version;
  const question = { lenderId, from, figuresFrom, through, values, before: present.versions.length };
  return `0x${createHash('sha256').update(canonical(question)).digest('hex')}`;
}
