/** The nightly cycle as requested and reported: for each organization and date, step by step. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Cents } from '../../core/money.ts';
import type { Asker } from '../books/books.ts';

/** In the order in which they run. */
export const STEPS = [
  'lateFeesAndBuckets',
  'chargeOffsRecorded',
  'accrual',
  'nonAccrual',
  'quotesExpired',
  'chargeOffsProposed',
  'positions',
] as const;
export type Step = (typeof STEPS)[number];

export type StepTold = {
  readonly step: Step;
  /** ISO 8601, UTC; null: not yet. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly counts: Readonly<Record<string, number>>;
  /** Late fees charged, interest posted, or what the proposed charge-offs owe; null: the step moves no money. */
  readonly amount: Cents | null;
};

export type CycleTold = {
  readonly date: PlainDate;
  /** Null: there was nothing to do on that day. */
  readonly startedAt: string | null;
  /** Null: it has not ended. */
  readonly endedAt: string | null;
  readonly exceptionCount: number;
  readonly proposalCount: number;
};

export type CycleException = { readonly loanId: string; readonly step: string; readonly error: string };
export type Proposal = {
  readonly loanId: string;
  readonly daysPastDue: number;
  readonly amount: Cents;
  /** `pastDue`, or the kind of the hold that requires it; then `holdId` names the hold. */
  readonly reason: string;
  readonly holdId: string | null;
};

export type CycleDetail = CycleTold & {
  readonly steps: readonly StepTold[];
  /** In the order of loan ids. */
  readonly exceptions: readonly CycleException[];
  readonly proposals: readonly Proposal[];
};

export type CyclesTold = {
  /** The last day whose cycle has run; null: none yet. */
  readonly through: PlainDate | null;
  /** Number of past days whose cycles have not run. */
  readonly daysBehind: number;
  readonly items: readonly CycleTold[];
};

export type Cycles = {
  /** The newest first, from before a day on. */
  list(asker: Asker, asked: { readonly before: PlainDate | null; readonly limit: number }): Promise<CyclesTold>;
  /** Findings from after a loan on. Null: the cycle of that day has not begun. */
  read(
    asker: Asker,
    asked: { readonly date: PlainDate; readonly after: string | null; readonly limit: number },
  ): Promise<CycleDetail | null>;
};

export type CycleProgress = {
  readonly organizationId: string;
  readonly date: PlainDate;
  readonly step: Step;
  /** Loans; both 0 where a step begins, which does not know yet how many there are. */
  readonly done: number;
  readonly total: number;
};

/** What a run did. */
export type CyclesRun = {
  /** Days that were gone through. */
  readonly days: number;
  readonly loans: number;
  readonly exceptions: number;
};
