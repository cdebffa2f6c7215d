/** The terms of a loan in the request of a schedule or a simulation, and how they become the engine's terms. */
import { type Static, Type } from 'typebox';
import { DAY_COUNTS, FREQUENCIES, type Frequency, type PlainDate, parseDate } from '../../core/calendar.ts';
import { AMORTIZATIONS, type ScheduleTerms } from '../../core/loan.ts';
import { ZERO } from '../../core/money.ts';
import type { Reader } from '../../core/reader.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { dueDatesFrom } from '../../core/schedule.ts';
import { MAX_INSTALLMENTS } from '../../core/schedule-terms.ts';
import type { FinanceCharges } from '../../core/truth-in-lending.ts';
import { about } from '../shared/named.ts';
import { closed } from '../shared/operation.ts';
import { day, Rate } from '../shared/shapes.ts';
import { Count, DatedAmount, Day, decimal, readDated } from './shared.ts';

const RateChange = closed(
  {
    date: day('The date from which the rate applies.'),
    annualRatePercent: about(Rate, 'The rate, in percent per year.'),
  },
  { title: 'RateChange', description: 'A change of the interest rate.' },
);

export const Terms = closed(
  {
    disbursements: Type.Array(DatedAmount, {
      minItems: 1,
      maxItems: 1_000,
      description: 'The disbursements, in order of their dates.',
    }),
    annualRatePercent: about(Rate, 'Interest rate, in percent per year.'),
    dayCount: Type.Optional(
      Type.Enum([...DAY_COUNTS], { description: 'Day count convention for interest; default `actual/365`.' }),
    ),
    interestStart: Type.Optional(
      day('The date from which interest accrues; default: the date of the first disbursement.'),
    ),
    dueDates: Type.Optional(
      Type.Array(Day, {
        minItems: 1,
        maxItems: MAX_INSTALLMENTS,
        description: 'The due dates; or give `firstPaymentDate`, `count` and `paymentFrequency` instead.',
      }),
    ),
    firstPaymentDate: Type.Optional(day('Due date of the first installment.')),
    count: Type.Optional(Count(MAX_INSTALLMENTS, 'Number of installments.')),
    paymentFrequency: Type.Optional(Type.Enum([...FREQUENCIES], { description: 'How often a payment is due.' })),
    amortizationType: Type.Optional(
      Type.Enum([...AMORTIZATIONS], {
        description: 'Default: `Balloon` if there is a `balloonAmount`, otherwise `FullAmortization`.',
      }),
    ),
    balloonAmount: Type.Optional(
      decimal('Balloon amount, due in addition to the last installment (amortizationType Balloon).'),
    ),
    interestOnlyCount: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_INSTALLMENTS,
        description: 'Number of interest-only installments at the beginning; default 0.',
      }),
    ),
    skip: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: MAX_INSTALLMENTS }), {
        maxItems: MAX_INSTALLMENTS,
        description: 'Numbers (from 1) of the installments to skip; not the last one.',
      }),
    ),
    payment: Type.Optional(
      decimal('The level payment, if the contract sets it; the last installment is adjusted to the remaining balance.'),
    ),
    rounding: Type.Optional(
      Type.Enum(['half-up', 'half-even'], {
        description: 'How amounts are rounded to the cent; default `half-up`.',
      }),
    ),
    rateChanges: Type.Optional(
      Type.Array(RateChange, {
        maxItems: 1_000,
        description: 'Rate changes in order of date, at most one per day.',
      }),
    ),
    prepaidFinanceCharges: Type.Optional(
      decimal('Prepaid finance charges included in the disbursed amounts; not part of the amount financed.'),
    ),
    financedFees: Type.Optional(decimal('Fees included in the disbursed amounts; not part of the amount financed.')),
  },
  { title: 'ScheduleTerms', description: 'The terms of a loan.' },
);
type TermsBody = Static<typeof Terms>;

export function readTerms(
  read: Reader,
  body: TermsBody,
  at: string,
): { terms: ScheduleTerms; charges: FinanceCharges } {
  const amount = (key: 'balloonAmount' | 'prepaidFinanceCharges' | 'financedFees') =>
    body[key] === undefined ? ZERO : read.amount(body, key, at);
  const disbursements = body.disbursements.map((one, i) => readDated(read, one, `${at}/disbursements/${i}`));
  const balloon = amount('balloonAmount');
  const terms: ScheduleTerms = {
    disbursements,
    rate: read.percent(body, 'annualRatePercent', at),
    rateChanges: (body.rateChanges ?? []).map((change, i) => ({
      date: read.date(change, 'date', `${at}/rateChanges/${i}`),
      rate: read.percent(change, 'annualRatePercent', `${at}/rateChanges/${i}`),
    })),
    dayCount: body.dayCount ?? 'actual/365',
    rounding: body.rounding ?? 'half-up',
    interestStart:
      body.interestStart === undefined
        ? (disbursements[0] as { date: PlainDate }).date
        : read.date(body, 'interestStart', at),
    dueDates: readDueDates(read, body, at),
    amortization: body.amortizationType ?? (balloon > 0 ? 'Balloon' : 'FullAmortization'),
    balloon,
    interestOnlyCount: body.interestOnlyCount ?? 0,
    skip: body.skip ?? [],
    payment: body.payment === undefined ? null : read.positiveAmount(body, 'payment', at),
  };
  return { terms, charges: { prepaid: amount('prepaidFinanceCharges'), financed: amount('financedFees') } };
}

function readDueDates(read: Reader, body: TermsBody, at: string): PlainDate[] {
  const { dueDates, count, paymentFrequency } = body;
  const sources = ['firstPaymentDate', 'count', 'paymentFrequency'] as const;
  const given = sources.filter((name) => body[name] !== undefined);
  if (dueDates !== undefined) {
    for (const name of given) {
      read.note(`${at}/${name}`, { code: 'contradiction', detail: 'Omit this field when dueDates are given.' });
    }
    return dueDates.map((_, i) => read.date(dueDates, i, `${at}/dueDates`));
  }
  for (const name of sources.filter((one) => !given.includes(one))) {
    read.note(`${at}/${name}`, { code: 'required', detail: 'This field is required when no dueDates are given.' });
  }
  if (given.length < sources.length) return [];
  const first = read.date(body, 'firstPaymentDate', at);
  const dates = dueDatesFrom(first, paymentFrequency as Frequency, count as number);
  if (parseDate(dates.at(-1) as string) === null) {
    read.note(`${at}/count`, { code: 'range', detail: 'The last installment must be due before the year 2200.' });
  }
  return dates;
}

/** A refusal of due dates that were derived points at `firstPaymentDate`, because the caller sent no `dueDates`. */
export function asGiven<T>(body: { dueDates?: unknown }, value: T | Refusal, prefix = ''): T | Refusal {
  if (!isRefusal(value) || value.member !== `${prefix}dueDates` || body.dueDates !== undefined) return value;
  return { ...value, member: `${prefix}firstPaymentDate` };
}
