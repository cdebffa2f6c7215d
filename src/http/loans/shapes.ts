/** Shapes that several loan operations share. Amounts come as strings or numbers and go out as strings, with thousands separators unless the caller prefers plain numbers. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { CHANGES, STATUSES } from '../../core/loan.ts';
import { closed } from '../operation.ts';

export const Amount = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'An amount: 1234.50, "1234.50" or "1,234.50". At most two decimals and 15 digits, never negative.',
});

export const Rate = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'A percentage a year, such as 7.25: below 10,000, at most eight decimals, never negative.',
});

/** Checked by the operation (`loanIdIn`), which names the format. */
export const LoanId = Type.String({ maxLength: 200, description: 'The loan: `0x` and 64 hexadecimal digits.' });

export const Reference = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,64}$',
  description:
    'A reference of yours: 1 to 64 letters, digits, `.`, `_`, `:` and `-`. Without nine digits in a row, which could be a social security number.',
});

export const day = (description: string) => Type.String({ maxLength: 10, description: `YYYY-MM-DD. ${description}` });

export const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\p{Cc}]*$',
  description: 'Why, in your words. Kept sealed with the transaction, shown by `GET /loans/{loan_id}/disclosures`.',
});

export const Label = Type.String({
  pattern: '^[A-Za-z0-9 ._:-]{1,64}$',
  description: 'What it is, for statements. Nothing personal: it stands in the ledger.',
});

/** The query of every write. */
export const WriteQuery = closed({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Answers what would happen (balances, journal, events, status) and changes nothing.' }),
  ),
});

export const Prefer = Type.String({ description: '`numbers=plain` leaves the thousands separators out.' });

/** The headers of every write and of its answer. */
export const keyHeaders = {
  requestHeaders: {
    'Idempotency-Key': Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The same key with the same body answers as the first time and changes nothing; with another body it is a 422.',
    }),
  },
  answerHeaders: {
    'Idempotent-Replayed': Type.String({ description: '`true` when this is the stored answer of the first call.' }),
  },
};

/** Those of every write of a loan. */
export const writeHeaders = {
  requestHeaders: {
    ...keyHeaders.requestHeaders,
    'If-Match': Type.String({ description: 'The loan’s version, or an ETag of it; another version is a 412.' }),
    Prefer,
  },
  answerHeaders: {
    'X-Loan-Version': Type.String({ description: 'The loan’s version after it.' }),
    ...keyHeaders.answerHeaders,
  },
};

const loanOnly = { loanId: LoanId };

export const loanExample = '0x3b1f0a6de1c2447c8f2c9f5f0d5b5e1c7a9e4d2b6c8f1a3e5d7b9c0f2a4e6d81';

export const hashExample = '0x9c4e7a21d5b8f03e6c1a9d7b4f2e8c05a3b6d9e1f7c2084b5d8e3a6f1c9b7024';

export function request<P extends TProperties>(members: P, example: object = {}) {
  return closed({ ...loanOnly, ...members }, { examples: [{ loanId: loanExample, ...example }] });
}

export const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' });

export const Money = Type.String({
  description: 'An amount: "29,163.75", "28,875"; "29163.75" with `Prefer: numbers=plain`.',
});

export const Version = Type.Integer({ description: 'The number of the loan’s events, for `If-Match`.' });

export const DayOut = Type.String({ description: 'YYYY-MM-DD.' });

export const Timestamp = Type.String({ description: 'ISO 8601, UTC.' });

export const Status = Type.Enum([...STATUSES]);

export const maybe = <T extends TSchema>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

export const Allocation = Type.Object(
  { fees: Money, interest: Money, principal: Money, credit: Money },
  { description: 'What the payment paid.' },
);

export const JournalLine = Type.Object({ account: Type.String(), debit: Money, credit: Money });

