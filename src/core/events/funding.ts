/** Funding: the loan is disbursed, or boarded with the figures of an earlier servicer. */
import { defer } from '../amortize.ts';
import { BROUGHT_FEES } from '../brought.ts';
import { type PlainDate, sharedDate, yearFraction } from '../calendar.ts';
import { deferredBy, discountOf, NOTHING_DEFERRED } from '../deferral.ts';
import type { Handover, OpenedInstallment } from '../handover.ts';
import { NO_ALLOCATION, type Opening, type ScheduleTerms } from '../loan.ts';
import { type Cents, cents, ZERO } from '../money.ts';
import { beginMonthOpened } from '../month-begun.ts';
import { type Disbursement, NO_CHARGES, type OriginationCharges } from '../origination.ts';
import { interestOver } from '../rate.ts';
import { isRefusal } from '../refusal.ts';
import { buildSchedule, type Schedule } from '../schedule.ts';
import { endStretch, feesOwed, type WorkingInstallment, type WorkingLoan } from '../working-loan.ts';
import type { EventFamily, Run, Stamp } from './definition.ts';
import type { Pen } from './pen.ts';

export type FundingFact =
  /** The loan was disbursed: its dates are set and interest accrues. */
  | {
      readonly type: 'funded';
      readonly terms: ScheduleTerms;
      /** Absent: nothing was kept, and nothing paid beside the loan. */
      readonly charges?: OriginationCharges;
      /** To whom the money went; absent: all of it to one payee. */
      readonly disbursements?: readonly Disbursement[];
    }
  | { readonly type: 'repaymentInitiated' }
  /** A loan that was serviced elsewhere begins here with these figures, on the event's day. */
  | ({ readonly type: 'opened'; readonly record?: OpenedRecord } & Omit<Opening, 'date'>)
  | { readonly type: 'disbursed'; readonly amount: Cents };

/** Additions to an earlier servicer's figures, from its record. */
export type OpenedRecord = {
  readonly handover: Handover;
  /** Those that were not fully paid, in the order of their due dates; they are the last ones of the loan. */
  readonly installments: readonly OpenedInstallment[];
  /** The day on which everything became due; null: it did not. */
  readonly acceleratedOn: PlainDate | null;
  /** The principal still on the books of a loan that was charged off there. Null: it was not charged off. */
  readonly kept: Cents | null;
};

export const fundingEvents: EventFamily<FundingFact> = {
  funded: {
    phase: 'funding',
    feed: { type: 'loan.funded', about: 'A loan was funded: its terms and schedule are fixed.' },
    line: { says: 'Funded[ with {rowAmount}]', group: 'money', row: 'funded' },
    undo: {
      refused:
        'The funding of a loan is money and cannot be undone. If it was recorded by mistake, use cancel-boarding; otherwise record what comes back with loan-repay.',
    },
    apply({ working }, { terms, charges = NO_CHARGES, date }) {
      fund(working, terms, date);
      working.charges = charges;
      if (charges !== NO_CHARGES) defer(working, deferredBy(charges));
    },
    show({ terms, date }, { now, row }) {
      now.principal = terms.disbursements[0]?.amount ?? 0;
      row(date, 'funded', now.principal);
    },
  },

  repaymentInitiated: {
    phase: 'funding',
    feed: { type: 'loan.repayment_initiated', about: 'Repayment of a loan began.' },
    line: { says: 'Repayment began' },
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working }) {
      working.repaymentInitiated = true;
    },
    show: null,
  },

  opened: {
    phase: 'opening',
    feed: { type: 'loan.boarded', about: 'A loan was boarded with the figures of an earlier servicer.' },
    line: { says: 'Taken over [with {rowAmount} owed|from another servicer]', group: 'money', row: 'takenOver' },
    undo: {
      refused:
        'Opening balances cannot be undone. Use cancel-boarding and board the loan again with the right figures.',
    },
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
    feed: { type: 'loan.disbursed', about: 'A further amount was disbursed.' },
    line: { says: 'Disbursed {amount}', group: 'money', row: 'disbursed' },
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
function takeOver(
  { working, lateFees, acknowledged }: Run,
  opened: Opening & Stamp & { readonly record?: OpenedRecord },
): void {
  const { date, principal, interest, fees, paidThrough, ownedFrom = date, recordedOn, record, purchase } = opened;
  working.openedOn = date;
  working.boardedOn = recordedOn;
  working.ownedFrom = ownedFrom;
  working.charges = NO_CHARGES;
  working.deferral = null;
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
      memo: false,
    });
  }
  working.installments =
    record === undefined
      ? working.installments.map((one) =>
          paidThrough !== null && one.dueDate <= paidThrough ? satisfied(one, one.dueDate) : one,
        )
      : installmentsOpened(working, record.installments, date);
  if (record !== undefined) continueRecord(working, record, { date, acknowledged });
  if (purchase !== undefined && working.chargeOff === null) {
    working.purchase = purchase;
    defer(working, { ...NOTHING_DEFERRED, discount: discountOf(purchase, opened) });
  }
  beginMonthOpened(working);
}

