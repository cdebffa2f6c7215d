/** Test clocks without HTTP: what is dated by them, and what becomes of an advance when processes meet, end, or have not heard of it. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { sandboxIn } from '../../../test/support/clocks.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { slowTest, usualTest as test } from '../../../test/support/whole.ts';
import type { Bureau } from '../../bureau/bureau.ts';
import { simulate } from '../../bureau/simulator/simulator.ts';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import { isRefusal } from '../../core/refusal.ts';
import { TIED_ACCOUNTS } from '../../ledger/chart.ts';
import { isDemoBeingFilled, whileFillingDemo } from '../../store/access/demo.ts';
import { endSandbox } from '../../store/access/sandboxes.ts';
import { DatabaseUnavailable } from '../../store/db/db.ts';
import { beginAdvance, claimAdvance, moveClock } from '../../store/door/test-clocks.ts';
import type { Actor } from '../door/actor.ts';
import { openClocks } from '../door/clocks.ts';
import type { Outcome } from '../door/write.ts';
import type { LoanView } from '../reads/view.ts';
import { openAdvances, type RunCyclesThrough } from './advance.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const DAY = 86_400_000;
const NOW = { asOf: null, knownAt: null };
const actorIn = (organizationId: string): Actor => ({ ...ACTOR, organizationId });

/** Advances of a new sandbox, without any loans. */
async function advances(runCyclesThrough: RunCyclesThrough, more: object = {}) {
  const clocks = openClocks({ db: room.db, clock: () => room.clock.now });
  return openAdvances({
    ...{ db: room.db, clock: () => room.clock.now, clocks, runCyclesThrough, mayWrite: () => true },
    ...{ holder: 'process_one', ...more },
  });
}

async function liveIn(organizationId: string, lenderId = 'L-1'): Promise<string> {
  const actor = actorIn(organizationId);
  const made = await room.loans.origination.board(actor, room.creation({ lenderId }), PLAIN);
  const loanId = made.kind === 'done' ? made.change.loanId : '';
  for (const command of [
    { do: 'start-underwriting' },
    { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null },
    { do: 'initiate-repayment', date: null, opening: null },
  ] as const) {
    const done = await room.loans.write(actor, { loanId, command, reason: null, answer: () => '' }, PLAIN);
    if (done.kind !== 'done') throw new Error(JSON.stringify(done));
  }
  return loanId;
}

const pay = (organizationId: string, loanId: string, refId: string, loans = room.loans) =>
  loans.write(actorIn(organizationId), { loanId, command: repay(refId, 100), reason: null, answer: () => '' }, PLAIN);

async function tiesOn(organizationId: string, asOf: PlainDate): Promise<number[]> {
  const ties = await room.loans.books.tieOut(actorIn(organizationId), { asOf, lenderId: null });
  return isRefusal(ties) ? [Number.NaN] : ties.accounts.map(({ difference }) => difference);
}

test('a test clock goes on from midnight with real time, and stops at the end of its day', async () => {
  const organizationId = await sandboxIn(room, '2019-05-01');
  const now = async () => (await room.loans.door.clockView(organizationId)).now;
  expect(await now()).toBe('2019-05-01T00:00:00.000Z');
  room.clock.now += 90_000;
  expect(await now()).toBe('2019-05-01T00:01:30.000Z');
  room.clock.now += 3 * DAY;
  expect(await now()).toBe('2019-05-01T23:59:59.999Z');
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ kind: 'test', today: '2019-05-01' });

  // Days later, a loan is recorded at the end of that day, each event after the one before.
  const loanId = await liveIn(organizationId);
  const { events } = (await room.loans.reads.read(actorIn(organizationId), loanId, NOW)) as LoanView;
  expect(events.map(({ recordedOn }) => recordedOn)).toEqual(events.map(() => '2019-05-01'));
  const times = events.map(({ recordedAt }) => recordedAt);
  expect(times).toEqual([...times].sort());
  expect(new Set(times).size).toBeGreaterThan(1);

  // However many there are, all are of that day by their times too.
  for (let n = 0; n < 12; n++) {
    const write = {
      loanId,
      command: { do: 'publish', published: n % 2 === 0 },
      reason: null,
      answer: () => '',
    } as const;
    expect(await room.loans.write(actorIn(organizationId), write, PLAIN)).toMatchObject({ kind: 'done' });
  }
  const later = (await room.loans.reads.read(actorIn(organizationId), loanId, NOW)) as LoanView;
  expect(new Set(later.events.map(({ recordedAt }) => recordedAt)).size).toBeGreaterThan(12);
  expect(later.events.filter(({ recordedAt }) => recordedAt > '2019-05-01T23:59:59.999Z')).toEqual([]);
  const known = { asOf: null, knownAt: '2019-05-01T23:59:59.999Z' };
  expect(await room.loans.reads.read(actorIn(organizationId), loanId, known)).toMatchObject({ version: later.version });
});

