/** The member `webhooks` of the OpenAPI document: every type of event with the message that is delivered for it. */
import { CATALOGUE, OF_ORGANIZATIONS, TEST } from '../../loans/feed/catalogue.ts';
import { eventExample } from '../feed/events.ts';
import type { OpenApi } from './components.ts';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const PARAMETERS = {
  WebhookId: header(
    'webhook-id',
    'The event’s `id`. The same for every attempt: receivers ignore one they already have.',
    eventExample.id,
  ),
  WebhookTimestamp: header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1771156800'),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures of `webhook-id.webhook-timestamp.body` (Standard Webhooks, HMAC-SHA256), each `v1,` and base64, separated by spaces: two for ' +
      'a day after the secret was rotated, either of which is enough.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

const RESPONSES = {
  WebhookReceived: { description: 'Any 2xx within 15 seconds: received. The body is ignored.' },
  WebhookGone: { description: 'The endpoint is paused at once.' },
  WebhookFailed: {
    description:
      'Anything else, redirects included: the event is delivered again, later each time; `Retry-After` is honoured.',
  },
};

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The document with them. */
export function withWebhooks(document: OpenApi): OpenApi {
  const types = [...CATALOGUE, [TEST.type, TEST.about] as const];
  const { components } = document;
  return {
    ...document,
    webhooks: Object.fromEntries(types.map(([type, about]) => [type, { post: deliveryOf(type, about) }])),
    components: {
      ...components,
      parameters: { ...(components?.parameters as object | undefined), ...PARAMETERS },
      responses: { ...(components?.responses as object | undefined), ...RESPONSES },
    },
  };
}

function deliveryOf(type: string, about: string) {
  return {
    operationId: `on${wordsOf(type)}`,
    tags: ['Events'],
    summary: about.split(/[.:]/)[0],
    description: about,
    // The signature is in the headers.
    security: [],
    parameters: Object.keys(PARAMETERS).map((name) => ref('parameters', name)),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: messageOf(type), example: exampleOf(type) } },
    },
    responses: {
      '2XX': ref('responses', 'WebhookReceived'),
      410: ref('responses', 'WebhookGone'),
      default: ref('responses', 'WebhookFailed'),
    },
  };
}

/** Thin: it names the event, and its receiver reads the rest through the API. */
function messageOf(type: string) {
  return {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { const: type, description: 'The type of the event.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it was recorded.' },
      data: ref('schemas', 'Event'),
    },
  };
}

function exampleOf(type: string) {
  const ofLoan = !(type in OF_ORGANIZATIONS) && type !== TEST.type;
  const about = {
    loanId: null,
    transactionHash: null,
    sequence: null,
    dateEffective: null,
    subject: 'endpoint_7k2m9q',
  };
  const data = { ...eventExample, type, ...(ofLoan ? {} : about) };
  return { type, timestamp: data.recordedAt, data };
}

/** `payment.returned` → `PaymentReturned`. */
function wordsOf(type: string): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
