/** The door for writes on a database that fails at its worst moments. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { date } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import { cents } from '../../core/money.ts';
import { DatabaseUnavailable, type Db } from '../../store/db/db.ts';
import type { OpenLoans } from '../open.ts';
import { verifyBook } from '../verify/book.ts';
import type { Outcome } from './write.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

/** The database with every save intercepted: the function gets the saved data and the real save, and returns the result. */
function withSaves(save: (values: readonly unknown[], goOn: () => Promise<object[]>) => Promise<object[]>): Db {
  const query = (text: string, values?: readonly unknown[], name?: string) => {
    const goOn = () => room.db.query(text, values, name);
    return name?.startsWith('save_batch') ? save(values ?? [], goOn) : goOn();
  };
  return { ...room.db, query: query as Db['query'] };
}

const write = (loans: OpenLoans, loanId: string, command: Command, key: string | null = null): Promise<Outcome> =>
  loans.write(
    ACTOR,
    { loanId, command, reason: null, answer: ({ transactionHash }) => transactionHash },
    key === null ? PLAIN : { ...PLAIN, idempotency: { key, request: key } },
  );

const failure = (code: string) => Object.assign(new Error('The save failed.'), { code });
const holds = (values: readonly unknown[], loanId: string) =>
  values.some((value) => String(value).includes(loanId.slice(2)));

async function happened(loanId: string): Promise<string[]> {
  const rows = await room.db.query<{ type: string }>('SELECT type FROM events WHERE loan_id = $1 ORDER BY sequence', [
    `\\x${loanId.slice(2)}`,
  ]);
  return rows.map(({ type }) => type).slice(5);
}

test('what was refused is not done later, when its batch must go again', async () => {
  const [refused, saved] = [await room.live(), await room.live()];
  let saves = 0;
  const db = withSaves(async (_values, goOn) => {
    saves += 1;
    if (saves > 1) return goOn();
    // Another instance makes the move possible, after it was refused here.
    await room.done(refused, repay('Z', 1_000));
    throw failure('23505');
  });
  const here = room.another({ db, limits: { lanes: 1 } });
  const [one, other] = await Promise.all([
    write(here, refused, { do: 'acknowledge-repayment', refId: 'Z' }),
    write(here, saved, repay('Y', 1_000)),
  ]);
  expect(one).toMatchObject({ kind: 'refused', refusal: { refused: 'unknown_reference' } });
  expect(other?.kind).toBe('done');
  expect(saves).toBe(2);
  expect(await happened(refused)).toEqual(['paymentSubmitted']);
});

