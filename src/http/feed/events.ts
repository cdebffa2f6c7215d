/** The feed of events: by pages, or as a stream of server-sent events. */

import { type Static, Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import { BESIDE_EVERY, CATALOGUE, EVERY, FILTERS } from '../../loans/feed/catalogue.ts';
import type { FeedEvent, FeedPage, FeedQuery, FeedReach } from '../../loans/feed/read.ts';
import { negotiated } from '../shared/accept.ts';
import { actorOf, header } from '../shared/actor.ts';
import { idIn } from '../shared/ids.ts';
import { shape } from '../shared/named.ts';
import { type Call, closed, envelope, ok, operation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { hash, hashExample, Limit, loanExample, maybe, time } from '../shared/shapes.ts';
import { begun } from '../shared/stream.ts';
import { cursorOut, idOut, wordOut } from '../shared/texts.ts';

const STREAM = 'text/event-stream';

const EventsQuery = closed({
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The `id` of an event, or a `nextCursor`: what follows is returned. `now`: only what happens from now on. Default: from the first event on.',
    }),
  ),
  types: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'Only these types, separated by commas, such as `payment.returned,fee.*`. Empty: all.',
    }),
  ),
  loanId: Type.Optional(Type.String({ maxLength: 66, description: 'Only events of this loan.' })),
  limit: Limit(1_000, 100),
});

const EventShape = shape(
  'Event',
  'Something that happened. It names what, where and when; the figures are read through the API.',
  {
    id: idOut('The event. It never changes, and can be sent as `after`.'),
    type: wordOut('The type of the event; `webhooks` in this document lists all types.'),
    loanId: maybe(hash('A loan.'), 'The loan; null for an event that is not about a loan.'),
    transactionHash: maybe(hash('A transaction.'), 'The ledger transaction that recorded it.'),
    sequence: maybe(Type.Integer(), 'Its number among the events of the loan, from 1: the loan’s version after it.'),
    dateEffective: maybe(Type.String({ format: 'date' }), 'The date from which it takes effect.'),
    recordedAt: time('When it was recorded, by the clock of the loan’s owner.'),
    subject: maybe(
      idOut('An id.'),
      'The subject of an event that is not about a loan, such as a webhook endpoint; otherwise null.',
    ),
  },
);

export const eventExample = {
  id: 'evt_3f2_1kc_1_9c4e7a21',
  type: 'payment.submitted',
  loanId: loanExample,
  transactionHash: hashExample,
  sequence: 9,
  dateEffective: '2026-02-15',
  recordedAt: '2026-02-15T12:00:00.000Z',
  subject: null,
};

const EventsAnswer = envelope(
  shape('EventPage', 'A page of the feed.', {
    items: Type.Array(EventShape, { description: 'In the order of the feed.' }),
    nextCursor: cursorOut(
      'Send it as `after` to go on from here, now or later. There is always one, also behind the last event.',
    ),
    more: Type.Boolean({ description: 'Whether more events may follow at once; otherwise this is everything so far.' }),
  }),
  { items: [eventExample], nextCursor: 'cur_3f2_0_0', more: false },
);

export const listEvents = operation({
  at: 'GET /events',
  id: 'listEvents',
  cost: 2,
  tag: 'Events',
  summary: 'Read the feed of events',
  description:
    'Every fact of your loans, and of those that others let you see, in one order that never changes: per loan as it happened. A reader ' +
    'that goes on from the last `id` or `nextCursor` misses nothing and gets nothing twice. A page may hold fewer events than `limit` although ' +
    'there are more.\n\nWith `Accept: text/event-stream` the answer stays open and sends events as they happen (server-sent events), each with ' +
    'its `id`; a browser that reconnects sends `Last-Event-ID`, and the stream goes on from there. A comment comes every 15 seconds when it is ' +
    'quiet. The stream ends when the token does.\n\nThe events have no personal data and no amounts.',
  scopes: ['events:read'],
  key: 'checked',
  query: EventsQuery,
  requestHeaders: {
    'Last-Event-ID': Type.String({
      maxLength: 64,
      description: 'For a stream: the last event that was received; it goes before `after`.',
    }),
  },
  media: ['application/json', STREAM],
  answer: EventsAnswer,
  problems: ['too_many_waiting', 'unavailable'],
  async handle(call) {
    const streams = negotiated(header(call.headers, 'accept'), ['application/json', STREAM]) === STREAM;
    const given = askedIn(call.query, streams ? header(call.headers, 'last-event-id') : undefined);
    const asked = given.after === 'now' ? { ...given, after: await call.services.loans.feed.head() } : given;
    return streams ? stream(call, asked) : pageAnswer(call, asked);
  },
});

