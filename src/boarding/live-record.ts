/**
 * A record of a loan that goes on here: in repayment, in default or charged off. It is funded and opened with the figures of its day; the
 * open installments are those that give back what the record says of the next payment, the maturity and what is past due.
 */
import { type PlainDate, yearFraction } from '../core/calendar.ts';
import type { Dated } from '../core/decide/operation.ts';
import { delinquency } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import type { Handover, OpenedInstallment } from '../core/handover.ts';
import type { Loan } from '../core/loan.ts';
import { type Cents, cents, formatCents, least, ZERO } from '../core/money.ts';
import { interestOver } from '../core/rate.ts';
import type { Reader } from '../core/reader.ts';
import { isClosed } from '../core/status.ts';
import type { Boarded } from './boarded-record.ts';
import { type LiveRecord, type OpenDates, openDates } from './open-dates.ts';
import { contradiction, required } from './own-members.ts';
import { type Figures, ownedFromOf, purchaseOf } from './seasoned.ts';

/** The facts by which it is funded and opened. What is wrong is noted. */
export function boardLive(read: Reader, live: LiveRecord, today: PlainDate): Boarded {
  const { record, figures, contract, terms } = live;
  const { status, asOf, metadata, payments } = record;
  const principal = principalOf(read, live);
  if (asOf < terms.interestStart) {
    contradiction(read, '/asOf', `${asOf} was given; the contract date is ${terms.interestStart}.`);
  }
  const dates = openDates(read, live, principal);
  if (!read.isClean) return NOTHING;
  const isMatured = (dates.days.at(-1) ?? asOf) < asOf || dates.acceleratedOn !== null;
  const interest = interestOf(read, live, { principal, dates, isMatured });
  const { before, open, isPlanned, due } = installmentsOf(live, { principal, interest, dates, isMatured });
  if (!read.isClean) return NOTHING;
  const chargedOff = status === 'ChargedOff';
  const kept = metadata.currentBalance ?? ZERO;
  if (chargedOff && kept > principal) {
    const detail = `${formatCents(kept)} was given; the borrower owes ${formatCents(principal)} (remainingBalance).`;
    contradiction(read, `${metadata.at}/currentBalance`, detail);
  }
  const handover: Handover = {
    fundedOn: metadata.fundedDate,
    received: record.repaid,
    principalPaid: metadata.totalPrincipalPaid ?? cents(Math.max(0, contract.amount - principal)),
    interestPaid: metadata.totalInterestPaid ?? ZERO,
    feesPaid: metadata.totalFeesPaid ?? ZERO,
    payments,
    chargedOff: chargedOff
      ? {
          writtenOff: metadata.chargeoffAmount ?? cents(principal - kept),
          recovered: metadata.recoveredAmount ?? ZERO,
        }
      : null,
  };
  const ownedFrom = ownedFromOf(read, figures.opening?.ownedFrom ?? null, { asOf, today });
  const bought = purchaseOf(read, figures.purchase, chargedOff ? null : { date: asOf, ...ownedFrom });
  const factsWith = (installments: readonly OpenedInstallment[]): Dated[] => [
    { type: 'funded', terms, date: terms.interestStart },
    {
      type: 'opened',
      principal,
      interest,
      fees: figures.opening?.unpaidFees ?? ZERO,
      paidThrough: dates.paidThrough,
      ...ownedFrom,
      ...bought,
      record: {
        handover,
        installments: [...before, ...installments],
        acceleratedOn: dates.acceleratedOn,
        kept: chargedOff ? kept : null,
      },
      date: asOf,
    },
    ...(status === 'Funded' ? [] : [{ type: 'repaymentInitiated', date: asOf } as const]),
    ...(status === 'Defaulted' ? [defaultedOn(asOf, figures)] : []),
  ];
  if (!read.isClean) return NOTHING;
  const fitted =
    isMatured || metadata.remainingTerm === null
      ? open
      : withRemaining(open, metadata.remainingTerm, {
          due,
          owed: cents(principal + interest),
          canFall: chargedOff || (!live.isAgreed && (contract.payment !== null || !isPlanned)),
          remainingOf: (installments) => delinquency(loanOf(live, factsWith(installments))).remaining,
        });
  const facts = factsWith(fitted);
  agree(read, live, facts);
  return { facts, ended: null };
}

