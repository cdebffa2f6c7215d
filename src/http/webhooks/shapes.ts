/** The values in the schemas of webhook operations. */

import { Type } from 'typebox';
import { FILTERS } from '../../loans/feed/catalogue.ts';
import { CreatedAt } from '../access/shared.ts';
import { shape } from '../shared/named.ts';
import { Problem } from '../shared/problems.ts';
import { maybe, time } from '../shared/shapes.ts';
import { secretOut } from '../shared/texts.ts';

export const EndpointId = Type.String({ minLength: 1, maxLength: 128, description: 'The webhook endpoint.' });

export const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    'Where events are delivered: an https URL without user, password and fragment, at a public address. `http:` and other addresses only if the operator has ' +
    'listed them in `OUTBOUND_ALLOW`.',
});

export const Types = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A type, such as `payment.returned`, or a family, such as `payment.*`.',
  }),
  { maxItems: 200, description: 'The types of events that are delivered; empty: all.' },
);

export const Description = Type.String({
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  description: 'Your description of the endpoint.',
});

export const Secret = secretOut('The secret that signs deliveries: `whsec_` and 32 bytes in base64. Shown once.');

/** `types` may name what the catalogue has. */
export function checkTypes(types: readonly string[] | undefined): void {
  const errors = (types ?? []).flatMap((type, i) =>
    FILTERS.includes(type)
      ? []
      : [{ pointer: `/types/${i}`, code: 'unknown_type', detail: `Must be one of: ${FILTERS.join(', ')}.` }],
  );
  const [first] = errors;
  if (first === undefined) return;
  throw new Problem('invalid_request', `${first.pointer}: ${first.detail}`, { errors });
}

export const endpointMembers = {
  endpointId: EndpointId,
  url: Url,
  types: Types,
  description: Description,
  status: Type.Enum(['active', 'paused'], { description: 'Events are delivered only while it is `active`.' }),
  pausedBecause: maybe(
    Type.Enum(['by_user', 'gone', 'failing']),
    'Why it is paused: on request, because it answered 410, or because nothing could be delivered for a day; null if it is active.',
  ),
  pausedAt: maybe(time('A time.'), 'Since when it is paused.'),
  failingSince: maybe(
    time('A time.'),
    'The first of the failed attempts since the last one that succeeded; null if there is none.',
  ),
  lastDeliveredAt: maybe(time('A time.'), 'When an event was last delivered.'),
  formerSecretUntil: maybe(
    time('A time.'),
    'Until when the secret before the present one also signs; null if it does not.',
  ),
  waiting: Type.Integer({
    description: 'Events that wait for another attempt. Events that were not tried yet are not counted.',
  }),
  deadLetters: Type.Integer({
    description: 'Events that could not be delivered in a day of attempts; kept for 30 days.',
  }),
  createdAt: CreatedAt,
  updatedAt: time('When it was last changed.'),
};

export const WebhookEndpoint = shape('WebhookEndpoint', 'An address to which events are delivered.', endpointMembers);

export const endpointExample = {
  endpointId: 'endpoint_5k2m9q',
  url: 'https://hooks.harbor.example/daybook',
  types: ['payment.*', 'loan.charged_off'],
  description: 'Core banking',
  status: 'active',
  pausedBecause: null,
  pausedAt: null,
  failingSince: null,
  lastDeliveredAt: '2026-02-15T12:00:00.000Z',
  formerSecretUntil: null,
  waiting: 0,
  deadLetters: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
} as const;
