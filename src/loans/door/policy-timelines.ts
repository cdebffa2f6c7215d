/**
 * The policies of organizations as loans are folded with them. Versions only grow, so that an organization's number of versions names what
 * they are: it comes with its clock (`clocks.ts`), and the versions themselves are read once for each number.
 */
import { LRUCache } from 'lru-cache';
import type { PlainDate } from '../../core/calendar.ts';
import { DEFAULT_LENDER_POLICY, type LenderPolicies, type LenderPolicy } from '../../core/policy.ts';
import { type LenderTimeline, newLoanPolicies, type PolicyVersion, timelineOf } from '../../policy/versions.ts';
import type { Sql } from '../../store/db/db.ts';
import { readPolicyVersions, type StoredVersion } from '../../store/policies/policies.ts';

/** The policies of one organization, as they were recorded by some moment. */
export type Timelines = {
  readonly versions: readonly PolicyVersion[];
  of(lenderId: string): LenderTimeline;
  /** The policies that loans of a day are created under. */
  forNewLoans(day: PlainDate): LenderPolicies;
};

/** Lenders whose timeline is remembered with the versions it follows from. */
const LENDERS_REMEMBERED = 10_000;

export function timelinesOf(versions: readonly PolicyVersion[]): Timelines {
  const lenders = new Map<string, LenderTimeline>();
  let newLoans: { day: PlainDate; policies: LenderPolicies } | null = null;
  return {
    versions,
    of(lenderId) {
      if (versions.length === 0) return NO_TIMELINE;
      let found = lenders.get(lenderId);
      if (found === undefined) {
        found = timelineOf(versions, lenderId);
        if (lenders.size < LENDERS_REMEMBERED) lenders.set(lenderId, found);
      }
      return found;
    },
    forNewLoans(day) {
      if (versions.length === 0) return DEFAULTS;
      if (newLoans?.day !== day) newLoans = { day, policies: newLoanPolicies(versions, day) };
      return newLoans.policies;
    },
  };
}

const DEFAULTS: LenderPolicies = { lenders: new Map(), others: DEFAULT_LENDER_POLICY };
const NO_TIMELINE: LenderTimeline = { key: '', changes: [] };
export const NO_POLICIES: Timelines = timelinesOf([]);

export function toVersion({ policy, recordedAt, ...same }: StoredVersion): PolicyVersion {
  return { ...same, recordedAt: recordedAt.toISOString(), values: JSON.parse(policy) as LenderPolicy };
}

/** As a transaction sees them. */
export async function timelinesIn(sql: Sql, organizationId: string): Promise<Timelines> {
  const stored = await readPolicyVersions(sql, organizationId);
  return stored.length === 0 ? NO_POLICIES : timelinesOf(stored.map(toVersion));
}

export type TimelineReader = {
  /** The policies of an organization that has this many versions, or more by now. */
  read(sql: Sql, organizationId: string, count: number): Promise<Timelines>;
  forget(): void;
};

const ORGANIZATIONS_REMEMBERED = 1_000;

export function openTimelineReader(): TimelineReader {
  const known = new LRUCache<string, Timelines>({ max: ORGANIZATIONS_REMEMBERED });
  return {
    async read(sql, organizationId, count) {
      if (count === 0) return NO_POLICIES;
      const before = known.get(organizationId);
      if (before?.versions.length === count) return before;
      const found = await timelinesIn(sql, organizationId);
      known.set(organizationId, found);
      return found;
    },
    forget: () => known.clear(),
  };
}

/** Uses of an organization's policies before they are read again. */
const USES = 1_000;

/** For a reader of many loans: policies that are at most some hundred loans old. */
export function openTimelinesIn(sql: Sql): (organizationId: string) => Promise<Timelines> {
  const known = new Map<string, { found: Promise<Timelines>; uses: number }>();
  return (organizationId) => {
    let one = known.get(organizationId);
    if (one === undefined || one.uses === 0) {
      one = { found: timelinesIn(sql, organizationId), uses: USES };
      known.set(organizationId, one);
    }
    one.uses -= 1;
    return one.found;
  };
}
