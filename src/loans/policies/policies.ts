/** Servicing policies as they are set and read. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Mistakes } from '../../core/reader.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { GivenValues } from '../../policy/values.ts';
import type { PolicyVersion } from '../../policy/versions.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import type { Asker } from '../books/books.ts';
import type { DryRun } from './dry-run.ts';

export { DEFAULT_WATERFALL } from '../../core/policy.ts';
export type { GivenValues } from '../../policy/values.ts';
export { shownValues } from '../../policy/values.ts';
export type { PolicyVersion } from '../../policy/versions.ts';
export type { DryRun } from './dry-run.ts';

export type PolicyAsked = {
  readonly policyId: string;
  readonly lenderId: string | null;
  readonly from: PlainDate;
  readonly values: GivenValues;
};

export type Policies = {
  /** What a version would change over the whole book by a day; the answer may be only the progress. */
  dryRun(
    asker: Asker & { readonly clientId: string },
    asked: PolicyAsked & { readonly through: PlainDate | null },
  ): Promise<{ readonly version: PolicyVersion; readonly impact: DryRun } | Refusal | Mistakes>;
  /** Records a new version. */
  add(
    asker: Asker & { readonly clientId: string },
    asked: PolicyAsked,
    keep?: Keep,
  ): Promise<PolicyVersion | Refusal | Mistakes>;
  /** Newest first, from before a number on. */
  list(asker: Asker, asked: { readonly before: number | null; readonly limit: number }): Promise<PolicyVersion[]>;
  /** Of one policy: the version in force on a date, today when null; `early`: its first version is in force later. Null: no such policy. */
  read(
    asker: Asker,
    asked: { readonly policyId: string; readonly asOf: PlainDate | null },
  ): Promise<PolicyVersion | { readonly early: PlainDate } | null>;
  /** The version in force for the loans of a lender on a day; null: none, so the defaults. */
  inForce(
    organizationId: string,
    asked: { readonly lenderId: string; readonly day: PlainDate },
  ): Promise<PolicyVersion | null>;
};
