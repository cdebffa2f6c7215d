import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { date } from '../../core/calendar.ts';
import type { Db } from '../../store/db/db.ts';
import { type BusinessDays, businessDays } from './business-days.ts';
import { lastDayOver, passFence } from './fence.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
}, 60_000);
afterAll(() => room.close());

test('a batch that is saved more than two minutes after it was decided is decided again, at the present moment', async () => {
  const loanId = await room.live();
  // This process goes by real time from here on: its clock was compared with the database's.
  const clock = () => Date.now();
  let slept = false;
  const slow: Db = {
    ...room.db,
    query: (text, values, name) => {
      if (name?.startsWith('save_batch') && !slept) {
        slept = true;
        // As if it had slept for five minutes since: what it decided lies so far back.
        const late = (values as unknown[]).map((value) =>
          value instanceof Date ? new Date(value.getTime() - 300_000) : value,
        );
        return room.db.query(text, late, name);
      }
      return room.db.query(text, values, name);
    },
  };
  const loans = room.another({ db: slow, clock });
  expect(await loans.door.checkClock()).toBeNull();
  const write = { loanId, command: repay('late', 10_000), reason: null, answer: () => '{}' };
  const before = Date.now();
  const outcome = await loans.write(ACTOR, write, PLAIN);
  expect(outcome.kind).toBe('done');
  expect(slept).toBe(true);
  const rows = await room.db.query<{ at: Date }>('SELECT updated_at AS at FROM loans');
  expect(rows[0]?.at.getTime()).toBeGreaterThanOrEqual(before);
  const [payments] = await room.db.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM events WHERE type = 'paymentSubmitted'",
  );
  expect(payments?.count).toBe(1);
});

test('the fence waits for a save that holds its volume', async () => {
  let saved = false;
  let passed = false;
  let begun = () => {};
  const holding = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const save = room.db.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM ledger_heads WHERE volume = 0 FOR UPDATE');
    begun();
    // Until the fence is seen to wait for this transaction.
    for (;;) {
      const [waiting] = await tx.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted',
      );
      if ((waiting?.count ?? 0) > 0) break;
    }
    expect(passed).toBe(false);
    saved = true;
  });
  await holding;
  await passFence(room.db);
  passed = true;
  expect(saved).toBe(true);
  await save;
});

test('days are over in the order of the calendar, whatever the zone does', () => {
  const moment = (text: string) => Date.parse(text);
  const live = (days: BusinessDays) => ({ ...days, test: null });
  const utc = businessDays([{ timeZone: 'UTC', until: null }]);
  expect(lastDayOver(live(utc), moment('2026-03-10T00:03:09Z'))).toBe('2026-03-08');
  expect(lastDayOver(live(utc), moment('2026-03-10T00:03:10Z'))).toBe('2026-03-09');
  // From Niue over the date line to Kiritimati: one date is left out, and is over with the next.
  const until = moment('2026-03-10T11:00:00Z');
  const moved = businessDays([
    { timeZone: 'Pacific/Niue', until },
    { timeZone: 'Pacific/Kiritimati', until: null },
  ]);
  expect(moved.dayOf(until - 1)).toBe(date('2026-03-09'));
  expect(moved.dayOf(until)).toBe(date('2026-03-11'));
  expect(lastDayOver(live(moved), until + 60_000)).toBe('2026-03-08');
  expect(lastDayOver(live(moved), until + 200_000)).toBe('2026-03-10');
});
