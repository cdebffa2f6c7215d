/** The values in the schemas of webhook operations. */

import { Type } from 'typebox';
import { BESIDE_EVERY, EVERY, FILTERS } from '../../loans/feed/catalogue.ts';
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
    description: 'A type, such as `payment.returned`, a family, such as `payment.*`, or `*` alone for all.',
  }),
  {
    maxItems: 200,
    description: 'The types of events that are delivered. `*`, or an empty list: all, also those that are added later.',
  },
);

export const Description = Type.String({
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  description: 'Your description of the endpoint.',
});

export const Secret = secretOut('The secret that signs deliveries: `whsec_` and 32 bytes in base64. Shown once.');

/** `types` may name what the catalogue has; all of it stands alone. */
export function checkTypes(types: readonly string[] = []): void {
  const errors = types.flatMap((type, i) => {
    const pointer = `/types/${i}`;
    if (!FILTERS.includes(type)) {
      return [{ pointer, code: 'unknown_type', detail: `Must be one of: ${FILTERS.join(', ')}.` }];
    }
    return types.includes(EVERY) && type !== EVERY ? [{ pointer, code: 'contradiction', detail: BESIDE_EVERY }] : [];
  });
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
    description:
      'Events that wait to be delivered, up to 1,000: those that failed and are tried again, and those after them. While it is paused, what has ' +
      'happened meanwhile; when it is active again, they are delivered in their order.',
  }),
  waitingExact: Type.Boolean({ description: 'Whether `waiting` is all of them; false: there may be more.' }),
  oldestWaitingAt: maybe(
    time('A time.'),
    '`recordedAt` of the first event that waits; null if none does, or if it was not found among so many that are not wanted.',
  ),
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
  waitingExact: true,
  oldestWaitingAt: null,
  deadLetters: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
} as const;
