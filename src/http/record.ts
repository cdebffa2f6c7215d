/** Both records of a loan as text. */
import type { Cents } from '../core/money.ts';
import type { FullView, LoanView, PublicView } from '../loans/loans.ts';

/** `plain`: without thousands separators (`Prefer: numbers=plain`). */
export type RecordOptions = { readonly plain: boolean };

/** "28,875", "29,163.75". */
export function amountText(amount: Cents, plain: boolean): string {
  throw new Error(`Not written yet: ${amount}, ${plain}`);
}

/** "1,136". */
export function countText(count: number, plain: boolean): string {
  throw new Error(`Not written yet: ${count}, ${plain}`);
}

/** `{"message":"ok","data":{"loanDetails":{…},`: the record's bytes and `RECORD_END` follow. */
export function fullRecordHead(view: LoanView, personal: FullView['personal'], options: RecordOptions): string {
  throw new Error(`Not written yet: ${view.loanId}, ${typeof personal}, ${options.plain}`);
}

export const RECORD_END = '}}';

/** The whole answer in pieces: head, public part, end. */
export function publicRecord(view: PublicView, options: RecordOptions): (string | Buffer)[] {
  throw new Error(`Not written yet: ${typeof view}, ${options.plain}`);
}
