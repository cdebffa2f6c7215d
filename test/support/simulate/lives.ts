/**
 * Random loan histories. A plan is what fast-check generates and shrinks: terms, a policy, and moves relative to the loan ("pay half of
 * what is due", "return one of the payments"). `live` runs a plan: each move becomes a command for its day, `decide`
 * decides it, and the accepted ones are the loan's history.
 */
import fc from 'fast-check';
import {
  addDays,
  DAY_COUNTS,
  type DayCount,
  daysBetween,
  FREQUENCIES,
  type Frequency,
  fromDayNumber,
  type PlainDate,
  stepDate,
} from '../../../src/core/calendar.ts';
import { type Command, type Decision, decide, decideCreation, type When } from '../../../src/core/decide/decide.ts';
import { delinquency } from '../../../src/core/delinquency.ts';
import type { LoanEvent } from '../../../src/core/event.ts';
import { HOLD_KINDS, type HoldKind } from '../../../src/core/hold-effects.ts';
import {
  type Amortization,
  type Contract,
  DEFAULT_GROUNDS,
  type Loan,
  type OnFile,
  type ScheduleTerms,
} from '../../../src/core/loan.ts';
import { type Cents, cents } from '../../../src/core/money.ts';
import { payoff } from '../../../src/core/payoff.ts';
import { DEFAULT_POLICY, DEFAULT_WATERFALL, type Policy } from '../../../src/core/policy.ts';
import { type Percent, percent } from '../../../src/core/rate.ts';
import { isRefusal, type Refusal } from '../../../src/core/refusal.ts';
import { buildSchedule, dueDatesFrom } from '../../../src/core/schedule.ts';

// ---- terms ----

/** In `percentage` of a hundred cases; otherwise null, which it also shrinks to. */
function sometimes<T>(percentage: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 100 - percentage, arbitrary: fc.constant(null) },
    { weight: percentage, arbitrary },
  );
}

/** 2019 to 2031, with three leap years; ends of months are more frequent than by chance. */
const anyDate: fc.Arbitrary<PlainDate> = fc
  .tuple(fc.integer({ min: 17_897, max: 22_279 }), fc.constantFrom('any', 'any', 'end', '15', '30'))
  .map(([number, where]) => {
    const day = fromDayNumber(number);
    if (where === 'any') return day;
    const first = `${day.slice(0, 8)}01` as PlainDate;
    if (where === 'end') return addDays(stepDate(first, 'Monthly', 1), -1);
    return (where === '30' && day.slice(5, 7) === '02' ? first : `${day.slice(0, 8)}${where}`) as PlainDate;
  });

/** From one cent to ten million; each order of magnitude equally often. */
const anyAmount: fc.Arbitrary<Cents> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 100_000, max: 6_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 100_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 6_000_000, max: 1_000_000_000 }) },
) as fc.Arbitrary<Cents>;

const anyRate: fc.Arbitrary<Percent> = fc
  .oneof(
    { weight: 1, arbitrary: fc.constant('0') },
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 2_999 }).map((rate) => (rate / 100).toFixed(2)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 9_999_999 }).map((rate) => (rate / 100_000).toFixed(5)) },
  )
  .map(percent);

const anyDayCount: fc.Arbitrary<DayCount> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('actual/365' as const) },
  { weight: 7, arbitrary: fc.constantFrom(...DAY_COUNTS) },
);
const anyFrequency: fc.Arbitrary<Frequency> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('Monthly' as const) },
  { weight: 6, arbitrary: fc.constantFrom(...FREQUENCIES) },
);
const anyRounding = fc.constantFrom('half-up' as const, 'half-up' as const, 'half-even' as const);

type Shape = {
  amount: Cents;
  rate: Percent;
  dayCount: DayCount;
  rounding: 'half-up' | 'half-even';
  frequency: Frequency;
  count: number;
  start: PlainDate;
  /** Days by which the first period is longer or shorter; null: a regular one. */
  odd: number | null;
  amortization: Amortization;
  balloon: number;
  interestOnly: number;
  /** A given payment, in thousandths of the level one. */
  given: number | null;
  penalty: Cents;
};

