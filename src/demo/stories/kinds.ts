/** Loans of other kinds: serviced elsewhere before, other frequencies, balloon, interest only. */
import { addDays, addMonths, datesFrom, type Frequency, type PlainDate, stepDate } from '../../core/calendar.ts';
import { approved, funded, initiated, step } from '../steps.ts';
import { assessed, type Chapter, closedOnTime, current, type LoanLifecycle, type Teller } from './teller.ts';

export const KINDS: readonly Chapter[] = [
  [
    'boarded from another servicer',
    2,
    (t, i) => boarded(t, { paidThere: 12 + i * 7, missedThere: 0, paidHere: 8 + i }),
  ],
  ['boarded two payments behind, caught up', 1, (t) => boarded(t, { paidThere: 15, missedThere: 2, paidHere: 6 })],
  ['every two weeks', 2, (t, i) => regular(t, 'BiWeekly', 48, 20 + i * 12)],
  ['weekly', 1, (t) => regular(t, 'Weekly', 12, 30)],
  ['twice a month', 1, (t) => regular(t, 'SemiMonthly', 36, 27)],
  ['quarterly', 1, (t) => regular(t, 'Quarterly', 36, 6)],
  ['every half year', 1, (t) => regular(t, 'SemiAnnual', 48, 3)],
  ['balloon to come', 1, (t) => current(t, 18, { months: 48, balloonPercent: 35 })],
  ['balloon paid', 1, (t) => closedOnTime(t, 24, 75, { balloonPercent: 30 })],
  ['interest alone for six months', 1, (t) => current(t, 11, { interestOnlyCount: 6 })],
];

type Servicing = { readonly paidThere: number; readonly missedThere: number; readonly paidHere: number };

/**
 * Applied for here and funded by another lender, who sells the loan later with the record of its assessment. Some installments were paid
 * to the earlier servicer, and some were missed there.
 */
function boarded(tell: Teller, { paidThere, missedThere, paidHere }: Servicing): LoanLifecycle {
  const last = tell.dueDay(1);
  const first = addMonths(last, -(paidThere + missedThere + paidHere - 1));
  const due = datesFrom(first, 'Monthly', 72);
  // Two days after the last installment that fell due there.
  const on = addDays(due[paidThere + missedThere - 1] as PlainDate, 2);
  const contractDate = addMonths(first, -1);
  const applied = { on: contractDate, months: 72, contractDate, firstPaymentDate: first };
  const reason = 'Funded by another lender';
  const cancelled = step(addDays(contractDate, 9), { do: 'cancel', reason }, reason);
  return {
    on,
    earlier: { application: applied, steps: [...assessed(contractDate), cancelled] },
    application: { ...applied, boarded: { asOf: on, paid: paidThere }, published: true },
    steps: [
      step(on, { do: 'start-underwriting' }),
      step(on, approved),
      step(on, funded),
      step(addDays(on, 1), initiated),
      ...tell.payments(due.slice(paidThere + missedThere, paidThere + missedThere + paidHere)),
    ],
  };
}

/** Any frequency, computed from its last due date. */
function regular(tell: Teller, frequency: Frequency, months: number, count: number): LoanLifecycle {
  const first = stepDate(tell.dueDay(1), frequency, -(count - 1));
  const { application, steps, due } = tell.loan(first, { frequency, months, path: 'quick' });
  return { application, steps: [...steps, ...tell.payments(due.filter((date) => date <= tell.yesterday))] };
}
