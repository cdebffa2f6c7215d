/** Exports that are cut and continued are the uncut ones, whatever is written meanwhile; and who sees which rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowsOf, wholeRows } from '../../../test/support/exports.ts';
import { ACTOR, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { date, type PlainDate } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import type { Actor } from '../door/actor.ts';
import { EXPORTS, type ExportName } from './columns.ts';
import type { Started } from './exports.ts';
import type { ExportQuery } from './source.ts';
import type { ExportFormat } from './text.ts';

const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const ALL: ExportQuery = {
  asOf: null,
  knownAt: null,
  from: null,
  to: null,
  lenderId: null,
  statuses: [],
  personal: false,
};
const DAY = 86_400_000;

let room: TestLoans;
let loanIds: string[];
beforeAll(async () => {
  room = await testLoans();
  loanIds = [];
  for (let n = 0; n < 6; n += 1) {
    const lenderId = ['L-1', '-7', 'L-3'][n % 3] as string;
    loanIds.push(
      await (n === 5 ? room.create({ lenderId }) : room.live({ lenderId, primaryServicerId: `S-${n % 2}` })),
    );
  }
  for (let day = 1; day <= 3; day += 1) {
    room.clock.now += DAY;
    for (const [n, loanId] of loanIds.slice(0, 5).entries()) {
      if (n === 3 || n % 3 >= day % 3) await room.done(loanId, repay(`P-${n}-${day}`, 1_000 * day + n));
    }
  }
  await room.done(loanIds[3] as string, returned('P-3-1'));
  await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date('2026-01-03'));
  await sell(loanIds[1] as string);
  await addPositions();
}, 60_000);
afterAll(() => room.close());

const returned = (refId: string): Command => ({
  do: 'return-repayment',
  refId,
  date: null,
  code: 'R01',
  reason: 'no funds',
});

async function sell(loanId: string): Promise<void> {
  const today = new Date(room.clock.now).toISOString().slice(0, 10) as PlainDate;
  const to = { organizationId: 'org_other', lenderId: 'L-9' };
  const offer: Command = {
    ...{ do: 'transfer', transferId: `T-${loanId.slice(2, 10)}`, what: 'owner', to, reason: 'sale', from: null },
    date: today,
  };
  await room.done(loanId, offer);
  const accepted = await room.write(loanId, { do: 'accept-transfer', servicerId: 'S-9' }, { actor: BUYER });
  expect(accepted.kind).toBe('done');
  await room.loans.transfers.carryOutDue();
}

/** Two month ends of every loan, one of them restated, one taken back. */
async function addPositions(): Promise<void> {
  const insert = (knownOn: string, day: string, principal: number, withdrawn: boolean) =>
    room.db.query(
      `INSERT INTO positions (volume, loan_id, date, known_on, organization_id, lender_id, primary_servicer_id, withdrawn, status, days_past_due,
         original, rate, remaining, principal, interest, fees, credits, kept, opening_principal, disbursed, principal_received, interest_received,
         fees_received, unscheduled_principal, charged_off, recovered, forgiven, returned, received_late, scheduled, scheduled_principal)
       SELECT volume, loan_id, $2::date, $1::date, organization_id, lender_id, primary_servicer_id, $4, 'Current', 0, 1000, 12, 11, $3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       FROM loans`,
      [knownOn, day, principal, withdrawn],
    );
  await insert('2025-10-31', '2025-10-31', 900, false);
  await insert('2025-11-30', '2025-11-30', 800, false);
  await insert('2026-01-02', '2025-11-30', 750, false);
  await insert('2025-12-31', '2025-12-31', 700, false);
  await insert('2026-01-03', '2025-12-31', 0, true);
  // A row of a day whose cycle had not run when the export began.
  await insert('2026-01-20', '2025-10-31', 1, false);
}

async function started(
  what: ExportName,
  more: Partial<ExportQuery> = {},
  after: string | null = null,
  actor = ACTOR,
): Promise<Started> {
  const found = await room.loans.exports.start(actor, what, { ...ALL, ...more }, after);
  if ('wrong' in found) throw new Error(`Not started: ${found.wrong}`);
  return found;
}

async function textOf(one: Started, format: ExportFormat): Promise<string> {
  let text = '';
  for await (const piece of one.text(format)) text += piece;
  return text;
}

const exported = async (what: ExportName, more: Partial<ExportQuery> = {}, actor = ACTOR) =>
  rowsOf(await textOf(await started(what, more, null, actor), 'ndjson'), 'ndjson');

