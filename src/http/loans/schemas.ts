/** The shapes of the loan operations. Amounts come as strings or numbers and go out as strings, with separators unless plain ones are asked for. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { BUCKETS } from '../../core/delinquency.ts';
import { FIGURES } from '../../core/explain.ts';
import { STATUSES } from '../../core/loan.ts';
import { closed, envelope } from '../operation.ts';

// ---- what requests are made of ----

const Amount = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'An amount: 1234.50, "1234.50" or "1,234.50". At most two decimals and 15 digits, never negative.',
});
const Rate = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'A percentage a year, such as 7.25: below 10,000, at most eight decimals, never negative.',
});
/** An id that cannot be one is not found, so no pattern refuses it. */
const LoanId = Type.String({ maxLength: 200, description: 'The loan: `0x` and 64 hexadecimal digits.' });
const Reference = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,64}$',
  description: 'A reference of yours: 1 to 64 letters, digits, `.`, `_`, `:` and `-`. Not a social security number.',
});
const day = (description: string) => Type.String({ maxLength: 10, description: `YYYY-MM-DD. ${description}` });
const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\p{Cc}]*$',
  description: 'Why, in your words. Kept sealed with the transaction, shown by `GET /loans/{loan_id}/disclosures`.',
});
const Label = Type.String({
  pattern: '^[A-Za-z0-9 ._:-]{1,64}$',
  description: 'What it is, for statements. Nothing personal: it stands in the ledger.',
});

/** The query of every write. */
export const WriteQuery = closed({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Answers what would happen (balances, journal, events, status) and changes nothing.' }),
  ),
});

/** What every write heeds, and what its answer may carry. */
export const writeHeaders = {
  requestHeaders: {
    'Idempotency-Key': Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The same key with the same body answers as the first time and changes nothing; with another body it is a 422.',
    }),
    'If-Match': Type.String({ description: 'The loan’s version, or an ETag of it; another version is a 412.' }),
    Prefer: Type.String({ description: '`numbers=plain` leaves the thousands separators out.' }),
  },
  answerHeaders: {
    'X-Loan-Version': Type.String({ description: 'The loan’s version after it.' }),
    'Idempotent-Replayed': Type.String({ description: '`true` when this is the stored answer of the first call.' }),
  },
};

const loanOnly = { loanId: LoanId };
const loanExample = '0x3b1f0a6de1c2447c8f2c9f5f0d5b5e1c7a9e4d2b6c8f1a3e5d7b9c0f2a4e6d81';
const hashExample = '0x9c4e7a21d5b8f03e6c1a9d7b4f2e8c05a3b6d9e1f7c2084b5d8e3a6f1c9b7024';

function request<P extends TProperties>(members: P, example: object = {}) {
  return closed({ ...loanOnly, ...members }, { examples: [{ loanId: loanExample, ...example }] });
}

// ---- what answers are made of ----

const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' });
const Money = Type.String({
  description: 'An amount: "29,163.75", "28,875"; "29163.75" with `Prefer: numbers=plain`.',
});
const DayOut = Type.String({ description: 'YYYY-MM-DD.' });
const Timestamp = Type.String({ description: 'ISO 8601, UTC.' });
const Status = Type.Enum([...STATUSES]);
const maybe = <T extends TSchema>(type: T, description: string) => Type.Union([type, Type.Null()], { description });
const Allocation = Type.Object(
  { fees: Money, interest: Money, principal: Money, credit: Money },
  { description: 'What the payment paid.' },
);

const JournalLine = Type.Object({ account: Type.String(), debit: Money, credit: Money });

/** What a dry run answers, whatever the operation. */
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

/** Both known shapes at once: clients of either style find the hash and the id. */
function written(members: TProperties = {}, example: object = {}) {
  const ids = { transactionHash: Hash, loanId: Hash };
  const exampleIds = { transactionHash: hashExample, loanId: loanExample };
  return Type.Union([
    Type.Object(
      {
        message: Type.Literal('ok'),
        data: Type.Object({ ...ids, loanStatus: Status, ...members }),
        ...ids,
      },
      {
        examples: [{ message: 'ok', data: { ...exampleIds, loanStatus: 'Current', ...example }, ...exampleIds }],
      },
    ),
    DryRun,
  ]);
}

