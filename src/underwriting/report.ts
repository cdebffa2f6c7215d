/**
 * A credit bureau's report on one person, in the form that underwriting reads. Adapters produce it; nothing here is specific to one of them.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { Cents } from '../core/money.ts';

/** One account. The fields are the columns of the trade lines CSV. */
export type TradeLine = {
  readonly subscriber: string;
  readonly accountType: string;
  readonly member: string;
  readonly accountNumber: string;
  readonly opened: PlainDate | null;
  /** Null: open. */
  readonly closed: PlainDate | null;
  /** The monthly payment. */
  readonly payment: Cents;
  readonly terms: string;
  /** revolving, installment, mortgage, open, … */
  readonly portfolioType: string;
  readonly balance: Cents;
  /** The most that was ever owed; for a revolving account it is used as the limit. */
  readonly highBalance: Cents;
  readonly pastDue: Cents;
  readonly rating: string;
  /** The number of times it was 30, 60 or 90 days past due. */
  readonly late30: number;
  readonly late60: number;
  readonly late90: number;
  readonly accountClass: string;
};

/** The bureau's statements about the file itself, apart from the credit in it. */
export type FileFlags = {
  /** The consumer has placed a security freeze: nothing of the file is released (15 USC 1681c-1(i)). */
  readonly frozen: boolean;
  /** The person with this number is reported as deceased. */
  readonly deceased: boolean;
  /** Whether the social security number is that of the file. Null: not reported. */
  readonly ssnMatch: 'exact' | 'partial' | 'noMatch' | null;
  /** The given address differs substantially from those in the file (15 USC 1681c(h)). */
  readonly addressDiscrepancy: boolean;
  /** The alert that the consumer has placed on the file (15 USC 1681c-1(a) to (c)). */
  readonly fraudAlert: 'none' | 'initial' | 'extended' | 'activeDuty';
  /** The number that the consumer gave to be called before credit is granted. Personal. */
  readonly alertPhone: string | null;
};

export type BureauReport = {
  /** Null: the bureau has none. */
  readonly score: number | null;
  /** The bureau's key factors of the score, in its order, at most five (15 USC 1681g(f)(1)(C)); empty when it gives none. */
  readonly scoreFactors: readonly string[];
  readonly reportDate: PlainDate;
  readonly inFileSince: PlainDate | null;
  /** Whether there is a file at all. */
  readonly hit: boolean;
  /** Hard inquiries of the last six months; null: not reported. */
  readonly inquiries: number | null;
  readonly flags: FileFlags;
  /** JSON text of `PrimaryCreditInfo`; it is passed through unchanged and never interpreted. */
  readonly attributes: string;
  readonly tradeLines: readonly TradeLine[];
  readonly tradeLinesCsv: string;
  readonly pdf: Uint8Array;
  /** The answer as received; `creditReportHash` is computed over it. */
  readonly raw: Uint8Array;
  /** The parts left out of a report that was given by hand: they are unknown, and a file without them is not thin. Absent: nothing. */
  readonly unknown?: readonly ('tradeLines' | 'inFileSince')[];
};
