/** Transfers to another owner: who sees and does what, and the books of both sides. */

import { afterEach, beforeEach, describe, expect } from 'vitest';
import { FLAT_LATE_FEE } from '../../../test/support/life.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { slowTest, usualTest as test } from '../../../test/support/whole.ts';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import { cents } from '../../core/money.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { isRefusal } from '../../core/refusal.ts';
import type { Account } from '../../ledger/chart.ts';
import type { Actor } from '../door/actor.ts';
import type { Outcome } from '../door/write.ts';
import type { LoanPage } from '../reads/list.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const on: TestLoans['on'] = (...when) => room.on(...when);
const NOW = { asOf: null, knownAt: null };
const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const THIRD: Actor = { ...ACTOR, organizationId: 'org_third', clientId: 'third' };

const offer = (
  day: string,
  to: { organizationId: string; lenderId: string } = { organizationId: 'org_other', lenderId: 'L-9' },
): Command => ({
  do: 'transfer',
  transferId: `T-${to.organizationId}-${day}`,
  what: 'owner',
  to,
  date: date(day),
  reason: 'sale 7',
  from: null,
});
const ACCEPT: Command = { do: 'accept-transfer', servicerId: '' };
const CANCEL: Command = { do: 'cancel-transfer', what: null, reason: null };

const outcomeOf = (outcome: Outcome) =>
  outcome.kind === 'refused'
    ? outcome.refusal.refused
    : outcome.kind === 'denied'
      ? `denied ${outcome.needs}`
      : outcome.kind;
const as = async (actor: Actor, loanId: string, command: Command) =>
  outcomeOf(await room.write(loanId, command, { actor }));

/** The night after a day: cycles of both, then what is due on the next. */
async function night(day: string): Promise<void> {
  on(addDays(date(day), 1), 0.1);
  for (const { organizationId } of [ACTOR, BUYER]) await room.loans.cycle.runCyclesThrough(organizationId, date(day));
  await room.loans.transfers.carryOutDue();
}

/** Offered, accepted, and carried out in the night before the day. */
async function transferOn(loanId: string, day: string, from = ACTOR, to = BUYER, lenderId = 'L-9'): Promise<void> {
  on(addDays(date(day), -1));
  expect(await as(from, loanId, offer(day, { organizationId: to.organizationId, lenderId }))).toBe('done');
  expect(await as(to, loanId, ACCEPT)).toBe('done');
  await night(addDays(date(day), -1));
}

async function balancesOf(
  actor: Actor,
  asOf: string,
  lenderId: string | null = null,
): Promise<Partial<Record<Account, number>>> {
  const found = await room.loans.books.trialBalance(actor, { asOf: date(asOf), lenderId });
  if (isRefusal(found)) throw new Error(found.detail);
  return Object.fromEntries(
    found.accounts.flatMap(({ account, debit, credit }) => (debit === credit ? [] : [[account, debit - credit]])),
  );
}

async function differences(actor: Actor, asOf: string, lenderId: string | null = null): Promise<string[]> {
  const found = await room.loans.books.tieOut(actor, { asOf: date(asOf), lenderId });
  if (isRefusal(found)) throw new Error(found.detail);
  return found.accounts.flatMap(({ account, difference }) => (difference === 0 ? [] : [`${account} ${difference}`]));
}

async function sound() {
  const report = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(report.complaints).toEqual([]);
}