test('every cycle between is run, in order, once its day is over and nothing can be recorded of it', async () => {
  const organizationId = await sandboxIn(room, '2026-01-30');
  const ran: string[] = [];
  const one = await advances(async (_, through) => {
    const { today } = await room.loans.door.clockView(organizationId);
    ran.push(`${through} on ${today}`);
  });
  const done = await one.advance(organizationId, date('2026-02-02'));
  expect(done).toMatchObject({ today: '2026-02-02', advancing: null });
  expect(ran).toEqual([
    '2026-01-29 on 2026-01-30',
    '2026-01-30 on 2026-01-31',
    '2026-01-31 on 2026-02-01',
    '2026-02-01 on 2026-02-02',
  ]);
});

/** A call answers after some seconds, wherever the clock is then; the next one goes on. */
async function arrived(organizationId: string, to: PlainDate): Promise<PlainDate> {
  for (;;) {
    const clock = await room.loans.cycle.advanceClock(organizationId, to);
    if (!('today' in clock)) throw new Error(JSON.stringify(clock));
    if (clock.advancing === null) return clock.today;
  }
}

slowTest('the books tie on every day of an advance, with payments that are written during it', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const loanId = await liveIn(organizationId);
  const other = room.another();
  let over = false;
  const end = arrived(organizationId, date('2026-01-20')).finally(() => {
    over = true;
  });
  const days: string[] = [];
  for (let n = 0; !over && n < 200; n++) {
    const paid = await pay(organizationId, loanId, `D-${n}`, n % 2 === 0 ? other : room.loans);
    if (paid.kind === 'done') days.push(...paid.change.events.map(({ recordedOn }) => recordedOn));
    else throw new Error(JSON.stringify(paid));
  }
  expect(await end).toBe('2026-01-20');
  expect(days).toEqual([...days].sort());
  expect(new Set(days).size).toBeGreaterThan(1);
  for (let day = 1; day < 20; day += 3) {
    expect(await tiesOn(organizationId, date(`2026-01-${String(day).padStart(2, '0')}`))).toEqual(
      TIED_ACCOUNTS.map(() => 0),
    );
  }
  expect(await tiesOn(organizationId, date('2026-01-20'))).toEqual(TIED_ACCOUNTS.map(() => 0));
});

test('a write that was decided before the clock moved is decided again: nothing is recorded of a day that is over', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const loanId = await liveIn(organizationId);
  await beginAdvance(room.db, organizationId, date('2026-01-03'));
  const held = await claimAdvance(room.db, 'process_one');
  expect(held).toMatchObject({ organizationId, standsOn: '2026-01-01', to: '2026-01-03' });
  // The clock moves after the batch has read it, and before it is saved.
  let moves = 0;
  let [from, to] = ['2026-01-01', '2026-01-02'];
  const db = {
    ...room.db,
    async transaction(work) {
      moves += 1;
      if (moves === 1 && held !== null) {
        const move = { from: date(from), to: date(to), at: new Date(room.clock.now) };
        expect(await moveClock(room.db, held, move)).toBe(true);
      }
      return room.db.transaction(work);
    },
  } as typeof room.db;
  const paid = await pay(organizationId, loanId, 'R-1', room.another({ db }));
  expect(moves).toBe(2);
  expect(paid).toMatchObject({ kind: 'done', change: { events: [{ recordedOn: '2026-01-02', date: '2026-01-02' }] } });

  moves = 0;
  [from, to] = ['2026-01-02', '2026-01-03'];
  const created = await room.another({ db }).origination.board(actorIn(organizationId), room.creation(), PLAIN);
  expect(created).toMatchObject({ kind: 'done', change: { events: [{ recordedOn: '2026-01-03' }] } });
  await room.db.query('UPDATE test_clocks SET advancing_to = NULL WHERE organization_id = $1', [organizationId]);
});

