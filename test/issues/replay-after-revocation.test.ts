/** The stored answer of an idempotency key is only returned to callers who may still perform the operation. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../src/loans/door/actor.ts';
import { ACTOR, repay, type TestLoans, testLoans } from '../support/loans.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const granted = (...access: ('read' | 'servicing')[]): Actor => ({
  ...ACTOR,
  organizationId: 'org_other',
  grants: access.map((one) => ({ ownerOrganizationId: ACTOR.organizationId, access: one, servicerId: null })),
});

test('a servicer whose grant was reduced to read, or revoked, does not get it', async () => {
  const loanId = await room.live();
  const pay = (actor: Actor) =>
    room.write(loanId, repay('G', 1_000), { actor, idempotency: { key: 'paid', request: 'pay' } });
  expect((await pay(granted('servicing'))).kind).toBe('done');
  expect((await pay(granted('servicing'))).kind).toBe('replayed');
  expect(await pay(granted('read'))).toEqual({ kind: 'denied', needs: 'grant' });
  expect(await pay(granted())).toEqual({ kind: 'missing' });
});

test('an operation that is prepared outside the write path checks permission first too', async () => {
  const loanId = await room.create();
  const start = (actor: Actor) =>
    room.write(loanId, { do: 'start-underwriting' }, { actor, idempotency: { key: 'started', request: 'start' } });
  expect((await start(ACTOR)).kind).toBe('done');
  expect((await start(ACTOR)).kind).toBe('replayed');
  expect(await start(granted('servicing'))).toEqual({ kind: 'denied', needs: 'grant' });
  expect(await start(granted('read'))).toEqual({ kind: 'denied', needs: 'grant' });
  expect(await start(granted())).toEqual({ kind: 'missing' });
});
