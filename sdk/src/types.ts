/** Arguments and results of every operation, from the generated types. */
import type { components, OPERATIONS, operations } from './generated/api.ts';

export type OperationId = keyof operations & keyof typeof OPERATIONS;

/** The shapes that openapi.json names: `Schemas['Loan']`. */
export type Schemas = components['schemas'];

/** An event of the feed, as `stream` yields it and a webhook carries it. */
export type FeedEvent = Schemas['Event'];

/** A problem document, as the service answers a failure. */
export type Problem = Schemas['Problem'];

/** A row of `OPERATIONS`. */
export type Operation = {
  method: string;
  /** As in openapi.json, where `/v2/chain` stands for the path of `baseUrl`. */
  path: string;
  /** Whether it takes `dryRun` in its query. */
  dryRun: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  key: boolean;
  /** Whether `each` follows its pages. */
  paged: boolean;
  /** Whether it needs no credentials. */
  open: boolean;
  tag: string;
  /** Media type of the response, if it is not JSON. */
  accept?: string;
};

/** Operations whose answer is a page of items. */
export type PagedOperationId = {
  [K in OperationId]: (typeof OPERATIONS)[K]['paged'] extends true ? K : never;
}[OperationId];

type Success<K extends OperationId> = operations[K]['responses'][keyof operations[K]['responses']];
type Content<R> = R extends { content: infer C } ? C : never;
type Media<K extends OperationId> = AllKeys<Content<Success<K>>>;
type AllKeys<T> = T extends unknown ? keyof T : never;
type Json<C> = C extends { 'application/json': infer J } ? J : never;
type Unwrapped<B> = B extends { data: infer D } ? D : B;
/** Responses that are not JSON: text as a string, a file as a Blob. */
type Plain<M> = M extends 'application/pdf' ? Blob : string;

/** The whole body of an answer. */
export type Body<K extends OperationId> = [Json<Content<Success<K>>>] extends [never]
  ? Plain<Media<K>>
  : Json<Content<Success<K>>>;

/** Result of an operation: the `data` of its response, or the body of a response that has none. */
export type Data<K extends OperationId> = Unwrapped<Body<K>>;

/** An item of a page. */
export type Item<K extends PagedOperationId> =
  Data<K> extends infer D ? (D extends { items: (infer I)[] } ? I : never) : never;

export type Answer<K extends OperationId> = {
  data: Data<K>;
  /** 200, or 202 for a write that waits for an approval and a report that is still computed. */
  status: number;
  /** The id under which the service has logged the request. */
  requestId: string | null;
  etag: string | null;
  /** The whole body, with the members beside `data`. */
  body: Body<K>;
};

/** An answer that was asked for as text, with `accept`. */
export type TextAnswer<K extends OperationId> = Omit<Answer<K>, 'data' | 'body'> & { data: string; body: string };

/** Members that may be left out may also be undefined. */
type Lenient<T> = { [M in keyof T]: Record<never, never> extends Pick<T, M> ? T[M] | undefined : T[M] };
type Part<Name extends string, T> = [T] extends [never]
  ? { [N in Name]?: undefined }
  : Record<never, never> extends T
    ? { [N in Name]?: Lenient<T> | undefined }
    : { [N in Name]: Lenient<T> };
type Parameter<K extends OperationId, In extends 'path' | 'query'> = Exclude<
  operations[K]['parameters'][In & keyof operations[K]['parameters']],
  undefined
>;
type Sent<K extends OperationId> = operations[K] extends { requestBody: { content: infer C } }
  ? C[keyof C]
  : operations[K] extends { requestBody?: { content: infer C } }
    ? C[keyof C]
    : never;

