/**
 * The clocks of organizations: what "today" and "now" are for a loan is decided by the clock of the organization that owns it, whoever
 * asks. Live clocks are remembered for a second at most, as long as the access epoch stays the same; a change of zone counts only minutes
 * later (`business-days.ts`), so no two processes ever take one moment for two days. Test clocks are never remembered: each question is
 * answered by a reading that was sent after it, and a write is confirmed by the clock once more when it is saved (`store/door/test-clocks.ts`).
 */
import { LRUCache } from 'lru-cache';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { When } from '../../core/decide/decide.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db/db.ts';
import { changeZones, readClocks, type StoredClock, type StoredTestClock } from '../../store/door/clocks.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import { type BusinessDays, businessDays, timeZoneNamed, withZone, type Zone } from './business-days.ts';
import { NO_POLICIES, openTimelineReader, type Timelines } from './policy-timelines.ts';

/** Its days and moments are those that it shows itself: of a test clock they have nothing to do with real time. */
export type Clock = BusinessDays & {
  readonly zones: readonly Zone[];
  /** The time that it shows when real time is `real`; both in epoch milliseconds. */
  at(real: number): number;
  /** The date and time of a record made at real time `real`: as it shows, but by a test clock not in the last seconds of its day. */
  datesAt(real: number): number;
  /** Null: it is live. */
  readonly test: StoredTestClock | null;
  /** The policies that are known to it: as fresh as the clock itself. */
  readonly policies: Timelines;
};

/** An organization's clock as it is reported. */
export type ClockView = {
  /** `live`: real time in a time zone. `test`: moves only on request. */
  readonly kind: 'live' | 'test';
  /** In force now. */
  readonly timeZone: string;
  readonly today: PlainDate;
  /** ISO 8601, UTC. */
  readonly now: string;
  /** For a clock that is being advanced: the target date, the date it has reached, and why the last attempt failed. Never for a live clock. */
  readonly advancing: { readonly to: PlainDate; readonly at: PlainDate; readonly problem?: string } | null;
  /** A zone that was set and is not in force yet, with the moment from which it is. */
  readonly next?: { readonly timeZone: string; readonly from: string };
};

