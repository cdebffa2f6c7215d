/** Deliveries of webhooks: a test, the log of attempts, and events delivered again. */

import { type Static, Type } from 'typebox';
import { FAILURES } from '../../webhooks/attempt.ts';
import type { ReplaySelection } from '../../webhooks/redelivery.ts';
import { idIn } from '../shared/ids.ts';
import { named, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor } from '../shared/pages.ts';
import { moment } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { hash, Limit, loanExample, maybe, NextCursor, time } from '../shared/shapes.ts';
import { idOut, wordOut } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import { doneOr, webhookAdministration, webhookReading } from './endpoints.ts';
import { EndpointId, endpointExample } from './shapes.ts';

const Failure = named(
  'WebhookFailure',
  Type.Enum([...FAILURES], {
    description:
      '`response`: the status was not 2xx. `redirect`: it was 3xx; redirects are not followed. `timeout`: no response within 15 seconds. `connection`: no ' +
      'connection, or it broke. `forbidden`: the name resolves to an address that is not allowed.',
  }),
);
const Status = maybe(Type.Integer(), 'The HTTP status of the response; null if there was none.');
const Why = maybe(Failure, 'Why it failed; null if it was delivered.');
const Ms = Type.Integer({ description: 'How long it took, in milliseconds.' });
const DeliveryId = Type.String({ minLength: 1, maxLength: 128, description: 'The delivery: one attempt.' });
const EventId = idOut('The event, which is also the `webhook-id` of the request.');

export const testWebhook = write({
  ...webhookAdministration,
  at: 'POST /test-webhook',
  id: 'testWebhook',
  cost: 10,
  summary: 'Send a test to a webhook endpoint',
  description:
    'Delivers an event of type `webhook.test` at once, also to a paused endpoint, and responds with the outcome. It waits up to 10 seconds for a response, and ' +
    'a failure is not retried.',
  body: closed({ endpointId: EndpointId }, { examples: [{ endpointId: endpointExample.endpointId }] }),
  answer: envelope(
    shape('WebhookTest', 'The outcome of a test.', {
      deliveryId: DeliveryId,
      endpointId: EndpointId,
      eventId: EventId,
      outcome: Type.Enum(['delivered', 'failed'], { description: 'Whether the receiver answered with a 2xx status.' }),
      status: Status,
      failure: Why,
      ms: Ms,
    }),
    {
      deliveryId: 'delivery_019c65f0a1003f9a',
      endpointId: endpointExample.endpointId,
      eventId: 'evt_test_7c2q9d',
      outcome: 'delivered',
      status: 204,
      failure: null,
      ms: 84,
    },
  ),
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    return doneOr(await services.webhooks.test(caller.organizationId, body.endpointId, keep));
  },
});

const point = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }));

const ReplayRequest = closed(
  {
    endpointId: EndpointId,
    from: point('The first event: a time, such as `2026-02-15T12:00:00Z`, or the `id` of an event.'),
    to: point('The last event: a time or the `id` of an event; default: now.'),
    deadLetters: Type.Optional(
      Type.Literal(true, { description: 'Delivers all dead letters of the endpoint again, in place of a range.' }),
    ),
    deliveryId: Type.Optional(DeliveryId),
  },
  { examples: [{ endpointId: endpointExample.endpointId, from: '2026-02-01T00:00:00Z', to: '2026-02-02T00:00:00Z' }] },
);

export const replayWebhook = write({
  ...webhookReading,
  at: 'POST /replay-webhook',
  id: 'replayWebhook',
  cost: 20,
  summary: 'Deliver events again',
  description:
    'Delivers every event of a range that matches the endpoint’s `types` once more, with the same ids, in order for each loan, beside the live events. ' +
    'Or, with `deadLetters` or the `deliveryId` of a dead letter, undelivered events. `GET /webhook-endpoints/{endpoint_id}` shows the progress. Replays of an ' +
    'endpoint run one after the other, at most 5 at a time.',
  body: ReplayRequest,
  answer: envelope(
    shape('WebhookReplayStart', 'A replay that has begun.', {
      replayId: idOut('The replay.'),
      endpointId: EndpointId,
      status: Type.Literal('running', { description: 'Always `running`.' }),
      events: maybe(Type.Integer(), 'How many events; null for a range, which is counted while it runs.'),
    }),
    { replayId: 'replay_3d8f1a', endpointId: endpointExample.endpointId, status: 'running', events: null },
  ),
  problems: ['not_found', 'conflict'],
  async write({ services, caller, body }, { keep }) {
    const asked = replayIn(body);
    return doneOr(await services.webhooks.replay(caller.organizationId, body.endpointId, asked, keep));
  },
});

