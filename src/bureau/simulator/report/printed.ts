import type { PlainDate } from '../../../core/calendar.ts';
import type { BureauSubject, TradeLine } from '../../bureau.ts';
import type { CreditFile } from '../file.ts';

/** The content of a printed report. */
export type Printed = {
  readonly file: CreditFile;
  readonly subject: BureauSubject;
  readonly today: PlainDate;
  /** ISO 8601. */
  readonly at: string;
  readonly inFileSince: PlainDate | null;
  /** Lines of the accounts, in their order, and then of the collections. */
  readonly tradeLines: readonly TradeLine[];
};
