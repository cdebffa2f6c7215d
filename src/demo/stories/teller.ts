/**
 * Computing stories backwards from a day: the forms that the stories share. Due dates fall on four days of a month, so that payments of
 * many loans on one day share a batch.
 */
import { seededRandom } from '../../bureau/simulator/random.ts';
import { addDays, addMonths, datesFrom, PER_YEAR, type PlainDate, parts, stepDate } from '../../core/calendar.ts';
import { type ApplicationOptions, LENDERS, type Lender } from '../application.ts';
import { approved, funded, initiated, paid, type Step, step } from '../steps.ts';

export type LoanLifecycle = {
  /** The day the loan is created; that of its application when absent. */
  readonly on?: PlainDate;
  readonly application: ApplicationOptions & { readonly on: PlainDate };
  readonly steps: readonly Step[];
  /** The same person's earlier application, whose record the loan is boarded with. */
  readonly earlier?: LoanLifecycle;
};

export type Chapter = readonly [about: string, count: number, tell: (tell: Teller, i: number) => LoanLifecycle];

const DUE_DAYS = [1, 8, 15, 22];

/** The days from application to funding, by path. */
const PATHS = {
  quick: 3,
  documents: 8,
  collateral: 12,
} as const;
type Path = keyof typeof PATHS;

/** The context of a story: the day it is computed from, and its own random numbers. */
export class Teller {
  readonly today: PlainDate;
  readonly yesterday: PlainDate;
  readonly #random;
  readonly #i: number;

  constructor(today: PlainDate, seed: string, i: number) {
    this.today = today;
    this.yesterday = addDays(today, -1);
    this.#random = seededRandom(`story ${seed}`);
    this.#i = i;
  }

  daysAgo(days: number): PlainDate {
    return addDays(this.today, -days);
  }

  /** The last due day of its own kind (all first of the month, all eighth, …) that is at least `days` days ago. */
  dueDay(days: number): PlainDate {
    return lastOn(this.daysAgo(days), DUE_DAYS[this.#i % DUE_DAYS.length] as number);
  }

  /** The last due day of any kind that is at least `days` days ago: at most ten days more. */
  anyDueDay(days: number): PlainDate {
    const dates = DUE_DAYS.map((day) => lastOn(this.daysAgo(days), day));
    return dates.reduce((latest, date) => (date > latest ? date : latest));
  }

  /** A loan whose first installment is due on a day: the application, and the steps until its repayment begins. */
  loan(
    first: PlainDate,
    options: LoanOptions = {},
  ): { application: LoanLifecycle['application']; steps: Step[]; due: PlainDate[] } {
    const {
      frequency = 'Monthly',
      months = 60,
      path = this.#random.pick(['quick', 'documents', 'collateral']),
      ...rest
    } = options;
    const fundedOn = stepDate(first, frequency, -1);
    const on = addDays(fundedOn, -PATHS[path]);
    // Half of the contracts are signed at the dealer's on the day of the application; the others begin when they are funded.
    const signed = this.#random.oneIn(2) ? { contractDate: on, firstPaymentDate: first } : { contractDate: null };
    return {
      application: {
        on,
        months,
        frequency,
        lender: LENDERS[(this.#i + months) % LENDERS.length] as Lender,
        published: !this.#random.oneIn(3),
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
      const late = i === due.length - 1 ? 0 : this.#random.pick([0, 0, 0, 0, 0, 2, 2, 4]);
      return paid(addDays(date, late), reference(from + i));
    });
  }
}

export type LoanOptions = ApplicationOptions & { readonly path?: Path };

export const reference = (n: number): string => `ACH-${String(n).padStart(4, '0')}`;

/** The last day not after `until` with this day of the month. */
function lastOn(until: PlainDate, day: number): PlainDate {
  const [, , present] = parts(until);
  return addMonths(until, present >= day ? 0 : -1, day);
}

function origination(fundedOn: PlainDate, path: Path): Step[] {
  const before = (days: number) => addDays(fundedOn, -days);
  if (path === 'quick') {
    return [step(before(2), { do: 'start-underwriting' }), step(before(1), approved), step(fundedOn, initiated)];
  }
  const assessed = path === 'documents' ? 3 : 7;
  return [
    ...documents(before(PATHS[path])),
    step(before(assessed), { do: 'start-underwriting' }),
    step(before(assessed - 1), approved),
    ...(path === 'collateral' ? [step(before(5), { do: 'request-collateral' }), collateralApproved(before(2))] : []),
    step(fundedOn, funded),
    step(fundedOn, initiated),
  ];
}

export function documents(on: PlainDate): Step[] {
  return [
    step(addDays(on, 1), { do: 'request-documents' }),
    step(addDays(on, 4), { do: 'verify-documents', complete: true }),
  ];
}

/** Appraised at the value that the application states. */
export function collateralApproved(on: PlainDate): Step {
  return step(on, ({ file: { collateralValue: value } }) =>
    value === null ? null : { do: 'approve-collateral', value },
  );
}

/** An application in progress. */
export function underway(
  tell: Teller,
  daysAgo: number,
  steps: (on: PlainDate) => Step[],
  more: ApplicationOptions = {},
): LoanLifecycle {
  const on = tell.daysAgo(daysAgo);
  return { application: { on, contractDate: null, ...more }, steps: steps(on) };
}

/** Underwritten and approved. */
export const assessed = (on: PlainDate): Step[] => [
  step(addDays(on, 1), { do: 'start-underwriting' }),
  step(addDays(on, 2), approved),
];

/** Paid as scheduled up to an installment, and nothing since: late by at least the given days, and at most ten more. */
export function late(
  tell: Teller,
  days: number,
  before: number,
  more: LoanOptions = {},
  then: (missed: PlainDate) => Step[] = () => [],
): LoanLifecycle {
  const missed = tell.anyDueDay(days);
  const { application, steps, due } = tell.loan(addMonths(missed, -before), { score: 634, ...more });
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

/** Everything due is paid, a given number of installments. */
export function current(
  tell: Teller,
  count: number,
  more: LoanOptions = {},
  also: (due: readonly PlainDate[]) => Step[] = () => [],
): LoanLifecycle {
  const last = tell.dueDay(1);
  const { application, steps, due } = tell.loan(addMonths(last, -(count - 1)), more);
  const past = due.filter((date) => date <= last);
  return { application, steps: [...steps, ...tell.payments(past), ...also(past)] };
}

/** All installments paid, each on its day. */
export function closedOnTime(tell: Teller, months: number, daysAgo: number, more: LoanOptions = {}): LoanLifecycle {
  const { application, steps, due } = tell.loan(addMonths(tell.dueDay(daysAgo), -(months - 1)), { months, ...more });
  return { application, steps: [...steps, ...tell.payments(due)] };
}
