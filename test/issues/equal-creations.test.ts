/** Two creations of one application at once are one loan and one 409, never a failure: in one batch, in one process, in several. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, type TestLoans, testLoans } from '../support/loans.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const ROUNDS = process.env.TEST_LONG ? 10 : 1;
const AT_ONCE = 40;

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'three instances, two creations of each application in each of them, all at once, round %i',
  async (round) => {
    const instances = [room.loans, room.another(), room.another()];
    const applications = Array.from({ length: AT_ONCE }, (_, n) => `EQUAL-${round}-${n}`);
    const outcomes = await Promise.all(
      applications.map(async (applicationId, n) => {
        // Each instance gets them in another order.
        const asked = instances.flatMap((loans, i) =>
          [0, 1].map(async () => {
            for (let turns = (n * (i + 1)) % 7; turns > 0; turns--) await new Promise(setImmediate);
            return (await loans.origination.board(ACTOR, room.creation({ applicationId }), PLAIN)).kind;
          }),
        );
        return (await Promise.all(asked)).sort();
      }),
    );
    const one = [...Array(5).fill('application_exists'), 'done'];
    expect(outcomes).toEqual(applications.map(() => one));
    const [count] = await room.db.query<{ n: bigint }>(
      'SELECT count(*) AS n FROM applications WHERE application_id LIKE $1',
      [`EQUAL-${round}-%`],
    );
    expect(count?.n).toBe(BigInt(AT_ONCE));
  },
);

test('equal creations in a batch cause no failed save', async () => {
  let failed = 0;
  const transaction: typeof room.db.transaction = (work) =>
    room.db.transaction(work).catch((error: unknown) => {
      failed += 1;
      throw error;
    });
  const here = room.another({ db: { ...room.db, transaction } });
  const same = Array.from({ length: 8 }, () => room.creation({ applicationId: 'EIGHT-TIMES' }));
  const outcomes = await Promise.all(same.map((one) => here.origination.board(ACTOR, one, PLAIN)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', ...Array(7).fill('application_exists')]);
  expect(failed).toBe(0);
});
