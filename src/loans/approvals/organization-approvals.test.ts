/** A write of no loan and the decision on it are one: whatever fails, and whoever decides at the same moment, in one process or two. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { person } from '../../../test/support/approving.ts';
import { ACTOR, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { ways } from '../../../test/support/ways.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db/db.ts';
import type { Actor } from '../door/actor.ts';
import type { Keep } from '../door/write.ts';
import type { OpenLoans } from '../open.ts';

const [alice, bob, carol] = [person('user_alice'), person('user_bob'), person('user_carol')];

// On a server whose tables are spread by volume the same holds.
describe.each(ways())('sharded: %s', (sharded) => {
  let room: TestLoans;
  let here: OpenLoans;
  let there: OpenLoans;
  beforeAll(async () => {
    room = await testLoans();
    room.db.useVolumes({ ...room.db.volumes, sharded });
    [here, there] = [room.another(), room.another()];
    const today = new Date(room.clock.now).toISOString().slice(0, 10);
    const values = { approvals: { 'create-grant': true } } as const;
    await here.policies.add(ACTOR, { policyId: 'own', lenderId: null, from: today as never, values });
  });
  afterAll(() => room.close());

  type Renamed = { name: string };
  const WRITE = {
    answer: ({ name }: Renamed) => JSON.stringify({ message: 'ok', data: { name } }),
    isSecret: false,
    audit: { operation: 'create-grant', subject: () => null },
  };
  const preview = ({ name }: Renamed) => ({ name });

  /** Names the organization: a change that shows whether it was made. */
  const naming =
    (name: string, db: Db = room.db, begins = true) =>
    (keep: Keep): Promise<Renamed> =>
      db.transaction(async (tx) => {
        if (begins) await keep.begin?.(tx);
        await tx.query('UPDATE organizations SET name = $2 WHERE organization_id = $1', [ACTOR.organizationId, name]);
        await keep(tx, { name });
        return { name };
      });
  const named = async () => {
    const rows = await room.db.query<{ name: string }>('SELECT name FROM organizations WHERE organization_id = $1', [
      ACTOR.organizationId,
    ]);
    return rows[0]?.name;
  };

  const asked = (name: string) => ({
    operation: 'create-grant' as const,
    source: JSON.stringify({ name }),
    says: () => JSON.stringify({ name }),
    preview,
    second: async () => false,
  });
  async function request(name: string): Promise<string> {
    const once = { ...WRITE, idempotency: null };
    const outcome = await here.approvals.organization.carryOut(alice, once, asked(name), naming(name));
    if (outcome.kind !== 'requested') throw new Error(JSON.stringify(outcome));
    return outcome.request.approvalId;
  }
  async function approve(loans: OpenLoans, actor: Actor, id: string, name: string, db = room.db) {
    const found = await loans.approvals.organization.open(actor, id);
    if (found?.kind !== 'open') return found;
    const decision = { reason: 'Agreed', previewHash: null };
    const work = naming(name, db);
    return loans.approvals.organization.approve(actor, found, {
      requester: alice,
      write: WRITE,
      preview,
      ...decision,
      work,
    });
  }
  const stateOf = async (id: string) => (await here.approvals.organization.read(ACTOR, id))?.state;

  function failing(at: { statement?: RegExp; end?: 'lost' }): Db {
    const transaction: Db['transaction'] = async (work) => {
      const done = await room.db.transaction((tx) => {
        const query = ((text: string, values?: readonly unknown[], name?: string) => {
          if (at.statement?.test(text)) throw new Error('The statement failed.');
          return tx.query(text, values, name);
        }) as Sql['query'];
        return work({ ...tx, query });
      });
      if (at.end === 'lost') throw new DatabaseUnavailable('The answer was lost.', {});
      return done;
    };
    return { ...room.db, transaction };
  }

  test('a request changes nothing, and nothing is changed without asking first', async () => {
    const before = await named();
    const id = await request('asked');
    expect([await named(), await stateOf(id)]).toEqual([before, 'pending']);
    const once = { ...WRITE, idempotency: null };
    const hasty = here.approvals.organization.carryOut(alice, once, asked('hasty'), naming('hasty', room.db, false));
    await expect(hasty).rejects.toThrow('before it was asked whether');
    expect(await named()).toBe(before);
  });

  test.each([/UPDATE organizations/, /UPDATE organization_approvals/, /INSERT INTO audit_waiting/])(
    'a failure at %s leaves the organization and the request as they were',
    async (statement) => {
      const before = await named();
      const id = await request(`failed at ${statement}`);
      await expect(approve(here, bob, id, `failed at ${statement}`, failing({ statement }))).rejects.toThrow(
        'The statement failed.',
      );
      expect([await named(), await stateOf(id)]).toEqual([before, 'pending']);
      expect(await approve(there, carol, id, `failed at ${statement}`)).toMatchObject({ kind: 'done' });
      expect([await named(), await stateOf(id)]).toEqual([`failed at ${statement}`, 'approved']);
    },
  );

  test('an approval whose answer was lost is found decided', async () => {
    const id = await request('lost');
    await expect(approve(here, bob, id, 'lost', failing({ end: 'lost' }))).rejects.toThrow('The answer was lost.');
    expect([await named(), await stateOf(id)]).toEqual(['lost', 'approved']);
    expect(await approve(there, bob, id, 'lost')).toMatchObject({
      kind: 'decided',
      approval: { decidedBy: { userId: 'user_bob' } },
    });
  });

  test('of decisions at the same moment, in two processes, one counts', async () => {
    for (let n = 0; n < 8; n++) {
      const before = await named();
      const id = await request(`round ${n}`);
      const [one, two, rejected] = await Promise.all([
        approve(here, bob, id, `round ${n}`),
        approve(there, carol, id, `round ${n}`),
        there.approvals.organization.reject(carol, id, 'No'),
      ]);
      const done = [one, two].filter((outcome) => outcome?.kind === 'done').length;
      const isRejected = rejected !== null && !('kind' in rejected);
      expect(done + Number(isRejected)).toBe(1);
      expect([await stateOf(id), await named()]).toEqual(
        done === 1 ? ['approved', `round ${n}`] : ['rejected', before],
      );
    }
  });

  test('what would be done now differs from the preview: nothing is done, until that is approved', async () => {
    const id = await request('shown');
    const before = await named();
    const changed = await approve(here, bob, id, 'another');
    expect([changed?.kind, await named(), await stateOf(id)]).toEqual(['outcome_changed', before, 'pending']);
    expect(await approve(here, bob, id, 'shown')).toMatchObject({ kind: 'done' });
  });

  test('another organization sees none of it', async () => {
    const id = await request('own');
    const stranger = { ...bob, organizationId: 'org_other' };
    expect(await here.approvals.organization.read(stranger, id)).toBeNull();
    expect(await here.approvals.organization.open(stranger, id)).toBeNull();
    expect(await here.approvals.organization.reject(stranger, id, 'No')).toBeNull();
  });
});
