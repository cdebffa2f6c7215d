/**
 * The hundred lives of the demonstration, told backwards from a day: whoever is late is so many days late on that day, whoever is done
 * was done some time before it. Due dates fall on four days of a month, so that a day's payments of many loans share a batch.
 */

import { seededRandom as dice } from '../bureau/simulator/random.ts';
import {
  addDays,
  addMonths,
  datesFrom,
  type Frequency,
  PER_YEAR,
  type PlainDate,
  parts,
  stepDate,
} from '../core/calendar.ts';
import { cents } from '../core/money.ts';
import { type ApplicationOptions, LENDERS, type Lender } from './application.ts';
import {
  acknowledged,
  asQuoted,
  chargedOff,
  creditRefunded,
  decided,
  defaulted,
  everything,
  exactly,
  funded,
  initiated,
  installments,
  isOpen,
  lateFeeWaived,
  paid,
  payoffQuoted,
  rateChanged,
  recovered,
  returned,
  type Step,
  saleOfTheCar,
  settlementOffered,
  step,
  submitted,
} from './steps.ts';

export type Story = {
  /** What it shows, in a few words. */
  readonly about: string;
  /** `on` is the day it begins. */
  readonly application: ApplicationOptions & { readonly on: PlainDate };
  /** After the creation, in the order of their days, all before the day they are told from. */
  readonly steps: readonly Step[];
};

/** In the order they begin. The last one is an application of the day before `today`, and nothing happens after it. */
export function storiesUntil(today: PlainDate): Story[] {
  const told = CHAPTERS.flatMap(([about, count, tell]) =>
    Array.from({ length: count }, (_, i) => ({ about, ...tell(new Teller(today, `${about} ${i}`, i), i) })),
  );
  const yesterday = addDays(today, -1);
  const steps = (story: Story) =>
    story.steps.filter(({ on }) => on <= yesterday).sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));
  const first = told
    .map((story) => ({ ...story, steps: steps(story) }))
    .sort((a, b) => (a.application.on < b.application.on ? -1 : a.application.on > b.application.on ? 1 : 0));
  return [...first, { about: 'the newest application', application: { on: yesterday }, steps: [] }];
}

type Told = Omit<Story, 'about'>;

const DUE_DAYS = [1, 8, 15, 22];

/** How a loan came to its money, and on which days before it what happened. */
const PATHS = {
  quick: 3,
  documents: 8,
  collateral: 12,
} as const;
type Path = keyof typeof PATHS;

/** What a story needs to know to be told: the day it is told from, and its own dice. */
class Teller {
  readonly today: PlainDate;
  readonly yesterday: PlainDate;
  readonly #dice;
  readonly #i: number;

  constructor(today: PlainDate, seed: string, i: number) {
    this.today = today;
    this.yesterday = addDays(today, -1);
    this.#dice = dice(`story ${seed}`);
    this.#i = i;
  }

  daysAgo(days: number): PlainDate {
    return addDays(this.today, -days);
  }

  between(from: number, to: number): number {
    return this.#dice.whole(from, to);
  }

