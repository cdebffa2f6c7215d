/** What a credit bureau tells of one person, as underwriting reads it. Adapters make it; nothing here is theirs alone. */
import type { PlainDate } from '../core/calendar.ts';
import type { Cents } from '../core/money.ts';

/** One account. The members are the columns of the trade lines CSV. */
export type TradeLine = {
  readonly subscriber: string;
  readonly accountType: string;
  readonly member: string;
  readonly accountNumber: string;
  readonly opened: PlainDate | null;
  /** Null: open. */
  readonly closed: PlainDate | null;
  /** What it asks for each month. */
  readonly payment: Cents;
  readonly terms: string;
  /** revolving, installment, mortgage, open, … */
  readonly portfolioType: string;
  readonly balance: Cents;
  /** The most that was ever owed; of a revolving account it stands for the limit. */
  readonly highBalance: Cents;
  readonly pastDue: Cents;
  readonly rating: string;
  /** How often it was so many days past due. */
  readonly late30: number;
  readonly late60: number;
  readonly late90: number;
  readonly accountClass: string;
};

export type BureauReport = {
  /** Null: the bureau has none. */
  readonly score: number | null;
  /** What the bureau says held the score down, in its order, at most five (15 USC 1681g(f)(1)(C)); empty when it says nothing. */
  readonly scoreFactors: readonly string[];
  readonly reportDate: PlainDate;
  readonly inFileSince: PlainDate | null;
  /** Whether there is a file at all. */
  readonly hit: boolean;
  /** Hard inquiries of the last six months; null: not told. */
  readonly inquiries: number | null;
  /** JSON text of `PrimaryCreditInfo`; it passes through to the letter and is never interpreted. */
  readonly attributes: string;
  readonly tradeLines: readonly TradeLine[];
  readonly tradeLinesCsv: string;
  readonly pdf: Uint8Array;
  /** The answer as it came: what `creditReportHash` is over. */
  readonly raw: Uint8Array;
};
