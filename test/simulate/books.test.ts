/**
 * Random lives of many loans of two lenders, lived through the write path of the service, one after the other by day. On some evenings
 * the nightly cycle runs, on others it is left for later. The books tie to the folds of the loans on any day, and what they said of a day
 * when it was over they say for good.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BookFigures, bookFiguresAsOf, NO_FIGURES } from '../../src/core/books.ts';
import { addDays, addMonths, date, daysBetween, lastOfMonth, type PlainDate } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { anyPlan, live, type Plan } from '../support/simulate/lives.ts';

const LIVES = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 200 : 10));
const SEED = Number(process.env.SEED ?? 2026);
/** Days that are lived through: what was planned for later is left out. */
const SPAN = process.env.TEST_LONG ? 700 : 110;
const START = date('2026-01-01');

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

/** Lives that begin near each other, so that they go on at the same time. */
function plans(): Plan[] {
  return fc.sample(anyPlan, { seed: SEED, numRuns: LIVES * 4 }).flatMap((plan, i) => {
    const start = addDays(START, i % 28);
    const later = Math.min(plan.recordedAfter, 60);
    return plan.extras === null && plan.moves.length > 3
      ? [{ ...plan, recordedAfter: later, shape: { ...plan.shape, start } }]
      : [];
  });
}

type Step = { day: PlainDate; life: number; command: Command };

async function liveThrough(): Promise<{ ids: string[]; end: PlainDate; seen: Map<string, unknown> }> {
  const ids: string[] = [];
  const steps: Step[] = [];
  const openings: { day: PlainDate; open: () => Promise<void> }[] = [];
  plans()
    .slice(0, LIVES)
    .forEach((plan, life) => {
      const { turns, contract, policy } = live(plan);
      const day = addDays(plan.shape.start, plan.recordedAfter);
      const open = async () => {
        ids[life] = await room.create({ lenderId: `L-${life % 2}` }, { contract, policy });
      };
      openings.push({ day, open });
      for (const { command, when } of turns) steps.push({ day: when.today, life, command });
    });
  steps.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  const end = addDays(START, SPAN);
  const seen = new Map<string, unknown>();
  for (let day = START; day <= end; day = addDays(day, 1)) {
    at(day);
    for (const one of openings) if (one.day === day) await one.open();
    for (const { day: on, life, command } of steps) if (on === day) await room.write(ids[life] as string, command);
    const n = daysBetween(START, day);
    // On the next day, or some days later; sealed now and then.
    if (n % 11 > 6 && day < addDays(end, -20)) {
      await room.loans.cycles.runCyclesThrough(ACTOR.organizationId, addDays(day, -1));
    }
    if (n % 5 === 0) await room.loans.seal();
    if (n % 17 === 3 || day === lastOfMonth(day)) {
      at(addDays(day, 1));
      for (const lenderId of [null, 'L-1']) {
        const asked = { asOf: day, lenderId };
        seen.set(JSON.stringify(asked), found(await room.loans.books.trialBalance(ACTOR, asked)));
      }
    }
  }
  return { ids, end, seen };
}

async function histories(ids: readonly string[]): Promise<{ lender: number; events: LoanEvent[] }[]> {
  const all: { lender: number; events: LoanEvent[] }[] = [];
  for (const [i, loanId] of ids.entries()) {
    const rows = (await room.loans.transactions(ACTOR, loanId)) ?? [];
    all.push({ lender: i % 2, events: rows.map(({ body }) => (JSON.parse(body) as { event: LoanEvent }).event) });
  }
  return all;
}

function sumOf(all: readonly { lender: number; events: LoanEvent[] }[], day: PlainDate, lender: number | null) {
  const sum: Record<string, number> = { ...NO_FIGURES };
  for (const one of all) {
    if (lender !== null && one.lender !== lender) continue;
    for (const [name, amount] of Object.entries(bookFiguresAsOf(one.events, day) satisfies BookFigures)) {
      sum[name] = (sum[name] ?? 0) + amount;
    }
  }
  return sum;
}

test('the books tie to the loans on every day, by lender, and what they said of a day never changes', {
  timeout: 600_000,
}, async () => {
  const { ids, end, seen } = await liveThrough();
  const all = await histories(ids);
  const days = Array.from({ length: 20 }, (_, i) => addDays(START, (i * 7919) % (daysBetween(START, end) + 1)));
  for (let day = lastOfMonth(START); day <= end; day = lastOfMonth(addMonths(day, 1))) days.push(day);
  for (const day of [...days, end]) {
    for (const lender of [null, 0, 1]) {
      const lenderId = lender === null ? null : `L-${lender}`;
      const { accounts } = found(await room.loans.books.tieOut(ACTOR, { asOf: day, lenderId }));
      const expected = sumOf(all, day, lender);
      for (const { account, ledger, loans, difference } of accounts) {
        const should = { day, lender, account, ledger: expected[account], loans: expected[account], difference: 0 };
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
  while ((await room.loans.seal()) > 0);
  const report = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(report.complaints).toEqual([]);
});
