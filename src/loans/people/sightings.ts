/**
 * Masked views of people, counted: a view is not worth a statement, and who looks at thousands of borrowers should still be seen. Counts are
 * by caller and hour. They are on disk within a minute (`flush`), and in the audit trail when the hour is over; a process that is killed loses
 * what it has counted since its last flush.
 */
import type { Db } from '../../store/db/db.ts';
import { addSightings, enterSightings, type Sighting } from '../../store/people/sightings.ts';
import type { Actor } from '../door/actor.ts';

export type Sightings = {
  /** A view of a loan of this organization. */
  count(actor: Pick<Actor, 'organizationId' | 'clientId' | 'userId'>, ownerId: string): void;
  /** Saves what was counted; once a minute and at the end. */
  flush(): Promise<void>;
};

const HOUR_MS = 3_600_000;
/** After the end of an hour other processes may still have counts of it. */
const PATIENCE_MS = 120_000;

export function openSightings({ db, clock }: { db: Db; clock: () => number }): Sightings {
  let counts = new Map<string, Sighting>();

  function add(one: Sighting): void {
    const name = [one.organizationId, one.ownerId, one.clientId, one.userId, one.hour.getTime()].join(' ');
    const count = (counts.get(name)?.count ?? 0) + one.count;
    counts.set(name, { ...one, count });
  }

  const beginOf = (time: number) => new Date(time - (time % HOUR_MS));

  return {
    count({ organizationId, clientId, userId = null }, ownerId) {
      add({ organizationId, ownerId, clientId, userId, hour: beginOf(clock()), count: 1 });
    },

    async flush() {
      const taken = [...counts.values()];
      counts = new Map();
      try {
        if (taken.length > 0) await addSightings(db, taken);
      } catch (error) {
        // Without a database they are counted on.
        for (const one of taken) add(one);
        throw error;
      }
      const now = clock();
      await enterSightings(db, { before: beginOf(now - PATIENCE_MS), at: new Date(now) });
    },
  };
}