const Written = written();

// ---- before the money goes out ----

export const CreatedAnswer = written({}, { loanStatus: 'ApplicationSubmitted' });
export const LoanRequest = request({});
export const DoneAnswer = Written;
export const VerifyDocumentsRequest = request(
  { documentsComplete: Type.Boolean({ description: 'False changes nothing.' }) },
  { documentsComplete: true },
);
export const CompleteUnderwritingRequest = request(
  {
    approved: Type.Optional(
      Type.Boolean({
        description: 'Absent: the decision that the loan was boarded with. Another than that needs a `reason`.',
      }),
    ),
    dealIndex: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'Which of the offered deals (`Underwriting.DealTermsInfo`); 0, the one asked for, when absent.',
      }),
    ),
    reason: Type.Optional(Reason),
  },
  { approved: true },
);
export const DecisionAnswer = written(
  { decision: Type.Enum(['APPROVED', 'DECLINED']) },
  { loanStatus: 'Approved', decision: 'APPROVED' },
);
export const ApproveCollateralRequest = request({ collateralAmount: Amount }, { collateralAmount: '31,500' });
export const FundRequest = request({
  metadata: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Figures of an earlier servicer: `{ "AutoLoan": {…} }` or its members alone (`currentBalance`, `fundedDate` and so on).',
      },
    ),
  ),
});
export const CancelRequest = request({ reason: Type.Optional(Reason) }, { reason: 'The buyer took another car.' });
export const PublishRequest = request(
  { published: Type.Boolean({ description: 'Whether every client with `public:read` may read the public record.' }) },
  { published: true },
);

// ---- payments ----

export const RepayRequest = request(
  {
    amount: Amount,
    refId: Reference,
    paymentDate: Type.Optional(day('When the money counts; today when absent.')),
    method: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9 ._:-]{1,40}$', description: 'How it was paid; kept with the reason.' }),
    ),
    principalOnly: Type.Optional(
      Type.Boolean({ description: 'It pays principal alone and satisfies no installment.' }),
    ),
    acceptOverpayment: Type.Optional(
      Type.Boolean({ description: 'What is more than the payoff becomes a credit of the borrower.' }),
    ),
    reason: Type.Optional(Reason),
  },
  { amount: '575.50', refId: 'ACH-2026-02-0001' },
);
const paid = { allocation: Allocation, remainingBalance: Money };
const paidExample = {
  allocation: { fees: '0', interest: '173.83', principal: '401.67', credit: '0' },
  remainingBalance: '28,473.33',
};
export const RepayAnswer = written(paid, paidExample);
export const PaymentRequest = request({ refId: Reference }, { refId: 'ACH-2026-02-0001' });
export const ReturnRequest = request(
  {
    refId: Reference,
    date: Type.Optional(day('When the money went back; today when absent.')),
    reason: Type.Optional(Reason),
  },
  { refId: 'ACH-2026-02-0001', reason: 'R01 insufficient funds' },
);
export const ReturnAnswer = written({ remainingBalance: Money }, { remainingBalance: '28,875' });
const quoteId = Type.Optional(
  Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'Your reference of the quote; made when absent.' }),
);
export const PayoffQuoteRequest = request(
  {
    date: Type.Optional(day('The day from which it is good; today when absent.')),
    goodThrough: Type.Optional(day('The last day on which it is honoured; `date` when absent, at most a year ahead.')),
    quoteId,
  },
  { goodThrough: '2026-02-25' },
);
export const QuoteAnswer = written(
  {
    quoteId: Type.String(),
    amount: Type.String({ description: 'Paid by `goodThrough`, it ends the loan.' }),
    date: DayOut,
    goodThrough: DayOut,
    perDiem: Type.String({ description: 'What each further day adds to what is owed.' }),
  },
  {
    quoteId: 'quote-6c1f0b7a9d2e',
    amount: '28,934.52',
    date: '2026-02-15',
    goodThrough: '2026-02-25',
    perDiem: '5.61',
  },
);
export const SettleRequest = request(
  { amount: Amount, goodThrough: day('The last day on which it is honoured.'), quoteId, reason: Reason },
  { amount: '20,000', goodThrough: '2026-03-31', reason: 'Hardship plan 7' },
);
export const CloseRequest = request({
  refId: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'The payment that paid the loan off.' }),
  ),
});
export const RecoveryRequest = request(
  { amount: Amount, refId: Reference, date: Type.Optional(day('When the money counts; today when absent.')) },
  { amount: '1,200', refId: 'AUCTION-88' },
);
export const RefundRequest = request({ amount: Amount, refId: Reference }, { amount: '12.34', refId: 'REFUND-1' });
export const RefundAnswer = written(
  { credit: Type.String({ description: 'What is still owed back to the borrower.' }) },
  { credit: '0' },
);

