/** The decision on an application, and its maker. */
import type { PlainDate } from './calendar.ts';
import type { OverrideReason } from './overrides.ts';

/** `assessment`: as the engine, or another system, assessed the deal. `officer`: by a loan officer, who may agree with the assessment. */
export type DecidedBy = 'assessment' | 'officer';

/** The decision on the application. The officer's reason is sealed beside the event that was recorded at that moment. */
export type CreditDecision = {
  readonly approved: boolean;
  readonly by: DecidedBy;
  /** A reason was given with it. */
  readonly reasoned: boolean;
  /** Against what the assessment said of the deal. */
  readonly overridden: boolean;
  /** The reason for approving what the engine declined or could not assess; null: it is no such approval. */
  readonly reasonCode: OverrideReason | null;
  readonly dealIndex: number;
  /** The loan's day of it. */
  readonly on: PlainDate;
  /** ISO. */
  readonly at: string;
};