export type Clocks = {
  /** By organization. */
  of(organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Clock>>;
  one(organizationId: string): Promise<Clock>;
  /** As a transaction sees them that holds them. */
  held(tx: Sql, organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Clock>>;
  /** Whether its clock is a test clock, which never changes; undefined: not looked up yet. */
  isTest(organizationId: string): boolean | undefined;
  view(organizationId: string): Promise<ClockView>;
  setTimeZone(organizationId: string, timeZone: string, keep?: Keep): Promise<ClockView | Refusal>;
  /** Makes the changes of this process itself count from now on. */
  changed(): void;
  /** The database has moved to another server: nothing that was read before counts. */
  forget(): void;
};

/** The moment and day of the last record of a loan. */
export type Recorded = { readonly recordedAt: number; readonly recordedOn: PlainDate };

export function todayBy(clock: Clock, real: number): PlainDate {
  return clock.dayOf(clock.at(real));
}

/**
 * A loan's day at a moment of its owner's clock: the day that the clock shows then, but never before the last day that was recorded of it. Reads and writes
 * both go by it, so that a clock that was set back (or a process whose clock is behind) neither hides what has happened nor lets it happen twice.
 */
export function dayOfLoan({ recordedOn }: Pick<Recorded, 'recordedOn'>, clock: Clock, at: number): PlainDate {
  const day = clock.dayOf(at);
  return day > recordedOn ? day : recordedOn;
}

/** The moment of a write of a loan at real time `real`: later than everything recorded of it before, because its order depends on it. */
export function whenOfLoan(recorded: Recorded, clock: Clock, real: number): When {
  const dated = clock.datesAt(real);
  const moment = Math.max(dated, recorded.recordedAt + 1);
  return { today: dayOfLoan(recorded, clock, dated), at: new Date(moment).toISOString() };
}

/** A reading is used for so long, counted from when it was sent, and renewed in the background from the half of it on. */
const BELIEVED_MS = 900;
const RENEWED_MS = 450;
const REMEMBERED = 10_000;
const CHANGES_AT_MOST = 100;
const ATTEMPTS = 5;

/** `test`: the organization has a test clock, whatever that shows. Its kind never changes. */
type Snapshot = { epoch: bigint; sentAt: number; clocks: LRUCache<string, Clock | 'test'> };

export type ClocksOptions = {
  db: Db;
  clock: () => number;
  /** `clock` applies to every organization, also to one with a test clock: it is set by the code that records its past. */
  overridesTestClocks?: boolean;
  monotonic?: () => number;
};

export function openClocks(options: ClocksOptions): Clocks {
  const { db, clock, overridesTestClocks = false, monotonic = () => performance.now() } = options;
  let snapshot = emptySnapshot(-1n, Number.NEGATIVE_INFINITY);
  /** Readings sent before this do not show what this process itself has changed. */
  let changedAt = Number.NEGATIVE_INFINITY;
  let renewing: Promise<unknown> | null = null;
  /** Readings under way, by organization: callers who want the same clock at the same time read it once. */
  const underWay = new Map<string, Promise<void>>();
  const timelines = openTimelineReader();
  const readTests = openFreshReader(async (ids) => withPolicies(db, (await readClocks(db, ids)).value));

  const kinds = new LRUCache<string, boolean>({ maxSize: REMEMBERED, sizeCalculation: () => 1 });

  return {
    of,
    one,
    held,
    isTest: (organizationId) => kinds.get(organizationId),
    view,
    setTimeZone,
    changed,
    forget() {
      timelines.forget();
      changed();
    },
  };

  function withPolicies(sql: Sql, stored: readonly StoredClock[]): Promise<Known[]> {
    return Promise.all(
      stored.map(async (one) => ({
        ...one,
        policies: await timelines.read(sql, one.organizationId, one.policyVersions),
      })),
    );
  }

  function changed(): void {
    changedAt = monotonic();
    snapshot = emptySnapshot(-1n, Number.NEGATIVE_INFINITY);
  }

  async function of(organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Clock>> {
    const wanted = new Set(organizationIds);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const age = monotonic() - snapshot.sentAt;
      const found = new Map<string, Clock>();
      const tests: string[] = [];
      if (age < BELIEVED_MS) {
        for (const id of wanted) {
          const one = snapshot.clocks.get(id);
          if (one === 'test') tests.push(id);
          else if (one !== undefined) found.set(id, one);
        }
      }
      if (found.size + tests.length === wanted.size) {
        // A failure is met by the caller that needs the next reading.
        if (age >= RENEWED_MS)
          renewing ??= read([])
            .catch(() => {})
            .finally(() => (renewing = null));
        if (tests.length > 0) for (const one of await readTests(tests)) found.set(one.organizationId, clockOf(one));
        return found;
      }
      await readTogether([...wanted].filter((id) => !found.has(id)));
    }
    throw new DatabaseUnavailable('Clocks change faster than they can be read.');
  }

  async function one(organizationId: string): Promise<Clock> {
    return (await of([organizationId])).get(organizationId) as Clock;
  }

  async function held(tx: Sql, organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Clock>> {
    const stored = await withPolicies(tx, (await readClocks(tx, [...organizationIds])).value);
    return new Map(stored.map((one) => [one.organizationId, overridesTestClocks ? liveClock(one) : clockOf(one)]));
  }

  async function readTogether(organizationIds: readonly string[]): Promise<void> {
    const fresh = organizationIds.filter((id) => !underWay.has(id));
    if (fresh.length > 0) {
      const reading = read(fresh).finally(() => {
        for (const id of fresh) underWay.delete(id);
      });
      for (const id of fresh) underWay.set(id, reading);
    }
    await Promise.all(new Set(organizationIds.map((id) => underWay.get(id))));
  }

  /** Keeps what it finds, unless a later reading has overtaken it. */
  async function read(organizationIds: readonly string[]): Promise<void> {
    const sentAt = monotonic();
    const { epoch, value } = await readClocks(db, organizationIds);
    const known = await withPolicies(db, value);
    if (sentAt < changedAt || (sentAt < snapshot.sentAt && epoch !== snapshot.epoch)) return;
    if (epoch !== snapshot.epoch) snapshot = emptySnapshot(epoch, sentAt);
    snapshot.sentAt = Math.max(snapshot.sentAt, sentAt);
    // An organization that does not exist owns no loan; it needs a day all the same, for an empty list.
    for (const id of organizationIds) snapshot.clocks.set(id, NOBODYS);
    for (const stored of known) {
      const isTest = stored.test !== null && !overridesTestClocks;
      kinds.set(stored.organizationId, isTest);
      snapshot.clocks.set(stored.organizationId, isTest ? 'test' : liveClock(stored));
    }
  }

  async function view(organizationId: string): Promise<ClockView> {
    return clockViewOf(await one(organizationId), clock());
  }

  async function setTimeZone(organizationId: string, timeZone: string, keep?: Keep): Promise<ClockView | Refusal> {
    const view = await changeTimeZone(db, { organizationId, timeZone, now: clock() }, keep);
    changed();
    return view;
  }
}

/**
 * One reading at a time, each sent after all who share it have asked. So a flood of requests for test clocks takes one connection, and
 * no caller gets an earlier value.
 */
function openFreshReader<T>(read: (ids: readonly string[]) => Promise<T>): (ids: readonly string[]) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { ids: Set<string>; result: Promise<T> } | null = null;
  return (ids) => {
    if (next === null) {
      const asked = new Set<string>();
      const result = last.then(() => {
        next = null;
        return read([...asked]);
      });
      next = { ids: asked, result };
      last = result.catch(() => {});
    }
    for (const id of ids) next.ids.add(id);
    return next.result;
  };
}

/** Sets the zone of an organization, from its next business day on (`withZone`). `now` is real time. */
export async function changeTimeZone(
  db: Db,
  asked: { organizationId: string; timeZone: string; now: number },
  keep: Keep = async () => {},
): Promise<ClockView | Refusal> {
  const { organizationId, now } = asked;
  const timeZone = timeZoneNamed(asked.timeZone);
  const wrong = (detail: string) => refuse('invalid_value', detail, { member: 'timeZone' });
  if (timeZone === null) return wrong('Unknown time zone; use an IANA name such as America/New_York.');
  let tooMany = false;
  const change = (before: StoredClock) => {
    // A test clock is read when the zone is used, so that no time is needed for others to hear of it: it is as early in its day as can be.
    const at = before.test === null ? now : businessDays(before.zones).startOf(before.test.standsOn);
    const after = withZone(before.zones, timeZone, at);
    tooMany = after.length > CHANGES_AT_MOST;
    return tooMany ? before.zones : after;
  };
  const changed = await changeZones(db, organizationId, change, async (tx, after) => {
    if (!tooMany) await keep(tx, clockViewOf(clockOf(after), now));
  });
  if (changed === null) throw new Error('A clock was to be set for an organization that does not exist.');
  if (tooMany) return wrong(`The limit of ${CHANGES_AT_MOST} time zone changes for an organization is reached.`);
  return clockViewOf(clockOf(changed), now);
}

/** As a transaction sees it. Live where there is no such organization. */
export async function clockIn(tx: Sql, organizationId: string): Promise<Clock> {
  const [stored] = (await readClocks(tx, [organizationId])).value;
  return stored === undefined ? NOBODYS : clockOf(stored);
}

export function clockViewOf(clock: Clock, real: number): ClockView {
  const { zones, test, dayOf, zoneAt } = clock;
  const at = clock.at(real);
  const { until } = zones.at(-2) ?? { until: null };
  const next =
    until !== null && until > at
      ? { next: { timeZone: (zones.at(-1) as Zone).timeZone, from: new Date(until).toISOString() } }
      : {};
  const to = test?.advancingTo ?? null;
  return {
    kind: test === null ? 'live' : 'test',
    timeZone: zoneAt(at),
    today: dayOf(at),
    now: new Date(at).toISOString(),
    advancing: test === null || to === null ? null : { to, at: test.standsOn, ...problemOf(test) },
    ...next,
  };
}

function problemOf({ problem }: StoredTestClock): { problem?: string } {
  return problem === null ? {} : { problem };
}

/** A stored clock; without policies if only days are asked for. */
type Known = StoredClock & { readonly policies?: Timelines };

function clockOf(stored: Known): Clock {
  return stored.test === null ? liveClock(stored) : testClock(stored, stored.test);
}

function liveClock({ zones, policies = NO_POLICIES }: Pick<Known, 'zones' | 'policies'>): Clock {
  return { zones, policies, test: null, at: (real) => real, datesAt: (real) => real, ...businessDays(zones) };
}

/**
 * The events of a loan are a millisecond apart at least, also on a clock that has stopped. A loan has two thousand at most
 * (`history-limits.ts`), so all of them find room before the end of the day.
 */
const DATED_BEFORE_END_MS = 5_000;

/** It begins its day at midnight when it is set, goes on with real time, and stops at the last millisecond of the day. */
function testClock({ zones, policies = NO_POLICIES }: Known, test: StoredTestClock): Clock {
  const days = businessDays(zones);
  const [first, next] = [days.startOf(test.standsOn), days.startOf(addDays(test.standsOn, 1))];
  const at = (real: number) => Math.min(first + Math.max(0, real - test.setAt), next - 1);
  const datesAt = (real: number) => Math.max(first, Math.min(at(real), next - DATED_BEFORE_END_MS));
  return { zones, policies, test, at, datesAt, ...days };
}

const NOBODYS = liveClock({ zones: [{ timeZone: 'UTC', until: null }] });

function emptySnapshot(epoch: bigint, sentAt: number): Snapshot {
  // Counted as size: with `max` the cache would allocate room for all of them at once.
  return { epoch, sentAt, clocks: new LRUCache({ maxSize: REMEMBERED, sizeCalculation: () => 1 }) };
}