const anyShape: fc.Arbitrary<Shape> = fc.record({
  amount: anyAmount,
  rate: anyRate,
  dayCount: anyDayCount,
  rounding: anyRounding,
  frequency: anyFrequency,
  count: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 14 }) },
    { weight: 2, arbitrary: fc.integer({ min: 12, max: 72 }) },
  ),
  start: anyDate,
  odd: sometimes(50, fc.integer({ min: -20, max: 75 })),
  amortization: fc.constantFrom('FullAmortization', 'FullAmortization', 'FullAmortization', 'Balloon', 'InterestOnly'),
  balloon: fc.integer({ min: 1, max: 1_000 }),
  interestOnly: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 8 })),
  given: sometimes(15, fc.integer({ min: 300, max: 2_500 })),
  penalty: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 50_000 }) },
  ) as fc.Arbitrary<Cents>,
});

/** Terms that a contract cannot express: several disbursements, agreed rate changes, skipped installments, a late start of interest. */
type Extras = {
  disbursements: { days: number; amount: Cents }[];
  rateChanges: { days: number; rate: Percent }[];
  skip: number[];
  interestStart: number;
};

const anyExtras: fc.Arbitrary<Extras> = fc.record({
  disbursements: fc.array(fc.record({ days: fc.integer({ min: 0, max: 300 }), amount: anyAmount }), { maxLength: 2 }),
  rateChanges: fc.array(fc.record({ days: fc.integer({ min: -10, max: 700 }), rate: anyRate }), { maxLength: 2 }),
  skip: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
  interestStart: fc.oneof(fc.constant(0), fc.integer({ min: -20, max: 40 })),
});

function contractOf(shape: Shape): Contract {
  const { start, frequency, odd, count, amount } = shape;
  const regular = stepDate(start, frequency, 1);
  const shifted = addDays(regular, odd ?? 0);
  const contract: Contract = {
    amount,
    rate: shape.rate,
    variable: count % 3 > 0,
    dayCount: shape.dayCount,
    rounding: shape.rounding,
    frequency,
    count,
    contractDate: start,
    firstPaymentDate: odd === null ? null : shifted > start ? shifted : addDays(start, 1),
    amortization: shape.amortization,
    balloon:
      shape.amortization === 'Balloon' ? cents(Math.max(1, Math.floor((amount * shape.balloon) / 1_000))) : cents(0),
    interestOnlyCount: Math.min(shape.interestOnly, count - 1),
    payment: null,
    prepaymentPenalty: shape.penalty,
  };
  if (shape.given === null) return contract;
  return { ...contract, payment: cents(Math.max(1, Math.floor((amount * shape.given) / 1_000 / count))) };
}

/** Terms that give a schedule; what an extra would make impossible is left out. */
function termsOfPlan(shape: Shape, extras: Extras): ScheduleTerms {
  const contract = contractOf(shape);
  const first = contract.firstPaymentDate ?? stepDate(shape.start, shape.frequency, 1);
  const dueDates = dueDatesFrom(first, shape.frequency, shape.count);
  const last = dueDates.at(-1) as PlainDate;
  const start = shape.start;
  const byDate = <T extends { date: PlainDate }>(all: T[]) => all.sort((a, b) => (a.date < b.date ? -1 : 1));
  const interestStart = addDays(start, extras.interestStart);
  return {
    disbursements: byDate([
      { date: start, amount: contract.amount },
      ...extras.disbursements.flatMap(({ days, amount }) => {
        const date = addDays(start, days);
        return date < last ? [{ date, amount }] : [];
      }),
    ]),
    rate: contract.rate,
    rateChanges: byDate(
      extras.rateChanges
        .filter(({ days }, i, all) => all.findIndex((one) => one.days === days) === i)
        .map(({ days, rate }) => ({ date: addDays(start, days), rate })),
    ),
    dayCount: contract.dayCount,
    rounding: contract.rounding,
    interestStart: interestStart <= first ? interestStart : start,
    dueDates,
    amortization: contract.amortization,
    balloon: contract.balloon,
    interestOnlyCount: contract.interestOnlyCount,
    skip: [...new Set(extras.skip.filter((n) => n < shape.count))],
    payment: contract.payment,
  };
}

export const anyTerms: fc.Arbitrary<ScheduleTerms> = fc
  .tuple(anyShape, sometimes(60, anyExtras))
  .map(([shape, extras]) => termsOfPlan(shape, extras ?? NO_EXTRAS))
  .filter((terms) => !isRefusal(buildSchedule(terms)));

const NO_EXTRAS: Extras = { disbursements: [], rateChanges: [], skip: [], interestStart: 0 };

// ---- policies ----

