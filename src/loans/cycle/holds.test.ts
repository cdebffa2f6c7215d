/** The nightly cycle on loans with holds: expiries are recorded, charge-offs proposed for the right reason, and the books tie. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLAT_LATE_FEE } from '../../../test/support/life.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { date, type PlainDate } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { isRefusal } from '../../core/refusal.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const at = (day: string) => {
  room.clock.now = Date.parse(`${day}T12:00:00Z`);
};

type PlaceHold = Extract<Command, { do: 'place-hold' }>;

const hold = (kind: PlaceHold['kind'], more: Partial<PlaceHold> = {}): PlaceHold => ({
  do: 'place-hold',
  holdId: kind,
  kind,
  from: null,
  to: null,
  bankruptcy: null,
  detailed: false,
  reason: 'told',
  ...more,
});

test('expiries, proposals and late fees under holds', async () => {
  at('2026-01-01');
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const loanId = await room.create({}, { policy: { ...DEFAULT_POLICY, lateFee: FLAT_LATE_FEE } });
    await room.done(loanId, { do: 'start-underwriting' });
    await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
    ids.push(loanId);
  }
  const [bankrupt = '', struck = '', late = '', cleared = ''] = ids;
  at('2026-01-20');
  const bankruptcy = { chapter: 7, filed: date('2026-01-10'), discharged: null, reaffirmed: false } as const;
  await room.done(bankrupt, hold('bankruptcy', { bankruptcy }));
  await room.done(struck, hold('disaster', { from: date('2026-01-15'), to: date('2026-03-15') }));
  await room.done(cleared, hold('fraud'));
  at('2026-03-02');
  await room.done(cleared, { do: 'release-hold', holdId: 'fraud', date: null, reason: 'cleared' });
  at('2026-03-20');
  await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date('2026-03-19'));

  const read = (day: string) => room.loans.cycle.read(ACTOR, { date: date(day), after: null, limit: 10 });
  const proposals = async (day: string) =>
    Object.fromEntries(((await read(day))?.proposals ?? []).map((one) => [one.loanId, `${one.reason} ${one.holdId}`]));
  // 60 days after 10 January are 11 March: the last month end before that.
  expect(await proposals('2026-01-31')).toEqual({});
  expect(await proposals('2026-02-28')).toEqual({ [bankrupt]: 'bankruptcy bankruptcy' });
  const expired = (await read('2026-03-16'))?.steps.find(({ step }) => step === 'quotesExpired');
  expect(expired?.counts).toEqual({ holds: 1 });

  const fees = async (loanId: string) => {
    const view = await room.loans.reads.read(ACTOR, loanId, { asOf: date('2026-03-20'), knownAt: null });
    if (view === null || view === 'before') throw new Error('missing');
    return view.loan.fees.map(({ feeId }) => feeId);
  };
  expect(await fees(bankrupt)).toEqual([]);
  expect(await fees(struck)).toEqual([]);
  expect(await fees(late)).toEqual(['late-1', 'late-2']);
  expect(await fees(cleared)).toEqual(['late-2']);

  // A hold dated back takes fees back that the cycle has posted.
  await room.done(late, hold('military', { from: date('2026-02-01'), to: date('2026-02-28') }));
  expect(await fees(late)).toEqual(['late-2']);
  for (const asOf of ['2026-01-31', '2026-02-12', '2026-03-16', '2026-03-20'] as PlainDate[]) {
    const tie = await room.loans.books.tieOut(ACTOR, { asOf, lenderId: null });
    if (isRefusal(tie)) throw new Error(tie.detail);
    expect(tie.accounts.filter(({ difference }) => difference !== 0)).toEqual([]);
  }
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
});