function replayIn({ from, to, deadLetters, deliveryId }: Static<typeof ReplayRequest>): ReplaySelection {
  const read = new RequestReader();
  const ways = [from, deadLetters, deliveryId].filter((one) => one !== undefined);
  if (ways.length !== 1) {
    read.note('/from', { code: 'invalid_value', detail: 'Give exactly one of from, deadLetters and deliveryId.' });
  }
  if (to !== undefined && from === undefined) {
    read.note('/to', { code: 'invalid_value', detail: 'Must come with from.' });
  }
  const pointIn = (member: 'from' | 'to', text: string): Date | string => {
    if (/^evt_[0-9a-z_]{1,80}$/.test(text)) return text;
    const at = moment(text);
    if (at !== null) return new Date(at);
    const detail = 'Must be a time with a time zone, such as 2026-02-15T12:00:00Z, or the id of an event.';
    read.note(`/${member}`, { code: 'format', detail });
    return text;
  };
  const first = from === undefined ? null : pointIn('from', from);
  const last = to === undefined ? null : pointIn('to', to);
  if (first instanceof Date && last instanceof Date && last < first) {
    read.note('/to', { code: 'invalid_value', detail: 'Must not be before from.' });
  }
  read.done();
  if (deliveryId !== undefined) return { what: 'delivery', deliveryId };
  return first === null ? { what: 'dead letters' } : { what: 'range', from: first, to: last };
}

const OUTCOMES = ['delivered', 'failed', 'dead'] as const;

const DeliveriesQuery = closed({
  endpointId: Type.Optional(EndpointId),
  outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: 'Only attempts with this outcome.' })),
  loanId: Type.Optional(Type.String({ maxLength: 66, description: 'Only events of this loan.' })),
  eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only attempts for this event.' })),
  limit: Limit(),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the previous page.' })),
});

const WebhookDelivery = shape('WebhookDelivery', 'One attempt to deliver an event.', {
  deliveryId: DeliveryId,
  endpointId: EndpointId,
  eventId: EventId,
  type: wordOut('The type of the event.'),
  loanId: maybe(hash('A loan.'), 'The loan; null for an event that is not about one.'),
  attempt: Type.Integer({ description: 'The number of the attempt, from 1.' }),
  at: time('When it was sent.'),
  ms: Ms,
  status: Status,
  failure: Why,
  outcome: Type.Enum([...OUTCOMES], {
    description: '`failed`: it is tried again. `dead`: it was the last attempt, and the event is a dead letter.',
  }),
  replayId: maybe(idOut('An id.'), 'The replay that it belongs to; null for a live event.'),
});

export const listWebhookDeliveries = operation({
  tag: 'Events',
  scopes: ['events:read'],
  key: 'checked',
  at: 'GET /webhook-deliveries',
  id: 'listWebhookDeliveries',
  cost: 2,
  summary: 'List deliveries of webhooks',
  description:
    'Every attempt of the last 30 days, newest first. The filters are combined. A failed attempt is in the list within a second.',
  query: DeliveriesQuery,
  answer: envelope(
    shape('WebhookDeliveryPage', 'A page of deliveries.', {
      items: Type.Array(WebhookDelivery, { description: 'Newest first.' }),
      nextCursor: NextCursor,
    }),
    {
      items: [
        {
          deliveryId: 'delivery_019c65f0a1003f9a',
          endpointId: endpointExample.endpointId,
          eventId: 'evt_2f_a1_3_9c65f0a1',
          type: 'payment.returned',
          loanId: loanExample,
          attempt: 2,
          at: '2026-02-15T12:00:04.000Z',
          ms: 84,
          status: 503,
          failure: 'response',
          outcome: 'failed',
          replayId: null,
        },
      ],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle({ services, caller, query }) {
    const { endpointId = null, outcome = null, eventId = null, limit = 25, cursor = null } = query;
    const loanId = idIn(query.loanId);
    const read = new RequestReader();
    if (query.loanId !== undefined && loanId === null) {
      read.note('/loanId', { code: 'format', detail: 'Must be `0x` and 64 hexadecimal digits.' });
    }
    read.done();
    if (cursor !== null && !/^delivery_[0-9a-f]{1,60}$/.test(cursor)) return badCursor();
    const filter = { endpointId: known(endpointId), outcome, loanId, eventId: known(eventId), before: cursor, limit };
    return ok(await services.webhooks.deliveries(caller.organizationId, filter));
  },
});

/** Text that no id can be finds nothing; a NUL would fail in SQL. */
const known = (id: string | null): string | null => (id === null || /^[\x21-\x7e]*$/.test(id) ? id : '-');
