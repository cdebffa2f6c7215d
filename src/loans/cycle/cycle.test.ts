/**
 * The nightly cycle on a small book: loans of two lenders that pay, pay late, or do not pay. Every way of running it leaves the same lines
 * on the same days, and the same transactions where nobody wrote in between.
 */

import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { FLAT_LATE_FEE } from '../../../test/support/life.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { keepTables, putAllBack } from '../../../test/support/nights.ts';
import { slowTest, usualTest, WHOLE } from '../../../test/support/whole.ts';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { isRefusal } from '../../core/refusal.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db/db.ts';
import type { OpenLoans } from '../open.ts';
import { verifyBook } from '../verify/book.ts';

const ORG = ACTOR.organizationId;
const POLICIES = [
  { ...DEFAULT_POLICY, lateFee: FLAT_LATE_FEE },
  { ...DEFAULT_POLICY, lateFee: FLAT_LATE_FEE, nonAccrualDays: 60 },
  DEFAULT_POLICY,
];
/** The tables that the cycle writes; a copy of each stands beside it. */
const TABLES = [
  'loans',
  'events',
  'journal',
  'books',
  ...['ledger_heads', 'feed_head', 'feed_marks'],
  'audit',
  'audit_waiting',
  ...['heads', 'steps', 'findings'].map((one) => `cycle_${one}`),
  'cycles',
  'positions',
  'position_sums',
];

let room: TestLoans;
const ids: string[] = [];

beforeAll(async () => {
  room = await testLoans();
  at('2026-01-01');
  for (let i = 0; i < 9; i++) {
    const policy = POLICIES[i % 3] as (typeof POLICIES)[number];
    const loanId = await room.create({ lenderId: `L-${i % 2}` }, { policy });
    await room.done(loanId, { do: 'start-underwriting' });
    await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
    ids.push(loanId);
  }
  at('2026-02-01');
  // Every third pays its first installment; the others are late from here on.
  for (const loanId of ids.filter((_, i) => i % 3 === 0)) await room.done(loanId, repay('first', 100_000));
  await room.done(
    ids[4] as string,
    {
      do: 'payoff-quotes',
      quoteId: 'quote-1',
      date: null,
      goodThrough: date('2026-02-14'),
    } as never,
  );
  await keepTables(room.db, TABLES);
}, 180_000);
afterAll(() => room.close());
afterEach(() => restore());

function at(day: string, time = '12:00'): void {
  room.clock.now = Date.parse(`${day}T${time}:00Z`);
}

/** A process that knows nothing of what an earlier test did. */
const fresh = (cycleDb: Db = room.db): OpenLoans => room.another({ cycleDb });

const nightsOnTime = async (loans: OpenLoans, from: string, through: string) => {
  for (let day = date(from); day <= through; day = addDays(day, 1)) {
    at(addDays(day, 1), '00:05');
    await loans.cycle.runCyclesThrough(ORG, day);
  }
};

/** Lines by loan or book and the day they are posted on; entries of one day added up, whoever wrote them. */
async function lines(): Promise<string[]> {
  const rows = await room.db.query<{ line: string }>(
    `SELECT encode(loan_id, 'hex') || ' ' || date_posted || ' ' || entry || ' ' || account || ' ' || sum(amount) AS line
     FROM journal GROUP BY loan_id, date_posted, entry, account HAVING sum(amount) <> 0 ORDER BY 1`,
  );
  return rows.map(({ line }) => line);
}

/** The events of each loan in a digest: a body also has a nonce. */
async function events(): Promise<string[]> {
  const rows = await room.db.query<{ events: string }>(
    `SELECT md5(string_agg((e.body::json -> 'event')::text, '' ORDER BY e.sequence)) || ' ' || l.recorded_on AS events
       FROM loans l JOIN events e ON e.volume = l.volume AND e.loan_id = l.loan_id
      GROUP BY l.loan_id, l.recorded_on ORDER BY l.loan_id`,
  );
  return rows.map((row) => row.events);
}

/** The counts of the steps. */
function counts(): Promise<object[]> {
  return room.db.query('SELECT date, step, counts FROM cycle_steps ORDER BY date, step');
}