test('a clock that moves faster than can be written waits for what it keeps overtaking', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const loanId = await liveIn(organizationId);
  await beginAdvance(room.db, organizationId, date('2026-03-01'));
  const held = (await claimAdvance(room.db, 'process_one')) as NonNullable<Awaited<ReturnType<typeof claimAdvance>>>;
  let stands = date('2026-01-01');
  const db = {
    ...room.db,
    async transaction(work) {
      const to = addDays(stands, 1);
      expect(await moveClock(room.db, held, { from: stands, to, at: new Date(room.clock.now) })).toBe(true);
      stands = to;
      return room.db.transaction(work);
    },
  } as typeof room.db;
  const loans = room.another({ db });
  const paid = await pay(organizationId, loanId, 'R-1', loans);
  expect(paid).toMatchObject({ kind: 'done', change: { events: [{ recordedOn: stands }] } });
  expect(stands < '2026-01-09').toBe(true);
  const created = await loans.origination.board(actorIn(organizationId), room.creation(), PLAIN);
  expect(created).toMatchObject({ kind: 'done', change: { events: [{ recordedOn: stands }] } });
  await room.db.query('UPDATE test_clocks SET advancing_to = NULL WHERE organization_id = $1', [organizationId]);
});

test('payments of a live organization do not wait for a clock that is being moved', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const sandboxed = await liveIn(organizationId);
  const live = await Promise.all(Array.from({ length: 4 }, () => room.live()));
  // One that knows the clocks, and one to which all are new.
  for (const loans of [room.loans, room.another()]) {
    let others: Promise<Outcome>[] = [];
    await room.db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(1145392464, hashtext($1))', [organizationId]);
      const refId = `L-${Math.random()}`;
      others = [pay(organizationId, sandboxed, refId, loans)];
      const paid = live.map((loanId) => pay(ACTOR.organizationId, loanId, refId, loans));
      for (const one of paid) expect(await one).toMatchObject({ kind: 'done' });
    });
    for (const one of others) expect(await one).toMatchObject({ kind: 'done' });
  }
});

test('sandboxes have one share of the queue together with their maker', async () => {
  const limits = { waiting: { everyone: 100, organization: 4, guaranteed: 2 } };
  const loans = room.another({ limits });
  const sandboxes = await Promise.all([1, 2, 3].map(() => sandboxIn(room, '2026-01-01')));
  const send = (countedFor: string | null) =>
    Promise.all(
      sandboxes.flatMap((organizationId) =>
        [1, 2, 3].map((n) => {
          const actor = countedFor === null ? actorIn(organizationId) : { ...actorIn(organizationId), countedFor };
          const loanId = `0x${createHash('sha256').update(`${organizationId} ${n}`).digest('hex')}`;
          return loans.write(actor, { loanId, command: repay('S', 100), reason: null, answer: () => '' }, PLAIN);
        }),
      ),
    );
  const busy = { kind: 'busy', whose: 'organization' };
  expect((await send('org_maker')).filter(({ kind }) => kind === 'busy')).toEqual(Array(5).fill(busy));
  expect((await send(null)).filter(({ kind }) => kind === 'busy')).toEqual([]);
});

