/**
 * The interface of a credit bureau: one request about one person, one answer. A pull costs money and leaves an inquiry on the person's
 * file, so the caller reserves it under `pullId` before making it. A bureau that gets the same id again repeats its first answer: a
 * pull may be retried, and never counts twice.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { BureauReport } from '../underwriting/report.ts';

export type { BureauReport, FileFlags, TradeLine } from '../underwriting/report.ts';

export type Bureau = {
  readonly name: string;
  /** Its people are invented: a pull costs nothing and touches nobody's file. */
  readonly simulated?: true;
  /** Never rejects: every failure is a `BureauFailure`. */
  pull(subject: BureauSubject, pull: BureauPull): Promise<BureauReport | BureauFailure>;
};

/** The subject of the report. For a co-applicant often only the number is known: every other field may be empty. */
export type BureauSubject = {
  readonly role: 'primary' | 'coApplicant';
  readonly firstName: string;
  readonly lastName: string;
  readonly middleInitial: string;
  /** With or without hyphens. */
  readonly ssn: string;
  /** YYYY-MM-DD, or as it was given. */
  readonly dateOfBirth: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
};

export type BureauPull = {
  /** The id of this pull: the same id again is a retry. */
  readonly pullId: string;
  /** The organization that makes the pull: its heavy work is done in that organization's turn. */
  readonly organizationId: string;
  /** The business date. */
  readonly today: PlainDate;
  /** The moment, ISO 8601 with an offset. */
  readonly at: string;
};

export type BureauFailure = {
  /**
   * `timeout`: no complete answer in time. `unavailable`: no connection, the bureau reports an error, or it is not called after too many
   * failures. `malformed`: an answer that cannot be used. `refused`: the bureau does not accept this request.
   */
  readonly failed: 'timeout' | 'unavailable' | 'malformed' | 'refused';
  /** A sentence for operators, without any personal value or secret. */
  readonly detail: string;
  /** Whether the same pull may succeed later. */
  readonly retryable: boolean;
};

export function isBureauFailure(outcome: BureauReport | BureauFailure): outcome is BureauFailure {
  return 'failed' in outcome;
}
