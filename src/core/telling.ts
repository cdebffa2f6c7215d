/**
 * A loan event by event, as each became known: events are added in the order in which they take effect, and a return undoes its payment from
 * that payment on. Nothing before the payment can change, so a return starts from a copy of the loan from before it and applies only what
 * came since. (A late fee from before it stays too: it is judged by the payments made until then.) Folding the whole history
 * again for every return would take as long as the returns times the events.
 */
import type { PlainDate } from './calendar.ts';
import { inOrder, type LoanEvent, undoesPayment } from './event.ts';
import type { Undone } from './events/definition.ts';
import { applyEvent, beginReplay, bringForward, type Replay } from './fold.ts';
import { scheduledIn, statusBy } from './known-events.ts';
import type { Loan, Payment } from './loan.ts';
import type { Cents } from './money.ts';
import { shownAccruing } from './non-accrual.ts';
import type { Work } from './work.ts';
import { copyOf } from './working-loan.ts';

export type Telling = {
  /** Adds the next event. A payment is acknowledged at once. */
  add(event: LoanEvent): void;
  /** As known so far. */
  payment(refId: string): Payment | null;
  /** The principal after an event and the credit before it, as known so far. */
  moment(event: LoanEvent): Moment | null;
  /** The loan on a day that is not before the last event. */
  loanOn(day: PlainDate): Loan;
};

type Moment = { readonly principal: Cents; readonly creditBefore: Cents };

/** A copy of the loan is kept after this many events, when there are returns. */
const BETWEEN_COPIES = 64;

export function openTelling(
  beginning: readonly [created: LoanEvent, ...LoanEvent[]],
  { work, hasReturns }: { work: Work; hasReturns: boolean },
): Telling {
  const undone = new Map<string, Undone>();
  const acknowledged = new Set<string>();
  /** The events that were added, and the same with those that the terms schedule. */
  const known: LoanEvent[] = [];
  const applied: LoanEvent[] = [];
  let scheduled = [...scheduledIn(beginning)].sort(inOrder);
  const placeOf = new Map<string, { amongAll: number; amongPayments: number }>();
  const moments = new Map<string, Moment>();
  const copies: { at: number; run: Replay }[] = [];
  let run = beginReplay(beginning[0], { known, undone, acknowledged, work });
  for (const event of beginning) add(event);
  return {
    add,
    payment: (refId) => run.working.payments[placeOf.get(refId)?.amongPayments ?? -1] ?? null,
    moment: (event) => moments.get(event.recordedAt) ?? null,
    loanOn(day) {
      const ahead = copied(run);
      for (const event of scheduled) if (event.date <= day) applyEvent(ahead, event);
      if (ahead.history !== null) ahead.history.on = day;
      bringForward(ahead, day);
      return shownAccruing(ahead.working, day);
    },
  };

  function add(event: LoanEvent): void {
    const due = dueBefore(event);
    applied.push(...due);
    known.push(event);
    if (undoesPayment(event)) {
      const { recordedOn, recordedAt } = event;
      // There are no quotes here, so when the payment was recorded does not matter.
      undone.set(event.refId, { status: statusBy(event), recordedOn, recordedAt, paidAt: null });
      // The state known on that day is recomputed.
      run.history?.lives.delete(event.recordedOn);
      const from = goBack(placeOf.get(event.refId)?.amongAll ?? applied.length);
      applied.push(event);
      catchUp(from);
      return;
    }
    if (event.type === 'paymentSubmitted') {
      acknowledged.add(event.refId);
      placeOf.set(event.refId, { amongAll: applied.length, amongPayments: placeOf.size });
    }
    applied.push(event);
    catchUp(applied.length - 1 - due.length);
  }

  /** The events that the terms schedule before an event. */
  function dueBefore(event: LoanEvent): LoanEvent[] {
    const after = scheduled.findIndex((one) => inOrder(one, event) > 0);
    if (after === 0 || scheduled.length === 0) return [];
    const due = after < 0 ? scheduled : scheduled.slice(0, after);
    scheduled = scheduled.slice(due.length);
    return due;
  }

  function catchUp(from: number): void {
    for (let at = from; at < applied.length; at++) {
      if (hasReturns && at % BETWEEN_COPIES === 0) copies.push({ at, run: copied(run) });
      const event = applied[at] as LoanEvent;
      const creditBefore = run.working.credit;
      applyEvent(run, event);
      moments.set(event.recordedAt, { principal: run.working.principal, creditBefore });
    }
  }

  /** Goes back to the latest copy from before an index; returns the index of the copy. */
  function goBack(place: number): number {
    while ((copies.at(-1)?.at ?? 0) > place) copies.pop();
    const { at, run: before } = copies.pop() as (typeof copies)[number];
    run = before;
    return at;
  }

  function copied(one: Replay): Replay {
    const { installments, fees, payments } = one.working;
    work.spend(fees.length + (installments.length + payments.length) / 8);
    return { ...one, working: copyOf(one.working), lateFees: [...one.lateFees] };
  }
}