describe('an offer', () => {
  test('is accepted by the other organization alone, by its date, and cancelled by either', async () => {
    const loanId = await room.live();
    expect(await as(BUYER, loanId, ACCEPT)).toBe('missing');
    expect(await as({ ...ACTOR, keyId: null }, loanId, offer('2026-02-01'))).toBe('denied key');
    expect(await as(ACTOR, loanId, offer('2026-02-01', { organizationId: 'org_none', lenderId: 'L' }))).toBe(
      'invalid_value',
    );
    expect(await as(ACTOR, loanId, offer('2026-02-01', { organizationId: 'org_test', lenderId: 'L-1' }))).toBe(
      'contradiction',
    );
    expect(await as({ ...ACTOR, scopes: new Set(['servicing:write']) }, loanId, offer('2026-02-01'))).toBe(
      'denied scope',
    );
    expect(await as(ACTOR, loanId, offer('2026-02-01'))).toBe('done');
    expect(await as(ACTOR, loanId, ACCEPT)).toBe('contradiction');
    expect(await as({ ...BUYER, organizationId: 'org_third' }, loanId, ACCEPT)).toBe('missing');
    // Nothing of the loan is seen before.
    expect(await room.loans.reads.readState(BUYER, loanId, NOW)).toBeNull();
    expect(await as(BUYER, loanId, repay('X', 100))).toBe('missing');
    const offered = { direction: 'in', transferId: null, state: null, after: null, limit: 10 } as const;
    expect(await room.loans.transfers.list(BUYER, offered)).toMatchObject([
      { loanId, state: 'offered', what: 'owner' },
    ]);
    expect(await room.loans.transfers.list(ACTOR, offered)).toEqual([]);
    expect(await as(BUYER, loanId, CANCEL)).toBe('done');
    expect(await as(BUYER, loanId, ACCEPT)).toBe('missing');
    expect(await as(ACTOR, loanId, offer('2026-02-01'))).toBe('reference_conflict');
  });

  test('that is not accepted by its date has lapsed, and another takes its place', async () => {
    const loanId = await room.live();
    expect(await as(ACTOR, loanId, offer('2026-01-05'))).toBe('done');
    on('2026-01-06');
    expect(await as(BUYER, loanId, ACCEPT)).toBe('reference_conflict');
    expect(await room.loans.transfers.carryOutDue()).toBe(0);
    expect(await as(ACTOR, loanId, offer('2026-01-09'))).toBe('done');
    expect(await as(BUYER, loanId, ACCEPT)).toBe('done');
    expect(await as(ACTOR, loanId, CANCEL)).toBe('done');
    on('2026-01-10');
    expect(await room.loans.transfers.carryOutDue()).toBe(0);
    await sound();
  });

  test('is not made from or to an organization with a test clock', async () => {
    await room.db.query(
      "INSERT INTO organizations (organization_id, name, created_at, clock_kind) VALUES ('org_box', 'Box', now(), 'test')",
    );
    await room.db.query(
      "INSERT INTO test_clocks (organization_id, stands_on, set_at) VALUES ('org_box', '2026-01-01', now())",
    );
    const loanId = await room.live();
    expect(await as(ACTOR, loanId, offer('2026-02-01', { organizationId: 'org_box', lenderId: 'L' }))).toBe(
      'not_eligible',
    );
  });
});

