import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Db } from '../../store/db/db.ts';
import { readDatabaseTime } from '../../store/door/clocks.ts';
import { measureSkew, openSkewCheck, skewProblem } from './skew.ts';

let room: TestLoans;
let now: number;
beforeAll(async () => {
  room = await testLoans();
  now = Math.round(await readDatabaseTime(room.db));
});
afterAll(() => room.close());

describe('the difference from the database’s clock', () => {
  /** A database whose clock shows `there`, asked at 0 of a clock that shows `here`; the answer takes `took` milliseconds. */
  const measured = (here: number, there: number, took: number) => {
    const time = { now: 0 };
    const db = {
      async query() {
        time.now += took;
        return [{ now: there }];
      },
    } as unknown as Db;
    return measureSkew({ db, clock: () => here, monotonic: () => time.now });
  };

  test.each([
    ['none, when the answer is from between question and answer', 1_000_000, 1_000_040, 80, 0],
    ['none, at the beginning of a slow answer', 1_000_000, 1_000_000, 9_000, 0],
    ['none, at the end of a slow answer', 1_000_000, 1_009_000, 9_000, 0],
    ['ahead, less what the answer may have taken', 1_100_000, 1_000_000, 8_000, 100_000],
    ['behind, less what the answer may have taken', 1_000_000, 1_100_000, 8_000, -92_000],
  ])('%s', async (_, here, there, took, expected) => {
    expect(await measured(here, there, took)).toBeCloseTo(expected);
  });

  test('a minute is tolerated', () => {
    expect([60_000, -60_000, 0, Number.NaN].map(skewProblem)).toEqual([null, null, null, null]);
    expect(skewProblem(61_000)).toContain('61 s ahead of');
    expect(skewProblem(-75_400)).toContain('75 s behind');
  });
});

describe('the time of day', () => {
  const DAY = 86_400_000;
  /** The clock and the monotonic clock of a process, and the database's, which is right. */
  function aProcess(wrongBy: number) {
    const time = { passed: 0, wrongBy };
    const db = { query: async () => [{ now: 5 * DAY + time.passed }] } as unknown as Db;
    const clock = () => 5 * DAY + time.passed + time.wrongBy;
    return { time, ...openSkewCheck({ db, clock, monotonic: () => time.passed }) };
  }

  test.each([DAY, -DAY, 61_000, -61_000])('is the database’s while the clock is %d ms off', async (wrongBy) => {
    const { check, now, problem, time } = aProcess(wrongBy);
    expect(now()).toBe(5 * DAY + wrongBy);
    await check();
    expect([now(), problem() === null]).toEqual([5 * DAY, false]);
    time.passed += 3_000.4;
    // Whole, as a clock's: days are computed from it.
    expect(now()).toBe(5 * DAY + 3_000);
    time.wrongBy = 0;
    // At once, not with the next check.
    expect([Math.round(now()), problem()]).toEqual([5 * DAY + 3_000, null]);
  });

  test('is that of the clock while it is right, and a jump is noticed before the next check', async () => {
    const { check, now, problem, time } = aProcess(-20_000);
    await check();
    expect([now(), problem()]).toEqual([5 * DAY - 20_000, null]);
    time.passed += 1_000;
    time.wrongBy = DAY;
    expect(problem()).toContain('86400 s ahead of');
    expect(now()).toBe(5 * DAY + 1_000);
  });
});

test('a process whose clock is wrong writes nothing, reads on, and writes again when it is right', async () => {
  const loanId = await room.live();
  const view = () => room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
  const before = await view();
  room.clock.now = now + 90_000;
  expect(await room.loans.door.checkClock()).toContain('ahead');
  const refused = { kind: 'unavailable', detail: room.loans.door.clockProblem(), retryAfterSeconds: 10 };
  expect(await room.write(loanId, repay('R-1', 1_000))).toEqual(refused);
  expect(await room.write(loanId, repay('R-1', 1_000), { dryRun: true })).toEqual(refused);
  expect(await room.write(loanId, { do: 'start-underwriting' })).toEqual(refused);
  expect(await room.loans.origination.board(ACTOR, room.creation(), PLAIN)).toEqual(refused);
  expect(await room.loans.origination.create(ACTOR, { source: '{}', answer: () => '' }, PLAIN)).toEqual(refused);
  expect(await room.loans.door.setTimeZone(ACTOR.organizationId, 'Asia/Tokyo')).toEqual(refused);
  expect(await room.loans.ledger.seal()).toBe(0);
  expect(await view()).toMatchObject({ loanId, version: before && before !== 'before' ? before.version : 0 });

  room.clock.now = now + 30_000;
  expect(await room.loans.door.checkClock()).toBeNull();
  expect(await room.write(loanId, repay('R-1', 1_000))).toMatchObject({ kind: 'done' });
  expect(await room.loans.ledger.seal()).toBeGreaterThan(0);
});
