/** The reported permissions of a loan, with their reasons, are the answers of its operations, at any point of a random history. */
import { expect } from 'vitest';
import { decide, OPERATION_NAMES, refusedNow } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold, foldAll, stateOn } from '../../src/core/fold.ts';
import type { Policy } from '../../src/core/policy.ts';
import { isRefusal, type RefusalCode } from '../../src/core/refusal.ts';
import { statusOf } from '../../src/core/status.ts';
import { rowOf } from '../support/operations.ts';
import { everyLife } from '../support/simulate/every-life.ts';

/** Refusals that no command escapes. */
const WHATEVER_IT_SAYS: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['wrong_status', 'on_hold', 'policy_limit']);

everyLife(
  'an operation said to be allowed is not refused for the loan; any other is refused as said',
  (life, day, pick) => {
    const events = underOtherLimits(
      life.events.filter(({ recordedOn }) => recordedOn <= day),
      pick,
    );
    if (events.length === 0) return;
    const folding = foldAll(events);
    const loan = stateOn(folding, day) ?? fold(events, day);
    const when = { today: day, at: `${day}T23:59:59.999Z` };
    const history = { folding, events };
    const onFile = { decision: null, deals: [], opening: null };
    const situation = { history, loan, status: statusOf(loan), when, onFile };
    for (const operation of OPERATION_NAMES) {
      const said = refusedNow(operation, situation);
      // From today's state alone, without the events.
      expect(refusedNow(operation, { ...situation, history: { folding, events: null } })).toEqual(said);
      const answer = decide(history, rowOf(operation).smallest(loan), when, onFile);
      if (answer === 'needs_events' || said === 'needs_events') throw new Error('The events were given.');
      if (!isRefusal(answer)) {
        // The same call again succeeds in any state.
        expect(answer.repeated || said === null, `${operation}: ${said?.refused}`).toBe(true);
      } else if (said === null) {
        expect(WHATEVER_IT_SAYS.has(answer.refused), `${operation}: ${answer.refused}`).toBe(false);
      } else {
        expect(answer.refused, operation).toBe(said.refused);
        expect(answer.facts, operation).toMatchObject(said.facts ?? {});
      }
    }
  },
);

/** The same history under a policy whose limits are at, above or below what the loan has had. */
function underOtherLimits(events: readonly LoanEvent[], pick: number): LoanEvent[] {
  const [some, few] = [pick % 4, Math.floor(pick / 4) % 3];
  const limits: Pick<Policy, 'extension' | 'reage'> = {
    extension: { perTwelveMonths: some, perLife: some + few, minimumPaid: few, maximumDaysPastDue: pick },
    reage: { perTwelveMonths: few, perLife: some, minimumPaid: some },
  };
  return events.map((event) =>
    event.type === 'created' ? { ...event, policy: { ...event.policy, ...limits } } : event,
  );
}
