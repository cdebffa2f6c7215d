/** Shapes that several loan operations share. Amounts come as strings or numbers and go out as strings, with thousands separators unless the caller prefers plain numbers. */

import { type TProperties, type TSchema, Type } from 'typebox';
import { CHANGES, STATUSES } from '../../core/loan.ts';
import { about, named, shape } from './named.ts';
import { grouped, money } from './numbers.ts';
import { closed, MessageOk } from './operation.ts';
import { cursorOut, idOut, referenceOut, sentences, wordOut } from './texts.ts';

export const Amount = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'An amount: 1234.50, "1234.50" or "1,234.50". At most two decimals and 15 digits, not negative.',
});

export const Rate = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'Percent per year, such as 7.25: below 10,000, at most eight decimals, not negative.',
});

/** Checked by the operation (`loanIdIn`), which names the format. */
export const LoanId = Type.String({ maxLength: 200, description: 'The loan: `0x` and 64 hexadecimal digits.' });

export const Reference = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,64}$',
  description:
    'Your reference: 1 to 64 letters, digits, `.`, `_`, `:` and `-`. Nine digits in a row are not allowed, because they could be a social security number.',
});

/** A date in a request. */
export const day = (description: string) => Type.String({ maxLength: 10, format: 'date', description });

export const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  description:
    'The reason, in your own words. Stored encrypted with the transaction; `GET /loans/{loan_id}/disclosures` returns it.',
});

export const Label = Type.String({
  pattern: '^[A-Za-z0-9 ._:-]{1,64}$',
  description: 'The description of the fee; shown on statements. No personal data: it is stored in the ledger.',
});

/** A hash or an id in an answer. */
export const hash = (description: string) => Type.String({ pattern: '^0x[0-9a-f]{64}$', description });

export const Hash = hash('`0x` and 64 lower-case hexadecimal digits.');

export const LoanIdOut = hash('The loan.');

/** The query of every write. */
export const WriteQuery = closed({
  dryRun: Type.Optional(
    Type.Boolean({
      description:
        'If true, the response shows what would happen (balances, journal, events, status), and nothing is changed.',
    }),
  ),
});

export const Prefer = Type.String({
  description:
    '`numbers=plain`: amounts and counts without thousands separators; `numbers=interface`: with them. Absent: as the option `numbers` of the client.',
});

const PreferenceApplied = Type.String({
  description:
    'The form of amounts and counts in the answer: `numbers=plain`, or `numbers=interface` where it was asked for.',
});

/** The headers of every operation whose answer has amounts or counts that depend on them. */
export const preferring = {
  requestHeaders: { Prefer },
  answerHeaders: { 'Preference-Applied': PreferenceApplied },
} as const;

/** The headers of every write and of its answer. */
export const keyHeaders = {
  requestHeaders: {
    'Idempotency-Key': Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Repeating a call with the same key and a body that says the same returns the first response and changes nothing; with another request it is a 422.',
    }),
  },
  answerHeaders: {
    'Idempotent-Replayed': Type.String({ description: '`true` if this is the stored response of the first call.' }),
  },
};

/** Those of every write of a loan. */
export const writeHeaders = {
  requestHeaders: {
    ...keyHeaders.requestHeaders,
    'If-Match': Type.String({
      description: 'The expected version of the loan, or its ETag; if the loan has another version, the call is a 412.',
    }),
    ...preferring.requestHeaders,
  },
  answerHeaders: {
    ...preferring.answerHeaders,
    'X-Loan-Id': LoanIdOut,
    'X-Loan-Version': Type.String({
      description:
        'The loan’s version after the write; of a stored response (`Idempotent-Replayed`) the one it had then.',
    }),
    ...keyHeaders.answerHeaders,
  },
};

const loanOnly = { loanId: LoanId };

export const loanExample = '0x3b1f0a6de1c2447c8f2c9f5f0d5b5e1c7a9e4d2b6c8f1a3e5d7b9c0f2a4e6d81';

export const hashExample = '0x9c4e7a21d5b8f03e6c1a9d7b4f2e8c05a3b6d9e1f7c2084b5d8e3a6f1c9b7024';

export function request<P extends TProperties>(members: P, example: object = {}) {
  return closed({ ...loanOnly, ...members }, { examples: [{ loanId: loanExample, ...example }] });
}

export const Version = Type.Integer({ description: 'The version of the loan (its number of events), for `If-Match`.' });

export const TransactionHash = hash('The ledger transaction.');

/** A date in an answer. */
export const date = (description: string) => Type.String({ format: 'date', description });

