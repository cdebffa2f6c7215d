/**
 * Simulated applicants as an auto lender of the whole spectrum sees them. The credit files are the bureau simulator's; income, vehicle,
 * loan to value and term go with the score as they do in reality: a lower score means a lower income, an older car, a higher advance and
 * a longer term for what the car is. The same seed gives the same applicants on every machine; nobody in it exists.
 */
import { inventFile, UNKNOWN_FILE } from '../../src/bureau/simulator/invent.ts';
import type { Profile } from '../../src/bureau/simulator/people.ts';
import { along, type SeededRandom, seededRandom } from '../../src/bureau/simulator/random.ts';
import { reportedOn } from '../../src/bureau/simulator/reported.ts';
import { type PlainDate, parts } from '../../src/core/calendar.ts';
import type { Contract } from '../../src/core/loan.ts';
import { cents, formatCents, ZERO } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import type { BureauReport } from '../../src/underwriting/report.ts';
import type { UnderwritingInput } from '../../src/underwriting/underwrite.ts';
import { type Band, bandOf } from './bands.ts';

/**
 * A proxy group, as a fair lending analysis would infer it from elsewhere. It changes only what comes before the application: the quality
 * of the file, how often it is thin or missing, and the income. Nothing in `input` tells it.
 */
export type Group = 'A' | 'B';
export const GROUPS: readonly Group[] = ['A', 'B'];

export type Applicant = {
  readonly input: UnderwritingInput;
  readonly score: number | null;
  readonly band: Band;
  readonly group: Group;
};

export type PopulationOptions = {
  readonly size: number;
  readonly seed: string;
  /** The day of the applications. */
  readonly on: PlainDate;
  /** The rate asked for, percent a year with two decimals, given the application at the rate of the plain table by score. */
  readonly rateOf?: (atTableRate: UnderwritingInput) => number;
};

const MOST_APPLICANTS = 1_000_000;

export function population({ size, seed, on, rateOf }: PopulationOptions): Applicant[] {
  if (!(Number.isInteger(size) && size >= 0 && size <= MOST_APPLICANTS)) {
    throw new RangeError('A population has at most a million applicants.');
  }
  return Array.from({ length: size }, (_, n) => {
    const { input, group } = inventApplicant(seededRandom(`${seed} ${n}`, 'applicant'), n, on);
    const asked = rateOf === undefined ? input : withRate(input, rateOf(input));
    return { input: asked, score: input.primary.score, band: bandOf(input.primary.score), group };
  });
}

function withRate(input: UnderwritingInput, rate: number): UnderwritingInput {
  return { ...input, contract: { ...input.contract, rate: percent(rate.toFixed(2)) } };
}

/** Differences between the groups before they apply. `quality` is the line through which an even draw becomes the quality of the file. */
const UPSTREAM = {
  A: { noFile: 0.012, thin: 0.05, income: 1.03, quality: [0.14, 0.33, 0.55, 0.8, 1] },
  B: { noFile: 0.028, thin: 0.11, income: 0.88, quality: [0.1, 0.26, 0.44, 0.68, 0.98] },
} as const;
const SHARE_OF_B = 0.36;

type Invented = { readonly input: UnderwritingInput; readonly group: Group };

function inventApplicant(of: SeededRandom, n: number, on: PlainDate): Invented {
  const group: Group = of.happens(SHARE_OF_B) ? 'B' : 'A';
  const report = inventReport(of, group, on);
  const standing = standingOf(report.score);
  const income = incomeOf(of, standing, UPSTREAM[group].income, report);
  const purchase = purchaseOf(of, standing, income);
  return { group, input: inputOf(of, { n, on, report, income, purchase }) };
}

/** The position of a score on the way from the worst to the best borrower, 0 to 1; without a score, that of a beginner. */
function standingOf(score: number | null): number {
  return score === null ? 0.35 : Math.min(1, Math.max(0, (score - 500) / 330));
}

// ---- the person ----

