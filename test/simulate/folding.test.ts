/** A continued folding equals the fold of all events; what a list derives from stored dates equals what the loan gives. */
import { describe, expect } from 'vitest';
import { addDays, daysBetween, type PlainDate } from '../../src/core/calendar.ts';
import { type Decision, decide } from '../../src/core/decide/decide.ts';
import { delinquency, type OpenInstallment, openInstallments, pastDueFrom } from '../../src/core/delinquency.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../../src/core/fold.ts';
import type { Loan } from '../../src/core/loan.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { statusOf, storedStatus } from '../../src/core/status.ts';
import { everyLife } from '../support/simulate/every-life.ts';

describe('a random history, folded step by step', () => {
  everyLife('append by append = the fold of all, on every day checked', ({ events, today }, asOf, pick) => {
    let folding = foldAll(events.slice(0, 1));
    for (let count = 2; count <= events.length; count++) {
      const event = events[count - 1] as (typeof events)[number];
      const known = events.slice(0, count);
      const next = append(folding, [event]);
      folding = next ?? foldAll(known);
      for (const day of [event.date, event.recordedOn, asOf, today, addDays(today, pick * 5)]) {
        const state = stateOn(folding, day);
        if (state !== null) expect(state).toEqual(fold(known, day));
      }
    }
  });

  everyLife(
    'the same under a policy that changes; before its first change the loan is as it was, and names the day on which its figures change',
    (life, asOf, pick) => {
      const [created, ...rest] = life.events as [LoanEvent, ...LoanEvent[]];
      if (created.type !== 'created') throw new Error('A loan begins with its creation.');
      const { waterfall: _, lateFee: __, graceDays: ___, ...values } = created.policy;
      const follows = [
        { from: asOf, values: { ...values, satisfiedPercent: 50 + (pick % 51), nonAccrualDays: 30 } },
        { from: addDays(asOf, 1 + pick), values: { ...values, satisfiedPercent: 100, accrueAfterChargeOff: true } },
      ];
      const events: LoanEvent[] = [{ ...created, follows }, ...rest];
      let folding = foldAll(events.slice(0, 1));
      for (const [i, event] of events.entries()) {
        const known = events.slice(0, i + 1);
        if (i > 0) folding = append(folding, [event]) ?? foldAll(known);
        for (const day of [event.recordedOn, asOf, life.today, addDays(asOf, pick * 3)]) {
          const state = stateOn(folding, day);
          if (state !== null) expect(state).toEqual(fold(known, day));
        }
      }
      const before = addDays(asOf, -1);
      if (before < created.date) return;
      const { policyChangesOn, ...now } = fold(events, before);
      const { policyChangesOn: none, ...was } = fold(life.events, before);
      // A version that repeats the figures of the one before changes nothing.
      const figures = (policy: typeof values) => [
        policy.satisfiedPercent,
        policy.nonAccrualDays,
        policy.accrueAfterChargeOff,
      ];
      const change = follows.find((version) => `${figures(version.values)}` !== `${figures(values)}`);
      expect([now, policyChangesOn, none]).toEqual([was, change?.from ?? null, null]);
    },
  );

  everyLife('any number of events at once = one by one', ({ events, today }, _, pick) => {
    const first = 1 + (pick % events.length);
    const folding = foldAll(events.slice(0, first));
    for (const count of [first + 3, events.length]) {
      const known = events.slice(0, count);
      const next = append(folding, events.slice(first, count));
      const state = next && stateOn(next, today);
      if (state !== null) expect(state).toEqual(fold(known, today));
    }
  });

  everyLife('what was folded before stays as it was', ({ events, today }, asOf) => {
    let folding = foldAll(events.slice(0, 1));
    for (const [i, event] of events.entries()) {
      if (i === 0) continue;
      const before = structuredClone(folding);
      const next = append(folding, [event]);
      stateOn(folding, today);
      stateOn(folding, asOf);
      expect(folding).toEqual(before);
      folding = next ?? foldAll(events.slice(0, i + 1));
    }
  });

  everyLife('a decision from the folding is the decision from the events', (life) => {
    let folded: readonly LoanEvent[] = life.events.slice(0, 1);
    let folding = foldAll(folded);
    for (const { before, command, when, onFile, answer } of life.turns) {
      // Some histories begin funded, by an event that no command made.
      folding = append(folding, before.slice(folded.length)) ?? foldAll(before);
      folded = before;
      const alone = decide({ folding, events: null }, command, when, onFile);
      const decided = alone === 'needs_events' ? decide({ folding, events: before }, command, when, onFile) : alone;
      if (decided === 'needs_events') throw new Error('The events were given.');
      expect(bare(decided)).toEqual(bare(answer));
      if (isRefusal(decided) || isRefusal(answer)) continue;
      const on = addDays(when.today, 45);
      const known = [...before, ...answer.events];
      expect(asFolded(decided.folding, known, on)).toEqual(fold(known, on));
      folding = decided.folding;
      folded = known;
    }
  });

  everyLife('days past due count from the stored date on', ({ events, today, terms }, _, pick) => {
    const loan = fold(events, today);
    if (terms.disbursements.some(({ date }) => date > today)) return;
    const from = pastDueFrom(loan);
    for (const day of daysFrom(loan, from, pick)) {
      const then = fold(events, day);
      if (outgrown(loan, day)) continue;
      const days = from === null ? 0 : Math.max(0, daysBetween(from, day));
      expect([day, delinquency(then).daysPastDue]).toEqual([day, days]);
      const delinquentFrom = from === null ? null : addDays(from, loan.policy.graceDays + 1);
      const stored = storedStatus(loan);
      const late = ['Funded', 'Current'].includes(stored) && delinquentFrom !== null && day >= delinquentFrom;
      expect([day, statusOf(then)]).toEqual([day, late ? 'Delinquent' : stored]);
    }
  });
});

function asFolded(folding: Folding, events: readonly LoanEvent[], on: PlainDate): Loan {
  return stateOn(folding, on) ?? fold(events, on);
}

function bare(answer: Decision | ReturnType<typeof decide>): unknown {
  if (typeof answer === 'string' || isRefusal(answer)) return answer;
  const { folding: _, ...rest } = answer;
  return rest;
}

/** The days around which something changes, and others. */
function daysFrom({ on, policy }: Loan, from: PlainDate | null, pick: number): PlainDate[] {
  const near =
    from === null ? [] : [-1, 0, 1, policy.graceDays, policy.graceDays + 1].map((days) => addDays(from, days));
  return [on, addDays(on, pick), addDays(on, pick * 7), ...near].filter((day) => day >= on);
}

/** Whether an installment that counted as paid with a small amount open, on the first day after its due date, has become past due since. */
function outgrown(loan: Loan, day: PlainDate): boolean {
  const isLate = ({ installment, pastDueSince }: OpenInstallment) => pastDueSince === installment.dueDate;
  const late = openInstallments(loan, day).filter(isLate);
  return late.some(({ installment }) => {
    const first = installment.dueDate < loan.on ? loan.on : addDays(installment.dueDate, 1);
    return !openInstallments(loan, first).some((one) => one.installment === installment && isLate(one));
  });
}
