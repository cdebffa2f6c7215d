/**
 * Loans that should be charged off at the end of a month: those whose days past due have reached the policy's number by then, or for which a
 * hold requires it (FFIEC). Where the policy says `record`, the charge-off is recorded before the interest of that day is posted; all others
 * are listed, and a person decides. The list is as known at the end of that day, however late it is made.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addDays, lastOfMonth } from '../../core/calendar.ts';
import { chargeOffProposed } from '../../core/end-of-day.ts';
import { fold } from '../../core/fold.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { followed } from '../../policy/impact.ts';
import {
  addCounts,
  type CycleKey,
  type Finding,
  holdOpenStep,
  readLongPastDue,
  saveFindings,
} from '../../store/cycle/cycles.ts';
import { DatabaseUnavailable, type Db } from '../../store/db/db.ts';
import { loadLoans } from '../../store/door/loans.ts';
import { saveInVolume } from '../../store/door/save-in-volume.ts';
import { saveLoans } from '../../store/door/save-loans.ts';
import { eventsIn, fromStored, type LoanCache } from '../door/loan-cache.ts';
import type { Timelines } from '../door/policy-timelines.ts';
import { chargeOffAt } from './end-day.ts';
import { type Step, sourcePlaceOf } from './sweep.ts';

/** Loans that are folded between two turns of the event loop; some milliseconds. */
const AT_ONCE = 16;
const PROPOSED: Step = 'chargeOffsProposed';
const RECORDED: Step = 'chargeOffsRecorded';

type ChargeOffsOf = { readonly db: Db; readonly policies: Timelines; readonly stopped: () => boolean };

/** The fewest days past due at which any policy of the organization requires a charge-off. */
function fewestDays({ versions }: Timelines): number {
  return Math.min(DEFAULT_POLICY.chargeOffDays, ...versions.map(({ values }) => values.chargeOffDays));
}

/**
 * Records the charge-offs of a month end. A loan that something was recorded of since stays for the list. Nothing is recorded once the
 * step has ended in any process, because the interest of the day is then posted without it.
 */
export async function recordChargeOffs(
  { db, policies, stopped }: ChargeOffsOf,
  key: CycleKey,
  { lastMoment, at, cache }: { readonly lastMoment: number; readonly at: Date; readonly cache: LoanCache },
): Promise<{ loans: number; exceptions: number }> {
  const run = { loans: 0, exceptions: 0 };
  const recorded = policies.versions.some(({ values }) => values.chargeOff === 'record');
  if (!recorded || key.date !== lastOfMonth(key.date)) return run;
  const from = addDays(key.date, -fewestDays(policies));
  for (let volume = 0; volume < db.volumes.count && !stopped(); volume++) {
    let after: string | null = null;
    while (!stopped()) {
      const ids: string[] = await readLongPastDue(db, volume, key, { from, after, limit: AT_ONCE });
      for (const stored of ids.length === 0 ? [] : await loadLoans(db, ids)) {
        try {
          const due = chargeOffAt(fromStored(stored, policies), { day: key.date, lastMoment });
          if (due !== null && (await save(due))) run.loans += 1;
        } catch (error) {
          if (error instanceof DatabaseUnavailable) throw error;
          run.exceptions += 1;
          const facts = { error: sourcePlaceOf(error) };
          await saveFindings(db, key, 'exception', [{ loanId: stored.loanId, step: RECORDED, facts }]);
        }
      }
      if (ids.length < AT_ONCE) break;
      after = ids.at(-1) ?? null;
      await nextTurn();
    }
  }
  return run;

  /** Whether it was saved: not if another request wrote the loan meanwhile. */
  async function save({ save: one, amount }: NonNullable<ReturnType<typeof chargeOffAt>>): Promise<boolean> {
    return db.transaction(async (tx) => {
      if (!(await holdOpenStep(tx, key, RECORDED))) return false;
      const moment = { at, until: null };
      const done = await (tx.volumes.sharded ? saveInVolume(tx, [one], moment) : saveLoans(tx, [one], moment));
      if (!done.has(one.loanId)) return false;
      await addCounts(tx, key, { [RECORDED]: { loans: 1, amount } });
      cache.forget(one.loanId);
      return true;
    });
  }
}

/** Returns the number of loans that could not be judged. */
export async function proposeChargeOffs({ db, policies, stopped }: ChargeOffsOf, key: CycleKey): Promise<number> {
  if (key.date !== lastOfMonth(key.date)) return 0;
  const from = addDays(key.date, -fewestDays(policies));
  let exceptions = 0;
  for (let volume = 0; volume < db.volumes.count && !stopped(); volume++) {
    let after: string | null = null;
    while (!stopped()) {
      const ids: string[] = await readLongPastDue(db, volume, key, { from, after, limit: AT_ONCE });
      if (ids.length === 0) break;
      const { proposals, failed } = await judged(ids);
      await saveFindings(db, key, 'proposal', proposals);
      await saveFindings(db, key, 'exception', failed);
      exceptions += failed.length;
      if (ids.length < AT_ONCE) break;
      after = ids.at(-1) ?? null;
      await nextTurn();
    }
  }
  return exceptions;

  async function judged(ids: readonly string[]): Promise<{ proposals: Finding[]; failed: Finding[] }> {
    const proposals: Finding[] = [];
    const failed: Finding[] = [];
    for (const { loanId, lenderId, bodies } of await loadLoans(db, ids)) {
      try {
        const events = followed(eventsIn(bodies), policies.of(lenderId));
        const known = events.filter(({ recordedOn }) => recordedOn <= key.date);
        const proposal = known.length === 0 ? null : chargeOffProposed(fold(known, key.date));
        if (proposal !== null) proposals.push({ loanId, step: PROPOSED, facts: { ...proposal } });
      } catch (error) {
        failed.push({ loanId, step: PROPOSED, facts: { error: sourcePlaceOf(error) } });
      }
    }
    return { proposals, failed };
  }
}