describe('after a transfer', () => {
  test('the new owner has the loan with its history, the former one sees what it owned', async () => {
    const loanId = await room.live();
    await room.done(loanId, repay('P-1', 50_000));
    await transferOn(loanId, '2026-02-10');
    on('2026-02-20');
    expect(await as(BUYER, loanId, repay('P-2', 60_000))).toBe('done');
    expect(await as(ACTOR, loanId, repay('P-3', 60_000))).toBe('denied ownership');
    const seen = async (actor: Actor, asOf: string | null = null) => {
      const view = await room.loans.reads.read(actor, loanId, {
        asOf: asOf === null ? null : date(asOf),
        knownAt: null,
      });
      if (view === null || view === 'before') return view;
      const { loan, file, events } = view;
      return {
        on: loan.on,
        payments: loan.payments.map(({ refId }) => refId),
        lender: file.lenderId,
        last: events.at(-1)?.type,
      };
    };
    expect(await seen(BUYER)).toMatchObject({ on: '2026-02-20', payments: ['P-1', 'P-2'], lender: 'L-9' });
    expect(await seen(BUYER, '2026-02-09')).toMatchObject({ payments: ['P-1'], lender: 'L-1' });
    expect(await seen(ACTOR)).toMatchObject({ on: '2026-02-09', payments: ['P-1'], lender: 'L-1' });
    expect(await seen(ACTOR, '2026-02-20')).toMatchObject({ on: '2026-02-09' });
    expect(await seen(ACTOR, '2026-01-15')).toMatchObject({ on: '2026-01-15' });
    expect(await seen(THIRD)).toBeNull();
    // Personal data, lists and searches are the new owner's.
    expect(await room.loans.reads.readFull(ACTOR, loanId, NOW)).toBeNull();
    expect((await room.loans.reads.readFull(BUYER, loanId, NOW)) as object).toMatchObject({
      view: { file: { lenderId: 'L-9', primaryServicerId: '' } },
    });
    const listed = async (actor: Actor) =>
      ((await room.loans.reads.list(actor, { limit: 9, cursor: null, sort: '-createdAt' })) as LoanPage).items;
    expect(await listed(ACTOR)).toEqual([]);
    expect(await listed(BUYER)).toMatchObject([{ loanId, lenderId: 'L-9' }]);
    expect((await room.loans.reads.search(ACTOR, { ssn: '666-12-3456' })).items).toEqual([]);
    expect((await room.loans.reads.search(BUYER, { ssn: '666123456' })).items).toMatchObject([{ loanId }]);
    // Its own part of the ledger.
    const [own, all] = [await room.loans.ledger.journal(ACTOR, loanId), await room.loans.ledger.journal(BUYER, loanId)];
    expect(new Set(own?.map(({ lenderId }) => lenderId))).toEqual(new Set(['L-1']));
    expect(new Set(all?.map(({ lenderId }) => lenderId))).toEqual(new Set(['L-1', 'L-9']));
    const hashes = await room.loans.ledger.transactions(BUYER, loanId);
    expect((await room.loans.ledger.transactions(ACTOR, loanId))?.at(-1)?.type).toBe('transferred');
    expect(await room.loans.ledger.transaction(ACTOR, hashes?.at(-1)?.transactionHash as string)).toBeNull();
    // The application is still the first organization's.
    const again = await room.loans.origination.board(ACTOR, room.creation({ applicationId: 'APP-1' }), {
      dryRun: false,
      ifVersion: null,
      idempotency: null,
    });
    expect(again.kind).toBe('application_exists');
    await sound();
  });

  slowTest('a loan goes back, and on to a third', async () => {
    await room.db.query("INSERT INTO organizations VALUES ('org_third', 'Third', now())");
    const loanId = await room.live();
    await transferOn(loanId, '2026-01-10');
    await transferOn(loanId, '2026-01-20', BUYER, ACTOR, 'L-2');
    expect(await as(ACTOR, loanId, repay('P-1', 10_000))).toBe('done');
    await transferOn(loanId, '2026-01-30', ACTOR, THIRD, 'L-3');
    await night('2026-01-30');
    await room.loans.cycle.runCyclesThrough('org_third', date('2026-01-30'));
    expect(await as(THIRD, loanId, repay('P-2', 10_000))).toBe('done');
    expect((await room.loans.reads.search(THIRD, { ssn: '666123456' })).items).toMatchObject([{ loanId }]);
    for (const actor of [ACTOR, BUYER, THIRD]) {
      for (const day of [
        '2026-01-05',
        '2026-01-10',
        '2026-01-15',
        '2026-01-20',
        '2026-01-25',
        '2026-01-30',
        '2026-01-31',
      ]) {
        for (const lender of ['L-1', 'L-2', 'L-3', 'L-9'])
          expect(await differences(actor, day, lender), `${actor.organizationId} ${day} ${lender}`).toEqual([]);
      }
    }
    const view = await room.loans.reads.read(ACTOR, loanId, NOW);
    expect(view).toMatchObject({ loan: { on: '2026-01-29' }, file: { lenderId: 'L-2' } });
    await sound();
  });
});

