import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookError, type WebhookRequest } from './webhook.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const at = new Date('2026-02-15T12:00:00Z');
const body = JSON.stringify({
  type: 'payment.returned',
  timestamp: at.toISOString(),
  data: { id: 'evt_1', note: 'ü' },
});
const headers = (signature = new Webhook(secret).sign('evt_1', at, body)) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': signature,
});
const request = (more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  ...{ body, headers: headers(), secret, clock: () => at.getTime() },
  ...more,
});
const fault = async (more: Partial<WebhookRequest>) => {
  const error = await verifyWebhook(request(more)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WebhookError);
  return (error as WebhookError).code;
};

describe('what another library has signed', () => {
  test.each<[string, Partial<WebhookRequest>]>([
    ['as text', {}],
    ['as bytes', { body: Buffer.from(body) }],
    ['with the headers of fetch', { headers: new Headers(headers()) }],
    ['with those of Node', { headers: { ...headers(), 'webhook-id': ['evt_1'], accept: undefined } }],
    ['with capitals', { headers: Object.fromEntries(Object.entries(headers()).map(([k, v]) => [k.toUpperCase(), v])) }],
    ['with the old secret of two', { secret: [other, secret] }],
    [
      'with two signatures',
      { headers: headers(`${new Webhook(other).sign('evt_1', at, body)} ${headers()['webhook-signature']}`) },
    ],
    ['beside a version that is not known', { headers: headers(`v2,x ${headers()['webhook-signature']}`) }],
    ['a little earlier', { clock: () => at.getTime() + 300_000 }],
    ['a little later', { clock: () => at.getTime() - 300_000 }],
  ])('%s', async (_, more) => {
    expect(await verifyWebhook(request(more))).toEqual({ ...JSON.parse(body), id: 'evt_1' });
  });
});

test.each<[string, Partial<WebhookRequest>, string]>([
  ['another body', { body: body.replace('returned', 'reversed') }, 'no_matching_signature'],
  ['another id', { headers: { ...headers(), 'webhook-id': 'evt_2' } }, 'no_matching_signature'],
  ['another time', { headers: { ...headers(), 'webhook-timestamp': '1771156801' } }, 'no_matching_signature'],
  ['another secret', { secret: other }, 'no_matching_signature'],
  ['no secret', { secret: [] }, 'no_matching_signature'],
  [
    'another version',
    { headers: headers(headers()['webhook-signature'].replace('v1', 'v2')) },
    'no_matching_signature',
  ],
  ['a signature that is no base64', { headers: headers('v1,%%%') }, 'no_matching_signature'],
  [
    'a signature that is cut',
    { headers: headers(headers()['webhook-signature'].slice(0, 20)) },
    'no_matching_signature',
  ],
  ['no signature', { headers: { ...headers(), 'webhook-signature': undefined } }, 'missing_header'],
  ['no id', { headers: { ...headers(), 'webhook-id': '' } }, 'missing_header'],
  ['a time that is none', { headers: { ...headers(), 'webhook-timestamp': '1e9' } }, 'missing_header'],
  ['too old', { clock: () => at.getTime() + 301_000 }, 'too_old'],
  ['too new', { clock: () => at.getTime() - 301_000 }, 'too_new'],
  ['beyond a tolerance of its own', { clock: () => at.getTime() + 11_000, toleranceSeconds: 10 }, 'too_old'],
  ['a secret that is none', { secret: 'whsec_ü' }, 'invalid_secret'],
])('refuses %s', async (_, more, code) => {
  expect(await fault(more)).toBe(code);
});

test('what is no signed event, or is given in the wrong way', async () => {
  for (const text of ['null', '[]', '"x"', '{}'])
    expect(await fault({ body: text, headers: headers(new Webhook(secret).sign('evt_1', at, text)) })).toBe(
      'invalid_body',
    );
  expect(await fault({ body: JSON.parse(body) })).toBe('invalid_body');
  expect(await fault({ secret: undefined as never })).toBe('invalid_secret');
});

test('a signed body that is no JSON', async () => {
  expect(await fault({ body: 'x', headers: headers(new Webhook(secret).sign('evt_1', at, 'x')) })).toBe('invalid_body');
});