function inventReport(of: SeededRandom, group: Group, on: PlainDate): BureauReport {
  const upstream = UPSTREAM[group];
  const lot = of.share();
  const quality = along(of.share(), upstream.quality);
  // Long histories and good ones go together, loosely.
  const maturity = 0.35 * quality + 0.65 * of.share();
  const thin = { accounts: of.whole(1, 3), months: of.whole(2, 22) };
  const digits = `900${of.digits(6)}`;
  const profile: Profile =
    lot < upstream.noFile + upstream.thin ? { quality, maturity: 0, thin } : { quality, maturity };
  const file = lot < upstream.noFile ? UNKNOWN_FILE : inventFile(digits, profile);
  return { ...reportedOn(file, on), ...NOTHING_PRINTED };
}

/** Underwriting passes these on and reads none of them. */
const NOTHING_PRINTED = { attributes: '{}', tradeLinesCsv: '', pdf: new Uint8Array(), raw: new Uint8Array() };

/** Whole dollars a month. Whoever was given a mortgage and loans has the income for most of them. */
function incomeOf(of: SeededRandom, standing: number, factor: number, { tradeLines }: BureauReport): number {
  const usual = along(0.55 * standing + 0.45 * of.share(), [2_100, 3_300, 4_900, 7_600, 15_500]) * factor;
  const committed = tradeLines.reduce((sum, { closed, payment }) => (closed === null ? sum + payment : sum), 0) / 100;
  return Math.round(Math.max(usual, (committed / of.between(0.26, 0.5)) * factor));
}

// ---- the purchase ----

type Purchase = {
  readonly vehicleAge: number;
  readonly mileage: number;
  /** Whole dollars. */
  readonly value: number;
  readonly amount: number;
  readonly products: number;
  readonly down: number;
  /** Months. */
  readonly term: number;
};

/** The share of its price as new that a car is worth at wholesale, by its age in years. */
const WORTH = [0.9, 0.76, 0.67, 0.59, 0.51, 0.44, 0.37, 0.31, 0.26, 0.22, 0.18, 0.15, 0.13, 0.11];

function purchaseOf(of: SeededRandom, standing: number, income: number): Purchase {
  const isNew = of.happens(along(standing, [0.08, 0.14, 0.28, 0.45, 0.58]));
  const oldest = along(standing, [13, 12, 10, 8, 7]);
  // Most used cars are young: an even draw times itself.
  const vehicleAge = isNew ? of.whole(0, 1) : 1 + Math.floor(of.share() * (0.35 + 0.65 * of.share()) * oldest);
  const mileage = isNew
    ? of.whole(5, 200) + vehicleAge * 6_000
    : Math.round(vehicleAge * of.between(8_500, 15_500) + of.between(0, 6_000));
  const priceAsNew = along(0.5 * standing + 0.5 * of.share(), [19_000, 25_000, 32_000, 40_000, 62_000]);
  const wear = 1 - Math.min(0.25, Math.max(-0.1, (mileage - vehicleAge * 12_000) / 200_000));
  const wanted = priceAsNew * (WORTH[vehicleAge] as number) * wear;
  const ltv = along(standing, [1.15, 1.12, 1.07, 1.01, 0.92]) + of.between(-0.18, 0.18);
  const term = termOf(of, standing, vehicleAge);
  // A dealer finds the car whose payment the income bears, about a seventh of it; a few insist on more.
  const bears = income * of.between(0.08, 0.185) * monthsPaid(term);
  const value = Math.max(2_800, Math.round(Math.min(wanted, bears / ltv)));
  const amount = Math.max(2_600, Math.round(value * ltv));
  const products = of.happens(along(standing, [0.7, 0.7, 0.6, 0.5, 0.35])) ? of.whole(300, 2_600) : 0;
  return {
    ...{ vehicleAge, mileage, value, amount, term },
    products: Math.min(products, Math.floor(amount * 0.14)),
    down: Math.round(value * Math.max(0, 1.2 - ltv)),
  };
}

/** The number of payments that a loan is worth, at an ordinary rate of 11 %. */
function monthsPaid(term: number): number {
  let worth = 0;
  for (let month = 0, share = 1; month < term; month++) worth += share /= 1 + 0.11 / 12;
  return worth;
}

