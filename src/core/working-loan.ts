/**
 * The working state of a fold: the same facts as `Loan`, changed in place while events are applied and returned frozen at the end.
 * Only the fold and the files it calls touch it. It is longer than other files because it repeats each fact of a loan: as it begins, and as
 * it is shown.
 */
import { addDays, type PlainDate, yearFraction } from './calendar.ts';
import type { CreditDecision } from './credit-decision.ts';
import type { CustomData } from './custom-data.ts';
import { type Amortized, amortizedBy, type Deferral, type Purchase } from './deferral.ts';
import type { Handover } from './handover.ts';
import type { FeesSpared, Hold } from './holds.ts';
import type {
  Allocation,
  ChargeOff,
  Contract,
  DefaultGround,
  FeeKind,
  Installment,
  Loan,
  Method,
  MonthBegun,
  Move,
  PaymentStatus,
  Purpose,
  Quote,
  Rescission,
  ScheduleTerms,
  Service,
  SmallBalance,
  Stage,
  Stretch,
  Totals,
} from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { NO_CHARGES, type OriginationCharges } from './origination.ts';
import { adopted, type Bucket, figuresDiffer, type Policy, type PolicyChange } from './policy.ts';
import { interestOver, type Percent, SERVICE_LIMIT } from './rate.ts';
import type { StipulationDone } from './stipulations.ts';
import { isWithheld } from './withheld.ts';
import type { Work } from './work.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Never changed in place but replaced, as payments and stretches are: foldings share them. */
export type WorkingInstallment = Installment & {
  /** The grace days are over and it was judged: its late fee was charged or never will be. */
  readonly judged: boolean;
  /** The part that counts as paid where late fees are judged `currentFirst`; otherwise zero. */
  readonly counted: Cents;
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
  forgiven: Cents;
  memo: boolean;
};

export type WorkingPayment = {
  refId: string;
  amount: Cents;
  date: PlainDate;
  purpose: Purpose;
  method: Method | null;
  trace: string | null;
  recovery: boolean;
  status: PaymentStatus;
  recordedOn: PlainDate;
  undoneOn: PlainDate | null;
  allocation: Allocation;
  steps: { bucket: Bucket | 'credit'; amount: Cents }[];
  balance: Cents;
};

export type WorkingLoan = {
  stage: Stage;
  contract: Contract;
  /** As it was applied for. */
  applied: Contract;
  policy: Policy;
  /** Versions of the policy that follow, and how many of them have been adopted. */
  follows: readonly PolicyChange[];
  followed: number;
  terms: ScheduleTerms | null;
  fundedOn: PlainDate | null;
  charges: OriginationCharges;
  /** Replaced, never changed in place. Null: nothing was deferred. */
  deferral: Deferral | null;
  purchase: Purchase | null;
  repaymentInitiated: boolean;
  published: boolean;
  collateralValue: Cents | null;
  decision: CreditDecision | null;
  /** Like custom data and the handover replaced, never changed in place. */
  partyChanges: Loan['partyChanges'];
  customData: readonly CustomData[];
  stipulations: readonly StipulationDone[];
  openedOn: PlainDate | null;
  boardedOn: PlainDate | null;
  ownedFrom: PlainDate | null;
  boughtOn: PlainDate | null;
  handover: Handover | null;
  principal: Cents;
  rate: Percent;
  agreedRate: Percent;
  service: Service | null;
  pastService: Service[];
  accruing: boolean;
  interestEnded: Cents;
  stretchSince: PlainDate;
  stretches: Stretch[];
  fees: WorkingFee[];
  credit: Cents;
  creditSince: PlainDate | null;
  installments: WorkingInstallment[];
  payments: WorkingPayment[];
  quotes: Mutable<Quote>[];
  /** In the order of their first days. Replaced, never changed in place. */
  holds: readonly Hold[];
  /** Replaced, never changed in place. */
  feesSpared: readonly FeesSpared[];
  /** The references of the payments, a line each, with one empty line before them: to see quickly whether one is new. */
  references: string;
  /** References of refunds, to recognise a repeated call. */
  refunds: { refId: string; amount: Cents }[];
  /** Replaced, never changed in place. */
  smallBalances: readonly SmallBalance[];
  chargeOff: Mutable<ChargeOff> | null;
  rescission: Mutable<Rescission> | null;
  /** As it was at the end of the day before the last thing that happened, and the day of that. */
  nonAccrualSince: PlainDate | null;
  happenedOn: PlainDate | '';
  defaultedOn: PlainDate | null;
  defaultGround: DefaultGround | null;
  acceleratedOn: PlainDate | null;
  moves: Move[];
  /** All money applied to late fees. It would have paid installments, so it excuses a shortage of the same amount (16 CFR 444.4). */
  lateFeeMoney: Cents;
  /** The agreed rates so far, from the first; military service is not in them. */
  rates: { from: PlainDate; rate: Percent }[];
  /** Days by which changes of the due date have moved it, in all. */
  shiftedDays: number;
  /** The date that due dates were last changed to: they keep its day of the month. Null: that of the contract's first. */
  dueDay: PlainDate | null;
  /** The number of leading installments that are fully paid. There may be more; it is where a search starts. */
  settled: number;
  /** The same for the part that counts as paid. */
  settledByCount: number;
  totals: Mutable<Totals>;
  /** Replaced, never changed in place. */
  month: MonthBegun;
  /** Counts the steps; null: they are not counted. */
  work: Work | null;
};