const anyLateFee: fc.Arbitrary<Policy['lateFee']> = sometimes(
  75,
  fc.record({
    flat: sometimes(80, fc.integer({ min: 1, max: 10_000 })) as fc.Arbitrary<Cents | null>,
    percent: sometimes(
      50,
      fc.integer({ min: 1, max: 1_500 }).map((rate) => percent((rate / 100).toFixed(2))),
    ),
    floor: sometimes(50, fc.integer({ min: 1, max: 2_500 })) as fc.Arbitrary<Cents | null>,
    cap: sometimes(50, fc.integer({ min: 2_500, max: 10_000 })) as fc.Arbitrary<Cents | null>,
    graceDays: fc.integer({ min: 0, max: 15 }),
  }),
  // Not drawn: one more draw would change the history of every stored seed.
).map((fee) => fee && { ...fee, judge: fee.graceDays % 3 === 0 ? 'oldestFirst' : 'currentFirst' });

const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    waterfall: fc.oneof(
      fc.constant(DEFAULT_WATERFALL),
      fc.shuffledSubarray([...DEFAULT_WATERFALL], { minLength: 12, maxLength: 12 }),
    ),
    lateFee: anyLateFee,
    graceDays: fc.integer({ min: 0, max: 15 }),
    satisfiedPercent: fc.constantFrom(90, 90, 100, 75),
    accrueAfterChargeOff: fc.boolean(),
    nonAccrualDays: sometimes(40, fc.constantFrom(1, 30, 60, 90)),
    returnFee: fc.constantFrom(0, 0, 2_500) as fc.Arbitrary<Cents>,
  })
  .map((parts) => ({ ...DEFAULT_POLICY, ...parts }));

// ---- moves ----

const KINDS = {
  'pay what is due': 14,
  'pay a part': 5,
  'pay more': 3,
  'pay principal only': 2,
  'pay proceeds': 2,
  'pay off': 2,
  'pay too much': 1,
  'pay back in time': 4,
  'pay a quote': 2,
  acknowledge: 5,
  'acknowledge all': 2,
  return: 4,
  reverse: 1,
  fee: 2,
  waive: 2,
  extend: 1,
  'change the due date': 1,
  'change the rate': 1,
  scra: 1,
  reamortize: 1,
  reage: 1,
  quote: 2,
  settle: 1,
  hold: 3,
  release: 1,
  default: 1,
  accelerate: 1,
  'charge off': 1,
  recover: 1,
  'write down': 1,
  refund: 1,
  close: 1,
  note: 1,
  blunder: 3,
} as const;

export type Move = {
  kind: keyof typeof KINDS;
  /** Days to wait before it. */
  wait: number;
  /** Thousandths of the amount that the move is about. */
  size: number;
  /** Days by which it is backdated. */
  back: number;
  pick: number;
};

const anyMove: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(
    ...Object.entries(KINDS).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as keyof typeof KINDS) })),
  ),
  wait: fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 5 }) },
    { weight: 3, arbitrary: fc.integer({ min: 5, max: 45 }) },
  ),
  size: fc.integer({ min: 1, max: 999 }),
  back: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 70 })),
  pick: fc.nat({ max: 99 }),
});

export type Plan = {
  shape: Shape;
  /** Null: the loan goes through creation, underwriting and funding; else it begins funded with these terms. */
  extras: Extras | null;
  /** Days from the contract date until it is recorded. */
  recordedAfter: number;
  opening: {
    after: number;
    principal: number;
    interest: Cents;
    fees: Cents;
    paidThrough: number | null;
    /** Thousandths of the time between the day of the figures and that of their recording. */
    owned: number;
    /** Absent: it was not bought. */
    price?: Cents;
  } | null;
  /** Kept at funding, and paid beside the loan. */
  charges: { kept: Cents; reserve: Cents; costs: Cents } | null;
  policy: Policy;
  moves: Move[];
};

export const anyOpening = fc.record({
  after: fc.integer({ min: 0, max: 200 }),
  principal: fc.integer({ min: 1, max: 1_000 }),
  interest: fc.nat({ max: 20_000 }) as fc.Arbitrary<Cents>,
  fees: fc.nat({ max: 5_000 }) as fc.Arbitrary<Cents>,
  paidThrough: sometimes(60, fc.integer({ min: -100, max: 40 })),
  owned: fc.oneof(fc.constant(0), fc.constant(1_000), fc.integer({ min: 0, max: 1_000 })),
});

