/** One outcome of an approval: whoever decides at the same moment, in one process or two, and whatever fails. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { approve, asked, loanWith, person, requestOf } from '../../../test/support/approving.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { ways } from '../../../test/support/ways.ts';
import { slowTest, usualTest as test } from '../../../test/support/whole.ts';
import type { Command } from '../../core/decide/decide.ts';
import { cents } from '../../core/money.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db/db.ts';
import type { OpenLoans } from '../open.ts';
import { verifyBook } from '../verify/book.ts';

const [alice, bob, carol] = [person('user_alice'), person('user_bob'), person('user_carol')];
const APPROVALS = { 'assess-fee': { above: cents(1_000) } };
const fee = (feeId: string, amount = 2_000): Command => ({
  do: 'assess-fee',
  feeId,
  kind: 'fee',
  name: 'fee',
  amount: cents(amount),
  date: null,
});

// On a server whose tables are spread by volume the same holds, statement by statement.
describe.each(ways())('sharded: %s', (sharded) => {
  let room: TestLoans;
  let here: OpenLoans;
  let there: OpenLoans;
  beforeAll(async () => {
    room = await testLoans();
    room.db.useVolumes({ ...room.db.volumes, sharded });
    [here, there] = [room.another(), room.another()];
  });
  afterAll(() => room.close());

  async function approvedIn(loanId: string): Promise<string[]> {
    const rows = await room.db.query<{ body: string }>('SELECT body FROM events WHERE loan_id = $1 ORDER BY sequence', [
      `\\x${loanId.slice(2)}`,
    ]);
    const events = rows.map(({ body }) => (JSON.parse(body) as { event: { approvalId?: string } }).event);
    return events.flatMap(({ approvalId }) => approvalId ?? []);
  }
  const stateOf = async (id: string) => (await here.approvals.read(ACTOR, id))?.state;
  async function sound(): Promise<void> {
    const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
    expect(complaints).toEqual([]);
  }

  test('two processes approve, reject and change the loan at once: one decision counts', async () => {
    for (let n = 0; n < 12; n++) {
      const loanId = await loanWith(room, APPROVALS);
      const id = await requestOf(here, alice, loanId, fee('F'));
      const [one, two, rejected, paid] = await Promise.all([
        approve(here, bob, id),
        approve(there, carol, id),
        n % 2 === 0 ? there.approvals.reject(carol, id, 'No') : null,
        there.write(ACTOR, asked(loanId, repay('P', 1_000)), PLAIN),
      ]);
      expect(paid.kind).toBe('done');
      const state = await stateOf(id);
      const done = [one, two].filter(({ kind }) => kind === 'done').length;
      const isRejected = rejected !== null && !('kind' in rejected);
      expect(done + Number(isRejected)).toBe(state === 'pending' ? 0 : 1);
      expect(await approvedIn(loanId)).toEqual(state === 'approved' ? [id] : []);
      expect(done).toBe(state === 'approved' ? 1 : 0);
      // The others are told: it was decided, or the payment has changed what was shown.
      for (const { kind } of [one, two]) expect(['done', 'not_pending', 'decided', 'outcome_changed']).toContain(kind);
    }
    await sound();
  });

  test('equal requests at two processes at once are one', async () => {
    const loanId = await loanWith(room, APPROVALS);
    const ids = await Promise.all([1, 2, 3, 4].map((n) => requestOf(n % 2 ? here : there, alice, loanId, fee('F'))));
    expect(new Set(ids).size).toBe(1);
  });

  test('equal requests while it is approved: the same one, or a refusal, never a second request', async () => {
    for (let n = 0; n < 8; n++) {
      const loanId = await loanWith(room, APPROVALS);
      const id = await requestOf(here, alice, loanId, fee('F'));
      const [done, again] = await Promise.all([
        approve(here, bob, id),
        there.write(alice, asked(loanId, fee('F')), PLAIN),
      ]);
      expect(done.kind).toBe('done');
      if (again.kind === 'requested') expect(again.request.approvalId).toBe(id);
      else expect(again).toMatchObject({ kind: 'refused', refusal: { refused: 'reference_conflict' } });
      const rows = await room.db.query('SELECT 1 FROM approvals WHERE loan_id = $1', [`\\x${loanId.slice(2)}`]);
      expect(rows).toHaveLength(1);
    }
  });

  /** The database with the statements of every transaction intercepted, and its end. */
  function failing(at: { statement?: string; end?: 'lost' }): Db {
    const transaction: Db['transaction'] = async (work) => {
      const done = await room.db.transaction((tx) => {
        const query = ((text: string, values?: readonly unknown[], name?: string) => {
          if (name !== undefined && name === at.statement) throw new Error('The statement failed.');
          return tx.query(text, values, name);
        }) as Sql['query'];
        return work({ ...tx, query });
      });
      if (at.end === 'lost') throw new DatabaseUnavailable('The answer was lost.', {});
      return done;
    };
    return { ...room.db, transaction };
  }

  test.each(['save_approval', sharded ? 'events_in_volume' : 'save_batch_usual'])(
    'a failure at %s leaves loan and request as they were',
    async (statement) => {
      const loanId = await loanWith(room, APPROVALS);
      const id = await requestOf(here, alice, loanId, fee('F'));
      const broken = room.another({ db: failing({ statement }) });
      await expect(approve(broken, bob, id)).rejects.toThrow('The statement failed.');
      expect([await stateOf(id), await approvedIn(loanId)]).toEqual(['pending', []]);
      expect((await approve(there, carol, id)).kind).toBe('done');
      expect([await stateOf(id), await approvedIn(loanId)]).toEqual(['approved', [id]]);
      await sound();
    },
  );

  test('an approval whose answer was lost is found decided', async () => {
    const loanId = await loanWith(room, APPROVALS);
    const id = await requestOf(here, alice, loanId, fee('F'));
    const broken = room.another({ db: failing({ end: 'lost' }) });
    await expect(approve(broken, bob, id)).rejects.toThrow('The answer was lost.');
    expect([await stateOf(id), await approvedIn(loanId)]).toEqual(['approved', [id]]);
    expect(await approve(there, bob, id)).toMatchObject({
      kind: 'decided',
      approval: { decidedBy: { userId: 'user_bob' } },
    });
  });

  test('what the loan’s save left out is not approved: the approval is decided on what there is then', async () => {
    const loanId = await loanWith(room, APPROVALS);
    const id = await requestOf(here, alice, loanId, fee('F'));
    let first = true;
    const transaction: Db['transaction'] = async (work) => {
      // Another process changes the loan after this one has decided.
      if (first) {
        first = false;
        await there.write(ACTOR, asked(loanId, repay('P', 1_000)), PLAIN);
      }
      return room.db.transaction(work);
    };
    const overtaken = room.another({ db: { ...room.db, transaction } });
    const outcome = await approve(overtaken, bob, id);
    expect(outcome.kind).toBe('outcome_changed');
    expect([await stateOf(id), await approvedIn(loanId)]).toEqual(['pending', []]);
    const { previewHash } = outcome as { previewHash: string };
    expect((await approve(here, bob, id, previewHash)).kind).toBe('done');
    await sound();
  });

  test('a loan has so many pending requests, and those that have lapsed make room', async () => {
    const loanId = await loanWith(room, APPROVALS);
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => requestOf(here, alice, loanId, fee(`F-${n}`))));
    const more = () => here.write(alice, asked(loanId, fee('F-more')), PLAIN);
    expect(await more()).toMatchObject({ kind: 'refused', refusal: { refused: 'approval_required' } });
    room.clock.now += 8 * 86_400_000;
    expect(await stateOf(all[0] as string)).toBe('lapsed');
    expect((await more()).kind).toBe('requested');
    room.clock.now -= 8 * 86_400_000;
  });

  slowTest(
    'verification finds an approval without its transaction, and a transaction without its approval',
    async () => {
      const loanId = await loanWith(room, APPROVALS);
      const id = await requestOf(here, alice, loanId, fee('F'));
      await approve(here, bob, id);
      const complaints = async () =>
        (await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints.map(({ table, what }) => [
          table,
          what,
        ]);
      expect(await complaints()).toEqual([]);
      const wrong = 'UPDATE approvals SET transaction_hash = sha256(transaction_hash) WHERE approval_id = $1';
      await room.db.query(wrong, [id]);
      const recorded = (was: string) => {
        const what = expect.stringMatching(`^\\d+ ${id}: was ${was}, no change recorded it$`);
        return ['approvals', what];
      };
      expect(await complaints()).toEqual([
        ['approvals', `${id} is approved and has no transaction of its loan`],
        recorded('changed'),
      ]);
      await room.db.query('DELETE FROM approvals WHERE approval_id = $1', [id]);
      expect(await complaints()).toEqual([['approvals', `${id} is not approved`], recorded('removed')]);
    },
  );
});
