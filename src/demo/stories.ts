/**
 * The stories of the demonstration's loans, computed backwards from a day: a late loan is a given number of days late on that day, a closed
 * one was closed some time before it. They are grouped by kind, one file of `stories/` each.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import type { ApplicationOptions } from './application.ts';
import type { Step } from './steps.ts';
import { APPLICATIONS } from './stories/applications.ts';
import { CHANGES } from './stories/changes.ts';
import { ENDINGS } from './stories/endings.ts';
import { KINDS } from './stories/kinds.ts';
import { PAYMENTS } from './stories/payments.ts';
import { REPAYMENTS } from './stories/repayments.ts';
import { type LoanLifecycle, Teller } from './stories/teller.ts';

export type Story = {
  /** Its subject, in a few words. */
  readonly about: string;
  /** The borrower: the same whatever the day it is computed from. */
  readonly person: number;
  /** The day the loan is created. */
  readonly on: PlainDate;
  readonly application: ApplicationOptions & { readonly on: PlainDate };
  /** It is boarded with the record of the same person's earlier application, instead of being assessed here. */
  readonly withRecord: boolean;
  /** After the creation, in the order of their days, all before the day they are computed from. */
  readonly steps: readonly Step[];
};

const CHAPTERS = [...APPLICATIONS, ...REPAYMENTS, ...CHANGES, ...PAYMENTS, ...ENDINGS, ...KINDS];

/** In the order they begin. The last one is an application of the day before `today`, and nothing happens after it. */
export function storiesUntil(today: PlainDate): Story[] {
  const yesterday = addDays(today, -1);
  let person = 0;
  const storyOf = (about: string, { on, application, steps }: LoanLifecycle, withRecord: boolean): Story => ({
    ...{ about, person, application, withRecord },
    on: on ?? application.on,
    steps: steps.filter((step) => step.on <= yesterday).sort((a, b) => byDay(a.on, b.on)),
  });
  const told = CHAPTERS.flatMap(([about, count, tell]) =>
    Array.from({ length: count }, (_, i) => {
      const { earlier, ...life } = tell(new Teller(today, `${about} ${i}`, i), i);
      person += 1;
      const story = storyOf(about, life, earlier !== undefined);
      return earlier === undefined ? [story] : [storyOf(`${about}: applied for`, earlier, false), story];
    }).flat(),
  );
  person += 1;
  const newest = storyOf('the newest application', { application: { on: yesterday }, steps: [] }, false);
  return [...told.sort((a, b) => byDay(a.on, b.on)), newest];
}

const byDay = (a: PlainDate, b: PlainDate): number => (a < b ? -1 : a > b ? 1 : 0);
