/** The positions of a past that was filled in are computed month end by month end; a check finds nothing wrong wherever that is stopped. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { WHOLE } from '../support/whole.ts';

const ORG = ACTOR.organizationId;
let room: TestLoans;
const at = (day: string) => {
  room.clock.now = Date.parse(`${day}T12:00:00Z`);
};
beforeAll(async () => {
  room = await testLoans();
  at('2026-01-05');
  const loanIds = [await room.live({ lenderId: 'L-1' }), await room.live({ lenderId: 'L-2' })];
  at('2026-02-03');
  await room.done(loanIds[0] as string, repay('p1', 88_849));
  // As a filled sandbox begins: no cycle for the past, whose month ends are asked for.
  await room.db.query(
    "INSERT INTO cycle_heads (organization_id, first, through) VALUES ($1, '2026-03-05', '2026-03-04')",
    [ORG],
  );
  await room.db.query(
    `INSERT INTO position_dates (organization_id, date, known_on, asked_at, total, held_until)
     SELECT $1, day, '2026-03-04', now(), 2, now() FROM unnest('{2026-01-31,2026-02-28}'::date[]) day`,
    [ORG],
  );
  at('2026-03-05');
}, 60_000);
afterAll(() => room.close());

test('nothing is wrong wherever they are stopped, and rows without sums were met', async () => {
  const found = async () => {
    const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
    return complaints.map(complaintLine);
  };
  const counted = async () => {
    const [row] = await room.db.query<{ rows: number; sums: number; open: number }>(
      `SELECT (SELECT count(DISTINCT date) FROM positions)::int AS rows, (SELECT count(DISTINCT date) FROM position_sums)::int AS sums,
         (SELECT count(*) FROM position_dates WHERE ready_at IS NULL)::int AS open`,
    );
    return row as { rows: number; sums: number; open: number };
  };
  const met = new Set<string>();
  for (let open = 2, turn = 2; open > 0; turn += WHOLE ? 6 : 24) {
    let looks = 0;
    await room.loans.reports.positionDates.goOn(() => ++looks > turn);
    await room.db.query('UPDATE position_dates SET held_until = now() WHERE ready_at IS NULL');
    const { rows, sums, open: left } = await counted();
    met.add(`${rows} ${sums}`);
    expect(await found(), `after ${turn} looks: ${rows} dates with rows, ${sums} with sums`).toEqual([]);
    open = left;
  }
  expect([...met]).toContain('1 0');
  expect([...met]).toContain('2 2');
  // Once they are ready, their sums count.
  await room.db.query('ALTER TABLE position_sums DISABLE TRIGGER ALL');
  await room.db.query(`DELETE FROM position_sums WHERE date = '2026-01-31'`);
  expect(await found()).toEqual([expect.stringContaining('2026-01-31 known on 2026-03-04: the sums do not match')]);
});
