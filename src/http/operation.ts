/**
 * An operation of the API as data: where it is, who may call it, what it takes and gives, how it can fail, and the function
 * behind it. `routes.ts` lists them all; `app.ts` makes HTTP of them; the OpenAPI document is generated from them.
 */
import type { Static, TProperties, TSchema } from 'typebox';
import type { Access, Caller } from '../access/access.ts';
import type { Scope } from '../access/scopes.ts';
import type { Loans } from '../loans/loans.ts';
import type { ProblemCode } from './shell/problems.ts';

/** What operations work with once the service is ready. */
export type Services = { access: Access; loans: Loans };

export type Call<Body = unknown, Query = unknown> = {
  services: Services;
  body: Body;
  /** The JSON text that `body` was read from. */
  source: string;
  query: Query;
  /** What stands in the place of each `{name}` of the path: any text, not yet looked at. */
  params: Readonly<Record<string, string>>;
  requestId: string;
  /** The caller's network address, for the guard against guessing. */
  address: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Operation = {
  method: 'GET' | 'POST';
  /** Under the prefix; an absolute path when `outside` says so. A part that varies is `{name}`, described by `params`. */
  path: string;
  outside?: boolean;
  id: string;
  tag: string;
  summary: string;
  description: string;
  /** `open`: no token. Otherwise the scopes of which the caller needs one (none listed: any token), and the API key. */
  access: 'open' | { scopes: readonly Scope[]; key: 'required' | 'checked' };
  body?: TSchema;
  query?: TSchema;
  /** For the document: the handler looks at these itself, because an address that cannot be is not found (404), not a bad value. */
  params?: TProperties;
  /** For the document: request headers that the operation heeds, and headers of its answer. */
  requestHeaders?: TProperties;
  answerHeaders?: TProperties;
  /** Its answers carry an ETag, and `If-None-Match` may be answered with 304. */
  conditional?: boolean;
  /** A form instead of JSON, as OAuth wants it. */
  form?: boolean;
  /** The text of every number in the body is kept (`numberText`), so that amounts are exact; the body is then at most 512 KiB. */
  exactNumbers?: boolean;
  /** The whole answer's body, as it stands on the wire. */
  answer: TSchema;
  problems: readonly ProblemCode[];
  handle(call: Call & { caller: Caller | null }): Promise<Answer> | Answer;
};

/** A body that becomes JSON, JSON text that is ready (whole or in pieces), or the news that nothing has changed (304). */
export type Answer = (
  | { body: object }
  | { text: string }
  | { chunks: readonly (string | Buffer)[] }
  | { unchanged: true }
) & { headers?: Record<string, string> };

type AnswerOf = Promise<Answer> | Answer;
type Described = Omit<Operation, 'handle' | 'access' | 'body' | 'query' | 'path' | 'method'>;

type Typed<B extends TSchema, Q extends TSchema> = Described & {
  at: `${'GET' | 'POST'} /${string}`;
  body?: B;
  query?: Q;
};

/** An operation that needs a token: its handler always has a caller. */
export function operation<B extends TSchema, Q extends TSchema>(
  described: Typed<B, Q> & {
    scopes: readonly Scope[];
    key: 'required' | 'checked';
    handle(call: Call<Static<B>, Static<Q>> & { caller: Caller }): AnswerOf;
  },
): Operation {
  const { at, scopes, key, handle, ...rest } = described;
  return {
    ...rest,
    ...place(at),
    access: { scopes, key },
    handle(call) {
      if (call.caller === null) throw new Error('A protected operation was reached without a caller.');
      return handle(call as Call<Static<B>, Static<Q>> & { caller: Caller });
    },
  };
}

/** An operation without a token: signing in, and what machines ask of the service. */
export function openOperation<B extends TSchema, Q extends TSchema>(
  described: Typed<B, Q> & { handle(call: Call<Static<B>, Static<Q>>): AnswerOf },
): Operation {
  const { at, handle, ...rest } = described;
  return { ...rest, ...place(at), access: 'open', handle: (call) => handle(call as Call<Static<B>, Static<Q>>) };
}

function place(at: string): { method: 'GET' | 'POST'; path: string } {
  const [method, path] = at.split(' ', 2);
  return { method: method as 'GET' | 'POST', path: path as string };
}

/** The envelope of a read, and of everything that is not a ledger transaction. */
export function ok(data: object): Answer {
  return { body: { message: 'ok', data } };
}
