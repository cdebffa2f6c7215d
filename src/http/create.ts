/**
 * The body of POST /loans, read into what the door for writes takes. Its shape is in `create-schema.ts`. Values are read one by one
 * first; then what they say is held against each other and against the schedule they give. Every mistake is named with its pointer.
 */
import { type DayCount, type Frequency, PER_YEAR, type PlainDate, parseDate } from '../core/calendar.ts';
import { amountText, countText, roundedText, wholePercentText } from '../core/decimal.ts';
import {
  type Amortization,
  type Contract,
  DEFAULT_POLICY,
  type LateFeePolicy,
  type Policy,
  type ScheduleTerms,
} from '../core/loan.ts';
import { AmountOutOfRange, type Cents, formatCents, ZERO } from '../core/money.ts';
import { comparePercent, percent } from '../core/rate.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { buildSchedule, type Schedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import type { LoanFile } from '../loans/file.ts';
import type { Creation } from '../loans/loans.ts';
import { MAX_COUNT, MAX_TERM } from './create-schema.ts';
import { readWhole } from './decimals.ts';
import { membersAt, readHandedOver } from './handed-over.ts';
import { isObjectAt, type Span, scalarText, TooDeep, valueStart } from './json-source.ts';
import { type Figures, openingOf } from './opening.ts';
import { Problem } from './shell/problems.ts';
import { refusedProblem } from './shell/refusal-problems.ts';
import { maskedVin, readVehicle, type Vehicle } from './vehicle.ts';
import { Reader } from './wire.ts';

/** Everything but the answer, which the route makes. */
export type NewLoan = Omit<Creation, 'answer'>;

/** `source` is the text that `body` was parsed from and checked against the schema. Throws a `Problem` that names every bad value. */
export function readCreation(source: string, body: object, today: PlainDate): NewLoan {
  const read = new Reader();
  const given = givenMembers(source);
  const own = textsOf(source, given);
  const handedOver = readHandedOver(read, source, given);
  readReferences(read, own);
  readLoanType(read, own);
  const { contract, principalAmount, term } = readContract(read, own, today);
  const lateFee = readLateFee(read, own, textsOf(source, membersAt(source, given.get('lateFeePolicy'))));
  const policy: Policy = { ...DEFAULT_POLICY, lateFee: lateFee.policy, graceDays: lateFee.graceDays };
  const figures = readFigures(read, own, source, given);
  const dates = { maturityDate: day(read, own, 'maturityDate'), lastPaymentDate: day(read, own, 'lastPaymentDate') };
  const forecast = readForecast(read, own);
  const macroEconomicFeatures = readMacro(read, source, given.get('macroEconomicFeatures'));
  const vehicle = readLoanInfo(read, source, given.get('loanInfo'), handedOver.vehicle);
  const prepaidFinanceCharge = amountOr(read, own, 'prepaidFinanceCharge', ZERO);
  if (prepaidFinanceCharge > 0 && prepaidFinanceCharge >= contract.amount) {
    const detail = `${formatCents(prepaidFinanceCharge)} was given; it is part of the loan amount, ${formatCents(contract.amount)}.`;
    read.note('/prepaidFinanceCharge', { code: 'contradiction', detail });
  }
  const index = readIndex(read, own);
  read.done();

  const { terms, schedule } = planned(contract, today);
  checkDates(read, dates, contract, terms, schedule);
  const opening = openingOf(read, figures, { contract, policy, terms, rows: schedule.rows, today });
  read.done();

  const loanType = own.loanType ?? '';
  const collateralType = collateralOf(own.collateralType, loanType);
  const grade = own.grade ?? '';
  const { vin, ...shownVehicle } = vehicle;
  const file: LoanFile = {
    applicationId: own.applicationId ?? '',
    borrowerId: own.borrowerId ?? '',
    lenderId: own.lenderId ?? '',
    primaryServicerId: own.primaryServicerId ?? '',
    secondaryServicerId: own.secondaryServicerId ?? '',
    borrower: own.borrower ?? '',
    initialLender: own.initialLender ?? '',
    loanServicer: own.loanServicer ?? '',
    loanType,
    principalAmount,
    collateralType,
    collateralValue: handedOver.collateralValue,
    encumberedStatus: own.encumberedStatus ?? (collateralType === 'None' ? 'Unencumbered' : 'Lien'),
    interestRate: own.interestRate ?? '',
    spread: index.spread,
    interestRateType: own.interestRateType ?? 'Fixed',
    indexRate: index.indexRate,
    amortizationType: contract.amortization,
    term,
    paymentFrequency: contract.frequency,
    prepaymentPenalty: contract.prepaymentPenalty,
    lateFee: lateFee.shown,
    riskRating: RISK_RATINGS[grade] ?? '',
    grade,
    ...forecast,
    prepaidFinanceCharge,
    creditReportHash: own.creditReportHash ?? '',
    retailInstallmentContractHash: own.retailInstallmentContractHash ?? '',
    pti: wholePercentText(handedOver.pti),
    dti: wholePercentText(handedOver.dti),
    ltv: handedOver.ltv,
    macroEconomicFeatures,
    macroGiven: macroEconomicFeatures,
    vehicle: shownVehicle,
    assessed: handedOver.assessed ? 'elsewhere' : null,
    assessedWith: null,
    decision: handedOver.decision,
    deals: handedOver.deals,
    opening,
  };
  return {
    contract,
    policy,
    file: detached(file),
    personal: {
      lendingDecisionReason: own.lendingDecisionReason ?? '',
      applicantCreditVision: own.applicantCreditVision ?? '',
      coApplicantCreditVision: own.coApplicantCreditVision ?? '',
      vin,
      pti: handedOver.pti,
      dti: handedOver.dti,
      record: handedOver.record,
      search: { ...handedOver.search, ...(vin === '' ? {} : { vin }) },
    },
    publicPart: `"loanInfo":${loanInfoShown(loanType, vehicle)},"Underwriting":${handedOver.publicUnderwriting}`,
    published: (body as { published?: boolean | null }).published === true,
  };
}

