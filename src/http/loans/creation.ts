/**
 * Creating a loan: the shape of POST /loans. Unknown members are refused, but `Request`, `Response` and `Underwriting` accept any. A
 * member of ours that is `""` or null counts as absent, so that a record read from another system can be sent as it is.
 */
import { type TProperties, type TSchema, Type } from 'typebox';
import { DAY_COUNTS, FREQUENCIES } from '../../core/calendar.ts';
import { AMORTIZATIONS, LATE_FEE_JUDGEMENTS, MAX_TERM } from '../../core/loan.ts';
import type { Change } from '../../loans/loans.ts';
import { closed, type LargeBody, operation } from '../operation.ts';
import { RECORD_BODY } from '../shell/body-limits.ts';
import { Problem } from '../shell/problems.ts';
import { actorOf, wantsPlain, writeOptions } from './actor.ts';
import { written } from './shapes.ts';
import { answered, answerText, WRITE_PROBLEMS, writes } from './write.ts';

/** A decimal as text or as a JSON number; its exact digits count. */
const decimal = (description: string) =>
  Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], maxLength: 64, description });
const amount = (description: string) => decimal(`${description} An amount: 1234.50, "1234.50" or "1,234.50".`);
const whole = (description: string) => decimal(`${description} A whole number.`);
const day = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 10, format: 'date', description });
const text = (maxLength: number, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description });
const oneOf = (values: readonly string[], description: string) =>
  Type.Union([Type.Enum([...values]), Type.Literal(''), Type.Null()], { description });
const patterned = (pattern: string, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: `^(?:${pattern})?$`, description });
const reference = (description: string) =>
  patterned('[A-Za-z0-9._:-]{1,64}', `${description} Never a social security number.`);
const account = (whose: string) =>
  patterned('0x[0-9a-fA-F]{40}', `Ledger account of the ${whose}; when absent, one that is always the same for it.`);
const digest = (of: string) => patterned('0x(?:[0-9a-fA-F]{2}){1,64}', `Hex digest of the ${of}, with 0x.`);
const holder = (name: string, properties: TProperties, description: string) =>
  Type.Unsafe<object | null>({ ...closed(properties), title: name, type: ['object', 'null'], description });
const open = (description: string) =>
  Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true, description });

const LOAN_TYPES = [
  'TermLoan',
  'RevolvingCredit',
  'AssetBased',
  'Bridge',
  'Mezzanine',
  'Syndicated',
  'EquipmentFinance',
  'InvoiceFinance',
  'MerchantCashAdvance',
  'PersonalLoan',
  'AutoLoan',
  'StudentLoan',
  'Mortgage',
  'LineOfCredit',
  'ConstructionLoan',
  'HardMoneyLoan',
  'Other',
] as const;
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

const macro = (what: string) => decimal(`${what} A number below 10,000 with at most ten decimals.`);

const vehicle = {
  make: text(60, 'Make. Public.'),
  model: text(60, 'Model. Public.'),
  year: whole('Model year.'),
  age: whole('Age in years.'),
  mileage: whole('Mileage.'),
  vin: text(
    17,
    'Vehicle identification number, with its check digit. Personal: the public record shows eleven characters.',
  ),
};

/** With `loanAmount` or `principalAmount`. */
const REQUIRED = new Set(['applicationId', 'borrowerId', 'lenderId', 'loanType', 'interestRate', 'term']);

