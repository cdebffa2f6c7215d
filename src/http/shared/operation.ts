/**
 * An operation of the API as data: its address, who may call it, its request and answer, its problems, and its handler.
 * `routes.ts` lists all operations; `app.ts` serves them, and `document.ts` generates the OpenAPI document from them.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { Access, Caller } from '../../access/access.ts';
import type { SigningIn } from '../../access/people/open-sign-in.ts';
import type { Scope } from '../../access/scopes.ts';
import type { ApprovedOutcome, OpenRequest } from '../../loans/approvals/organization-approvals.ts';
import type { Actor } from '../../loans/door/actor.ts';
import type { WriteOptions } from '../../loans/door/write.ts';
import type { OpenLoans } from '../../loans/open.ts';
import type { Mail } from '../../outbound/mail.ts';
import type { Owners } from '../../owners/owners.ts';
import type { Webhooks } from '../../webhooks/open.ts';
import { ANONYMOUS_BODY, type BodyLimits } from './body-limits.ts';
import type { Deprecation } from './deprecation.ts';
import type { ProblemCode } from './problems.ts';

/** Everything that operations work with once the service is ready. */
export type Services = {
  access: Access;
  signIn: SigningIn;
  loans: OpenLoans;
  webhooks: Webhooks;
  /** Null: this process is the only one of its database. */
  owners: Owners | null;
  /** Null or absent: the operator has set no mail server. */
  mail?: Mail | null;
  /** The client of the public market; null: the operator has closed it. */
  market: Caller | null;
  /** For the playground; null or absent: there is no demonstration, or it is not complete. The same object as long as they are the same. */
  examples?: () => Promise<Examples | null>;
};

/** By the path of an operation after `/v2/chain/`; `*`: parameters of all others. */
export type Examples = Readonly<
  Record<
    string,
    { readonly parameters?: Readonly<Record<string, string>>; readonly body?: Readonly<Record<string, unknown>> }
  >
>;

export type Call<Body = unknown, Query = unknown> = {
  services: Services;
  body: Body;
  /** The JSON text that `body` was read from; '' when a worker thread has read it. */
  source: string;
  /** A `largeBody`, checked on a worker thread; else null. */
  large: LargeBody | null;
  query: Query;
  /** The text in place of each `{name}` of the path, not validated. */
  params: Readonly<Record<string, string>>;
  requestId: string;
  /** The caller's network address; failed sign-ins are counted by it. */
  address: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The address that the caller used: `http://127.0.0.1:8080`, the path before every operation: `/v2/chain`; and whether it is https. */
  place(): { origin: string; prefix: string; secure: boolean };
  /** The beginning of a link that others will open. Throws a `Problem` where only the caller says what the service is called. */
  linkOrigin(): string;
  /** Aborted when the caller closes the connection before it has the whole answer. */
  gone(): AbortSignal;
  /** The caller, admitted once more, for an answer that takes long; null: it would be refused now, or the service is stopping. */
  readmitted(): Promise<Caller | null>;
};

/** JSON in UTF-8 that keeps to its schema, and where an idempotency key came the SHA-256 of what it says, in hexadecimal. */
export type LargeBody = { readonly bytes: Uint8Array; readonly digest: string | null };

/** A write of one loan, read from a request by this process or by another one: all that is needed to carry it out. */
export type AskedWrite = {
  readonly body: unknown;
  /** The JSON text that `body` was read from. */
  readonly source: string;
  readonly options: WriteOptions;
  /** The source of ids that the caller leaves to the service. */
  readonly fresh: string;
};

/** The decision on a request that belongs to no loan. */
export type Deciding = {
  readonly actor: Actor;
  readonly found: OpenRequest;
  readonly reason: string;
  readonly previewHash: string | null;
};

/** One of the scopes (with none listed, any token will do); an API key, required or checked only if it is sent. */
export type Requirements = {
  scopes: readonly Scope[];
  /** Needed besides one of `scopes`. */
  also?: Scope;
  key: 'required' | 'checked';
  /** Nothing but the session of a person will do. */
  session?: 'required';
};

/** The scopes of which the caller lacks one; null: it has what the operation needs. */
export function scopesLacking({ scopes, also }: Requirements, has: ReadonlySet<string>): readonly Scope[] | null {
  if (scopes.length > 0 && !scopes.some((scope) => has.has(scope))) return scopes;
  return also === undefined || has.has(also) ? null : [also];
}

