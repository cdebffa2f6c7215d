import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { onCitus } from '../../../test/support/database.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { hashOf } from '../../ledger/chain.ts';
import type { Db } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import type { LoansOptions } from '../open.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const eventsOf = (loanId: string) =>
  room.db.query<{ body: string; hash: Uint8Array; block: bigint; sequence: number }>(
    'SELECT body, hash, block, sequence FROM events WHERE loan_id = $1 ORDER BY sequence',
    [`\\x${loanId.slice(2)}`],
  );

describe('the one door for writes', () => {
  test('a loan runs from its creation to its end, each event linked to the previous one', async () => {
    const loanId = await room.live();
    const paid = await room.done(loanId, repay('P-1', 1_000_000));
    expect(paid.loan.principal).toBe(0);
    expect(paid.status).toBe('Current');
    const closed = await room.done(loanId, { do: 'acknowledge-repayment', refId: 'P-1' });
    expect(closed.status).toBe('ClosedEarly');
    const events = await eventsOf(loanId);
    let previous = `0x${'0'.repeat(64)}`;
    for (const { body, hash, sequence } of events) {
      const parsed = JSON.parse(body);
      expect(parsed).toMatchObject({ loanId, sequence, previous });
      previous = hashOf(body);
      expect(`0x${Buffer.from(hash).toString('hex')}`).toBe(previous);
    }
    expect(previous).toBe(closed.transactionHash);
    const lines = await room.loans.ledger.journal(ACTOR, loanId);
    expect(lines?.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  });

  test('commands that arrive together share a block; two for one loan go in order, in two', async () => {
    const ids = await Promise.all([room.live(), room.live(), room.live()]);
    const volumes = room.db.volumes.count;
    const volumeOfId = (loanId: string) => volumeOf(room.db, loanId);
    const outcomes = await Promise.all([
      ...ids.map((loanId) => room.write(loanId, repay('A', 1_000))),
      room.write(ids[0] as string, repay('B', 2_000)),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'done', 'done']);
    const blocks = await Promise.all(ids.map(async (loanId) => (await eventsOf(loanId)).map(({ block }) => block)));
    const [first, ...others] = blocks.map((list) => list[5] as bigint);
    // One block for each volume that the batch touches.
    const byVolume = new Map([[volumeOfId(ids[0] as string), first]]);
    ids.slice(1).forEach((loanId, i) => {
      const volume = volumeOfId(loanId);
      expect(others[i]).toBe(byVolume.get(volume) ?? others[i]);
      byVolume.set(volume, others[i]);
    });
    for (const [volume, block] of byVolume) expect(Number(block as bigint) % volumes).toBe(volume);
    expect(blocks[0]?.[6]).toBe((first as bigint) + BigInt(volumes));
    const order = (await eventsOf(ids[0] as string)).slice(5).map(({ body }) => JSON.parse(body).event.refId);
    expect(order).toEqual(['A', 'B']);
  });

  // Each volume has a lane there.
  test.skipIf(onCitus())(
    'after a large batch the next one waits a moment for those who were answered, and no longer',
    async () => {
      const ids: string[] = [];
      for (let n = 0; n < 9; n++) ids.push(await room.live());
      let saves = 0;
      const query = (text: string, values?: readonly unknown[], name?: string) => {
        if (name?.startsWith('save_batch_')) saves += 1;
        return room.db.query(text, values, name);
      };
      const here = room.another({ db: { ...room.db, query: query as Db['query'] }, limits: { lanes: 1 } });
      const pay = (loanId: string, refId: string) =>
        here.write(ACTOR, { loanId, command: repay(refId, 1_000), reason: null, answer: () => '' }, PLAIN);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        await Promise.all(ids.map((loanId) => pay(loanId, 'A')));
        const few = ids.slice(0, 3).map((loanId) => pay(loanId, 'B'));
        for (let turn = 0; turn < 20; turn++) await setImmediate();
        expect(saves).toBe(1);
        // As many as before are there.
        await Promise.all([...few, ...ids.slice(3).map((loanId) => pay(loanId, 'B'))]);
        expect(saves).toBe(2);
        // Only one came.
        const one = pay(ids[0] as string, 'C');
        for (let turn = 0; turn < 20; turn++) await setImmediate();
        expect(saves).toBe(2);
        vi.advanceTimersByTime(2);
        await one;
        // It was alone, so the next one goes at once.
        await pay(ids[0] as string, 'D');
        expect(saves).toBe(4);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test('a refusal affects no other request in the batch, and changes nothing', async () => {
    const [one, two] = [await room.live(), await room.live()];
    const before = await eventsOf(one);
    const [refused, done] = await Promise.all([
      room.write(one, repay('X', 99_000_000)),
      room.write(two, repay('X', 1_000)),
    ]);
    expect(refused).toMatchObject({ kind: 'refused', refusal: { refused: 'amount_exceeds_payoff' } });
    expect(done.kind).toBe('done');
    expect(await eventsOf(one)).toEqual(before);
  });

  test('the same reference again answers as the first time, also after other payments', async () => {
    const loanId = await room.live();
    const first = await room.done(loanId, repay('R', 100_000));
    await room.done(loanId, repay('S', 50_000));
    const again = await room.done(loanId, repay('R', 100_000));
    expect(again.repeated).toBe(true);
    expect(again.transactionHash).toBe(first.transactionHash);
    expect(again.loan.principal).toBe(first.loan.principal);
    expect(await room.write(loanId, repay('R', 100_001))).toMatchObject({
      kind: 'refused',
      refusal: { refused: 'reference_conflict' },
    });
  });

  test('an idempotency key answers the stored text; another request under it is refused; one still running says so', async () => {
    const loanId = await room.live();
    const with1 = { idempotency: { key: 'K', request: 'pay 10' } };
    const [first, running] = await Promise.all([
      room.write(loanId, repay('I', 1_000), with1),
      room.write(loanId, repay('I', 1_000), with1),
    ]);
    expect(first.kind).toBe('done');
    expect(running).toEqual({ kind: 'key_running' });
    const again = await room.write(loanId, repay('I', 1_000), with1);
    if (first.kind !== 'done') throw new Error(first.kind);
    const { text, change } = first;
    expect(again).toEqual({ kind: 'replayed', text, loanId, version: change.version });
    const other = { idempotency: { key: 'K', request: 'pay 20' } };
    expect(await room.write(loanId, repay('I2', 2_000), other)).toEqual({ kind: 'key_reused' });
    const stranger = { ...with1, actor: { ...ACTOR, clientId: 'another' } };
    expect((await room.write(loanId, repay('I3', 1_000), stranger)).kind).toBe('done');
  });

  test('a dry run returns what would happen and changes nothing', async () => {
    const loanId = await room.live();
    const before = await eventsOf(loanId);
    const outcome = await room.write(loanId, repay('D', 100_000), { dryRun: true });
    expect(outcome).toMatchObject({ kind: 'done', change: { loan: { principal: 900_000 } } });
    expect(outcome.kind === 'done' && outcome.change.journal.length).toBeGreaterThan(0);
    expect(await eventsOf(loanId)).toEqual(before);
    // Nor is its reference taken.
    expect((await room.write(loanId, repay('D', 200_000))).kind).toBe('done');
  });

  test('If-Match with another version returns the current one', async () => {
    const loanId = await room.live();
    expect(await room.write(loanId, repay('V', 1_000), { ifVersion: 4 })).toEqual({ kind: 'version', version: 5 });
    expect((await room.write(loanId, repay('V', 1_000), { ifVersion: 5 })).kind).toBe('done');
  });

  test('another organization sees nothing; a grant to read sees and may not write; a grant to service may', async () => {
    const loanId = await room.live();
    const stranger = { ...ACTOR, organizationId: 'org_other' };
    const grant = (access: 'read' | 'servicing', servicerId: string | null) => ({
      ...stranger,
      grants: [{ ownerOrganizationId: ACTOR.organizationId, access, servicerId }],
    });
    const pay = (actor: typeof ACTOR) => room.write(loanId, repay('G', 1_000), { actor });
    expect(await pay(stranger)).toEqual({ kind: 'missing' });
    expect(await pay(grant('read', null))).toEqual({ kind: 'denied', needs: 'grant' });
    expect(await pay(grant('servicing', 'S-2'))).toEqual({ kind: 'missing' });
    expect((await pay(grant('servicing', 'S-1'))).kind).toBe('done');
    const publish = { actor: grant('servicing', null) };
    expect(await room.write(loanId, { do: 'publish', published: true }, publish)).toEqual({
      kind: 'denied',
      needs: 'grant',
    });
  });

  test('a servicer does not fund the owner’s loan, by whichever operation', async () => {
    const loanId = await room.create();
    await room.done(loanId, { do: 'start-underwriting' });
    await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    const grants = [{ ownerOrganizationId: ACTOR.organizationId, access: 'servicing' as const, servicerId: null }];
    const servicer = { ...ACTOR, organizationId: 'org_other', grants };
    const initiate = { do: 'initiate-repayment', date: null, opening: null } as const;
    expect(await room.write(loanId, initiate, { actor: servicer })).toEqual({ kind: 'denied', needs: 'grant' });
    await room.done(loanId, { do: 'fund-loan', date: null, opening: null });
    expect((await room.write(loanId, initiate, { actor: servicer })).kind).toBe('done');
  });

  test('a stored answer is only for those who may still see the loan', async () => {
    const loanId = await room.live();
    const grants = [{ ownerOrganizationId: ACTOR.organizationId, access: 'servicing' as const, servicerId: null }];
    const servicer = { ...ACTOR, organizationId: 'org_other', clientId: 'servicer', grants };
    const how = { idempotency: { key: 'replay', request: 'pay' } };
    expect((await room.write(loanId, repay('G', 1_000), { ...how, actor: servicer })).kind).toBe('done');
    expect((await room.write(loanId, repay('G', 1_000), { ...how, actor: servicer })).kind).toBe('replayed');
    const revoked = { ...servicer, grants: [] };
    expect((await room.write(loanId, repay('G', 1_000), { ...how, actor: revoked })).kind).toBe('missing');
  });

  test('the same application of the same lender is one loan, also when two arrive together', async () => {
    const twice = [room.creation({ applicationId: 'TWICE' }), room.creation({ applicationId: 'TWICE' })];
    const outcomes = await Promise.all(twice.map((one) => room.loans.origination.board(ACTOR, one, PLAIN)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['application_exists', 'done']);
    expect((await room.loans.origination.board(ACTOR, room.creation({ applicationId: 'TWICE' }), PLAIN)).kind).toBe(
      'application_exists',
    );
    const otherLender = room.creation({ applicationId: 'TWICE', lenderId: 'L-2' });
    expect((await room.loans.origination.board(ACTOR, otherLender, PLAIN)).kind).toBe('done');
  });

  test('what another instance did is seen before anything is refused, repeated or saved', async () => {
    const loanId = await room.live();
    const other = room.another();
    const there = (refId: string, cents: number) =>
      other.write(
        ACTOR,
        { loanId, command: repay(refId, cents), reason: null, answer: (change) => change.transactionHash },
        PLAIN,
      );
    expect((await there('T-1', 100_000)).kind).toBe('done');
    // Here the loan is remembered without that payment.
    const here = await room.done(loanId, repay('T-2', 100_000));
    expect(here.loan.principal).toBe(800_000);
    expect((await there('T-3', 100_000)).kind).toBe('done');
    const repeated = await room.done(loanId, repay('T-3', 100_000));
    expect(repeated.repeated).toBe(true);
    expect((await there('T-4', 700_000)).kind).toBe('done');
    expect(await room.write(loanId, repay('T-5', 100_000))).toMatchObject({
      kind: 'refused',
      refusal: { refused: 'amount_exceeds_payoff' },
    });
  });

  test('events of a loan are recorded one after the other, whatever the clocks of the instances say', async () => {
    const loanId = await room.create();
    await room.done(loanId, { do: 'start-underwriting' });
    const behind = room.another({ clock: () => room.clock.now - 90_000 });
    const command = {
      do: 'complete-underwriting',
      approved: true,
      dealIndex: 0,
      reason: null,
    } as const;
    const outcome = await behind.write(ACTOR, { loanId, command, reason: null, answer: () => '' }, PLAIN);
    expect(outcome).toMatchObject({ kind: 'done', change: { status: 'Approved' } });
    const times = (await eventsOf(loanId)).map(({ body }) => JSON.parse(body).event.recordedAt);
    expect(times).toEqual([...new Set(times)].sort());
    expect(await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null })).toMatchObject({
      status: 'Approved',
    });
  });

  test('a full queue asks to come back, and says whose limit was met', async () => {
    const ids = [await room.live(), await room.live(), await room.live()];
    const tried = async (limits: LoansOptions['limits'] & object, loans: string[]) => {
      const small = room.another({ limits });
      const answer = () => '';
      const outcomes = await Promise.all(
        loans.map((loanId, n) =>
          small.write(ACTOR, { loanId, command: repay(`Q-${n}`, 100), reason: null, answer }, PLAIN),
        ),
      );
      return outcomes.map((outcome) => (outcome.kind === 'busy' ? outcome.whose : outcome.kind));
    };
    const one = [ids[0], ids[0], ids[0]] as string[];
    expect(await tried({ perLoan: 2 }, one)).toEqual(['done', 'done', 'loan']);
    const own = { everyone: 9, organization: 2, guaranteed: 1 };
    expect(await tried({ waiting: own }, ids)).toEqual(['done', 'done', 'organization']);
    const all = { everyone: 2, organization: 9, guaranteed: 1 };
    expect(await tried({ waiting: all }, ids)).toEqual(['done', 'done', 'everyone']);
  });

  test('a backdated payment posts what it changes, and the books tie to the fold', async () => {
    const loanId = await room.live();
    room.clock.now = Date.UTC(2026, 2, 20, 12);
    await room.done(loanId, repay('late', 88_849));
    await room.done(loanId, repay('early', 88_849, { date: '2026-02-20', reason: 'found' }));
    const view = await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
    const lines = (await room.loans.ledger.journal(ACTOR, loanId)) ?? [];
    const sum = (account: string) =>
      lines.filter((line) => line.account === account).reduce((total, { amount }) => total + amount, 0);
    if (view === null || view === 'before') throw new Error('gone');
    expect(sum('loanPrincipal')).toBe(view.loan.principal);
    expect(sum('interestReceivable')).toBe(view.loan.interestEnded);
    expect(sum('cashClearing')).toBe(2 * 88_849);
    expect(sum('cash')).toBe(-1_000_000);
    room.clock.now = Date.UTC(2026, 0, 1, 12);
  });
});
