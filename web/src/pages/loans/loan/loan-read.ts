/** Reads of one loan at a point in time. */
import type { Arguments, OperationId } from 'daybook-sdk';
import { loanPath, read } from '../../../api.ts';
import { isNow, NOW, type Point, queryOf } from './point.ts';

type OfLoan = Extract<
  OperationId,
  | 'readSummary'
  | 'readSchedule'
  | 'readHistory'
  | 'readTimeline'
  | 'readPayoff'
  | 'listHolds'
  | 'listPayoffQuotes'
  | 'listTransactions'
  | 'readJournal'
  | 'readLoanPolicy'
>;

/** Today and now need no query, so that the same read has the same key wherever it is asked for. */
export function loanRead<K extends OfLoan>(operation: K, loanId: string, point: Point = NOW) {
  const args = isNow(point) ? loanPath(loanId) : { ...loanPath(loanId), query: queryOf(point) };
  return read(operation, args as unknown as Arguments<K>);
}
