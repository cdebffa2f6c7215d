/** Loans that are paid off, on time or early. */
import { addDays, addMonths, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import {
  acknowledged,
  asQuoted,
  creditRefunded,
  everything,
  paid,
  payoffQuoted,
  type Step,
  submitted,
} from '../steps.ts';
import { type Chapter, closedOnTime, type LoanLifecycle, type LoanOptions, type Teller } from './teller.ts';

export const ENDINGS: readonly Chapter[] = [
  ['paid off on a quote', 2, (t, i) => paidOffEarly(t, 40 + i * 200, 13 + i * 6, {}, quoteHonoured)],
  ['closed on time', 3, (t, i) => closedOnTime(t, i === 2 ? 36 : 24, 30 + i * 110)],
  ['closed early', 3, (t, i) => paidOffEarly(t, 50 + i * 150, 11 + i * 8, {}, (on) => paid(on, 'PAYOFF', everything))],
  [
    'closed early with a prepayment penalty',
    1,
    (t) => paidOffEarly(t, 120, 9, { prepaymentPenalty: cents(150_00) }, (on) => paid(on, 'PAYOFF', everything)),
  ],
  ['closed early, too much paid and refunded', 1, (t) => paidOffEarly(t, 90, 17, {}, overpaid)],
  ['closed early, too much paid, the refund to come', 1, (t) => paidOffEarly(t, 14, 13, {}, tooMuch)],
];

/** Paid off on a day between two due dates, after some installments. */
function paidOffEarly(
  tell: Teller,
  daysAgo: number,
  count: number,
  more: LoanOptions,
  ending: (on: PlainDate) => Step[],
): LoanLifecycle {
  const last = tell.dueDay(daysAgo);
  const { application, steps, due } = tell.loan(addMonths(last, -(count - 1)), more);
  return { application, steps: [...steps, ...tell.payments(due.slice(0, count)), ...ending(addDays(last, 9))] };
}

function quoteHonoured(on: PlainDate): Step[] {
  return [
    payoffQuoted(on, 'QUOTE-1'),
    ...paid(addDays(on, 6), 'PAYOFF', asQuoted('QUOTE-1')),
    creditRefunded(addDays(on, 12), 'REFUND-1'),
  ];
}

function overpaid(on: PlainDate): Step[] {
  return [...tooMuch(on), creditRefunded(addDays(on, 7), 'REFUND-1')];
}

function tooMuch(on: PlainDate): Step[] {
  return [
    submitted(on, 'PAYOFF', (loan) => cents((everything(loan) ?? 0) + 180_00), { acceptOverpayment: true }),
    acknowledged(addDays(on, 2), 'PAYOFF'),
  ];
}
