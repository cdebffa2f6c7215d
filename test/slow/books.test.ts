/**
 * Random histories of many loans of two lenders, run through the write path of the service day by day. On some days the nightly cycle
 * runs on time, on others late. The books tie to the folds of the loans on any day, and the balances of a day that is over never change.
 *
 * `LIVES` and `SEED` choose another number and another set. A small number need not have a loan of every kind.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BookFigures, bookFiguresOf, isNonAccrual, NO_FIGURES } from '../../src/core/books.ts';
import { addDays, addMonths, date, daysBetween, lastOfMonth, type PlainDate } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold } from '../../src/core/fold.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { anyPlan, live, type Move, type Plan } from '../support/simulate/lives.ts';

const LONG = process.env.TEST_LONG !== undefined;
const LIVES = Number(process.env.LIVES ?? (LONG ? 1_000 : 30));
const SEED = Number(process.env.SEED ?? 2026);
/** Days that are run: what was planned for later is left out. */
const SPAN = LONG ? 700 : 120;
const START = date('2026-01-01');
const END = addDays(START, SPAN);

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
}, 60_000);
afterAll(() => room.close());

const at = (day: PlainDate) => {
  room.clock.now = Date.parse(`${day}T12:00:00Z`);
};

function found<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.detail);
  return answer;
}

/**
 * Histories that begin near each other, so that they overlap. A loan is funded by its contract here: the extras of a plan
 * (several disbursements, agreed rate changes, skipped installments) cannot be expressed by a command.
 */
function plans(): Plan[] {
  return fc.sample(anyPlan, { seed: SEED, numRuns: LIVES }).map((plan, i) => ({
    ...plan,
    extras: null,
    recordedAfter: Math.min(plan.recordedAfter, 60),
    moves: [...plan.moves.slice(0, 2), ...(BESIDES[i % BESIDES.length] ?? []), ...plan.moves.slice(2)],
    shape: { ...plan.shape, start: addDays(START, i % 28) },
  }));
}

/** Events that are rare by chance: some histories have them after their first moves. */
const move = (kind: Move['kind'], wait: number, more: Partial<Move> = {}): Move => ({
  ...{ kind, wait, size: 500, back: 0, pick: 0 },
  ...more,
});
const BESIDES: readonly (readonly Move[])[] = [
  [],
  [
    move('pay back in time', 20, { back: 12, pick: 1 }),
    move('return', 4),
    move('pay what is due', 3),
    move('reverse', 9),
  ],
  [move('pay a part', 8), move('reverse', 3)],
  [
    ...[move('charge off', 15, { size: 900 }), move('pay a part', 3), move('write down', 5), move('return', 2)],
    ...[move('pay back in time', 6, { back: 9, pick: 1 }), move('recover', 4)],
  ],
  [move('pay a part', 9), move('charge off', 30, { pick: 1, back: 8 }), move('settle', 2, { pick: 30 })],
];

type Step = { life: number; command: Command; refused: boolean };
type Lived = { ids: string[]; seen: Map<string, unknown> };

async function liveThrough(): Promise<Lived> {
  const ids: string[] = [];
  const openings: { day: PlainDate; open: () => Promise<void> }[] = [];
  const steps: (Step & { day: PlainDate })[] = [];
  plans().forEach((plan, life) => {
    const { turns, contract, policy } = live(plan);
    const open = async () => {
      ids[life] = await room.create({ lenderId: `L-${life % 2}` }, { contract, policy });
    };
    openings.push({ day: addDays(plan.shape.start, plan.recordedAfter), open });
    for (const { command, when, answer } of turns) {
      steps.push({ day: when.today, life, command, refused: isRefusal(answer) });
    }
  });
  const openingsOf = Map.groupBy(openings, ({ day }) => day);
  const stepsOf = Map.groupBy(steps, ({ day }) => day);
  const seen: Lived['seen'] = new Map();
  for (let day = START; day <= END; day = addDays(day, 1)) {
    at(day);
    await Promise.all((openingsOf.get(day) ?? []).map(({ open }) => open()));
    const byLife = Map.groupBy(stepsOf.get(day) ?? [], ({ life }) => life);
    await Promise.all([...byLife].map(([life, own]) => take(ids[life] as string, own)));
    const n = daysBetween(START, day);
    // On the next day, or some days later; sealed now and then.
    if (n % 11 > 6 && day < addDays(END, -20)) {
      await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, addDays(day, -1));
    }
    if (n % 5 === 0) await room.loans.ledger.seal();
    if (n % 17 === 3 || day === lastOfMonth(day)) {
      at(addDays(day, 1));
      for (const lenderId of [null, 'L-1']) {
        const asked = { asOf: day, lenderId };
        seen.set(JSON.stringify(asked), found(await room.loans.books.trialBalance(ACTOR, asked)));
      }
    }
  }
  return { ids, seen };
}

