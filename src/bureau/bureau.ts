/**
 * A credit bureau, whoever it is: one question, one answer. `Bureau` is what adapters implement (a simulator, HTTP). A pull costs money
 * and leaves an inquiry on the person's file, so the caller reserves it under `pullId` before it is made; the same id is the same pull.
 */
import type { BureauReport } from '../underwriting/report.ts';

export type { BureauReport, TradeLine } from '../underwriting/report.ts';

export type BureauSubject = {
  readonly role: 'primary' | 'coApplicant';
  readonly firstName: string;
  readonly lastName: string;
  readonly middleInitial: string;
  readonly ssn: string;
  readonly dateOfBirth: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
};

export type BureauPull = {
  readonly pullId: string;
  /** The business date. */
  readonly today: BureauReport['reportDate'];
  /** ISO time of the pull. */
  readonly at: string;
};

export type BureauFailure = {
  readonly failed: 'timeout' | 'unavailable' | 'malformed' | 'refused';
  /** For people who run the service; no personal value. */
  readonly detail: string;
  readonly retryable: boolean;
};

export type Bureau = {
  readonly name: string;
  pull(subject: BureauSubject, pull: BureauPull): Promise<BureauReport | BureauFailure>;
};