function defaultedOn(date: PlainDate, { delinquentDays }: Figures): Dated {
  return { type: 'defaulted', ground: (delinquentDays ?? 0) > 0 ? 'pastDue' : 'other', date };
}

/**
 * The installments with amounts under which as many are left as the record says. The record shows the amount of the next one alone. Where
 * too many would be left, the last of those that should be takes the rest; where too few, the later ones are lower, unless they are the
 * contract's own (`canFall`). What the record does not show (the interest that is owed) may make the difference, so amounts that give
 * another number are left as they are.
 */
function withRemaining(
  open: readonly OpenedInstallment[],
  remaining: number,
  {
    due,
    owed,
    canFall,
    remainingOf,
  }: {
    /** The number of first installments that are due, or the next one. */
    due: number;
    owed: Cents;
    canFall: boolean;
    remainingOf: (installments: readonly OpenedInstallment[]) => number;
  },
): readonly OpenedInstallment[] {
  const now = remainingOf(open);
  if (now > remaining && remaining > 0) {
    const clearing = open.map((one, i) => (i === remaining - 1 && i >= due ? { ...one, amount: owed } : one));
    return remainingOf(clearing) === remaining ? clearing : open;
  }
  if (now >= remaining || !canFall) return open;
  const lowered = (amount: number) => open.map((one, i) => (i < due ? one : { ...one, amount: cents(amount) }));
  let [low, high] = [1, open[due]?.amount ?? 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (remainingOf(lowered(middle)) >= remaining) low = middle;
    else high = middle;
  }
  return remainingOf(lowered(low)) === remaining ? lowered(low) : open;
}

/** The loan on the day of its record. */
function loanOf({ record: { asOf }, contract, policy }: LiveRecord, facts: readonly Dated[]): Loan {
  const stamp = { recordedOn: asOf, recordedAt: `${asOf}T00:00:00.000Z` };
  const created: Dated = { type: 'created', contract, policy, date: asOf };
  return fold(
    [created, ...facts].map((fact): LoanEvent => ({ ...fact, ...stamp })),
    asOf,
  );
}

const NOTHING: Boarded = { facts: [], ended: null };

function principalOf(read: Reader, { record, figures }: LiveRecord): Cents {
  const { remaining, status, metadata } = record;
  const beside = figures.opening?.principal ?? null;
  if (remaining === null && beside === null) required(read, '/remainingBalance');
  const principal = remaining ?? beside ?? ZERO;
  if (beside !== null && beside !== principal) {
    const detail = `${formatCents(beside)} was given; remainingBalance is ${formatCents(principal)}.`;
    contradiction(read, '/opening/principal', detail);
  }
  if (status !== 'ChargedOff' && (metadata.chargeoffAmount ?? 0) > 0) {
    contradiction(read, '/loanStatus', `${status} was given, with a charged-off amount (chargeoffAmount).`);
  }
  return principal;
}

