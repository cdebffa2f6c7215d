/** The feed: one order over all volumes, from which nothing is missing, whoever writes at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Sql } from '../../store/db/db.ts';
import { makeTick } from '../../store/feed/feed.ts';
import type { OpenLoans } from '../open.ts';
import { CATALOGUE, FILTERS, matches } from './catalogue.ts';
import { feedPlaceOf } from './place.ts';
import type { FeedEvent, FeedPage, FeedQuery, FeedReach } from './read.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const ALL: FeedQuery = { after: null, types: [], loanId: null, limit: 1_000 };

async function page(
  asked: Partial<FeedQuery> = {},
  reach: FeedReach = ACTOR,
  loans: OpenLoans = room.loans,
): Promise<FeedPage> {
  await loans.feed.look();
  const found = await loans.feed.read(reach, { ...ALL, ...asked });
  if (found === 'unknown cursor') throw new Error(found);
  return found;
}

/** Everything after a cursor, page by page. */
async function rest(asked: Partial<FeedQuery> = {}, reach: FeedReach = ACTOR): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let after = asked.after ?? null; ; ) {
    const { events: some, nextCursor, more } = await page({ ...asked, after }, reach);
    events.push(...some);
    if (!more) return events;
    after = nextCursor;
  }
}

const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);

describe('pages', () => {
  test('every event of every loan is there, each loan in its own order, and once', async () => {
    const loans = await Promise.all(Array.from({ length: 6 }, () => room.live()));
    await Promise.all(
      loans.flatMap((loanId) => [room.done(loanId, repay('A', 1_000)), room.done(loanId, repay('B', 1_000))]),
    );
    const events = await rest();
    expect(new Set(idsOf(events)).size).toBe(events.length);
    for (const loanId of loans) {
      const own = events.filter((event) => event.loanId === loanId);
      const known = await room.loans.ledger.transactions(ACTOR, loanId);
      expect(own.map(({ transactionHash }) => transactionHash)).toEqual(
        known?.map(({ transactionHash }) => transactionHash),
      );
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, i) => i + 1));
      expect(own.at(-1)).toMatchObject({ type: 'payment.submitted', dateEffective: '2026-01-01', subject: null });
    }
  });

  test.each([1, 2, 3, 7])('pages of %i give the same as one', async (limit) => {
    const whole = await rest();
    expect(idsOf(await rest({ limit }))).toEqual(idsOf(whole));
  });

  test('a reader goes on after any event and any cursor', async () => {
    const whole = idsOf(await rest());
    for (const [i, id] of whole.entries()) expect(idsOf(await rest({ after: id }))).toEqual(whole.slice(i + 1));
    let after: string | null = null;
    for (let seen = 0; seen < whole.length; ) {
      const { events, nextCursor } = await page({ after, limit: 4 });
      expect(idsOf(events)).toEqual(whole.slice(seen, seen + events.length));
      seen += events.length;
      after = nextCursor;
    }
  });

  test('filters by type, family and loan', async () => {
    const loanId = await room.live();
    await room.done(loanId, repay('P', 1_000));
    const whole = await rest();
    for (const filter of FILTERS) {
      const expected = whole.filter(({ type }) => matches([filter], type));
      expect(idsOf(await rest({ types: [filter] }))).toEqual(idsOf(expected));
    }
    const own = whole.filter((event) => event.loanId === loanId);
    expect(idsOf(await rest({ loanId }))).toEqual(idsOf(own));
    expect(idsOf(await rest({ loanId, limit: 1, types: ['loan.*'] }))).toEqual(
      idsOf(own.filter(({ type }) => type.startsWith('loan.'))),
    );
  });

  test('a cursor behind the last event leads to what comes next, and only to that', async () => {
    const { nextCursor } = await page({ after: (await rest()).at(-1)?.id ?? null });
    expect(await page({ after: nextCursor })).toMatchObject({ events: [], more: false });
    const loanId = await room.create();
    expect((await rest({ after: nextCursor })).map((event) => event.loanId)).toEqual([loanId]);
  });

  test.each([
    'evt_1',
    'x',
    'cur_zzzzzzzzzz_0_0',
    'evt_1_0_0',
    'cur_1_0_0_0',
    'cur_1_zzzzz_1',
    'evt_2_3k_1_00000000',
    '__proto__',
    'cur_1_0_zzzzzzz',
  ])('%s is no cursor of it', async (after) => {
    expect(await room.loans.feed.read(ACTOR, { ...ALL, after })).toBe('unknown cursor');
  });

  test('an id whose event was replaced is not of this feed', async () => {
    const [event] = await rest();
    const wrong = event?.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) ?? '';
    expect(await room.loans.feed.read(ACTOR, { ...ALL, after: wrong })).toBe('unknown cursor');
  });
});

