/** `npm run verify` while the positions of month ends before the first cycle are being made, as after the demo was filled: no complaint. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { addPositionDate } from '../../src/store/reports/position-dates.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

const ORG = ACTOR.organizationId;
let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
  room.clock.now = Date.parse('2026-01-05T12:00:00Z');
  for (let n = 0; n < 3; n++) await room.live();
  room.clock.now = Date.parse('2026-04-01T12:00:00Z');
  await room.db.query('DELETE FROM cycle_heads');
  await room.db.query("INSERT INTO cycle_heads VALUES ($1, '2026-04-01', '2026-03-31')", [ORG]);
}, 60_000);
afterAll(() => room.close());

const verified = async () =>
  (await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints.map(complaintLine);
const countOf = async () => (await room.db.query<{ n: number }>('SELECT count(*)::int AS n FROM positions'))[0]?.n ?? 0;

test('rows of a date that is not ready are compared, and none is one too many', async () => {
  const { positionDates } = room.loans.reports;
  const [day, knownOn] = [date('2026-02-28'), date('2026-03-31')];
  await addPositionDate(room.db, { organizationId: ORG, date: day, knownOn, total: 3 });
  await positionDates.goOn(() => false);
  expect(await positionDates.ensure(ORG, day)).toEqual({ ready: true });
  expect(await countOf()).toBe(3);
  expect(await verified()).toEqual([]);
  // As it was a moment before.
  await room.db.query('UPDATE position_dates SET ready_at = NULL');
  expect(await verified()).toEqual([]);
  await room.db.query(
    'UPDATE positions SET principal = 1 WHERE loan_id = (SELECT loan_id FROM positions ORDER BY loan_id LIMIT 1)',
  );
  expect(await verified()).toContainEqual(expect.stringMatching(/known on 2026-03-31: principal does not match/));
});