test('a clock does not move while what was decided by it is being committed', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const loanId = await liveIn(organizationId);
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = () => {};
  const saved = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const db = {
    ...room.db,
    transaction: (work) =>
      room.db.transaction(async (tx) => {
        const done = await work(tx);
        arrived();
        await gate;
        return done;
      }),
  } as typeof room.db;
  const paid = pay(organizationId, loanId, 'R-1', room.another({ db }));
  await saved;
  let moved = false;
  const advanced = room.loans.cycle.advanceClock(organizationId, date('2026-01-02')).finally(() => {
    moved = true;
  });
  // It waits for the lock by now.
  for (let waits = 0; waits === 0; ) {
    const [row] = await room.db.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
    );
    waits = row?.n ?? 0;
  }
  expect(moved).toBe(false);
  release();
  expect(await paid).toMatchObject({ kind: 'done', change: { events: [{ recordedOn: '2026-01-01' }] } });
  expect(await advanced).toMatchObject({ today: '2026-01-02' });
  expect(await tiesOn(organizationId, date('2026-01-01'))).toEqual(TIED_ACCOUNTS.map(() => 0));
});

test('two concurrent advances: to the same day both wait for it, to another day the second is refused', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const one = await advances(() => gate);
  const two = await advances(() => gate, { holder: 'process_two' });
  const first = one.advance(organizationId, date('2026-01-04'));
  await until(async () => (await room.loans.door.clockView(organizationId)).advancing !== null);
  const second = two.advance(organizationId, date('2026-01-04'));
  const other = await two.advance(organizationId, date('2026-01-05'));
  expect(other).toMatchObject({ refused: 'clock_busy', retryable: true });
  expect(await two.advance(organizationId, date('2025-12-31'))).toMatchObject({ refused: 'invalid_value' });
  release();
  for (const done of [await first, await second]) {
    expect(done).toMatchObject({ today: '2026-01-04', advancing: null });
  }
});

test('after the time limit the caller gets the progress, and the advance continues', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const one = await advances((_, through) => (through >= '2026-01-02' ? gate : Promise.resolve()), { patienceMs: 200 });
  const told = await one.advance(organizationId, date('2026-01-09'));
  expect(told).toMatchObject({ today: '2026-01-03', advancing: { to: '2026-01-09', at: '2026-01-03' } });
  release();
  await one.goOn();
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-09', advancing: null });
});

test('an advance outlives its process: another goes on, and runs the cycle again that was cut short', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const ran: string[] = [];
  const dying = await advances(
    async (_, through) => {
      ran.push(through);
      if (through === '2026-01-02') throw new DatabaseUnavailable('The power is gone.');
    },
    { patienceMs: 0 },
  );
  await dying.advance(organizationId, date('2026-01-05'));
  expect(await dying.goOn()).toEqual([]);
  await dying.stop();
  expect(ran.at(-1)).toBe('2026-01-02');
  ran.length = 0;
  const next = await advances(async (_, through) => void ran.push(through), { holder: 'process_two' });
  await next.goOn();
  expect(ran).toEqual(['2026-01-02', '2026-01-03', '2026-01-04']);
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-05', advancing: null });
});

test('one that another process holds is left to it until that is silent', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  await beginAdvance(room.db, organizationId, date('2026-01-03'));
  expect(await claimAdvance(room.db, 'process_gone')).toMatchObject({ organizationId, standsOn: '2026-01-01' });
  const one = await advances(async () => {});
  await one.goOn();
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-01' });
  await room.db.query("UPDATE test_clocks SET held_until = now() - interval '1 second' WHERE organization_id = $1", [
    organizationId,
  ]);
  await one.goOn();
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-03', advancing: null });
});

test('the end of its sandbox ends an advance, and none begins after it', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const one = await advances(async (_, through) => {
    if (through === '2026-01-02') await room.db.transaction((tx) => endSandbox(tx, organizationId, new Date()));
  });
  const told = await one.advance(organizationId, date('2026-01-20'));
  expect(told).toMatchObject({ refused: 'clock_busy', detail: 'This sandbox has ended.' });
  await one.stop();
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-03', advancing: null });
  expect(await room.loans.cycle.advanceClock(organizationId, date('2026-01-20'))).toMatchObject({
    refused: 'clock_busy',
  });
});

test('the demonstration’s clock stands while it is filled', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01', { filling: true });
  const advance = () => room.loans.cycle.advanceClock(organizationId, date('2026-01-02'));
  expect(await whileFillingDemo(room.db, advance)).toMatchObject({ refused: 'clock_busy', retryable: true });
  // Waiting does not help if nobody fills it, and the answer says what does.
  const detail = expect.stringContaining('DEMO=on');
  await until(async () => !(await isDemoBeingFilled(room.db)));
  expect(await advance()).toMatchObject({ refused: 'clock_busy', retryable: false, detail });
});