export const anyPlan: fc.Arbitrary<Plan> = fc
  .record({
    shape: anyShape,
    extras: sometimes(50, anyExtras),
    recordedAfter: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200 })),
    opening: sometimes(25, anyOpening),
    charges: sometimes(
      30,
      fc.record({
        kept: fc.nat({ max: 50_000 }) as fc.Arbitrary<Cents>,
        reserve: fc.nat({ max: 80_000 }) as fc.Arbitrary<Cents>,
        costs: fc.nat({ max: 40_000 }) as fc.Arbitrary<Cents>,
      }),
    ),
    policy: anyPolicy,
    moves: fc.array(anyMove, { maxLength: 24, size: 'max' }),
  })
  .filter(({ shape, extras }) => !isRefusal(buildSchedule(termsOfPlan(shape, extras ?? NO_EXTRAS))));

// ---- a history ----

export type Turn = {
  command: Command;
  when: When;
  /** Given with the command, where it was not the empty file. */
  onFile: OnFile | undefined;
  before: readonly LoanEvent[];
  answer: Decision | Refusal;
};

export type LivedLife = {
  events: readonly LoanEvent[];
  turns: readonly Turn[];
  contract: Contract;
  policy: Policy;
  terms: ScheduleTerms;
  /** The first day of the loan, and the last on which something was tried. */
  start: PlainDate;
  today: PlainDate;
};

