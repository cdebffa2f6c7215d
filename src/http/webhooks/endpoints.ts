/** Webhook endpoints of an organization. */

import { Type } from 'typebox';
import type { Refused } from '../../webhooks/endpoints.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pages } from '../shared/pages.ts';
import { Problem } from '../shared/problems.ts';
import { missing } from '../shared/read.ts';
import { maybe, NextCursor, time } from '../shared/shapes.ts';
import { idOut } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import {
  checkTypes,
  Description,
  EndpointId,
  endpointExample,
  endpointMembers,
  Secret,
  Types,
  Url,
  WebhookEndpoint,
} from './shapes.ts';

export const webhookAdministration = { tag: 'Events', scopes: ['admin'], key: 'checked' } as const;
/** An endpoint receives every event: whoever decides where they go, or sends them again, must be allowed to read them. */
export const webhookReading = { ...webhookAdministration, also: 'events:read' } as const;

/** The result, or the problem that refuses it. */
export function doneOr<T extends object>(done: T | Refused | null, what = 'webhook endpoint'): T {
  if (done === null) return missing(what);
  if (!('refused' in done)) return done as T;
  const { member, code, detail } = (done as Refused).refused;
  if (member === null) throw new Problem('conflict', detail);
  const pointer = `/${member}`;
  const problem = code === 'target_forbidden' ? code : 'invalid_request';
  throw new Problem(problem, `${pointer}: ${detail}`, { errors: [{ pointer, code, detail }] });
}

export const createWebhookEndpoint = write({
  ...webhookReading,
  at: 'POST /webhook-endpoints',
  id: 'createWebhookEndpoint',
  cost: 5,
  summary: 'Create a webhook endpoint',
  description:
    'Events are delivered to it from now on, as Standard Webhooks: one POST each, signed, in order for each loan, at least once. The secret is shown only ' +
    'once; repeating the call with the same `Idempotency-Key` is a 409 `already_answered`. At most 50 endpoints.',
  body: closed(
    { url: Url, types: Type.Optional(Types), description: Type.Optional(Description) },
    {
      examples: [{ url: endpointExample.url, types: endpointExample.types, description: endpointExample.description }],
    },
  ),
  answer: envelope(
    shape('NewWebhookEndpoint', 'A new webhook endpoint with its secret.', { ...endpointMembers, secret: Secret }),
    { ...endpointExample, lastDeliveredAt: null, secret: 'whsec_…' },
  ),
  problems: ['conflict', 'target_forbidden'],
  isSecret: true,
  async write({ services, caller, body }, { keep }) {
    const { url, types = [], description = '' } = body;
    checkTypes(types);
    return doneOr(await services.webhooks.create(caller.organizationId, { url, types, description }, keep));
  },
});

export const listWebhookEndpoints = operation({
  ...webhookAdministration,
  at: 'GET /webhook-endpoints',
  id: 'listWebhookEndpoints',
  summary: 'List webhook endpoints',
  description: 'The organization’s webhook endpoints, oldest first. Secrets are never shown again.',
  query: closed(pages),
  answer: envelope(
    shape('WebhookEndpointPage', 'A page of webhook endpoints.', {
      items: Type.Array(WebhookEndpoint, { description: 'Oldest first.' }),
      nextCursor: NextCursor,
    }),
    { items: [endpointExample], nextCursor: null },
  ),
  problems: [],
  async handle({ services, caller, query }) {
    const { limit = 25, cursor = null } = query;
    const found = await services.webhooks.list(caller.organizationId, { limit, cursor });
    return ok(found ?? badCursor());
  },
});

const WebhookReplay = shape('WebhookReplay', 'Events that are delivered once more.', {
  replayId: idOut('The replay.'),
  status: Type.Enum(['running', 'done'], {
    description: '`done` when every event of it is delivered or a dead letter.',
  }),
  replayed: Type.Integer({ description: 'Events delivered so far.' }),
  deadLetters: Type.Integer({ description: 'Events that could not be delivered.' }),
  createdAt: time('When it was requested.'),
  endedAt: maybe(time('A time.'), 'When it was done; null while it runs.'),
});