const members = {
  applicationId: reference('The application; unique for its lender.'),
  borrowerId: reference('Your reference of the borrower.'),
  lenderId: reference('Your reference of the lender.'),
  primaryServicerId: reference('Your reference of the servicer.'),
  secondaryServicerId: reference('Your reference of a second servicer.'),
  borrower: account('borrower'),
  initialLender: account('lender'),
  loanServicer: account('servicer'),
  loanType: Type.Enum([...LOAN_TYPES], {
    description:
      'RevolvingCredit, LineOfCredit and MerchantCashAdvance are known but not supported: they have no installments.',
  }),
  principalAmount: amount('The advance before financed products; `loanAmount` when absent, and never more.'),
  loanAmount: amount('What amortizes: the amount financed, products included. `principalAmount` when absent.'),
  collateralType: oneOf(COLLATERAL_TYPES, 'Vehicles for an AutoLoan when absent, else None. Vehicle is Vehicles.'),
  encumberedStatus: oneOf(ENCUMBERED_STATUSES, 'Lien when absent and there is collateral, else Unencumbered.'),
  interestRate: decimal('Percent a year: 7.25 is 7.25 %. Below 10,000, at most eight decimals.'),
  spread: decimal('Percentage points over the index, below 1,000; may be negative.'),
  interestRateType: oneOf(['Fixed', 'Variable'], 'Fixed when absent.'),
  indexRate: text(40, 'The index of a variable rate: its figure or its name, which everybody may see.'),
  term: whole(`Months, 1 to ${MAX_TERM}.`),
  paymentFrequency: oneOf(FREQUENCIES, 'Monthly when absent.'),
  installment: whole(
    'How many installments; when absent computed from term and frequency (months × 26 / 12 and so on).',
  ),
  amortizationType: oneOf(
    AMORTIZATIONS,
    'Balloon when absent and there is a balloonAmount, InterestOnly never by itself, else FullAmortization.',
  ),
  balloonAmount: amount('Due with the last installment, beside it (Balloon).'),
  interestOnlyCount: whole('How many of the first installments pay interest alone.'),
  dayCount: oneOf(DAY_COUNTS, 'actual/365 when absent.'),
  scheduledPayment: amount('The contract’s own payment; the last installment takes what is left.'),
  originationDate: day('The contract date: interest runs from it. When absent it is the day of funding.'),
  firstPaymentDate: day('One period after the contract date when absent.'),
  maturityDate: day('Must be what the schedule gives.'),
  lastPaymentDate: day('Date of the last scheduled payment, as the schedule gives it: the maturity date.'),
  nextPaymentDate: day('Of a seasoned loan: the oldest installment that is not paid. Everything due before it is.'),
  delinquentAmount: amount('Of a seasoned loan: past due today. Must be what the dates give.'),
  delinquentDays: whole('Of a seasoned loan: days past due today. Must be what the dates give.'),
  opening: holder(
    'OpeningFigures',
    {
      asOf: day('The day of these figures: not in the future, not before the contract date.'),
      principal: amount('Principal owed on that day.'),
      unpaidInterest: Type.Optional(amount('Interest owed on that day; 0 when absent.')),
      unpaidFees: Type.Optional(amount('Fees owed on that day; 0 when absent.')),
      paidThrough: Type.Optional(
        day('Installments due up to this day are paid. When absent: those due before `nextPaymentDate`.'),
      ),
    },
    'Figures of an earlier servicer. Needs originationDate; from there on everything is computed.',
  ),
  lateFee: amount('A flat late fee; 0 when absent.'),
  lateFeePolicy: holder(
    'LateFeePolicy',
    {
      percent: Type.Optional(decimal('Percent of the installment; at most 100.')),
      floor: Type.Optional(amount('At least this much.')),
      cap: Type.Optional(amount('At most this much.')),
      graceDays: Type.Optional(whole('Paid by the end of them is in time; 10 when absent.')),
      judge: Type.Optional(
        oneOf(
          LATE_FEE_JUDGEMENTS,
          'For which installment money counts when it is judged whether one is late: the one most recently due, then older ones ' +
            '(`currentFirst`, when absent: one missed installment followed by punctual payments brings one fee), or the oldest.',
        ),
      ),
    },
    'A late fee as a percentage; the grace days and the judgement of either kind.',
  ),
  prepaymentPenalty: amount('A flat amount for paying off before the last due date; 0 when absent.'),
  prepaidFinanceCharge: amount('Inside the loan amount, not part of the amount financed; for the APR. 0 when absent.'),
  defaultProbability: decimal('Probability of default: a fraction from 0 to 1.'),
  grade: oneOf(
    ['A', 'B', 'C', 'D', 'E', 'F'],
    'The risk rating follows from it: A and B Low, C and D Medium, E and F High.',
  ),
  predictedPrincipalPaid: amount('Forecast of principal paid.'),
  predictedInterestPaid: amount('Forecast of interest paid.'),
  predictedChargeoffAmount: amount('Forecast of the amount charged off.'),
  predictedRecoveredAmount: amount('Forecast of the amount recovered.'),
  predictedGrossCashflow: amount('Forecast of all payments.'),
  predictedNetCashflow: amount('Forecast of all payments less the amount financed; may be negative.'),
  predictedYield: decimal('Forecast of the yield: a fraction, may be negative.'),
  apr: decimal('A fraction: 0.0725 is 7.25 %. By Regulation Z Appendix J when absent; a given one is kept.'),
  fairValuePrice: amount('Fair value of the loan.'),
  lendingDecisionReason: text(20_000, 'Reason of the lending decision. Personal.'),
  creditReportHash: digest('credit report'),
  retailInstallmentContractHash: digest('contract'),
  applicantCreditVision: text(20_000, 'Summary of the applicant’s credit. Personal.'),
  coApplicantCreditVision: text(20_000, 'Summary of the co-applicant’s credit. Personal.'),
  macroEconomicFeatures: holder(
    'MacroEconomicInput',
    partial({
      unemployment: macro('Unemployment rate, in percent.'),
      cpi: macro('Consumer price index, or its change.'),
      fedRate: macro('Federal funds rate, in percent.'),
    }),
    'The economy at the time of underwriting.',
  ),
  loanInfo: holder(
    'LoanInfoInput',
    { ...partial(vehicle), Auto: Type.Optional(holder('VehicleInput', partial(vehicle), 'The vehicle.')) },
    'The vehicle: its members, alone or under `Auto`. What is absent is taken from `Request.VehicleInfo`.',
  ),
  published: Type.Union([Type.Boolean(), Type.Null()], { description: 'Readable by everybody with `public:read`.' }),
  Request: open(
    'The application. Open: everything comes back as given, and listed members that are absent are added empty.',
  ),
  Response: open('The decision, of a loan that was assessed elsewhere. Open.'),
  Underwriting: open(
    'The assessment: bureau data, 60 deal terms, forecasts. Open; `PrimaryCreditInfo` comes back byte for byte.',
  ),
};