/** As given in `opening`; else what makes up the amount past due, where everything is; else the interest of the schedule since the last paid date, or since the last payment where that date is to come. */
function interestOf(
  read: Reader,
  { record, figures, contract, terms }: LiveRecord,
  { principal, dates, isMatured }: { principal: Cents; dates: OpenDates; isMatured: boolean },
): Cents {
  const { asOf, status } = record;
  const { opening, delinquentAmount } = figures;
  if (opening !== null && opening.unpaidInterest !== null) return opening.unpaidInterest;
  if (principal === 0) return ZERO;
  const { currentPaymentDue } = record.metadata;
  if (isMatured && delinquentAmount !== null) {
    // Everything is due; the next payment also has what is missing of an installment that counts as paid.
    const all = Math.max(currentPaymentDue ?? 0, delinquentAmount);
    if (all >= principal) return cents(all - principal);
    const detail = `${formatCents(delinquentAmount)} was given; everything is due, and ${formatCents(principal)} of principal is owed.`;
    contradiction(read, '/delinquentAmount', detail);
    return ZERO;
  }
  if (status === 'ChargedOff') return ZERO;
  const [last, ...others] = dates.days;
  if (last !== undefined && others.length === 0 && last >= asOf && currentPaymentDue !== null) {
    // All of it is due with the last installment: what is not principal or interest to come is owed already.
    const time = yearFraction(asOf, last, contract.dayCount);
    const coming = last > asOf ? interestOver(principal, contract.rate, time, contract.rounding) : ZERO;
    if (currentPaymentDue >= principal + coming) return cents(currentPaymentDue - principal - coming);
  }
  const paidThrough = dates.paidThrough ?? terms.interestStart;
  // A borrower who paid installments ahead has paid the interest until then, not the interest since.
  const since = paidThrough < asOf ? paidThrough : (lastPaidOn(record) ?? asOf);
  return since < asOf
    ? interestOver(principal, contract.rate, yearFraction(since, asOf, contract.dayCount), contract.rounding)
    : ZERO;
}

function lastPaidOn({ payments }: LiveRecord['record']): PlainDate | null {
  const days = payments.flatMap(({ date, status, interest }) => (status !== 'Returned' && interest > 0 ? [date] : []));
  return days.sort().at(-1) ?? null;
}

