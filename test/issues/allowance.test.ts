/**
 * The allowance of a small book over three months and of two lenders: proposals tie to the trial balance of their day, the months lead from one to
 * the next, a month is booked once, in order, while it is open, and by two people; closed months stay as they are; another organization sees
 * nothing; and everything verifies.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { addDays, date, type PlainDate } from '../../src/core/calendar.ts';
import type { AllowanceBooking, AllowanceSlice } from '../../src/loans/allowance/allowance.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

describe('a book of two lenders', () => {
  let room: TestLoans;
  const loans: string[] = [];
  const service = () => room.loans.allowances;
  const dry = { dryRun: true, keep: async () => {} };

  async function held(asOf: string, account: string, lenderId: string | null = null): Promise<number> {
    const found = await room.loans.books.trialBalance(ACTOR, { asOf: date(asOf), lenderId });
    if ('refused' in found) throw new Error(found.detail);
    const one = found.accounts.find((each) => each.account === account);
    return (one?.debit ?? 0) - (one?.credit ?? 0);
  }
  async function book(
    period: string,
    how?: Parameters<ReturnType<typeof service>['book']>[2],
  ): Promise<AllowanceBooking> {
    const found = await service().book(ACTOR, { period, policy: null }, how);
    if (!('lenders' in found)) throw new Error(JSON.stringify(found));
    return found;
  }
  const refused = (period: string) => service().book(ACTOR, { period, policy: null });
  async function through(day: string): Promise<void> {
    room.on(addDays(date(day), 1), 1);
    await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date(day));
    room.on(addDays(date(day), 1));
  }
  const transactions = async () => (await room.db.query<{ n: number }>('SELECT count(*)::int AS n FROM events'))[0]?.n;

  beforeAll(async () => {
    room = await testLoans();
    room.on('2026-01-10');
    for (const [i, grade] of ['A', 'C', 'F', ''].entries()) {
      const lenderId = i < 3 ? 'L-A' : 'L-B';
      loans.push(await room.live({ applicationId: `APP-${i}`, grade, lenderId, ltv: '1' }));
    }
    await through('2026-01-31');
    room.on('2026-02-12');
    await room.done(loans[0] as string, repay('P-1', 88_849) as never);
    await through('2026-02-28');
  }, 60_000);
  afterAll(() => room?.close());

  test('a dry run shows the proposal, stores nothing, and ties to the trial balance of the last day', async () => {
    const before = await transactions();
    const shown = await book('2026-01', dry);
    expect(shown).toMatchObject({
      period: '2026-01',
      date: '2026-01-31',
      lenders: [{ lenderId: 'L-A' }, { lenderId: 'L-B' }],
    });
    for (const { lenderId, principal, required, cells, provision, transactionHash, modelled } of shown.lenders) {
      expect(principal).toBe(await held('2026-01-31', 'loanPrincipal', lenderId));
      expect([transactionHash, provision, modelled]).toEqual([null, required, required]);
      expect(cells.reduce((sum, cell) => sum + cell.required, 0)).toBe(required);
      expect(required).toBeGreaterThan(0);
    }
    const { cells } = shown.lenders[0] as AllowanceBooking['lenders'][number];
    const rates = cells.map((cell) => cell.required / cell.principal);
    expect(cells.map(({ grade }) => grade)).toEqual(['A', 'C', 'F']);
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    expect([await transactions(), await held('2026-01-31', 'allowance')]).toEqual([before, 0]);
    expect(await room.db.query('SELECT 1 FROM allowances')).toEqual([]);
  });

  test('another economy or other overlays are tried in a dry run alone', async () => {
    const macro = [{ fromMonth: 1, unemployment: '14', cpi: '6' }];
    const overlays = [{ name: 'Flood', reason: 'Wet cars', effect: 'raise', percent: '1', grade: 'C' }] as const;
    const sum = async (policy: object | null) => {
      const found = await service().book(ACTOR, { period: '2026-01', policy: policy as never }, dry);
      if (!('lenders' in found)) throw new Error(JSON.stringify(found));
      return found.lenders.reduce((so, { required }) => so + required, 0);
    };
    const usual = await sum(null);
    expect(await sum({ macro, horizon: 60 })).toBeGreaterThan(usual);
    expect(await sum({ overlays })).toBeGreaterThan(usual);
    expect(await sum({ method: 'none' })).toBe(0);
    expect(await service().book(ACTOR, { period: '2026-01', policy: {} })).toHaveProperty(
      'mistakes.0.pointer',
      '/policy',
    );
    const wrong = {
      macro: [{ fromMonth: 2, unemployment: '5', cpi: '2' }],
      overlays: [{ ...overlays[0], amount: '5' }],
    };
    const { mistakes } = (await service().book(ACTOR, { period: '2026-01', policy: wrong as never }, dry)) as never;
    expect((mistakes as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/policy/macro/0/fromMonth',
      '/policy/overlays/0',
    ]);
  });

  test('a month is booked on its last day, once, in order, and what the books hold is what was required', async () => {
    const shown = await book('2026-01', dry);
    const booked = await book('2026-01');
    expect(booked.lenders.map(({ transactionHash: _, ...one }) => one)).toEqual(
      shown.lenders.map(({ transactionHash: _, ...one }) => one),
    );
    for (const { lenderId, required, transactionHash } of booked.lenders) {
      expect(transactionHash).toMatch(/^0x/);
      expect(await held('2026-01-31', 'allowance', lenderId)).toBe(-required);
      expect(await held('2026-01-31', 'provisionExpense', lenderId)).toBe(required);
    }
    expect(await held('2026-01-30', 'allowance')).toBe(0);
    expect(await refused('2026-01')).toMatchObject({
      refused: 'wrong_period',
      detail: expect.stringContaining('already'),
    });
    const both = await Promise.all([refused('2026-02'), refused('2026-02')]);
    expect(both.filter((one) => 'lenders' in one)).toHaveLength(1);
    expect(await refused('2026-01')).toMatchObject({
      refused: 'wrong_period',
      detail: expect.stringContaining('in order'),
    });
    expect(await refused('2026-03')).toMatchObject({ refused: 'date_in_future' });
  });

  test('losses and recoveries of a month go to the allowance, and each month begins where the last one ended', async () => {
    room.on('2026-03-05');
    const lost = { do: 'charge-off', date: null, reason: 'Gone', collateral: null };
    await room.done(loans[2] as string, lost as never);
    room.on('2026-03-20');
    await room.done(loans[2] as string, repay('R-1', 50_000) as never);
    await room.loans.books.recordEntry(ACTOR, {
      ...{ date: date('2026-03-20'), lenderId: 'L-A', reason: 'Test', reverseOn: null },
      lines: [
        { account: 'allowance', amount: -1_000 },
        { account: 'provisionExpense', amount: 1_000 },
      ],
    });
    await through('2026-03-31');
    const expense = await held('2026-03-31', 'chargeOffExpense');
    const income = await held('2026-03-31', 'recoveryIncome');
    expect([expense > 0, income]).toEqual([true, -50_000]);
    const { lenders } = await book('2026-03');
    const [a] = lenders as [AllowanceBooking['lenders'][number]];
    expect(a).toMatchObject({ other: 1_000, chargedOff: expense, recovered: 50_000 });
    expect(a.opening + a.other - a.chargedOff + a.recovered + a.provision).toBe(a.required);
    // Nothing is expensed twice: the loss is in the allowance, and what it lacked in the provision.
    expect([await held('2026-03-31', 'chargeOffExpense'), await held('2026-03-31', 'recoveryIncome')]).toEqual([0, 0]);
    expect(await held('2026-03-31', 'allowance', 'L-A')).toBe(-a.required);
    const { lenders: rolled } = (await room.loans.books.rollForward(ACTOR, {
      period: '2026-03',
      lenderId: 'L-A',
    })) as never as {
      lenders: { accounts: { account: string; activity: object[] }[] }[];
    };
    expect(rolled[0]?.accounts.find(({ account }) => account === 'allowance')?.activity).toEqual([
      { entry: 'allowanceLoss', amount: a.chargedOff },
      { entry: 'allowanceRecovery', amount: -50_000 },
      { entry: 'manual', amount: -1_000 },
      { entry: 'provision', amount: -a.provision },
    ]);
    const report = await service().read(ACTOR, { asOf: null, by: 'pool', lenderId: null, knownOn: null });
    if ('refused' in report) throw new Error(report.detail);
    expect(report.months.map(({ period }) => period)).toEqual(['2026-01', '2026-02', '2026-03']);
    report.months.forEach(({ opening, other, chargedOff, recovered, provision, closing }, i) => {
      expect(opening + other - chargedOff + recovered + provision).toBe(closing);
      expect(opening).toBe(report.months[i - 1]?.closing ?? 0);
    });
    expect(report.totals.booked).toBe(-(await held('2026-04-01', 'allowance')));
  });

  test('every division adds up to the principal on the books, on a month end as it was known then, and today', async () => {
    for (const asOf of ['2026-01-31', '2026-02-28', '2026-03-31', null]) {
      for (const by of ['pool', 'grade', 'vintage', 'bucket', 'lender'] satisfies AllowanceSlice[]) {
        const report = await service().read(ACTOR, { asOf: asOf as PlainDate, by, lenderId: null, knownOn: null });
        if ('refused' in report) throw new Error(report.detail);
        const sum = (name: 'principal' | 'required') => report.slices.reduce((so, one) => so + one[name], 0);
        expect([by, sum('principal')]).toEqual([by, await held(report.asOf, 'loanPrincipal')]);
        expect([by, sum('required')]).toEqual([by, report.totals.required]);
      }
    }
    const one = await service().read(ACTOR, { asOf: null, by: 'lender', lenderId: 'L-B', knownOn: null });
    expect(one).toMatchObject({ slices: [{ slice: 'L-B', loans: 1 }] });
    const other = { ...ACTOR, organizationId: 'org_other' };
    expect(await service().read(other, { asOf: null, by: 'pool', lenderId: null, knownOn: null })).toMatchObject({
      ...{ slices: [], lenders: [], months: [], totals: { principal: 0, required: 0, booked: 0 } },
    });
    expect(await service().backTests(other, { lenderId: null })).toEqual([]);
  });

  test('dates that have no positions of their own, or are not known yet, are refused', async () => {
    const asked = { by: 'pool', lenderId: null, knownOn: null } as const;
    const read = (asOf: string, knownOn: string | null = null) =>
      service().read(ACTOR, { ...asked, asOf: date(asOf), knownOn: knownOn as PlainDate | null });
    expect(await read('2026-02-15')).toMatchObject({ refused: 'invalid_value', member: 'asOf' });
    expect(await read('2026-12-31')).toMatchObject({ refused: 'date_in_future' });
    expect(await read('2026-02-28', '2026-02-27')).toMatchObject({ refused: 'invalid_value', member: 'knownOn' });
    expect(await read('2026-02-28', '2026-03-31')).toHaveProperty('totals');
  });

  test('a back-test has what was lost of the loans that a booked month held, and nothing of later ones', async () => {
    const tests = await service().backTests(ACTOR, { lenderId: 'L-A' });
    if ('refused' in tests) throw new Error(tests.detail);
    expect(tests.map(({ period, months, recovered }) => [period, months, recovered])).toEqual([
      ['2026-03', 0, 0],
      ['2026-02', 1, 50_000],
      ['2026-01', 2, 50_000],
    ]);
    const [march, february, january] = tests;
    expect(february?.chargedOff).toBeGreaterThan(500_000);
    expect([march?.chargedOff, january?.chargedOff]).toEqual([0, february?.chargedOff]);
    for (const { expected, modelled } of tests) expect(expected).toBeLessThan(modelled);
  });

  test('a closed month never changes, and everything verifies; a row that was changed does not', async () => {
    await room.loans.books.closeMonths(ACTOR, { from: null, through: '2026-03' });
    expect(await refused('2026-03')).toMatchObject({ refused: 'wrong_period' });
    const before = await held('2026-03-31', 'allowance');
    await room.loans.books.recordEntry(ACTOR, {
      ...{ date: date('2026-03-31'), lenderId: 'L-A', reason: 'Late', reverseOn: null },
      lines: [
        { account: 'allowance', amount: -500 },
        { account: 'provisionExpense', amount: 500 },
      ],
    });
    expect([await held('2026-03-31', 'allowance'), await held('2026-04-01', 'allowance')]).toEqual([
      before,
      before - 500,
    ]);
    await room.loans.ledger.seal();
    expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
    await room.db.query("UPDATE journal SET amount = amount * 2 WHERE entry = 'provision'");
    const damaged = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
    expect(damaged.complaints.map(({ table }) => table)).toContain('journal');
  }, 60_000);
});

describe('over HTTP', () => {
  const BOOKS: Scope[] = ['loans:read', 'reports:read', 'books:write'];
  let all: Approving;
  let controller: Someone;
  let approver: Someone;
  beforeAll(async () => {
    all = await approving();
    await all.loan();
    all.on('2026-02-03');
    await all.service.loans.cycle.runCyclesThrough(all.service.organizationId, date('2026-02-02'));
    controller = await all.program(BOOKS);
    approver = await all.person('approver', {}, BOOKS);
  }, 60_000);
  afterAll(() => all?.service.close());

  test('it always waits for somebody else; what was approved is what was shown, once, and a repeated call answers the same', async () => {
    const dryRun = (await all.done(controller.post('allowance?dryRun=true', { period: '2026-01' }))).data;
    expect(dryRun).toMatchObject({ dryRun: true, period: '2026-01', lenders: [{ transactionHash: null }] });
    const keyed = { headers: { 'idempotency-key': 'january' } };
    const asked = (await all.done(controller.post('allowance', { period: '2026-01' }, keyed), 202)).data;
    expect(asked).toMatchObject({ operation: 'book-allowance', preview: { period: '2026-01' } });
    const approve = (by: Someone) => by.post('approve', { approvalId: asked.approvalId, reason: 'Seen' });
    expect((await approve(controller)).body.code).toBe('own_request');
    const { data } = await all.done(approve(approver));
    expect(data.result.lenders[0].required).toBe(dryRun.lenders[0].required);
    const again = await controller.post('allowance', { period: '2026-01' }, keyed);
    expect([again.status, again.body.data.lenders]).toEqual([200, data.result.lenders]);
    const second = await controller.post('allowance', { period: '2026-01' });
    expect([second.status, second.body.code]).toEqual([409, 'conflict']);
    expect(second.body.detail).toContain('booked already');
    const trail = (table: string) =>
      `SELECT subject FROM ${table} WHERE operation = 'book-allowance' AND outcome = 'done'`;
    expect(await all.service.db.query(`${trail('audit')} UNION ALL ${trail('audit_waiting')}`)).toEqual([
      { subject: '2026-01' },
    ]);
    const { totals, slices } = (await all.done(controller.get('allowance?asOf=2026-01-31&by=grade'))).data;
    expect(totals).toMatchObject({ booked: dryRun.lenders[0].required, difference: '0' });
    expect(slices).toHaveLength(1);
    const { items } = (await all.done(controller.get('ledger/entries?date=2026-01-31'))).data;
    expect(items.map(({ type }: { type: string }) => type)).toContain('allowanceBooked');
    const csv = await controller.get('allowance?asOf=2026-01-31', { headers: { accept: 'text/csv' } });
    expect(csv.text.split('\r\n')).toHaveLength(3);
    expect((await all.done(controller.get('allowance/back-tests'))).data.items).toHaveLength(1);
  });

  test('a month that was closed without one is refused, and its books stay as they are', async () => {
    all.on('2026-03-02');
    await all.service.loans.cycle.runCyclesThrough(all.service.organizationId, date('2026-03-01'));
    await all.done(controller.post('ledger/close', { through: '2026-02' }));
    const before = (await all.done(controller.get('ledger/trial-balance?asOf=2026-02-28'))).data;
    const late = await controller.post('allowance', { period: '2026-02' });
    expect([late.status, late.body.code]).toEqual([409, 'conflict']);
    expect(late.body.detail).toContain('2026-02 is closed');
    expect((await all.done(controller.get('ledger/trial-balance?asOf=2026-02-28'))).data).toEqual(before);
  });

  test('who may not, and what is no month', async () => {
    const reader = await all.program(['loans:read', 'reports:read']);
    expect((await reader.post('allowance', { period: '2026-01' })).status).toBe(403);
    expect((await (await all.program(['loans:read'])).get('allowance')).status).toBe(403);
    expect((await controller.post('allowance', { period: '2026-13' })).status).toBe(422);
    expect((await controller.get('allowance?by=color')).status).toBe(422);
  });

  test('the policy of a lender has its overlays, and they count from its day on', async () => {
    const overlays = [{ name: 'Flood', reason: 'Wet cars', effect: 'raise', amount: '123.45' }];
    await all.policy({ allowance: { horizon: 12, overlays } });
    const { lenders } = (await all.done(controller.get('allowance'))).data;
    expect(lenders[0]).toMatchObject({ horizon: 12, reversion: 12, overlays: [{ name: 'Flood', amount: '123.45' }] });
    const january = (await all.done(controller.get('allowance?asOf=2026-01-31'))).data;
    expect(january.lenders[0]).toMatchObject({ horizon: 24, overlays: [] });
  });
});
