/** The two ways a call fails: the service said no, or there was no answer. */
import type { Problem } from './types.ts';

/** `unexpected_answer`: something between the client and the service answered in its place, such as a proxy. */
export type ProblemCode = Problem['code'] | 'unexpected_answer';

/** The service answered with a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Stable; programs may rely on it. */
  readonly code: ProblemCode;
  /** The exact reason, where a loan or the books refuse. */
  readonly refusal: Problem['refusal'] | null;
  readonly title: string;
  readonly detail: string;
  /** The invalid values, by JSON pointer. */
  readonly errors: readonly { pointer: string; code: string; detail: string }[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** The whole document, with the figures a refusal rests on; `{}` when the answer had none. */
  readonly problem: Partial<Problem>;

  constructor(
    status: number,
    problem: Partial<Problem>,
    more: { requestId: string | null; retryAfterSeconds: number | null },
  ) {
    const detail = problem.detail ?? `The answer has the status ${status} and no problem document.`;
    super(detail);
    this.status = status;
    this.code = problem.code ?? 'unexpected_answer';
    this.refusal = problem.refusal ?? null;
    this.title = problem.title ?? 'Unexpected answer';
    this.detail = detail;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? more.requestId;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.problem = problem;
  }
}

/** No answer: the connection failed, was cut, or took too long. The request may have arrived. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}
