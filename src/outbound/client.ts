/**
 * The HTTP client for all outgoing requests of the service. Targets are checked when a connection is opened, by the address
 * that is connected to: a name that now resolves to another address, and a redirect, are checked like any other target.
 *
 * - An address must be public (`addresses.ts`) or listed in `allow`; the origins in `always` may be at any address.
 * - `https:` with a verified certificate; `http:` only to `always` and `allow`.
 * - A redirect is an answer like any other, unless the request asks for it to be followed.
 * - Bodies are not decompressed, and one that is larger than the request allows is cut off.
 *
 * Failures never quote what was sent, the URL or the answer.
 */
import { lookup as lookupInDns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, errors, request } from 'undici';
import { isIn, isPublic, rangesOf } from './addresses.ts';

export type OutboundSettings = {
  /** Origins (`https://bureau.internal:8443`) that may be at any address; scheme, host and port must match exactly. */
  readonly always?: readonly string[];
  /** Addresses and ranges that may be connected to although they are not public. */
  readonly allow?: readonly string[];
  /** Limit for making a connection, TLS included. */
  readonly connectMs: number;
  /** Limit for the response head and between two parts of the body; about a second is added to each. */
  readonly silenceMs: number;
  /** The most concurrent requests to one origin; further requests wait. */
  readonly connections: number;
  /** Replaces the machine's DNS lookup. */
  readonly lookup?: LookupFunction;
};

export type OutboundRequest = {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Limit from the start to the last byte of the answer, redirects included. */
  readonly withinMs: number;
  readonly maxBytes: number;
  /** Limit for the body, from the head of the answer on. */
  readonly bodyMs?: number;
  /** Whether to read the body, decided by the head of the answer. Otherwise it is cut off, and empty. */
  wants?(head: AnswerHead): boolean;
  /** The number of redirects that are followed. */
  readonly redirects?: number;
};

export type AnswerHead = {
  readonly status: number;
  /** Names in lower case. A header that occurs several times is left out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
};

export type OutboundAnswer = AnswerHead & { readonly body: Buffer };

export type OutboundFailure = {
  /**
   * `forbidden`: the target may not be connected to. `unsendable`: the request is not valid. `connect timeout`: no connection in
   * time. `timeout`: no complete answer in time. `connection`: it could not be made, or it broke before the head of an answer. `cut`: it
   * broke in the body. `too large`, `compressed`: the body is not read. `redirects`: more than are followed.
   */
  readonly failed:
    | 'forbidden'
    | 'unsendable'
    | 'connect timeout'
    | 'timeout'
    | 'connection'
    | 'cut'
    | 'too large'
    | 'compressed'
    | 'redirects';
  /** `ECONNRESET` and the like; `unknown` when there is none. */
  readonly code: string;
};

export type Outbound = {
  /** Never rejects. */
  send(asked: OutboundRequest): Promise<OutboundAnswer | OutboundFailure>;
  close(): Promise<void>;
};

export function isOutboundFailure(outcome: OutboundAnswer | OutboundFailure): outcome is OutboundFailure {
  return 'failed' in outcome;
}