describe('the books', () => {
  test('balances leave one lender’s books and enter the other’s against opening, and each earns its own days', async () => {
    const loanId = await room.live();
    await room.done(loanId, repay('P-1', 30_000));
    for (let day = date('2026-01-01'); day < '2026-01-10'; day = addDays(day, 1)) await night(day);
    const was = await balancesOf(ACTOR, '2026-01-10');
    await transferOn(loanId, '2026-01-11');
    on('2026-01-11');
    const [former, next] = [await balancesOf(ACTOR, '2026-01-11'), await balancesOf(BUYER, '2026-01-11')];
    // Interest for ten nights is the former owner's; the loan accrued 3.28 (12 % of 9,970.00 for a day) more since the day before.
    expect(former.loanPrincipal ?? 0).toBe(0);
    expect(former.accruedInterest ?? 0).toBe(0);
    expect(next.loanPrincipal).toBe(was.loanPrincipal);
    expect(next.interestIncome ?? 0).toBe(0);
    expect(-(former.interestIncome as number)).toBe((next.accruedInterest as number) + (next.interestReceivable ?? 0));
    expect(former.opening).toBe(-(next.opening as number));
    // The payment that is not acknowledged moves with the loan.
    expect(was.cashClearing).toBe(30_000);
    expect(former.cashClearing ?? 0).toBe(0);
    expect(next.cashClearing).toBe(30_000);
    expect(await as(BUYER, loanId, { do: 'acknowledge-repayment', refId: 'P-1' } as Command)).toBe('done');
    await night('2026-01-11');
    expect((await balancesOf(BUYER, '2026-01-11')).cash).toBe(30_000);
    expect(await balancesOf(ACTOR, '2026-01-10')).toEqual(was);
    expect(await differences(ACTOR, '2026-01-11')).toEqual([]);
    expect(await differences(BUYER, '2026-01-11')).toEqual([]);
    await sound();
  });

  slowTest('the new owner’s policy counts from the day after; the former owner’s stays in the history', async () => {
    const loanId = await room.live();
    const add = (actor: Actor, from: string, nonAccrualDays: number | null) =>
      room.loans.policies.add(actor, { policyId: 'all', lenderId: null, from: date(from), values: { nonAccrualDays } });
    on('2026-02-20');
    expect(await add(ACTOR, '2026-02-25', 20)).toMatchObject({ version: 1 });
    expect(await add(BUYER, '2026-02-25', 90)).toMatchObject({ version: 1 });
    await transferOn(loanId, '2026-03-10');
    const book = async (actor: Actor, asOf: string) => {
      const { interestReceivable = 0, accruedInterest = 0 } = await balancesOf(actor, asOf);
      return interestReceivable + accruedInterest > 0;
    };
    for (const day of ['2026-03-10', '2026-03-11', '2026-03-12']) {
      for (const actor of [ACTOR, BUYER]) expect(await differences(actor, day), day).toEqual([]);
      await night(day);
      for (const actor of [ACTOR, BUYER]) expect(await differences(actor, day), day).toEqual([]);
    }
    // 20 days past due were reached on 21 February, and the version began on the 25th.
    expect(await book(ACTOR, '2026-02-24')).toBe(true);
    expect(await book(ACTOR, '2026-02-25')).toBe(false);
    expect(await book(BUYER, '2026-03-10')).toBe(false);
    expect(await book(BUYER, '2026-03-11')).toBe(true);
    const then = await room.loans.reads.read(BUYER, loanId, { asOf: date('2026-03-01'), knownAt: null });
    expect(then).toMatchObject({ loan: { policy: { nonAccrualDays: 20 } } });
    await sound();
    // Back again: the versions of both stay in the history.
    await transferOn(loanId, '2026-03-20', BUYER, ACTOR, 'L-1');
    await night('2026-03-20');
    await night('2026-03-21');
    expect(await book(ACTOR, '2026-03-21')).toBe(false);
    const during = await room.loans.reads.read(ACTOR, loanId, { asOf: date('2026-03-15'), knownAt: null });
    expect(during).toMatchObject({ loan: { policy: { nonAccrualDays: 90 } } });
    for (const actor of [ACTOR, BUYER]) expect(await differences(actor, '2026-03-21')).toEqual([]);
    await sound();
  });

  slowTest(
    'months of nights tie on every day for both, no past balance changes, and months close',
    async () => {
      const policy = {
        ...DEFAULT_POLICY,
        nonAccrualDays: 60,
        lateFee: FLAT_LATE_FEE,
      };
      const loans: string[] = [];
      for (let i = 0; i < (process.env.TEST_LONG ? 8 : 4); i++) {
        const loanId = await room.create({ lenderId: i % 2 === 0 ? 'L-1' : 'L-2' }, { policy });
        await room.done(loanId, { do: 'start-underwriting' });
        await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
        await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
        loans.push(loanId);
      }
      /** The present owner of each loan. */
      const owner = loans.map(() => ACTOR);
      let seed = 7;
      const random = (n: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((seed / 2_147_483_648) * n);
      };
      const kept = new Map<string, object>();
      let payments = 0;
      // A year of nights takes two minutes on a busy machine.
      const days = process.env.TEST_LONG ? 400 : 18;
      let day: PlainDate = date('2026-01-02');
      for (let n = 0; n < days; n++, day = addDays(day, 1)) {
        on(day);
        const i = random(loans.length);
        const [loanId, actor] = [loans[i] as string, owner[i] as Actor];
        const refId = `P-${++payments}`;
        if (random(3) === 0) {
          const back = random(3) === 0 ? addDays(day, -random(20)) : null;
          await as(
            actor,
            loanId,
            repay(refId, 20_000 + random(90_000), { date: back, reason: 'lockbox', acceptOverpayment: true }),
          );
          const what = random(4);
          if (what === 0) await as(actor, loanId, { do: 'acknowledge-repayment', refId } as Command);
          if (what === 1)
            await as(actor, loanId, {
              do: 'return-repayment',
              refId: `P-${Math.max(1, payments - random(12))}`,
              date: null,
              code: 'R01',
              reason: 'no funds',
            } as Command);
        }
        if (random(120) === 0)
          await as(actor, loanId, {
            do: 'charge-off',
            date: null,
            reason: 'lost',
            collateral: cents(100_000),
          } as Command);
        if (random(process.env.TEST_LONG ? 12 : 4) === 0) {
          const [to, lenderId] = actor === ACTOR ? [BUYER, 'L-9'] : [ACTOR, random(2) === 0 ? 'L-1' : 'L-3'];
          const when = addDays(day, random(4));
          if ((await as(actor, loanId, offer(when, { organizationId: to.organizationId, lenderId }))) === 'done') {
            await as(to, loanId, ACCEPT);
          }
          if (random(2) === 0) await room.loans.transfers.carryOutDue();
        }
        await night(day);
        const now = await room.db.query<{ loan: string; org: string }>(
          "SELECT '0x' || encode(loan_id, 'hex') AS loan, organization_id AS org FROM loans",
        );
        for (const { loan, org } of now) owner[loans.indexOf(loan)] = org === ACTOR.organizationId ? ACTOR : BUYER;
        for (const one of [ACTOR, BUYER]) {
          expect(await differences(one, day), `${one.organizationId} ${day}`).toEqual([]);
          if (n % 6 === 0) kept.set(`${one.organizationId} ${day}`, await balancesOf(one, day));
        }
      }
      const { count } = (
        await room.db.query<{ count: number }>('SELECT count(*)::int AS count FROM former_owners')
      )[0] as { count: number };
      expect(count).toBeGreaterThan(2);
      for (const [name, balances] of kept) {
        const [organizationId, of] = name.split(' ') as [string, string];
        const actor = organizationId === ACTOR.organizationId ? ACTOR : BUYER;
        expect(await balancesOf(actor, of), name).toEqual(balances);
        for (const lenderId of ['L-1', 'L-2', 'L-3', 'L-9'])
          expect(await differences(actor, of, lenderId), `${name} ${lenderId}`).toEqual([]);
      }
      if (days > 31) expect(isRefusal(await room.loans.books.close(ACTOR, '2026-01'))).toBe(false);
      await sound();
      await room.loans.ledger.seal();
      await sound();
    },
    600_000,
  );
});
