/** Random auto loans: the body that creates one, and what the auditor has to know of it. */
import type { DayCount, PlainDate } from '../../../src/core/calendar.ts';
import type { LoanEvent } from '../../../src/core/event.ts';
import type { ScheduleTerms } from '../../../src/core/loan.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy.ts';
import { asText, daysFrom, plusDays, plusMonths } from '../auditor/days.ts';
import type { Random } from '../fuzz/random.ts';

const DAY_COUNTS: readonly DayCount[] = [
  'actual/365',
  'actual/360',
  'actual/364',
  'actual/actual',
  '30/360',
  '30/360 US',
  '30E/360',
  '30E/360 ISDA',
];

export type Agreed = {
  readonly body: Record<string, unknown>;
  readonly terms: ScheduleTerms;
  readonly policy: Policy;
  readonly prepaymentPenalty: number;
  /** With figures of an earlier servicer. */
  readonly opening: Omit<Extract<LoanEvent, { type: 'opened' }>, 'recordedOn' | 'recordedAt'> | null;
};

export function anyContract(random: Random, today: string, lenderId: string, n: number): Agreed {
  const seasoned = random.chance(0.3);
  const count = 3 + random.int(34);
  const amount = 100_000 + random.int(4_000_000);
  const digits = random.chance(0.05) ? 0 : 100 + random.int(2_900);
  const dayCount = random.pick(DAY_COUNTS);
  const paidCount = seasoned ? 1 + random.int(count - 1) : 0;
  const contractDate = seasoned
    ? plusMonths(plusDays(today, -random.int(60)), -paidCount - 1)
    : plusDays(
        today,
        -random.weighted([
          [3, 0],
          [1, random.int(100)],
        ]),
      );
  const first = plusDays(contractDate, 14 + random.int(32));
  const dueDates = Array.from({ length: count }, (_, i) => plusMonths(first, i) as PlainDate);
  const balloon = random.chance(0.1) ? Math.floor(amount / 4) : 0;
  const prepaymentPenalty = random.chance(0.2) ? 5_000 + random.int(20_000) : 0;
  const lateFee = anyLateFee(random);
  const opening = seasoned ? anyOpening(random, { today, amount, count, paidCount, dueDates, contractDate }) : null;
  const terms: ScheduleTerms = {
    disbursements: [{ date: contractDate, amount }],
    rate: { digits, scale: 2 },
    ...{ rateChanges: [], dayCount, rounding: 'half-up', interestStart: contractDate, dueDates },
    amortization: balloon > 0 ? 'Balloon' : 'FullAmortization',
    ...{ balloon, interestOnlyCount: 0, skip: [], payment: null },
  } as unknown as ScheduleTerms;
  const body = {
    ...{ applicationId: `APP-${n}`, borrowerId: `B-${n}`, lenderId, loanType: 'AutoLoan', loanAmount: asText(amount) },
    ...{
      interestRate: asText(digits),
      interestRateType: 'Variable',
      term: count,
      dayCount,
      originationDate: contractDate,
      firstPaymentDate: first,
    },
    ...(balloon > 0 ? { balloonAmount: asText(balloon) } : {}),
    ...(prepaymentPenalty > 0 ? { prepaymentPenalty: asText(prepaymentPenalty) } : {}),
    ...lateFee.body,
    ...(opening === null
      ? {}
      : {
          opening: {
            ...{ asOf: opening.date, principal: asText(opening.principal), paidThrough: opening.paidThrough },
            ...{ unpaidInterest: asText(opening.interest), unpaidFees: asText(opening.fees) },
            ...(opening.ownedFrom === undefined ? {} : { ownedFrom: opening.ownedFrom }),
          },
        }),
  };
  return { body, terms, policy: { ...DEFAULT_POLICY, ...lateFee.policy }, prepaymentPenalty, opening };
}

function anyLateFee(random: Random): { body: object; policy: Partial<Policy> } {
  const graceDays = random.int(16);
  const judge = random.pick(['currentFirst', 'oldestFirst'] as const);
  const none = { percent: null, floor: null, cap: null };
  const kind = random.int(3);
  if (kind === 0) return { body: {}, policy: { lateFee: null } };
  if (kind === 1) {
    const flat = 1_000 + random.int(4_000);
    return {
      body: { lateFee: asText(flat), lateFeePolicy: { graceDays, judge } },
      policy: { lateFee: { ...none, flat, graceDays, judge } as unknown as Policy['lateFee'], graceDays },
    };
  }
  const [floor, cap] = [500 + random.int(2_000), 3_000 + random.int(5_000)];
  return {
    body: { lateFeePolicy: { percent: '5', floor: asText(floor), cap: asText(cap), graceDays, judge } },
    policy: {
      lateFee: {
        ...{ flat: null, percent: { digits: 5, scale: 0 }, floor, cap, graceDays, judge },
      } as unknown as Policy['lateFee'],
      graceDays,
    },
  };
}

function anyOpening(
  random: Random,
  given: {
    today: string;
    amount: number;
    count: number;
    paidCount: number;
    dueDates: readonly string[];
    contractDate: string;
  },
): Agreed['opening'] {
  const { today, amount, count, paidCount, dueDates, contractDate } = given;
  const past = dueDates.slice(0, paidCount).filter((day) => day <= today);
  const paidThrough = past.at(-1) ?? contractDate;
  const asOf = random.chance(0.5) ? today : (past.at(-1) ?? today);
  const brings = random.chance(0.5);
  const owned = plusDays(asOf, random.int(1 + daysFrom(asOf, today)));
  return {
    type: 'opened',
    date: asOf as PlainDate,
    ...(random.chance(0.7) ? { ownedFrom: owned as PlainDate } : {}),
    principal: Math.floor((amount * (count - past.length) * (80 + random.int(20))) / (count * 100)),
    interest: brings ? random.int(20_000) : 0,
    fees: brings ? random.int(5_000) : 0,
    paidThrough: paidThrough as PlainDate,
  } as Agreed['opening'];
}
