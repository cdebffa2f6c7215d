/** Funding: the loan is disbursed, or boarded with the figures of an earlier servicer. */
import { type PlainDate, sharedDate } from '../calendar.ts';
import { NO_ALLOCATION, type Opening, type ScheduleTerms } from '../loan.ts';
import { type Cents, cents, ZERO } from '../money.ts';
import { beginMonthOpened } from '../month-begun.ts';
import { isRefusal } from '../refusal.ts';
import { buildSchedule, type Schedule } from '../schedule.ts';
import { BROUGHT_FEES, endStretch, type WorkingInstallment, type WorkingLoan } from '../working-loan.ts';
import type { EventFamily, Run, Stamp } from './definition.ts';
import type { Pen } from './pen.ts';

export type FundingFact =
  /** The loan was disbursed: its dates are set and interest accrues. */
  | { readonly type: 'funded'; readonly terms: ScheduleTerms }
  | { readonly type: 'repaymentInitiated' }
  /** A loan that was serviced elsewhere begins here with these figures, on the event's day. */
  | ({ readonly type: 'opened' } & Omit<Opening, 'date'>)
  | { readonly type: 'disbursed'; readonly amount: Cents };

export const fundingEvents: EventFamily<FundingFact> = {
  funded: {
    phase: 'funding',
    undo: { refused: 'The funding of a loan is money and cannot be undone. Record what comes back with loan-repay.' },
    apply: ({ working }, { terms, date }) => fund(working, terms, date),
    show({ terms, date }, { now, row }) {
      now.principal = terms.disbursements[0]?.amount ?? 0;
      row(date, 'funded', now.principal);
    },
  },

  repaymentInitiated: {
    phase: 'funding',
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working }) {
      working.repaymentInitiated = true;
    },
    show: null,
  },

  opened: {
    phase: 'opening',
    undo: { refused: 'Opening balances cannot be undone. Close the loan and board it again with the right figures.' },
    apply: takeOver,
    show({ principal, interest, fees, date }, { now, row }) {
      now.principal = principal;
      now.fees = fees;
      row(date, 'takenOver', principal + interest + fees, {
        allocation: { ...NO_ALLOCATION, fees, interest, principal },
      });
    },
  },

  disbursed: {
    phase: 'disbursement',
    undo: { refused: 'A disbursement is money and cannot be undone. Record what comes back with loan-repay.' },
    apply({ working }, { amount, date }) {
      endStretch(working, date);
      working.principal = cents(working.principal + amount);
      working.totals.disbursed = cents(working.totals.disbursed + amount);
    },
    show: showDisbursement,
  },
};

/** Also for a disbursement that the terms schedule, which is not an event. */
export function showDisbursement({ date, amount }: { date: PlainDate; amount: Cents }, { now, row }: Pen): void {
  now.principal += amount;
  row(date, 'disbursed', amount);
}

function fund(working: WorkingLoan, agreed: ScheduleTerms, date: PlainDate): void {
  const terms = { ...agreed, dueDates: agreed.dueDates.map(sharedDate) };
  const schedule = buildSchedule(terms, ZERO, working.work);
  if (isRefusal(schedule)) throw new Error(`The terms of a funded loan give no schedule: ${schedule.detail}`);
  const first = terms.disbursements[0] as { date: PlainDate; amount: Cents };
  working.stage = 'Funded';
  working.terms = terms;
  working.fundedOn = date;
  working.rate = terms.rate;
  working.agreedRate = terms.rate;
  working.rates = [{ from: first.date, rate: terms.rate }];
  working.principal = first.amount;
  working.totals.disbursed = first.amount;
  working.accruing = true;
  working.stretchSince = terms.interestStart > first.date ? terms.interestStart : first.date;
  working.installments = installmentsOf(schedule);
  working.settled = 0;
  working.settledByCount = 0;
}

function installmentsOf(schedule: Schedule): WorkingInstallment[] {
  return schedule.rows.map(({ n, dueDate, payment, interest, principal }) => ({
    n,
    dueDate,
    amount: payment,
    principal,
    interest,
    paid: ZERO,
    paidAhead: ZERO,
    paidLate: ZERO,
    satisfiedOn: null,
    judged: false,
    counted: ZERO,
  }));
}

/**
 * A loan that was serviced elsewhere: it is boarded with its figures, and what was due up to `paidThrough` counts as paid. Late fees from before
 * it was recorded here were the earlier servicer's to charge: those up to the opening are in the figures, and `judge` charges none for the
 * days from the opening to the day of recording.
 */
function takeOver({ working, lateFees }: Run, opened: Opening & Stamp): void {
  const { date, principal, interest, fees, paidThrough, recordedOn } = opened;
  working.openedOn = date;
  working.boardedOn = recordedOn;
  working.totals.disbursed = cents(working.totals.disbursed - working.principal + principal);
  working.principal = principal;
  working.interestEnded = interest;
  working.totals.opened = cents(interest + fees);
  working.stretches = [];
  working.totals.interestAccrued = ZERO;
  working.totals.feesAssessed = ZERO;
  working.stretchSince = date;
  working.fees = [];
  lateFees.length = 0;
  if (fees > 0) {
    working.fees.push({
      feeId: BROUGHT_FEES,
      kind: 'fee',
      name: 'boarded fees',
      date,
      amount: fees,
      paid: ZERO,
      waived: ZERO,
      installment: null,
      forgiven: ZERO,
    });
  }
  working.installments = working.installments.map((installment) =>
    paidThrough !== null && installment.dueDate <= paidThrough
      ? { ...installment, paid: installment.amount, counted: installment.amount, satisfiedOn: installment.dueDate }
      : installment,
  );
  beginMonthOpened(working);
}