async function inOrder(loans: OpenLoans, through: PlainDate): Promise<void> {
  at(addDays(through, 1));
  for (const asOf of [through, addDays(through, -1), addDays(through, -20)]) {
    const tie = await loans.books.tieOut(ACTOR, { asOf, lenderId: null });
    if (isRefusal(tie)) throw new Error(tie.detail);
    expect(tie.accounts.filter(({ difference }) => difference !== 0)).toEqual([]);
  }
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
}

const END = date('2026-04-30');

async function onTime(until: PlainDate) {
  const loans = fresh();
  await nightsOnTime(loans, '2026-01-01', until);
  const result = { lines: await lines(), events: await events() };
  return { loans, ...result };
}

usualTest('writes down late fees, buckets, quotes and interest on their days', async () => {
  const { loans } = await onTime(date('2026-03-05'));
  const read = (day: string) => loans.cycle.read(ACTOR, { date: date(day), after: null, limit: 10 });
  const step = async (day: string, name: string) => (await read(day))?.steps.find((one) => one.step === name);
  expect(await step('2026-02-02', 'lateFeesAndBuckets')).toMatchObject({ counts: { loans: 6, 'bucket 1-29': 6 } });
  // Due on 1 February, late from the 12th on.
  expect(await step('2026-02-12', 'lateFeesAndBuckets')).toMatchObject({ counts: { lateFees: 3 }, amount: 3 * 2_500 });
  expect(await step('2026-02-15', 'quotesExpired')).toMatchObject({ counts: { quotes: 1 }, amount: null });
  expect(await step('2026-03-05', 'accrual')).toMatchObject({ counts: { entries: 2 } });
});

slowTest(
  'writes down late fees, buckets, non-accrual, quotes and interest on their days, and proposes charge-offs',
  async () => {
    const { loans } = await onTime(END);
    await inOrder(loans, END);
    const read = (day: string) => loans.cycle.read(ACTOR, { date: date(day), after: null, limit: 10 });
    const step = async (day: string, name: string) => (await read(day))?.steps.find((one) => one.step === name);
    // Due on 1 February, late from the 12th on.
    expect(await step('2026-02-12', 'lateFeesAndBuckets')).toMatchObject({
      counts: { lateFees: 3 },
      amount: 3 * 2_500,
    });
    expect(await step('2026-02-02', 'lateFeesAndBuckets')).toMatchObject({ counts: { loans: 6, 'bucket 1-29': 6 } });
    expect(await step('2026-02-15', 'quotesExpired')).toMatchObject({ counts: { quotes: 1 }, amount: null });
    expect(await step('2026-04-02', 'nonAccrual')).toMatchObject({ counts: { loans: 3 } });
    expect(await step('2026-03-05', 'accrual')).toMatchObject({ counts: { entries: 2 } });
    const told = await loans.cycle.list(ACTOR, { before: null, limit: 3 });
    expect(told).toMatchObject({ through: END, items: [{ date: END, exceptionCount: 0, proposalCount: 0 }, {}, {}] });
    await nightsOnTime(loans, '2026-05-01', '2026-06-30');
    const june = await read('2026-06-30');
    expect(june?.proposals.map(({ daysPastDue }) => daysPastDue).sort()).toEqual([
      121,
      121,
      121,
      ...Array(6).fill(149),
    ]);
    expect(june?.proposals.every(({ amount }) => amount > 0)).toBe(true);
    expect((await read('2026-06-29'))?.proposals).toEqual([]);
    expect(await read('2025-12-31')).toBeNull();
    expect(await read('2026-07-01')).toBeNull();
  },
  180_000,
);

/** The number of places at which a run is interrupted. */
const TRIED = process.env.TEST_LONG ? 40 : WHOLE ? 7 : 1;
const UNTIL = WHOLE ? END : date('2026-02-14');

