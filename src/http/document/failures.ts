/** Failures in the OpenAPI document: the schema of a problem, and the responses and headers that belong to its codes. */
import { type TProperties, Type } from 'typebox';
import { HARD_STOPS } from '../../core/hard-stops.ts';
import { REFUSALS } from '../../core/refusal.ts';
import { shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { PROBLEMS, type ProblemCode } from '../shared/problems.ts';
import { ApprovalParty, ForbiddingHold, hash } from '../shared/shapes.ts';
import { idOut, monthOut, scopesOut, sentences, wordOut } from '../shared/texts.ts';

/** The problems that the shell itself can answer with at any address. */
export const SHELL_PROBLEMS: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_url',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'unsupported_media_type',
  'internal_error',
  'unavailable',
  'outcome_unknown',
  'timed_out',
];

/** RFC 6749 section 5.2 requires failures of its token endpoint (400, 401) as application/json: `form` operations document both. */
export function problemResponses(codes: readonly ProblemCode[], form = false): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
        ...headersOf(list),
        content: {
          ...(form && status <= 401 ? { 'application/json': { schema: { $ref: 'Problem#' } } } : {}),
          'application/problem+json': { schema: { $ref: 'Problem#' } },
        },
      },
    ]),
  );
}

function headersOf(codes: readonly ProblemCode[]): { headers?: TProperties } {
  const headers = Object.assign({}, ...codes.map((code) => PROBLEM_HEADERS[code] ?? {})) as TProperties;
  return Object.keys(headers).length === 0 ? {} : { headers };
}

const challenge = { 'WWW-Authenticate': Type.String({ description: 'The challenge (RFC 6750, RFC 7617).' }) };
const wait = { 'Retry-After': Type.Integer({ minimum: 0, description: 'Seconds to wait before the next attempt.' }) };

/** Only what is not on every answer. */
const PROBLEM_HEADERS: Partial<Record<ProblemCode, TProperties>> = {
  unauthorized: challenge,
  invalid_credentials: challenge,
  insufficient_scope: challenge,
  method_not_allowed: { Allow: Type.String({ description: 'The methods of the address.' }) },
  idempotency_key_in_use: wait,
  rate_limited: wait,
  too_many_waiting: wait,
  too_many_failures: wait,
  unavailable: wait,
  outcome_unknown: wait,
  timed_out: wait,
};

