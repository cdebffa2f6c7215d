/**
 * Creating a loan: the shape of POST /loans. Unknown members are refused, but `Request`, `Response` and `Underwriting` accept any. A
 * member of ours that is `""` or null counts as absent. A record can be sent as it was read: whole, in its four parts, or with the members of
 * `loanDetails` beside each other. What is required is checked when the form is known (`boarding/creation.ts`).
 */
import { Type } from 'typebox';
import { DAY_COUNTS, FREQUENCIES } from '../../core/calendar.ts';
import { AMORTIZATIONS, LATE_FEE_JUDGEMENTS, MAX_TERM } from '../../core/loan.ts';
import type { Change } from '../../loans/door/write.ts';
import { actorOf, writeOptions } from '../shared/actor.ts';
import { RECORD_BODY } from '../shared/body-limits.ts';
import { CustomDataInput } from '../shared/custom-data.ts';
import {
  accountInput,
  amount,
  dayInput,
  decimalInput,
  digest,
  forecast,
  holder,
  oneOf,
  partial,
  reference,
  text,
  whole,
} from '../shared/input-values.ts';
import { answersIn, numbersOf } from '../shared/numbers.ts';
import { closed, type LargeBody, operation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { written } from '../shared/shapes.ts';
import { answered, answerText, WRITE_PROBLEMS, writes } from '../shared/write.ts';
import { LOAN_TYPES, recordMembers } from './record-input.ts';

const open = (description: string) =>
  Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true, description });

const COLLATERAL_TYPES = [
  'RealEstate',
  'Equipment',
  'Inventory',
  'Receivables',
  'Securities',
  'Cash',
  'Vehicles',
  'Vehicle',
  'PersonalGuarantee',
  'IntellectualProperty',
  'AgriculturalAssets',
  'InsurancePolicy',
  'DepositAccount',
  'PreciousMetals',
  'Other',
  'None',
];
const ENCUMBERED_STATUSES = [
  'Lien',
  'PostedCollateral',
  'SecurityInterest',
  'RepossessionInProgress',
  'TaxLienOrJudgment',
  'SalvageOrRebuiltTitle',
  'LeaseBuyoutEncumbrance',
  'Unencumbered',
];

const macro = (what: string) => decimalInput(`${what} A number below 10,000 with at most ten decimals.`);

const vehicle = {
  make: text(60, 'Make. Public.'),
  model: text(60, 'Model. Public.'),
  year: whole('Model year.'),
  age: whole('Age in years.'),
  mileage: whole('Mileage.'),
  vin: text(
    17,
    'Vehicle identification number (VIN) with a valid check digit. Personal data: the public record shows only the first eleven characters.',
  ),
};

