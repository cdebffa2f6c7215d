/**
 * A year of loans of six kinds and two lenders, as agreed: contracts, policies, and on which days each borrower does something. Everything follows from a seed.
 */
import { asText, daysFrom, plusDays, plusMonths } from './days.ts';
import type { Fact, Frequency, LateFee, Policy, Terms } from './facts.ts';

const KINDS = [
  'monthly actual/365',
  'monthly 30/360',
  'biweekly actual/actual',
  'weekly actual/360',
  'balloon',
  'seasoned',
] as const;
type Kind = (typeof KINDS)[number];

const HABITS = [
  'on time',
  'late',
  'partial',
  'over',
  'paid off early',
  'returned',
  'waived',
  'lost',
  'cured',
  'found late',
] as const;
type Habit = (typeof HABITS)[number];

export const LENDERS = ['L-A', 'L-B'] as const;
type Lender = (typeof LENDERS)[number];

/** An amount to pay: a share of an installment in hundredths, or what is known only on the day. */
type Amount = { readonly n: number; readonly percent: number } | 'past due' | 'payoff' | 'credit' | 'half the credit';

export type Intent = { readonly day: string } & (
  | {
      readonly do: 'pay';
      readonly refId: string;
      readonly amount: Amount;
      readonly beyond?: number;
      readonly purpose?: 'principal';
      readonly date?: string;
    }
  | { readonly do: 'acknowledge' | 'return' | 'reverse'; readonly refId: string }
  | { readonly do: 'refund'; readonly refId: string; readonly amount: 'credit' | 'half the credit' }
  | { readonly do: 'charge a fee'; readonly feeId: string; readonly amount: number }
  | { readonly do: 'waive'; readonly percent: number }
  | { readonly do: 'recover'; readonly refId: string; readonly amount: number }
  | { readonly do: 'write down' }
);

export type PlannedLoan = {
  readonly n: number;
  readonly kind: Kind;
  readonly habit: Habit;
  readonly lenderId: Lender;
  /** The day on which it is recorded. */
  readonly begins: string;
  /** The request that creates it, without the members that every request has. */
  readonly body: Record<string, unknown>;
  readonly terms: Terms;
  readonly policy: Policy;
  readonly frequency: Frequency;
  readonly charges: { readonly kept: number; readonly reserve: number; readonly costs: number } | null;
  readonly opening:
    | (Omit<Extract<Fact, { type: 'opened' }>, 'recordedOn' | 'recordedAt'> & { ownedFrom: string })
    | null;
  readonly intents: readonly Intent[];
};

/** A day on which the lender's own policy records a charge-off, at the end of a month; null: it is proposed, and somebody records it. */
type LenderPolicy = { readonly nonAccrualDays: number; readonly records: boolean; readonly returnFee: number };
export const LENDER_POLICIES: Readonly<Record<Lender, LenderPolicy>> = {
  'L-A': { nonAccrualDays: 90, records: true, returnFee: 2_000 },
  'L-B': { nonAccrualDays: 60, records: false, returnFee: 0 },
};
export const CHARGE_OFF_DAYS = 120;

/** Interest, principal of installments due, fees, further principal. */
const WATERFALL = [
  ...['pastDue.interest', 'due.interest', 'inAdvance.interest', 'pastDue.principal', 'due.principal'],
  ...['pastDue.penalty', 'pastDue.fee', 'due.penalty', 'due.fee', 'inAdvance.penalty', 'inAdvance.fee'],
  'inAdvance.principal',
];

/** `ages`: days from the contract to its recording, at most, for a borrower who pays, and for one who stops. */
type Span = {
  readonly from: string;
  readonly to: string;
  readonly loans: number;
  /** Over how many days they begin. */
  readonly spread: number;
  readonly ages: readonly [paying: number, stopped: number];
};

type Dice = (below: number) => number;