// ---- members as text ----

function givenMembers(source: string): ReadonlyMap<string, Span> {
  const start = valueStart(source);
  try {
    return membersAt(source, { start, end: source.length });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    throw new Problem('invalid_request', 'The body nests objects and lists more than 500 deep.');
  }
}

/** Strings as they are meant and numbers as they are written; what is `""` or null was left out. */
function textsOf(source: string, members: ReadonlyMap<string, Span>): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, span] of members) {
    const text = scalarText(source, span);
    if (text !== null && text !== '') texts[name] = text;
  }
  return texts;
}

type Own = Readonly<Record<string, string>>;

function amountOr<T>(read: Reader, own: Own, name: string, absent: T): Cents | T {
  return own[name] === undefined ? absent : read.amount(own, name, '');
}

function day(read: Reader, own: Own, name: string): PlainDate | null {
  return own[name] === undefined ? null : read.date(own, name, '');
}

/** Strings that were cut out of the body would keep all of it in memory for as long as they live. */
function detached<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

// ---- who ----

const NINE_DIGITS = /^\d{3}[._:-]?\d{2}[._:-]?\d{4}$|(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/;

/** References are stored, shown and logged in the clear. */
export function looksLikeSsn(reference: string): boolean {
  return NINE_DIGITS.test(reference);
}

function readReferences(read: Reader, own: Own): void {
  for (const name of ['applicationId', 'borrowerId', 'lenderId', 'primaryServicerId', 'secondaryServicerId']) {
    const reference = own[name];
    if (reference !== undefined && looksLikeSsn(reference)) {
      const detail = 'This looks like a social security number; use another reference.';
      read.note(`/${name}`, { code: 'personal', detail });
    }
  }
  for (const name of ['applicationId', 'borrowerId', 'lenderId', 'interestRate', 'term']) {
    if (own[name] === undefined) required(read, `/${name}`);
  }
}

function required(read: Reader, pointer: string, detail = 'This member is required.'): void {
  read.note(pointer, { code: 'required', detail });
}

function contradiction(read: Reader, pointer: string, detail: string): void {
  read.note(pointer, { code: 'contradiction', detail });
}

const WITHOUT_INSTALLMENTS = ['RevolvingCredit', 'LineOfCredit', 'MerchantCashAdvance'];

function readLoanType(read: Reader, { loanType }: Own): void {
  if (loanType === undefined) required(read, '/loanType');
  else if (WITHOUT_INSTALLMENTS.includes(loanType)) {
    const detail = `A ${loanType} has no installments; it is not supported.`;
    read.note('/loanType', { code: 'not_supported', detail });
  }
}

function collateralOf(given: string | undefined, loanType: string): string {
  if (given === undefined) return loanType === 'AutoLoan' ? 'Vehicles' : 'None';
  return given === 'Vehicle' ? 'Vehicles' : given;
}

const RISK_RATINGS: Readonly<Record<string, string>> = {
  A: 'Low',
  B: 'Low',
  C: 'Medium',
  D: 'Medium',
  E: 'High',
  F: 'High',
};

// ---- the contract ----

function readContract(
  read: Reader,
  own: Own,
  today: PlainDate,
): { contract: Contract; principalAmount: Cents; term: number } {
  const { amount, principalAmount } = readAmounts(read, own);
  const frequency = (own.paymentFrequency ?? 'Monthly') as Frequency;
  const term = own.term === undefined ? 1 : readWhole(read, own, 'term', '', [1, MAX_TERM]);
  const contractDate = day(read, own, 'originationDate');
  const next = day(read, own, 'nextPaymentDate');
  const balloon = amountOr(read, own, 'balloonAmount', ZERO);
  const contract: Contract = {
    amount,
    rate: own.interestRate === undefined ? percent('0') : read.percent(own, 'interestRate', ''),
    dayCount: (own.dayCount ?? 'actual/365') as DayCount,
    rounding: 'half-up',
    frequency,
    count: readCount(read, own, term, frequency),
    contractDate,
    firstPaymentDate:
      day(read, own, 'firstPaymentDate') ??
      // Of a loan that has not begun, the next payment is the first.
      (contractDate === null || contractDate >= today ? next : null),
    amortization: (own.amortizationType ?? (balloon > 0 ? 'Balloon' : 'FullAmortization')) as Amortization,
    balloon,
    interestOnlyCount:
      own.interestOnlyCount === undefined ? 0 : readWhole(read, own, 'interestOnlyCount', '', [0, MAX_COUNT]),
    payment: own.scheduledPayment === undefined ? null : read.positiveAmount(own, 'scheduledPayment', ''),
    prepaymentPenalty: amountOr(read, own, 'prepaymentPenalty', ZERO),
  };
  return { contract, principalAmount, term };
}

function readAmounts(read: Reader, own: Own): { amount: Cents; principalAmount: Cents } {
  const loan = own.loanAmount === undefined ? null : read.positiveAmount(own, 'loanAmount', '');
  const principal = own.principalAmount === undefined ? null : read.positiveAmount(own, 'principalAmount', '');
  const amount = loan ?? principal;
  if (amount === null) required(read, '/loanAmount', 'This member or principalAmount is required.');
  if (loan !== null && principal !== null && loan > 0 && principal > loan) {
    const detail = `${formatCents(principal)} was given; it is part of the loan amount, ${formatCents(loan)}.`;
    contradiction(read, '/principalAmount', detail);
  }
  return { amount: amount ?? ZERO, principalAmount: principal ?? amount ?? ZERO };
}

/** Months × payments a year ÷ 12. Where that is not whole, the caller says which of its neighbours it is. */
function readCount(read: Reader, own: Own, term: number, frequency: Frequency): number {
  const twelfths = term * PER_YEAR[frequency];
  const whole = twelfths % 12 === 0 ? twelfths / 12 : null;
  if (own.installment === undefined) {
    if (whole !== null) return whole;
    const detail = `${term} months of ${frequency} payments are no whole number of installments; say how many there are.`;
    required(read, '/installment', detail);
    return 1;
  }
  const count = readWhole(read, own, 'installment', '', [1, MAX_COUNT]);
  if (whole === null ? Math.abs(count * 12 - twelfths) >= 12 : count !== whole) {
    const known =
      whole === null ? `between ${Math.floor(twelfths / 12)} and ${Math.ceil(twelfths / 12)}` : String(whole);
    const detail = `${count} was given; ${term} months of ${frequency} payments are ${known} installments.`;
    contradiction(read, '/installment', detail);
  }
  return count;
}

/** What the engine calls by another name than the caller. */
const NAMES: Readonly<Record<string, string>> = {
  dueDates: 'firstPaymentDate',
  disbursements: 'loanAmount',
  interestStart: 'originationDate',
  payment: 'scheduledPayment',
};

/** The schedule that the contract gives when it begins on its own date, else today. */
function planned(contract: Contract, today: PlainDate): { terms: ScheduleTerms; schedule: Schedule } {
  const terms = trusted(termsOf(contract, contract.contractDate ?? today));
  if (parseDate(terms.dueDates.at(-1) ?? '') === null) {
    const detail = 'The last installment must be due before the year 2200.';
    throw new Problem('invalid_request', `/term: ${detail}`, { errors: [{ pointer: '/term', code: 'range', detail }] });
  }
  try {
    return { terms, schedule: trusted(buildSchedule(terms)) };
  } catch (error) {
    if (!(error instanceof AmountOutOfRange)) throw error;
    throw new Problem('invalid_request', 'The amounts grow beyond what can be computed exactly; check rate and dates.');
  }
}

function trusted<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw refusedProblem(value, NAMES);
  return value;
}

