/** Walking the feed is the same as reading it page by page, however little is read at once and wherever the walk begins or ends. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Actor } from '../door/actor.ts';
import { tickOf } from './place.ts';
import { walkFeed } from './walk.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
  const { feed } = room.loans;
  for (let round = 0; round < 3; round += 1) {
    const loans = await Promise.all(
      [0, 1, 2, 3].map((n) => room.live({ lenderId: `L-${n}`, primaryServicerId: `S-${n % 2}` })),
    );
    await room.db.transaction((tx) =>
      feed.note(tx, ACTOR.organizationId, { type: 'webhook_endpoint.paused', subject: `we_${round}` }),
    );
    for (const [n, loanId] of loans.entries()) await room.done(loanId, repay(`P-${round}-${n}`, 1_000 + n));
    await feed.head();
  }
}, 60_000);
afterAll(() => room.close());

async function pagesOf(actor: Actor, through: number, after: string | null = null): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = after; ; ) {
    const page = await room.loans.feed.read(actor, { after: cursor, types: [], loanId: null, limit: 7 });
    if (page === 'unknown cursor') throw new Error('Unknown cursor.');
    ids.push(...page.events.map(({ id }) => id).filter((id) => tickOf(id) <= through));
    if (!page.more) return ids;
    cursor = page.nextCursor;
  }
}

async function walked(actor: Actor, through: number, after: string | null, each?: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const events of walkFeed(room.db, actor, { after, through }, each))
    ids.push(...events.map(({ id }) => id));
  return ids;
}

const servicer: Actor = {
  ...ACTOR,
  organizationId: 'org_third',
  grants: [{ ownerOrganizationId: ACTOR.organizationId, access: 'read', servicerId: 'S-1' }],
};

test.each([
  ['its owner', ACTOR],
  ['a servicer with a grant', servicer],
  ['who has two ways to see it', { ...servicer, organizationId: ACTOR.organizationId }],
])('all of it, for %s', async (_, actor) => {
  const end = tickOf(await room.loans.feed.head());
  const all = await pagesOf(actor, end);
  expect(all.length).toBeGreaterThan(20);
  for (const each of [1, 2, 5, 500]) expect(await walked(actor, end, null, each)).toEqual(all);
});

test('from any event to any tick', async () => {
  const end = tickOf(await room.loans.feed.head());
  const all = await pagesOf(ACTOR, end);
  for (let i = 0; i < all.length; i += 5) {
    expect(await walked(ACTOR, end, all[i] as string, 3)).toEqual(all.slice(i + 1));
    const through = tickOf(all[i] as string);
    expect(await walked(ACTOR, through, null, 3)).toEqual(all.filter((id) => tickOf(id) <= through));
  }
});

test('an event that was never given is refused', async () => {
  await expect(walked(ACTOR, 9, 'evt_1_7_0_00000000')).rejects.toThrow('does not know');
});