export function openOutbound(settings: OutboundSettings): Outbound {
  const { connections, silenceMs } = settings;
  const agent = new Agent({
    connect: guardedConnector(settings),
    connections,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  return {
    async send(asked) {
      const ends = new AbortController();
      const timer = setTimeout(() => ends.abort(), asked.withinMs);
      try {
        return await follow(agent, asked, ends.signal);
      } catch (error) {
        return ends.signal.aborted ? { failed: 'timeout', code: 'unknown' } : failureOf(error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

// ---- allowed targets ----

/** Thrown into undici, which passes it to the request that waits for the connection. */
class Forbidden extends Error {}

function guardedConnector({ always = [], allow = [], connectMs, lookup }: OutboundSettings): buildConnector.connector {
  const origins = new Set(always.map((url) => new URL(url).origin));
  const allowed = rangesOf(allow);
  const resolve = lookup ?? (lookupInDns as LookupFunction);
  const options = { timeout: connectMs, allowH2: false, rejectUnauthorized: true };
  const connectorFor = (permits: (address: string) => boolean) =>
    buildConnector({ ...options, lookup: guardedLookup(resolve, permits) });
  const anywhere = { permits: () => true, connect: connectorFor(() => true) };
  const isAllowed = (address: string) => isIn(allowed, address);
  const isGood = (address: string) => isPublic(address) || isAllowed(address);
  const secure = { permits: isGood, connect: connectorFor(isGood) };
  const plain = { permits: isAllowed, connect: connectorFor(isAllowed) };

  return (target, callback) => {
    const { protocol, hostname } = target;
    const isAlways = origins.has(new URL(`${protocol}//${target.host ?? hostname}`).origin);
    const { permits, connect } = isAlways ? anywhere : protocol === 'https:' ? secure : plain;
    // A host that is an address is connected to without being looked up.
    const address = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) !== 0 && !permits(address)) return callback(new Forbidden(), null);
    return connect(target, (...made) => {
      const [error, socket] = made;
      if (error === null && !permits(socket.remoteAddress ?? '')) {
        socket.destroy();
        return callback(new Forbidden(), null);
      }
      return callback(...made);
    });
  };
}

/** All addresses of a name must be allowed: a name that mixes public and private ones is suspect. */
function guardedLookup(lookup: LookupFunction, permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [{ address }] : (address ?? []);
      if (error === null && !addresses.every((one) => permits(one.address))) callback(new Forbidden(), address, family);
      else callback(error, address, family);
    });
  };
}

// ---- one request ----

async function follow(
  agent: Agent,
  asked: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundAnswer | OutboundFailure> {
  let { url, method, headers, body } = asked;
  for (let left = asked.redirects ?? 0; ; left--) {
    // A user in the URL would be sent as a header and end up in logs.
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return UNSENDABLE;
    const answer = await exchange(agent, { ...asked, url, method, headers, body }, signal);
    if (asked.redirects === undefined || isOutboundFailure(answer)) return answer;
    const { status, headers: answered } = answer;
    if (![301, 302, 303, 307, 308].includes(status) || answered.location === undefined) return answer;
    if (left === 0) return { failed: 'redirects', code: 'unknown' };
    const next = URL.canParse(answered.location, url) ? new URL(answered.location, url) : null;
    if (next === null) return UNSENDABLE;
    if (next.origin !== url.origin) headers = withoutSecrets(headers);
    if (status < 307 && method === 'POST') {
      method = 'GET';
      body = undefined;
    }
    url = next;
  }
}

/** The headers that may also be sent to another origin. */
function withoutSecrets(headers: OutboundRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(accept|content-type|user-agent)$/i.test(name)),
  );
}

type Exchanged = Omit<OutboundRequest, 'body'> & { readonly body: Uint8Array | undefined };

async function exchange(
  agent: Agent,
  asked: Exchanged,
  signal: AbortSignal,
): Promise<OutboundAnswer | OutboundFailure> {
  const { url, method, headers, body, maxBytes, bodyMs, wants = () => true } = asked;
  const answer = await request(url, {
    dispatcher: agent,
    method,
    headers: { 'user-agent': 'daybook', 'accept-encoding': 'identity', ...headers },
    body: body ?? null,
    signal,
  });
  // An unwanted or too large body is cut off; the error that this raises is ignored.
  answer.body.on('error', () => {});
  const drop = <T>(outcome: T): T => {
    answer.body.destroy();
    return outcome;
  };
  const head = headOf(answer.statusCode, answer.headers);
  if (!wants(head)) return drop({ ...head, body: Buffer.alloc(0) });
  if (Number(head.headers['content-length'] ?? 0) > maxBytes) return drop(TOO_LARGE);
  if ((head.headers['content-encoding'] ?? 'identity') !== 'identity')
    return drop({ failed: 'compressed', code: 'unknown' });
  const chunks: Buffer[] = [];
  let size = 0;
  const limit = bodyMs === undefined ? undefined : setTimeout(() => answer.body.destroy(new BodyTooSlow()), bodyMs);
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return drop(TOO_LARGE);
      chunks.push(chunk);
    }
  } catch (error) {
    const isSlow = error instanceof errors.BodyTimeoutError || error instanceof BodyTooSlow;
    if (signal.aborted || isSlow) return { failed: 'timeout', code: 'unknown' };
    return { failed: 'cut', code: codeOf(error) };
  } finally {
    clearTimeout(limit);
  }
  // undici releases the connection in the next turn of the event loop. A request sent sooner would open another one.
  await new Promise<void>((resolve) => setImmediate(resolve));
  return { ...head, body: Buffer.concat(chunks, size) };
}

class BodyTooSlow extends Error {}

function headOf(status: number, given: Readonly<Record<string, string | string[] | undefined>>): AnswerHead {
  const single = Object.entries(given).filter(([, value]) => typeof value === 'string') as [string, string][];
  return { status, headers: Object.fromEntries(single) };
}

const UNSENDABLE: OutboundFailure = { failed: 'unsendable', code: 'unknown' };
const TOO_LARGE: OutboundFailure = { failed: 'too large', code: 'unknown' };

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof Forbidden) return { failed: 'forbidden', code: 'unknown' };
  if (error instanceof errors.InvalidArgumentError) return UNSENDABLE;
  if (error instanceof errors.ConnectTimeoutError) return { failed: 'connect timeout', code: 'unknown' };
  if (error instanceof errors.HeadersTimeoutError) return { failed: 'timeout', code: 'unknown' };
  return { failed: 'connection', code: codeOf(error) };
}

/** Never the message, which may quote what was sent. */
function codeOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown';
}
