/**
 * The versions of an organization's policies, and what follows from them for the loans of one lender.
 *
 * A lender has at most one policy of its own; the policy without a lender is for all others. On a day the version with the latest `from`
 * up to it is in force, of several with the same day the one recorded last. Its limits count from that day on. The values that change
 * figures by themselves (`FIGURE_VALUES`) count from `figuresFrom` on: a later day where the version was recorded on its own first day,
 * because entries of that day may be posted already. So no version changes what was posted before it, and every writer knows of a version
 * before its figures count.
 */
import type { PlainDate } from '../core/calendar.ts';
import {
  type CurrentPolicy,
  DEFAULT_LENDER_POLICY,
  FIGURE_VALUES,
  figuresDiffer,
  type LenderPolicies,
  type LenderPolicy,
  type PolicyChange,
} from '../core/policy.ts';

export type PolicyVersion = {
  /** Its number among all versions of the organization, from 1, in the order of recording. */
  readonly number: number;
  readonly policyId: string;
  /** Null: for all lenders without a policy of their own. */
  readonly lenderId: string | null;
  /** Its number among the versions of this policy, from 1. */
  readonly version: number;
  readonly from: PlainDate;
  readonly figuresFrom: PlainDate;
  /** ISO 8601, UTC, by the organization's clock. */
  readonly recordedAt: string;
  readonly clientId: string;
  readonly values: LenderPolicy;
};

/** The version in force for a lender on a day; null: none, so the defaults. */
export function versionOn(
  versions: readonly PolicyVersion[],
  lenderId: string | null,
  day: PlainDate,
  since: 'from' | 'figuresFrom' = 'from',
): PolicyVersion | null {
  let own: PolicyVersion | null = null;
  let general: PolicyVersion | null = null;
  for (const one of versions) {
    if (one[since] > day) continue;
    if (one.lenderId === null) general = later(general, one);
    else if (one.lenderId === lenderId) own = later(own, one);
  }
  return own ?? general;
}

function later(a: PolicyVersion | null, b: PolicyVersion): PolicyVersion {
  if (a === null || b.from > a.from) return b;
  return b.from === a.from && b.number > a.number ? b : a;
}

/** The values for a lender on a day, for a loan that is created on it. */
function lenderPolicyOn(versions: readonly PolicyVersion[], lenderId: string | null, day: PlainDate): LenderPolicy {
  const { values } = versionOn(versions, lenderId, day) ?? { values: DEFAULT_LENDER_POLICY };
  const { values: figures } = versionOn(versions, lenderId, day, 'figuresFrom') ?? { values: DEFAULT_LENDER_POLICY };
  return figuresDiffer(values, figures) ? { ...values, ...figureValues(figures) } : values;
}

function figureValues(policy: CurrentPolicy): Partial<CurrentPolicy> {
  return Object.fromEntries(FIGURE_VALUES.map((name) => [name, policy[name]]));
}

/** The values that are not agreed with the borrower. */
function currentOf(policy: CurrentPolicy & Partial<LenderPolicy>): CurrentPolicy {
  const {
    waterfall: _,
    lateFee: __,
    graceDays: ___,
    rounding: ____,
    lateFeeByState: _____,
    allowance: ______,
    ...current
  } = policy;
  return current;
}

export function newLoanPolicies(versions: readonly PolicyVersion[], day: PlainDate): LenderPolicies {
  const lenders = new Set(versions.flatMap(({ lenderId }) => (lenderId === null ? [] : [lenderId])));
  const own = [...lenders].map((lenderId) => [lenderId, lenderPolicyOn(versions, lenderId, day)] as const);
  return { lenders: new Map(own), others: lenderPolicyOn(versions, null, day) };
}

/** The policy of one lender over time. Two with the same key are the same. */
export type LenderTimeline = { readonly key: string; readonly changes: readonly PolicyChange[] };

export function timelineOf(versions: readonly PolicyVersion[], lenderId: string): LenderTimeline {
  const relevant = versions.filter((one) => one.lenderId === null || one.lenderId === lenderId);
  const days = new Set(relevant.flatMap(({ from, figuresFrom }) => [from, figuresFrom]));
  const changes: PolicyChange[] = [];
  for (const from of [...days].sort()) {
    const values = currentOf(lenderPolicyOn(relevant, lenderId, from));
    const before = changes.at(-1);
    if (before === undefined || JSON.stringify(before.values) !== JSON.stringify(values))
      changes.push({ from, values });
  }
  return { key: relevant.map(({ number }) => number).join(' '), changes };
}

/**
 * The versions that a loan adopts after its creation on a day. The one in force on that day is among them: it may have been recorded on
 * that day after the loan.
 */
export function followsOf({ changes }: LenderTimeline, createdOn: PlainDate): readonly PolicyChange[] {
  const at = changes.findLastIndex(({ from }) => from <= createdOn);
  if (at === -1) return changes;
  return [{ from: createdOn, values: (changes[at] as PolicyChange).values }, ...changes.slice(at + 1)];
}

/** The versions from a day on, the one in force on it first: without any, the defaults. */
export function followsSince(timeline: LenderTimeline, day: PlainDate): readonly PolicyChange[] {
  const follows = followsOf(timeline, day);
  return follows[0]?.from === day ? follows : [{ from: day, values: currentOf(DEFAULT_LENDER_POLICY) }, ...follows];
}

/** The days on which figures of a lender's loans may change by themselves because of a version. */
export function figureDays({ changes }: LenderTimeline): PlainDate[] {
  return changes.flatMap(({ from, values }, i) =>
    figuresDiffer(values, changes[i - 1]?.values ?? DEFAULT_LENDER_POLICY) ? [from] : [],
  );
}