export const readWebhookEndpoint = operation({
  ...webhookAdministration,
  at: 'GET /webhook-endpoints/{endpoint_id}',
  id: 'readWebhookEndpoint',
  summary: 'Read a webhook endpoint',
  description: 'The endpoint, and the progress of its last 10 replays.',
  params: { endpoint_id: Type.String({ description: 'The webhook endpoint.' }) },
  answer: envelope(
    shape('WebhookEndpointDetails', 'A webhook endpoint and its replays.', {
      ...endpointMembers,
      replays: Type.Array(WebhookReplay, { description: 'The last 10, newest first.' }),
    }),
    {
      ...endpointExample,
      replays: [
        {
          replayId: 'replay_3d8f1a',
          status: 'running',
          replayed: 1_250,
          deadLetters: 0,
          createdAt: '2026-02-15T12:00:00.000Z',
          endedAt: null,
        },
      ],
    },
  ),
  problems: ['not_found'],
  async handle({ services, caller, params }) {
    return ok(
      (await services.webhooks.read(caller.organizationId, params.endpoint_id ?? '')) ?? missing('webhook endpoint'),
    );
  },
});

export const updateWebhookEndpoint = write({
  ...webhookReading,
  at: 'POST /update-webhook-endpoint',
  id: 'updateWebhookEndpoint',
  cost: 5,
  summary: 'Change, pause or resume a webhook endpoint',
  description:
    'Omitted fields do not change. Changes take effect within about a second. A paused endpoint that becomes active again gets everything that happened ' +
    'meanwhile: nothing is lost. With another `types`, events that still wait and no longer match are not delivered.',
  body: closed(
    {
      endpointId: EndpointId,
      url: Type.Optional(Url),
      types: Type.Optional(Types),
      description: Type.Optional(Description),
      status: Type.Optional(
        Type.Enum(['active', 'paused'], { description: '`paused` stops deliveries; `active` resumes them.' }),
      ),
    },
    { examples: [{ endpointId: endpointExample.endpointId, status: 'paused' }] },
  ),
  answer: envelope(WebhookEndpoint, endpointExample),
  problems: ['not_found', 'target_forbidden'],
  async write({ services, caller, body }, { keep }) {
    const { endpointId, ...change } = body;
    checkTypes(change.types);
    return doneOr(await services.webhooks.update(caller.organizationId, endpointId, change, keep));
  },
});

const EndpointIdRequest = () =>
  closed({ endpointId: EndpointId }, { examples: [{ endpointId: endpointExample.endpointId }] });

export const rotateWebhookSecret = write({
  ...webhookReading,
  at: 'POST /rotate-webhook-secret',
  id: 'rotateWebhookSecret',
  cost: 5,
  summary: 'Replace the secret of a webhook endpoint',
  description:
    'Returns a new secret, shown only once. For a day every delivery carries two signatures, one of each secret, so that a receiver can change over ' +
    'without refusing anything. A further rotation within that day ends the oldest secret at once.',
  body: EndpointIdRequest(),
  answer: envelope(
    shape('RotatedWebhookSecret', 'The new secret of a webhook endpoint.', {
      endpointId: EndpointId,
      secret: Secret,
      formerSecretUntil: time('Until when the former secret also signs.'),
    }),
    { endpointId: endpointExample.endpointId, secret: 'whsec_…', formerSecretUntil: '2026-02-16T12:00:00.000Z' },
  ),
  problems: ['not_found'],
  isSecret: true,
  async write({ services, caller, body }, { keep }) {
    return doneOr(await services.webhooks.rotate(caller.organizationId, body.endpointId, keep));
  },
});

export const deleteWebhookEndpoint = write({
  ...webhookAdministration,
  at: 'POST /delete-webhook-endpoint',
  id: 'deleteWebhookEndpoint',
  cost: 5,
  summary: 'Delete a webhook endpoint',
  description:
    'Nothing more is delivered to it, and its dead letters are dropped. The log of its deliveries stays for 30 days.',
  body: EndpointIdRequest(),
  answer: envelope(
    shape('DeletedWebhookEndpoint', 'A deleted webhook endpoint.', {
      endpointId: EndpointId,
      deleted: Type.Literal(true, { description: 'Always true.' }),
    }),
    { endpointId: endpointExample.endpointId, deleted: true },
  ),
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    return doneOr(await services.webhooks.remove(caller.organizationId, body.endpointId, keep));
  },
});
