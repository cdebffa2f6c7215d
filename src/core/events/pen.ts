/** The means by which an event writes its row of the statement: the folded loan, the figures so far, and the row itself. */
import type { PlainDate } from '../calendar.ts';
import type { Allocation, Loan, Method, Payment, Purpose, ReturnCode } from '../loan.ts';

export type StatementKind =
  | 'funded'
  | 'takenOver'
  | 'disbursed'
  | 'payment'
  | 'returned'
  | 'reversed'
  | 'givenUp'
  | 'smallBalance'
  | 'fee'
  | 'waived'
  | 'rate'
  | 'moved'
  | 'reamortized'
  | 'quoted'
  | 'refunded'
  | 'defaulted'
  | 'accelerated'
  | 'chargedOff'
  | 'writtenDown'
  | 'rescinded';

/** Facts about a payment or its return besides its figures. */
export type PaymentFacts = {
  readonly purpose: Purpose | null;
  readonly method: Method | null;
  readonly trace: string | null;
  readonly code: ReturnCode | null;
};

export type Pen = {
  /** The loan as it is known now, with everything that happened to it. */
  readonly loan: Loan;
  /** By their references. */
  readonly payments: ReadonlyMap<string, Payment>;
  /** The last payment of a day. */
  readonly lastOf: ReadonlyMap<PlainDate, Payment>;
  /** Figures after the rows so far, in cents; an event updates them before it writes its row. */
  readonly now: { principal: number; fees: number; credit: number; received: number };
  /** The amount of each fee that was waived and is not shown yet. */
  readonly waivedLeft: Map<string, number>;
  readonly row: (
    date: PlainDate,
    kind: StatementKind,
    amount: number,
    more?: { reference?: string; detail?: string; allocation?: Allocation; facts?: Partial<PaymentFacts> },
  ) => void;
};
