/** A cursor that the service did not issue is refused, whatever time it names. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, type TestLoans, testLoans } from '../support/loans.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

test.each(['-8640000000000000', '-210866803200001', '8640000000000000', '1e13', ' ', 'NaN', '0x10'])(
  'with the time %s',
  async (time) => {
    const cursor = Buffer.from(`-createdAt ${time} ${Buffer.alloc(32).toString('base64url')}`).toString('base64url');
    expect(await room.loans.reads.list(ACTOR, { limit: 10, cursor, sort: '-createdAt' })).toBe('bad_cursor');
  },
);