const NO_TOTALS: Totals = {
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
  broughtForgiven: ZERO,
  besideInstallments: ZERO,
};

const NO_MONTH: MonthBegun = { of: '', principal: ZERO, totals: NO_TOTALS, installments: [], chargeOff: null };

/** The state after creation, before any other event. */
export function createdLoan(
  created: { contract: Contract; policy: Policy; follows?: readonly PolicyChange[]; date: PlainDate },
  work: Work | null,
): WorkingLoan {
  return {
    stage: 'ApplicationSubmitted',
    contract: created.contract,
    applied: created.contract,
    policy: created.policy,
    follows: created.follows ?? [],
    followed: 0,
    terms: null,
    fundedOn: null,
    charges: NO_CHARGES,
    deferral: null,
    purchase: null,
    repaymentInitiated: false,
    published: false,
    collateralValue: null,
    decision: null,
    partyChanges: [],
    customData: [],
    stipulations: [],
    openedOn: null,
    boardedOn: null,
    ownedFrom: null,
    boughtOn: null,
    handover: null,
    principal: ZERO,
    rate: created.contract.rate,
    agreedRate: created.contract.rate,
    service: null,
    pastService: [],
    accruing: false,
    interestEnded: ZERO,
    stretchSince: created.date,
    stretches: [],
    fees: [],
    credit: ZERO,
    creditSince: null,
    installments: [],
    payments: [],
    references: '\n',
    quotes: [],
    holds: [],
    feesSpared: [],
    refunds: [],
    smallBalances: [],
    chargeOff: null,
    rescission: null,
    nonAccrualSince: null,
    happenedOn: '',
    defaultedOn: null,
    defaultGround: null,
    acceleratedOn: null,
    moves: [],
    lateFeeMoney: ZERO,
    rates: [],
    shiftedDays: 0,
    dueDay: null,
    settled: 0,
    settledByCount: 0,
    work,
    month: NO_MONTH,
    totals: { ...NO_TOTALS },
  };
}

/** A copy that can be changed while the original stays as it is. Installments, payments and stretches are shared. */
export function copyOf(working: Readonly<WorkingLoan>): WorkingLoan {
  return {
    ...working,
    stretches: working.stretches.slice(),
    fees: working.fees.map((fee) => ({ ...fee })),
    installments: working.installments.slice(),
    payments: working.payments.slice(),
    quotes: working.quotes.map((quote) => ({ ...quote })),
    refunds: working.refunds.slice(),
    chargeOff: working.chargeOff === null ? null : { ...working.chargeOff },
    rescission: working.rescission === null ? null : { ...working.rescission },
    moves: working.moves.slice(),
    rates: working.rates.slice(),
    pastService: working.pastService.slice(),
    totals: { ...working.totals },
  };
}