describe('who sees what', () => {
  const other = (grants: FeedReach['grants'] = []): FeedReach => ({ organizationId: 'org_other', grants });

  test('another organization sees nothing without a grant, and with one what it is for', async () => {
    const mine = await room.live({ applicationId: 'by S-1' });
    const theirs = await room.live({ applicationId: 'by S-2', primaryServicerId: 'S-2' });
    expect(await rest({}, other())).toEqual([]);
    expect(await rest({ loanId: mine }, other())).toEqual([]);
    const grant = { ownerOrganizationId: ACTOR.organizationId, access: 'read', servicerId: null } as const;
    expect(idsOf(await rest({}, other([grant])))).toEqual(idsOf(await rest()));
    const seen = await rest({}, other([{ ...grant, servicerId: 'S-2' }]));
    expect(new Set(seen.map(({ loanId }) => loanId))).toEqual(new Set([theirs]));
    expect(seen.length).toBeGreaterThan(3);
  });
});

describe('two writers at once', () => {
  test('what one commits while another holds its volumes is followed by what that one commits, and nothing is skipped', async () => {
    const before = (await page({ limit: 1_000 })).nextCursor;
    const from = (await rest({ after: before })).at(-1)?.id ?? before;
    const [slow, quick] = await Promise.all([room.live(), room.live()]);
    const start = (await rest({ after: from })).at(-1)?.id as string;
    // A transaction that has taken the next block of one volume and is not committed yet.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const volume = Number.parseInt(slow.slice(2, 4), 16) % room.db.volumes.count;
    const holding = room.db.transaction(async (tx: Sql) => {
      await tx.query('SELECT number FROM ledger_heads WHERE volume = $1 FOR UPDATE', [volume]);
      locked();
      await held;
    });
    await isLocked;
    const waiting = room.done(slow, repay('slow', 1_000));
    const same = Number.parseInt(quick.slice(2, 4), 16) % room.db.volumes.count === volume;
    const done = same
      ? null
      : await room.another().write(
          ACTOR,
          { loanId: quick, command: repay('quick', 1_000), reason: null, answer: () => '' },
          {
            dryRun: false,
            ifVersion: null,
            idempotency: null,
          },
        );
    const first = await rest({ after: start });
    expect(first.map(({ loanId }) => loanId)).toEqual(done === null ? [] : [quick]);
    release();
    await holding;
    await waiting;
    const second = await rest({ after: first.at(-1)?.id ?? start });
    expect(second.map(({ loanId }) => loanId)).toEqual([slow]);
  });

  test('ticks that several processes make at once are one after the other', async () => {
    const start = (await rest()).at(-1)?.id as string;
    const loans = await Promise.all(
      Array.from({ length: 8 }, (_, i) => room.create({ applicationId: `at once ${i}` })),
    );
    await Promise.all(Array.from({ length: 6 }, () => makeTick(room.db)));
    const marks = await room.db.query<{ volume: number; number: bigint; last_block: bigint }>(
      'SELECT volume, number, last_block FROM feed_marks ORDER BY volume, number',
    );
    for (const [i, mark] of marks.entries()) {
      const next = marks[i + 1];
      if (next?.volume === mark.volume) expect(next.last_block > mark.last_block).toBe(true);
    }
    expect(new Set((await rest({ after: start })).map(({ loanId }) => loanId))).toEqual(new Set(loans));
  });

  test('many writers and a reader who never waits: it has everything once, in the order of each loan', async () => {
    const loans = await Promise.all(Array.from({ length: 5 }, (_, i) => room.live({ applicationId: `busy ${i}` })));
    const others = room.another();
    let cursor = (await page({ after: (await rest()).at(-1)?.id ?? null })).nextCursor;
    const got: FeedEvent[] = [];
    let writing = true;
    const reading = (async () => {
      for (let last = false; !last; ) {
        last = !writing;
        const { events, nextCursor, more } = await page({ after: cursor, limit: 3 });
        got.push(...events);
        cursor = nextCursor;
        if (more) last = false;
      }
    })();
    for (let i = 0; i < 12; i++) {
      await Promise.all(
        loans.map((loanId, n) =>
          (n % 2 === 0 ? room.loans : others).write(
            ACTOR,
            { loanId, command: repay(`R-${i}`, 100), reason: null, answer: () => '' },
            { dryRun: false, ifVersion: null, idempotency: null },
          ),
        ),
      );
    }
    writing = false;
    await reading;
    expect(got).toHaveLength(60);
    for (const loanId of loans) {
      const sequences = got.filter((event) => event.loanId === loanId).map(({ sequence }) => sequence as number);
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      expect(new Set(sequences).size).toBe(12);
    }
  });
});