  /** The last due day of its own kind (all first of the month, all eighth, …) that is so many days ago or more. */
  dueDay(days: number): PlainDate {
    return lastOn(this.daysAgo(days), DUE_DAYS[this.#i % DUE_DAYS.length] as number);
  }

  /** The last due day of any kind that is so many days ago or more: at most ten days more. */
  anyDueDay(days: number): PlainDate {
    const dates = DUE_DAYS.map((day) => lastOn(this.daysAgo(days), day));
    return dates.reduce((latest, date) => (date > latest ? date : latest));
  }

  /** A loan whose first installment is due on a day: the application, and the steps until its repayment begins. */
  loan(
    first: PlainDate,
    options: LoanOptions = {},
  ): { application: Story['application']; steps: Step[]; due: PlainDate[] } {
    const {
      frequency = 'Monthly',
      months = 60,
      path = this.#dice.pick(['quick', 'documents', 'collateral']),
      ...rest
    } = options;
    const fundedOn = stepDate(first, frequency, -1);
    const on = addDays(fundedOn, -PATHS[path]);
    // Half of them were signed at the dealer's before the lender saw them; the others begin when they are funded.
    const signed = this.#dice.oneIn(2)
      ? { contractDate: addDays(on, -1), firstPaymentDate: first }
      : { contractDate: null };
    return {
      application: {
        on,
        months,
        frequency,
        lender: LENDERS[(this.#i + months) % LENDERS.length] as Lender,
        published: !this.#dice.oneIn(3),
        ...signed,
        ...rest,
      },
      steps: origination(fundedOn, path),
      due: datesFrom(first, frequency, (months * PER_YEAR[frequency]) / 12),
    };
  }

  /** Pays what is due on each of the days or within a few days of it; the last one on the day itself. */
  payments(due: readonly PlainDate[], from = 1): Step[] {
    return due.flatMap((date, i) => {
      const late = i === due.length - 1 ? 0 : this.#dice.pick([0, 0, 0, 0, 0, 2, 2, 4]);
      return paid(addDays(date, late), reference(from + i));
    });
  }
}

type LoanOptions = ApplicationOptions & { readonly path?: Path };

const reference = (n: number): string => `ACH-${String(n).padStart(4, '0')}`;

/** The last day not after `until` with this day of the month. */
function lastOn(until: PlainDate, day: number): PlainDate {
  const [, , present] = parts(until);
  return addMonths(until, present >= day ? 0 : -1, day);
}

function origination(fundedOn: PlainDate, path: Path): Step[] {
  const before = (days: number) => addDays(fundedOn, -days);
  if (path === 'quick') {
    return [step(before(2), { do: 'start-underwriting' }), step(before(1), decided), step(fundedOn, initiated)];
  }
  const assessed = path === 'documents' ? 3 : 7;
  return [
    ...documents(before(PATHS[path])),
    step(before(assessed), { do: 'start-underwriting' }),
    step(before(assessed - 1), decided),
    ...(path === 'collateral' ? [step(before(5), { do: 'request-collateral' }), collateralApproved(before(2))] : []),
    step(fundedOn, funded),
    step(fundedOn, initiated),
  ];
}

function documents(on: PlainDate): Step[] {
  return [
    step(addDays(on, 1), { do: 'request-documents' }),
    step(addDays(on, 4), { do: 'verify-documents', complete: true }),
  ];
}

function collateralApproved(on: PlainDate): Step {
  return step(on, ({ loan }) => ({
    do: 'approve-collateral',
    value: cents(Math.round((loan.contract.amount * 1.04) / 500_00) * 500_00),
  }));
}

/** An application that has come so far by now. */
function underway(
  tell: Teller,
  daysAgo: number,
  steps: (on: PlainDate) => Step[],
  more: ApplicationOptions = {},
): Told {
  const on = tell.daysAgo(daysAgo);
  return { application: { on, contractDate: null, ...more }, steps: steps(on) };
}

const assessed = (on: PlainDate): Step[] => [
  step(addDays(on, 1), { do: 'start-underwriting' }),
  step(addDays(on, 2), decided),
];

/** Paid as it should be up to an installment, and nothing since: so many days ago at least, ten more at most. */
function late(
  tell: Teller,
  days: number,
  before: number,
  more: LoanOptions = {},
  then: (missed: PlainDate) => Step[] = () => [],
): Told {
  const missed = tell.anyDueDay(days);
  const { application, steps, due } = tell.loan(addMonths(missed, -before), { score: 648, ...more });
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(due.slice(0, before)),
      step(addDays(missed, 5), { do: 'payment-reminders' }),
      step(addDays(missed, 20), ({ loan }) => (loan.chargeOff === null ? { do: 'delinquent' } : null)),
      ...then(missed),
    ],
  };
}

/** Everything due by now is paid, so many installments of it. */
function current(
  tell: Teller,
  count: number,
  more: LoanOptions = {},
  also: (due: readonly PlainDate[]) => Step[] = () => [],
): Told {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -(count - 1)), more);
  const past = due.filter((date) => date <= last);
  return { application, steps: [...steps, ...tell.payments(past), ...also(past)] };
}

