/** A write that goes to another process keeps its person and their limits, or does not go. */
import { expect, test } from 'vitest';
import type { Actor } from '../../loans/door/actor.ts';
import type { Owners } from '../../owners/owners.ts';
import { forwarded, openForwarded, type WriteToCarryOut } from './forwarding.ts';

const actor: Actor = {
  ...{
    organizationId: 'org_a',
    clientId: 'console',
    userId: 'user_a',
    keyId: 'session',
    requestId: 'request',
    purpose: '',
  },
  scopes: new Set(['servicing:write']),
  limits: { 'waive-fee': 5000 } as unknown as NonNullable<Actor['limits']>,
  grants: [],
};

/** The message for a write of this actor, as it arrives. */
async function messageOf(by: Actor): Promise<Record<string, unknown>> {
  let sent = '';
  const owners = {
    isElsewhere: () => true,
    forward: async (_loanId: string, message: object) => {
      sent = JSON.stringify(message);
      return { kind: 'answered', answer: { text: '{}', headers: {} } };
    },
  } as unknown as Owners;
  const options = { dryRun: false, ifVersion: null, idempotency: null };
  const asked = { body: {}, source: '{}', plain: false, options, fresh: '' };
  await forwarded(owners, { path: '/waive-fee', slow: false, loanId: '0x1', actor: by, asked });
  return JSON.parse(sent);
}

async function carriedOut(message: object): Promise<WriteToCarryOut | null> {
  let found: WriteToCarryOut | null = null;
  const serve = openForwarded(async (write) => {
    found = write;
    return { text: '{}', headers: {} };
  });
  await serve(message, () => true);
  return found;
}

test('the owner carries it out for the same person with the same limits', async () => {
  expect((await carriedOut(await messageOf(actor)))?.actor).toEqual(actor);
});

test('without the limits of the person it is not carried out there', async () => {
  const message = await messageOf(actor);
  const { limits: _, ...without } = message.actor as Record<string, unknown>;
  expect(await carriedOut({ ...message, actor: without })).toBeNull();
  // A client has none.
  const { limits: __, ...client } = { ...actor, userId: null };
  expect((await carriedOut(await messageOf(client)))?.actor).toEqual(client);
});
