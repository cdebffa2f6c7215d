/** Work of a bureau that would hold the event loop (reading an answer, printing a report) is done on a thread; its failures are a bureau's. */
import { TooMuchWork, WorkersBusy } from '../workers/workers.ts';
import type { BureauFailure } from './bureau.ts';

/** Longest time for one answer or one report; a report of the largest size takes some tenths of a second. */
export const THREAD_LIMIT_MS = 5_000;

/** Anything but the threads' own failures is a fault of this program, and thrown again. */
export function threadFailure(error: unknown): BureauFailure {
  if (error instanceof WorkersBusy) {
    return { failed: 'unavailable', detail: 'Too much work of this kind is waiting already.', retryable: true };
  }
  if (error instanceof TooMuchWork) {
    return { failed: 'malformed', detail: 'The report takes more work than one report may.', retryable: false };
  }
  throw error;
}
