/**
 * The working state of a fold: the same facts as `Loan`, changed in place while events are applied and handed out frozen at the end.
 * Only the fold and the files it calls touch it.
 */
import { type PlainDate, yearFraction } from './calendar.ts';
import type {
  Allocation,
  Bucket,
  ChargeOff,
  Contract,
  FeeKind,
  Installment,
  Loan,
  PaymentStatus,
  Policy,
  Quote,
  ScheduleTerms,
  Stage,
  Stretch,
  Totals,
} from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { interestOver, type Percent } from './rate.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Never changed once it is in the books but replaced, as payments and stretches are: foldings share them. */
export type WorkingInstallment = Installment & {
  /** The grace days are over and were judged: its late fee was charged or never will be. */
  readonly judged: boolean;
};

export type WorkingFee = {
  feeId: string;
  kind: FeeKind;
  name: string;
  date: PlainDate;
  amount: Cents;
  paid: Cents;
  waived: Cents;
  installment: number | null;
};

export type WorkingPayment = {
  refId: string;
  amount: Cents;
  date: PlainDate;
  principalOnly: boolean;
  recovery: boolean;
  status: PaymentStatus;
  allocation: Allocation;
  steps: { bucket: Bucket | 'credit'; amount: Cents }[];
  balance: Cents;
};

export type Books = {
  stage: Stage;
  contract: Contract;
  policy: Policy;
  terms: ScheduleTerms | null;
  fundedOn: PlainDate | null;
  repaymentInitiated: boolean;
  published: boolean;
  collateralValue: Cents | null;
  openedOn: PlainDate | null;
  principal: Cents;
  rate: Percent;
  accruing: boolean;
  interestEnded: Cents;
  stretchSince: PlainDate;
  stretches: Stretch[];
  fees: WorkingFee[];
  credit: Cents;
  installments: WorkingInstallment[];
  payments: WorkingPayment[];
  quotes: Mutable<Quote>[];
  /** References of refunds, to know a repeated one by. */
  refunds: { refId: string; amount: Cents }[];
  chargeOff: Mutable<ChargeOff> | null;
  defaultedOn: PlainDate | null;
  /** All money that late fees have taken. It would have paid installments, so it excuses a shortage of as much (16 CFR 444.4). */
  lateFeeMoney: Cents;
  /** The rates in force so far, from the first. */
  rates: { from: PlainDate; rate: Percent }[];
  /** The date that due dates were last changed to: they keep its day of the month. Null: that of the contract's first. */
  dueDay: PlainDate | null;
  totals: Mutable<Totals>;
};

/** Before anything but its creation has happened. */
export function newBooks(created: { contract: Contract; policy: Policy; date: PlainDate }): Books {
  return {
    stage: 'ApplicationSubmitted',
    contract: created.contract,
    policy: created.policy,
    terms: null,
    fundedOn: null,
    repaymentInitiated: false,
    published: false,
    collateralValue: null,
    openedOn: null,
    principal: ZERO,
    rate: created.contract.rate,
    accruing: false,
    interestEnded: ZERO,
    stretchSince: created.date,
    stretches: [],
    fees: [],
    credit: ZERO,
    installments: [],
    payments: [],
    quotes: [],
    refunds: [],
    chargeOff: null,
    defaultedOn: null,
    lateFeeMoney: ZERO,
    rates: [],
    dueDay: null,
    totals: {
      disbursed: ZERO,
      opened: ZERO,
      interestAccrued: ZERO,
      feesAssessed: ZERO,
      feesWaived: ZERO,
      received: ZERO,
      principalPaid: ZERO,
      interestPaid: ZERO,
      feesPaid: ZERO,
      credited: ZERO,
      refunded: ZERO,
      principalForgiven: ZERO,
      interestForgiven: ZERO,
    },
  };
}