function satisfied(installment: WorkingInstallment, dueDate: PlainDate): WorkingInstallment {
  const { amount } = installment;
  return { ...installment, dueDate, paid: amount, counted: amount, satisfiedOn: dueDate };
}

/** The open installments of a record as it has them, and before them those of the schedule, as paid. */
function installmentsOpened(
  { installments, principal, rate, terms }: WorkingLoan,
  open: readonly OpenedInstallment[],
  date: PlainDate,
): WorkingInstallment[] {
  const { dayCount, rounding, dueDates, interestStart } = terms as ScheduleTerms;
  const first = open[0]?.dueDate ?? null;
  const paid = installments
    .slice(0, Math.max(0, dueDates.length - open.length))
    // One that was moved since may have been due later than what is open now.
    .map((one) => satisfied(one, first !== null && one.dueDate > first ? first : one.dueDate));
  let since = paid.at(-1)?.dueDate ?? interestStart;
  let balance: number = principal;
  return [
    ...paid,
    ...open.map(({ dueDate, amount: agreed, paid: before }, i): WorkingInstallment => {
      const time = yearFraction(since, dueDate, dayCount);
      const interest = dueDate > since ? interestOver(cents(balance), rate, time, rounding) : ZERO;
      if (dueDate > since) since = dueDate;
      const isLast = i === open.length - 1;
      const amount = isLast ? cents(balance + interest) : agreed;
      const part = Math.max(0, Math.min(balance, amount - interest));
      balance -= part;
      return {
        n: paid.length + i + 1,
        dueDate: sharedDate(dueDate),
        amount,
        principal: cents(part),
        interest: cents(amount - part),
        paid: before,
        paidAhead: dueDate > date ? before : ZERO,
        paidLate: ZERO,
        satisfiedOn: before >= amount && !isLast ? dueDate : null,
        judged: false,
        counted: before,
      };
    }),
  ];
}

function continueRecord(
  working: WorkingLoan,
  { handover, acceleratedOn, kept }: OpenedRecord,
  { date, acknowledged }: { date: PlainDate; acknowledged: Run['acknowledged'] },
): void {
  working.handover = {
    ...handover,
    payments: handover.payments.map((one) =>
      one.status === 'Submitted' && acknowledged.has(one.refId) ? { ...one, status: 'Acknowledged' } : one,
    ),
  };
  working.fundedOn = handover.fundedOn ?? working.fundedOn;
  working.acceleratedOn = acceleratedOn;
  working.settled = 0;
  working.settledByCount = 0;
  if (kept === null) return;
  working.accruing = working.policy.accrueAfterChargeOff;
  working.chargeOff = {
    date,
    principal: working.principal,
    interest: working.interestEnded,
    fees: feesOwed(working),
    brought: { interest: ZERO, fees: ZERO, feesWaived: ZERO },
    memo: { open: ZERO, waived: ZERO },
    collateral: kept,
    writtenDown: ZERO,
    givenUp: ZERO,
    recovered: ZERO,
    totals: { ...working.totals },
    ground: null,
    elsewhere: true,
  };
}
