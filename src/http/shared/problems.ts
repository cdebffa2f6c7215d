/**
 * The answers to requests that fail: one closed list of problems, each with its HTTP status, and their RFC 9457 documents. A
 * problem says what was wrong and what to do. It never repeats a value of the request, which could be personal or secret.
 */
export const PROBLEMS = {
  malformed_request: { status: 400, title: 'The request is not valid HTTP' },
  invalid_url: { status: 400, title: 'The path is not valid' },
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_body: { status: 400, title: 'The body cannot be read' },
  oauth_request: { status: 400, title: 'The token request is not valid' },
  unauthorized: { status: 401, title: 'A valid bearer token is required' },
  invalid_credentials: { status: 401, title: 'The credentials are not valid' },
  session_required: { status: 403, title: 'The session of a person is required' },
  forged_request: { status: 403, title: 'The request may be forged' },
  proof_required: { status: 403, title: 'A fresh sign-in is required' },
  insufficient_scope: { status: 403, title: 'The token does not have the required scope' },
  key_required: { status: 403, title: 'An API key is required' },
  invalid_key: { status: 403, title: 'The API key is not valid' },
  not_granted: { status: 403, title: 'The owner of the loan has not granted this operation' },
  own_request: { status: 403, title: 'Another person or client has to approve the request' },
  person_required: { status: 403, title: 'A person has to approve the request' },
  above_limit: { status: 403, title: 'The amount is above the limit of your role' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'The response type is not acceptable' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The current state does not allow this operation' },
  application_exists: { status: 409, title: 'The application already has a loan' },
  boarded_history: { status: 409, title: 'It happened before the loan was boarded' },
  on_hold: { status: 409, title: 'A hold forbids this operation' },
  hard_stop: { status: 409, title: 'A fact stands against any approval' },
  offer_expired: { status: 409, title: 'The approval or offer has expired' },
  report_expired: { status: 409, title: 'The credit report is too old' },
  stipulations_open: { status: 409, title: 'Stipulations are open' },
  not_waivable: { status: 409, title: 'This stipulation cannot be waived' },
  depends: { status: 409, title: 'Later transactions depend on this one' },
  policy_limit: { status: 409, title: 'A limit of the lender’s policy is reached' },
  outcome_changed: { status: 409, title: 'The outcome differs from what the request showed' },
  already_decided: { status: 409, title: 'The request was already decided' },
  approval_lapsed: { status: 409, title: 'The request for approval has lapsed' },
  live_clock: { status: 409, title: 'The clock is not a test clock' },
  cycle_pending: { status: 409, title: 'A nightly cycle has not run yet' },
  owned_by_loans: { status: 409, title: 'The loans alone post to this account' },
  already_answered: { status: 409, title: 'The secret was already returned' },
  idempotency_key_in_use: { status: 409, title: 'A call with this idempotency key is in progress' },
  precondition_failed: { status: 412, title: 'The loan has changed' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The path is too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  invalid_request: { status: 422, title: 'The request is not valid' },
  purpose_required: { status: 422, title: 'A purpose is required' },
  target_forbidden: { status: 422, title: 'The address may not be a target' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was already used' },
  not_eligible: { status: 422, title: 'The loan is not eligible' },
  rate_rise: { status: 422, title: 'The change would raise the rate' },
  no_solution: { status: 422, title: 'No solution' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_waiting: { status: 429, title: 'Too many requests are waiting' },
  too_many_failures: { status: 429, title: 'Too many failed attempts' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'The service is unavailable' },
  outcome_unknown: { status: 503, title: 'Whether the write took effect is unknown' },
  timed_out: { status: 503, title: 'The request took too long' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;
export type FieldError = { pointer: string; code: string; detail: string };

/** Members that some problems have beside the standard ones. */
export type ProblemFacts = { errors?: FieldError[]; [fact: string]: unknown };

export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, facts: ProblemFacts = {}, headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.facts = facts;
    this.headers = headers;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }

  /**
   * The document of RFC 9457. `message` repeats the detail, for clients that read the `message` of the envelope. `instance` has the id
   * that is in the log, `requestId` the one in `X-Request-Id`, which may be the client's own.
   */
  document(loggedId: string, requestId = loggedId): Record<string, unknown> {
    const { title, status } = PROBLEMS[this.code];
    return {
      type: `urn:daybook:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      instance: `urn:daybook:request:${loggedId}`,
      code: this.code,
      message: this.message,
      requestId,
      ...(status === 429 || status === 503 ? { retryable: true } : {}),
      ...this.facts,
    };
  }
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function unavailable(detail: string, retryAfterSeconds = 1): Problem {
  return new Problem('unavailable', detail, {}, { 'Retry-After': String(retryAfterSeconds) });
}

export function timedOut(detail: string): Problem {
  return new Problem('timed_out', detail, {}, { 'Retry-After': '1' });
}

/** Too many requests: those for one loan or of one organization are the caller's own; those of everyone are not. */
export function busy(whose: 'loan' | 'organization' | 'everyone'): Problem {
  if (whose === 'everyone') return unavailable('The service is busy; try again in a moment.');
  const where = whose === 'loan' ? 'for this loan' : 'of your organization';
  const detail = `Too many requests ${where} are waiting. Nothing was changed; wait for some of them to finish and try again.`;
  return new Problem('too_many_waiting', detail, {}, { 'Retry-After': '1' });
}

export function keyReused(): Problem {
  return new Problem(
    'idempotency_key_reused',
    'This idempotency key was already used for another call; use a new one.',
  );
}

export function keyInUse(): Problem {
  return new Problem(
    'idempotency_key_in_use',
    'The first call with this idempotency key is still in progress; try again in a moment.',
    { retryable: true },
    { 'Retry-After': '1' },
  );
}

export function validationProblem(validation: readonly AjvError[]): Problem {
  const errors = fieldErrors(validation);
  const first = errors[0];
  const where = first === undefined || first.pointer === '' ? 'The body' : first.pointer;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_request', `${where}: ${first?.detail ?? 'Not valid.'}${rest}`, { errors });
}

/** Ajv's errors as ours: where, which rule, and what is expected; never the value that was sent. */
export function fieldErrors(errors: readonly AjvError[]): FieldError[] {
  const seen = new Map<string, FieldError>();
  for (const error of errors) {
    const found = fieldError(error);
    // One error per place: a string enum inside a union reports the same place several times.
    if (found && !seen.has(found.pointer)) seen.set(found.pointer, found);
    if (seen.size === MAX_FIELD_ERRORS) break;
  }
  return [...seen.values()];
}

export type AjvError = { keyword: string; instancePath: string; params: Record<string, unknown>; message?: string };
const MAX_FIELD_ERRORS = 20;
const NAME = /^[A-Za-z_$][A-Za-z0-9_.$~/-]{0,79}$/;

function fieldError({ keyword, instancePath, params, message }: AjvError): FieldError | null {
  const at = (member?: unknown) =>
    member === undefined ? instancePath : `${instancePath}/${pointerSegment(String(member))}`;
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params.additionalProperty);
      // Text that is not a plain field name may contain personal data, so it is not repeated.
      return NAME.test(name)
        ? { pointer: at(name), code: 'unknown_member', detail: 'Unknown field.' }
        : {
            pointer: at(),
            code: 'unknown_member',
            detail: 'Unknown field; its name is not shown because it is unusual.',
          };
    }
    case 'required':
      return { pointer: at(params.missingProperty), code: 'required', detail: 'This field is required.' };
    case 'type':
      return { pointer: at(), code: 'type', detail: `Must be ${article(String(params.type))}.` };
    case 'enum':
      return {
        pointer: at(),
        code: 'enum',
        detail: `Must be one of: ${(params.allowedValues as unknown[]).join(', ')}.`,
      };
    case 'const':
      return { pointer: at(), code: 'const', detail: `Must be ${String(params.allowedValue)}.` };
    case 'pattern':
    case 'format':
      return { pointer: at(), code: 'format', detail: 'The format is not valid.' };
    case 'minLength':
      return { pointer: at(), code: 'too_short', detail: `Must have at least ${params.limit} characters.` };
    case 'maxLength':
      return { pointer: at(), code: 'too_long', detail: `Must have at most ${params.limit} characters.` };
    case 'minItems':
      return { pointer: at(), code: 'too_few', detail: `Must have at least ${params.limit} entries.` };
    case 'maxItems':
      return { pointer: at(), code: 'too_many', detail: `Must have at most ${params.limit} entries.` };
    case 'uniqueItems':
      return { pointer: at(), code: 'duplicate', detail: 'The entries must be unique.' };
    case 'minimum':
    case 'maximum':
      return { pointer: at(), code: 'range', detail: `Must be ${params.comparison} ${params.limit}.` };
    // The branches of a union report their own errors; the union's error adds nothing.
    case 'anyOf':
    case 'oneOf':
    case 'if':
      return null;
    default:
      return { pointer: at(), code: keyword, detail: `Not allowed: ${message ?? keyword}.` };
  }
}

/**
 * A member's name as a JSON pointer segment. The caller chose the name, so its length is bounded and control characters are shown
 * as �. A name with seven digits or an @ could be a person's number or address in the wrong place, and is not repeated.
 */
function pointerSegment(name: string): string {
  if (/(\d\D{0,2}){7}|@/.test(name)) return '(not shown)';
  return name
    .slice(0, 64)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
    .replaceAll('~', '~0')
    .replaceAll('/', '~1');
}

function article(type: string): string {
  const names: Record<string, string> = { object: 'an object', array: 'a list', integer: 'a whole number' };
  return type
    .split(',')
    .map((one) => names[one] ?? (one === 'null' ? 'null' : `a ${one}`))
    .join(' or ');
}