/** Dates that follow from others may be given, and must then be the same. */
function checkDates(
  read: Reader,
  given: Readonly<Record<'maturityDate' | 'lastPaymentDate', PlainDate | null>>,
  contract: Contract,
  terms: ScheduleTerms,
  { rows }: Schedule,
): void {
  // A payment that clears the loan early ends it before the last date of the calendar; either is called its end.
  const ends: PlainDate[] = [(rows.at(-1) as ScheduleRow).dueDate, terms.dueDates.at(-1) as PlainDate];
  for (const name of ['maturityDate', 'lastPaymentDate'] as const) {
    const date = given[name];
    if (date === null) continue;
    if (contract.contractDate === null && contract.firstPaymentDate === null) {
      const detail =
        'The dates are set when the loan is funded; give originationDate or firstPaymentDate, or leave this out.';
      contradiction(read, `/${name}`, detail);
    } else if (!ends.includes(date)) {
      contradiction(read, `/${name}`, `${date} was given; the schedule’s last payment is on ${ends[0]}.`);
    }
  }
}

// ---- fees, index, forecast ----

/** A flat fee or a percentage within floor and cap; `shown` is the flat amount, or the floor. */
function readLateFee(
  read: Reader,
  own: Own,
  policy: Own,
): { policy: LateFeePolicy | null; shown: Cents; graceDays: number } {
  const at = '/lateFeePolicy';
  const flat = amountOr(read, own, 'lateFee', ZERO);
  const rate = policy.percent === undefined ? null : read.percent(policy, 'percent', at);
  const [floor, cap] = (['floor', 'cap'] as const).map((name) =>
    policy[name] === undefined ? null : read.amount(policy, name, at),
  ) as [Cents | null, Cents | null];
  const graceDays =
    policy.graceDays === undefined ? DEFAULT_POLICY.graceDays : readWhole(read, policy, 'graceDays', at, [0, 366]);
  if (rate !== null && comparePercent(rate, percent('100')) > 0) {
    read.note(`${at}/percent`, { code: 'range', detail: 'Must be <= 100.' });
  }
  // A record shows the floor of a percentage as its late fee.
  if (rate !== null && flat > 0 && flat !== floor) {
    const detail = 'A late fee is flat (lateFee) or a percentage with floor and cap, not both.';
    contradiction(read, `${at}/percent`, detail);
  }
  for (const [name, bound] of [['floor', floor] as const, ['cap', cap] as const]) {
    if (bound !== null && rate === null) contradiction(read, `${at}/${name}`, 'Floor and cap belong to a percentage.');
  }
  if (floor !== null && cap !== null && floor > cap) {
    contradiction(read, `${at}/floor`, `${formatCents(floor)} was given; the cap is ${formatCents(cap)}.`);
  }
  if (rate !== null)
    return { policy: { flat: null, percent: rate, floor, cap, graceDays }, shown: floor ?? ZERO, graceDays };
  if (flat === 0) return { policy: null, shown: ZERO, graceDays };
  return { policy: { flat, percent: null, floor: null, cap: null, graceDays }, shown: flat, graceDays };
}

