/** Figures and payments that a loan boarded with its record brings from an earlier servicer. */
import type { PlainDate } from './calendar.ts';
import type { Cents } from './money.ts';

/** A payment that an earlier servicer received: shown with the loan, and part of no figure here. */
export type BoardedPayment = {
  readonly refId: string;
  readonly amount: Cents;
  readonly date: PlainDate;
  readonly status: 'Submitted' | 'Acknowledged' | 'Returned';
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  /** Principal after it. */
  readonly balance: Cents;
  /** Taken from the earlier servicer's ledger; empty: not given. */
  readonly transactionHash: string;
};

/** Counts of an earlier servicer up to the day a loan was boarded with its record. Counting goes on from here. */
export type Handover = {
  readonly fundedOn: PlainDate | null;
  readonly received: Cents;
  readonly principalPaid: Cents;
  readonly interestPaid: Cents;
  readonly feesPaid: Cents;
  readonly payments: readonly BoardedPayment[];
  /** Amounts of a loan that was charged off there; null: it was not. */
  readonly chargedOff: { readonly writtenOff: Cents; readonly recovered: Cents } | null;
};

/** An installment as an earlier servicer left it. The last one takes whatever is left. */
export type OpenedInstallment = { readonly dueDate: PlainDate; readonly amount: Cents; readonly paid: Cents };