/** Its answer has personal data of borrowers for every caller. */
export const disclosesPersonal = ({ scopes, key }: Requirements): boolean =>
  key === 'required' && scopes.includes('loans:read_pii');

export type Operation = {
  method: 'GET' | 'POST';
  /** Under the prefix (`/v2/chain`), or absolute when `outside` is set. A variable part is `{name}`, described by `params`. */
  path: string;
  outside?: boolean;
  /** Other names of the operation, each a path under the prefix without its slash (`disburse-loan`); see `withAliases`. */
  aliases?: readonly string[];
  /** It is another name of an operation: served, and described there. */
  isAlias?: boolean;
  /** For our own pages (`pages/`): served, and not part of the OpenAPI document. */
  hidden?: boolean;
  id: string;
  /** In the audit trail: `create-client`; a write of one loan is named by its path. An alias has the name of its original. */
  name: string;
  /** It changes something: all its refusals are in the audit trail, not those of access alone. */
  changes?: boolean;
  /** Callers should use something else; members of its body, query and answer say so themselves (`deprecated`). */
  deprecated?: Deprecation;
  tag: string;
  summary: string;
  description: string;
  /** `anonymous`: no token. */
  access: 'anonymous' | Requirements;
  body?: TSchema;
  /** Without one, any parameter is refused. */
  query?: TSchema;
  /** For the document only. The handler checks them itself: an id that cannot exist is 404, not a bad value (422). */
  params?: TProperties;
  /** For the document only: request headers that the operation reads, and headers of its answer. */
  requestHeaders?: TProperties;
  answerHeaders?: TProperties;
  /** Its answers carry an ETag, and `If-None-Match` may be answered with 304. */
  conditional?: boolean;
  /** The body is a form (application/x-www-form-urlencoded) instead of JSON, as OAuth 2.0 requires. */
  form?: boolean;
  /** The size that the body may have; `SMALL_BODY` when absent. */
  limits?: BodyLimits;
  /** Keeps the text of every number in the body (`numberText`), so that amounts are exact. */
  exactNumbers?: boolean;
  /** The units that a call takes from the quota of its client; 1 when absent. What a unit is, and what a large body adds: `shell/cost.ts`. */
  cost?: number;
  /** The cost of a call that did not make the work that `cost` is for; `when` says which calls these are. Its answer is `light`. */
  light?: { readonly cost: number; readonly when: string };
  /** For an operation without a token: what a call costs is taken from the quota of the caller's network address. */
  perAddress?: boolean;
  /** The body may be large: a worker thread reads and validates it, and `handle` gets it as `large`, in place of the body. */
  largeBody?: boolean;
  /**
   * The whole answer, from the body alone. It runs on a worker thread (`thread-work.ts`), which also reads and validates the body;
   * `handle` gets the answer's text in place of the body.
   */
  compute?: (body: unknown) => object;
  /** Its answer holds a secret (a token, a key, a link that signs in) and is never compressed: the size would tell of it. */
  isSecret?: boolean;
  /** Media types that it can answer with in place of JSON; the handler chooses one (`negotiated`) and sets `Content-Type`. */
  media?: readonly string[];
  /** The whole body of the answer. */
  answer: TSchema;
  /** The whole body where it is answered with 202, because it waits for an approval. */
  accepted?: TSchema;
  problems: readonly ProblemCode[];
  handle(call: Call & { caller: Caller | null }): Promise<Answer> | Answer;
  /** For a write of no loan that may wait for an approval: carries out a request, as its requester has sent it, and decides with it. */
  approved?(call: Call & { caller: Caller }, decision: Deciding): Promise<ApprovedOutcome>;
  /** For a write of one loan: carries it out in this process, for a caller whom another process has checked. */
  carryOut?(services: Services, actor: Actor, asked: AskedWrite): Promise<Answer>;
};

/**
 * The reach that a stream is read with. Each piece is sent only while the caller still has all of it; `each page`: the operation asks who the
 * caller is before each page, by `readmitted`, and goes on with what is left.
 */
export type ReadAs = Actor | 'each page';

/**
 * An object to be serialized, text (whole, in chunks, or made while it is sent), or 304 because the caller's copy is current. A `stream` has
 * begun when its first piece is there, so that what fails before is a problem; see `stream.ts`.
 */
