/** The interface of the books: balances, ties, entries, months. Everything is of the organization that asks. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Cents } from '../../core/money.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { BookEvent } from '../../ledger/book.ts';
import type { Account } from '../../ledger/chart.ts';
import type { Keep } from '../../store/door/idempotency.ts';

export type Asker = {
  readonly organizationId: string;
  readonly clientId: string;
  /** The person; absent or null: a program. */
  readonly userId?: string | null;
  /** Whose share its looks take: of a sandbox, the organization that made it. */
  readonly countedFor?: string;
  /** Aborted when the caller is gone: what is only read for it ends. */
  readonly signal?: AbortSignal;
};

/** A dry run answers what would be stored, and stores nothing. */
export type HowWritten = { readonly dryRun: boolean; readonly keep: Keep };

/** Null: as of today; null: of all lenders. */
export type AsOf = { readonly asOf: PlainDate | null; readonly lenderId: string | null };

/** A month, `2026-10`. */
export type Period = string;

export type TrialBalance = {
  readonly asOf: PlainDate;
  readonly accounts: readonly { readonly account: Account; readonly debit: Cents; readonly credit: Cents }[];
};

/** By account: what the ledger holds, and the sum of what the loans show. */
export type TieOut = {
  readonly asOf: PlainDate;
  readonly accounts: readonly {
    readonly account: Account;
    readonly ledger: Cents;
    readonly loans: Cents;
    readonly difference: Cents;
  }[];
};

/** A transaction of a book. */
export type BookEntry = {
  readonly transactionHash: string;
  readonly bookId: string;
  readonly lenderId: string;
  readonly sequence: number;
  readonly block: number;
  readonly event: BookEvent;
};

/** Debits positive, by lender. */
export type LenderBalances = {
  readonly lenderId: string;
  readonly accounts: readonly { readonly account: Account; readonly balance: Cents }[];
};

export type ClosedPeriod = {
  readonly period: Period;
  /** ISO 8601, UTC. */
  readonly closedAt: string;
  /** Of a dry run, whoever asks. */
  readonly closedBy: { readonly clientId: string; readonly userId: string | null };
  /** SHA-256 of the balances as canonical JSON. */
  readonly hash: string;
  readonly lenders: readonly LenderBalances[];
};

export type RollForward = {
  readonly period: Period;
  readonly closed: boolean;
  readonly lenders: readonly {
    readonly lenderId: string;
    readonly accounts: readonly {
      readonly account: Account;
      readonly opening: Cents;
      readonly activity: readonly { readonly entry: string; readonly amount: Cents }[];
      readonly closing: Cents;
    }[];
  }[];
};

/** Lines of a month, added up by day, lender, entry and account, with the organization's own code of the account. */
export type ExportedLine = {
  readonly date: PlainDate;
  readonly lenderId: string;
  readonly entry: string;
  readonly account: Account;
  readonly code: string;
  readonly priorPeriod: boolean;
  readonly debit: Cents;
  readonly credit: Cents;
};

/**
 * A month that is over has the same lines, whenever they are asked for, as long as the codes are the same. Lines come in order, some hundred
 * at a time, and are read from the database while they are taken. Whoever begins to take them takes all of them, or ends the iteration.
 */
export type Exported = {
  readonly codes: AccountCodes;
  readonly lines: AsyncIterable<readonly ExportedLine[]>;
};

export type AccountCodes = Readonly<Partial<Record<Account, string>>>;

export type Books = {
  trialBalance(asker: Asker, asked: AsOf): Promise<TrialBalance | Refusal>;
  tieOut(asker: Asker, asked: AsOf): Promise<TieOut | Refusal>;
  /** Of a day, by lender; from after one of them on. */
  entries(
    asker: Asker,
    asked: {
      readonly day: PlainDate;
      readonly lenderId: string | null;
      readonly after: { readonly lenderId: string; readonly sequence: number } | null;
      readonly limit: number;
    },
  ): Promise<BookEntry[]>;
  /** A period that is closed already is answered as the first time. */
  close(asker: Asker, period: Period, how?: HowWritten): Promise<ClosedPeriod | Refusal>;
  /** The next month to be closed, whether it can be yet or not; null: there are no loans. */
  nextToClose(asker: Asker): Promise<Period | null>;
  /** The newest first. */
  periods(asker: Asker, asked: { readonly before: Period | null; readonly limit: number }): Promise<ClosedPeriod[]>;
  rollForward(
    asker: Asker,
    asked: { readonly period: Period; readonly lenderId: string | null },
  ): Promise<RollForward | Refusal>;
  exported(
    asker: Asker,
    asked: { readonly period: Period; readonly lenderId: string | null },
  ): Promise<Exported | Refusal>;
  codes(asker: Asker): Promise<AccountCodes>;
  setCodes(asker: Asker, codes: AccountCodes, how?: HowWritten): Promise<AccountCodes>;
};
