/** Transfers through the write path: of servicers, and of owners with the books of both. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { date } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import type { Actor } from '../door/actor.ts';
import type { LoanPage } from '../reads/list.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const on: TestLoans['on'] = (...when) => room.on(...when);
const NOW = { asOf: null, knownAt: null };

const toServicer = (to: string, day: string): Command => ({
  do: 'transfer',
  transferId: `T-${to}-${day}`,
  what: 'servicer',
  to,
  date: date(day),
  reason: 'agreement',
  from: null,
});

const granted = (servicerId: string): Actor => ({
  ...ACTOR,
  organizationId: 'org_other',
  clientId: servicerId,
  grants: [{ ownerOrganizationId: ACTOR.organizationId, access: 'servicing', servicerId }],
});

const servicerSeen = async (actor: Actor, loanId: string, asOf: string | null = null) => {
  const view = await room.loans.reads.readState(actor, loanId, {
    asOf: asOf === null ? null : date(asOf),
    knownAt: null,
  });
  return view === null || view === 'before' ? view : view.file.primaryServicerId;
};

const refusal = (outcome: { kind: string }) =>
  'refusal' in outcome ? (outcome.refusal as { refused: string }).refused : outcome.kind;

async function sound() {
  const report = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(report.complaints).toEqual([]);
}

describe('a new servicer', () => {
  test('has the loan at once, and the former one no longer does', async () => {
    const loanId = await room.live();
    const [former, next] = [granted('S-1'), granted('S-2')];
    expect(await servicerSeen(former, loanId)).toBe('S-1');
    expect(await servicerSeen(next, loanId)).toBeNull();
    on('2026-01-10');
    const change = await room.done(loanId, toServicer('S-2', '2026-01-10'));
    expect(change.transfer).toMatchObject({ state: 'done', date: '2026-01-10' });
    expect(await servicerSeen(former, loanId)).toBeNull();
    expect(await servicerSeen(next, loanId)).toBe('S-2');
    expect(await servicerSeen(ACTOR, loanId, '2026-01-09')).toBe('S-1');
    expect(await servicerSeen(ACTOR, loanId, '2026-01-10')).toBe('S-2');
    const listed = async (actor: Actor) =>
      (await room.loans.reads.list(actor, { limit: 10, cursor: null, sort: '-createdAt' })) as LoanPage;
    expect((await listed(former)).items).toEqual([]);
    expect((await listed(next)).items).toMatchObject([{ loanId, primaryServicerId: 'S-2' }]);
    expect(refusal(await room.write(loanId, repay('P-1', 10_000), { actor: former }))).toBe('missing');
    expect(refusal(await room.write(loanId, repay('P-1', 10_000), { actor: next }))).toBe('done');
    await sound();
  });

  test('has it from a later date on, by itself; another process that remembers the loan finds out', async () => {
    const loanId = await room.live();
    const other = room.another();
    const [former, next] = [granted('S-1'), granted('S-2')];
    const change = await room.done(loanId, toServicer('S-2', '2026-02-01'));
    expect(change.transfer).toMatchObject({ state: 'scheduled', date: '2026-02-01' });
    expect(await other.ledger.transactions(former, loanId)).not.toBeNull();
    on('2026-01-31', 23);
    expect(await room.loans.transfers.carryOutDue()).toBe(0);
    await sound();
    on('2026-02-01', 0);
    expect(await room.loans.transfers.carryOutDue()).toBe(1);
    expect(await other.transfers.carryOutDue()).toBe(0);
    expect(await other.ledger.transactions(former, loanId)).toBeNull();
    expect(await other.reads.readFull(former, loanId, NOW)).toBeNull();
    expect(await other.ledger.transactions(next, loanId)).not.toBeNull();
    expect(await servicerSeen(next, loanId)).toBe('S-2');
    await sound();
  });

  test('is refused where it makes no sense, and can be cancelled until it is carried out', async () => {
    const loanId = await room.live();
    const refused = async (command: Command) => refusal(await room.write(loanId, command));
    expect(await refused(toServicer('S-1', '2026-02-01'))).toBe('contradiction');
    expect(await refused(toServicer('S-2', '2025-12-31'))).toBe('invalid_value');
    expect(await refused(toServicer('S-2', '2027-02-01'))).toBe('invalid_value');
    expect(await refused({ ...toServicer('S-2', '2026-02-01'), reason: '' } as Command)).toBe('reason_required');
    await room.done(loanId, toServicer('S-2', '2026-02-01'));
    expect(await refused(toServicer('S-3', '2026-02-01'))).toBe('reference_conflict');
    const version = (await room.done(loanId, toServicer('S-2', '2026-02-01'))).version;
    const { rows } = { rows: await room.db.query('SELECT state FROM transfers') };
    expect(rows).toEqual([{ state: 'scheduled' }]);
    const cancelled = await room.done(loanId, { do: 'cancel-transfer', what: null, reason: null });
    expect(cancelled.version).toBe(version + 1);
    expect(await refused({ do: 'cancel-transfer', what: null, reason: null })).toBe('unknown_reference');
    on('2026-02-02');
    expect(await room.loans.transfers.carryOutDue()).toBe(0);
    expect(await servicerSeen(ACTOR, loanId)).toBe('S-1');
    expect(refusal(await room.write(await room.create(), toServicer('S-2', '2026-03-01')))).toBe('wrong_status');
    await sound();
  });
});