export type Answer = (
  | { body: object }
  | { text: string }
  | { chunks: readonly (string | Buffer)[] }
  | { stream: AsyncIterator<string | Buffer>; readAs: ReadAs }
  | { unchanged: true }
) & {
  /** 200 when absent; 202 for a write that waits for an approval. */
  status?: 202;
  /** It took little of the work that its operation may take: the rest of its cost is given back. */
  light?: true;
  headers?: Record<string, string>;
  /** For `Set-Cookie`, one each. */
  cookies?: readonly string[];
};

type AnswerOf = Promise<Answer> | Answer;
export type Described = Omit<
  Operation,
  'name' | 'handle' | 'approved' | 'compute' | 'access' | 'body' | 'query' | 'path' | 'method'
>;

type Typed<B extends TSchema, Q extends TSchema> = Described & {
  at: `${'GET' | 'POST'} /${string}`;
  body?: B;
  query?: Q;
};

/** An operation that needs a token, so its handler always has a caller. */
export function operation<B extends TSchema, Q extends TSchema>(
  described: Typed<B, Q> &
    Requirements & {
      handle(call: Call<Static<B>, Static<Q>> & { caller: Caller }): AnswerOf;
    },
): Operation {
  const { at, scopes, also, key, session, handle, ...rest } = described;
  return {
    ...rest,
    ...place(at),
    name: nameOf(rest.id),
    access: {
      ...{ scopes, key },
      ...(also === undefined ? {} : { also }),
      ...(session === undefined ? {} : { session }),
    },
    handle(call) {
      if (call.caller === null) throw new Error('A protected operation was reached without a caller.');
      return handle(call as Call<Static<B>, Static<Q>> & { caller: Caller });
    },
  };
}

/** An operation that needs no token: signing in, and the public keys of the tokens. */
export function anonymousOperation<B extends TSchema, Q extends TSchema>(
  described: Typed<B, Q> & { handle(call: Call<Static<B>, Static<Q>>): AnswerOf },
): Operation {
  const { at, handle, ...rest } = described;
  return {
    limits: ANONYMOUS_BODY,
    isSecret: true,
    ...rest,
    ...place(at),
    name: nameOf(rest.id),
    access: 'anonymous',
    handle: (call) => handle(call as Call<Static<B>, Static<Q>>),
  };
}

/** An operation that needs a token and computes its answer from its body alone, on a worker thread. `compute` answers the data. */
export function computation<B extends TSchema>(
  described: Omit<Typed<B, never>, 'query'> & Requirements & { body: B; compute(body: Static<B>): object },
): Operation {
  const { at, scopes, key, compute, ...rest } = described;
  return {
    ...rest,
    ...place(at),
    name: nameOf(rest.id),
    access: { scopes, key },
    compute: (body) => ok(compute(body as Static<B>)).body,
    handle: ({ body }) => ({ text: body as string }),
  };
}

/** `createClient` → `create-client`. */
function nameOf(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function place(at: string): { method: 'GET' | 'POST'; path: string } {
  const [method, path] = at.split(' ', 2);
  return { method: method as 'GET' | 'POST', path: path as string };
}

/** The list with each alias as an operation of its own, right after its original. The OpenAPI document has the originals alone. */
export function withAliases(operations: readonly Operation[]): Operation[] {
  return operations.flatMap((original) => {
    const { aliases = [], ...same } = original;
    const others = aliases.map((alias, i) => ({
      ...same,
      path: `/${alias}`,
      id: `${original.id}Alias${i === 0 ? '' : i + 1}`,
      isAlias: true,
    }));
    return [original, ...others];
  });
}

/** A request body or query: closed, so that a misspelt member is refused instead of ignored. */
export function closed<P extends TProperties>(properties: P, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The envelope of a read, and of every other answer that is not a ledger transaction. */
export function ok(data: object): { body: object } {
  return { body: { message: 'ok', data } };
}

export const MessageOk = Type.Literal('ok', { description: '`ok` in every response with status 200.' });

/** The schema of that envelope, with examples of its data. */
export function envelope<D extends TSchema>(data: D, ...examples: readonly object[]) {
  return Type.Object(
    { message: MessageOk, data },
    { examples: examples.map((example) => ({ message: 'ok', data: example })) },
  );
}
