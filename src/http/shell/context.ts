/** What the shell keeps of a request from its headers to its answer. */
import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/access.ts';

export type RequestContext = {
  /** Null until the token is accepted, and for anonymous operations. */
  caller: Caller | null;
  /** By `performance.now()`. */
  started: number;
  /** Counted and logged: once a request. */
  recorded: boolean;
  /** Charges for the bytes that a body without a length turns out to have, instead of for the largest. */
  settle?: (bytes: number) => void;
  /** The code of the problem that is the answer. */
  problem?: string;
};

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext;
  }
}

export function startContext(request: FastifyRequest): void {
  request.context = { caller: null, started: performance.now(), recorded: false };
}

/** A client's request id is echoed when it is short, plain and not nine digits, which could be a social security number. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[A-Za-z0-9._:-]{1,64}$/.test(given) && !/^\d{3}-?\d{2}-?\d{4}$/.test(given)) {
    return given;
  }
  return randomUUID();
}