function readIndex(read: Reader, own: Own): { spread: string; indexRate: string } {
  if (own.spread !== undefined) read.exactDecimal(own, 'spread', '');
  // Shown to everybody: a figure or a name such as SOFR, no sentence.
  const form = /^(\d{1,4}(\.\d{1,20})?|[A-Za-z][A-Za-z0-9 .+_-]{0,39})$/;
  if (own.indexRate !== undefined && (!form.test(own.indexRate) || looksLikeSsn(own.indexRate))) {
    read.note('/indexRate', { code: 'format', detail: 'Must be a percentage such as 4.33, or the name of an index.' });
  }
  return { spread: own.spread ?? '', indexRate: own.indexRate ?? '' };
}

const FORECAST_AMOUNTS = [
  'predictedPrincipalPaid',
  'predictedInterestPaid',
  'predictedChargeoffAmount',
  'predictedRecoveredAmount',
  'predictedGrossCashflow',
  'predictedNetCashflow',
  'fairValuePrice',
] as const;

type Forecast = Readonly<
  Record<(typeof FORECAST_AMOUNTS)[number] | 'defaultProbability' | 'predictedYield' | 'apr', string>
>;

/** Amounts and fractions as they will be shown, without thousands separators. */
function readForecast(read: Reader, own: Own): Forecast {
  const amounts = FORECAST_AMOUNTS.map((name) => {
    const text = own[name];
    if (text === undefined) return [name, ''];
    // Only what is left after losses can be less than nothing.
    const negative = name === 'predictedNetCashflow' && text.startsWith('-');
    const holder = negative ? { [name]: text.slice(1) } : own;
    return [name, (negative ? '-' : '') + amountText(read.amount(holder, name, ''), true)];
  });
  const fraction = (name: string, fits: (digits: bigint, one: bigint) => boolean, range: string) => {
    if (own[name] === undefined) return '';
    const decimal = read.exactDecimal(own, name, '');
    if (!fits(decimal.digits, 10n ** BigInt(decimal.scale))) {
      read.note(`/${name}`, { code: 'range', detail: `Must be a fraction ${range}: 0.0725 is 7.25 %.` });
    }
    const plain = (own[name] as string).replaceAll(',', '');
    return /\.\d{7}/.test(plain) ? roundedText(decimal, 6) : plain;
  };
  return {
    ...(Object.fromEntries(amounts) as Record<(typeof FORECAST_AMOUNTS)[number], string>),
    defaultProbability: fraction('defaultProbability', (x, one) => x >= 0n && x <= one, 'from 0 to 1'),
    predictedYield: fraction('predictedYield', (x, one) => x >= -one && x <= 100n * one, 'from -1 to 100'),
    apr: fraction('apr', (x, one) => x >= 0n && x <= 100n * one, 'from 0 to 100'),
  };
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Numbers, by their text; those that came as strings become numbers. */
function readMacro(read: Reader, source: string, span: Span | undefined): string {
  const shown = Object.entries(textsOf(source, membersAt(source, span))).map(([name, text]) => {
    if (!JSON_NUMBER.test(text)) {
      read.note(`/macroEconomicFeatures/${name}`, { code: 'format', detail: 'Must be a number such as 4.1.' });
    }
    return `"${name}":${text}`;
  });
  return `{${shown.join(',')}}`;
}

// ---- earlier servicing ----

function readFigures(read: Reader, own: Own, source: string, given: ReadonlyMap<string, Span>): Figures {
  const span = given.get('opening');
  const opening = textsOf(source, membersAt(source, span));
  const at = '/opening';
  const amount = (name: string) => (opening[name] === undefined ? ZERO : read.amount(opening, name, at));
  const has = span !== undefined && isObjectAt(source, span.start);
  for (const name of ['asOf', 'principal']) if (has && opening[name] === undefined) required(read, `${at}/${name}`);
  return {
    opening: !has
      ? null
      : {
          asOf: opening.asOf === undefined ? NO_DATE : read.date(opening, 'asOf', at),
          principal: opening.principal === undefined ? ZERO : read.positiveAmount(opening, 'principal', at),
          unpaidInterest: amount('unpaidInterest'),
          unpaidFees: amount('unpaidFees'),
          paidThrough: opening.paidThrough === undefined ? null : read.date(opening, 'paidThrough', at),
        },
    nextPaymentDate: day(read, own, 'nextPaymentDate'),
    delinquentDays: own.delinquentDays === undefined ? null : readWhole(read, own, 'delinquentDays', '', [0, 100_000]),
    delinquentAmount: amountOr(read, own, 'delinquentAmount', null),
  };
}

/** Stands where a date was noted to be missing. */
const NO_DATE = '1970-01-01' as PlainDate;

// ---- the vehicle ----

function readLoanInfo(
  read: Reader,
  source: string,
  span: Span | undefined,
  application: ReadonlyMap<string, string>,
): Vehicle {
  const members = membersAt(source, span);
  const alone = textsOf(source, members);
  const auto = members.get('Auto');
  if (auto === undefined || !isObjectAt(source, auto.start)) return readVehicle(read, alone, application, '/loanInfo');
  if (Object.keys(alone).length > 0) {
    contradiction(read, '/loanInfo', 'Give the vehicle’s members alone or under Auto, not both.');
  }
  return readVehicle(read, textsOf(source, membersAt(source, auto)), application, '/loanInfo/Auto');
}

/** A vehicle's year has no thousands separator, its mileage has. Loans without a vehicle say nothing of one. */
function loanInfoShown(loanType: string, { make, model, year, age, mileage, vin }: Vehicle): string {
  if (loanType !== 'AutoLoan' && `${make}${model}${year}${age}${mileage}${vin}` === '') return '{}';
  const count = (text: string) => (text === '' ? '' : countText(Number(text), false));
  return JSON.stringify({
    Auto: { make, model, year, age: count(age), mileage: count(mileage), vin: maskedVin(vin) },
  });
}