const FieldError = shape(
  'FieldError',
  'An invalid value in the request.',
  {
    pointer: sentences('JSON pointer (RFC 6901) to the value.'),
    code: wordOut('The rule that the value breaks. Stable; programs may rely on it.'),
    detail: sentences('The expected value, in plain text.'),
  },
  { additionalProperties: false },
);

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ pattern: '^urn:daybook:problem:[a-z_]{1,64}$', description: 'A URN that ends in the code.' }),
    title: sentences('The kind of error; the same for every error with this code.'),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: sentences('The problem, and what to do about it.'),
    instance: sentences('A URN that ends in the request id in the service’s log.'),
    code: Type.Enum(Object.keys(PROBLEMS), { description: 'Stable; programs may rely on it.' }),
    message: sentences('The same as `detail`.'),
    requestId: idOut('The request id, as in the header `X-Request-Id`.'),
    errors: Type.Optional(Type.Array(FieldError, { maxItems: 20, description: 'The invalid values, at most 20.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether the same request may succeed later.' })),
    scope: Type.Optional(scopesOut('The missing scopes, separated by spaces.')),
    cost: Type.Optional(Type.Integer({ description: 'Cost of the call in quota units.' })),
    remaining: Type.Optional(Type.Integer({ description: 'Quota units left.' })),
    loanStatus: Type.Optional(wordOut('The current status of the loan, which does not allow the operation.')),
    loanId: Type.Optional(hash('The existing loan for this application.')),
    allowed: Type.Optional(Type.Array(wordOut('A word.'), { description: 'The operations that this status allows.' })),
    payoff: Type.Optional(money('The payoff amount on the date in question.')),
    kept: Type.Optional(money('The amount of a charged-off loan that is still on the books.')),
    credit: Type.Optional(money('The credit owed to the borrower.')),
    room: Type.Optional(money('The most that a fee can be on its date while the borrower is in military service.')),
    daysPastDue: Type.Optional(Type.Integer({ description: 'Days past due today.' })),
    defaultDays: Type.Optional(Type.Integer({ description: 'Days past due at which a default may be declared.' })),
    limit: Type.Optional(wordOut('The policy limit that is exceeded, such as `extension.perTwelveMonths`.')),
    limitValue: Type.Optional(Type.Integer({ description: 'The value of that limit in the policy.' })),
    figure: Type.Optional(Type.Integer({ description: 'The figure of the loan that the limit is compared with.' })),
    holds: Type.Optional(Type.Array(ForbiddingHold, { description: 'The holds in force that forbid the operation.' })),
    date: Type.Optional(
      Type.String({ format: 'date', description: 'The first date whose interest has not been posted.' }),
    ),
    accounts: Type.Optional(
      Type.Array(wordOut('A word.'), {
        description: 'Accounts that have no code, or that do not tie to the loans.',
      }),
    ),
    checks: Type.Optional(
      Type.Array(
        shape('CloseCheck', 'Something that stands in the way of closing a month.', {
          period: monthOut('The month, such as `2026-10`.'),
          check: Type.Enum(['not_over', 'cycle_pending', 'untied'], {
            description:
              'The month has not ended; the nightly cycle of a day has not run; the ledger and the loans differ.',
          }),
          detail: sentences('The reason.'),
          who: sentences('Who can do something about it.'),
        }),
        { description: 'Every check that stands in the way of closing these months.' },
      ),
    ),
    hardStops: Type.Optional(
      Type.Array(Type.Enum(HARD_STOPS), {
        description: 'What stands against any approval; `detail` says what ends it.',
      }),
    ),
    stipulations: Type.Optional(
      Type.Array(idOut('A stipulation.'), { description: 'The open stipulations that come before funding.' }),
    ),
    transactions: Type.Optional(
      Type.Array(hash('A transaction.'), {
        description: 'The transactions that rest on the one to be undone, the oldest first.',
      }),
    ),
    approvalId: Type.Optional(idOut('The request for approval.')),
    preview: Type.Optional(Type.Unknown({ description: 'The outcome now, as in the data of the dry run.' })),
    previewHash: Type.Optional(hash('The hash of that preview, for `POST /approve`.')),
    state: Type.Optional(wordOut('How the request was decided: `approved` or `rejected`.')),
    decidedBy: Type.Optional(ApprovalParty),
    decidedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the request was decided.' })),
    transactionHash: Type.Optional(
      Type.Union([hash('A transaction.'), Type.Null()], {
        description: 'The transaction by which the request was carried out; null: it was rejected.',
      }),
    ),
    refusal: Type.Optional(
      Type.Enum([...REFUSALS], { description: 'The exact reason why the operation was refused.' }),
    ),
    error: Type.Optional(wordOut('The error code of RFC 6749, from the OAuth token endpoint.')),
    error_description: Type.Optional(sentences('The same as `detail`, from the OAuth token endpoint.')),
  },
  {
    $id: 'Problem',
    additionalProperties: false,
    description: 'An error (RFC 9457).',
    examples: [
      {
        type: 'urn:daybook:problem:unauthorized',
        title: PROBLEMS.unauthorized.title,
        status: 401,
        detail: 'The token has expired; get a new one from POST /auth-token.',
        instance: 'urn:daybook:request:5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
        code: 'unauthorized',
        message: 'The token has expired; get a new one from POST /auth-token.',
        requestId: '5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
      },
    ],
  },
);
