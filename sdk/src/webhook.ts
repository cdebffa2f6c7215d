/** Verifies what a webhook endpoint receives: Standard Webhooks 1.0.0, with the cryptography that Node and browsers share. */
import type { FeedEvent } from './types.ts';

export type WebhookMessage = { type: string; timestamp: string; data: FeedEvent };

export type WebhookRequest = {
  /** As it was received: not parsed and written again. */
  body: string | Uint8Array;
  /** Headers of the request, in either form. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_…`; during a rotation the new and the old one. */
  secret: string | readonly string[];
  /** Allowed difference of the request's time; default 300 seconds. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. */
  clock?: (() => number) | undefined;
};

export type WebhookFault =
  | 'missing_header'
  | 'invalid_secret'
  | 'too_old'
  | 'too_new'
  | 'no_matching_signature'
  | 'invalid_body';

/** The request is not to be trusted: answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Two secrets sign at most; a request that offers many more is nobody's. */
const MOST_SIGNATURES = 8;

/** The message and its id, once one of the signatures is that of one of the secrets. */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookMessage & { id: string }> {
  const { headers, secret, toleranceSeconds = 300, clock = Date.now } = request;
  // In a program without types.
  if (typeof request.body !== 'string' && !(request.body instanceof Uint8Array)) {
    throw new WebhookError(
      'invalid_body',
      'body must be the text or the bytes as they came, not what a parser made of them.',
    );
  }
  if (typeof secret !== 'string' && !Array.isArray(secret))
    throw new WebhookError('invalid_secret', 'There is no secret.');
  const id = required(headers, 'webhook-id');
  const timestamp = required(headers, 'webhook-timestamp');
  const offered = required(headers, 'webhook-signature').split(' ');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('missing_header', 'webhook-timestamp is no time.');
  const age = Math.floor(clock() / 1000) - Number(timestamp);
  if (age > toleranceSeconds) throw new WebhookError('too_old', 'The request is too old.');
  if (-age > toleranceSeconds) throw new WebhookError('too_new', 'The request is from the future; check your clock.');

  const body = typeof request.body === 'string' ? new TextEncoder().encode(request.body) : request.body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const signatures = offered.filter((text) => text.startsWith('v1,')).slice(0, MOST_SIGNATURES);
  let matches = false;
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey('raw', keyOf(one), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      const bytes = bytesOf(signature.slice('v1,'.length));
      // Compares in constant time.
      if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed))) matches = true;
    }
  }
  if (!matches) throw new WebhookError('no_matching_signature', 'No signature is of a secret that was given.');
  return { ...messageIn(body), id };
}

function required(headers: WebhookRequest['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== 'string' || text === '') throw new WebhookError('missing_header', `${name} is missing.`);
  return text;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0)
    throw new WebhookError('invalid_secret', 'The secret must be whsec_ and base64.');
  return bytes;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function messageIn(body: Uint8Array): WebhookMessage {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookError('invalid_body', 'The body is no JSON.');
  }
  if (typeof message !== 'object' || message === null || !('data' in message))
    throw new WebhookError('invalid_body', 'The body is no event.');
  return message as WebhookMessage;
}
