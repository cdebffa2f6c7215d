/** Maps an error to a problem: our own, Fastify's, the validator's, or an unexpected one. */
import type { FastifyRequest } from 'fastify';
import { DatabaseUnavailable, OutcomeUnknown } from '../../access/access.ts';
import { MayNotGive } from '../../access/giving.ts';
import { ProofRequired } from '../../access/people/second-administrator.ts';
import { AccessRefused } from '../../access/refused.ts';
import { TooBusy } from '../../access/secret-checks.ts';
import { AmountOutOfRange } from '../../core/money.ts';
import { LookGivenUp } from '../../loans/books/looks.ts';
import { TooManyWaiting } from '../../loans/door/too-many-waiting.ts';
import { TooMuchWork, WorkersBusy } from '../../workers/workers.ts';
import { givingProblem, refusalProblem } from '../shared/access-problems.ts';
import { bytesText } from '../shared/body-limits.ts';
import { type AjvError, busy, Problem, timedOut, unavailable, validationProblem } from '../shared/problems.ts';
import { outOfRange } from '../shared/refusal-problems.ts';
import { isReset } from './raw-socket.ts';

/** A caller that closes the connection in the middle of its body is not a failure of the service. */
export function requestProblem(error: unknown, request: FastifyRequest): Problem {
  if (!request.raw.complete && isReset(error)) return HUNG_UP;
  return (error as { code?: unknown }).code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? tooLarge(request) : toProblem(error);
}

export function tooLarge({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): Problem {
  const most = bytesText(routeOptions.bodyLimit ?? 0);
  return new Problem('payload_too_large', `The body is too large; this operation accepts at most ${most}.`);
}

const HUNG_UP = new Problem('invalid_body', 'The connection was closed before the whole body was received.');

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof AccessRefused) return refusalProblem(error);
  if (error instanceof MayNotGive) return givingProblem(error);
  if (error instanceof ProofRequired) return new Problem('proof_required', error.message);
  if (error instanceof TooBusy) return unavailable('Too many secrets are being created; try again in a moment.');
  if (error instanceof OutcomeUnknown) {
    return new Problem(
      'outcome_unknown',
      'The connection to the database was lost during the write, so the request may or may not have taken effect. Send it again with the same reference or idempotency key.',
      {},
      { 'Retry-After': '1' },
    );
  }
  if (error instanceof DatabaseUnavailable) {
    return unavailable('The database is unavailable; try again in a moment with the same reference.');
  }
  if (error instanceof TooManyWaiting) return busy(error.whose);
  if (error instanceof LookGivenUp) return timedOut('The request took too long; try again.');
  if (error instanceof AmountOutOfRange) return outOfRange();
  if (error instanceof WorkersBusy) {
    return unavailable('Too many requests of your organization are waiting; try again in a moment.');
  }
  if (error instanceof TooMuchWork) {
    return new Problem('invalid_request', 'The request takes too much computing time; ask for less at once.');
  }
  const { code, validation } = error as { code?: string; validation?: AjvError[] };
  return validation === undefined ? frameworkProblem(code) : validationProblem(validation);
}

function frameworkProblem(code: string | undefined): Problem {
  switch (code) {
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_INVALID_URL':
      return new Problem('invalid_url', 'The path is not valid percent-encoding.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('uri_too_long', 'A part of the path is too long.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new Problem(
        'unsupported_media_type',
        'The Content-Type is not supported; send the media type that the operation documents.',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'invalid_body',
        'The length of the body does not match Content-Length.',
        {},
        { Connection: 'close' },
      );
    default:
      return new Problem(
        'internal_error',
        'An internal error occurred. Give the request id to the operator of the service.',
      );
  }
}
