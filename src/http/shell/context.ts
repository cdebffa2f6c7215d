/** The facts that the shell keeps of a request from its headers to its answer. */
import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/access.ts';
import { looksLikeSsn } from '../../core/reader.ts';
import type { BodyCoding } from './decoding.ts';

export type RequestContext = {
  /** The pattern of its address (`/v2/chain/loans/:loan_id`), never the address itself; `unknown` when no route has it. */
  route: string;
  /** Null until the token is accepted, and for anonymous operations. */
  caller: Caller | null;
  /** By `performance.now()`. */
  started: number;
  /** Counted and logged: once a request. */
  recorded: boolean;
  /** The text of a body that was read as JSON on the event loop; else ''. */
  source: string;
  /** The header `Accept-Encoding`; null: the operator has switched compression off, whatever it is. */
  acceptEncoding: string | undefined | null;
  /** The coding of the body; null: it is as it is. */
  bodyCoding: BodyCoding | null;
  /** Takes room for bytes that the body becomes when it is decoded; false: there is none. Null: the operation has no body. */
  hold: ((bytes: number) => boolean) | null;
  /** Charges for the bytes that a body turns out to have, where its length does not say so, instead of for the largest. */
  settle: ((bytes: number) => void) | null;
  /** Charges for a light call instead of for the whole work of its operation. */
  lighten: (() => void) | null;
  /** The code of the problem that is the answer. */
  problem: string | null;
};

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext;
  }
}

export function startContext(request: FastifyRequest, route: string, compression: boolean): void {
  request.context = {
    ...{ route, caller: null, started: performance.now(), recorded: false, source: '' },
    acceptEncoding: compression ? request.headers['accept-encoding'] : null,
    ...{ bodyCoding: null, hold: null, settle: null, lighten: null, problem: null },
  };
}

/** An id of ours for every request: the only one that is logged and stored. The answer says it in `Daybook-Request-Id`. */
export const newRequestId = (): string => randomUUID();

/**
 * The answer's `X-Request-Id`: the client's own id when it is short, plain and not nine digits, which could be a social
 * security number, else ours. The client's is echoed and kept nowhere.
 */
export function echoedId({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._:-]{1,64}$/.test(given) && !looksLikeSsn(given) ? given : id;
}