function partial(properties: Readonly<Record<string, TSchema>>): TProperties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, REQUIRED.has(name) ? schema : Type.Optional(schema)]),
  );
}

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

export const CreationRequest = closed(partial(members), { examples: [CREATION_EXAMPLE] });

const CreatedAnswer = written('LoanCreation', {}, { loanStatus: 'ApplicationSubmitted' });

export const createLoan = operation({
  ...writes,
  at: 'POST /loans',
  id: 'createLoan',
  cost: 3,
  aliases: ['applications'],
  tag: 'Loans',
  summary: 'Create a loan',
  description:
    'Boards a loan that was assessed elsewhere (with `Response` and `Underwriting`), or takes an application (`Request` and the terms). ' +
    'What was handed over comes back as it was given.',
  scopes: ['loans:write'],
  key: 'required',
  limits: RECORD_BODY,
  largeBody: true,
  body: CreationRequest,
  answer: CreatedAnswer,
  problems: [...WRITE_PROBLEMS, 'application_exists'],
  async handle(call) {
    const { services, query, headers } = call;
    const { bytes: source, digest } = call.large as LargeBody;
    const plain = wantsPlain(headers);
    const options = writeOptions({ headers, source: digest }, { path: '/loans', dryRun: query.dryRun });
    if (options.ifVersion !== null || headers['if-match'] !== undefined) {
      throw new Problem('precondition_failed', 'A loan that is not created yet has no version to match.');
    }
    const answer = (change: Change) => answerText(change, { dryRun: options.dryRun, plain });
    const outcome = await services.loans.create(await actorOf(call), { source, answer }, options);
    return answered(outcome, { plain, dryRun: options.dryRun });
  },
});