describe('leaves the same lines and transactions', () => {
  slowTest(
    'when it runs twice, by two workers at once, and weeks late',
    async () => {
      const should = await onTime(UNTIL);
      await should.loans.cycle.runAgain(ORG, UNTIL);
      await should.loans.cycle.runAgain(ORG, date('2026-02-12'));
      expect([await lines(), await events()]).toEqual([should.lines, should.events]);
      await restore();
      at('2026-05-20');
      const [one, other] = [fresh(), fresh()];
      await Promise.all([one, other].map((loans) => loans.cycle.runCyclesThrough(ORG, UNTIL)));
      expect([await lines(), await events()]).toEqual([should.lines, should.events]);
      const [counted] = await room.db.query<{ fees: number }>(
        "SELECT sum((counts ->> 'lateFees')::int)::int AS fees FROM cycle_steps",
      );
      const [charged] = await room.db.query<{ fees: number }>(
        "SELECT count(*)::int AS fees FROM journal WHERE entry = 'assessment' AND account = 'feeIncome'",
      );
      expect(counted?.fees).toBe(charged?.fees);
      await inOrder(one, UNTIL);
    },
    180_000,
  );

  usualTest(
    'wherever it is interrupted, in any step, on a day with everything',
    async () => {
      const through = date('2026-02-28');
      await nightsOnTime(fresh(), '2026-01-01', '2026-02-11');
      await keepTables(room.db, TABLES, 'begun');
      at('2026-03-01');
      const counting = dyingDb(Number.POSITIVE_INFINITY);
      await fresh(counting.db).cycle.runCyclesThrough(ORG, through);
      const should = [await lines(), await events(), await counts(), await positions()];
      const statements = counting.asked();
      const apart = Math.ceil(statements / TRIED);
      for (let dies = Math.ceil(apart / 2); dies < statements; dies += apart) {
        await putAllBack(room.db, TABLES, 'begun');
        await expect(fresh(dyingDb(dies).db).cycle.runCyclesThrough(ORG, through)).rejects.toThrow('gone');
        await fresh().cycle.runCyclesThrough(ORG, through);
        expect([dies, await lines(), await events(), await counts(), await positions()]).toEqual([dies, ...should]);
      }
      for (const table of TABLES) await room.db.query(`DROP TABLE begun_${table}`);
    },
    180_000,
  );
});

slowTest(
  'payments that come first post the same lines on the same days',
  async () => {
    const pay = async (loans: OpenLoans, day: string) => {
      at(day);
      for (const [i, loanId] of ids.entries()) {
        if (i % 3 !== 1) continue;
        const asked = { loanId, command: repay(`p-${day}`, 30_000), reason: null, answer: () => '' };
        const outcome = await loans.write(ACTOR, asked, { dryRun: false, ifVersion: null, idempotency: null });
        expect(outcome.kind).toBe('done');
      }
    };
    const first = fresh();
    await nightsOnTime(first, '2026-01-01', '2026-02-11');
    await pay(first, '2026-02-12');
    await nightsOnTime(first, '2026-02-12', '2026-02-13');
    await pay(first, '2026-02-14');
    await nightsOnTime(first, '2026-02-14', '2026-03-31');
    const should = await lines();
    await inOrder(first, date('2026-03-31'));
    await restore();
    const late = fresh();
    await pay(late, '2026-02-12');
    await pay(late, '2026-02-14');
    at('2026-04-01');
    await late.cycle.runCyclesThrough(ORG, date('2026-03-31'));
    expect(await lines()).toEqual(should);
    await inOrder(late, date('2026-03-31'));
  },
  180_000,
);