/** The loan on a day, for callers. Written out because every command uses it: a rest object takes five times as long. */
export function shown(working: Readonly<WorkingLoan>, on: PlainDate): Loan {
  return {
    on,
    stage: working.stage,
    contract: working.contract,
    policy: working.policy,
    policyChangesOn: figuresChangeOn(working),
    terms: working.terms,
    fundedOn: working.fundedOn,
    charges: working.charges,
    deferral: working.deferral,
    purchase: working.purchase,
    repaymentInitiated: working.repaymentInitiated,
    published: working.published && !isWithheld(working),
    collateralValue: working.collateralValue,
    decision: working.decision,
    partyChanges: working.partyChanges,
    customData: working.customData,
    stipulations: working.stipulations,
    openedOn: working.openedOn,
    boardedOn: working.boardedOn,
    ownedFrom: working.ownedFrom,
    boughtOn: working.boughtOn,
    handover: working.handover,
    principal: working.principal,
    rate: working.rate,
    agreedRate: working.agreedRate,
    service: working.service,
    pastService: working.pastService,
    accruing: working.accruing,
    interestEnded: working.interestEnded,
    stretchSince: working.stretchSince,
    stretches: working.stretches,
    interest: interestOwed(working, on),
    fees: working.fees,
    credit: working.credit,
    creditSince: working.creditSince,
    installments: installmentsShown(working),
    payments: working.payments,
    quotes: working.quotes,
    holds: working.holds,
    smallBalances: working.smallBalances,
    chargeOff: working.chargeOff,
    rescission: working.rescission,
    nonAccrualSince: working.nonAccrualSince,
    defaultedOn: working.defaultedOn,
    defaultGround: working.defaultGround,
    acceleratedOn: working.acceleratedOn,
    moves: working.moves,
    shiftedDays: working.shiftedDays,
    settled: working.settled,
    totals: working.totals,
    month: working.month,
  };
}

/** The day of the next version under which figures may be different by themselves; null: there is none. */
function figuresChangeOn({ policy, follows, followed }: Readonly<WorkingLoan>): PlainDate | null {
  for (let i = followed; i < follows.length; i++) {
    const { from, values } = follows[i] as PolicyChange;
    if (figuresDiffer(policy, values)) return from;
  }
  return null;
}

/** The last installment includes whatever is left; once nothing is left, the payment that cleared it has satisfied it. */
function installmentsShown({
  installments,
  payments,
  principal,
  interestEnded,
}: Readonly<WorkingLoan>): WorkingInstallment[] {
  const last = installments.at(-1);
  if (last?.satisfiedOn !== null || last.paid === 0 || principal > 0 || interestEnded > 0) return installments;
  const paying = payments.findLast(({ allocation }) => allocation.interest + allocation.principal > 0);
  return [...installments.slice(0, -1), { ...last, satisfiedOn: paying?.date ?? null }];
}

/** The basis of interest; a `Loan` has it as well. */
export type Accrual = Pick<WorkingLoan, 'accruing' | 'principal' | 'rate' | 'stretchSince' | 'interestEnded'> & {
  terms: ScheduleTerms | null;
};

/** Interest of the present stretch up to a day, rounded as it would be if the stretch ended there. */
export function openStretch(working: Accrual, on: PlainDate): Stretch | null {
  if (!working.accruing || working.principal === 0 || on <= working.stretchSince || working.terms === null) return null;
  const { principal, rate, stretchSince: from } = working;
  const { days, basis } = yearFraction(from, on, working.terms.dayCount);
  const interest = interestOver(principal, rate, { days, basis }, working.terms.rounding);
  return { from, to: on, days, basis, principal, rate, interest };
}