// ---- servicing ----

const effective = Type.Optional(day('When it takes effect; today when absent.'));
export const DefaultRequest = request({ reason: Type.Optional(Reason) });
export const ChargeOffRequest = request(
  {
    date: effective,
    reason: Reason,
    collateral: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 64,
        description: 'Value of the collateral that is held against it; 0 when absent.',
      }),
    ),
  },
  { reason: '120 days past due' },
);
export const AssessFeeRequest = request(
  {
    feeId: Reference,
    kind: Type.Optional(Type.Enum(['fee', 'penalty'], { description: '`fee` when absent.' })),
    name: Label,
    amount: Amount,
    date: effective,
  },
  { feeId: 'NSF-1', name: 'Returned payment fee', amount: '25' },
);
export const WaiveFeeRequest = request(
  {
    feeId: Reference,
    amount: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 64,
        description: 'All that is open of it when absent.',
      }),
    ),
    reason: Reason,
  },
  { feeId: 'late-3', reason: 'Goodwill, first time' },
);
export const FeesAnswer = written(
  { feeId: Type.String(), fees: Type.String({ description: 'All fees that are unpaid.' }) },
  { feeId: 'NSF-1', fees: '25' },
);
export const ChangeRateRequest = request(
  {
    interestRate: Rate,
    date: effective,
    why: Type.Optional(
      Type.Enum(['contract', 'scra'], {
        description:
          'By `scra` the installments fall with the interest (50 USC 3937); by `contract` (when absent) they stay.',
      }),
    ),
  },
  { interestRate: '6', why: 'scra' },
);
export const ExtendRequest = request(
  {
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 12, description: 'By how many periods; 1 when absent.' }),
    ),
    date: effective,
  },
  { periods: 1 },
);
export const ChangeDueDateRequest = request(
  { to: day('Where the oldest open installment falls; the later ones move with it.'), date: effective },
  { to: '2026-03-10' },
);
export const DatedRequest = request({ date: effective });

// ---- reading ----

export const LoanParams = { loan_id: Type.String({ description: '`0x` and 64 hexadecimal digits.' }) };

const view = {
  asOf: Type.Optional(day('The loan as of this day.')),
  knownAt: Type.Optional(
    Type.String({ maxLength: 40, description: 'ISO 8601 with a zone. The loan as it was known at this moment.' }),
  ),
};
export const ViewQuery = closed(view);
export const NoQuery = closed({});
export const PayoffQuery = closed({ ...view, date: Type.Optional(day('The day of the payoff; today when absent.')) });

const Prefer = Type.String({ description: '`numbers=plain` leaves the thousands separators out.' });
const ETag = Type.String({ description: 'Changes with the loan’s version, the day and the representation.' });

/** What every read of a loan heeds and carries. */
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

/** The same where personal data is told. */
export const personalHeaders = {
  ...readHeaders,
  requestHeaders: {
    ...readHeaders.requestHeaders,
    purpose: Type.String({ maxLength: 200, description: 'Why the data is asked for; kept with the disclosure.' }),
  },
} as const;

