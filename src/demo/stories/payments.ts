/** Payments that were returned, entered late or wrong, and fees. */
import { addDays, addMonths, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import {
  everything,
  installments,
  isOpen,
  lateFeeWaived,
  paid,
  returned,
  type Step,
  step,
  submitted,
} from '../steps.ts';
import { type Chapter, current, type LoanLifecycle, reference, type Teller } from './teller.ts';

export const PAYMENTS: readonly Chapter[] = [
  ['a payment returned and made good', 1, (t) => current(t, 16, {}, (due) => madeGood(due[8] as PlainDate, 9))],
  ['a payment returned, now late', 1, returnedNow],
  ['a payoff returned, the loan open again', 1, payoffReturned],
  ['a payment found days later', 1, (t) => found(t, 12)],
  ['a payment found weeks later', 1, (t) => found(t, 41)],
  ['fees charged and paid', 1, (t) => current(t, 15, {}, (due) => feesPaid(due[6] as PlainDate))],
  ['a late fee waived', 1, (t) => waived(t)],
  ['a fee waived in part', 1, (t) => current(t, 19, {}, (due) => [...halfWaived(due[10] as PlainDate), onItsWay(t)])],
];

/** Each day shows a payment that was submitted and is not acknowledged yet. */
function onItsWay(tell: Teller): Step {
  return submitted(tell.yesterday, 'CARD-EXTRA', () => cents(100_00));
}

/** A payment is returned five days after it was made, and is made again with the fee. */
function madeGood(due: PlainDate, n: number): Step[] {
  const back = addDays(due, 5);
  return [...returned(back, reference(n)), ...paid(addDays(back, 9), `CARD-${n}`)];
}

function returnedNow(tell: Teller): LoanLifecycle {
  const last = tell.anyDueDay(16);
  const { application, steps, due } = tell.loan(addMonths(last, -9), { score: 668 });
  const payments = tell.payments(due.slice(0, 10));
  return { application, steps: [...steps, ...payments, ...returned(addDays(last, 7), reference(10))] };
}

function payoffReturned(tell: Teller): LoanLifecycle {
  const last = tell.dueDay(38);
  const { application, steps, due } = tell.loan(addMonths(last, -12));
  const on = addDays(last, 10);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(due.slice(0, 13)),
      ...paid(on, 'PAYOFF', everything),
      ...returned(addDays(on, 9), 'PAYOFF'),
      ...paid(addDays(due[13] as PlainDate, 1), reference(14)),
    ],
  };
}

/** The tenth payment was received in time and entered `days` later; the eleventh was paid meanwhile or not. */
function found(tell: Teller, days: number): LoanLifecycle {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -16));
  const past = due.filter((date) => date <= last);
  const arrived = past[9] as PlainDate;
  const entered = addDays(arrived, days);
  const reason = 'Posted to another account by mistake';
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(past.slice(0, 9)),
      ...paid(entered, 'FOUND-1', installments(1), { date: arrived, reason }),
      lateFeeWaived(addDays(entered, 1), reason),
      ...tell.payments(past.slice(10), 11),
    ],
  };
}

function feesPaid(due: PlainDate): Step[] {
  const fee = { do: 'assess-fee', kind: 'fee', date: null } as const;
  return [
    step(addDays(due, -10), { ...fee, feeId: 'title-1', name: 'Title copy', amount: cents(15_00) }),
    step(addDays(due, -9), { ...fee, feeId: 'phone-1', name: 'Payment by phone', amount: cents(5_00) }),
  ];
}

/** Two weeks late once, and forgiven for a good customer. */
function waived(tell: Teller): LoanLifecycle {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -17));
  const past = due.filter((date) => date <= last);
  const on = addDays(past[7] as PlainDate, 14);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(past.slice(0, 7)),
      lateFeeWaived(on, 'First time late in seven months'),
      ...paid(on, reference(8)),
      ...tell.payments(past.slice(8), 9),
    ],
  };
}

function halfWaived(due: PlainDate): Step[] {
  const reason = 'Agreed on the telephone';
  return [
    step(addDays(due, 6), {
      do: 'assess-fee',
      feeId: 'field-1',
      kind: 'fee',
      name: 'Field visit',
      amount: cents(90_00),
      date: null,
    }),
    step(
      addDays(due, 9),
      ({ loan }) => {
        const fee = loan.fees.find(({ feeId }) => feeId === 'field-1');
        return fee !== undefined && isOpen(fee)
          ? { do: 'waive-fee', feeId: 'field-1', amount: cents(45_00), reason }
          : null;
      },
      reason,
    ),
  ];
}
