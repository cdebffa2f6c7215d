/**
 * Loans that should be charged off, listed at the end of every month: those whose days past due have reached the policy's number by then, or
 * for which a hold requires it (FFIEC). Nothing is recorded of them; a person decides. The list is as known at the end of that day, however late it is made.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addDays, lastOfMonth } from '../../core/calendar.ts';
import { chargeOffProposed } from '../../core/end-of-day.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { type CycleKey, type Finding, readLongPastDue, saveFindings } from '../../store/cycles.ts';
import type { Db } from '../../store/db.ts';
import { loadLoans } from '../../store/loans.ts';
import { placeOf } from './sweep.ts';

/** Loans that are folded between two turns of the event loop; some milliseconds. */
const AT_ONCE = 16;
const STEP = 'chargeOffsProposed';

/** How many loans could not be judged. */
export async function proposeChargeOffs(db: Db, key: CycleKey, stopped: () => boolean): Promise<number> {
  if (key.date !== lastOfMonth(key.date)) return 0;
  const from = addDays(key.date, -DEFAULT_POLICY.chargeOffDays);
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
    for (const { loanId, bodies } of await loadLoans(db, ids)) {
      try {
        const events = (JSON.parse(`[${bodies}]`) as { event: LoanEvent }[]).map(({ event }) => event);
        const known = events.filter(({ recordedOn }) => recordedOn <= key.date);
        const proposal = known.length === 0 ? null : chargeOffProposed(fold(known, key.date));
        if (proposal !== null) proposals.push({ loanId, step: STEP, facts: { ...proposal } });
      } catch (error) {
        failed.push({ loanId, step: STEP, facts: { error: placeOf(error) } });
      }
    }
    return { proposals, failed };
  }
}
