/** Servicing policies of an organization: a new version is validated as a whole, recorded, and entered into the rows of loans. */
import { setTimeout as delay } from 'node:timers/promises';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { DEFAULT_LENDER_POLICY, type LenderPolicy } from '../../core/policy.ts';
import { type Mistakes, Reader } from '../../core/reader.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { noteOrganizationOperations, weakensApprovals } from '../../policy/approvals.ts';
import { type GivenValues, readPolicyValues } from '../../policy/values.ts';
import { type PolicyVersion, versionOn } from '../../policy/versions.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import { holdClocks } from '../../store/door/test-clocks.ts';
import { addPolicyVersion, hasLoans, type StoredVersion } from '../../store/policies/policies.ts';
import type { Asker } from '../door/actor.ts';
import { type Clock, todayBy } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import { toVersion } from '../door/policy-timelines.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { Unavailable } from '../door/write.ts';
import { type DryRun, openDryRuns } from './dry-run.ts';
import { FIGURES_LEAD_MS, markVersion } from './marks.ts';

export { DEFAULT_WATERFALL } from '../../core/policy.ts';
export type { GivenValues } from '../../policy/values.ts';
export { shownValues } from '../../policy/values.ts';
export type { PolicyVersion } from '../../policy/versions.ts';
export type { DryRun } from './dry-run.ts';

export type PolicyDraft = {
  readonly policyId: string;
  readonly lenderId: string | null;
  readonly from: PlainDate;
  readonly values: GivenValues;
};

/** Versions and policies of one organization: they are read together. */
const VERSIONS_AT_MOST = 1_000;
const POLICIES_AT_MOST = 200;
/** The time that a caller waits for the rows of loans; they are marked to the end without it. */
const MARKED_WITHIN_MS = 5_000;

export type PoliciesOptions = Door & {
  /** The time that a caller waits for a dry run; 20 seconds when absent. */
  patienceMs?: number | undefined;
};

/** By when the effect of a version is examined when no day is given, and at most. */
const THROUGH_DAYS = 30;
const THROUGH_AT_MOST = 366;

