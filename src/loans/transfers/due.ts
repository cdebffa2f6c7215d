/**
 * Carries out transfers that are due. A transfer is due on its date by the clock of the loan's owner; one to another owner waits for the
 * nightly cycle of the day before, so that this owner's last day is complete. Each is a write of its loan like any other, so two processes
 * that come upon the same one carry it out once.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { Db } from '../../store/db/db.ts';
import { type DueTransfer, readDueTransfers } from '../../store/transfers/transfers.ts';
import type { Actor } from '../door/actor.ts';
import { type Clock, type Clocks, todayBy } from '../door/clocks.ts';
import type { Writer } from '../door/door.ts';
import type { Outcome, WriteOptions } from '../door/write.ts';

export type DueOptions = {
  db: Db;
  clock: () => number;
  clocks: Clocks;
  /** The last day whose cycle has run; null: the organization has no loan. */
  reach: (organizationId: string) => Promise<{ readonly through: PlainDate } | null>;
  write: Writer;
};

/** Writes that are sent together, and rows that are read at once. */
const AT_ONCE = 64;

const PLAIN: WriteOptions = { dryRun: false, ifVersion: null, idempotency: null };

/** Returns how many were carried out, of one owner or of all. */
export type CarryOutDue = (organizationId?: string) => Promise<number>;

export function openDueTransfers({ db, clock, clocks, reach, write }: DueOptions): CarryOutDue {
  return async (organizationId) => {
    let done = 0;
    let after: { date: PlainDate; loanId: string } | null = null;
    // No clock is further ahead than a day; a test clock may be anywhere, and is asked by its owner alone.
    const own = organizationId === undefined ? null : todayBy(await clocks.one(organizationId), clock());
    const latest = new Date(clock() + 86_400_000).toISOString().slice(0, 10) as PlainDate;
    const cycled = new Map<string, boolean>();
    for (;;) {
      const asked = { through: own ?? latest, organizationId: organizationId ?? null, after, limit: AT_ONCE };
      const found: DueTransfer[] = await readDueTransfers(db, asked);
      const owners = found.flatMap(({ organizationId: from, toOrganizationId: to }) =>
        to === null ? [from] : [from, to],
      );
      const clockOf = await clocks.of(owners);
      const days = new Map([...clockOf].map(([id, one]: [string, Clock]) => [id, todayBy(one, clock())]));
      const due = [];
      for (const one of found) if (await isDue(one, days, cycled)) due.push(one);
      const outcomes = await Promise.all(due.map((one) => carryOut(one, days)));
      done += outcomes.filter(({ kind }) => kind === 'done').length;
      const last = found.at(-1);
      if (found.length < AT_ONCE || last === undefined) return done;
      after = last;
    }
  };

  async function isDue(
    { organizationId, toOrganizationId, date }: DueTransfer,
    days: ReadonlyMap<string, PlainDate>,
    cycled: Map<string, boolean>,
  ): Promise<boolean> {
    const today = days.get(organizationId) as PlainDate;
    if (date > today) return false;
    if (toOrganizationId === null) return true;
    const known = cycled.get(organizationId);
    if (known !== undefined) return known;
    const head = await reach(organizationId);
    const over = head === null || head.through >= addDays(today, -1);
    cycled.set(organizationId, over);
    return over;
  }

  function carryOut(due: DueTransfer, days: ReadonlyMap<string, PlainDate>): Promise<Outcome> {
    const { loanId, transferId, organizationId, toOrganizationId } = due;
    const notBefore = toOrganizationId === null ? null : (days.get(toOrganizationId) ?? null);
    const command = { do: 'transfer', carryOut: transferId, notBefore, from: null } as const;
    return write(asService(organizationId), { loanId, command, reason: null, answer: () => '' }, PLAIN);
  }
}

/** The service itself as the actor on an owner's loan. */
function asService(organizationId: string): Actor {
  return {
    organizationId,
    clientId: 'service',
    keyId: null,
    scopes: new Set(['servicing:write', 'loans:write']),
    grants: [],
    requestId: 'service',
    purpose: '',
  };
}