const DETAILS = [
  ...['applicationId', 'borrowerId', 'borrower', 'lenderId', 'initialLender', 'primaryServicerId'],
  ...['secondaryServicerId', 'loanServicer', 'loanType', 'principalAmount', 'loanAmount', 'collateralType'],
  ...['collateralAmount', 'interestRate', 'spread', 'interestRateType', 'indexRate', 'originationDate'],
  ...['maturityDate', 'amortizationType', 'loanStatus', 'encumberedStatus', 'term', 'repaidAmount'],
  ...['remainingBalance', 'startBlock', 'delinquentAmount', 'delinquentDays', 'paymentFrequency', 'installment'],
  ...['riskRating', 'firstPaymentDate', 'lastPaymentDate', 'nextPaymentDate', 'prepaymentPenalty', 'lateFee'],
  ...['createdAt', 'defaultProbability', 'grade', 'predictedPrincipalPaid', 'predictedInterestPaid'],
  ...['predictedChargeoffAmount', 'predictedRecoveredAmount', 'predictedGrossCashflow', 'predictedNetCashflow'],
  ...['predictedYield', 'apr', 'fairValuePrice', 'lendingDecisionReason', 'creditReportHash'],
  ...['retailInstallmentContractHash', 'applicantCreditVision', 'coApplicantCreditVision'],
] as const;

const LoanPayment = Type.Object({
  paymentId: Type.String(),
  paymentAmount: Money,
  paymentDate: DayOut,
  remainingBalance: Money,
  principalAmount: Money,
  principalPaid: Money,
  interestPaid: Money,
  feesPaid: Money,
  status: Type.Enum(['Submitted', 'Acknowledged', 'Returned']),
  transactionHash: Type.String(),
});

const open = (description: string) => Type.Object({}, { additionalProperties: true, description });

const details = {
  ...Object.fromEntries(DETAILS.map((name) => [name, Type.String()])),
  macroEconomicFeatures: open('`unemployment`, `cpi`, `fedRate`: numbers.'),
  loanPayments: Type.Array(LoanPayment),
  metadata: open('Once funded `{ [loanType]: {…} }`, before `{}`.'),
};

export const FullRecordAnswer = Type.Object({
  message: Type.Literal('ok'),
  data: Type.Object({
    loanDetails: Type.Object(details, { description: 'Exactly these members, in this order; scalars are strings.' }),
    Request: open(
      'As given: ApplicantInfo, ApplicationInfo, CoApplicantInfo, DealerInfo, PartnerInfo, RequestedTermsInfo, VehicleInfo.',
    ),
    Response: open('As given: the risk assessment.'),
    Underwriting: open(
      'As given: CashflowsCsv, CoApplicantCreditBureauPDF, CoApplicantCreditBureauTradeLines, DealTermsInfo, PrimaryCreditBureauPDF, ' +
        'PrimaryCreditBureauTradeLines, PrimaryCreditInfo (byte for byte), UnderwritingInfo.',
    ),
  }),
});

export const PublicRecordAnswer = Type.Object({
  message: Type.Literal('ok'),
  data: Type.Object({
    loanDetails: Type.Object(
      {
        ...details,
        loanInfo: open('`{ "Auto": { make, model, year, age, mileage, vin } }`; of the VIN 11 characters.'),
        Underwriting: open('CashflowsCsv, DealTermsInfo and UnderwritingInfo alone.'),
      },
      { description: 'As in the full record; what is about the person is empty.' },
    ),
  }),
});

const Summary = Type.Object({
  loanId: Hash,
  applicationId: Type.String(),
  borrowerId: Type.String(),
  lenderId: Type.String(),
  primaryServicerId: Type.String(),
  secondaryServicerId: Type.String(),
  loanType: Type.String(),
  loanStatus: Status,
  loanAmount: Money,
  remainingBalance: Money,
  delinquentDays: Type.String(),
  bucket: Type.Enum([...BUCKETS]),
  nextPaymentDate: Type.String({ description: 'YYYY-MM-DD; empty when nothing is left to pay.' }),
  published: Type.Boolean(),
  createdAt: Type.String({ description: 'Milliseconds since 1970, with separators.' }),
  version: Type.Integer(),
});
const summaryExample = {
  loanId: loanExample,
  applicationId: 'APP-1001',
  borrowerId: 'B-77',
  lenderId: 'L-1',
  primaryServicerId: 'SRV-12',
  secondaryServicerId: '',
  loanType: 'AutoLoan',
  loanStatus: 'Current',
  loanAmount: '28,875',
  remainingBalance: '28,473.33',
  delinquentDays: '0',
  bucket: 'current',
  nextPaymentDate: '2026-03-15',
  published: false,
  createdAt: '1,768,478,400,000',
  version: 6,
};

