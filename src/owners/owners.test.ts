/** Ownership of volumes when a process cannot write, answers slowly, or leaves while the database is silent. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/service.ts';
import { slowTest, usualTest as test } from '../../test/support/whole.ts';
import { type Owners, openOwners } from './owners.ts';

let database: TestDatabase;
const opened: Owners[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => database.drop());

const LOANS = Array.from({ length: 16 }, (_, n) => `0x${n.toString(16).padStart(2, '0').repeat(32)}`);

type Options = Parameters<typeof openOwners>[0];

async function join(processId: string, more: Partial<Options> = {}): Promise<Owners> {
  const one = await openOwners({
    processId,
    db: database.db,
    volumes: database.db,
    clock: Date.now,
    monotonic: () => performance.now(),
    secret: new Uint8Array(32).fill(9),
    listen: { host: '127.0.0.1', port: 0 },
    // One second for an answer.
    requestMs: 2_000,
    canWrite: () => true,
    serve: async () => ({ by: processId }),
    onEvent: () => {},
    ...more,
  });
  opened.push(one);
  return one;
}

const elsewhere = (one: Owners) => LOANS.filter((loanId) => one.isElsewhere(loanId));

/** A loan that, in the second process's view, the first one owns. */
async function shared(first: Owners, second: Owners): Promise<string> {
  await eventually(() => elsewhere(first).length > 0 && elsewhere(second).length > 0);
  return elsewhere(second)[0] as string;
}

slowTest('a process that cannot write owns nothing and processes nothing until it can again', async () => {
  let canWrite = true;
  const wrong = await join('process_wrong', { canWrite: () => canWrite });
  const right = await join('process_right');
  const loanId = await shared(wrong, right);
  canWrite = false;
  expect(await right.forward(loanId, {}, false)).toEqual({ kind: 'away', lasting: false });
  await eventually(() => elsewhere(right).length === 0 && elsewhere(wrong).length === LOANS.length);
  expect(await wrong.forward(loanId, {}, false)).toEqual({ kind: 'answered', answer: { by: 'process_right' } });
  canWrite = true;
  await eventually(() => elsewhere(right).includes(loanId) && elsewhere(wrong).length < LOANS.length);
  expect(await right.forward(loanId, {}, false)).toEqual({ kind: 'answered', answer: { by: 'process_wrong' } });
});

slowTest('an owner that misses one answer is bypassed only if it gives no other answers', async () => {
  const slow = await join('process_slow', {
    serve: async (message) => ('never' in (message as object) ? new Promise(() => {}) : {}),
  });
  const other = await join('process_other');
  const loanId = await shared(slow, other);
  const owed = other.forward(loanId, { never: true }, false);
  expect((await other.forward(loanId, {}, false)).kind).toBe('answered');
  expect(await owed).toEqual({ kind: 'unknown', lasting: false });
  expect([other.isElsewhere(loanId), other.isAway('process_slow')]).toEqual([true, false]);

  expect(await other.forward(loanId, { never: true }, false)).toEqual({ kind: 'unknown', lasting: true });
  expect([other.isElsewhere(loanId), other.isAway('process_slow')]).toEqual([false, true]);
  // Otherwise closing would wait for its unfinished messages.
  opened.splice(opened.indexOf(slow), 1);
  await slow.leave();
});

test('a process knows itself and the processes with a heartbeat, and no others', async () => {
  const one = await join('process_one');
  const two = await join('process_two');
  await shared(one, two);
  expect(['process_one', 'process_two', 'process_before'].map(one.isAway)).toEqual([false, false, true]);
  await two.close();
  await eventually(() => one.isAway('process_two'));
});

test('leaving takes about a second at most, even when the database does not answer', async () => {
  const one = await join('process_leaving');
  await database.db.session(async (session) => {
    await session.transaction(async (tx) => {
      await tx.query('LOCK TABLE processes IN ACCESS EXCLUSIVE MODE');
      const began = performance.now();
      await one.leave();
      expect(performance.now() - began).toBeLessThan(5_000);
    });
  });
});
