/** Bureau work that would block the event loop (reading an answer, printing a report) runs on a thread; its failures count as the bureau's. */
import { TooMuchWork, WorkersBusy } from '../workers/workers.ts';
import type { BureauFailure } from './bureau.ts';

/** Time limit for one answer or one report; the largest report takes a few tenths of a second. */
export const THREAD_LIMIT_MS = 5_000;

/** Anything but the threads' own failures is a fault of this program, and thrown again. */
export function threadFailure(error: unknown): BureauFailure {
  if (error instanceof WorkersBusy) {
    return { failed: 'unavailable', detail: 'Too many reports are already waiting to be processed.', retryable: true };
  }
  if (error instanceof TooMuchWork) {
    return { failed: 'malformed', detail: 'The report is too large to process.', retryable: false };
  }
  throw error;
}