/** Any frequency, told from its last due date. */
function regular(tell: Teller, frequency: Frequency, months: number, count: number): Told {
  const first = stepDate(tell.dueDay(1), frequency, -(count - 1));
  const { application, steps, due } = tell.loan(first, { frequency, months, path: 'quick' });
  return { application, steps: [...steps, ...tell.payments(due.filter((date) => date <= tell.yesterday))] };
}

/** Serviced elsewhere until it was boarded: so many installments were paid there, and so many were missed. */
function boarded(
  tell: Teller,
  { paidThere, missedThere, paidHere }: { paidThere: number; missedThere: number; paidHere: number },
): Told {
  const last = tell.dueDay(1);
  const first = addMonths(last, -(paidThere + missedThere + paidHere - 1));
  const due = datesFrom(first, 'Monthly', 72);
  // Two days after the last installment that fell due there.
  const on = addDays(due[paidThere + missedThere - 1] as PlainDate, 2);
  const application: Story['application'] = {
    on,
    months: 72,
    contractDate: addMonths(first, -1),
    firstPaymentDate: first,
    boarded: { asOf: on, paid: paidThere },
    published: true,
  };
  return {
    application,
    steps: [
      step(on, { do: 'start-underwriting' }),
      step(on, decided),
      step(on, funded),
      step(addDays(on, 1), initiated),
      ...tell.payments(due.slice(paidThere + missedThere, paidThere + missedThere + paidHere)),
    ],
  };
}

/** Paid off on a day between two due dates, after so many installments. */
function paidOffEarly(
  tell: Teller,
  daysAgo: number,
  count: number,
  more: LoanOptions,
  ending: (on: PlainDate) => Step[],
): Told {
  const last = tell.dueDay(daysAgo);
  const { application, steps, due } = tell.loan(addMonths(last, -(count - 1)), more);
  return { application, steps: [...steps, ...tell.payments(due.slice(0, count)), ...ending(addDays(last, 9))] };
}

function closedOnTime(tell: Teller, months: number, daysAgo: number, more: LoanOptions = {}): Told {
  const { application, steps, due } = tell.loan(addMonths(tell.dueDay(daysAgo), -(months - 1)), { months, ...more });
  return { application, steps: [...steps, ...tell.payments(due)] };
}

/** Late until charged off at the end of the month after 120 days; `then` is told from that day. */
function lost(
  tell: Teller,
  days: number,
  before: number,
  collateralPercent: number,
  then: (on: PlainDate) => Step[],
): Told {
  return late(tell, days, before, { score: 606 }, (missed) => [
    defaulted(addDays(missed, 96)),
    chargedOff(addDays(missed, 135), collateralPercent),
    ...then(addDays(missed, 135)),
  ]);
}

type Chapter = readonly [about: string, count: number, tell: (tell: Teller, i: number) => Told];