test('a command that cannot be saved fails alone', async () => {
  const ids = await Promise.all([room.live(), room.live(), room.live()]);
  const db = withSaves(async (values, goOn) => {
    if (holds(values, ids[1] as string)) throw failure('22P02');
    return goOn();
  });
  const here = room.another({ db, limits: { lanes: 1 } });
  const outcomes = await Promise.allSettled(ids.map((loanId) => write(here, loanId, repay('P', 1_000))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await Promise.all(ids.map(happened))).toEqual([['paymentSubmitted'], [], ['paymentSubmitted']]);
  // Nor does it stay in anybody's way.
  expect((await write(room.loans, ids[1] as string, repay('P', 1_000))).kind).toBe('done');
});

test('a save whose answer was lost is found by the same reference and the same key', async () => {
  const [keyed, plain] = [await room.live(), await room.live()];
  let lost: object[] = [];
  const db = withSaves(async (_values, goOn) => {
    const rows = await goOn();
    if (lost.length > 0) return rows;
    lost = rows;
    throw new DatabaseUnavailable('The database cannot be reached.');
  });
  const here = room.another({ db, limits: { lanes: 1 } });
  const first = await Promise.allSettled([
    write(here, keyed, repay('K', 1_000), 'lost'),
    write(here, plain, repay('K', 1_000)),
  ]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(lost).toHaveLength(2);
  expect((await write(here, keyed, repay('K', 1_000), 'lost')).kind).toBe('replayed');
  expect(await write(here, plain, repay('K', 1_000))).toMatchObject({ kind: 'done', change: { repeated: true } });
  expect(await Promise.all([keyed, plain].map(happened))).toEqual([['paymentSubmitted'], ['paymentSubmitted']]);
});

describe('a save that is committed after its caller got an unknown outcome', () => {
  test('creates one loan: the same call is answered as the first, another one under its key is refused', async () => {
    let late: (() => Promise<unknown>) | null = null;
    let calls = 0;
    const transaction: Db['transaction'] = async (work) => {
      calls += 1;
      if (calls === 1) {
        late = () => room.db.transaction(work);
        throw new DatabaseUnavailable('The database cannot be reached.');
      }
      // The retry has found no answer and taken its key over; now the first call arrives.
      await late?.();
      late = null;
      return room.db.transaction(work);
    };
    const here = room.another({ db: { ...room.db, transaction } });
    const board = (loans: OpenLoans, request: string, key = 'late creation') =>
      loans.origination.board(ACTOR, room.creation({ applicationId: 'LATE' }), {
        ...PLAIN,
        idempotency: { key, request },
      });
    await expect(board(here, 'one')).rejects.toThrow(DatabaseUnavailable);
    const outcomes = [await board(here, 'one'), await board(here, 'one'), await board(room.loans, 'one')];
    expect(outcomes.map(({ kind }) => kind)).toEqual(['replayed', 'replayed', 'replayed']);
    expect((await board(here, 'other')).kind).toBe('key_reused');
    expect((await board(here, 'one', 'another key')).kind).toBe('application_exists');
    const keyHash =
      "SELECT key_hash FROM answers a JOIN applications USING (volume, loan_id) WHERE application_id = 'LATE'";
    expect(await room.db.query(`SELECT 1 FROM reservations WHERE key_hash IN (${keyHash})`)).toHaveLength(1);
  });

  test('a payment: another body under its key waits a minute, and is refused then', async () => {
    const loanId = await room.live();
    let late: (() => Promise<unknown>) | null = null;
    let saves = 0;
    const db = withSaves(async (_values, goOn) => {
      saves += 1;
      if (saves === 1) {
        late = goOn;
        throw new DatabaseUnavailable('The database cannot be reached.');
      }
      await late?.();
      late = null;
      return goOn();
    });
    const here = room.another({ db, limits: { lanes: 1 } });
    const send = (request: string, cents: number) =>
      here.write(
        ACTOR,
        {
          loanId,
          command: repay(`L-${request}`, cents),
          reason: null,
          answer: ({ transactionHash }) => transactionHash,
        },
        { ...PLAIN, idempotency: { key: 'late payment', request } },
      );
    await expect(send('one', 1_000)).rejects.toThrow(DatabaseUnavailable);
    expect((await send('other', 2_000)).kind).toBe('key_running');
    await room.db.query("UPDATE reservations SET at = at - interval '2 minutes'");
    expect((await send('other', 2_000)).kind).toBe('key_reused');
    expect((await send('one', 1_000)).kind).toBe('replayed');
    expect(await happened(loanId)).toEqual(['paymentSubmitted']);
  });
});

test('a batch whose keys cannot be released is answered all the same, and the next one goes on', async () => {
  const loanId = await room.live();
  let away = true;
  const query = (text: string, values?: readonly unknown[], name?: string) => {
    if (away && name?.startsWith('save_batch')) return Promise.resolve([]);
    if (away && name === 'release_keys') return Promise.reject(new DatabaseUnavailable('The database is away.'));
    return room.db.query(text, values, name);
  };
  const here = room.another({ db: { ...room.db, query: query as Db['query'] }, limits: { lanes: 1 } });
  expect(await write(here, loanId, repay('R', 1_000), 'unreleased')).toMatchObject({ kind: 'busy' });
  away = false;
  expect((await write(here, loanId, repay('R', 1_000), 'unreleased')).kind).toBe('done');
});

test('a duplicate that a sharded server reports as an internal error is a collision', async () => {
  const loanId = await room.live();
  let saves = 0;
  const db = withSaves(async (_values, goOn) => {
    saves += 1;
    if (saves > 1) return goOn();
    throw Object.assign(new Error('duplicate key value violates unique constraint "events_pkey_102040"'), {
      code: 'XX000',
    });
  });
  const here = room.another({ db });
  expect((await write(here, loanId, repay('X', 1_000))).kind).toBe('done');
  expect(saves).toBe(2);
});

describe('a call that another process sends under the same key while its loan is loaded', () => {
  /** A process in which something happens right before loans are loaded for the first time. */
  function interrupted(meanwhile: () => Promise<unknown>): OpenLoans {
    let waiting = true;
    const query = async (text: string, values?: readonly unknown[], name?: string) => {
      if (name === 'load_loans' && waiting) {
        waiting = false;
        await meanwhile();
      }
      return room.db.query(text, values, name);
    };
    return room.another({ db: { ...room.db, query: query as Db['query'] } });
  }

  /** More than a minute passes for every key that has no answer yet. */
  const lapse = () => room.db.query("UPDATE reservations SET at = at - interval '2 minutes'");

  test('is refused while the first one is in progress, and gets its answer afterwards', async () => {
    const loanId = await room.create();
    const cancel: Command = { do: 'cancel', reason: null };
    const outcomes: string[] = [];
    const here = interrupted(async () => outcomes.push((await write(room.loans, loanId, cancel, 'cancel once')).kind));
    outcomes.push((await write(here, loanId, cancel, 'cancel once')).kind);
    outcomes.push((await write(room.loans, loanId, cancel, 'cancel once')).kind);
    expect(outcomes).toEqual(['key_running', 'done', 'replayed']);
  });

  test('is answered, not refused, where it took the key over in the meantime', async () => {
    const loanId = await room.create();
    const cancel: Command = { do: 'cancel', reason: null };
    const here = interrupted(async () => {
      await lapse();
      expect((await write(room.loans, loanId, cancel, 'cancel slowly')).kind).toBe('done');
    });
    expect((await write(here, loanId, cancel, 'cancel slowly')).kind).toBe('replayed');
  });

  test('also where the loan was known and only its history is loaded', async () => {
    const loanId = await room.live();
    const { now } = room.clock;
    onTestFinished(() => {
      room.clock.now = now;
    });
    room.clock.now += 40 * 86_400_000;
    await room.done(loanId, repay('LATER', 1_000));
    // Before the payment, so that the decision needs the whole history.
    const back = date('2026-01-20');
    const fee: Command = { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'copy', amount: cents(500), date: back };
    const here = interrupted(async () => {
      await lapse();
      await write(room.loans, loanId, fee, 'fee once');
    });
    // Fills the cache by another statement than the one that loads histories.
    await here.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
    expect((await write(here, loanId, fee, 'fee once')).kind).toBe('replayed');
  });
});

test('a database that was restored without the last event is found out, though another took its place', async () => {
  const loanId = await room.live();
  let saves = 0;
  const db = withSaves(async (_values, goOn) => {
    saves += 1;
    // Acknowledged, and gone again with a database that lost its last seconds.
    return saves === 1 ? [{ number: 0n, loan_id: Buffer.from(loanId.slice(2), 'hex') }] : goOn();
  });
  const here = room.another({ db });
  expect((await write(here, loanId, repay('gone', 1_000))).kind).toBe('done');
  await room.done(loanId, repay('other', 2_000));
  const next = await write(here, loanId, repay('next', 4_000));
  expect(next).toMatchObject({ kind: 'done', change: { loan: { principal: 1_000_000 - 6_000 } } });
  expect(await happened(loanId)).toEqual(['paymentSubmitted', 'paymentSubmitted']);
});

test('a save that keeps colliding ends, and so does its batch', async () => {
  const [bad, good] = [await room.live(), await room.live()];
  let saves = 0;
  const db = withSaves(async (values, goOn) => {
    saves += 1;
    if (holds(values, bad)) throw failure('40P01');
    return goOn();
  });
  const here = room.another({ db });
  const outcomes = await Promise.allSettled([bad, good].map((loanId) => write(here, loanId, repay('D', 1_000))));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(saves).toBeLessThan(10);
});

test('two equal creations in one batch end in one loan and one refusal, also when others collide with them', async () => {
  let collisions = 0;
  const transaction: Db['transaction'] = (work) => {
    collisions += 1;
    // As often as a batch goes again by itself, and once more.
    return collisions <= 3 ? Promise.reject(failure('23505')) : room.db.transaction(work);
  };
  const here = room.another({ db: { ...room.db, transaction } });
  const creation = () => room.creation({ applicationId: 'TWICE-AT-ONCE' });
  const outcomes = await Promise.all([creation(), creation()].map((one) => here.origination.board(ACTOR, one, PLAIN)));
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['application_exists', 'done']);
});

test('a door that closes answers everything it has taken, and takes nothing more', async () => {
  const ids = await Promise.all([room.live(), room.live()]);
  const here = room.another();
  const outcomes: string[] = [];
  for (let n = 0; n < 60; n++) {
    write(here, ids[n % 2] as string, repay(`C-${n}`, 100)).then(({ kind }) => outcomes.push(kind));
  }
  const closed = here.close();
  expect(await write(here, ids[0] as string, repay('late', 100))).toMatchObject({ kind: 'busy' });
  await closed;
  await new Promise(setImmediate);
  expect(outcomes).toEqual(Array(60).fill('done'));
  expect((await Promise.all(ids.map(happened))).flat()).toHaveLength(60);
});

test('the book is in order after all that, whatever the clocks of the instances said', async () => {
  const loanId = await room.live();
  const slow = room.another({ clock: () => Date.UTC(2025, 11, 31, 23, 59, 59) });
  const fast = room.another({ clock: () => Date.UTC(2026, 0, 2, 0, 0, 1) });
  for (let n = 0; n < 6; n++) {
    expect((await write(n % 2 === 0 ? fast : slow, loanId, repay(`S-${n}`, 1_000))).kind).toBe('done');
  }
  while ((await room.loans.ledger.seal()) > 0);
  expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
});