function dice(seed: number): Dice {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

export function planYear(span: Span, seed: number): PlannedLoan[] {
  return Array.from({ length: span.loans }, (_, n) => plannedLoan(n, span, dice(seed * 7_919 + n * 104_729 + 11)));
}

function plannedLoan(n: number, span: Span, roll: Dice): PlannedLoan {
  const kind = KINDS[n % KINDS.length] as Kind;
  // Among sixty loans every kind has every habit.
  const habit = HABITS[(n + Math.floor(n / 30)) % HABITS.length] as Habit;
  const lenderId = LENDERS[(n + Math.floor(n / KINDS.length)) % 2] as Lender;
  const stops = habit === 'lost' || habit === 'cured';
  const begins = plusDays(span.from, roll(span.spread));
  const age = stops ? span.ages[1] - roll(8) : span.ages[0] - roll(8);
  const seasoned = kind === 'seasoned';
  const paidCount = seasoned ? 6 + roll(6) : 0;
  const contractDate = seasoned ? plusMonths(plusDays(begins, -5 - age), -paidCount) : plusDays(begins, -age);
  const shape = SHAPES[kind];
  const count = seasoned ? 30 : shape.count;
  const first = shape.days === null ? plusMonths(contractDate, 1) : plusDays(contractDate, shape.days);
  const dueDates = Array.from({ length: count }, (_, i) =>
    shape.days === null ? plusMonths(first, i) : plusDays(first, i * shape.days),
  );
  const amount = 400_000 + roll(2_500_000);
  const digits = 399 + roll(1_900);
  const balloon = kind === 'balloon' ? Math.floor(amount * 0.4) : 0;
  const lateFee = lateFeeOf(n);
  const { nonAccrualDays } = LENDER_POLICIES[lenderId];
  const charges = !seasoned && n % 4 === 1 ? { kept: 30_000, reserve: 54_899, costs: 25_000 } : null;
  const opening = seasoned ? openingOf({ amount, count, paidCount, dueDates, begins, roll }) : null;
  return {
    ...{ n, kind, habit, lenderId, begins, charges, opening, frequency: shape.frequency },
    terms: {
      disbursements: [{ date: contractDate, amount }],
      rate: { digits, scale: 2 },
      ...{ rateChanges: [], dayCount: shape.dayCount, rounding: 'half-up', interestStart: contractDate, dueDates },
      amortization: balloon > 0 ? 'Balloon' : 'FullAmortization',
      ...{ balloon, interestOnlyCount: 0, skip: [], payment: null },
    },
    policy: {
      ...{ waterfall: WATERFALL, lateFee: lateFee.policy, satisfiedPercent: 90, nonAccrualDays },
      ...{ returnToAccrual: { payments: 0 }, accrueAfterChargeOff: false },
    },
    body: {
      ...{ lenderId, loanAmount: asText(amount), interestRate: asText(digits), dayCount: shape.dayCount },
      ...{ term: shape.months ?? count, installment: count, paymentFrequency: shape.frequency },
      ...{ originationDate: contractDate, firstPaymentDate: first },
      ...(balloon > 0 ? { balloonAmount: asText(balloon) } : {}),
      ...lateFee.body,
      ...(charges === null
        ? {}
        : {
            prepaidFinanceCharge: asText(charges.kept),
            dealerReserve: asText(charges.reserve),
            directCosts: asText(charges.costs),
          }),
      ...(opening === null
        ? {}
        : {
            opening: {
              ...{ asOf: opening.date, principal: asText(opening.principal), paidThrough: opening.paidThrough },
              ...{ unpaidInterest: asText(opening.interest), unpaidFees: asText(opening.fees) },
              ownedFrom: opening.ownedFrom,
            },
          }),
    },
    intents: intentsOf({
      n,
      habit,
      dueDates,
      begins,
      to: span.to,
      stopsAfter: stops && age > 60 ? 0 : 3 + roll(2),
      roll,
    })
      .filter(({ day }) => day >= begins && day <= span.to)
      .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
  };
}

type Shape = {
  readonly dayCount: string;
  readonly frequency: Frequency;
  readonly count: number;
  readonly days: number | null;
  /** The term, where it is not the number of installments. */
  readonly months?: number;
};

const SHAPES: Readonly<Record<Kind, Shape>> = {
  'monthly actual/365': { dayCount: 'actual/365', frequency: 'Monthly', count: 36, days: null },
  'monthly 30/360': { dayCount: '30/360', frequency: 'Monthly', count: 24, days: null },
  'biweekly actual/actual': { dayCount: 'actual/actual', frequency: 'BiWeekly', count: 52, days: 14, months: 24 },
  'weekly actual/360': { dayCount: 'actual/360', frequency: 'Weekly', count: 52, days: 7, months: 12 },
  // It matures within the year, so that what is left ages.
  balloon: { dayCount: 'actual/365', frequency: 'Monthly', count: 7, days: null },
  seasoned: { dayCount: 'actual/365', frequency: 'Monthly', count: 30, days: null },
};

function lateFeeOf(n: number): { body: object; policy: LateFee | null } {
  const none = { percent: null, floor: null, cap: null, flat: null };
  if (n % 3 === 0) {
    return {
      body: { lateFee: '25.00', lateFeePolicy: { graceDays: 10, judge: 'currentFirst' } },
      policy: { ...none, flat: 2_500, graceDays: 10, judge: 'currentFirst' },
    };
  }
  if (n % 3 === 1) {
    return {
      body: { lateFeePolicy: { percent: '5', floor: '10.00', cap: '40.00', graceDays: 7, judge: 'oldestFirst' } },
      policy: {
        ...none,
        percent: { digits: 5, scale: 0 },
        floor: 1_000,
        cap: 4_000,
        graceDays: 7,
        judge: 'oldestFirst',
      },
    };
  }
  return {
    body: { lateFeePolicy: { percent: '4.5', floor: '5.00', cap: '60.00', graceDays: 5, judge: 'currentFirst' } },
    policy: { ...none, percent: { digits: 45, scale: 1 }, floor: 500, cap: 6_000, graceDays: 5, judge: 'currentFirst' },
  };
}

function openingOf(given: {
  amount: number;
  count: number;
  paidCount: number;
  dueDates: readonly string[];
  begins: string;
  roll: Dice;
}): PlannedLoan['opening'] {
  const { amount, count, paidCount, dueDates, begins, roll } = given;
  const date = plusDays(begins, -roll(5));
  const paidThrough = dueDates[paidCount - 1] as string;
  const asOf = date < paidThrough ? paidThrough : date;
  return {
    type: 'opened',
    date: asOf,
    principal: Math.floor((amount * (count - paidCount)) / count),
    interest: 1_000 + roll(4_000),
    fees: roll(2) * 2_750,
    paidThrough,
    ownedFrom: plusDays(asOf, roll(1 + daysFrom(asOf, begins))),
  };
}

function intentsOf(given: {
  n: number;
  habit: Habit;
  dueDates: readonly string[];
  begins: string;
  to: string;
  /** Installments that are paid before one who stops does so. */
  stopsAfter: number;
  roll: Dice;
}): Intent[] {
  const { n, habit, dueDates, begins, to, stopsAfter, roll } = given;
  const intents: Intent[] = [];
  let payments = 0;
  const pay = (day: string, amount: Amount, more: Partial<Extract<Intent, { do: 'pay' }>> = {}, confirmed = true) => {
    payments += 1;
    const refId = `P-${n}-${payments}`;
    intents.push({ day, do: 'pay', refId, amount, ...more });
    // Some are confirmed at once, some later, and a few never.
    if (confirmed && payments % 11 !== 7) intents.push({ day: plusDays(day, payments % 4), do: 'acknowledge', refId });
    return refId;
  };
  const [yearDays, coming] = [daysFrom(begins, to), dueDates.map((due, i) => ({ due, n: i + 1 }))];
  const after = coming.filter(({ due }) => due >= begins);
  const stopsOn = after[stopsAfter]?.due ?? begins;
  switch (habit) {
    case 'on time':
      for (const one of after) pay(one.due, { n: one.n, percent: 100 });
      break;
    case 'late':
      for (const one of after) pay(plusDays(one.due, 6 + roll(16)), { n: one.n, percent: 100 });
      break;
    case 'partial':
      for (const one of after) {
        const percent = [50, 91, 80, 33][roll(4)] as number;
        pay(plusDays(one.due, roll(3)), { n: one.n, percent });
        if (roll(3) > 0) pay(plusDays(one.due, 8 + roll(9)), { n: one.n, percent: 100 - percent });
      }
      break;
    case 'over':
      for (const one of after) {
        pay(plusDays(one.due, -roll(4)), { n: one.n, percent: 100 + roll(60) });
        if (one.n % 3 === 0) pay(plusDays(one.due, 2), { n: one.n, percent: 40 }, { purpose: 'principal' });
      }
      break;
    case 'paid off early': {
      const day = plusDays(begins, Math.floor((yearDays * (30 + roll(30))) / 100));
      for (const one of after) if (one.due < day) pay(one.due, { n: one.n, percent: 100 });
      pay(day, 'payoff', { beyond: 3_500 + roll(4_000) });
      intents.push({ day: plusDays(day, 9), do: 'refund', refId: `R-${n}-1`, amount: 'half the credit' });
      intents.push({ day: plusDays(day, 17), do: 'refund', refId: `R-${n}-2`, amount: 'credit' });
      break;
    }
    case 'returned':
      for (const [i, one] of after.entries()) {
        const refId = pay(one.due, { n: one.n, percent: 100 });
        if (i % 2 === 1) continue;
        intents.push({ day: plusDays(one.due, 3 + roll(9)), do: i % 4 === 2 ? 'reverse' : 'return', refId });
        pay(plusDays(one.due, 14 + roll(10)), 'past due');
      }
      break;
    case 'waived':
      for (const one of after) {
        pay(plusDays(one.due, 11 + roll(8)), { n: one.n, percent: 100 });
        intents.push({ day: plusDays(one.due, 13), do: 'waive', percent: one.n % 2 === 0 ? 100 : 40 });
        if (one.n % 4 === 0) {
          intents.push({ day: one.due, do: 'charge a fee', feeId: `F-${n}-${one.n}`, amount: 7_500 });
        }
      }
      break;
    case 'lost':
      for (const one of after) if (one.due < stopsOn) pay(one.due, { n: one.n, percent: 100 });
      for (let day = plusDays(begins, 20); day <= to; day = plusDays(day, 8)) {
        intents.push({ day, do: 'recover', refId: `C-${n}-${day}`, amount: 5_000 + roll(20_000) });
        intents.push({ day: plusDays(day, 4), do: 'write down' });
      }
      break;
    case 'cured': {
      const back = stopsAfter === 0 ? plusDays(begins, 25) : plusDays(stopsOn, 100 + roll(18));
      for (const one of after) if (one.due < stopsOn || one.due > back) pay(one.due, { n: one.n, percent: 100 });
      pay(back, 'past due', { beyond: 2_000 });
      pay(plusDays(back, 12), 'past due', { beyond: 6_000 });
      break;
    }
    case 'found late':
      for (const one of after) pay(plusDays(one.due, roll(26)), { n: one.n, percent: 100 }, { date: one.due });
      break;
  }
  return intents;
}
