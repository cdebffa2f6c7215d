/**
 * Events: everything the engine knows about each type, in one definition. A family of events (`application.ts`, `funding.ts` and so
 * on, as in `decide/`) is the union of its facts and an object with a definition for each; `event.ts` combines the families.
 */
import type { PlainDate } from '../calendar.ts';
import type { Cents } from '../money.ts';
import type { PolicyLimit } from '../policy.ts';
import type { WorkingInstallment, WorkingLoan } from '../working-loan.ts';
import type { Pen, StatementKind } from './pen.ts';

/** The day an event takes effect, and when it was recorded: `recordedOn` is the business day of `recordedAt`. */
export type Stamp = {
  readonly date: PlainDate;
  readonly recordedOn: PlainDate;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
  /** The policy limits that it exceeded, because the caller asked for that; absent: none. */
  readonly overrode?: readonly PolicyLimit[];
  /** The approval by which it was carried out; absent: it needed none. */
  readonly approvalId?: string;
};

/**
 * The order of events within a day. What comes first is the basis for what follows: money goes out before it comes in. Within a phase the
 * order is that of the definitions, family by family. Stored histories are folded in this order: changing it changes figures.
 *
 * `judgedFirst`: whether installments whose grace days end on the day are judged, and charged their late fees, before the events of the
 * phase.
 */
export const PHASES = {
  /** Up to the day of funding, and the loan's record. It comes before everything else whatever its date. */
  application: { judgedFirst: true },
  /** The loan is disbursed and repayment begins. */
  funding: { judgedFirst: true },
  /** Figures of an earlier servicer, who charged the late fees for installments whose grace days were over by then. */
  opening: { judgedFirst: true },
  /** Further disbursements. */
  disbursement: { judgedFirst: false },
  /** A hold that begins on the day an installment is judged decides whether its late fee is charged. */
  holds: { judgedFirst: false },
  /** Rates change and installments move: one that moves on the day it would be judged is not judged on that day. */
  terms: { judgedFirst: false },
  /** Fees are charged and waived before money comes in, so that it can pay them. */
  fees: { judgedFirst: true },
  /** A quote comes before the payments of its day, so that they can honour it. */
  quotes: { judgedFirst: true },
  /** Money is received. */
  payments: { judgedFirst: true },
  /**
   * Events that depend on the balance after the day's payments: a principal payment and the re-amortization after it belong to one day, in
   * this order.
   */
  afterPayments: { judgedFirst: true },
  /** Notes, which change no figures. */
  notes: { judgedFirst: true },
  /**
   * A default or a charge-off applies to the loan as the day's other events left it. What is recorded after a charge-off comes after it, on
   * that day too (`orderWith` in `event.ts`).
   */
  default: { judgedFirst: true },
} as const satisfies Record<string, { judgedFirst: boolean }>;

export type Phase = keyof typeof PHASES;

/**
 * Whether the event can be undone (`POST /undo`). Every fact that is not money can be: the loan is then folded without it. `refused`: it
 * cannot, and this says why and what to do instead.
 */
export type Undoing<F> =
  | { readonly refused: string }
  | {
      /** The party that may undo it: the one that may record it. */
      readonly by: 'owner' | 'servicer';
      /** The scope of the operation that records it, where that is not `servicing:write`; undoing it needs this scope too. */
      readonly scope?: 'loans:write' | 'underwriting:write';
      /**
       * The types of later events that rest on it, which must be undone first: each with the member that is the same in both events
       * (`feeId`, `holdId`), or `any` where every later event of the type rests on it. Money never does: it is allocated again.
       */
      readonly restedOnBy: Readonly<Record<string, 'any' | 'feeId' | 'holdId'>>;
      /** The reason why this event cannot be undone although others of its type can; null: it can. */
      readonly unless?: (event: F) => string | null;
    };

/** Its type in the feed (docs/events.md): a family and a fact, which stay for ever. `about`: the description of the type. */
export type FeedType = { readonly type: `${string}.${string}`; readonly about: string };

/**
 * Its line on the console's timeline of a loan. A name in braces is a value that the console fills in (`valuesOf` in
 * `web/src/pages/loans/loan/timeline.ts`). Of `[one|another]` the first alternative is shown whose values are all known, otherwise nothing.
 */
export type TimelineLine = {
  readonly says: string;
  /** Quieter, beside it. */
  readonly more?: string;
  /** `servicing` where it is absent. */
  readonly group?: 'money' | 'application';
  readonly tone?: 'good' | 'late' | 'bad';
  /** The figure that explains it (`GET /loans/{loan_id}/explain/{figure}`). */
  readonly explains?: string;
  /** The kind of its row in the statement, where the line shows values of that row. */
  readonly row?: StatementKind;
};

export type EventDefinition<F> = {
  readonly phase: Phase;
  readonly feed: FeedType;
  readonly line: TimelineLine;
  readonly undo: Undoing<F>;
  /** Writes its row of the statement; null: it changes neither money nor terms and is not on the statement. */
  readonly show: ((event: F & { readonly date: PlainDate }, pen: Pen) => void) | null;
} & (
  | { readonly apply: (run: Run, event: F & Stamp) => void; readonly inert?: never }
  /**
   * It has no effect at its position in the order. Late fees that fall due by then would be charged in any case before the next event that has
   * an effect; so only phases after those that move installments have such events.
   */
  | { readonly inert: true; readonly apply?: never }
);

/** One definition for each fact of a family. */
export type EventFamily<F extends { type: string }> = {
  readonly [K in F['type']]: EventDefinition<Extract<F, { type: K }>>;
};

/** A payment that was returned or reversed: when that became known, and when the payment had been recorded (null: unknown). */
export type Undone = {
  readonly status: 'Returned' | 'Reversed';
  readonly recordedOn: PlainDate;
  readonly recordedAt: string;
  readonly paidAt: string | null;
};

/** A loan that events are being applied to, with the state of that replay. */
export type Run = {
  readonly working: WorkingLoan;
  /** The number of installments, in order, that have been judged; after a move it restarts at the first and skips those already judged. */
  judged: number;
  /** Late fees caused by a return, due on the day it was recorded. */
  readonly lateFees: { date: PlainDate; installment: WorkingInstallment; amount: Cents }[];
  /** Returned and reversed payments, by reference. */
  readonly undone: ReadonlyMap<string, Undone>;
  readonly acknowledged: ReadonlySet<string>;
  /** The last day of each report of military service; `superseded`: a later report of the same service replaces it. */
  readonly services: ReadonlyMap<Stamp, PlainDate | null | 'superseded'>;
};
