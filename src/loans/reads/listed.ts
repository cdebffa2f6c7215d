/** What a list of loans is asked for, and what it shows of each. */
import type { PlainDate } from '../../core/calendar.ts';
import type { DelinquencyBucket } from '../../core/delinquency.ts';
import type { ClosedBy, LoanStatus } from '../../core/loan.ts';
import type { Cents } from '../../core/money.ts';

export type LoanSummary = {
  readonly loanId: string;
  readonly applicationId: string;
  readonly borrowerId: string;
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  readonly loanType: string;
  readonly loanStatus: LoanStatus;
  readonly loanAmount: Cents;
  readonly remainingBalance: Cents;
  /** Principal that is owed: 0 before funding. */
  readonly balance: Cents;
  readonly delinquentDays: number;
  /** Null for loans that are not being serviced: before funding, charged off, or ended. */
  readonly bucket: DelinquencyBucket | null;
  readonly nextPaymentDate: PlainDate | null;
  readonly published: boolean;
  readonly createdAt: number;
  readonly version: number;
  readonly closedBy: ClosedBy | null;
};

export const SORTS = ['createdAt', 'daysPastDue', 'nextDueDate', 'balance'] as const;
export type Sort = (typeof SORTS)[number] | `-${(typeof SORTS)[number]}`;

export type ListFilter = {
  /** One of them; absent: any. */
  readonly status?: readonly LoanStatus[];
  readonly bucket?: DelinquencyBucket;
  readonly lenderId?: string;
  readonly servicerId?: string;
  readonly borrowerId?: string;
  readonly applicationId?: string;
  readonly createdFrom?: PlainDate;
  readonly createdTo?: PlainDate;
  /** Of the oldest installment that is not paid. */
  readonly dueFrom?: PlainDate;
  readonly dueTo?: PlainDate;
  readonly minDaysPastDue?: number;
  readonly maxDaysPastDue?: number;
  readonly minBalance?: Cents;
  readonly maxBalance?: Cents;
  readonly q?: string;
  readonly limit: number;
  readonly cursor: string | null;
  readonly sort: Sort;
};

export type LoanPage = {
  readonly items: readonly LoanSummary[];
  readonly nextCursor: string | null;
  /** At most 10,000; `totalExact`: there are no more. */
  readonly total: number;
  readonly totalExact: boolean;
};