/** Each with what had been paid of it, so that what is past due and what is due next are as given. */
function installmentsOf(
  { record, figures, policy, contract, rows }: LiveRecord,
  {
    principal,
    interest,
    dates: { days, maturity },
    isMatured,
  }: { principal: Cents; interest: Cents; dates: OpenDates; isMatured: boolean },
): { before: OpenedInstallment[]; open: OpenedInstallment[]; isPlanned: boolean; due: number } {
  const { asOf, metadata } = record;
  const paidCount = contract.count - days.length;
  const agreed = metadata.scheduledPayment;
  const planned = rows[paidCount]?.payment ?? null;
  const isPlanned = agreed === null || agreed === 0 || agreed === planned || days.length === 1;
  const amountAt = (i: number): Cents =>
    isPlanned ? (rows[paidCount + i]?.payment ?? agreed ?? ZERO) : (agreed as Cents);
  const open = days.map((dueDate, i): { dueDate: PlainDate; amount: Cents; paid: Cents } => ({
    dueDate,
    amount: amountAt(i),
    paid: ZERO,
  }));
  const late = open.filter(({ dueDate }) => dueDate < asOf);
  const { currentPaymentDue } = metadata;
  let shortage = isMatured ? Math.max(0, principal + interest - (figures.delinquentAmount ?? principal + interest)) : 0;
  if (!isMatured && open.length > 1) {
    const due = late.length > 0 ? late : open.slice(0, 1);
    const sum = due.reduce((total, { amount }) => total + amount, 0);
    const asked = late.length > 0 ? (figures.delinquentAmount ?? sum) : (currentPaymentDue ?? sum);
    const owed = principal + interest;
    if (late.length > 0) shortage = Math.max(0, (currentPaymentDue ?? asked) - asked);
    else if (asked > sum) shortage = asked - sum;
    // The total owed may be less than the installments.
    if (asked < owed) settle(due, sum - asked, late.length > 0);
  }
  const settled = days.length === 0 ? lastPaid() : paidBefore(shortage);
  return { before: settled, open, isPlanned, due: Math.max(1, late.length) };

  /** Makes what is open of these installments less, or more, by an amount. */
  function settle(due: { amount: Cents; paid: Cents }[], less: number, isLate: boolean): void {
    const [first] = due;
    if (first === undefined) return;
    if (less < 0) {
      // Installments of before a change of terms may be higher than the one that the record shows, which is the oldest.
      const last = due.at(-1);
      if (due.length > 1 && last !== undefined && -less <= first.amount * due.length) {
        last.amount = cents(last.amount - less);
      }
      return;
    }
    // The oldest is not paid to the percentage at which it would count as paid; the rest is taken off the latest ones.
    const most = isLate ? Math.ceil((first.amount * policy.satisfiedPercent) / 100) - 1 : first.amount - 1;
    first.paid = cents(Math.min(less, most));
    let rest = less - first.paid;
    for (const one of due.slice(1).reverse()) {
      const part = Math.min(rest, one.amount - 1);
      one.amount = cents(one.amount - part);
      rest -= part;
    }
  }

  /** The last installments of a loan with nothing left to pay, on the record's maturity date and before it, with the record's payment. */
  function lastPaid(): OpenedInstallment[] {
    return rows.slice(-2).map(({ dueDate, payment }, i, { length }) => {
      const amount = agreed ?? payment;
      const isLast = i === length - 1;
      return { dueDate: isLast || dueDate > maturity ? maturity : dueDate, amount, paid: amount };
    });
  }

  /**
   * Paid installments before the open ones that say more than the schedule does: what is missing of them although they count as paid, and
   * the payment of a loan of which only the last installment is left.
   */
  function paidBefore(missing: number): OpenedInstallment[] {
    const before: OpenedInstallment[] = [];
    let rest = missing;
    const needsPayment = days.length === 1 && agreed !== null && agreed > 0 && rows[paidCount - 1]?.payment !== agreed;
    for (let n = paidCount - 1; n >= 0 && (rest > 0 || (needsPayment && before.length === 0)); n--) {
      const row = rows[n];
      if (row === undefined) break;
      const amount = agreed ?? row.payment;
      const part = least(cents(rest), cents(Math.floor((amount * (100 - policy.satisfiedPercent)) / 100)));
      const dueDate = days[0] !== undefined && row.dueDate > days[0] ? days[0] : row.dueDate;
      before.unshift({ dueDate, amount, paid: cents(amount - part) });
      rest -= part;
    }
    return before;
  }
}

/** Checks that the record's figures of lateness are those of the engine for the opening on its day. */
function agree(read: Reader, live: LiveRecord, facts: readonly Dated[]): void {
  const { record, figures } = live;
  const { asOf, status } = record;
  const loan = loanOf(live, facts);
  if (isClosed(loan)) {
    contradiction(read, '/loanStatus', `${status} was given, but nothing is owed; give Closed or ClosedEarly.`);
    return;
  }
  const late = delinquency(loan);
  const { nextPaymentDate, delinquentDays, delinquentAmount } = figures;
  const since = late.oldestDueDate === null ? 'nothing is past due' : `unpaid since ${late.oldestDueDate}`;
  if (delinquentDays !== null && delinquentDays !== late.daysPastDue) {
    const detail = `${delinquentDays} was given; on ${asOf} it is ${late.daysPastDue} (${since}).`;
    contradiction(read, '/delinquentDays', detail);
  }
  if (delinquentAmount !== null && delinquentAmount !== late.pastDueAmount) {
    const detail = `${formatCents(delinquentAmount)} was given; on ${asOf} it is ${formatCents(late.pastDueAmount)} (${since}).`;
    contradiction(read, '/delinquentAmount', detail);
  }
  if (nextPaymentDate !== null && late.nextDueDate !== null && nextPaymentDate !== late.nextDueDate) {
    const detail = `${nextPaymentDate} was given; with these amounts the oldest unpaid due date is ${late.nextDueDate}.`;
    contradiction(read, '/nextPaymentDate', detail);
  }
}