/** A copy that can be changed while the original stays as it is. Installments, payments and stretches are shared. */
export function copyOf(books: Readonly<Books>): Books {
  return {
    ...books,
    stretches: books.stretches.slice(),
    fees: books.fees.map((fee) => ({ ...fee })),
    installments: books.installments.slice(),
    payments: books.payments.slice(),
    quotes: books.quotes.map((quote) => ({ ...quote })),
    refunds: books.refunds.slice(),
    chargeOff: books.chargeOff === null ? null : { ...books.chargeOff },
    rates: books.rates.slice(),
    totals: { ...books.totals },
  };
}

/** The books as they are handed out, on a day. Written out because it is on the way of every command: a rest object takes five times as long. */
export function shown(books: Readonly<Books>, on: PlainDate): Loan {
  return {
    on,
    stage: books.stage,
    contract: books.contract,
    policy: books.policy,
    terms: books.terms,
    fundedOn: books.fundedOn,
    repaymentInitiated: books.repaymentInitiated,
    published: books.published,
    collateralValue: books.collateralValue,
    openedOn: books.openedOn,
    principal: books.principal,
    rate: books.rate,
    accruing: books.accruing,
    interestEnded: books.interestEnded,
    stretchSince: books.stretchSince,
    stretches: books.stretches,
    interest: interestOwed(books, on),
    fees: books.fees,
    credit: books.credit,
    installments: installmentsShown(books),
    payments: books.payments,
    quotes: books.quotes,
    chargeOff: books.chargeOff,
    defaultedOn: books.defaultedOn,
    totals: books.totals,
  };
}

/** The last installment asks for whatever is left; once nothing is, the payment that saw to it has satisfied it. */
function installmentsShown({
  installments,
  payments,
  principal,
  interestEnded,
}: Readonly<Books>): WorkingInstallment[] {
  const last = installments.at(-1);
  if (last?.satisfiedOn !== null || last.paid === 0 || principal > 0 || interestEnded > 0) return installments;
  const paying = payments.findLast(({ allocation }) => allocation.interest + allocation.principal > 0);
  return [...installments.slice(0, -1), { ...last, satisfiedOn: paying?.date ?? null }];
}

/** What interest runs on; a `Loan` has it as well. */
export type Accrual = Pick<Books, 'accruing' | 'principal' | 'rate' | 'stretchSince' | 'interestEnded'> & {
  terms: ScheduleTerms | null;
};

/** Interest of the present stretch up to a day, rounded as it would be if the stretch ended there. */
export function openStretch(books: Accrual, on: PlainDate): Stretch | null {
  if (!books.accruing || books.principal === 0 || on <= books.stretchSince || books.terms === null) return null;
  const { principal, rate, stretchSince: from } = books;
  const { days, basis } = yearFraction(from, on, books.terms.dayCount);
  const interest = interestOver(principal, rate, { days, basis }, books.terms.rounding);
  return { from, to: on, days, basis, principal, rate, interest };
}

/** Ends the present stretch: its interest becomes cents that are owed, and a new stretch begins. */
export function endStretch(books: Books, on: PlainDate): void {
  const stretch = openStretch(books, on);
  if (stretch !== null) {
    books.interestEnded = cents(books.interestEnded + stretch.interest);
    books.totals.interestAccrued = cents(books.totals.interestAccrued + stretch.interest);
    books.stretches.push(stretch);
  }
  if (on > books.stretchSince) books.stretchSince = on;
}

/** All unpaid interest up to a day. */
export function interestOwed(books: Accrual, on: PlainDate): Cents {
  return cents(books.interestEnded + (openStretch(books, on)?.interest ?? 0));
}

export function feeOpen(fee: { amount: Cents; paid: Cents; waived: Cents }): Cents {
  return cents(fee.amount - fee.paid - fee.waived);
}

export function feesOwed(books: { fees: readonly { amount: Cents; paid: Cents; waived: Cents }[] }): Cents {
  let total = 0;
  for (const fee of books.fees) total += feeOpen(fee);
  return cents(total);
}
