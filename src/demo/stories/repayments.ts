/** Loans in repayment: current, ahead, late in every bucket, defaulted, charged off and settled. */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import {
  asQuoted,
  bankrupt,
  chargedOff,
  defaulted,
  exactly,
  held,
  installments,
  paid,
  recovered,
  type Step,
  saleOfTheCar,
  settlementOffered,
  step,
} from '../steps.ts';
import { type Chapter, current, type LoanLifecycle, late, type Teller } from './teller.ts';

export const REPAYMENTS: readonly Chapter[] = [
  ['current', 10, (t, i) => current(t, 4 + i * 5, { months: i % 2 === 0 ? 60 : 72 }, () => heldNow(t, i))],
  ['current, the record shown later and hidden again', 1, hiddenAgain],
  ['paid ahead', 3, (t, i) => current(t, 10 + i * 4, {}, (due) => paidAhead(due, 2 + i))],
  ['late within the days of grace', 2, (t, i) => late(t, 1, 8 + i * 7)],
  ['1 to 29 days late', 2, (t, i) => late(t, 12, 11 + i * 6, {}, () => heldNow(t, 10 + i))],
  ['30 to 59 days late', 3, (t, i) => late(t, 34, 7 + i * 8, {}, () => heldNow(t, 20 + i))],
  ['60 to 89 days late', 3, (t, i) => late(t, 64, 9 + i * 5, {}, () => heldNow(t, 30 + i))],
  ['90 to 119 days late', 2, (t, i) => late(t, 94, 10 + i * 9)],
  ['120 days late and more', 2, (t, i) => late(t, 130 + i * 60, 12 + i)],
  [
    'defaulted',
    3,
    (t, i) => late(t, 105 + i * 15, 8 + i * 4, { score: 622 }, (missed) => [defaulted(addDays(missed, 95))]),
  ],
  ['charged off, nothing recovered', 2, (t, i) => lost(t, 200 + i * 90, 6 + i * 3, 0, () => [])],
  ['charged off, the car sold and some paid since', 3, (t, i) => lost(t, 380 + i * 60, 9 + i * 2, 55, recoveries)],
  ['charged off, the car not sold yet', 1, (t) => lost(t, 150, 10, 55, () => [])],
  ['settled for less', 2, (t, i) => late(t, 220 + i * 120, 14 + i * 5, { score: 626 }, settled)],
];

/** Some of the loans have a hold of the last day, when nothing else is done with them any more. */
function heldNow({ yesterday }: Teller, n: number): Step[] {
  if (n === 2) return [held(yesterday, 'dispute', 'Says that a payment is missing')];
  if (n === 5) return [held(yesterday, 'disaster', 'Flood in the county')];
  if (n === 10) return [held(yesterday, 'ceaseContact', 'Asked in writing not to be called')];
  if (n === 21) return [held(yesterday, 'attorney', 'Represented since last week')];
  if (n === 31) return [bankrupt(yesterday, 13, 'Notice of the court')];
  return [];
}

function hiddenAgain(tell: Teller): LoanLifecycle {
  return current(tell, 12, { published: false }, (due) => [
    step(addDays(due[3] as PlainDate, 3), { do: 'publish', published: true }),
    step(addDays(due[9] as PlainDate, 3), { do: 'publish', published: false }),
  ]);
}

function paidAhead(due: readonly PlainDate[], count: number): Step[] {
  const on = addDays(due.at(-2) as PlainDate, 5);
  return paid(on, 'AHEAD-1', installments(count + 1));
}

/** Late until charged off at the end of the month after 120 days; `then` is computed from that day. */
function lost(
  tell: Teller,
  days: number,
  before: number,
  collateralPercent: number,
  then: (on: PlainDate) => Step[],
): LoanLifecycle {
  return late(tell, days, before, { score: 606 }, (missed) => [
    defaulted(addDays(missed, 96)),
    chargedOff(addDays(missed, 135), collateralPercent),
    ...then(addDays(missed, 135)),
  ]);
}

/** The sale of the car at auction, then a small amount each month through an agency. */
function recoveries(chargedOffOn: PlainDate): Step[] {
  return [
    ...recovered(addDays(chargedOffOn, 45), 'AUCTION-1', saleOfTheCar),
    ...[80, 110, 140].flatMap((days, i) => recovered(addDays(chargedOffOn, days), `AGENCY-${i + 1}`, exactly(130))),
  ];
}

function settled(missed: PlainDate): Step[] {
  return [
    settlementOffered(addDays(missed, 110), 'SETTLE-1', 60, 'Hardship, paid at once'),
    ...paid(addDays(missed, 124), 'SETTLED-1', asQuoted('SETTLE-1')),
  ];
}