type EventsCall = Call<unknown, Static<typeof EventsQuery>> & { caller: Caller };

async function pageAnswer(call: EventsCall, asked: FeedQuery) {
  const { feed } = call.services.loans;
  await feed.caughtUp();
  const page = await feed.read(await actorOf(call), asked);
  if (page === 'unknown cursor') throw unknownCursor();
  const { events, nextCursor, more } = page;
  return { ...ok({ items: events, nextCursor, more }), headers: { 'Cache-Control': 'no-store' } };
}

async function stream(call: EventsCall, asked: FeedQuery) {
  const { feed } = call.services.loans;
  const actor = await actorOf(call);
  // A wrong cursor is refused before the stream begins.
  if (asked.after !== null && (await feed.read(actor, { ...asked, limit: 1 })) === 'unknown cursor')
    throw unknownCursor(asked.after === call.query.after ? '/after' : 'Last-Event-ID');
  const pages = feed.follow(actor.organizationId, { reach: reachOf(call), asked, signal: call.gone() });
  if (pages === 'too many' || pages === 'full') {
    const whose = pages === 'full' ? 'This process' : 'Your organization';
    const code = pages === 'full' ? 'unavailable' : 'too_many_waiting';
    throw new Problem(
      code,
      `${whose} has as many open streams as it may have; close some, or read by pages.`,
      {},
      { 'Retry-After': '30' },
    );
  }
  const headers = { 'Content-Type': STREAM, 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' };
  return { stream: await begun(textOf(pages)), readAs: 'each page' as const, headers };
}

/** The time for which an admission is relied on without asking again. */
const READMITTED_MS = 1_000;

/** The caller's reach now. */
function reachOf(call: EventsCall): () => Promise<FeedReach | null> {
  let last: { at: number; reach: FeedReach | null } | null = null;
  return async () => {
    const now = performance.now();
    if (last === null || now - last.at >= READMITTED_MS) {
      const caller = await call.readmitted();
      last = { at: now, reach: caller === null ? null : await actorOf({ ...call, caller }) };
    }
    return last.reach;
  };
}

async function* textOf(pages: AsyncIterable<FeedPage>): AsyncGenerator<string | Buffer> {
  yield 'retry: 2000\n\n';
  for await (const page of pages) yield page.events.length === 0 ? ':\n\n' : written(page);
}

/** Readers of one channel get the same pages, which are written once. */
const texts = new WeakMap<FeedPage, Buffer>();

function written(page: FeedPage): Buffer {
  const known = texts.get(page);
  if (known !== undefined) return known;
  const made = Buffer.from(page.events.map(messageOf).join(''));
  texts.set(page, made);
  return made;
}

const messageOf = (event: FeedEvent): string => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;

function askedIn(query: Static<typeof EventsQuery>, lastEventId: string | undefined): FeedQuery {
  const read = new RequestReader();
  const types = typesIn(read, query.types);
  const loanId = idIn(query.loanId);
  if (query.loanId !== undefined && loanId === null) {
    read.note('/loanId', { code: 'format', detail: 'Must be `0x` and 64 hexadecimal digits.' });
  }
  read.done();
  return { after: lastEventId || query.after || null, types, loanId, limit: query.limit ?? 100 };
}

function typesIn(read: RequestReader, given = ''): string[] {
  const types = given.split(',').flatMap((type) => type.trim() || []);
  const unknown = types.find((type) => !FILTERS.includes(type));
  if (unknown !== undefined) {
    const detail = `Must be types of the catalogue, separated by commas: ${[...CATALOGUE.keys()].join(', ')}; a family, such as payment.*; or * alone for all.`;
    read.note('/types', { code: 'enum', detail });
  } else if (types.includes(EVERY) && types.some((type) => type !== EVERY)) {
    read.note('/types', { code: 'contradiction', detail: BESIDE_EVERY });
  }
  return types;
}

function unknownCursor(where: '/after' | 'Last-Event-ID' = '/after'): Problem {
  const detail = 'Must be the id of an event or the nextCursor of a page of this feed.';
  // A header has no pointer.
  const errors = { errors: [{ pointer: where, code: 'format', detail }] };
  return new Problem('invalid_request', `${where}: ${detail}`, where === '/after' ? errors : {});
}
