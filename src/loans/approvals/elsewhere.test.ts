/** Approvals and what else happens to a loan: transfers, grants, the erasure of its borrower, days, and random lives. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approve, asked, loanWith, person, requestOf } from '../../../test/support/approving.ts';
import { randomFrom } from '../../../test/support/fuzz/random.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { WHOLE } from '../../../test/support/whole.ts';
import { date, type PlainDate } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import { cents } from '../../core/money.ts';
import type { Actor } from '../door/actor.ts';
import type { Outcome } from '../door/write.ts';
import { eraseBorrower } from '../people/erase.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const [alice, bob] = [person('user_alice'), person('user_bob')];
const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const today = (): PlainDate => date(new Date(room.clock.now).toISOString().slice(0, 10));
const fee = (feeId: string, amount = 2_000): Command => ({
  do: 'assess-fee',
  feeId,
  kind: 'fee',
  name: 'fee',
  amount: cents(amount),
  date: null,
});
const ALL = { operations: [], state: null, loanId: null, limit: 100, cursor: null };
const stateOf = async (id: string, actor: Actor = ACTOR) => (await room.loans.approvals.read(actor, id))?.state ?? null;
const listed = async (actor: Actor, loanId: string) => {
  const page = await room.loans.approvals.list(actor, { ...ALL, loanId });
  return page === 'bad_cursor' ? page : page.items.map(({ approvalId, state }) => [approvalId, state]);
};

test('a request lapses when the loan gets another owner, who does not see it', async () => {
  const loanId = await loanWith(room, { 'assess-fee': true, 'accept-transfer': true });
  const id = await requestOf(room.loans, alice, loanId, fee('F'));
  const to = { organizationId: 'org_other', lenderId: 'L-9' };
  const offer = {
    do: 'transfer',
    transferId: 'T',
    what: 'owner',
    to,
    date: today(),
    reason: 'Sold',
    from: null,
  } as const;
  expect((await room.loans.write(ACTOR, asked(loanId, offer as never), PLAIN)).kind).toBe('done');
  // The buyer's acceptance is subject to the policy of the loan, and another one of the buyer approves it.
  const acceptance = await requestOf(room.loans, BUYER, loanId, { do: 'accept-transfer', servicerId: '' });
  expect(await approve(room.loans, BUYER, acceptance)).toEqual({ kind: 'own_request' });
  expect(await approve(room.loans, bob, acceptance)).toMatchObject({ kind: 'refused' });
  expect((await approve(room.loans, { ...BUYER, clientId: 'buyer_2' }, acceptance)).kind).toBe('done');
  await room.loans.transfers.carryOutDue();
  expect(await stateOf(id)).toBe('lapsed');
  expect(await approve(room.loans, bob, id)).toEqual({ kind: 'denied', needs: 'ownership' });
  expect(await stateOf(id, BUYER)).toBeNull();
  expect(await listed(BUYER, loanId)).toEqual([[acceptance, 'approved']]);
  expect(await listed(ACTOR, loanId)).toContainEqual([id, 'lapsed']);
  expect(await room.loans.approvals.countPending(BUYER, { loanId, organizationId: 'org_other' })).toBe(0);
  expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
});

test('in a transfer of many loans, one that needs an approval is refused; in a dry run too', async () => {
  const [free, bound] = [await room.live(), await loanWith(room, { transfer: true })];
  const request = { kind: 'transfer', what: 'servicer', to: 'S-2', date: today(), filter: null } as const;
  for (const dryRun of [true, false]) {
    const run = await room.loans.transfers.start(
      ACTOR,
      { request, loanIds: [free, bound], reason: 'agreement 7' },
      { dryRun, keep: async () => {} },
    );
    if ('kind' in run) throw new Error('Not started.');
    await room.loans.transfers.goOn();
    const status = await room.loans.transfers.run(ACTOR, run.transferId, { after: null, limit: 10 });
    expect(status).toMatchObject({ done: 1, refused: 1, refusals: [{ refusal: 'approval_required', count: 1 }] });
  }
});

test('a scheduled transfer is carried out without an approval', async () => {
  const loanId = await loanWith(room, { transfer: true });
  const command = {
    do: 'transfer',
    transferId: 'T',
    what: 'servicer',
    to: 'S-9',
    date: today(),
    reason: 'New',
    from: null,
  };
  const id = await requestOf(room.loans, alice, loanId, command as never);
  expect((await approve(room.loans, bob, id)).kind).toBe('done');
  const view = await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
  expect(view !== null && view !== 'before' && view.events.at(-1)?.type).toBe('transferred');
});

test('another organization sees what a grant lets it see, decides what it may do, and keeps its own requests', async () => {
  const loanId = await loanWith(room, { 'assess-fee': true });
  const granted = (access: 'read' | 'servicing', servicerId: string | null = null): Actor => ({
    ...BUYER,
    grants: [{ ownerOrganizationId: ACTOR.organizationId, access, servicerId }],
  });
  const id = await requestOf(room.loans, alice, loanId, fee('F'));
  expect([await stateOf(id, BUYER), await listed(BUYER, loanId)]).toEqual([null, []]);
  expect(await listed(granted('read', 'S-other'), loanId)).toEqual([]);
  for (const actor of [granted('read'), granted('servicing', 'S-1')])
    expect(await listed(actor, loanId)).toEqual([[id, 'pending']]);
  expect(await approve(room.loans, granted('read'), id)).toEqual({ kind: 'denied', needs: 'grant' });
  expect((await approve(room.loans, granted('servicing'), id)).kind).toBe('done');
  const own = await requestOf(room.loans, granted('servicing'), loanId, fee('G'));
  // The grant is revoked.
  expect(await listed(BUYER, loanId)).toEqual([[own, 'pending']]);
  expect(await approve(room.loans, { ...BUYER, clientId: 'buyer_2' }, own)).toEqual({ kind: 'denied', needs: 'grant' });
});

test('a hundred requests of a loan may wait', async () => {
  const loanId = await loanWith(room, { 'assess-fee': true });
  const ids: string[] = [];
  for (let n = 0; n < 100; n++) ids.push(await requestOf(room.loans, alice, loanId, fee(`F-${n}`)));
  const beyond = await room.loans.write(alice, asked(loanId, fee('F-100')), PLAIN);
  expect(beyond).toMatchObject({ kind: 'refused', refusal: { refused: 'approval_required', retryable: true } });
  expect(await requestOf(room.loans, alice, loanId, fee('F-7'))).toBe(ids[7]);
  await room.loans.approvals.reject(bob, ids[0] as string, 'No');
  await requestOf(room.loans, alice, loanId, fee('F-100'));
});

test('after the erasure of the borrower a request cannot be read: it can be rejected, and none is added', async () => {
  const loanId = await loanWith(room, { 'refund-credit': true });
  await room.done(loanId, repay('ALL', 20_000_00, { acceptOverpayment: true }));
  await room.done(loanId, { do: 'acknowledge-repayment', refId: 'ALL' });
  const refund = { do: 'refund-credit', refId: 'R', amount: cents(100) } as const;
  const id = await requestOf(room.loans, alice, loanId, refund);
  const erased = await eraseBorrower(room.db, { loanId, retentionDays: 0, now: room.clock.now + 1_000 });
  expect(erased).toMatchObject({ loanId });
  expect(await approve(room.loans, bob, id)).toEqual({ kind: 'erased' });
  expect(await room.loans.approvals.reject(bob, id, 'Cannot be read')).toMatchObject({ state: 'rejected' });
  const again = await room.loans.write(alice, asked(loanId, refund), PLAIN);
  expect(again).toMatchObject({ kind: 'refused', refusal: { refused: 'approval_required' } });
});

describe('random lives', () => {
  /** Changes that may happen between a request and its approval. */
  const steps = (n: number): readonly ((loanId: string) => Promise<Outcome | null>)[] => {
    const write = (loanId: string, command: Command) => room.loans.write(ACTOR, asked(loanId, command), PLAIN);
    return [
      (loanId) => write(loanId, repay(`P-${n}`, 5_000)),
      (loanId) => write(loanId, fee(`S-${n}`, 500)),
      (loanId) => write(loanId, { do: 'payment-reminders' }),
      (loanId) => write(loanId, { do: 'waive-fee', feeId: 'OLD', amount: cents(300), reason: 'Goodwill' }),
      async () => {
        room.clock.now += 86_400_000;
        return null;
      },
      async () => null,
    ];
  };
  const REQUESTS: readonly ((n: number) => Command)[] = [
    (n) => fee(`F-${n}`, 4_000),
    (n) => repay(`R-${n}`, 20_000),
    (n) => repay(`D-${n}`, 20_000, { date: today() }),
    () => ({ do: 'waive-fee', feeId: 'OLD', amount: null, reason: 'Goodwill' }),
    () => ({ do: 'charge-off', date: null, reason: 'Bankruptcy', collateral: cents(0) }),
    (n) => ({
      do: 'settle',
      quoteId: `Q-${n}`,
      amount: cents(10_000),
      goodThrough: date('2026-12-31'),
      reason: 'Hardship',
    }),
    () => ({ do: 'reamortize', date: null, reason: 'Lower payment' }),
  ];
  const APPROVALS = {
    'assess-fee': { above: cents(3_000) },
    'loan-repay': { above: cents(10_000) },
    'waive-fee': { above: cents(1_000) },
    'charge-off': true,
    settle: { above: cents(0) },
    reamortize: true,
  } as const;

  /** The events that a loan has more than before, as the previews of these tests show them, without their days. */
  async function eventsAfter(loanId: string, version: number): Promise<object[]> {
    const view = await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
    if (view === null || view === 'before') throw new Error('A loan is gone.');
    return view.events
      .slice(version)
      .map(({ recordedOn: _, recordedAt: __, approvalId: ___, date: ____, ...fact }) => fact);
  }

  test.each(WHOLE ? [1, 2, 3, 4] : [1])(
    'what is approved is exactly what was shown, or it is not done (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const kinds = new Map<string, number>();
      for (let n = 0; n < 12; n++) {
        const loanId = await loanWith(room, APPROVALS);
        await room.done(loanId, fee('OLD', 2_500));
        const command = random.pick(REQUESTS)(n);
        const requested = await room.loans.write(alice, asked(loanId, command), PLAIN);
        if (requested.kind !== 'requested') throw new Error(`${command.do} was ${JSON.stringify(requested)}`);
        const { approvalId } = requested.request;
        for (let i = random.int(3); i > 0; i--) {
          await random.pick(steps(n * 10 + i))(loanId);
        }
        const before = await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
        if (before === null || before === 'before') throw new Error('A loan is gone.');
        let outcome = await approve(room.loans, bob, approvalId);
        let shown = requested.request.preview;
        kinds.set(outcome.kind, (kinds.get(outcome.kind) ?? 0) + 1);
        if (outcome.kind === 'outcome_changed') {
          const changed = outcome as Extract<Outcome, { kind: 'outcome_changed' }>;
          expect(changed.preview).not.toBe(shown);
          expect(await eventsAfter(loanId, before.version)).toEqual([]);
          expect(await stateOf(approvalId)).toBe('pending');
          shown = changed.preview;
          outcome = await approve(room.loans, bob, approvalId, changed.previewHash);
          expect(outcome.kind).toBe('done');
        }
        const happened = await eventsAfter(loanId, before.version);
        if (outcome.kind !== 'done') {
          expect([outcome.kind, happened, await stateOf(approvalId)]).toEqual(['refused', [], 'pending']);
          continue;
        }
        const { events } = JSON.parse(shown) as { events: { date: string }[] };
        expect(happened).toEqual(events.map(({ date: _, ...fact }) => fact));
        expect(await stateOf(approvalId)).toBe('approved');
      }
      expect(kinds.get('done') ?? 0).toBeGreaterThan(0);
    },
  );

  test('and the books are sound afterwards', async () => {
    expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
  });
});