/** The service does what the plan says, and refuses what the plan refuses. */
async function take(loanId: string, steps: readonly Step[]): Promise<void> {
  for (const { command, refused } of steps) {
    const { kind } = await room.write(loanId, command);
    if ((kind === 'refused') !== refused) throw new Error(`${command.do} is ${kind}: ${JSON.stringify(command)}`);
  }
}

type History = { readonly lender: number; readonly events: readonly LoanEvent[] };

async function histories(ids: readonly string[]): Promise<History[]> {
  const all: History[] = [];
  for (const [i, loanId] of ids.entries()) {
    const rows = (await room.loans.ledger.transactions(ACTOR, loanId)) ?? [];
    all.push({ lender: i % 2, events: rows.map(({ body }) => (JSON.parse(body) as { event: LoanEvent }).event) });
  }
  return all;
}

const KINDS = ['chargedOff', 'writtenDown', 'nonAccrual', 'seasoned', 'returned', 'reversed', 'backdated'] as const;
type Kinds = Record<(typeof KINDS)[number], Set<number>>;

type Sums = Record<string, number>;

/** The figures of the loans on a day, as known then: of all, of the first lender and of the second. Records which kinds of loans occurred. */
function sumsOn(all: readonly History[], day: PlainDate, kinds: Kinds): { lender: number | null; sums: Sums }[] {
  const total = [null, 0, 1].map((lender) => ({ lender, sums: { ...NO_FIGURES } as Sums }));
  all.forEach(({ lender, events }, life) => {
    const known = events.filter(({ recordedOn }) => recordedOn <= day);
    if (known.length === 0) return;
    const loan = fold(known, day);
    if (loan.chargeOff !== null) kinds.chargedOff.add(life);
    if (isNonAccrual(loan)) kinds.nonAccrual.add(life);
    if (loan.openedOn !== null) kinds.seasoned.add(life);
    for (const { type, date: on, recordedOn } of known) {
      if (type === 'writtenDown') kinds.writtenDown.add(life);
      if (type === 'paymentReturned') kinds.returned.add(life);
      if (type === 'paymentReversed') kinds.reversed.add(life);
      if (type === 'paymentSubmitted' && on < recordedOn) kinds.backdated.add(life);
    }
    for (const [name, amount] of Object.entries(bookFiguresOf(loan) satisfies BookFigures)) {
      for (const one of total)
        if (one.lender === null || one.lender === lender) one.sums[name] = (one.sums[name] ?? 0) + amount;
    }
  });
  return total;
}

/** Every month end, twenty random days, and the last day. */
function daysToCheck(): PlainDate[] {
  const random = fc.sample(fc.integer({ min: 0, max: SPAN }), { seed: SEED, numRuns: 20 });
  const days = new Set([...random.map((n) => addDays(START, n)), END]);
  for (let day = lastOfMonth(START); day <= END; day = lastOfMonth(addMonths(day, 1))) days.add(day);
  return [...days];
}

test('the books tie to the loans on every day, by lender, and the balances of a past day never change', {
  timeout: LONG ? 3_600_000 : 300_000,
}, async () => {
  const { ids, seen } = await liveThrough();
  const all = await histories(ids);
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, new Set()])) as Kinds;
  for (const day of daysToCheck()) {
    for (const { lender, sums } of sumsOn(all, day, kinds)) {
      const lenderId = lender === null ? null : `L-${lender}`;
      const { accounts } = found(await room.loans.books.tieOut(ACTOR, { asOf: day, lenderId }));
      for (const { account, ledger, loans, difference } of accounts) {
        const should = { day, lender, account, ledger: sums[account], loans: sums[account], difference: 0 };
        expect({ day, lender, account, ledger, loans, difference }).toEqual(should);
      }
    }
  }
  for (const [asked, before] of seen) {
    const now = found(
      await room.loans.books.trialBalance(ACTOR, JSON.parse(asked) as { asOf: PlainDate; lenderId: null }),
    );
    expect([asked, now]).toEqual([asked, before]);
    expect(now.accounts.reduce((sum, { debit, credit }) => sum + debit - credit, 0)).toBe(0);
  }
  while ((await room.loans.ledger.seal()) > 0);
  const report = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(report.complaints).toEqual([]);
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, kinds[kind].size]));
  const few = KINDS.filter((kind) => kinds[kind].size < Math.floor(LIVES / 25));
  expect(few, `Too few loans are of these kinds: ${JSON.stringify(counts)}`).toEqual([]);
});
