/** The loans of the console's tests: one of each state that a page shows, told like those of the demonstration but shorter. */
import { addDays, addMonths, type PlainDate } from '../../src/core/calendar.ts';
import {
  chargedOff,
  defaulted,
  everything,
  funded,
  paid,
  rejected,
  returned,
  type Step,
  step,
} from '../../src/demo/steps.ts';
import {
  assessed,
  current,
  documents,
  type LoanLifecycle,
  late,
  reference,
  Teller,
  underway,
} from '../../src/demo/stories/teller.ts';
import type { Story } from '../../src/demo/stories.ts';

const started = (on: PlainDate): Step[] => assessed(on).slice(0, 1);
const declined = (on: PlainDate): Step[] => [...started(on), step(addDays(on, 2), rejected)];
const QUICK = { path: 'quick' } as const;
const LATE = { score: 634, ...QUICK } as const;

const KINDS = {
  /** Everything due is paid; published. */
  current: (t) => current(t, 5, { ...QUICK, published: true }),
  /** Current, with a dispute hold. */
  held: (t) => current(t, 3, QUICK),
  /** Current, with an open fee of 80.00 whose waiver by an agent waits for approval. */
  pendingApproval: (t) => current(t, 4, { ...QUICK, months: 48 }),
  /** Its last payment was returned, with a fee. */
  returned: (t) => current(t, 4, QUICK, (due) => returned(addDays(due.at(-2) as PlainDate, 6), reference(3))),
  /** 1 to 29 days past due. */
  late: (t) => late(t, 12, 3, LATE),
  late30: (t) => late(t, 34, 3, LATE),
  late60: (t) => late(t, 64, 2, { ...LATE, published: true }),
  late90: (t) => late(t, 94, 2, LATE),
  defaulted: (t) => late(t, 105, 2, { score: 622, ...QUICK }, (missed) => [defaulted(addDays(missed, 95))]),
  chargedOff: (t) =>
    late(t, 140, 1, { score: 606, ...QUICK, published: true }, (missed) => [
      defaulted(addDays(missed, 96)),
      chargedOff(addDays(missed, 135), 55),
    ]),
  paidOff,
  /** Funded, its first payment to come. */
  funded: (t) => underway(t, 14, (on) => [...assessed(on), step(addDays(on, 5), funded)]),
  /** An application on which nothing was done. */
  submitted: (t) => underway(t, 2, () => []),
  documentsVerified: (t) => underway(t, 9, documents),
  /** Assessed, with sixty deals, and no decision. */
  underwriting: (t) => underway(t, 4, started, { score: 734, months: 60 }),
  underwritingWeak: (t) => underway(t, 5, started, { score: 590 }),
  approved: (t) => underway(t, 7, assessed),
  rejected: (t) => underway(t, 20, declined, { score: 531 }),
} satisfies Record<string, (tell: Teller) => LoanLifecycle>;

export type LoanKind = keyof typeof KINDS;

/** In the order of `KINDS`, not in that of their days. */
export function storiesOfTheBook(today: PlainDate): (Story & { readonly kind: LoanKind })[] {
  const yesterday = addDays(today, -1);
  return (Object.entries(KINDS) as [LoanKind, (tell: Teller) => LoanLifecycle][]).map(([kind, tell], i) => {
    const { application, steps } = tell(new Teller(today, `console ${kind}`, i));
    return {
      kind,
      about: kind,
      person: i + 1,
      on: application.on,
      application,
      withRecord: false,
      steps: steps.filter(({ on }) => on <= yesterday).sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0)),
    };
  });
}

/** Paid off between two due dates, after three installments; published. */
function paidOff(tell: Teller): LoanLifecycle {
  const last = tell.dueDay(40);
  const { application, steps, due } = tell.loan(addMonths(last, -2), { ...QUICK, published: true });
  const ending = paid(addDays(last, 9), 'PAYOFF', everything);
  return { application, steps: [...steps, ...tell.payments(due.slice(0, 3)), ...ending] };
}
