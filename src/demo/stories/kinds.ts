/** Loans of other kinds: serviced elsewhere before, other frequencies, balloon, interest only. */
import { addDays, addMonths, datesFrom, type Frequency, type PlainDate, stepDate } from '../../core/calendar.ts';
import { approved, funded, initiated, step } from '../steps.ts';
import { assessed, type Chapter, closedOnTime, current, type Teller, type Told } from './teller.ts';

export const KINDS: readonly Chapter[] = [
  ['boarded with its assessment', 2, (t, i) => bought(t, { paidThere: 12 + i * 7, missedThere: 0, paidHere: 8 + i })],
  ['boarded from another servicer', 1, (t) => boarded(t, { paidThere: 26, missedThere: 0, paidHere: 10 })],
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
 * Serviced elsewhere until it was boarded: some installments were paid there, and some were missed. The loan is boarded with its
 * application and is assessed here.
 */
function boarded(tell: Teller, { paidThere, missedThere, paidHere }: Servicing): Told {
  const last = tell.dueDay(1);
  const first = addMonths(last, -(paidThere + missedThere + paidHere - 1));
  const due = datesFrom(first, 'Monthly', 72);
  // Two days after the last installment that fell due there.
  const on = addDays(due[paidThere + missedThere - 1] as PlainDate, 2);
  const contractDate = addMonths(first, -1);
  return {
    on,
    application: {
      on: contractDate,
      months: 72,
      contractDate,
      firstPaymentDate: first,
      boarded: { asOf: on, paid: paidThere },
      published: true,
    },
    steps: [
      step(on, { do: 'start-underwriting' }),
      step(on, approved),
      step(on, funded),
      step(addDays(on, 1), initiated),
      ...tell.payments(due.slice(paidThere + missedThere, paidThere + missedThere + paidHere)),
    ],
  };
}

/** Applied for here and funded by another lender, who sells the loan later with the record of its assessment. */
function bought(tell: Teller, servicing: Servicing): Told {
  const life = boarded(tell, servicing);
  const { boarded: _, published: __, ...application } = life.application;
  const reason = 'Funded by another lender';
  const cancelled = step(addDays(application.on, 9), { do: 'cancel', reason }, reason);
  return { ...life, earlier: { application, steps: [...assessed(application.on), cancelled] } };
}

/** Any frequency, computed from its last due date. */
function regular(tell: Teller, frequency: Frequency, months: number, count: number): Told {
  const first = stepDate(tell.dueDay(1), frequency, -(count - 1));
  const { application, steps, due } = tell.loan(first, { frequency, months, path: 'quick' });
  return { application, steps: [...steps, ...tell.payments(due.filter((date) => date <= tell.yesterday))] };
}
