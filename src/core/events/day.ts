/** The end of a day on which the date alone brought something. The fold derives all of it; the event writes it down and changes nothing. */
import type { DelinquencyBucket } from '../delinquency.ts';
import type { Cents } from '../money.ts';
import type { EventFamily } from './definition.ts';

export type DayFact = {
  readonly type: 'dayEnded';
  /** Charged since the event before. */
  readonly lateFees: Cents;
  /** The bucket that it has come to since; null: it is still in the one it was in. */
  readonly bucket: DelinquencyBucket | null;
  /** Whether non-accrual has begun since. */
  readonly nonAccrual: boolean;
  /** Quotes that have expired since, without the money. */
  readonly quotesExpired: readonly string[];
};

export const dayEvents: EventFamily<DayFact> = {
  dayEnded: { phase: 'notes', inert: true, show: null },
};