/** An offer has the same members for the same things (`calculators/offer.ts`). */
export const members = {
  applicationId: reference('Your id of the application, unique for the lender.'),
  borrowerId: reference('Your id of the borrower.'),
  lenderId: reference('Your id of the lender.'),
  primaryServicerId: reference('Your id of the servicer.'),
  secondaryServicerId: reference('Your id of a second servicer.'),
  borrower: accountInput('borrower'),
  initialLender: accountInput('lender'),
  loanServicer: accountInput('servicer'),
  loanType: Type.Enum([...LOAN_TYPES], {
    description:
      'RevolvingCredit, LineOfCredit and MerchantCashAdvance are not supported, because they have no installments.',
  }),
  principalAmount: amount('The advance without financed products; default `loanAmount`, which it must not exceed.'),
  loanAmount: amount('The amortized amount: the amount financed, including products. Default `principalAmount`.'),
  collateralType: oneOf(
    COLLATERAL_TYPES,
    'Default: Vehicles for an AutoLoan, otherwise None. Vehicle is accepted for Vehicles.',
  ),
  encumberedStatus: oneOf(ENCUMBERED_STATUSES, 'Default: Lien if there is collateral, otherwise Unencumbered.'),
  interestRate: decimalInput('Percent per year: 7.25 means 7.25 %. Below 10,000, at most eight decimals.'),
  spread: decimalInput('Margin over the index in percentage points, below 1,000; may be negative.'),
  interestRateType: oneOf(['Fixed', 'Variable'], 'Default Fixed.'),
  indexRate: text(40, 'The index of a variable rate: its value in percent or its name, as text. Public.'),
  term: whole(`Months, 1 to ${MAX_TERM}.`),
  paymentFrequency: oneOf(FREQUENCIES, 'Default Monthly.'),
  installment: whole('Number of installments; default: computed from term and frequency (months × 26 / 12 and so on).'),
  amortizationType: oneOf(AMORTIZATIONS, 'Default: Balloon if there is a balloonAmount, otherwise FullAmortization.'),
  balloonAmount: amount('Balloon amount, due in addition to the last installment.'),
  interestOnlyCount: whole('Number of interest-only installments at the beginning.'),
  dayCount: oneOf(DAY_COUNTS, 'Default actual/365.'),
  scheduledPayment: amount(
    'The payment that the contract sets; the last installment is adjusted to the remaining balance.',
  ),
  originationDate: dayInput('The contract date, from which interest accrues. Default: the date of funding.'),
  firstPaymentDate: dayInput('Default: one period after the contract date.'),
  maturityDate: dayInput('Must agree with the schedule.'),
  lastPaymentDate: dayInput('Date of the last scheduled payment (the maturity date). Must agree with the schedule.'),
  nextPaymentDate: dayInput(
    'For a seasoned loan: due date of the oldest unpaid installment. All earlier installments are paid.',
  ),
  delinquentAmount: amount('For a seasoned loan: the amount past due today. Must agree with the dates.'),
  delinquentDays: whole('For a seasoned loan: days past due today. Must agree with the dates.'),
  opening: holder(
    'OpeningFigures',
    {
      asOf: Type.Optional(
        dayInput(
          'The date of these figures: not in the future, and not before the contract date. Required without a record.',
        ),
      ),
      principal: Type.Optional(amount('Principal owed on that date. Required without a record.')),
      unpaidInterest: Type.Optional(
        amount('Interest owed on that date; default 0, and with a record the interest of the schedule.'),
      ),
      unpaidFees: Type.Optional(amount('Fees owed on that date; default 0.')),
      paidThrough: Type.Optional(
        dayInput('All installments due up to this date are paid. Default: those due before `nextPaymentDate`.'),
      ),
      ownedFrom: Type.Optional(
        dayInput(
          'The day the owner acquired the loan: interest from this date on is its income, earlier interest belongs to the purchase. Not before `asOf`, and not in the future. Default: `asOf`.',
        ),
      ),
    },
    'Opening figures from the previous servicer. Requires originationDate. Everything after the date of these figures is computed.',
  ),
  purchase: holder(
    'Purchase',
    {
      price: Type.Optional(
        amount('Paid for the principal and the interest owed on the date, without fees. Required; more than 0.'),
      ),
      date: Type.Optional(dayInput('The date of the figures of the opening, and the default.')),
      creditDiscount: Type.Optional(
        amount(
          'The part of the discount for losses that were expected at the purchase, of a loan whose credit had deteriorated; default 0. It never becomes income.',
        ),
      ),
    },
    'The price at which a seasoned loan was bought. Principal and interest less price and credit discount is the discount that is amortized (below zero: a premium).',
  ),
  lateFee: amount('A flat late fee; default 0.'),
  lateFeePolicy: holder(
    'LateFeePolicy',
    {
      percent: Type.Optional(decimalInput('Percent of the installment, at most 100.')),
      floor: Type.Optional(amount('Minimum fee.')),
      cap: Type.Optional(amount('Maximum fee.')),
      graceDays: Type.Optional(
        whole('Grace period in days after the due date; default 10. A payment on the last dayInput is on time.'),
      ),
      judge: Type.Optional(
        oneOf(
          LATE_FEE_JUDGEMENTS,
          'Which installment payments count towards when deciding whether one is late: the most recently due first, then older ones ' +
            '(`currentFirst`, the default: one missed installment followed by timely payments causes one fee), or the oldest first.',
        ),
      ),
    },
    'A late fee as a percentage; also the grace period and the lateness rule of a flat late fee.',
  ),
  prepaymentPenalty: amount('A flat amount for paying off before the last due date; default 0.'),
  prepaidFinanceCharge: amount(
    'Kept by the lender at funding: included in the loan amount but neither paid out nor in the amount financed, and used for the APR. Default: `originationFee`.',
  ),
  originationFee: amount('The part of the prepaid finance charge that is the fee for making the loan. Default 0.'),
  dealerReserve: amount('Paid to the dealer at funding, beside the loan amount. Default 0.'),
  directCosts: amount('Other direct costs of making the loan, paid at funding beside the loan amount. Default 0.'),
  defaultProbability: decimalInput('Probability of default: a fraction from 0 to 1.'),
  grade: oneOf(
    ['A', 'B', 'C', 'D', 'E', 'F'],
    'Credit grade. It determines the risk rating: A and B Low, C and D Medium, E and F High.',
  ),
  predictedPrincipalPaid: forecast('Forecast of principal paid.'),
  predictedInterestPaid: forecast('Forecast of interest paid.'),
  predictedChargeoffAmount: forecast('Forecast of the amount charged off.'),
  predictedRecoveredAmount: forecast('Forecast of the amount recovered.'),
  predictedGrossCashflow: forecast('Forecast of all payments.'),
  predictedNetCashflow: forecast('Forecast of all payments less the amount financed; may be negative.'),
  predictedYield: decimalInput('Forecast of the yield, as a fraction; may be negative.'),
  apr: decimalInput(
    'Annual percentage rate as a fraction: 0.0725 means 7.25 %. Default: computed by Regulation Z Appendix J; a given value is kept.',
  ),
  fairValuePrice: forecast('Fair value of the loan.'),
  lendingDecisionReason: text(20_000, 'Reason for the lending decision. Personal data.'),
  creditReportHash: digest('credit report'),
  retailInstallmentContractHash: digest('contract'),
  applicantCreditVision: text(20_000, 'Summary of the applicant’s credit. Personal data.'),
  coApplicantCreditVision: text(20_000, 'Summary of the co-applicant’s credit. Personal data.'),
  macroEconomicFeatures: holder(
    'MacroEconomicInput',
    partial({
      unemployment: macro('Unemployment rate, in percent.'),
      cpi: macro('Consumer price index, or its change.'),
      fedRate: macro('Federal funds rate, in percent.'),
    }),
    'Economic indicators at the time of underwriting. They are shown as given; deals are scored and priced by the lending policy’s own.',
  ),
  loanInfo: holder(
    'LoanInfoInput',
    { ...partial(vehicle), Auto: Type.Optional(holder('VehicleInput', partial(vehicle), 'The vehicle.')) },
    'The vehicle: its fields directly, or under `Auto`. Missing fields are taken from `Request.VehicleInfo`.',
  ),
  published: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether every client with `public:read` may read the public record.',
  }),
  customData: CustomDataInput,
  Request: open(
    'The application. May have further fields, which are returned as given. Documented fields that are missing are returned empty; a value ' +
      'of another type is converted where nothing is lost (65 to "65", "6,500.00" to 6500.00, 1980-02-29 to 19800229) and otherwise refused.',
  ),
  Response: open(
    'The decision, for a loan that was assessed elsewhere. May have further fields. Documented fields are read as those of `Request`.',
  ),
  Underwriting: open(
    'The assessment: bureau data, 60 deal terms, forecasts. May have further fields. Documented fields are read as those of `Request`; ' +
      '`PrimaryCreditInfo` is returned byte for byte, and its values must all be strings.',
  ),
};