function termOf(of: SeededRandom, standing: number, vehicleAge: number): number {
  if (vehicleAge > 10) return of.pick([36, 36, 48]);
  if (vehicleAge > 7) return of.pick([36, 48, 48, 60]);
  if (vehicleAge > 4) return of.pick([48, 60, 60, 66, 72]);
  return standing > 0.75
    ? of.pick([36, 48, 60, 60, 66, 72, 72, 72, 75, 84])
    : of.pick([60, 60, 66, 72, 72, 72, 75, 84]);
}

// ---- the application ----

/** Rates asked for by score: the average of used and new loans in 2024, in round figures. Lenders have their own sheet: see `rateOf`. */
const TABLE_RATES = [
  { from: 780, rate: 6.4 },
  { from: 720, rate: 7.6 },
  { from: 680, rate: 9.6 },
  { from: 640, rate: 12.4 },
  { from: 600, rate: 15.6 },
  { from: 560, rate: 18.6 },
  { from: 300, rate: 21 },
];
const RATE_WITHOUT_SCORE = 16.9;

function tableRate(of: SeededRandom, score: number | null, vehicleAge: number): number {
  const row = score === null ? undefined : TABLE_RATES.find(({ from }) => score >= from);
  const used = vehicleAge < 2 ? -0.6 : Math.min(1.2, vehicleAge * 0.15);
  return Math.round(((row?.rate ?? RATE_WITHOUT_SCORE) + used + of.between(-0.7, 0.7)) * 100) / 100;
}

/** States whose cap is above every rate of the table, or without one. */
const STATES = ['OH', 'GA', 'CA', 'MO', 'IL', 'WI', 'MI', 'FL'];

type Parts = {
  readonly n: number;
  readonly on: PlainDate;
  readonly report: BureauReport;
  readonly income: number;
  readonly purchase: Purchase;
};

function inputOf(of: SeededRandom, { n, on, report, income, purchase }: Parts): UnderwritingInput {
  const { amount, term, vehicleAge, mileage, value, products, down } = purchase;
  const year = String(parts(on)[0] - vehicleAge);
  const applicationId = `STUDY-${String(n + 1).padStart(7, '0')}`;
  const contract: Contract = {
    amount: cents(amount * 100),
    rate: percent(tableRate(of, report.score, vehicleAge).toFixed(2)),
    variable: false,
    dayCount: 'actual/365',
    rounding: 'half-up',
    frequency: 'Monthly',
    count: term,
    contractDate: null,
    firstPaymentDate: null,
    amortization: 'FullAmortization',
    balloon: ZERO,
    interestOnlyCount: 0,
    payment: null,
    prepaymentPenalty: ZERO,
  };
  const request = {
    ApplicantInfo: {
      ApplicantFirstName: 'Example',
      ApplicantLastName: 'Applicant',
      ApplicantState: of.pick(STATES),
      HousingMonthlyPayment: String(Math.round(income * of.between(0.14, 0.3))),
      MonthlyGross: String(income),
    },
    ApplicationInfo: { ApplicantsNumber: '1', ApplicationID: applicationId, RefiBool: 'False' },
    RequestedTermsInfo: {
      RequestedLoanAmount: formatCents(contract.amount),
      RequestedLoanBackendProductsAmount: formatCents(cents(products * 100)),
      RequestedLoanDownPayment: formatCents(cents(down * 100)),
    },
    VehicleInfo: {
      VehicleYear: year,
      VehicleMileage: String(mileage),
      VehicleRetailValue: formatCents(cents(Math.round(value * 115))),
      VehicleWholesaleValue: formatCents(cents(value * 100)),
    },
  };
  return {
    request,
    contract,
    principalAmount: cents((amount - products) * 100),
    term,
    applicationId,
    today: on,
    at: `${on}T12:00:00.000Z`,
    primary: report,
    coApplicant: null,
    vehicle: { year, age: String(vehicleAge), mileage: String(mileage), vin: '' },
  };
}