/** A time in an answer. */
export const time = (description: string) => Type.String({ format: 'date-time', description });

export const Status = named(
  'LoanStatus',
  Type.Enum([...STATUSES], {
    description: 'The status of the loan. `GET /transitions` lists the operations that each status allows.',
  }),
);

export const maybe = <T extends TSchema>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

export const NextCursor = maybe(
  cursorOut('A cursor.'),
  'Send it as `cursor` to get the next page; null on the last page.',
);

export const Limit = (most = 100, absent = 25) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: `Page size; default ${absent}.` }));

export const ApprovalParty = shape(
  'ApprovalParty',
  'Who requested or decided it.',
  {
    organizationId: idOut('The organization.'),
    clientId: idOut('The client.'),
    userId: maybe(
      idOut('An id.'),
      'The person who acted through the client; null when the client acted by itself, or for another organization.',
    ),
  },
  { additionalProperties: false },
);

export const ForbiddingHold = shape(
  'ForbiddingHold',
  'A hold that forbids an operation.',
  {
    holdId: referenceOut('The reference of the hold.'),
    kind: wordOut('The kind of hold.'),
  },
  { additionalProperties: false },
);

export const Allocation = shape('Allocation', 'How a payment was applied; negative where one was taken back.', {
  fees: grouped('signed', 'Applied to fees.'),
  interest: grouped('signed', 'Applied to interest.'),
  principal: grouped('signed', 'Applied to principal.'),
  credit: grouped('signed', 'Held as a credit of the borrower.'),
});

export const account = wordOut('The account of the general ledger, such as `loanPrincipal`.');

export const JournalLine = shape('JournalLine', 'A debit or credit to one account.', {
  account,
  debit: money('The amount debited; 0 for a credit.'),
  credit: money('The amount credited; 0 for a debit.'),
});

/** A line of the general ledger with its entry and dates. */
export const postedLine = {
  entry: wordOut('The type of entry, such as `receipt`.'),
  account,
  debit: money('The amount debited; 0 for a credit.'),
  credit: money('The amount credited; 0 for a debit.'),
  dateEffective: date('The date on which it takes effect.'),
  datePosted: date('The date on which it was posted.'),
  priorPeriod: Type.Boolean({
    description: 'Whether its effective date is in an earlier month than its posting date.',
  }),
};

export const DebitCreditTotals = shape('DebitCreditTotals', 'Total debits and credits.', {
  debit: money('Total debits.'),
  credit: money('Total credits.'),
});

export const Explanation = shape('Explanation', 'How a figure was computed.', {
  figure: sentences('The figure.'),
  on: date('The date of the figure.'),
  amount: grouped('signed', 'The amount.'),
  steps: Type.Array(
    shape('ExplanationStep', 'A part of an explained amount.', {
      what: sentences('The part.'),
      how: sentences('How it was computed.'),
      amount: grouped('signed', 'The amount of the part.'),
    }),
    { description: 'The parts, which add up to the amount.' },
  ),
  sentences: Type.Array(sentences('A text.'), {
    description: 'The explanation in sentences suitable for the borrower.',
  }),
});

/** For every write that changes what was already true of the loan. */
const Changes = Type.Array(
  shape('RestatedFigure', 'A past figure that the write restates.', {
    date: date('The date of the figure.'),
    what: Type.Enum([...CHANGES], { description: 'The figure.' }),
    refId: Type.Optional(referenceOut('The payment, where the figure is a part of one.')),
    before: maybe(
      grouped('figure', 'A figure.'),
      'The figure before the write: an amount, a count or a word, depending on `what`.',
    ),
    after: maybe(grouped('figure', 'A figure.'), 'The figure after the write.'),
  }),
  {
    description:
      'Only for a write that is backdated, takes back a payment or undoes a transaction, or that takes effect before a payment of its own ' +
      'date and changes how that payment is applied: the restated figures, before and after. `paymentInterest`, `paymentPrincipal`, ' +
      '`paymentFees` and `paymentCredit` are the parts of the payment `refId`. A late fee and a payment have their own date; a quote, ' +
      '`closedBy` and `lienRelease` have the date on which the loan was closed. A quote is `open`, `honoured`, `void` (a payment that it was ' +
      'based on was taken back) or `expired`, and null once it is undone; a lien release is `due` or ' +
      '`withdrawn`. `chargeOffGround` has the date of a charge-off that the nightly cycle recorded: `pastDue`, or `gone` when its days past due are ' +
      'no longer found on that day; it stays until a person undoes it.',
  },
);