/** Of every write that is dated back or takes a payment back. */
export const ChangesSchema = Type.Array(
  Type.Object({
    date: DayOut,
    what: Type.Enum([...CHANGES]),
    before: maybe(Type.String(), 'An amount, a count or a word, as `what` has it.'),
    after: maybe(Type.String(), 'The same, after it.'),
  }),
  {
    $id: 'Changes',
    description:
      'What was already true and is not any more, of a write that is dated back or takes a payment back: figures of today, before and ' +
      'after it. A late fee has its own day; a quote, `closedBy` and `lienRelease` have the day on which the loan had ended. A quote is ' +
      '`open`, `honoured`, `void` (money that it had counted did not stay) or `expired`; a lien release is `due` or `withdrawn`.',
  },
);

const changes = { changes: Type.Optional(Type.Unsafe<object[]>({ $ref: 'Changes#' })) };

/** The answer of a dry run, for every operation. */
export const DryRunSchema = Type.Object(
  {
    message: Type.Literal('ok'),
    data: Type.Object({
      dryRun: Type.Literal(true),
      loanId: Type.Optional(Hash),
      loanStatus: Status,
      remainingBalance: Money,
      payoff: Money,
      events: Type.Array(Type.Object({ type: Type.String(), date: DayOut })),
      journal: Type.Array(JournalLine),
      allocation: Type.Optional(Allocation),
      ...changes,
    }),
  },
  {
    $id: 'DryRun',
    description: 'What would have happened; nothing did. The loan’s id is absent where there is no loan yet.',
    examples: [
      {
        message: 'ok',
        data: {
          dryRun: true,
          loanId: loanExample,
          loanStatus: 'Current',
          remainingBalance: '28,543.21',
          payoff: '28,543.21',
          events: [{ type: 'paymentSubmitted', date: '2026-02-15' }],
          journal: [
            { account: 'cashClearing', debit: '575.50', credit: '0' },
            { account: 'loanPrincipal', debit: '0', credit: '575.50' },
          ],
        },
      },
    ],
  },
);

const DryRun = Type.Unsafe<object>({ $ref: 'DryRun#' });

/** Hash and id are at the top level and in `data`, for clients of either style. */
export function written(members: TProperties = {}, example: object = {}) {
  const ids = { transactionHash: Hash, loanId: Hash };
  const exampleIds = { transactionHash: hashExample, loanId: loanExample };
  return Type.Union([
    Type.Object(
      {
        message: Type.Literal('ok'),
        data: Type.Object({ ...ids, loanStatus: Status, ...members, ...changes }),
        ...ids,
      },
      {
        examples: [{ message: 'ok', data: { ...exampleIds, loanStatus: 'Current', ...example }, ...exampleIds }],
      },
    ),
    DryRun,
  ]);
}

export const LoanRequest = request({});

export const DoneAnswer = written();

export const effective = Type.Optional(day('When it takes effect; today when absent.'));

export const LoanParams = { loan_id: Type.String({ description: '`0x` and 64 hexadecimal digits.' }) };

export const view = {
  asOf: Type.Optional(day('The loan as of this day.')),
  knownAt: Type.Optional(
    Type.String({ maxLength: 40, description: 'ISO 8601 with a zone. The loan as it was known at this moment.' }),
  ),
};

export const ViewQuery = closed(view);

export const NoQuery = closed({});

const ETag = Type.String({ description: 'Changes with the loan’s version, the day and the representation.' });

/** The headers of every read of a loan and of its answer. */
export const readHeaders = {
  conditional: true,
  requestHeaders: {
    'If-None-Match': Type.String({ description: 'An ETag; when the answer is still that one, it is a 304.' }),
    Prefer,
  },
  answerHeaders: {
    ETag,
    'X-Loan-Version': Type.String({ description: 'The loan’s version, for `If-Match`.' }),
  },
} as const;

/** The same where the answer has personal data. */
export const personalHeaders = {
  ...readHeaders,
  requestHeaders: {
    ...readHeaders.requestHeaders,
    purpose: Type.String({
      maxLength: 200,
      description: 'Why the data is asked for; kept with the disclosure, sealed.',
    }),
  },
} as const;