test('a clock that is stuck does not delay the others, reports why, and can be advanced to another day', async () => {
  const [broken, whole] = [await sandboxIn(room, '2026-01-01'), await sandboxIn(room, '2026-01-01')];
  const one = await advances(
    async (organizationId, through) => {
      if (organizationId === broken && through === '2026-01-02') throw new TypeError('This names a borrower.');
    },
    { patienceMs: 0 },
  );
  await one.advance(broken, date('2026-01-20'));
  await one.advance(whole, date('2026-01-20'));
  const failed = await one.goOn();
  expect(failed).toEqual([{ organizationId: broken, error: expect.any(TypeError) }]);
  expect(await room.loans.door.clockView(whole)).toMatchObject({ today: '2026-01-20', advancing: null });
  const { advancing } = await room.loans.door.clockView(broken);
  expect(advancing).toEqual({
    ...{ to: '2026-01-20', at: '2026-01-03', problem: expect.stringMatching(/^TypeError loans\/cycle/) },
  });
  // It is not tried again at once.
  expect(await one.goOn()).toEqual([]);

  const mended = await advances(async () => {}, { holder: 'process_two' });
  expect(await mended.advance(broken, date('2026-01-05'))).toMatchObject({ today: '2026-01-05', advancing: null });
});

test('no end is reported while cycles have not run, even when the process stops', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  await liveIn(organizationId);
  const stopping: { stop?: Promise<void> } = {};
  const one = await advances(async (_, through, { stopped }) => {
    if (through !== '2026-01-02') return;
    stopping.stop = one.stop();
    expect(stopped()).toBe(true);
  });
  expect(await one.advance(organizationId, date('2026-01-03'))).toMatchObject({
    ...{ today: '2026-01-03', advancing: { to: '2026-01-03', at: '2026-01-03' } },
  });
  await stopping.stop;
  await room.loans.cycle.goOnAdvancing();
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-03', advancing: null });
  expect(await room.loans.cycle.list(actorIn(organizationId), { before: null, limit: 1 })).toMatchObject({
    through: '2026-01-02',
  });
});

test('who is slower at posting a day goes on with the others', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  for (const lenderId of ['L-1', 'L-2']) await liveIn(organizationId, lenderId);
  await room.db.query("UPDATE test_clocks SET stands_on = '2026-01-05' WHERE organization_id = $1", [organizationId]);
  // Another process posts the first lender's day, and no more, right before this one does.
  let met = false;
  const db = {
    ...room.db,
    async transaction(work) {
      if (!met) {
        met = true;
        await room.another().books.accrue(organizationId, date('2026-01-03'));
      }
      return room.db.transaction(work);
    },
  } as typeof room.db;
  await room.another({ db, cycleDb: db }).books.accrue(organizationId, date('2026-01-04'));
  const posted = await room.db.query(
    'SELECT lender_id, accrued_through FROM books WHERE organization_id = $1 ORDER BY lender_id',
    [organizationId],
  );
  expect(posted).toEqual(['L-1', 'L-2'].map((lender_id) => ({ lender_id, accrued_through: '2026-01-04' })));
});

test('a zone that is set during an advance, and leaves its last day out, ends it the day before', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01', { timeZone: 'Pacific/Pago_Pago' });
  const one = await advances(async (_, through) => {
    if (through === '2026-01-02') await room.loans.door.setTimeZone(organizationId, 'Pacific/Kiritimati');
  });
  expect(await one.advance(organizationId, date('2026-01-04'))).toMatchObject({
    ...{ refused: 'invalid_value', detail: expect.stringContaining('does not exist in the time zone') },
  });
  expect(await room.loans.door.clockView(organizationId)).toMatchObject({ today: '2026-01-03', advancing: null });
  expect(await one.advance(organizationId, date('2026-01-05'))).toMatchObject({ today: '2026-01-05', advancing: null });
});

