/** A sandbox of the module `loans`, without the clients that `access` would give it. */
import { date } from '../../src/core/calendar.ts';
import { insertSandbox } from '../../src/store/access/sandboxes.ts';
import { insertTestClock } from '../../src/store/door/test-clocks.ts';
import type { TestLoans } from './loans.ts';

let made = 0;

/** Its id; its clock is at the beginning of `start`. */
export async function sandboxIn(
  { db, clock }: Pick<TestLoans, 'db' | 'clock'>,
  start: string,
  {
    timeZone = 'UTC',
    filling = false,
    madeBy = null,
  }: { timeZone?: string; filling?: boolean; madeBy?: string | null } = {},
): Promise<string> {
  made += 1;
  const organizationId = `org_sandbox${made}`;
  const at = new Date(clock.now);
  await db.query(
    `INSERT INTO organizations (organization_id, name, created_at, clock_kind, time_zone) VALUES ($1, 'Sandbox', $2, 'test', $3)`,
    [organizationId, at, timeZone],
  );
  await insertTestClock(db, { organizationId, standsOn: date(start), setAt: at });
  await db.transaction((tx) => insertSandbox(tx, { organizationId, madeBy, madeAt: at, filling }));
  return organizationId;
}
