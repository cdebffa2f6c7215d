/**
 * Made-up applications for tests and benchmarks of underwriting: `inputOf(figures)` turns a handful of figures into a whole input, and
 * `anyFigures` gives random ones, mostly ordinary, with every kind of unusual ones among them.
 */
import fc from 'fast-check';
import { NO_FLAGS } from '../../../src/bureau/flags.ts';
import { addDays, addMonths, date, type PlainDate } from '../../../src/core/calendar.ts';
import type { Contract } from '../../../src/core/loan.ts';
import { type Cents, cents, formatCents, ZERO } from '../../../src/core/money.ts';
import { percent } from '../../../src/core/rate.ts';
import { inEconomy } from '../../../src/underwriting/macro.ts';
import type { Macro } from '../../../src/underwriting/policy.ts';
import { POLICIES } from '../../../src/underwriting/policy-data.ts';
import type { BureauReport, FileFlags, TradeLine } from '../../../src/underwriting/report.ts';
import { inForce } from '../../../src/underwriting/score.ts';
import type { UnderwritingInput } from '../../../src/underwriting/underwrite.ts';

export const TODAY = date('2026-01-15');

export type Line = {
  readonly kind: 'card' | 'auto' | 'student' | 'mortgage';
  readonly months: number;
  readonly open: boolean;
  /** In dollars. */
  readonly high: number;
  /** Percent of the high balance. */
  readonly used: number;
  readonly late: number;
  readonly pastDue: boolean;
};

export type Figures = {
  readonly score: number | null;
  readonly hit: boolean;
  readonly lines: readonly Line[];
  readonly inquiries: number | null;
  readonly monthsInFile: number;
  /** Flags of the applicant's file, and of the co-applicant's. */
  readonly flags?: Partial<FileFlags>;
  readonly coFlags?: Partial<FileFlags>;
  /** In dollars per month. */
  readonly income: number;
  readonly housing: number | null;
  readonly value: number;
  /** Percent of the value, products included. */
  readonly ltv: number;
  readonly products: number;
  readonly rate: string;
  readonly term: number;
  readonly vehicleAge: number;
  readonly mileage: number;
  readonly state: string;
  readonly frequency: Contract['frequency'];
  readonly joint: { readonly score: number | null; readonly income: number | null } | null;
  /** The economy by the lender's policy; null: its own for the day. */
  readonly macro: Macro | null;
  /** Days of the month differ, and so do month ends. */
  readonly day: number;
};

export const ORDINARY: Figures = {
  score: 712,
  hit: true,
  lines: [
    { kind: 'card', months: 96, open: true, high: 8_000, used: 25, late: 0, pastDue: false },
    { kind: 'card', months: 40, open: true, high: 4_000, used: 50, late: 0, pastDue: false },
    { kind: 'auto', months: 60, open: false, high: 21_000, used: 0, late: 1, pastDue: false },
    { kind: 'student', months: 110, open: true, high: 18_000, used: 40, late: 0, pastDue: false },
  ],
  inquiries: 1,
  monthsInFile: 132,
  income: 5_400,
  housing: 1_350,
  value: 24_000,
  ltv: 104,
  products: 1_200,
  rate: '8.49',
  term: 72,
  vehicleAge: 2,
  mileage: 28_400,
  state: 'OH',
  frequency: 'Monthly',
  joint: null,
  macro: null,
  day: 0,
};

const anyLine: fc.Arbitrary<Line> = fc.record({
  kind: fc.constantFrom('card', 'card', 'card', 'auto', 'student', 'mortgage'),
  months: fc.integer({ min: 1, max: 240 }),
  open: fc.boolean(),
  high: fc.integer({ min: 200, max: 40_000 }),
  used: fc.integer({ min: 0, max: 110 }),
  late: fc.constantFrom(0, 0, 0, 1, 2, 4),
  pastDue: fc.constantFrom(false, false, false, true),
});

