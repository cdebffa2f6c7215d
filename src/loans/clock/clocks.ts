/**
 * The clocks of organizations: what "today" and "now" are for a loan is decided by the clock of the organization that owns it, whoever
 * asks. Clocks are remembered for a second at most, as long as the access epoch stays the same; a change of zone counts only minutes
 * later (`business-days.ts`), so no two processes ever take one moment for two days.
 */
import { LRUCache } from 'lru-cache';
import type { PlainDate } from '../../core/calendar.ts';
import type { When } from '../../core/decide/decide.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { changeZones, readClocks, type StoredClock } from '../../store/clocks.ts';
import { DatabaseUnavailable, type Db } from '../../store/db.ts';
import type { Keep } from '../../store/idempotency.ts';
import { type BusinessDays, businessDays, timeZoneNamed, withZone, type Zone } from './business-days.ts';

export type Clock = BusinessDays & {
  /** Real time in a time zone. */
  readonly kind: 'live';
  readonly zones: readonly Zone[];
};

/** An organization's clock as it is told. */
export type ClockView = {
  readonly kind: 'live';
  /** In force now. */
  readonly timeZone: string;
  readonly today: PlainDate;
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Of a clock that is being moved; a live one never is. */
  readonly advancing: null;
  /** A zone that was set and is not in force yet, with the moment from which it is. */
  readonly next?: { readonly timeZone: string; readonly from: string };
};

export type Clocks = {
  /** By organization. */
  of(organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Clock>>;
  one(organizationId: string): Promise<Clock>;
  view(organizationId: string): Promise<ClockView>;
  setTimeZone(organizationId: string, timeZone: string, keep?: Keep): Promise<ClockView | Refusal>;
};

/** What was recorded of a loan last. */
export type Recorded = { readonly recordedAt: number; readonly recordedOn: PlainDate };

/**
 * A loan's day at a moment: that of its owner's clock, but never before the last day that was recorded of it. Reads and writes both go
 * by it, so that a clock that was set back (or a process whose clock is behind) neither hides what has happened nor lets it happen twice.
 */
export function dayOfLoan({ recordedOn }: Pick<Recorded, 'recordedOn'>, clock: Clock, at: number): PlainDate {
  const day = clock.dayOf(at);
  return day > recordedOn ? day : recordedOn;
}

/** When a write of a loan is recorded: later than everything recorded of it before, because its order depends on it. */
export function whenOfLoan(recorded: Recorded, clock: Clock, at: number): When {
  const moment = Math.max(at, recorded.recordedAt + 1);
  return { today: dayOfLoan(recorded, clock, at), at: new Date(moment).toISOString() };
}

/** A reading is used for so long, counted from when it was sent, and renewed in the background from the half of it on. */
const BELIEVED_MS = 900;
const RENEWED_MS = 450;
const REMEMBERED = 10_000;
const CHANGES_AT_MOST = 100;
const ATTEMPTS = 5;

type Snapshot = { epoch: bigint; sentAt: number; clocks: LRUCache<string, Clock> };

export function openClocks(options: { db: Db; clock: () => number; monotonic?: () => number }): Clocks {
  const { db, clock, monotonic = () => performance.now() } = options;
  let snapshot = emptySnapshot(-1n, Number.NEGATIVE_INFINITY);
  /** Readings sent before this do not show what this process itself has changed. */
  let changedAt = Number.NEGATIVE_INFINITY;
  let renewing: Promise<unknown> | null = null;
  /** Readings under way, by organization: callers who want the same clock at the same time read it once. */
  const underWay = new Map<string, Promise<void>>();

  return { of, one, view, setTimeZone };

  async function of(organizationIds: Iterable<string>): Promise<ReadonlyMap<string, Clock>> {
    const wanted = new Set(organizationIds);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const age = monotonic() - snapshot.sentAt;
      const found = new Map<string, Clock>();
      if (age < BELIEVED_MS) {
        for (const id of wanted) {
          const one = snapshot.clocks.get(id);
          if (one !== undefined) found.set(id, one);
        }
      }
      if (found.size === wanted.size) {
        // Whoever needs the next reading meets its failure then.
        if (age >= RENEWED_MS)
          renewing ??= read([])
            .catch(() => {})
            .finally(() => (renewing = null));
        return found;
      }
      await readTogether([...wanted].filter((id) => !found.has(id)));
    }
    throw new DatabaseUnavailable('Clocks change faster than they can be read.');
  }

  async function one(organizationId: string): Promise<Clock> {
    return (await of([organizationId])).get(organizationId) as Clock;
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
    if (sentAt < changedAt || (sentAt < snapshot.sentAt && epoch !== snapshot.epoch)) return;
    if (epoch !== snapshot.epoch) snapshot = emptySnapshot(epoch, sentAt);
    snapshot.sentAt = Math.max(snapshot.sentAt, sentAt);
    // An organization that does not exist owns no loan; it needs a day all the same, for an empty list.
    for (const id of organizationIds) snapshot.clocks.set(id, NOBODYS);
    for (const stored of value) snapshot.clocks.set(stored.organizationId, clockOf(stored));
  }

  async function view(organizationId: string): Promise<ClockView> {
    return viewOf(await one(organizationId), clock());
  }

  async function setTimeZone(organizationId: string, timeZone: string, keep?: Keep): Promise<ClockView | Refusal> {
    const changed = await changeTimeZone(db, { organizationId, timeZone, now: clock() }, keep);
    changedAt = monotonic();
    snapshot = emptySnapshot(-1n, Number.NEGATIVE_INFINITY);
    return changed;
  }
}