/** The amortization of the present stretch up to a day, or up to the day before non-accrual began. Null: nothing is deferred any more. */
export function openAmortization(
  working: Accrual & Pick<Loan, 'deferral' | 'chargeOff' | 'nonAccrualSince'>,
  on: PlainDate,
): Amortized | null {
  const { deferral, chargeOff, accruing, principal, stretchSince, nonAccrualSince } = working;
  if (deferral === null || deferral.yield === null || deferral.sold !== null) return null;
  if (chargeOff !== null || !accruing || principal === 0) return null;
  const last = nonAccrualSince === null || nonAccrualSince > on ? on : addDays(nonAccrualSince, -1);
  const to = last > deferral.since ? last : deferral.since;
  const interest = to > deferral.since ? (openStretch(working, to)?.interest ?? ZERO) : deferral.interest;
  return amortizedBy({ ...deferral, yield: deferral.yield }, { from: stretchSince, to, principal, interest });
}

function amortize(working: WorkingLoan, deferral: Deferral, on: PlainDate): void {
  if (on <= working.stretchSince) return;
  const part = openAmortization(working, on);
  const amortized = cents(deferral.amortized + (part?.amount ?? 0));
  working.deferral = {
    ...deferral,
    amortized,
    since: on,
    effective: ZERO,
    interest: ZERO,
    last: part ?? deferral.last,
  };
}

/** Ends the present stretch: its interest becomes cents that are owed, and a new stretch begins. */
export function endStretch(working: WorkingLoan, on: PlainDate): void {
  if (working.deferral !== null) amortize(working, working.deferral, on);
  const stretch = openStretch(working, on);
  if (stretch !== null) {
    working.interestEnded = cents(working.interestEnded + stretch.interest);
    working.totals.interestAccrued = cents(working.totals.interestAccrued + stretch.interest);
    working.stretches.push(stretch);
    if (working.service !== null) working.service = withStretch(working.service, stretch, working);
  }
  if (on > working.stretchSince) working.stretchSince = on;
}

/** A stretch never reaches beyond a period of service: its first day and the day after its last end one. */
function withStretch(service: Service, stretch: Stretch, { terms, agreedRate }: WorkingLoan): Service {
  const { rounding } = terms as ScheduleTerms;
  const at = (rate: Percent) => interestOver(stretch.principal, rate, stretch, rounding);
  return {
    ...service,
    atLimit: cents(service.atLimit + at(SERVICE_LIMIT)),
    accrued: cents(service.accrued + stretch.interest),
    forgiven: cents(service.forgiven + at(agreedRate) - stretch.interest),
  };
}

/** The next version of the policy comes into force. What the contract earns after a charge-off may begin or end with it. */
export function followPolicy(working: WorkingLoan): void {
  const change = working.follows[working.followed] as PolicyChange;
  working.followed += 1;
  working.policy = adopted(working.policy, change);
  if (working.chargeOff === null || working.accruing === working.policy.accrueAfterChargeOff) return;
  endStretch(working, change.from);
  working.accruing = working.policy.accrueAfterChargeOff;
}

/** All unpaid interest up to a day. */
export function interestOwed(working: Accrual, on: PlainDate): Cents {
  return cents(working.interestEnded + (openStretch(working, on)?.interest ?? 0));
}

export function feeOpen(fee: { amount: Cents; paid: Cents; waived: Cents }): Cents {
  return cents(fee.amount - fee.paid - fee.waived);
}

/** The fees that are no income until they are paid: the part of them that is open, and the part that was waived. */
export function memoOf({ fees }: { fees: readonly WorkingFee[] | Loan['fees'] }): ChargeOff['memo'] {
  let open = 0;
  let waived = 0;
  for (const fee of fees) {
    if (!fee.memo) continue;
    open += feeOpen(fee);
    waived += fee.waived;
  }
  return { open: cents(open), waived: cents(waived) };
}

export function feesOwed(working: { fees: readonly { amount: Cents; paid: Cents; waived: Cents }[] }): Cents {
  let total = 0;
  for (const fee of working.fees) total += feeOpen(fee);
  return cents(total);
}