/** The members that a dry run returns in addition to those of the write itself. */
const dryRun = {
  dryRun: Type.Optional(Type.Literal(true, { description: 'Present only in a dry run: nothing was changed.' })),
  approval: Type.Optional(
    Type.Boolean({
      description: 'Dry run only: whether the write would have to be approved by a second person or client.',
    }),
  ),
  payoff: Type.Optional(money('Dry run only: the payoff amount afterwards.')),
  delinquentAmount: Type.Optional(money('Dry run only: the amount past due afterwards.')),
  delinquentDays: Type.Optional(Type.Integer({ description: 'Dry run only: the days past due afterwards.' })),
  nextPaymentDate: Type.Optional(
    maybe(
      date('A date.'),
      'Dry run only: the due date of the oldest unpaid installment afterwards; null: there is none.',
    ),
  ),
  upcomingDueDate: Type.Optional(
    maybe(
      date('A date.'),
      'Dry run only: when the next installment is due, of those that are not past due; null: there is none.',
    ),
  ),
  events: Type.Optional(
    Type.Array(
      shape('PlannedEvent', 'An event that the write would record.', {
        type: wordOut('The type of event.'),
        date: date('The date on which it takes effect.'),
      }),
      { description: 'Dry run only: the events that would be recorded.' },
    ),
  ),
  overrode: Type.Optional(
    Type.Array(wordOut('A limit.'), {
      description: 'Dry run only: the policy limits that the write would exceed by `override`; empty: none.',
    }),
  ),
  journal: Type.Optional(
    Type.Array(JournalLine, { description: 'Dry run only: the lines that would be posted to the general ledger.' }),
  ),
};

/** In place of the hash of a transaction that a dry run does not make, and of the id of a loan that it does not create. */
export const NOTHING = `0x${'0'.repeat(64)}`;

/**
 * The response to a write. Hash and id are at the top level and in `data`, for clients of either style. A dry run answers with the same
 * members, so that programs need not tell two shapes apart.
 */
export function written(name: string, members: TProperties = {}, example: object = {}) {
  const ids = {
    transactionHash: hash('The ledger transaction that recorded it. All zeros in a dry run.'),
    loanId: hash('The loan. All zeros in a dry run of a creation.'),
  };
  const exampleIds = { transactionHash: hashExample, loanId: loanExample };
  const balance = Type.Optional(money('Dry run only: the principal owed afterwards.'));
  return shape(
    `${name}Answer`,
    'The response to a write.',
    {
      message: MessageOk,
      data: shape(`${name}Result`, 'The outcome of the write, or the expected outcome in a dry run.', {
        ...ids,
        loanStatus: about(Status, 'The status of the loan afterwards.'),
        ...('remainingBalance' in members ? {} : { remainingBalance: balance }),
        ...members,
        changes: Type.Optional(Changes),
        ...dryRun,
      }),
      ...ids,
    },
    { examples: [{ message: 'ok', data: { ...exampleIds, loanStatus: 'Current', ...example }, ...exampleIds }] },
  );
}

export const LoanRequest = named('LoanRequest', about(request({}), 'The loan.'));

export const DoneAnswer = written('LoanWrite');

export const effective = Type.Optional(day('The effective date; default: today.'));

export const LoanParams = { loan_id: Type.String({ description: 'The loan: `0x` and 64 hexadecimal digits.' }) };

export const view = {
  asOf: Type.Optional(day('The loan as of this date; default: today.')),
  knownAt: Type.Optional(
    Type.String({
      maxLength: 40,
      format: 'date-time',
      description: 'The loan as it was recorded at this time, ISO 8601 with a time zone; default: now.',
    }),
  ),
};

export const ViewQuery = closed(view);

export const NoQuery = closed({});

const ETag = Type.String({ description: 'Changes with the loan’s version, the date and the representation.' });

/** The headers of a read that can be answered with a 304. */
export const conditionalHeaders = {
  conditional: true,
  requestHeaders: {
    'If-None-Match': Type.String({
      description: 'The ETag of an earlier response; the response is a 304 if it is still current.',
    }),
  },
  answerHeaders: { ETag },
} as const;

/** The headers of every read of a loan and of its answer. */
export const readHeaders = {
  conditional: true,
  requestHeaders: { ...conditionalHeaders.requestHeaders, ...preferring.requestHeaders },
  answerHeaders: {
    ...conditionalHeaders.answerHeaders,
    ...preferring.answerHeaders,
    'X-Loan-Id': LoanIdOut,
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
      description: 'Why the data is read; stored encrypted with the disclosure.',
    }),
  },
} as const;