/** Sets the zone of an organization, from its next business day on (`withZone`). */
export async function changeTimeZone(
  db: Db,
  asked: { organizationId: string; timeZone: string; now: number },
  keep: Keep = async () => {},
): Promise<ClockView | Refusal> {
  const { organizationId, now } = asked;
  const timeZone = timeZoneNamed(asked.timeZone);
  const wrong = (detail: string) => refuse('invalid_value', detail, { member: 'timeZone' });
  if (timeZone === null) return wrong('There is no such time zone; an IANA name is wanted, such as America/New_York.');
  let tooMany = false;
  const view = (zones: readonly Zone[]) => viewOf(clockOf({ organizationId, kind: 'live', zones }), now);
  const change = (before: readonly Zone[]) => {
    const after = withZone(before, timeZone, now);
    tooMany = after.length > CHANGES_AT_MOST;
    return tooMany ? before : after;
  };
  const zones = await changeZones(db, organizationId, change, async (tx, after) => {
    if (!tooMany) await keep(tx, view(after));
  });
  if (zones === null) throw new Error('A clock was to be set for an organization that does not exist.');
  if (tooMany) return wrong(`An organization can change its time zone ${CHANGES_AT_MOST} times, and this one has.`);
  return view(zones);
}

function viewOf({ kind, zones, dayOf, zoneAt }: Clock, at: number): ClockView {
  const { until } = zones.at(-2) ?? { until: null };
  const next =
    until !== null && until > at
      ? { next: { timeZone: (zones.at(-1) as Zone).timeZone, from: new Date(until).toISOString() } }
      : {};
  return { kind, timeZone: zoneAt(at), today: dayOf(at), now: new Date(at).toISOString(), advancing: null, ...next };
}

function clockOf({ kind, zones }: StoredClock): Clock {
  return { kind, zones, ...businessDays(zones) };
}

const NOBODYS = clockOf({ organizationId: '', kind: 'live', zones: [{ timeZone: 'UTC', until: null }] });

function emptySnapshot(epoch: bigint, sentAt: number): Snapshot {
  // Counted as size: with `max` the cache would allocate room for all of them at once.
  return { epoch, sentAt, clocks: new LRUCache({ maxSize: REMEMBERED, sizeCalculation: () => 1 }) };
}