const CHAPTERS: readonly Chapter[] = [
  // ---- applications ----
  ['application submitted', 4, (t, i) => underway(t, 2 + i * 2, () => [])],
  ['documents requested', 3, (t, i) => underway(t, 5 + i, (on) => documents(on).slice(0, 1))],
  ['documents verified', 3, (t, i) => underway(t, 9 + i, documents)],
  ['in underwriting', 3, (t, i) => underway(t, 4 + i, (on) => assessed(on).slice(0, 1))],
  ['approved', 3, (t, i) => underway(t, 7 + i * 2, assessed)],
  ['approved with another deal than asked for', 1, counterOffer],
  ['approved against the model', 1, againstTheModel],
  ['rejected', 4, (t, i) => underway(t, 20 + i * 30, assessed, { approved: false, score: 540 + i * 8 })],
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

  // ---- in repayment ----
  ['current', 10, (t, i) => current(t, 4 + i * 5, { months: i % 2 === 0 ? 60 : 72 })],
  ['current, the record shown later and hidden again', 1, hiddenAgain],
  ['paid ahead', 3, (t, i) => current(t, 10 + i * 4, {}, (due) => paidAhead(due, 2 + i))],
  ['late within the days of grace', 2, (t, i) => late(t, 1, 8 + i * 7)],
  ['1 to 29 days late', 2, (t, i) => late(t, 12, 11 + i * 6)],
  ['30 to 59 days late', 3, (t, i) => late(t, 34, 7 + i * 8)],
  ['60 to 89 days late', 3, (t, i) => late(t, 64, 9 + i * 5)],
  ['90 to 119 days late', 2, (t, i) => late(t, 94, 10 + i * 9)],
  ['120 days late and more', 2, (t, i) => late(t, 130 + i * 60, 12 + i)],
  [
    'defaulted',
    3,
    (t, i) => late(t, 105 + i * 15, 8 + i * 4, { score: 612 }, (missed) => [defaulted(addDays(missed, 95))]),
  ],
  ['charged off, nothing recovered', 2, (t, i) => lost(t, 200 + i * 90, 6 + i * 3, 0, () => [])],
  ['charged off, the car sold and some paid since', 3, (t, i) => lost(t, 380 + i * 60, 9 + i * 2, 55, recoveries)],
  ['settled for less', 2, (t, i) => late(t, 220 + i * 120, 14 + i * 5, { score: 618 }, settled)],

  // ---- changes ----
  ['extended by a period', 1, (t) => current(t, 22, {}, (due) => extension(due, 1))],
  ['extended by two periods', 1, (t) => current(t, 26, { months: 72 }, (due) => extension(due, 2))],
  ['variable rate, raised', 1, (t) => current(t, 24, { variable: true }, raised)],
  ['six percent by the Servicemembers Civil Relief Act', 1, (t) => current(t, 30, { score: 655 }, inService)],
  ['another due date', 1, movedDueDate],
  ['re-aged after a hard time', 1, reaged],
  ['principal paid down, payment computed anew', 1, (t) => current(t, 20, {}, paidDown)],

  // ---- money that came back, late or wrong ----
  ['a payment returned and made good', 1, (t) => current(t, 16, {}, (due) => madeGood(due[8] as PlainDate, 9))],
  ['a payment returned, now late', 1, returnedNow],
  ['a payoff returned, the loan open again', 1, payoffReturned],
  ['a payment found days later', 1, (t) => found(t, 12)],
  ['a payment found weeks later', 1, (t) => found(t, 41)],
  ['fees charged and paid', 1, (t) => current(t, 15, {}, (due) => feesPaid(due[6] as PlainDate))],
  ['a late fee waived', 1, (t) => waived(t)],
  ['a fee waived in part', 1, (t) => current(t, 19, {}, (due) => halfWaived(due[10] as PlainDate))],

  // ---- done ----
  ['paid off on a quote', 2, (t, i) => paidOffEarly(t, 40 + i * 200, 13 + i * 6, {}, quoteHonoured)],
  ['closed on time', 3, (t, i) => closedOnTime(t, i === 2 ? 36 : 24, 30 + i * 110)],
  ['closed early', 3, (t, i) => paidOffEarly(t, 50 + i * 150, 11 + i * 8, {}, (on) => paid(on, 'PAYOFF', everything))],
  [
    'closed early with a prepayment penalty',
    1,
    (t) => paidOffEarly(t, 120, 9, { prepaymentPenalty: cents(150_00) }, (on) => paid(on, 'PAYOFF', everything)),
  ],
  ['closed early, too much paid and refunded', 1, (t) => paidOffEarly(t, 90, 17, {}, overpaid)],

  // ---- other kinds ----
  [
    'boarded from another servicer',
    3,
    (t, i) => boarded(t, { paidThere: 12 + i * 7, missedThere: 0, paidHere: 8 + i }),
  ],
  ['boarded two payments behind, caught up', 1, (t) => boarded(t, { paidThere: 15, missedThere: 2, paidHere: 6 })],
  ['every two weeks', 2, (t, i) => regular(t, 'BiWeekly', 48, 20 + i * 12)],
  ['weekly', 1, (t) => regular(t, 'Weekly', 12, 30)],
  ['twice a month', 1, (t) => regular(t, 'SemiMonthly', 36, 27)],
  ['quarterly', 1, (t) => regular(t, 'Quarterly', 36, 6)],
  ['every half year', 1, (t) => regular(t, 'SemiAnnual', 48, 3)],
  ['balloon to come', 1, (t) => current(t, 18, { months: 48, balloonPercent: 35 })],
  ['balloon paid', 1, (t) => closedOnTime(t, 24, 75, { balloonPercent: 30 })],
  ['interest alone for six months', 1, (t) => current(t, 11, { interestOnlyCount: 6 })],
];

