/**
 * The answer to a payment is what is shown of it and what it posted, for ever: random lives, and random loans with several payments
 * a day through the write path of the service, in every order of their references. Only what `changes` tells is different afterwards.
 *
 * `TEST_LONG=1` runs a hundred loans in each order; `SEED` chooses others.
 */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, date, type PlainDate } from '../../src/core/calendar.ts';
import type { Changed } from '../../src/core/changes.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import type { Allocation, Loan } from '../../src/core/loan.ts';
import { type Cents, cents } from '../../src/core/money.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import type { DatedLine } from '../../src/ledger/journal.ts';
import type { Change } from '../../src/loans/door/write.ts';
import type { OpenLoans } from '../../src/loans/open.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { everyLife, SEED } from '../support/simulate/every-life.ts';
import { anyPlan, type LivedLife, live } from '../support/simulate/lives.ts';

const LOANS = process.env.TEST_LONG === undefined ? 3 : 100;

/** The parts of each payment as its servicer has written them down: from its answer, and from every `changes` since. */
type Noted = Record<keyof Allocation, Cents>;
type Notes = Map<string, Noted>;

const PART_OF: Partial<Record<Changed['what'], keyof Allocation>> = {
  paymentInterest: 'interest',
  paymentPrincipal: 'principal',
  paymentFees: 'fees',
  paymentCredit: 'credit',
};

/** Payments that are noted already were told of by `changes` alone. */
function note(notes: Notes, { payments }: Loan, changes: readonly Changed[] | null): void {
  for (const change of changes ?? []) {
    const part = PART_OF[change.what];
    if (part === undefined || !('refId' in change)) continue;
    const noted = notes.get(change.refId) as Noted;
    expect([change.refId, part, noted[part]]).toEqual([change.refId, part, change.before]);
    noted[part] = change.after;
  }
  for (const { refId, allocation } of payments) if (!notes.has(refId)) notes.set(refId, { ...allocation });
}

const shownOf = ({ payments }: Loan): Notes => new Map(payments.map(({ refId, allocation }) => [refId, allocation]));

everyLife('an answered allocation changes only with a word in `changes`', ({ turns }) => {
  const notes: Notes = new Map();
  for (const { answer, command } of turns) {
    if (isRefusal(answer) || answer.repeated) continue;
    note(notes, answer.loan, answer.changes);
    expect([command, notes]).toEqual([command, shownOf(answer.loan)]);
  }
});

// ---- through the write path ----

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
}, 60_000);
afterAll(() => room.close());

const START = date('2026-01-01');
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/** A day of a loan: three payments, in thousandths of twice an even installment, and whether a fee is charged after each. */
type PaymentDay = { wait: number; payments: { size: number; principal: boolean; fee: boolean }[] };

const oneIn = (n: number): fc.Arbitrary<boolean> => fc.nat({ max: n - 1 }).map((drawn) => drawn === 0);
const anyDays: fc.Arbitrary<PaymentDay[]> = fc.array(
  fc.record({
    wait: fc.integer({ min: 1, max: 45 }),
    payments: fc.array(fc.record({ size: fc.integer({ min: 1, max: 999 }), principal: oneIn(8), fee: oneIn(5) }), {
      minLength: 3,
      maxLength: 3,
    }),
  }),
  { minLength: 2, maxLength: 5 },
);

/** A loan in one order of references: what was noted of its payments, in the order of recording, and those that `changes` named since. */
type Served = { loanId: string; installment: number; notes: Notes; restated: Set<string> };

test('in every order of references: answered = shown = posted, for ever', { timeout: 1_800_000 }, async () => {
  const plans = fc.sample(fc.record({ plan: anyPlan, days: anyDays }), { seed: SEED, numRuns: LOANS });
  at(START);
  const steps: { day: PlainDate; take: () => Promise<unknown> }[] = [];
  const all: Served[][] = [];
  for (const [n, { plan, days }] of plans.entries()) {
    const { contract, policy } = live({ ...plan, ...BARE, shape: { ...plan.shape, start: START } });
    const served: Served[] = [];
    for (const _ of ORDERS) served.push(await opened({ contract, policy }));
    all.push(served);
    let day = START;
    days.forEach(({ wait, payments }, d) => {
      day = addDays(day, wait);
      const references = payments.map((_, i) => uuid(`${n} ${d} ${i}`)).sort();
      ORDERS.forEach((order, o) => {
        const named = payments.map((one, i) => ({ ...one, refId: references[order[i] as number] as string }));
        steps.push({ day, take: () => payDay(served[o] as Served, named) });
      });
    });
  }
  for (const [day, own] of [...Map.groupBy(steps, (step) => step.day)].sort()) {
    at(day);
    await Promise.all(own.map(({ take }) => take()));
  }
  at(addDays(START, 400));
  // Another process has nothing of these loans in memory.
  const reads = room.another();
  for (const served of all) await compare(served, reads);
  expect(all.flat().some(({ restated }) => restated.size > 0)).toBe(true);
  const { complaints, transactions } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
  expect(transactions).toBeGreaterThan(LOANS * ORDERS.length * 6);
});