describe('events that are not of a loan', () => {
  test('stand in the order, for their organization alone', async () => {
    const start = (await rest()).at(-1)?.id as string;
    const before = await room.create({ applicationId: 'before the note' });
    await page();
    await room.db.transaction((tx) =>
      room.loans.feed.note(tx, ACTOR.organizationId, { type: 'webhook_endpoint.paused', subject: 'endpoint_1' }),
    );
    const after = await room.create({ applicationId: 'after the note' });
    const events = await rest({ after: start });
    expect(events.map(({ loanId, subject }) => loanId ?? subject)).toEqual([before, 'endpoint_1', after]);
    expect(idsOf(await rest({ after: events[1]?.id ?? '' }))).toEqual([events[2]?.id]);
    expect(idsOf(await rest({ after: start, limit: 1 }))).toEqual(idsOf(events));
    expect((await rest({ after: start, types: ['webhook_endpoint.*'] })).map(({ subject }) => subject)).toEqual([
      'endpoint_1',
    ]);
    expect(await rest({ after: start }, { organizationId: 'org_other', grants: [] })).toEqual([]);
  });
});

describe('following', () => {
  const follow = (after: string | null, signal: AbortSignal, loans = room.loans) => {
    const pages = loans.feed.follow(ACTOR.organizationId, {
      reach: async () => ACTOR,
      asked: { after, types: [], loanId: null },
      signal,
    });
    if (typeof pages === 'string') throw new Error(pages);
    return pages;
  };

  test('readers who come at different times all get everything, in order', async () => {
    const start = (await rest()).at(-1)?.id as string;
    const ends = new AbortController();
    const loanId = await room.live({ applicationId: 'followed' });
    const expected = async () => idsOf(await rest({ after: start }));
    const read = async (count: number) => {
      const got: string[] = [];
      for await (const { events } of follow(start, ends.signal)) {
        got.push(...idsOf(events));
        if (got.length >= count) break;
      }
      return got;
    };
    const before = (await expected()).length;
    const readers = Array.from({ length: 5 }, () => read(before + 20));
    for (let i = 0; i < 20; i++) {
      await room.done(loanId, repay(`F-${i}`, 100));
      if (i % 5 === 0) readers.push(read(before + 20));
    }
    for (const got of await Promise.all(readers)) expect(got).toEqual(await expected());
    ends.abort();
  });

  test('what another process writes arrives too', async () => {
    const start = (await page({ after: (await rest()).at(-1)?.id ?? null })).nextCursor;
    const ends = new AbortController();
    const others = room.another();
    const loanId = await room.create({ applicationId: 'elsewhere' });
    const reading = (async () => {
      for await (const { events } of follow(start, ends.signal, others)) {
        if (events.length > 0) return events.map((event) => event.loanId);
      }
      return [];
    })();
    expect(await reading).toEqual([loanId]);
    ends.abort();
  });

  test('ends when the reader is no longer admitted', async () => {
    let admitted = true;
    const ends = new AbortController();
    const pages = room.loans.feed.follow(ACTOR.organizationId, {
      reach: async () => (admitted ? ACTOR : null),
      asked: { after: null, types: [], loanId: null },
      signal: ends.signal,
    });
    if (typeof pages === 'string') throw new Error(pages);
    expect((await pages.next()).done).toBe(false);
    admitted = false;
    await room.create({ applicationId: 'no longer admitted' });
    expect((await pages.next()).done).toBe(true);
  });
});

test('ids can be signed, and every type has a name and a description', async () => {
  for (const { id, type } of await rest()) {
    expect(id).toMatch(/^evt_[0-9a-z_]+$/);
    expect(feedPlaceOf(id)).not.toBeNull();
    expect(CATALOGUE.get(type)).toBeDefined();
  }
  for (const [type, about] of CATALOGUE) {
    expect(type).toMatch(/^[a-z_]+\.[a-z_]+$/);
    expect(about).toMatch(/^[A-Z].*\.$/);
  }
});
