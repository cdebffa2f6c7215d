/** Events recorded on a later day than today (a clock was ahead, a zone moved): reads and writes use that day, and nothing is applied twice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command } from '../../src/core/decide/decide.ts';
import type { LoanView } from '../../src/loans/reads/view.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../support/loans.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const NOW = { asOf: null, knownAt: null };
const noon = (day: number) => Date.UTC(2026, 0, day, 12);
const FEE = {
  do: 'assess-fee',
  feeId: 'F',
  kind: 'fee',
  name: 'wire',
  amount: 1_500,
  date: null,
} as unknown as Command;

test('clock one day ahead, one payment, clock right again: reads and writes agree about the balance', async () => {
  room.clock.now = noon(1);
  const loanId = await room.live();
  room.clock.now = noon(11);
  const { loan: after } = await room.done(loanId, repay('R-1', 50_000));
  room.clock.now = noon(10);
  const tried = await room.write(loanId, { do: 'payment-reminders' }, { dryRun: true });
  if (tried.kind !== 'done') throw new Error(tried.kind);
  const balance = { on: '2026-01-11', principal: after.principal };
  expect(tried.change.loan).toMatchObject(balance);
  for (const loans of [room.loans, room.another()]) {
    expect(((await loans.reads.read(ACTOR, loanId, NOW)) as LoanView).loan).toMatchObject(balance);
    expect(await loans.reads.readFull(ACTOR, loanId, NOW)).toMatchObject({ view: { loan: balance } });
    expect(await loans.reads.readPublic(ACTOR, loanId, NOW)).toMatchObject({ view: { loan: balance } });
  }
  // Also with knownAt a moment later by a correct clock.
  const knownAt = new Date(noon(11) + 1).toISOString();
  expect(await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt })).toMatchObject({ loan: balance });
});

test('and so do lists, in what they show and in what they filter', async () => {
  room.clock.now = noon(1);
  const loanId = await room.live({ applicationId: 'LISTED' });
  // Due on 1 February; delinquent once the grace days are over.
  room.clock.now = Date.UTC(2026, 1, 20, 12);
  await room.done(loanId, { do: 'payment-reminders' });
  room.clock.now = Date.UTC(2026, 1, 1, 12);
  const found = async (filter: object) => {
    const page = { limit: 10, cursor: null, sort: 'createdAt' as const };
    const list = await room.loans.reads.list(ACTOR, { ...page, applicationId: 'LISTED', ...filter });
    return list === 'bad_cursor' ? [] : list.items;
  };
  expect(await found({})).toMatchObject([{ loanStatus: 'Delinquent', delinquentDays: 19, bucket: '1-29' }]);
  expect(await found({ status: ['Delinquent'] })).toHaveLength(1);
  expect(await found({ bucket: '1-29' })).toHaveLength(1);
  expect(await found({ status: ['Current'] })).toEqual([]);
  expect(await found({ bucket: 'current' })).toEqual([]);
});

test('zone moved west: a fee is charged once', async () => {
  room.clock.now = noon(1);
  const loanId = await room.live();
  room.clock.now = Date.UTC(2026, 0, 11, 1);
  await room.done(loanId, FEE);
  // In SQL, so that it takes effect at once: through the API no day ever goes back.
  await room.db.query("UPDATE organizations SET time_zone = 'America/Los_Angeles'");
  room.clock.now += 60_000;
  const west = room.another();
  expect(await west.door.clockView(ACTOR.organizationId)).toMatchObject({
    timeZone: 'America/Los_Angeles',
    today: '2026-01-10',
  });
  const again = await west.write(ACTOR, { loanId, command: FEE, reason: null, answer: () => '' }, PLAIN);
  expect(again).toMatchObject({ kind: 'refused', refusal: { refused: 'reference_conflict' } });
  const { loan } = (await west.reads.read(ACTOR, loanId, NOW)) as LoanView;
  expect(loan).toMatchObject({ on: '2026-01-11', fees: [{ feeId: 'F', amount: 1_500 }] });
});
