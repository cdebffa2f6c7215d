/** Positions of loans that are sold and come back: what each owner knows, since when, and whose servicers count. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addDays, date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const on: TestLoans['on'] = (...when) => room.on(...when);

async function as(actor: Actor, loanId: string, command: Command): Promise<void> {
  expect(await room.write(loanId, command, { actor })).toMatchObject({ kind: 'done' });
}

/** The nights up to the one after a day, of both. */
async function nights(day: string): Promise<void> {
  on(addDays(date(day), 1), 0.1);
  for (const { organizationId } of [ACTOR, BUYER]) await room.loans.cycle.runCyclesThrough(organizationId, date(day));
}

/** Offered and accepted on the day before, and carried out in the night. */
async function sell(loanId: string, day: string, { from, to, lenderId }: { from: Actor; to: Actor; lenderId: string }) {
  const before = addDays(date(day), -1);
  on(before);
  const owner = { organizationId: to.organizationId, lenderId };
  await as(from, loanId, {
    ...{ do: 'transfer', transferId: `T-${day}`, what: 'owner', to: owner },
    ...{ date: date(day), reason: 'sale', from: null },
  } as Command);
  await as(to, loanId, { do: 'accept-transfer', servicerId: `of ${lenderId}` });
  await nights(before);
  expect(await room.loans.transfers.carryOutDue()).toBe(1);
}

const TO_BUYER = { from: ACTOR, to: BUYER, lenderId: 'L-9' };
const BACK = { from: BUYER, to: ACTOR, lenderId: 'L-3' };

/** The rows of an owner: date, the day on which it was known, lender and servicer, principal. */
async function rowsOf({ organizationId }: Actor): Promise<string[]> {
  const rows = await room.db.query<{ row: string }>(
    `SELECT concat_ws(', ', date, known_on, lender_id, primary_servicer_id, principal) AS row FROM positions
     WHERE organization_id = $1 ORDER BY date, known_on`,
    [organizationId],
  );
  return rows.map(({ row }) => row);
}

async function sound(): Promise<void> {
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints.map(complaintLine)).toEqual([]);
}

test('what another owner recorded restates the first one’s positions on the day on which the loan comes back', async () => {
  const loanId = await room.live();
  await sell(loanId, '2026-02-10', TO_BUYER);
  on('2026-02-20');
  await as(BUYER, loanId, repay('P-1', 50_000, { date: date('2026-01-01'), reason: 'lockbox' }));
  await nights('2026-03-05');
  const before = ['2026-01-31, 2026-01-31, L-1, S-1, 1000000', '2026-02-28, 2026-02-28, L-1, S-1, 0'];
  expect(await rowsOf(ACTOR)).toEqual(before);
  await sound();
  await sell(loanId, '2026-03-10', BACK);
  await nights('2026-03-10');
  const [january, february] = before as [string, string];
  // Its February ended with the sale, and began with less principal.
  const since = [january, '2026-01-31, 2026-03-10, L-1, S-1, 950000', february, '2026-02-28, 2026-03-10, L-1, S-1, 0'];
  expect(await rowsOf(ACTOR)).toEqual(since);
  await sound();
  // Nothing is left to be told by the next record that looks back.
  on('2026-03-20');
  await as(ACTOR, loanId, repay('P-2', 10_000, { date: date('2026-03-15'), reason: 'lockbox' }));
  await as(ACTOR, loanId, {
    do: 'return-repayment',
    refId: 'P-2',
    date: null,
    code: 'R01',
    reason: 'no funds',
  } as Command);
  await nights('2026-03-20');
  expect(await rowsOf(ACTOR)).toEqual(since);
  await sound();
});

test('the position in the month of a sale keeps the servicer that the seller had, also when the loan comes back', async () => {
  const loanId = await room.live();
  await sell(loanId, '2026-01-20', TO_BUYER);
  await sell(loanId, '2026-02-10', BACK);
  await nights('2026-02-10');
  const [sold, bought] = ['2026-01-31, 2026-01-31, L-1, S-1, 0', '2026-01-31, 2026-01-31, L-9, of L-9, 1000000'];
  expect(await rowsOf(ACTOR)).toEqual([sold]);
  expect(await rowsOf(BUYER)).toEqual([bought]);
  await sound();
  // A return makes the night look at every earlier date: none has changed.
  on('2026-02-12');
  await as(ACTOR, loanId, repay('P-1', 10_000));
  await as(ACTOR, loanId, {
    do: 'return-repayment',
    refId: 'P-1',
    date: null,
    code: 'R01',
    reason: 'no funds',
  } as Command);
  await nights('2026-02-12');
  expect(await rowsOf(ACTOR)).toEqual([sold]);
  expect(await rowsOf(BUYER)).toEqual([bought]);
  await sound();
  await nights('2026-02-28');
  expect((await rowsOf(ACTOR)).slice(1)).toEqual(['2026-02-28, 2026-02-28, L-3, of L-3, 1000000']);
  await sound();
});
