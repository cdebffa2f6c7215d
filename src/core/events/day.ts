/** The end of a day with date-driven changes. The fold derives all of them; the event records them and changes nothing. */
import type { DelinquencyBucket } from '../delinquency.ts';
import type { Cents } from '../money.ts';
import type { EventFamily } from './definition.ts';

export type DayFact = {
  readonly type: 'dayEnded';
  /** Charged since the event before. */
  readonly lateFees: Cents;
  /** The bucket it has reached since; null: unchanged. */
  readonly bucket: DelinquencyBucket | null;
  /** Whether non-accrual has begun since. */
  readonly nonAccrual: boolean;
  /** Quotes that have expired since, unpaid. */
  readonly quotesExpired: readonly string[];
  /** Holds that have ended by themselves since. */
  readonly holdsExpired: readonly string[];
};

export const dayEvents: EventFamily<DayFact> = {
  dayEnded: {
    phase: 'notes',
    feed: {
      type: 'loan.day_ended',
      about:
        'A day ended with something that follows from the date: a late fee, a delinquency bucket, the end of accrual, of a quote or of a hold.',
    },
    line: {
      says: 'End of day recorded',
      more: '[{effect}|What follows from the date: delinquency stage, expired quotes or holds.]',
    },
    undo: { refused: 'The end of a day follows from the date and cannot be undone; undo the fact that caused it.' },
    inert: true,
    show: null,
  },
};
