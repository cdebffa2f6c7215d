/** Transfers of many loans: in the background, once each, resumable, with the reasons of what is refused. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { date } from '../../core/calendar.ts';
import type { Actor } from '../door/actor.ts';
import { verifyBook } from '../verify/book.ts';
import type { RunStatus, TransferOrder } from './runs.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const ALL = { after: null, limit: 100 };
const HOW = { dryRun: false, keep: async () => {} };

async function start(actor: Actor, asked: TransferOrder, how = HOW): Promise<RunStatus> {
  const run = await room.loans.transfers.start(actor, asked, how);
  if ('kind' in run) throw new Error(`Not started: ${run.kind}`);
  return run;
}

const toServicer = (to: string, loanIds: string[] | null, filter: object | null = null): TransferOrder => ({
  request: { kind: 'transfer', what: 'servicer', to, date: date('2026-01-01'), filter },
  loanIds,
  reason: 'agreement 7',
});

const rows = (sql: string) => room.db.query<Record<string, unknown>>(sql);

test('loans by id and by a filter, with what is refused and why; a dry run only counts', async () => {
  const live = [await room.live(), await room.live()];
  const early = await room.create();
  const asked = toServicer('S-2', [...live, early, `0x${'0'.repeat(64)}`]);
  const trial = await start(ACTOR, asked, { ...HOW, dryRun: true });
  const run = await start(ACTOR, asked);
  expect(run).toMatchObject({ pending: 4, done: 0, endedAt: null });
  expect(await room.loans.transfers.goOn()).toBe(8);
  for (const { transferId } of [trial, run]) {
    expect(await room.loans.transfers.run(ACTOR, transferId, ALL)).toMatchObject({
      ...{ pending: 0, done: 2, refused: 2, gathered: true, dryRun: transferId === trial.transferId },
      refusals: [
        { refusal: 'unknown_reference', count: 1 },
        { refusal: 'wrong_status', count: 1 },
      ],
    });
    expect(await room.loans.transfers.run(BUYER, transferId, ALL)).toBeNull();
  }
  expect(await rows('SELECT DISTINCT transfer_id, state FROM transfers')).toEqual([
    { transfer_id: run.transferId, state: 'done' },
  ]);
  // The reason is sealed beside each event, and gone from the run.
  expect(await rows("SELECT count(note)::int AS notes FROM events WHERE type = 'transferred'")).toEqual([{ notes: 2 }]);
  expect(await rows('SELECT count(reason)::int AS reasons FROM transfer_runs')).toEqual([{ reasons: 0 }]);
  const filtered = await start(ACTOR, toServicer('S-3', null, { servicerId: 'S-2' }));
  expect(await room.loans.transfers.goOn()).toBe(2);
  expect(await room.loans.transfers.run(ACTOR, filtered.transferId, ALL)).toMatchObject({ done: 2, refused: 0 });
  expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
});

test('a process that stopped leaves the rest to another, and no loan is transferred twice', async () => {
  const live = [await room.live(), await room.live(), await room.live()];
  const { transferId } = await start(ACTOR, toServicer('S-2', live));
  // As if a process had carried out all loans, and ended before it noted that.
  await rows('CREATE TABLE kept AS SELECT * FROM transfer_runs');
  await room.loans.transfers.goOn();
  await rows('DELETE FROM transfer_runs');
  await rows('INSERT INTO transfer_runs SELECT * FROM kept');
  await rows("UPDATE transfer_run_loans SET state = 'pending'");
  const other = room.another();
  await Promise.all([other.transfers.goOn(), room.loans.transfers.goOn()]);
  expect(await room.loans.transfers.run(ACTOR, transferId, ALL)).toMatchObject({ pending: 0, done: 3, refused: 0 });
  expect(await rows("SELECT count(*)::int AS n FROM events WHERE type = 'transferred'")).toEqual([{ n: 3 }]);
});

test('a new owner accepts a whole transfer; scope and key are checked before any loan', async () => {
  const live = [await room.live(), await room.live()];
  const to = { organizationId: 'org_other', lenderId: 'L-9' };
  const request = { kind: 'transfer', what: 'owner', to, date: date('2026-01-01'), filter: null } as const;
  const asked = { request, loanIds: live, reason: 'sale 7' };
  const refused = async (actor: Actor) => room.loans.transfers.start(actor, asked, HOW);
  expect(await refused({ ...ACTOR, keyId: null })).toMatchObject({ kind: 'denied', needs: 'key' });
  expect(await refused({ ...ACTOR, scopes: new Set(['servicing:write']) })).toMatchObject({ kind: 'denied' });
  const { transferId } = await start(ACTOR, asked);
  await room.loans.transfers.goOn();
  const accepting = {
    request: { kind: 'accept', transferId, servicerId: 'S-B' },
    loanIds: null,
    reason: null,
  } as const;
  const accepted = await start(BUYER, accepting);
  await room.loans.transfers.goOn();
  expect(await room.loans.transfers.run(BUYER, accepted.transferId, ALL)).toMatchObject({ done: 2, refused: 0 });
  expect(await room.loans.transfers.carryOutDue()).toBe(2);
  expect(
    await rows('SELECT DISTINCT organization_id AS o, lender_id AS l, primary_servicer_id AS s FROM loans'),
  ).toEqual([{ o: 'org_other', l: 'L-9', s: 'S-B' }]);
  expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
});
