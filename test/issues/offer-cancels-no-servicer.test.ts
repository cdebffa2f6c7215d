/** An organization that a loan is offered to decides on that offer alone: what else its owner has scheduled is none of its business. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import type { Outcome } from '../../src/loans/door/write.ts';
import { ACTOR, type TestLoans, testLoans } from '../support/loans.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const reason = 'As agreed';
const toServicer: Command = {
  ...{
    do: 'transfer',
    transferId: 'T-1',
    what: 'servicer',
    to: 'SRV-77',
    date: date('2026-03-01'),
    reason,
    from: null,
  },
};
const toOwner: Command = {
  ...{ do: 'transfer', transferId: 'T-2', what: 'owner', date: date('2026-02-01'), reason, from: null },
  to: { organizationId: 'org_other', lenderId: 'L-9' },
};
const cancel = (what: 'servicer' | 'owner' | null): Command => ({ do: 'cancel-transfer', what, reason: null });

test('it cannot cancel the transfer to a servicer, nor learn of one; the owner can', async () => {
  const loanId = await room.live();
  const as = async (actor: Actor, command: Command): Promise<string> => {
    const outcome: Outcome = await room.write(loanId, command, { actor });
    return outcome.kind === 'refused' ? outcome.refusal.refused : outcome.kind;
  };
  expect(await as(ACTOR, toServicer)).toBe('done');
  expect(await as(ACTOR, toOwner)).toBe('done');
  expect(await as(BUYER, cancel('servicer'))).toBe('unknown_reference');
  // There is one transfer that they can mean.
  expect(await as(BUYER, cancel(null))).toBe('done');
  expect(await as(ACTOR, cancel('owner'))).toBe('unknown_reference');
  expect(await as(ACTOR, cancel('servicer'))).toBe('done');
});
