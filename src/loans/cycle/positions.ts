/**
 * The last step of a day: positions. Records of the day may have changed earlier dates, which are restated; at the end of a month
 * every loan gets a row. It comes after the others, because what they record belongs to the day too.
 */
import { lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { type CycleKey, saveFindings, setCounts } from '../../store/cycle/cycles.ts';
import type { Db } from '../../store/db/db.ts';
import { countFunded, countPositions } from '../../store/reports/positions.ts';
import type { Timelines } from '../door/policy-timelines.ts';
import { restate, writeDate } from '../reports/write.ts';
import { type Step, sourcePlaceOf } from './sweep.ts';

const STEP: Step = 'positions';

export async function writePositions(
  { db, policies, stopped }: { readonly db: Db; readonly policies: Timelines; readonly stopped: () => boolean },
  key: CycleKey,
  progress: (part: { done: number; total: number }) => void,
): Promise<{ loans: number; exceptions: number }> {
  const failures = new Map<string, unknown>();
  const isMonthEnd = key.date === lastOfMonth(key.date);
  const total = isMonthEnd ? await countFunded(db, key.organizationId) : 0;
  let done = 0;
  const writing = {
    db,
    policies,
    stopped,
    failed: (loanId: string, error: unknown) => void failures.set(loanId, error),
    onDone(loans: number) {
      done += loans;
      if (total > 0) progress({ done: Math.min(done, total), total });
    },
  };
  const restated = await restate(writing, key);
  if (restated && isMonthEnd) await writeDate(writing, { ...key, knownOn: key.date });
  const facts = [...failures].map(([loanId, error]) => ({
    loanId,
    step: STEP,
    facts: { error: sourcePlaceOf(error) },
  }));
  await saveFindings(db, key, 'exception', facts);
  if (!stopped()) await setCounts(db, key, STEP, await countsOf(db, key, isMonthEnd ? key.date : null));
  // Positions are no events of a loan.
  return { loans: 0, exceptions: failures.size };
}

/** Counted at the end: rows that an interrupted run has written count too. */
async function countsOf(db: Db, { organizationId, date }: CycleKey, monthEnd: PlainDate | null) {
  const restatements = await countPositions(db, { organizationId, knownOn: date, restated: true });
  const loans = monthEnd === null ? 0 : await countPositions(db, { organizationId, knownOn: date, restated: false });
  return { ...(loans > 0 ? { loans } : {}), ...(restatements > 0 ? { restatements } : {}) };
}