/** Creation members that a record does not have. */
const BESIDE = new Set([
  ...['balloonAmount', 'interestOnlyCount', 'dayCount', 'scheduledPayment', 'opening', 'purchase', 'lateFeePolicy'],
  ...['prepaidFinanceCharge', 'originationFee', 'dealerReserve', 'directCosts'],
  ...['loanInfo', 'published', 'customData', 'Request', 'Response', 'Underwriting'],
]);

const loanDetails = holder(
  'LoanDetailsInput',
  partial({
    ...Object.fromEntries(Object.entries(members).filter(([name]) => !BESIDE.has(name))),
    ...recordMembers,
  }),
  '`loanDetails` of a record, as it was read.',
);

const parts = {
  loanDetails,
  Request: members.Request,
  Response: members.Response,
  Underwriting: members.Underwriting,
};

const forms = {
  ...recordMembers,
  asOf: dayInput('The dayInput of the figures of a record; default today. Everything after it is computed.'),
  loanDetails,
  message: text(200, 'Part of the response of a full read; ignored.'),
  data: holder('RecordInput', partial(parts), '`data` of the answer of a full read, as it was read.'),
};

export const CREATION_EXAMPLE = {
  applicationId: 'APP-2026-000117',
  borrowerId: 'BRW-4471',
  lenderId: 'LND-HARBOR',
  primaryServicerId: 'SRV-12',
  loanType: 'AutoLoan',
  principalAmount: '28000.00',
  loanAmount: '28875.00',
  interestRate: '7.25',
  term: 60,
  paymentFrequency: 'Monthly',
  lateFee: '25.00',
  grade: 'A',
  defaultProbability: '0.0312',
  loanInfo: { make: 'Honda', model: 'Accord', year: '2003', age: '23', mileage: '88,400', vin: '1HGCM82633A004352' },
  Request: {
    ApplicantInfo: {
      ApplicantFirstName: 'Ann',
      ApplicantLastName: 'Example',
      ApplicantDOB: '19800229',
      ApplicantSSN: '666-12-3456',
      ApplicantEmail: 'ann@example.com',
      MonthlyGross: 6200,
    },
    VehicleInfo: { VehicleRetailValue: '31,400', VehicleWholesaleValue: '27,900' },
  },
};