export type Arguments<K extends OperationId> = Part<'path', Parameter<K, 'path'>> &
  Part<'query', Parameter<K, 'query'>> &
  Part<'body', Sent<K>> & {
    /** For a write that you may repeat yourself, in another process or on another day. Otherwise the client makes one. */
    idempotencyKey?: string | undefined;
    /** The version of the loan that you have read, or its `etag`: another version is a 412. */
    ifMatch?: string | undefined;
    /** The reason for reading personal data. */
    purpose?: string | undefined;
    /** Another of the types that the operation answers with, such as `text/csv`. */
    accept?: Media<K> | undefined;
    signal?: AbortSignal | undefined;
  };

/** For an answer as JSON. */
type JsonArguments<K extends OperationId> = Omit<Arguments<K>, 'accept'> & { accept?: 'application/json' | undefined };
/** Arguments of a call; optional if no argument is required. */
type Given<A> = Record<never, never> extends A ? [args?: A] : [args: A];
/** Operations that need no argument. */
type PlainOperationId = { [K in OperationId]: Record<never, never> extends Arguments<K> ? K : never }[OperationId];
type JsonOrText<K extends OperationId> = [Json<Content<Success<K>>>] extends [never]
  ? never
  : Exclude<Media<K>, 'application/json' | 'text/event-stream'>;

type Method<K extends OperationId> = [JsonOrText<K>] extends [never]
  ? (...args: Given<Arguments<K>>) => Promise<Answer<K>>
  : {
      (args: Arguments<K> & { accept: JsonOrText<K> }): Promise<TextAnswer<K>>;
      (...args: Given<JsonArguments<K>>): Promise<Answer<K>>;
    };

type Methods = { [K in keyof operations]: K extends OperationId ? Method<K> : never };

/** A method for each operation of openapi.json, and what goes beyond one call. */
export type Daybook = Methods & {
  /** Calls an operation by its id. */
  call<K extends OperationId>(operation: K, args: Arguments<K>): Promise<Answer<K>>;
  call<K extends PlainOperationId>(operation: K): Promise<Answer<K>>;
  /** Every item of a list, page after page. */
  each<K extends PagedOperationId>(operation: K, args: Arguments<K>): AsyncGenerator<Item<K>, void, undefined>;
  each<K extends PagedOperationId & PlainOperationId>(operation: K): AsyncGenerator<Item<K>, void, undefined>;
  /** Events as they happen, until `signal` is aborted or the loop is left. It reconnects where it stopped: none is lost and none comes twice. */
  stream(args?: StreamArguments): AsyncGenerator<FeedEvent, void, undefined>;
};

export type StreamArguments = {
  /** The `id` of the last event you have, a `nextCursor` of `listEvents`, or `now`. Otherwise the stream begins with the first event of the feed. */
  after?: string | undefined;
  /** Types (`payment.returned`) or families (`fee.*`). */
  types?: readonly string[] | undefined;
  loanId?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type Auth =
  /** A client of the API: the token is fetched, shared and renewed. */
  | { clientId: string; clientSecret: string; apiKey?: string | undefined; scopes?: readonly string[] | undefined }
  /** A token that you have. */
  | { token: string; apiKey?: string | undefined }
  /** The session of a person, in a page of the service. The function gets the token that was refused, if one was. */
  | { session: { csrfToken: (refused?: string) => string | Promise<string> } };

export type ClientOptions = {
  /** `https://loans.example/v2/chain` */
  baseUrl: string;
  auth?: Auth | undefined;
  /** The form of amounts and counts in answers: `plain` without thousands separators. Absent: as the option of the client, or `interface`. */
  numbers?: 'plain' | 'interface' | undefined;
  /** Retries after the first attempt; default 4. */
  retries?: number | undefined;
  /** Time limit for the response, and for each further part of it; default 35 seconds. */
  timeoutMs?: number | undefined;
  fetch?: typeof fetch | undefined;
  /** Waits; must reject when the signal is aborted. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** From 0 up to but not including 1. */
  random?: (() => number) | undefined;
  /** Milliseconds since 1970. */
  clock?: (() => number) | undefined;
};
