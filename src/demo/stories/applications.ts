/** Applications that are in progress, rejected or cancelled. */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { ApplicationOptions } from '../application.ts';
import { approvedOver, funded, rejected, type Step, step } from '../steps.ts';
import {
  assessed,
  type Chapter,
  collateralApproved,
  documents,
  type LoanLifecycle,
  type Teller,
  underway,
} from './teller.ts';

/** Each for another reason: the credit history, the income, the value of the car, all of it together. */
const REJECTED: readonly ApplicationOptions[] = [
  { score: 531 },
  { score: 642, paymentPercent: 20 },
  { score: 629, downPercent: 0 },
  { score: 538, paymentPercent: 19 },
];

export const APPLICATIONS: readonly Chapter[] = [
  ['application submitted', 4, (t, i) => underway(t, 2 + i * 2, () => [])],
  ['documents requested', 3, (t, i) => underway(t, 5 + i, (on) => documents(on).slice(0, 1))],
  ['documents verified', 3, (t, i) => underway(t, 9 + i, documents)],
  ['in underwriting', 3, (t, i) => underway(t, 4 + i, (on) => assessed(on).slice(0, 1))],
  ['approved', 3, (t, i) => underway(t, 7 + i * 2, assessed)],
  ['approved, the grade just within the limits', 2, (t, i) => underway(t, 13 + i * 2, assessed, { score: 590 })],
  ['approved with another deal than asked for', 1, counterOffer],
  ['rejected', REJECTED.length, (t, i) => underway(t, 20 + i * 30, declined, REJECTED[i])],
  [
    'collateral requested',
    2,
    (t, i) => underway(t, 10 + i, (on) => [...assessed(on), step(addDays(on, 4), { do: 'request-collateral' })]),
  ],
  [
    'collateral approved',
    3,
    (t, i) => underway(t, 12 + i, (on) => [...assessed(on), collateralApproved(addDays(on, 6))]),
  ],
  [
    'funded, first payment to come',
    3,
    (t, i) => underway(t, 14 + i * 2, (on) => [...assessed(on), step(addDays(on, 5), funded)]),
  ],
  ['cancelled by the applicant', 2, (t, i) => cancelled(t, 25 + i * 40, 'Bought elsewhere')],
  ['cancelled after approval', 1, (t) => cancelled(t, 60, 'Offer expired', assessed)],
];

function cancelled(
  tell: Teller,
  daysAgo: number,
  reason: string,
  before: (on: PlainDate) => Step[] = () => [],
): LoanLifecycle {
  return underway(tell, daysAgo, (on) => [...before(on), step(addDays(on, 8), { do: 'cancel', reason }, reason)]);
}

const declined = (on: PlainDate): Step[] => [
  step(addDays(on, 1), { do: 'start-underwriting' }),
  step(addDays(on, 2), rejected),
];

/** Sixty months are requested, and forty-eight agreed. */
function counterOffer(tell: Teller): LoanLifecycle {
  const steps = (on: PlainDate) => [
    step(addDays(on, 1), { do: 'start-underwriting' }),
    approvedOver(addDays(on, 3), 48),
  ];
  return underway(tell, 9, steps, { months: 60, score: 734 });
}