slowTest('a payment that meets the cycle is neither refused nor lost', async () => {
  const loans = fresh();
  at('2026-02-20');
  const payments = ids.map((loanId, i) =>
    loans.write(
      ACTOR,
      { loanId, command: repay(`meets-${i}`, 5_000), reason: null, answer: () => '' },
      { dryRun: false, ifVersion: null, idempotency: null },
    ),
  );
  const [outcomes] = await Promise.all([
    Promise.all(payments),
    fresh().cycle.runCyclesThrough(ORG, date('2026-02-19')),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(ids.map(() => 'done'));
  await inOrder(loans, date('2026-02-20'));
});

slowTest('a loan that cannot be folded is listed, the others go on, and interest is posted', async () => {
  const [broken = ''] = ids.slice(1);
  const [row] = await room.db.query<{ body: string }>('SELECT body FROM events WHERE loan_id = $1 AND sequence = 3', [
    `\\x${broken.slice(2)}`,
  ]);
  await room.db.query(
    'UPDATE events SET body = \'{"event":{"type":"nonsense"}}\' WHERE loan_id = $1 AND sequence = 3',
    [`\\x${broken.slice(2)}`],
  );
  const loans = fresh();
  at('2026-02-13');
  const run = await loans.cycle.runCyclesThrough(ORG, date('2026-02-12'));
  expect(run.exceptions).toBeGreaterThan(0);
  const cycle = await loans.cycle.read(ACTOR, { date: date('2026-02-12'), after: null, limit: 10 });
  expect(cycle?.exceptions).toEqual([
    { loanId: broken, step: 'lateFeesAndBuckets', error: expect.stringMatching(/Error .*\.ts:\d+/) },
  ]);
  expect(cycle?.steps[0]).toMatchObject({ counts: { lateFees: 2 }, endedAt: expect.any(String) });
  expect(cycle?.steps[2]).toMatchObject({ counts: { entries: 2 } });
  // Put right, and run again: the list is empty, and the fee is on its day.
  await room.db.query('UPDATE events SET body = $2 WHERE loan_id = $1 AND sequence = 3', [
    `\\x${broken.slice(2)}`,
    row?.body,
  ]);
  await loans.cycle.runAgain(ORG, date('2026-02-12'));
  expect((await loans.cycle.read(ACTOR, { date: date('2026-02-12'), after: null, limit: 10 }))?.exceptions).toEqual([]);
  expect((await lines()).filter((line) => line.includes('2026-02-12 assessment feeIncome'))).toHaveLength(3);
});

usualTest('an organization without loans has no cycles, and one that is asleep leaves no rows', async () => {
  const loans = fresh();
  expect(await loans.cycle.runCyclesThrough('org_other', date('2026-03-01'))).toEqual({
    days: 0,
    loans: 0,
    exceptions: 0,
  });
  expect(await loans.cycle.list({ ...ACTOR, organizationId: 'org_other' }, { before: null, limit: 5 })).toEqual({
    through: null,
    daysBehind: 0,
    items: [],
  });
  await room.db.query(
    `UPDATE loans SET changes_on = NULL, accrues_per_unit = NULL, past_due_from = NULL, books_change_on = NULL, status = 'Closed',
       book_principal = 0, book_interest = 0, book_fees = 0, book_credits = 0`,
  );
  at('2026-05-01');
  await loans.cycle.runCyclesThrough(ORG, date('2026-04-30'));
  // The last thing was recorded on 1 February; at the end of that month they still have a position.
  const { through, items } = await loans.cycle.list(ACTOR, { before: null, limit: 1 });
  expect([through, items[0]?.date]).toEqual(['2026-04-30', '2026-02-28']);
  const idle = await loans.cycle.read(ACTOR, { date: date('2026-03-10'), after: null, limit: 5 });
  expect(idle).toMatchObject({ startedAt: null, steps: Array.from({ length: 7 }, () => ({ counts: {} })) });
});

usualTest('a day is over for the cycle three minutes after its midnight, in the zone of the organization', async () => {
  const loans = fresh();
  const behind = async () => (await loans.cycle.behind()).map(({ through, over }) => [through, over]);
  await loans.cycle.runCyclesThrough(ORG, date('2026-02-01'));
  at('2026-02-03', '00:03');
  expect(await behind()).toEqual([]);
  at('2026-02-03', '00:04');
  expect(await behind()).toEqual([['2026-02-01', '2026-02-02']]);
});

/** Everything as it was before a test began. */
async function restore(): Promise<void> {
  await putAllBack(room.db, TABLES);
}

async function positions(): Promise<unknown[]> {
  const rows = await room.db.query('SELECT to_jsonb(p)::text AS row FROM positions p ORDER BY 1');
  return [...rows, ...(await room.db.query('SELECT to_jsonb(s)::text AS row FROM position_sums s ORDER BY 1'))];
}

/** A database that is gone after so many statements. */
function dyingDb(after: number): { db: Db; asked(): number } {
  let asked = 0;
  const dying = <T extends Sql>(sql: T): T => ({
    ...sql,
    query: (...statement: Parameters<Sql['query']>) => {
      asked += 1;
      if (asked > after) return Promise.reject(new DatabaseUnavailable('gone'));
      return sql.query(...statement);
    },
  });
  const db: Db = { ...dying(room.db), transaction: (work) => room.db.transaction((tx) => work(dying(tx))) };
  return { db, asked: () => asked };
}