describe.each(EXPORTS)('an export of %s', (what) => {
  test.each(['csv', 'ndjson'] as const)('that is cut anywhere is continued without a gap as %s', async (format) => {
    const whole = await textOf(await started(what), format);
    const rows = rowsOf(whole, format);
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.map(({ cursor }) => cursor?.endsWith('.end'))).toEqual(rows.map((_, i) => i === rows.length - 1));
    const resumed = async (part: string) => {
      const { kept, cursor } = wholeRows(part, format);
      return cursor === null ? whole : kept + (await textOf(await started(what, {}, cursor), format));
    };
    // After every row.
    const lines = whole.split(/(?<=\n)/);
    for (let n = 1; n <= lines.length; n += 1) expect(await resumed(lines.slice(0, n).join(''))).toBe(whole);
    // Within rows, and of a multi-byte text none is half a character here: a client cuts at whole rows.
    for (let at = 1; at < whole.length; at += 997) expect(await resumed(whole.slice(0, at))).toBe(whole);
  });

  test('is the same, byte for byte, when it is taken twice', async () => {
    expect(await textOf(await started(what), 'csv')).toBe(await textOf(await started(what), 'csv'));
  });
});

test('a loan that is sold after the export began is still in the rest of it, and not in the buyer’s', async () => {
  const first = await started('loans');
  const whole = await textOf(first, 'csv');
  const buyers = await started('loans', {}, null, BUYER);
  const before = await textOf(buyers, 'csv');
  await sell(loanIds[4] as string);
  expect(await textOf(await started('loans', {}, first.cursor), 'csv')).toBe(whole);
  expect(await textOf(await started('loans', {}, buyers.cursor, BUYER), 'csv')).toBe(before);
  expect(rowsOf(before, 'csv')).toHaveLength(1);
  expect(await exported('loans', {}, BUYER)).toHaveLength(2);
  // The former owner sees what it owned, as in reads.
  const mine = (await exported('loans')).find(({ loanId }) => loanId === loanIds[4]);
  const read = await room.loans.reads.read(ACTOR, loanIds[4] as string, { asOf: null, knownAt: null });
  if (read === null || read === 'before') throw new Error('Not seen.');
  expect([mine?.version, mine?.asOf, mine?.lenderId]).toEqual([read.version, read.loan.on, read.file.lenderId]);
});

test('a grant that is limited to a servicer shows the loans of that servicer', async () => {
  const grants = [{ ownerOrganizationId: ACTOR.organizationId, access: 'read' as const, servicerId: 'S-1' }];
  const servicer: Actor = { ...ACTOR, organizationId: 'org_third', grants };
  for (const what of ['loans', 'payments', 'journal', 'positions'] as const) {
    // An entry of a lender's book is of no loan.
    const all = new Set((await exported(what)).flatMap(({ loanId }) => loanId ?? []) as string[]);
    const shown = new Set((await exported(what, {}, servicer)).map(({ loanId }) => String(loanId)));
    const loans = await Promise.all(
      [...all].map(async (loanId) =>
        (await room.loans.reads.read(servicer, String(loanId), { asOf: null, knownAt: null })) === null ? [] : [loanId],
      ),
    );
    const visible = new Set(loans.flat());
    expect(shown.size, what).toBeGreaterThan(0);
    expect(shown.size, what).toBeLessThan(all.size);
    expect([...shown].filter((one) => !visible.has(one))).toEqual([]);
    expect([...all].filter((one) => visible.has(one) && !shown.has(one))).toEqual([]);
  }
});

test('each row of a loan is the one that a read of the loan shows, on any date and as known at any time', async () => {
  for (const how of [
    { asOf: null, knownAt: null },
    { asOf: date('2026-01-03'), knownAt: null },
    { asOf: null, knownAt: '2026-01-03T00:00:00.000Z' },
    { asOf: date('2026-01-04'), knownAt: '2026-01-04T00:00:00.000Z' },
  ]) {
    const rows = await exported('loans', how);
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) {
      const view = await room.loans.reads.read(ACTOR, row.loanId as string, how);
      if (view === null || view === 'before') throw new Error('Not seen.');
      const { loan } = view;
      expect([row.version, row.asOf, row.loanStatus]).toEqual([view.version, loan.on, view.status]);
      expect(row.principal).toBe(((loan.stage === 'Funded' ? loan.principal : 0) / 100).toFixed(2));
      expect(row.received).toBe((loan.totals.received / 100).toFixed(2));
    }
  }
});