export function live(plan: Plan): LivedLife {
  const { shape, policy } = plan;
  const contract = contractOf(shape);
  let today = addDays(shape.start, plan.recordedAfter);
  let moment = 0;
  const turns: Turn[] = [];
  let history: readonly LoanEvent[];
  const now = (): When => {
    moment += 1;
    return { today, at: `${today}T${String(moment).padStart(6, '0')}Z` };
  };
  const say = (command: Command, onFile?: OnFile): Decision | Refusal => {
    const when = now();
    const answer = decide(history, command, when, onFile);
    turns.push({ command, when, onFile, before: history, answer });
    if (!isRefusal(answer)) history = [...history, ...answer.events];
    return answer;
  };

  const created = decideCreation(contract, policy, now());
  if (isRefusal(created)) throw new Error(created.detail);
  history = created.events;
  if (plan.extras === null) {
    const { opening } = plan;
    say({ do: 'start-underwriting' });
    say({ do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    const date = opening === null ? today : addDays(shape.start, Math.min(opening.after, plan.recordedAfter));
    const figures = opening && {
      date,
      principal: cents(Math.max(1, Math.floor((contract.amount * opening.principal) / 1_000))),
      interest: opening.interest,
      fees: opening.fees,
      paidThrough: opening.paidThrough === null ? null : addDays(date, opening.paidThrough),
      ownedFrom: addDays(date, Math.round((daysBetween(date, today) * opening.owned) / 1_000)),
      ...(opening.price === undefined ? {} : { purchase: { price: opening.price, date, creditDiscount: cents(0) } }),
    };
    const { kept = cents(0), reserve: dealerReserve = cents(0), costs: directCosts = cents(0) } = plan.charges ?? {};
    const prepaidFinanceCharge = cents(Math.min(kept, contract.amount - 1));
    const onFile = { decision: null, deals: [], opening: null, prepaidFinanceCharge, dealerReserve, directCosts };
    say({ do: 'fund-loan', date: null, opening: figures }, onFile);
  } else {
    const terms = termsOfPlan(shape, plan.extras);
    const { today: recordedOn, at: recordedAt } = now();
    history = [...history, { type: 'funded', terms, date: shape.start, recordedOn, recordedAt }];
  }
  plan.moves.forEach((move, i) => {
    today = addDays(today, move.wait);
    const last = turns.at(-1)?.answer;
    const loan = (last !== undefined && !isRefusal(last) ? last.loan : null) ?? null;
    const current = foldNow(loan);
    for (const command of commandsOf(move, i, current, today)) say(command);
  });
  const funded = history.find((event) => event.type === 'funded');
  if (funded?.type !== 'funded') throw new Error('The loan was not funded.');
  return { events: history, turns, contract, policy, terms: funded.terms, start: shape.start, today };

  function foldNow(known: Loan | null): Loan {
    if (known !== null && known.on === today && known.stage === 'Funded') return known;
    const answer = decide(history, { do: 'publish', published: false }, { today, at: '' });
    if (isRefusal(answer)) throw new Error(answer.detail);
    return answer.loan;
  }
}

function part(amount: number, thousandths: number): Cents {
  return cents(Math.floor((amount * thousandths) / 1_000));
}

function commandsOf({ kind, size, back, pick }: Move, i: number, loan: Loan, today: PlainDate): Command[] {
  const { nextDueAmount, nextDueDate } = delinquency(loan);
  const { payoff: owed } = payoff(loan);
  // Neither rising nor falling.
  const refId = `p${String((i * 41) % 97).padStart(2, '0')}`;
  const asked = nextDueAmount > 0 ? nextDueAmount : cents(10_000);
  const date = back === 0 ? null : addDays(today, -back);
  const repay = (amount: number, more: Partial<Extract<Command, { do: 'loan-repay' }>> = {}): Command => ({
    do: 'loan-repay',
    refId,
    amount: cents(amount),
    date: null,
    purpose: 'installment',
    acceptOverpayment: false,
    reason: null,
    ...more,
  });
  const one = <T>(all: readonly T[]): T | undefined => all[pick % Math.max(1, all.length)];
  switch (kind) {
    case 'pay what is due':
      return [repay(asked)];
    case 'pay a part':
      return [repay(Math.max(1, part(asked, size)))];
    case 'pay more':
      return [repay(asked + part(asked, size * 3), { acceptOverpayment: pick % 2 === 0 })];
    case 'pay principal only':
      return [repay(Math.max(1, part(asked, size * 2)), { purpose: 'principal' })];
    case 'pay proceeds': {
      const purpose = (['insurance', 'sale', 'productRefund'] as const)[pick % 3] ?? 'sale';
      return [
        repay(Math.max(1, pick % 4 === 0 ? owed : part(owed, size)), { purpose, method: 'wire', trace: `T${i}` }),
      ];
    }
    case 'pay off':
      return [repay(Math.max(1, owed))];
    case 'pay too much':
      return [
        repay(owed + size * 10, {
          acceptOverpayment: pick % 3 > 0,
          purpose: pick % 5 === 0 ? 'principal' : 'installment',
        }),
      ];
    case 'pay back in time':
      return [repay(asked, { date: addDays(today, -back), reason: pick % 4 > 0 ? 'found in the post' : null })];
    case 'pay a quote': {
      const quote = one(loan.quotes);
      if (quote === undefined) return [repay(asked)];
      if (pick % 3 === 0) return [repay(Math.max(1, part(quote.amount, size)))];
      return [repay(quote.amount, { date: pick % 2 === 0 ? quote.date : null })];
    }
    case 'acknowledge': {
      const payment = one(loan.payments);
      return [{ do: 'acknowledge-repayment', refId: payment?.refId ?? 'none' }];
    }
    case 'acknowledge all':
      return loan.payments.map((payment) => ({ do: 'acknowledge-repayment', refId: payment.refId }));
    case 'return': {
      const payment = one(loan.payments);
      return [{ do: 'return-repayment', refId: payment?.refId ?? 'none', date, code: 'R01', reason: 'no funds' }];
    }
    case 'reverse': {
      const payment = one(loan.payments);
      return [{ do: 'reverse-repayment', refId: payment?.refId ?? 'none', reason: 'wrong loan' }];
    }
    case 'fee':
      return [
        {
          do: 'assess-fee',
          feeId: `f${i}`,
          kind: pick % 2 === 0 ? 'fee' : 'penalty',
          name: 'a fee',
          amount: cents(size * 5),
          date,
        },
      ];
    case 'waive': {
      const fee = one(loan.fees);
      const amount = fee === undefined || pick % 2 === 0 ? null : cents(Math.max(1, part(fee.amount, size)));
      return [{ do: 'waive-fee', feeId: fee?.feeId ?? 'none', amount, reason: 'courtesy' }];
    }
    case 'extend':
      return [
        {
          do: 'extend',
          periods: 1 + (pick % 3),
          date: pick % 2 === 0 ? null : date,
          reason: 'hardship',
          override: true,
        },
      ];
    case 'change the due date':
      return [
        { do: 'change-due-date', to: addDays(nextDueDate ?? today, (pick % 40) - 8), date: null, reason: 'payday' },
      ];
    case 'change the rate': {
      const rate = percent((size / 50).toFixed(2));
      return [{ do: 'change-rate', rate, date, why: pick % 4 === 0 ? null : 'contract', reason: 'agreed' }];
    }
    case 'scra': {
      // A new period, or a correction of one that is known.
      const known = one([...loan.pastService, ...(loan.service === null ? [] : [loan.service])]);
      const from = known !== undefined && size % 2 === 0 ? known.from : addDays(today, -back * 2);
      const to = pick % 3 === 0 ? null : addDays(from, pick * 3);
      const rate = percent(['6', '6', '4.5', '0'][size % 4] as string);
      return [
        {
          do: 'change-rate',
          rate,
          date: null,
          why: 'scra',
          service: { from, to },
          chargeRetroactive: true,
          reason: 'orders',
        },
      ];
    }
    case 'reamortize':
      return [{ do: 'reamortize', date: pick % 2 === 0 ? null : date, reason: 'asked for' }];
    case 'reage':
      return [{ do: 'reage', date: null, reason: 'back at work', override: true }];
    case 'quote':
      return [{ do: 'payoff-quotes', quoteId: `q${i}`, date: today, goodThrough: addDays(today, pick % 20) }];
    case 'settle':
      return [
        {
          do: 'settle',
          quoteId: `q${i}`,
          amount: cents(Math.max(1, part(owed, size))),
          goodThrough: addDays(today, pick % 40),
          reason: 'hardship',
        },
      ];
    case 'default':
      return [{ do: 'default', ground: DEFAULT_GROUNDS[pick % 3] ?? 'pastDue', reason: 'policy' }];
    case 'accelerate':
      return [{ do: 'accelerate', reason: 'notice expired' }];
    case 'charge off':
      return [
        { do: 'charge-off', date: pick % 2 === 0 ? null : date, reason: '120 days', collateral: cents(size * 100) },
      ];
    case 'recover':
      return [{ do: 'record-recovery', refId, amount: cents(Math.max(1, part(owed, size))), date: null }];
    case 'write down':
      return [{ do: 'write-down', amount: cents(size * 10), reason: 'auction' }];
    case 'refund':
      return [{ do: 'refund-credit', refId: `r${i}`, amount: part(loan.credit, pick % 2 === 0 ? 1_000 : size) }];
    case 'close':
      return [{ do: 'close', refId: null }];
    case 'hold': {
      const holdKind = HOLD_KINDS[pick % HOLD_KINDS.length] as HoldKind;
      const from = date ?? today;
      const discharged = pick % 3 === 0 ? addDays(from, Math.floor(back / 2)) : null;
      const bankruptcy = { chapter: 7, filed: addDays(from, -3), discharged, reaffirmed: pick % 2 === 0 } as const;
      return [
        {
          do: 'place-hold',
          holdId: `h${i}`,
          kind: holdKind,
          from: date,
          to: size % 3 === 0 ? null : addDays(from, size % 90),
          bankruptcy: holdKind === 'bankruptcy' ? bankruptcy : null,
          detailed: false,
          reason: 'told',
        },
      ];
    }
    case 'release':
      return [
        {
          do: 'release-hold',
          holdId: one(loan.holds)?.holdId ?? 'none',
          date,
          reason: 'over',
          chargeRetroactive: size % 2 === 0,
        },
      ];
    case 'note':
      return [{ do: 'delinquent' }, { do: 'payment-reminders' }];
    case 'blunder':
      return blunders(loan, i, today, asked)[pick % 10] ?? [];
  }
}

/** Mistakes of people and programs. */
function blunders(loan: Loan, i: number, today: PlainDate, asked: Cents): Command[][] {
  const repay: Extract<Command, { do: 'loan-repay' }> = {
    do: 'loan-repay',
    refId: `b${i}`,
    amount: asked,
    date: null,
    purpose: 'installment',
    acceptOverpayment: false,
    reason: null,
  };
  const used = loan.payments[0];
  return [
    [{ ...repay, amount: cents(0) }],
    [{ ...repay, date: addDays(today, 1) }],
    [{ ...repay, date: addDays(loan.terms?.interestStart ?? today, -40) }],
    [{ ...repay, amount: cents(payoff(loan).payoff + 100_000_000) }],
    used === undefined ? [] : [{ ...repay, refId: used.refId, amount: cents(used.amount + 1) }],
    used === undefined ? [] : [{ ...repay, refId: used.refId, amount: used.amount, purpose: used.purpose }],
    [{ do: 'waive-fee', feeId: 'none', amount: null, reason: '' }],
    [{ do: 'extend', periods: 0, date: null, reason: 'hardship', override: true }],
    [{ do: 'fund-loan', date: null, opening: null }],
    [{ do: 'refund-credit', refId: `r${i}`, amount: cents(loan.credit + 1) }],
  ];
}

/** A day of the history, by thousandths, for reads of the past and of the near future. */
export function dayOfLife({ start, today }: LivedLife, thousandths: number): PlainDate {
  return addDays(start, Math.floor(((daysBetween(start, today) + 60) * thousandths) / 1_000));
}
