/**
 * A credit bureau, whoever it is: one question about one person, one answer. A pull costs money and leaves an inquiry on the person's
 * file, so the caller reserves it under `pullId` before it is made. A bureau that sees the same id again answers as the first time: a
 * pull may be retried, and never counts twice.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { BureauReport } from '../underwriting/report.ts';

export type { BureauReport, TradeLine } from '../underwriting/report.ts';

export type Bureau = {
  readonly name: string;
  /** Never rejects: what goes wrong is a `BureauFailure`. */
  pull(subject: BureauSubject, pull: BureauPull): Promise<BureauReport | BureauFailure>;
};

/** Who it is about. Of a co-applicant often only the number is known: every other member may be empty. */
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
  /** Of this question: the same one again is a retry. */
  readonly pullId: string;
  /** The business date. */
  readonly today: PlainDate;
  /** The moment, ISO 8601 with an offset. */
  readonly at: string;
};

export type BureauFailure = {
  /**
   * `timeout`: no whole answer in time. `unavailable`: no connection, the bureau is in trouble, or it is left alone after too many
   * failures. `malformed`: an answer that cannot be used. `refused`: the bureau does not take this question.
   */
  readonly failed: 'timeout' | 'unavailable' | 'malformed' | 'refused';
  /** For people who run the service: a sentence without any personal value and without any secret. */
  readonly detail: string;
  /** Whether the same pull may succeed later. */
  readonly retryable: boolean;
};

export function isBureauFailure(outcome: BureauReport | BureauFailure): outcome is BureauFailure {
  return 'failed' in outcome;
}