function counterOffer(tell: Teller): Told {
  const another = { do: 'complete-underwriting', approved: true, dealIndex: 23, reason: null } as const;
  return underway(tell, 9, (on) => [step(addDays(on, 1), { do: 'start-underwriting' }), step(addDays(on, 3), another)]);
}

function againstTheModel(tell: Teller): Told {
  const reason = 'Ten years with the same employer';
  const approved = { do: 'complete-underwriting', approved: true, dealIndex: 0, reason } as const;
  const steps = (on: PlainDate) => [
    step(addDays(on, 1), { do: 'start-underwriting' }),
    step(addDays(on, 2), approved, reason),
  ];
  return underway(tell, 11, steps, { approved: false, score: 571 });
}

function cancelled(tell: Teller, daysAgo: number, reason: string, before: (on: PlainDate) => Step[] = () => []): Told {
  return underway(tell, daysAgo, (on) => [...before(on), step(addDays(on, 8), { do: 'cancel', reason }, reason)]);
}

function hiddenAgain(tell: Teller): Told {
  return current(tell, 12, { published: false }, (due) => [
    step(addDays(due[3] as PlainDate, 3), { do: 'publish', published: true }),
    step(addDays(due[9] as PlainDate, 3), { do: 'publish', published: false }),
  ]);
}

function paidAhead(due: readonly PlainDate[], count: number): Step[] {
  const on = addDays(due.at(-2) as PlainDate, 5);
  return paid(on, 'AHEAD-1', installments(count + 1));
}

/** The car at auction, then a little each month by way of an agency. */
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

function extension(due: readonly PlainDate[], periods: number): Step[] {
  const on = addDays(due[12] as PlainDate, -4);
  return [step(on, { do: 'extend', periods, date: null }, 'Parental leave')];
}

function raised(due: readonly PlainDate[]): Step[] {
  const on = addDays(due[11] as PlainDate, 5);
  return [rateChanged(on, '9.75', 'contract'), step(on, { do: 'reamortize', date: null })];
}

/** Called up after ten months, discharged a year later. */
function inService(due: readonly PlainDate[]): Step[] {
  return [
    rateChanged(addDays(due[9] as PlainDate, 5), '6', 'scra'),
    rateChanged(addDays(due[21] as PlainDate, 5), null, 'scra'),
  ];
}

/** From the first of the month, or another day, two weeks later. */
function movedDueDate(tell: Teller): Told {
  const old = 8;
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -17));
  const next = due[old] as PlainDate;
  const moved = datesFrom(addDays(next, 14), 'Monthly', 60).filter((date) => date <= tell.yesterday);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(due.slice(0, old)),
      step(addDays(next, -6), { do: 'change-due-date', to: addDays(next, 14), date: null }, 'Paid on the fifteenth'),
      ...tell.payments(moved, old + 1),
    ],
  };
}

/** Three payments missed, one made, the others moved to the end. */
function reaged(tell: Teller): Told {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -21), { score: 661 });
  const past = due.filter((date) => date <= last);
  const again = addDays(past[11] as PlainDate, 6);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(past.slice(0, 9)),
      ...paid(again, reference(10), installments(1)),
      step(again, { do: 'reage', date: null }, 'Back at work'),
      ...tell.payments(past.slice(12), 11),
    ],
  };
}

