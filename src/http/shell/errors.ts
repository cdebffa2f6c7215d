/** The problem that an error becomes: one of ours, Fastify's, the validator's, or one that was not foreseen. */
import type { FastifyRequest } from 'fastify';
import { DatabaseUnavailable, OutcomeUnknown } from '../../access/access.ts';
import { AccessRefused } from '../../access/admin.ts';
import { AmountOutOfRange } from '../../core/money.ts';
import { refusalProblem } from './access-problems.ts';
import { type AjvError, fieldErrors, Problem, unavailable } from './problems.ts';
import { isReset } from './raw-socket.ts';

/** A caller that closes the connection in the middle of its body is not a failure of the service. */
export function requestProblem(error: unknown, request: FastifyRequest): Problem {
  return !request.raw.complete && isReset(error) ? HUNG_UP : toProblem(error);
}

const HUNG_UP = new Problem('invalid_body', 'The connection ended before the body did.');

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof AccessRefused) return refusalProblem(error);
  if (error instanceof OutcomeUnknown) {
    return new Problem(
      'outcome_unknown',
      'The database was lost while this was being written, and whether it took effect is unknown. Send it again with the same reference or idempotency key to find out.',
      {},
      { 'Retry-After': '1' },
    );
  }
  if (error instanceof DatabaseUnavailable) {
    return unavailable('The database cannot serve right now; try again in a moment, with the same reference.');
  }
  if (error instanceof AmountOutOfRange) {
    return new Problem(
      'invalid_request',
      'The amounts grow beyond what can be computed exactly; check rate and dates.',
    );
  }
  const { code, validation } = error as { code?: string; validation?: AjvError[] };
  return validation === undefined ? frameworkProblem(code) : validationProblem(validation);
}

function validationProblem(validation: readonly AjvError[]): Problem {
  const errors = fieldErrors(validation);
  const first = errors[0];
  const where = first === undefined || first.pointer === '' ? 'The body' : first.pointer;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_request', `${where}: ${first?.detail ?? 'Is not valid.'}${rest}`, { errors });
}

function frameworkProblem(code: string | undefined): Problem {
  switch (code) {
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_INVALID_URL':
      return new Problem('invalid_url', 'The address is not a valid, percent-encoded path.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('uri_too_long', 'A part of the address is longer than any identifier.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new Problem('unsupported_media_type', 'Send the body in the media type that the operation documents.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', 'The body is larger than this service accepts.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'invalid_body',
        'The body is not as long as Content-Length says.',
        {},
        { Connection: 'close' },
      );
    default:
      return new Problem('internal_error', 'Something went wrong on our side; the request id helps us to find it.');
  }
}