export const anyFigures: fc.Arbitrary<Figures> = fc.record({
  score: fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 520, max: 830 }) },
    fc.integer({ min: 300, max: 850 }),
    fc.constant(null),
  ),
  hit: fc.constantFrom(true, true, true, true, true, true, true, false),
  lines: fc.array(anyLine, { maxLength: 14 }),
  inquiries: fc.option(fc.integer({ min: 0, max: 15 }), { nil: null, freq: 10 }),
  monthsInFile: fc.integer({ min: 0, max: 480 }),
  income: fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 2_000, max: 14_000 }) },
    fc.integer({ min: 0, max: 100_000 }),
  ),
  housing: fc.option(fc.integer({ min: 0, max: 3_500 }), { nil: null, freq: 6 }),
  value: fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 6_000, max: 60_000 }) },
    fc.integer({ min: 1, max: 500_000 }),
  ),
  ltv: fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 60, max: 135 }) }, fc.integer({ min: 20, max: 300 })),
  products: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })),
  rate: fc
    .oneof({ weight: 10, arbitrary: fc.integer({ min: 299, max: 2_199 }) }, fc.integer({ min: 0, max: 4_000 }))
    .map((n) => (n / 100).toFixed(2)),
  term: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(36, 48, 60, 66, 72, 75, 84) },
    fc.integer({ min: 1, max: 120 }),
  ),
  vehicleAge: fc.oneof({ weight: 10, arbitrary: fc.integer({ min: 0, max: 9 }) }, fc.integer({ min: 0, max: 30 })),
  mileage: fc.oneof(
    { weight: 10, arbitrary: fc.integer({ min: 10, max: 120_000 }) },
    fc.integer({ min: 0, max: 400_000 }),
  ),
  state: fc.constantFrom('OH', 'TX', 'NY', 'AR', 'FL', 'CA', 'GA', ''),
  frequency: fc.constantFrom<Contract['frequency'][]>(
    'Monthly',
    'Monthly',
    'Monthly',
    'Monthly',
    'BiWeekly',
    'SemiMonthly',
    'Quarterly',
  ),
  joint: fc.option(
    fc.record({
      score: fc.option(fc.integer({ min: 500, max: 830 }), { nil: null, freq: 8 }),
      income: fc.option(fc.integer({ min: 0, max: 8_000 }), { nil: null, freq: 3 }),
    }),
    { nil: null, freq: 3 },
  ),
  macro: fc.option(
    fc.record({
      unemployment: fc.integer({ min: 25, max: 120 }).map((n) => n / 10),
      cpi: fc.integer({ min: -10, max: 90 }).map((n) => n / 10),
      fedRate: fc.integer({ min: 0, max: 80 }).map((n) => n / 10),
    }),
    { nil: null, freq: 3 },
  ),
  day: fc.integer({ min: 0, max: 400 }),
});

/** The loan and the application that the figures describe. */
export function inputOf(figures: Figures): UnderwritingInput {
  const today = addDays(TODAY, figures.day);
  const amount = Math.max(150_00, Math.round(figures.value * figures.ltv));
  const products = Math.min(figures.products * 100, Math.floor(amount / 2));
  // Monthly where the frequency does not divide the term evenly.
  const perYear = { Monthly: 12, BiWeekly: 26, SemiMonthly: 24, Quarterly: 4 }[figures.frequency as 'Monthly'];
  const fits = (figures.term * perYear) % 12 === 0;
  const contract: Contract = {
    amount: cents(amount),
    rate: percent(figures.rate),
    variable: false,
    dayCount: 'actual/365',
    rounding: 'half-up',
    frequency: fits ? figures.frequency : 'Monthly',
    count: fits ? (figures.term * perYear) / 12 : figures.term,
    contractDate: null,
    firstPaymentDate: null,
    amortization: 'FullAmortization',
    balloon: ZERO,
    interestOnlyCount: 0,
    payment: null,
    prepaymentPenalty: ZERO,
  };
  return {
    request: requestOf(figures, today, { amount: contract.amount, products: cents(products) }),
    contract,
    principalAmount: cents(amount - products),
    term: figures.term,
    applicationId: 'APP-000042',
    today,
    at: `${today}T14:05:09.000Z`,
    primary: reportOf(figures, today),
    coApplicant:
      figures.joint === null
        ? null
        : reportOf(
            {
              ...figures,
              score: figures.joint.score,
              lines: figures.lines.slice(0, 2),
              flags: figures.coFlags ?? {},
            },
            today,
          ),
    ...(figures.macro === null ? {} : { policy: inEconomy(inForce(POLICIES, today), today, figures.macro) }),
    vehicle: {
      year: String(Number(today.slice(0, 4)) - figures.vehicleAge),
      age: String(figures.vehicleAge),
      mileage: String(figures.mileage),
      vin: '1Z9BXK273TJDBK042',
    },
  };
}

