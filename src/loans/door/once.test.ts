/** Writes without a loan: once under their key, whichever process they reach. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { ways } from '../../../test/support/ways.ts';
import type { OpenLoans } from '../open.ts';

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

  const set = (loans: OpenLoans, key: string, code: string) =>
    loans.door.once(
      ACTOR,
      { idempotency: { key, request: code }, answer: (codes) => JSON.stringify(codes), isSecret: false, audit: null },
      (keep) => loans.books.setCodes(ACTOR, { cash: code }, { dryRun: false, keep }),
    );
  const kinds = async (...outcomes: Promise<{ kind: string }>[]) =>
    (await Promise.all(outcomes)).map(({ kind }) => kind);

  test('one key for two writes at once, at two processes: one is carried out', async () => {
    for (let n = 0; n < 10; n++) {
      const at = await kinds(set(here, `K-${n}`, 'one'), set(there, `K-${n}`, 'other'));
      expect(at.filter((kind) => kind === 'done')).toHaveLength(1);
      const [first, other] = at[0] === 'done' ? ['one', 'other'] : ['other', 'one'];
      expect(await here.books.codes(ACTOR)).toEqual({ cash: first });
      expect(await kinds(set(there, `K-${n}`, first), set(here, `K-${n}`, other))).toEqual(['replayed', 'key_reused']);
    }
  });

  test('a key is the same for a loan and for what has none', async () => {
    const pay = (loanId: string, key: string) =>
      here.write(
        ACTOR,
        { loanId, command: repay('P', 1_000), reason: null, answer: ({ transactionHash }) => transactionHash },
        { ...PLAIN, idempotency: { key, request: 'pay' } },
      );
    const loanId = await room.live();
    expect((await pay(loanId, 'money')).kind).toBe('done');
    expect((await set(there, 'money', '1')).kind).toBe('key_reused');
    expect((await set(there, 'codes', '1')).kind).toBe('done');
    expect((await pay(loanId, 'codes')).kind).toBe('key_reused');
  });

  test('a key that a process died with is taken up after a minute, and then its own write leaves nothing', async () => {
    const [{ kind }, late] = [await set(here, 'left', '1'), '2'];
    expect(kind).toBe('done');
    // As if the first call had reserved its key and nothing more.
    await room.db.query('DELETE FROM answers');
    expect((await set(there, 'left', late)).kind).toBe('key_running');
    await room.db.query("UPDATE reservations SET at = now() - interval '2 minutes'");
    const slow = there.door.once(
      ACTOR,
      { idempotency: { key: 'left', request: late }, answer: JSON.stringify, isSecret: false, audit: null },
      async (keep) => {
        // Meanwhile this one has lapsed too, and another process has carried the call out.
        await room.db.query("UPDATE reservations SET at = now() - interval '2 minutes'");
        expect((await set(here, 'left', '3')).kind).toBe('done');
        return there.books.setCodes(ACTOR, { cash: late }, { dryRun: false, keep });
      },
    );
    expect((await slow).kind).toBe('key_reused');
    expect(await here.books.codes(ACTOR)).toEqual({ cash: '3' });
  });

  test('a write that fails leaves its key free', async () => {
    const failing = here.door.once(
      ACTOR,
      { idempotency: { key: 'free', request: '1' }, answer: JSON.stringify, isSecret: false, audit: null },
      () => Promise.reject(new Error('refused')),
    );
    await expect(failing).rejects.toThrow('refused');
    expect((await set(there, 'free', '2')).kind).toBe('done');
  });
});
