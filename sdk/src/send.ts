/** One request and its whole answer, or a ConnectionError. */
import { ConnectionError, ProblemError } from './errors.ts';
import type { Problem } from './types.ts';

export type Sending = {
  url: string;
  /** For messages. */
  operation: string;
  init: { method: string; headers: Record<string, string>; body?: string; credentials?: 'omit' | 'same-origin' };
  signal: AbortSignal | undefined;
};

export type Transport = { fetch: typeof fetch; timeoutMs: number; clock: () => number };

/** An answer whose body has not been read. `next` gets its next part, and fails when none comes in time; `close` ends it. */
export type Opened = {
  response: Response;
  next(patienceMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  close(): void;
};

export async function open(
  { fetch, timeoutMs }: Transport,
  { url, operation, init, signal }: Sending,
): Promise<Opened> {
  const controller = new AbortController();
  const leave = () => controller.abort(signal?.reason);
  let late = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    controller.abort();
  };
  /** Every wait is bounded, and fails in the same words. */
  const within = async <T>(wait: Promise<T>, patienceMs = timeoutMs): Promise<T> => {
    timer = setTimeout(() => {
      late = true;
      controller.abort();
    }, patienceMs);
    try {
      return await wait;
    } catch (cause) {
      const gone = signal?.aborted === true;
      close();
      if (gone) throw signal?.reason;
      const why = late ? `no answer within ${patienceMs} ms` : 'the connection failed';
      throw new ConnectionError(`${operation}: ${why}.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  };
  // A value that no header can have is the caller's mistake, and not to be repeated.
  const headers = new Headers(init.headers);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', leave, { once: true });
  // A redirect is not followed: it would carry the API key to another address.
  const response = await within(fetch(url, { ...init, headers, redirect: 'error', signal: controller.signal }));
  const reader = response.body?.getReader();
  return {
    response,
    async next(patienceMs) {
      const part = reader === undefined ? undefined : await within(reader.read(), patienceMs);
      if (part === undefined || part.done) close();
      return part?.value as Uint8Array<ArrayBuffer> | undefined;
    },
    close,
  };
}

/** The whole body: parsed JSON, text, or a Blob of what is neither. Throws a ProblemError unless it is a success. */
export async function readAnswer(
  opened: Opened,
  { clock, accept }: { clock: () => number; accept: string },
): Promise<unknown> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let part = await opened.next(); part !== undefined; part = await opened.next()) parts.push(part);
  const { response } = opened;
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const blob = new Blob(parts, { type });
  const isJson = /^application\/([\w.-]+\+)?json$/.test(type);
  if (!response.ok) throw problemOf(response, isJson ? parsed(await blob.text()) : undefined, clock);
  if (isJson) {
    const body = parsed(await blob.text());
    if (body === undefined) throw problemOf(response, undefined, clock);
    return body;
  }
  if (type === '' || !accept.includes(type)) throw problemOf(response, undefined, clock);
  return /^text\/|ndjson$/.test(type) ? blob.text() : blob;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(response: Response, body: unknown, clock: () => number): ProblemError {
  const document = typeof body === 'object' && body !== null && 'code' in body && 'detail' in body ? body : {};
  return new ProblemError(response.status, document as Partial<Problem>, {
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: retryAfter(response.headers.get('retry-after'), clock),
  });
}

/** Seconds, from a number of them or from a date. */
function retryAfter(text: string | null, clock: () => number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - clock()) / 1000));
}