function requestOf(
  figures: Figures,
  today: PlainDate,
  { amount, products }: { amount: Cents; products: Cents },
): object {
  const { joint } = figures;
  return {
    ApplicantInfo: {
      ApplicantAge: '41',
      ApplicantDOB: '19840302',
      ApplicantFirstName: 'Petra',
      ApplicantLastName: 'Larksmere',
      ApplicantSSN: '900-42-0042',
      ApplicantState: figures.state,
      ApplicantZip: '00042',
      County: 'Example County',
      EmploymentType: 'Full Time',
      HousingMonthlyPayment: figures.housing === null ? null : String(figures.housing),
      MonthlyGross: figures.income,
      OtherIncomeAmount: null,
      OtherIncomeType: '',
    },
    ApplicationInfo: {
      ApplicantsNumber: joint === null ? '1' : '2',
      ApplicationID: 'APP-000042',
      ApplicationType: 'Complete',
      RefiBool: 'False',
    },
    CoApplicantInfo: {
      CoApplicantSSN: joint === null ? '' : '900-42-0043',
      ...(joint?.income == null
        ? {}
        : {
            CoApplicantDOB: '19850917',
            CoApplicantState: figures.state,
            EmploymentType: 'Full Time',
            HousingMonthlyPayment: '0',
            MonthlyGross: joint.income,
          }),
    },
    DealerInfo: { DealerID: 'DLR-1001', DealerName: 'Example Motors', DealerState: 'OH' },
    RequestedTermsInfo: {
      RequestedLoanAmount: formatCents(amount),
      RequestedLoanBackendProductsAmount: formatCents(products),
      RequestedLoanDownPayment: '$2,000.00',
    },
    VehicleInfo: {
      VehicleYear: String(Number(today.slice(0, 4)) - figures.vehicleAge),
      VehicleMileage: String(figures.mileage),
      VehicleRetailValue: formatCents(cents(Math.round(figures.value * 115))),
      VehicleWholesaleValue: formatCents(cents(figures.value * 100)),
      VehicleVIN: '1Z9BXK273TJDBK042',
    },
  };
}

export function reportOf(
  figures: Pick<Figures, 'score' | 'hit' | 'lines' | 'inquiries' | 'monthsInFile' | 'flags'>,
  today: PlainDate,
): BureauReport {
  const { hit } = figures;
  const text = JSON.stringify({ score: figures.score, lines: figures.lines });
  return {
    score: hit ? figures.score : null,
    scoreFactors: hit && (figures.score ?? 850) < 700 ? ['Length of time accounts have been established'] : [],
    reportDate: today,
    inFileSince: hit ? addMonths(today, -figures.monthsInFile) : null,
    hit,
    inquiries: hit ? figures.inquiries : null,
    flags: { ...NO_FLAGS, ...figures.flags },
    attributes: ATTRIBUTES,
    tradeLines: hit ? figures.lines.map((line, i) => tradeLine(line, i, today)) : [],
    tradeLinesCsv: 'subscriber,account_type\n',
    pdf: PDF,
    raw: new TextEncoder().encode(text),
  };
}

/** As many members as a bureau's answer has. */
const ATTRIBUTES = `{${Array.from({ length: 1_160 }, (_, i) => `"AT${i}S": "${i % 7}"`).join(', ')}}`;
const PDF = new Uint8Array(40_000).fill(37);

const KINDS = {
  card: { portfolioType: 'revolving', accountClass: 'credit card', accountType: 'CC', months: 0 },
  auto: { portfolioType: 'installment', accountClass: 'auto', accountType: 'AU', months: 66 },
  student: { portfolioType: 'installment', accountClass: 'student loan', accountType: 'ST', months: 120 },
  mortgage: { portfolioType: 'mortgage', accountClass: 'mortgage', accountType: 'CV', months: 360 },
};

function tradeLine(line: Line, i: number, today: PlainDate): TradeLine {
  const kind = KINDS[line.kind];
  const balance = line.open ? Math.round((line.high * line.used) / 100) : 0;
  const payment = !line.open
    ? 0
    : kind.months === 0
      ? Math.max(25, Math.round(balance / 40))
      : Math.round(line.high / kind.months);
  return {
    subscriber: 'EXAMPLE NATIONAL',
    accountType: kind.accountType,
    member: '1234DB567',
    accountNumber: `****${1000 + i}`,
    opened: addMonths(today, -line.months),
    closed: line.open ? null : addMonths(today, -1),
    payment: cents(payment * 100),
    terms: kind.months === 0 ? 'MIN' : `${kind.months}M`,
    portfolioType: kind.portfolioType,
    balance: cents(balance * 100),
    highBalance: cents(line.high * 100),
    pastDue: cents(line.open && line.pastDue ? payment * 100 : 0),
    rating: line.pastDue ? '02' : '01',
    late30: line.late,
    late60: Math.max(0, line.late - 1),
    late90: Math.max(0, line.late - 2),
    accountClass: kind.accountClass,
  };
}