export const CreationRequest = closed(partial({ ...members, ...forms }), {
  examples: [CREATION_EXAMPLE],
  description:
    'Without a record `applicationId`, `borrowerId`, `lenderId`, `loanType`, `interestRate`, `term` and `loanAmount` (or `principalAmount`) ' +
    'are required. A record is sent as the answer of a full read (`data`), as its parts (`loanDetails` and the others), or with the members ' +
    'of `loanDetails` beside each other; members that it does not have may stand beside it.',
});

const CreatedAnswer = written('LoanCreation', {}, { loanStatus: 'ApplicationSubmitted' });

const inForm = answersIn(CreatedAnswer);

export const createLoan = operation({
  ...writes,
  at: 'POST /loans',
  id: 'createLoan',
  cost: 3,
  aliases: ['applications'],
  tag: 'Loans',
  summary: 'Create a loan',
  description:
    'Creates an application (`Request` and the terms), boards a loan that was assessed elsewhere (with `Response` and `Underwriting`), or ' +
    'boards a record as it was read, in the status it has. All data is returned as given, documented fields in their documented types.',
  scopes: ['loans:write'],
  key: 'checked',
  limits: RECORD_BODY,
  largeBody: true,
  body: CreationRequest,
  answer: CreatedAnswer,
  problems: [...WRITE_PROBLEMS, 'application_exists'],
  async handle(call) {
    const { services, query, headers } = call;
    const { bytes: source, digest } = call.large as LargeBody;
    const options = writeOptions({ headers }, { path: '/loans', dryRun: query.dryRun, says: () => digest ?? '' });
    if (options.ifVersion !== null || headers['if-match'] !== undefined) {
      throw new Problem('precondition_failed', 'If-Match is not allowed here: a new loan has no version yet.');
    }
    const answer = (change: Change) => answerText(change, { dryRun: options.dryRun });
    const outcome = await services.loans.origination.create(await actorOf(call), { source, answer }, options);
    return inForm(numbersOf(call), answered(outcome, options.dryRun));
  },
});