export function openPolicies({ db, clock, clocks, workers, unavailable, patienceMs }: PoliciesOptions) {
  let stopping = false;
  const dryRuns = openDryRuns({ db, workers, ...(patienceMs === undefined ? {} : { patienceMs }) });
  const marking = new Set<Promise<void>>();
  return {
    add,
    dryRun,
    list,
    read,
    inForce,
    async close(): Promise<void> {
      stopping = true;
      await Promise.allSettled([dryRuns.close(), ...marking]);
    },
  };

  /** Records a new version. */
  async function add(
    { organizationId, clientId }: Asker,
    asked: PolicyDraft,
    keep: Keep = async () => {},
  ): Promise<PolicyVersion | Refusal | Mistakes | Unavailable> {
    const notNow = unavailable();
    if (notNow !== null) return notNow;
    const values = valuesOf(asked);
    if ('mistakes' in values) return values;
    let refused: Refusal | null = null;
    const added = await addPolicyVersion(
      db,
      organizationId,
      async (tx, before) => {
        await keep.begin?.(tx);
        // A test clock does not move meanwhile.
        await holdClocks(tx, [organizationId]);
        const ownersClock = (await clocks.held(tx, [organizationId])).get(organizationId) as Clock;
        refused = refusedBy(asked, before, todayBy(ownersClock, clock()));
        if (refused !== null) return null;
        const { policy } = values;
        if (weakensApprovals(before.map(toVersion), { ...asked, values: policy })) await keep.second?.(tx);
        return {
          ...(await versionFrom(tx, { organizationId, asked, before, ownersClock })),
          policy: JSON.stringify(policy),
          clientId,
        };
      },
      async (tx, stored) => keep(tx, toVersion(stored)),
    );
    if (added === null) return refused ?? refuse('invalid_value', 'The policy was not recorded.');
    clocks.changed();
    const version = toVersion(added);
    await marked(organizationId, version);
    return version;
  }

  /** The changes that a version would make over the whole book by a day; the answer may be only the progress. */
  async function dryRun(
    asker: Asker,
    asked: PolicyDraft & { readonly through: PlainDate | null },
  ): Promise<{ readonly version: PolicyVersion; readonly impact: DryRun } | Refusal | Mistakes> {
    const values = valuesOf(asked);
    if ('mistakes' in values) return values;
    const { organizationId, clientId } = asker;
    const ownersClock = await clocks.one(organizationId);
    const present = ownersClock.policies;
    const refused = refusedBy(asked, present.versions, todayBy(ownersClock, clock())) ?? refusedThrough(asked);
    if (refused !== null) return refused;
    const made = await versionFrom(db, { organizationId, asked, before: present.versions, ownersClock });
    const recordedAt = made.recordedAt.toISOString();
    const number = present.versions.length + 1;
    const version: PolicyVersion = { ...made, recordedAt, number, clientId, values: values.policy };
    const through = asked.through ?? addDays(asked.from, THROUGH_DAYS);
    const impact = await dryRuns.run({ organizationId, share: shareOf(asker), present, version, through });
    return { version, impact };
  }

  /** As it is recorded now. */
  async function versionFrom(
    sql: Sql,
    of: {
      readonly organizationId: string;
      readonly asked: PolicyDraft;
      readonly before: readonly Pick<StoredVersion, 'policyId'>[];
      readonly ownersClock: Clock;
    },
  ): Promise<Omit<StoredVersion, 'number' | 'policy' | 'clientId'>> {
    const { organizationId, asked, before, ownersClock } = of;
    const { policyId, lenderId, from } = asked;
    const isFirst = !(await hasLoans(sql, { organizationId, lenderId }));
    return {
      policyId,
      lenderId,
      version: before.filter((one) => one.policyId === policyId).length + 1,
      from,
      figuresFrom: isFirst ? from : figuresFrom(from, ownersClock),
      recordedAt: new Date(ownersClock.datesAt(clock())),
    };
  }

  /** Not today, of which entries may be posted; and every process must know the version before it posts anything of that day. */
  function figuresFrom(from: PlainDate, ownersClock: Clock): PlainDate {
    const now = ownersClock.at(clock());
    const first = addDays(ownersClock.dayOf(ownersClock.test === null ? now + FIGURES_LEAD_MS : now), 1);
    return from > first ? from : first;
  }

  async function marked(organizationId: string, version: PolicyVersion): Promise<void> {
    const { policies } = await clocks.one(organizationId);
    // Marking that fails is done by the cycle.
    const done: Promise<void> = markVersion(db, { organizationId, policies, version }, () => stopping).catch(() => {});
    marking.add(done);
    void done.then(() => marking.delete(done));
    const waiting = new AbortController();
    await Promise.race([done, delay(MARKED_WITHIN_MS, undefined, { signal: waiting.signal }).catch(() => {})]);
    waiting.abort();
  }

  /** Newest first, from before a number on. */
  async function list(
    { organizationId }: Asker,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<PolicyVersion[]> {
    const { versions } = (await clocks.one(organizationId)).policies;
    return versions
      .filter(({ number }) => before === null || number < before)
      .slice(-limit)
      .reverse();
  }

  /** The version of one policy in force on a date, today when null; `early`: its first version is in force later. Null: no such policy. */
  async function read(
    { organizationId }: Asker,
    { policyId, asOf }: { readonly policyId: string; readonly asOf: PlainDate | null },
  ): Promise<PolicyVersion | { readonly early: PlainDate } | null> {
    const ownersClock = await clocks.one(organizationId);
    const own = ownersClock.policies.versions.filter((one) => one.policyId === policyId);
    const [first] = own;
    if (first === undefined) return null;
    const day = asOf ?? todayBy(ownersClock, clock());
    return versionOn(own, first.lenderId, day) ?? { early: own.map(({ from }) => from).sort()[0] as PlainDate };
  }

  /** The version in force for the loans of a lender on a day; null: none, so the defaults. */
  async function inForce(
    organizationId: string,
    { lenderId, day }: { readonly lenderId: string; readonly day: PlainDate },
  ): Promise<PolicyVersion | null> {
    return versionOn((await clocks.one(organizationId)).policies.versions, lenderId, day);
  }
}

/** That of a version; without one the default. */
export function allowanceIn(version: PolicyVersion | null): LenderPolicy['allowance'] {
  return (version?.values ?? DEFAULT_LENDER_POLICY).allowance;
}

/** Every mistake of the values, with its pointer. */
function valuesOf({ values, lenderId }: Pick<PolicyDraft, 'values' | 'lenderId'>): { policy: LenderPolicy } | Mistakes {
  const reader = new Reader();
  const policy = readPolicyValues(reader, values, '/values');
  if (lenderId !== null) noteOrganizationOperations(reader, policy, '/values');
  return reader.isClean ? { policy } : { mistakes: reader.mistakes };
}

function refusedThrough({ from, through }: { from: PlainDate; through: PlainDate | null }): Refusal | null {
  if (through === null || (through >= from && through <= addDays(from, THROUGH_AT_MOST))) return null;
  const detail = `Must be from ${from} to ${addDays(from, THROUGH_AT_MOST)}.`;
  return refuse('invalid_value', detail, { member: 'through' });
}

/** The reason that a version cannot be recorded; null: it can. */
function refusedBy(
  { policyId, lenderId, from }: Pick<PolicyDraft, 'policyId' | 'lenderId' | 'from'>,
  before: readonly Pick<StoredVersion, 'policyId' | 'lenderId'>[],
  today: PlainDate,
): Refusal | null {
  if (from < today) {
    const detail = `A version takes effect today (${today}) or later; ${from} was given.`;
    return refuse('invalid_value', detail, { member: 'from' });
  }
  const same = before.find((one) => one.lenderId === lenderId);
  if (same !== undefined && same.policyId !== policyId) {
    const has =
      lenderId === null ? 'All lenders without their own policy already have' : `The lender ${lenderId} already has`;
    const detail = `${has} the policy ${same.policyId}; record a new version of it.`;
    return refuse('reference_conflict', detail, { member: 'policyId', facts: { policyId: same.policyId } });
  }
  const other = before.find((one) => one.policyId === policyId && one.lenderId !== lenderId);
  if (other !== undefined) {
    const whose = other.lenderId === null ? 'all lenders without their own policy' : `the lender ${other.lenderId}`;
    const detail = `The policy ${policyId} is for ${whose}; use another policyId.`;
    return refuse('reference_conflict', detail, { member: 'policyId' });
  }
  const policies = new Set(before.map((one) => one.policyId));
  if (before.length >= VERSIONS_AT_MOST || (!policies.has(policyId) && policies.size >= POLICIES_AT_MOST)) {
    const detail = `The limit of ${POLICIES_AT_MOST} policies and ${VERSIONS_AT_MOST} versions for an organization is reached.`;
    return refuse('not_supported', detail);
  }
  return null;
}