function paidDown(due: readonly PlainDate[]): Step[] {
  const on = addDays(due[13] as PlainDate, 6);
  return [
    ...paid(on, 'EXTRA-1', exactly(2_500), { principalOnly: true }),
    step(on, { do: 'reamortize', date: null }, 'Asked for a lower payment'),
  ];
}

/** The payment of a due date comes back five days after it was made, and is made again with its fee. */
function madeGood(due: PlainDate, n: number): Step[] {
  const back = addDays(due, 5);
  return [...returned(back, reference(n)), ...paid(addDays(back, 9), `CARD-${n}`)];
}

function returnedNow(tell: Teller): Told {
  const last = tell.anyDueDay(16);
  const { application, steps, due } = tell.loan(addMonths(last, -9), { score: 667 });
  const payments = tell.payments(due.slice(0, 10));
  return { application, steps: [...steps, ...payments, ...returned(addDays(last, 7), reference(10))] };
}

function payoffReturned(tell: Teller): Told {
  const last = tell.dueDay(38);
  const { application, steps, due } = tell.loan(addMonths(last, -12));
  const on = addDays(last, 10);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(due.slice(0, 13)),
      ...paid(on, 'PAYOFF', everything),
      ...returned(addDays(on, 9), 'PAYOFF'),
      ...paid(addDays(due[13] as PlainDate, 1), reference(14)),
    ],
  };
}

/** The payment of the tenth due date came in time and was entered so many days later; the eleventh was paid meanwhile or not. */
function found(tell: Teller, days: number): Told {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -16));
  const past = due.filter((date) => date <= last);
  const arrived = past[9] as PlainDate;
  const entered = addDays(arrived, days);
  const reason = 'Posted to another account by mistake';
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(past.slice(0, 9)),
      ...paid(entered, 'FOUND-1', installments(1), { date: arrived, reason }),
      lateFeeWaived(addDays(entered, 1), reason),
      ...tell.payments(past.slice(10), 11),
    ],
  };
}

function feesPaid(due: PlainDate): Step[] {
  const fee = { do: 'assess-fee', kind: 'fee', date: null } as const;
  return [
    step(addDays(due, -10), { ...fee, feeId: 'title-1', name: 'Title copy', amount: cents(15_00) }),
    step(addDays(due, -9), { ...fee, feeId: 'phone-1', name: 'Payment by phone', amount: cents(5_00) }),
  ];
}

/** Two weeks late once, and forgiven for a good customer. */
function waived(tell: Teller): Told {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -17));
  const past = due.filter((date) => date <= last);
  const on = addDays(past[7] as PlainDate, 14);
  return {
    application,
    steps: [
      ...steps,
      ...tell.payments(past.slice(0, 7)),
      lateFeeWaived(on, 'First time late in seven months'),
      ...paid(on, reference(8)),
      ...tell.payments(past.slice(8), 9),
    ],
  };
}

function halfWaived(due: PlainDate): Step[] {
  const reason = 'Agreed on the telephone';
  return [
    step(addDays(due, 6), {
      do: 'assess-fee',
      feeId: 'field-1',
      kind: 'fee',
      name: 'Field visit',
      amount: cents(90_00),
      date: null,
    }),
    step(
      addDays(due, 9),
      ({ loan }) => {
        const fee = loan.fees.find(({ feeId }) => feeId === 'field-1');
        return fee !== undefined && isOpen(fee)
          ? { do: 'waive-fee', feeId: 'field-1', amount: cents(45_00), reason }
          : null;
      },
      reason,
    ),
  ];
}

function quoteHonoured(on: PlainDate): Step[] {
  return [
    payoffQuoted(on, 'QUOTE-1'),
    ...paid(addDays(on, 6), 'PAYOFF', asQuoted('QUOTE-1')),
    creditRefunded(addDays(on, 12), 'REFUND-1'),
  ];
}

function overpaid(on: PlainDate): Step[] {
  return [
    submitted(on, 'PAYOFF', (loan) => cents((everything(loan) ?? 0) + 180_00), { acceptOverpayment: true }),
    acknowledged(addDays(on, 2), 'PAYOFF'),
    creditRefunded(addDays(on, 7), 'REFUND-1'),
  ];
}