const listed = (what: string) => Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: what }));
export const ListQuery = closed({
  status: Type.Optional(Status),
  bucket: Type.Optional(Type.Enum([...BUCKETS], { description: 'By days past due today.' })),
  lenderId: listed('Your reference of the lender.'),
  servicerId: listed('Primary or secondary servicer.'),
  borrowerId: listed('Your reference of the borrower.'),
  applicationId: listed('Your reference of the application.'),
  createdFrom: Type.Optional(day('Created on this day or later.')),
  createdTo: Type.Optional(day('Created on this day or earlier.')),
  q: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,66}$',
      description: 'A loan’s id, or the beginning of an application’s or a borrower’s.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: '25 when absent.' })),
  cursor: Type.Optional(Type.String({ maxLength: 400, description: '`nextCursor` of the page before.' })),
  sort: Type.Optional(
    Type.Enum(['createdAt', '-createdAt'], { description: '`-createdAt`, newest first, when absent.' }),
  ),
});
export const ListAnswer = envelope(
  Type.Object({ items: Type.Array(Summary), nextCursor: maybe(Type.String(), 'Null on the last page.') }),
  { items: [summaryExample], nextCursor: null },
);

export const SearchRequest = closed(
  {
    ssn: Type.Optional(Type.String({ maxLength: 20, description: 'Nine digits, with or without hyphens.' })),
    email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
    phone: Type.Optional(Type.String({ minLength: 7, maxLength: 32 })),
    vin: Type.Optional(Type.String({ minLength: 5, maxLength: 32 })),
    lastName: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Together with `dateOfBirth`.' })),
    dateOfBirth: Type.Optional(Type.String({ maxLength: 10, description: 'YYYYMMDD or YYYY-MM-DD.' })),
  },
  {
    minProperties: 1,
    examples: [{ lastName: 'Sample', dateOfBirth: '19850412' }],
  },
);
export const SearchAnswer = envelope(
  Type.Object({ items: Type.Array(Summary, { description: 'The loans that match all of it.' }) }),
  { items: [summaryExample] },
);

export const ScheduleAnswer = envelope(
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    planned: Type.Boolean({ description: 'Before funding: what it would be if it were funded on that day.' }),
    levelPayment: maybe(Money, 'The payment of the installments to come; null when none is level.'),
    installments: Type.Array(
      Type.Object({
        n: Type.Integer(),
        dueDate: DayOut,
        amount: Money,
        principal: Money,
        interest: Money,
        paid: Money,
        open: Money,
        pastDue: Type.Boolean(),
        satisfiedOn: maybe(DayOut, 'When it was fully paid.'),
      }),
      { description: '`principal` and `interest` are as the schedule splits the amount.' },
    ),
    totals: Type.Object({ amount: Money, principal: Money, interest: Money, paid: Money, open: Money }),
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    planned: false,
    levelPayment: '575.50',
    installments: [
      {
        n: 1,
        dueDate: '2026-02-15',
        amount: '575.50',
        principal: '401.67',
        interest: '173.83',
        paid: '575.50',
        open: '0',
        pastDue: false,
        satisfiedOn: '2026-02-15',
      },
    ],
    totals: { amount: '575.50', principal: '401.67', interest: '173.83', paid: '575.50', open: '0' },
  },
);

export const PayoffAnswer = envelope(
  Type.Object({
    date: DayOut,
    payoff: Money,
    principal: Money,
    interest: Money,
    fees: Money,
    prepaymentPenalty: Money,
    credits: Money,
    perDiem: Type.String({ description: 'What each further day adds.' }),
    goodThrough: DayOut,
  }),
  {
    date: '2026-02-15',
    payoff: '28,473.33',
    principal: '28,473.33',
    interest: '0',
    fees: '0',
    prepaymentPenalty: '0',
    credits: '0',
    perDiem: '5.61',
    goodThrough: '2026-02-15',
  },
);