/** Only the terms and the policy of a plan are used. */
const BARE = { extras: null, opening: null, recordedAfter: 0, moves: [] };

const at = (day: PlainDate) => {
  room.clock.now = Date.parse(`${day}T12:00:00Z`);
};

function uuid(seed: string): string {
  const hex = hash('sha256', `${SEED} ${seed}`);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

async function opened(more: Pick<LivedLife, 'contract' | 'policy'>): Promise<Served> {
  const loanId = await room.create({}, more);
  await room.done(loanId, { do: 'start-underwriting' });
  await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
  const { amount, count } = more.contract;
  return { loanId, installment: Math.ceil(amount / count), notes: new Map(), restated: new Set() };
}

async function payDay(
  served: Served,
  payments: readonly { size: number; principal: boolean; fee: boolean; refId: string }[],
) {
  const { loanId, installment } = served;
  for (const { size, principal, fee, refId } of payments) {
    const amount = Math.max(1, Math.floor((installment * size) / 500));
    const paid = await taken(served, repay(refId, amount, { purpose: principal ? 'principal' : 'installment' }));
    // It took effect after everything that was known: no earlier answer is touched.
    if (paid !== null) {
      expect(paid.changes).toBeNull();
      expect(receiptOf(paid.journal)).toEqual(postedFor(served.notes.get(refId) as Noted, amount));
    }
    const charge = { feeId: `fee-${refId}`, kind: 'fee', name: 'tow', amount: cents(1 + (size % 90) * 100) } as const;
    if (fee) await taken(served, { do: 'assess-fee', ...charge, date: null });
  }
  const [first] = payments;
  if (first !== undefined && served.notes.has(first.refId)) {
    await room.done(loanId, { do: 'acknowledge-repayment', refId: first.refId });
  }
}

/** Null: it is refused, as the payment of more than is owed is. */
async function taken({ loanId, notes, restated }: Served, command: Command): Promise<Change | null> {
  const outcome = await room.write(loanId, command);
  if (outcome.kind === 'refused') return null;
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  const { change } = outcome;
  note(notes, change.loan, change.changes);
  expect(notes).toEqual(shownOf(change.loan));
  for (const one of change.changes ?? []) if ('refId' in one) restated.add(one.refId);
  return change;
}

/** The receipts among these lines, by account. */
function receiptOf(lines: readonly DatedLine[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { entry, account, amount } of lines) {
    if (entry === 'receipt' || entry === 'return') sums[account] = (sums[account] ?? 0) + amount;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0));
}

function postedFor({ interest, principal, fees, credit }: Noted, cashClearing: number): Record<string, number> {
  const parts = {
    cashClearing,
    interestReceivable: -interest,
    loanPrincipal: -principal,
    feeReceivable: -fees,
    borrowerCredits: -credit,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, amount]) => amount !== 0));
}

/** The same loan in every order of references. */
async function compare(served: readonly Served[], { reads, ledger }: OpenLoans): Promise<void> {
  const [first] = served as [Served, ...Served[]];
  for (const { loanId, notes, restated } of served) {
    expect([...notes.values()]).toEqual([...first.notes.values()]);
    const view = await reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
    if (view === null || view === 'before') throw new Error('There is no such loan.');
    expect(shownOf(view.loan)).toEqual(notes);
    const lines = (await ledger.journal(ACTOR, loanId)) ?? [];
    const hashes = new Map<string, string>();
    for (const { body, transactionHash } of (await ledger.transactions(ACTOR, loanId)) ?? []) {
      const { event } = JSON.parse(body) as { event: LoanEvent };
      if (event.type === 'paymentSubmitted') hashes.set(event.refId, transactionHash);
    }
    const whole = { interest: 0, principal: 0, fees: 0, credit: 0 };
    for (const { refId, amount } of view.loan.payments) {
      const noted = notes.get(refId) as Noted;
      for (const part of Object.keys(whole) as (keyof Allocation)[]) whole[part] += noted[part];
      if (restated.has(refId)) continue;
      const own = lines.filter(({ transactionHash }) => transactionHash === hashes.get(refId));
      expect(receiptOf(own)).toEqual(postedFor(noted, amount));
    }
    // A credit may be used later, which moves it.
    if (whole.credit > 0) continue;
    const { cash = 0, cashClearing = 0, ...rest } = receiptOf(lines);
    const received = view.loan.payments.reduce((sum, { amount }) => sum + amount, 0);
    expect({ cashClearing: cash + cashClearing, ...rest }).toEqual(postedFor(whole as Noted, received));
  }
}
