/** The client: a method for each operation, its attempts, and the pages of a list. */
import { credentialsOf } from './auth.ts';
import { ProblemError } from './errors.ts';
import { OPERATIONS } from './generated/api.ts';
import { passes, sleep as realSleep, waitBefore } from './retry.ts';
import { type Opened, open, readAnswer, type Sending, type Transport } from './send.ts';
import { follow } from './stream.ts';
import type { Answer, ClientOptions, Daybook, Operation, OperationId } from './types.ts';
import { addressOf, basesOf } from './url.ts';

type CallArguments = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  ifMatch?: string;
  purpose?: string;
  accept?: string;
  signal?: AbortSignal;
  /** Further headers. */
  headers?: Record<string, string>;
};

export function createClient(options: ClientOptions): Daybook {
  const { auth, retries = 4, timeoutMs = 35_000, sleep = realSleep, random = Math.random, clock = Date.now } = options;
  const bases = basesOf(options.baseUrl);
  const transport: Transport = {
    // Looked up at each call: a page may replace it, and it must be called on its own object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    // A longer timer would fire at once.
    timeoutMs: Math.min(timeoutMs, 2 ** 31 - 1),
    clock,
  };
  const credentials = credentialsOf(auth, {
    clock,
    exchange: async (form) => (await call('createOAuthToken', { body: form })).body as never,
  });

  /** `take` reads the answer: what fails in it counts as a failure of the attempt. */
  async function attempts<T>(id: OperationId, args: CallArguments, take: (opened: Opened) => Promise<T>): Promise<T> {
    const operation: Operation | undefined = OPERATIONS[id];
    if (operation === undefined) throw new TypeError(`There is no operation ${String(id)}.`);
    const { signal } = args;
    const sending = sendingOf(id, operation, args);
    const write = operation.method !== 'GET';
    // The exchange of a token changes nothing, and neither does a dry run.
    const repeatable = !write || sending.init.headers['idempotency-key'] !== undefined || isHarmless(id, args);
    let renewed = false;
    for (let attempt = 0; ; attempt += 1) {
      const own = operation.open ? {} : await untilAborted(credentials.headers(write), signal);
      try {
        const init = { ...sending.init, headers: { ...sending.init.headers, ...own }, credentials: credentials.mode };
        return await take(await open(transport, { ...sending, init }));
      } catch (failure) {
        if (failure instanceof ProblemError && !renewed && !operation.open && credentials.renews(failure, own)) {
          renewed = true;
          attempt -= 1;
          continue;
        }
        if (!repeatable || attempt >= retries || !passes(failure, attempt > 0)) throw failure;
        await sleep(waitBefore(attempt, failure, random), signal);
      }
    }
  }

  function sendingOf(id: OperationId, operation: Operation, args: CallArguments): Sending {
    const { idempotencyKey, ifMatch, purpose } = args;
    // Every write has a body, if only an empty one.
    const body = args.body ?? (operation.method === 'GET' ? undefined : {});
    const accept = acceptOf(operation, args);
    const form = id === 'createOAuthToken';
    const dryRun = isHarmless(id, args);
    const key = idempotencyKey ?? (operation.key && !dryRun ? newKey() : undefined);
    const headers = defined({
      accept,
      'content-type': body === undefined ? undefined : `application/${form ? 'x-www-form-urlencoded' : 'json'}`,
      'idempotency-key': key,
      'if-match': ifMatch,
      purpose: purpose === undefined ? undefined : inUtf8(purpose),
      prefer: options.numbers === undefined ? undefined : `numbers=${options.numbers}`,
      ...args.headers,
    });
    const text = form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
    return {
      url: addressOf(bases, id, operation.path, args),
      operation: id,
      init: { method: operation.method, headers, ...(body === undefined ? {} : { body: text }) },
      signal: args.signal,
    };
  }

  async function call(id: OperationId, args: CallArguments = {}): Promise<Answer<OperationId>> {
    const accept = OPERATIONS[id] && acceptOf(OPERATIONS[id], args);
    return attempts(id, args, async (opened) => {
      const body = await readAnswer(opened, { clock, accept });
      const { status, headers } = opened.response;
      const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
      const answer = { data, status, requestId: headers.get('x-request-id'), etag: headers.get('etag'), body };
      return answer as Answer<OperationId>;
    });
  }

  async function* each(id: OperationId, args: CallArguments = {}): AsyncGenerator<unknown, void, undefined> {
    // The feed has a cursor behind its last event too, and says by `more` whether there are others.
    const name = id === 'listEvents' ? 'after' : 'cursor';
    let cursor: unknown;
    for (;;) {
      const query = cursor === undefined ? args.query : { ...args.query, [name]: cursor };
      const { data } = await call(id, { ...args, query: query ?? {} });
      const { items, nextCursor, more = true } = data as { items: unknown[]; nextCursor: unknown; more?: boolean };
      if (!Array.isArray(items)) throw new TypeError(`${id} answers no list.`);
      yield* items;
      if (nextCursor === null || nextCursor === undefined || !more) return;
      if (nextCursor === cursor) throw new Error(`${id}: the next page has the same cursor.`);
      cursor = nextCursor;
    }
  }

  const methods = Object.keys(OPERATIONS).map((id) => [id, (args?: CallArguments) => call(id as OperationId, args)]);
  const stream = follow({ attempts, call, clock, sleep, random });
  return { ...Object.fromEntries(methods), call, each, stream } as Daybook;
}

function isHarmless(id: OperationId, { query }: CallArguments): boolean {
  return id === 'createToken' || id === 'createOAuthToken' || query?.dryRun === true;
}

const acceptOf = (operation: Operation, { accept }: CallArguments) => accept ?? operation.accept ?? 'application/json';

/** A header has one byte in each character; the service reads them as UTF-8. */
function inUtf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

function defined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  );
}

/** 128 random bits; `randomUUID` is missing in pages that were not served by https. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Several calls share one exchange: who leaves does not end it for the others. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