test('payments and journal lines are those of the loans; filters narrow them', async () => {
  const payments = await exported('payments');
  const sum = (rows: Record<string, string>[], name: string) =>
    rows.reduce((all, row) => all + Math.round(Number(row[name]) * 100), 0);
  const stayed = payments.filter(({ status }) => status === 'Submitted' || status === 'Acknowledged');
  expect(sum(stayed, 'amount')).toBe(sum(await exported('loans'), 'received'));
  expect(payments.some(({ status }) => status === 'Returned')).toBe(true);
  const some = await exported('payments', { from: date('2026-01-03'), to: date('2026-01-04'), lenderId: '-7' });
  expect(some).toEqual(
    payments
      .filter(
        (row) => `${row.paymentDate}` >= '2026-01-03' && `${row.paymentDate}` <= '2026-01-04' && row.lenderId === '-7',
      )
      .map((row) => ({ ...row, cursor: expect.any(String) })),
  );
  expect(some.length).toBeGreaterThan(0);
  const lines = await exported('journal');
  expect(sum(lines, 'debit')).toBe(sum(lines, 'credit'));
  const [posted] = await room.db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM journal WHERE organization_id = $1',
    [ACTOR.organizationId],
  );
  expect(lines).toHaveLength(posted?.count ?? 0);
  expect(lines.some(({ loanId }) => loanId === null)).toBe(true);
  expect((await exported('loans', { statuses: ['ApplicationSubmitted'] })).length).toBeGreaterThan(0);
});

test('positions are the last rows that were known when the cycle had run', async () => {
  const rows = (await exported('positions')).filter(({ loanId }) => loanId === loanIds[0]);
  expect(rows.map(({ date: day, knownOn, principal }) => [day, knownOn, principal])).toEqual([
    ['2025-10-31', '2025-10-31', '9.00'],
    ['2025-11-30', '2026-01-02', '7.50'],
  ]);
  const then = await exported('positions', { asOf: date('2025-11-30'), knownAt: '2025-12-31T12:00:00.000Z' });
  expect(new Set(then.map(({ principal }) => principal))).toEqual(new Set(['8.00']));
});

test('a cursor is of its own export: another organization, another export, another filter and an old one are refused', async () => {
  const { cursor } = await started('loans', { lenderId: 'L-1' });
  const wrong = (actor: Actor, what: ExportName, more: Partial<ExportQuery>, after: string) =>
    room.loans.exports.start(actor, what, { ...ALL, ...more }, after);
  expect(await wrong(BUYER, 'loans', {}, cursor)).toEqual({ wrong: 'cursor' });
  expect(await wrong(ACTOR, 'payments', {}, cursor)).toEqual({ wrong: 'cursor' });
  expect(await wrong(ACTOR, 'loans', { lenderId: 'L-3' }, cursor)).toEqual({ wrong: 'lenderId' });
  expect(await wrong(ACTOR, 'loans', { personal: true }, cursor)).toEqual({ wrong: 'personal' });
  expect(await wrong(ACTOR, 'loans', {}, `${cursor.split('.')[0]}.nonsense`)).toEqual({ wrong: 'cursor' });
  expect(await wrong(ACTOR, 'loans', {}, 'exp_000000000000000000000000.start')).toEqual({ wrong: 'cursor' });
  room.clock.now += 8 * DAY;
  await started('journal');
  expect(await wrong(ACTOR, 'loans', {}, cursor)).toEqual({ wrong: 'cursor' });
});

describe.each(EXPORTS)('an export of %s', (what) => {
  test('is of the moment at which it began, whatever two writers add meanwhile', async () => {
    const first = await started(what);
    const whole = await textOf(first, 'ndjson');
    const cursors = rowsOf(whole, 'ndjson').map(({ cursor }) => cursor as string);
    const other = room.another();
    room.clock.now += DAY;
    // From before the first row, after some of the rows, and after the last.
    const step = Math.ceil(cursors.length / 5);
    for (let i = 0; i <= cursors.length; i += step) {
      const cursor = i === 0 ? first.cursor : (cursors[i - 1] as string);
      await Promise.all([
        room.write(loanIds[i % 3] as string, repay(`W-${what}-${i}`, 500)),
        other.write(
          { ...ACTOR, clientId: 'second' },
          { loanId: loanIds[4] as string, command: repay(`V-${what}-${i}`, 300), reason: null, answer: () => '' },
          { dryRun: false, ifVersion: null, idempotency: null },
        ),
        room.create({ lenderId: 'L-1' }),
      ]);
      const rest = await textOf(await started(what, {}, cursor), 'ndjson');
      expect(whole.endsWith(rest)).toBe(true);
      expect(rowsOf(rest, 'ndjson')).toHaveLength(cursors.length - i);
    }
    if (what !== 'positions') expect(await textOf(await started(what), 'ndjson')).not.toBe(whole);
  });
});
