/** Loans whose terms were changed: extensions, rates, due dates, re-aging, a recomputed payment. */
import { addDays, addMonths, datesFrom, type PlainDate } from '../../core/calendar.ts';
import { exactly, inMilitaryService, installments, paid, rateChanged, type Step, step } from '../steps.ts';
import { type Chapter, current, type LoanLifecycle, reference, type Teller } from './teller.ts';

export const CHANGES: readonly Chapter[] = [
  ['extended by a period', 1, (t) => current(t, 22, {}, (due) => extension(due, 1))],
  ['extended by two periods', 1, (t) => current(t, 26, { months: 72 }, (due) => extension(due, 2))],
  ['variable rate, raised', 1, (t) => current(t, 24, { variable: true, score: 718 }, raised)],
  ['six percent by the Servicemembers Civil Relief Act', 1, (t) => current(t, 30, { score: 664 }, inService)],
  ['another due date', 1, movedDueDate],
  ['re-aged after a hard time', 1, reaged],
  ['principal paid down, payment computed anew', 1, (t) => current(t, 20, {}, paidDown)],
];

function extension(due: readonly PlainDate[], periods: number): Step[] {
  const on = addDays(due[12] as PlainDate, -4);
  const reason = 'Parental leave';
  return [step(on, { do: 'extend', periods, date: null, reason }, reason)];
}

function raised(due: readonly PlainDate[]): Step[] {
  const on = addDays(due[11] as PlainDate, 5);
  const reason = 'The index rose';
  return [rateChanged(on, '7.75', reason), step(on, { do: 'reamortize', date: null, reason }, reason)];
}

/** On active duty after ten months, which is reported three weeks later; discharged after a year. */
function inService(due: readonly PlainDate[]): Step[] {
  const from = addDays(due[9] as PlainDate, 5);
  const to = addDays(due[21] as PlainDate, 5);
  return [
    inMilitaryService(addDays(from, 21), { from, to: null }, 'Orders to active duty'),
    inMilitaryService(addDays(to, -10), { from, to }, 'Orders of release'),
  ];
}

/** From the first of the month, or another day, two weeks later. */
function movedDueDate(tell: Teller): LoanLifecycle {
  const old = 8;
  const reason = 'Paid on the fifteenth';
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -17));
  const next = due[old] as PlainDate;
  const moved = datesFrom(addDays(next, 14), 'Monthly', 60).filter((date) => date <= tell.yesterday);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(due.slice(0, old)),
      step(addDays(next, -6), { do: 'change-due-date', to: addDays(next, 14), date: null, reason }, reason),
      ...tell.payments(moved, old + 1),
    ],
  };
}

/** Three payments missed, one made, the missed ones moved to the end. */
function reaged(tell: Teller): LoanLifecycle {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -21), { score: 660 });
  const past = due.filter((date) => date <= last);
  const again = addDays(past[11] as PlainDate, 6);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(past.slice(0, 9)),
      ...paid(again, reference(10), installments(1)),
      step(again, { do: 'reage', date: null, reason: 'Back at work' }, 'Back at work'),
      ...tell.payments(past.slice(12), 11),
    ],
  };
}

function paidDown(due: readonly PlainDate[]): Step[] {
  const on = addDays(due[13] as PlainDate, 6);
  return [
    ...paid(on, 'EXTRA-1', exactly(2_500), { purpose: 'principal' }),
    step(on, { do: 'reamortize', date: null, reason: 'Asked for a lower payment' }, 'Asked for a lower payment'),
  ];
}