test('an advance answers when its own day is reached, though another has begun', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const one = await advances((_, through) => (through >= '2026-01-02' ? gate : Promise.resolve()), {
    patienceMs: 60_000,
  });
  const slow = await advances(async () => {}, { holder: 'process_two' });
  const first = slow.advance(organizationId, date('2026-01-02'));
  await until(async () => (await room.loans.door.clockView(organizationId)).today === '2026-01-02');
  let second = Promise.resolve<unknown>(null);
  await until(async () => {
    if ((await room.loans.door.clockView(organizationId)).advancing !== null) return false;
    second = one.advance(organizationId, date('2026-01-09'));
    return true;
  });
  expect(await first).toMatchObject({ today: expect.stringMatching(/^2026-01-0[2-9]$/) });
  release();
  expect(await second).toMatchObject({ today: '2026-01-09', advancing: null });
});

test('a day that the zone leaves out is none of the clock’s', async () => {
  const organizationId = await sandboxIn(room, '2011-12-29', { timeZone: 'Pacific/Apia' });
  const refused = await room.loans.cycle.advanceClock(organizationId, date('2011-12-30'));
  expect(refused).toMatchObject({
    refused: 'invalid_value',
    detail: expect.stringContaining('does not exist in the time zone'),
  });
  expect(await room.loans.cycle.advanceClock(organizationId, date('2011-12-31'))).toMatchObject({
    ...{ today: '2011-12-31', now: '2011-12-30T10:00:00.000Z' },
  });
});

test('a sandbox asks the simulator, whatever bureau is configured', async () => {
  const asked: string[] = [];
  const bureau = (name: string): Bureau => ({
    name,
    async pull(subject, how) {
      asked.push(name);
      return simulate(subject, how);
    },
  });
  const loans = room.another({ bureau: bureau('real'), simulator: bureau('simulated') });
  for (const organizationId of [ACTOR.organizationId, await sandboxIn(room, '2026-01-01')]) {
    const actor = actorIn(organizationId);
    const made = await loans.origination.create(actor, { source: source('PULL-1'), answer: () => '' }, PLAIN);
    const loanId = made.kind === 'done' ? made.change.loanId : '';
    const write = { loanId, command: { do: 'start-underwriting' }, reason: null, answer: () => '' } as const;
    expect((await loans.write(actor, write, PLAIN)).kind).toBe('done');
  }
  expect(asked).toEqual(['real', 'simulated']);
});

test('an assessment that the clock has overtaken is made again, and is redone as of the day it was recorded on', async () => {
  const organizationId = await sandboxIn(room, '2026-01-01');
  const actor = actorIn(organizationId);
  const days: string[] = [];
  const simulator: Bureau = {
    name: 'slow',
    async pull(subject, how) {
      if (days.length === 0) await room.loans.cycle.advanceClock(organizationId, date('2026-03-01'));
      days.push(how.today);
      return simulate(subject, how);
    },
  };
  const loans = room.another({ simulator });
  const made = await loans.origination.create(actor, { source: source('PULL-2'), answer: () => '' }, PLAIN);
  const loanId = made.kind === 'done' ? made.change.loanId : '';
  const write = { loanId, command: { do: 'start-underwriting' }, reason: null, answer: () => '' } as const;
  expect(await loans.write(actor, write, PLAIN)).toMatchObject({
    ...{ kind: 'done', change: { events: [{ type: 'underwritingStarted', recordedOn: '2026-03-01' }] } },
  });
  const view = (await loans.reads.read(actor, loanId, NOW)) as LoanView;
  expect(view.file.assessedWith?.at.slice(0, 10)).toBe('2026-03-01');
});

const source = (applicationId: string) =>
  JSON.stringify({
    ...{ applicationId, borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
    ...{ loanAmount: '18000', interestRate: '9.5', term: 60 },
    Request: {
      ApplicantInfo: { ApplicantSSN: '666-00-0001', ApplicantState: 'OH', MonthlyGross: 6500 },
      VehicleInfo: { VehicleYear: '2024', VehicleMileage: '21000', VehicleWholesaleValue: '22000' },
    },
  });

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setImmediate(resolve));
}