export const ForecastAnswer = envelope(
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    balance: Money,
    defaultProbability: Type.String({ description: 'A fraction: of what is still to come.' }),
    grade: Type.String(),
    riskRating: Type.String(),
    figures: Type.Record(Type.String(), Type.String(), {
      description: 'As `loanDetails` names them, from this day on.',
    }),
    CashflowsCsv: Type.String({ description: 'One row a month; `Month` 0 is the day itself.' }),
    modelVersion: Type.String(),
    policyVersion: Type.String(),
  }),
  {
    loanId: `0x${'ab'.repeat(32)}`,
    asOf: '2026-02-15',
    balance: '24,500',
    defaultProbability: '0.031',
    grade: 'B',
    riskRating: 'Low',
    figures: { predictedPrincipalPaid: '23,901.12', fairValuePrice: '24,611.40' },
    CashflowsCsv: 'Month,BeginningBalance,…',
    modelVersion: 'auto-hazard-1',
    policyVersion: 'auto-1',
  },
);

const NoticeParty = closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  address: Type.String({ minLength: 1, maxLength: 400 }),
  telephone: Type.String({ minLength: 1, maxLength: 40 }),
});
const noticeParty = (name: string) => ({ name, address: '1 Main Street, Springfield', telephone: '555-0100' });

export const NoticeRequest = closed(
  {
    loanId: Type.String(),
    creditor: NoticeParty,
    bureau: NoticeParty,
    federalAgency: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
  },
  {
    examples: [
      {
        loanId: `0x${'ab'.repeat(32)}`,
        creditor: noticeParty('Harbor Auto Finance'),
        bureau: noticeParty('Example Credit Bureau'),
      },
    ],
  },
);
export const NoticeAnswer = envelope(Type.Object({ notice: Type.String() }), {
  notice: 'NOTICE OF ACTION TAKEN AND STATEMENT OF REASONS…',
});

export const HistoryAnswer = envelope(
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    rows: Type.Array(
      Type.Object({
        date: DayOut,
        kind: Type.String(),
        reference: maybe(Type.String(), 'Of the payment, fee, refund or quote.'),
        detail: Type.String(),
        amount: Money,
        allocation: Allocation,
        balance: Type.String({ description: 'Principal that is owed after it.' }),
        running: Type.Object({ fees: Money, credit: Money, received: Money }),
      }),
      { description: 'Everything that moved money or terms, in the order in which it took effect.' },
    ),
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    rows: [
      {
        date: '2026-02-15',
        kind: 'payment',
        reference: 'ACH-2026-02-0001',
        detail: '',
        amount: '575.50',
        ...{ allocation: paidExample.allocation, balance: paidExample.remainingBalance },
        running: { fees: '0', credit: '0', received: '575.50' },
      },
    ],
  },
);

const Block = Type.Object({
  number: Type.Integer(),
  previousHash: Hash,
  root: Hash,
  count: Type.Integer(),
  sealedAt: Timestamp,
  hash: Hash,
});
const Transaction = Type.Object({
  transactionHash: Hash,
  loanId: Hash,
  sequence: Type.Integer(),
  type: Type.String(),
  body: Type.String({ description: 'Canonical JSON (RFC 8785); the hash is the SHA-256 of its bytes.' }),
  recordedAt: Timestamp,
  block: Type.Integer(),
  sealed: Type.Boolean({ description: 'False for the two seconds at most before the block is sealed.' }),
  proof: maybe(
    Type.Object({
      index: Type.Integer({ description: 'Its place in the block, from 0.' }),
      siblings: Type.Array(Hash, { description: 'From the leaf to the root.' }),
      header: Block,
    }),
    'The way from the transaction to the root of its block; null until that is sealed.',
  ),
});
const transactionExample = {
  transactionHash: hashExample,
  loanId: loanExample,
  sequence: 6,
  type: 'paymentSubmitted',
  body: '{"event":{…},"loanId":"0x3b1f…","previous":"0x77ab…","sequence":6}',
  recordedAt: '2026-02-15T12:00:00.000Z',
  block: 4_211,
  sealed: false,
  proof: null,
};
export const TransactionsAnswer = envelope(Type.Object({ items: Type.Array(Transaction) }), {
  items: [transactionExample],
});
export const TransactionAnswer = envelope(Transaction, transactionExample);
export const BlockAnswer = envelope(
  Type.Object({
    number: Type.Integer(),
    sealed: Type.Boolean(),
    block: maybe(Block, 'Null until it is sealed.'),
    transactions: Type.Array(Hash),
  }),
  { number: 4_211, sealed: false, block: null, transactions: [hashExample] },
);

export const JournalAnswer = envelope(
  Type.Object({
    items: Type.Array(
      Type.Object({
        transactionHash: Hash,
        sequence: Type.Integer(),
        entry: Type.String(),
        account: Type.String(),
        debit: Money,
        credit: Money,
        dateEffective: DayOut,
        datePosted: DayOut,
      }),
    ),
    totals: Type.Object({ debit: Money, credit: Money }),
  }),
  {
    items: [
      {
        transactionHash: hashExample,
        sequence: 6,
        entry: 'receipt',
        account: 'cashClearing',
        debit: '575.50',
        credit: '0',
        dateEffective: '2026-02-15',
        datePosted: '2026-02-15',
      },
    ],
    totals: { debit: '575.50', credit: '0' },
  },
);
export const TrialBalanceQuery = closed({ asOf: Type.Optional(day('Posted up to this day; today when absent.')) });
export const TrialBalanceAnswer = envelope(
  Type.Object({
    asOf: DayOut,
    accounts: Type.Array(JournalLine),
    totals: Type.Object({ debit: Money, credit: Money }),
  }),
  {
    asOf: '2026-02-15',
    accounts: [
      { account: 'loanPrincipal', debit: '28,473.33', credit: '0' },
      { account: 'cashClearing', debit: '0', credit: '28,473.33' },
    ],
    totals: { debit: '28,473.33', credit: '28,473.33' },
  },
);

export const DisclosuresAnswer = envelope(
  Type.Object({
    items: Type.Array(
      Type.Object({
        at: Timestamp,
        organizationId: Type.String(),
        clientId: Type.String(),
        keyId: maybe(Type.String(), 'The API key that was sent.'),
        what: Type.String(),
        purpose: Type.String(),
        requestId: Type.String(),
      }),
    ),
    reasons: Type.Array(Type.Object({ transactionHash: Hash, at: Timestamp, reason: Type.String() }), {
      description: 'What was given as the reason of a transaction.',
    }),
  }),
  {
    items: [
      {
        at: '2026-02-15T12:00:00.000Z',
        organizationId: 'org_4n7c2q9d',
        clientId: 'client_8r3k2m5t7x',
        keyId: 'key_2f9d7c',
        what: 'record',
        purpose: 'payoff letter',
        requestId: '5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
      },
    ],
    reasons: [],
  },
);

export const ExplainParams = {
  ...LoanParams,
  figure: Type.String({ description: `${FIGURES.join(', ')}, or \`payment:\` and the \`refId\` of a payment.` }),
};
export const ExplanationAnswer = envelope(
  Type.Object({
    figure: Type.String(),
    on: DayOut,
    amount: Money,
    steps: Type.Array(Type.Object({ what: Type.String(), how: Type.String(), amount: Money }), {
      description: 'They add up to the amount.',
    }),
    sentences: Type.Array(Type.String()),
  }),
  {
    figure: 'payoff',
    on: '2026-02-15',
    amount: '28,473.33',
    steps: [{ what: 'principal', how: 'outstanding', amount: '28,473.33' }],
    sentences: ['To be done on 2026-02-15 takes 28473.33. Each further day adds 5.61: …'],
  },
);

export const HashParams = { hash: Type.String({ description: 'A transaction: `0x` and 64 hexadecimal digits.' }) };
export const BlockParams = { n: Type.String({ description: 'The number of a block.' }) };

export const TransitionsAnswer = envelope(
  Type.Object({
    statuses: Type.Array(Status),
    operations: Type.Array(
      Type.Object({
        operation: Type.String(),
        aliases: Type.Array(Type.String()),
        from: Type.Array(Status),
        to: Type.String(),
      }),
    ),
  }),
  {
    statuses: ['Approved', 'Funded'],
    operations: [
      { operation: 'fund-loan', aliases: ['disburse-loan'], from: ['Approved', 'CollateralApproved'], to: 'Funded' },
    ],
  },
);
