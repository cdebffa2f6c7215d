/**
 * The facts of an application and its bureau reports, as figures: income, obligations, the vehicle and its value, credit history. The rest
 * of underwriting uses these facts alone. The application's values are read leniently; a doubtful figure is counted as a warning, and a
 * missing required value is a refusal that names the field.
 *
 * Not read at all: age, sex, marital status, ZIP code, county, the kind of employment and the source of income (12 CFR 1002.6). The date of
 * birth is used only to decide whether the applicant can enter into a contract; the state decides which law caps the rate.
 */
import { addMonths, type PlainDate, parts } from '../core/calendar.ts';
import { type Cents, cents, formatCents, mulDiv, ZERO } from '../core/money.ts';
import { isRefusal, type Refusal, refuse } from '../core/refusal.ts';
import { type CreditFacts, type PersonFacts, readCredit, together } from './credit-facts.ts';
import { flagWarnings } from './file-flags.ts';
import { amountOf, dateOf, memberOf, type ReadValue, textOf, wholeOf } from './lenient-numbers.ts';
import type { BureauReport } from './report.ts';
import { checkVin, type VinCheck } from './vin.ts';

export type Facts = {
  /** Before taxes, each month. */
  readonly income: {
    readonly total: Cents;
    readonly applicant: Cents;
    readonly other: Cents;
    readonly coApplicant: Cents;
    /** Whether it is only a third party's estimate. */
    readonly estimated: boolean;
  };
  /** Monthly, without the requested loan. */
  readonly obligations: { readonly total: Cents; readonly housing: Cents; readonly tradeLines: Cents };
  readonly vehicle: {
    /** Years; null: not given. */
    readonly age: number | null;
    readonly mileage: number | null;
    /** The value that loan to value is measured against: wholesale, or retail if that is missing. */
    readonly value: Cents;
    readonly wholesale: Cents | null;
    readonly retail: Cents | null;
    readonly vin: VinCheck;
  };
  /** Financed in addition to the vehicle: gap cover, service contract. */
  readonly products: Cents;
  readonly downPayment: Cents;
  /** Two letters, or '' when it cannot be read. */
  readonly state: string;
  readonly ofAge: boolean;
  readonly refinancing: boolean;
  readonly primary: PersonFacts;
  readonly coApplicant: PersonFacts | null;
  /** The credit of the people on the application together; the score is the primary applicant's, else the co-applicant's. */
  readonly credit: CreditFacts;
  readonly warnings: readonly string[];
  /** The number of warnings about credit files. The public record does not count them: a fraud alert or a freeze is the person's own. */
  readonly fileWarnings: number;
};

export type FactsInput = {
  readonly request: unknown;
  readonly amount: Cents;
  readonly principalAmount: Cents;
  readonly today: PlainDate;
  readonly primary: BureauReport;
  readonly coApplicant: BureauReport | null;
  readonly vehicle: { readonly year: string; readonly age: string; readonly mileage: string; readonly vin: string };
};

/** In most states; Alabama and Nebraska require 19 and Mississippi 21, which must be checked at signing. */
const LEGAL_AGE = 18;
/** Points of score that halve the odds, and are worth a second look. */
const MUCH_LOWER = 50;

export function readFacts(input: FactsInput): Facts | Refusal {
  const [warnings, files]: [string[], string[]] = [[], []];
  const applicant = memberOf(input.request, 'ApplicantInfo');
  const asked = memberOf(input.request, 'RequestedTermsInfo');
  const state = stateOf(applicant, warnings);
  const primary = readCredit(input.primary, input.today);
  const coApplicant = readCoApplicant(input, { warnings, files });
  if (isRefusal(coApplicant)) return coApplicant;
  const income = readIncome(input.request, input.coApplicant !== null, warnings);
  if (isRefusal(income)) return income;
  const credit = together(input, primary, coApplicant);
  const housing = readHousing(applicant, credit, warnings);
  if (isRefusal(housing)) return housing;
  const vehicle = readVehicle(input, warnings);
  if (isRefusal(vehicle)) return vehicle;
  const products = readProducts(input, asked, warnings);
  if (isRefusal(products)) return products;
  const downPayment = optionalAmount(asked, 'Request.RequestedTermsInfo.RequestedLoanDownPayment', warnings);
  if (isRefusal(downPayment)) return downPayment;
  const refinancing = /^(true|yes|y|1)$/i.test(
    textOf(memberOf(memberOf(input.request, 'ApplicationInfo'), 'RefiBool')),
  );
  if (refinancing) warnings.push('The loan to be refinanced is still included in the obligations');
  files.push(...flagWarnings({ primary, coApplicant }));
  // Whether a frozen file has a score is not known.
  const { hit, score, flags } = input.primary;
  if (!hit && !flags.frozen) files.push('The credit bureau has no file on the applicant');
  else if (score === null && !flags.frozen) files.push('The credit bureau has no score for the applicant');
  if (credit.accounts === null) files.push('Accounts are unknown, so obligations may be higher');
  const lower = (primary.score ?? 0) - (coApplicant?.score ?? primary.score ?? 0);
  if (lower >= MUCH_LOWER) files.push(`The co-applicant’s score is ${lower} points lower; the applicant’s was used`);
  const born = dateOf(memberOf(applicant, 'ApplicantDOB'));
  return {
    income,
    obligations: {
      total: cents(credit.payments - credit.mortgagePayments + Math.max(credit.mortgagePayments, housing)),
      housing,
      tradeLines: credit.payments,
    },
    vehicle,
    products,
    downPayment: downPayment ?? ZERO,
    state,
    ofAge: born === null || addMonths(born, LEGAL_AGE * 12) <= input.today,
    refinancing,
    primary,
    coApplicant,
    credit,
    warnings: [...warnings, ...files],
    fileWarnings: files.length,
  };
}

// ---- income and housing ----

/** Yearly figures, in order of preference. */
const YEARLY = ['ApplicantIncomePrimary', 'ApplicantIncome', 'ReportedIncome', 'EstimatedIncome'];

/** The monthly income of everyone on the application; null: none that can be read. */
export function incomeIn(request: unknown): Cents | null {
  const income = readIncome(request, true, []);
  return isRefusal(income) || income.total === 0 ? null : income.total;
}

function readIncome(request: unknown, joint: boolean, warnings: string[]): Facts['income'] | Refusal {
  const info = memberOf(request, 'ApplicantInfo');
  const own = monthlyIncome(info, 'MonthlyGross', YEARLY, 'Request.ApplicantInfo', warnings);
  if (isRefusal(own)) return own;
  const other = optionalAmount(info, 'Request.ApplicantInfo.OtherIncomeAmount', warnings);
  if (isRefusal(other)) return other;
  const coInfo = memberOf(request, 'CoApplicantInfo');
  const together = !joint
    ? null
    : monthlyIncome(coInfo, 'MonthlyGross', ['CoApplicantIncome'], 'Request.CoApplicantInfo', warnings);
  if (isRefusal(together)) return together;
  if (joint && together === null) warnings.push('Income of the co-applicant is missing');
  if (own === null && other === null && together === null) {
    const detail = 'Income is missing: give MonthlyGross, the applicant’s gross monthly income.';
    return refuse('required', detail, { member: 'Request.ApplicantInfo.MonthlyGross' });
  }
  const parts = { applicant: own?.amount ?? ZERO, other: other ?? ZERO, coApplicant: together?.amount ?? ZERO };
  return {
    total: cents(parts.applicant + parts.other + parts.coApplicant),
    ...parts,
    estimated: own?.from === 'EstimatedIncome',
  };
}

type Income = { readonly amount: Cents; readonly from: string };

/**
 * The monthly figure, else a twelfth of the first yearly one that can be read. A zero counts only when no other figure is given: it is as
 * often an empty field as a real value.
 */
function monthlyIncome(
  info: unknown,
  monthly: string,
  yearly: readonly string[],
  at: string,
  warnings: string[],
): Income | null | Refusal {
  let unreadable: string | null = null;
  let none: Income | null = null;
  for (const name of [monthly, ...yearly]) {
    const given = amountOf(memberOf(info, name));
    if (given.is === 'negative') return negative(`${at}.${name}`, 'An income');
    if (given.is === 'unreadable') unreadable ??= name;
    if (given.is !== 'given') continue;
    if (given.value === 0) {
      none ??= { amount: ZERO, from: name };
      continue;
    }
    if (unreadable !== null) warnings.push(`${unreadable} cannot be read; ${name} was used`);
    if (name === monthly) return { amount: given.value, from: name };
    warnings.push(`Income was taken from ${name} as an annual amount`);
    return { amount: cents(mulDiv(given.value, 1, 1, 12, 'half-up')), from: name };
  }
  if (unreadable === null) return none;
  const detail = 'The income is not a valid amount: give one such as 4500.00.';
  return refuse('invalid_value', detail, { member: `${at}.${unreadable}` });
}

/** Rent, or the cost of the applicant's own home. A mortgage that the bureau reports is the same expense: the larger of the two counts. */
function readHousing(info: unknown, credit: CreditFacts, warnings: string[]): Cents | Refusal {
  const housing = optionalAmount(info, 'Request.ApplicantInfo.HousingMonthlyPayment', warnings);
  if (isRefusal(housing)) return housing;
  if (housing === null && credit.mortgagePayments === 0) warnings.push('Housing payment is missing');
  return housing ?? ZERO;
}

// ---- the requested deal ----

/** The amount financed beyond the advance; where the two are equal, the application's own figure. */
function readProducts({ amount, principalAmount }: FactsInput, asked: unknown, warnings: string[]): Cents | Refusal {
  const told = optionalAmount(asked, 'Request.RequestedTermsInfo.RequestedLoanBackendProductsAmount', warnings);
  if (isRefusal(told)) return told;
  const beyond = cents(amount - principalAmount);
  if (beyond === 0) {
    if (told === null || told < amount) return told ?? ZERO;
    warnings.push('The given price of the products is more than the loan; it was ignored');
    return ZERO;
  }
  if (told !== null && told !== beyond) {
    warnings.push(
      `The products are ${formatCents(told)} in the application and ${formatCents(beyond)} in the loan; the figure in the loan was used`,
    );
  }
  return beyond;
}

// ---- the vehicle ----

const MILES = 2_000_000;

function readVehicle(input: FactsInput, warnings: string[]): Facts['vehicle'] | Refusal {
  const info = memberOf(input.request, 'VehicleInfo');
  const at = 'Request.VehicleInfo';
  const wholesale = optionalAmount(info, `${at}.VehicleWholesaleValue`, warnings);
  if (isRefusal(wholesale)) return wholesale;
  const retail = optionalAmount(info, `${at}.VehicleRetailValue`, warnings);
  if (isRefusal(retail)) return retail;
  const value = wholesale || retail;
  if (!value) {
    const detail = 'Vehicle value is missing: give VehicleWholesaleValue or VehicleRetailValue.';
    return refuse('required', detail, { member: `${at}.VehicleWholesaleValue` });
  }
  if (!wholesale) warnings.push('Vehicle wholesale value is missing; loan to value uses the retail value');
  const mileage = whole(input.vehicle.mileage, memberOf(info, 'VehicleMileage'));
  if (mileage.is === 'negative') return negative(`${at}.VehicleMileage`, 'A mileage');
  if (mileage.is === 'given' && mileage.value > MILES) {
    return refuse('invalid_value', 'Vehicle mileage must be at most 2,000,000.', {
      member: `${at}.VehicleMileage`,
    });
  }
  if (mileage.is !== 'given') warnings.push('Vehicle mileage is missing');
  const age = vehicleAge(input, info, warnings);
  if (isRefusal(age)) return age;
  const year = whole(input.vehicle.year, memberOf(info, 'VehicleYear'));
  const vin = checkVin(
    input.vehicle.vin || textOf(memberOf(info, 'VehicleVIN')),
    year.is === 'given' ? year.value : null,
  );
  if (vin === 'impossible') warnings.push('VIN is invalid: a character is wrong or missing');
  if (vin === 'absent') warnings.push('VIN is missing');
  return {
    age,
    mileage: mileage.is === 'given' ? mileage.value : null,
    value,
    wholesale: wholesale || null,
    retail: retail || null,
    vin,
  };
}

/** By the model year, or by the given age where there is no year. Next year's model is new. */
function vehicleAge({ today, vehicle }: FactsInput, info: unknown, warnings: string[]): number | null | Refusal {
  const year = whole(vehicle.year, memberOf(info, 'VehicleYear'));
  const told = whole(vehicle.age, memberOf(info, 'VehicleAge'));
  const [thisYear] = parts(today);
  if (told.is === 'negative') return negative('Request.VehicleInfo.VehicleAge', 'A vehicle’s age');
  if (year.is === 'given') {
    if (year.value < 1900 || year.value > thisYear + 2) {
      const detail = `The model year must be from 1900 to ${thisYear + 2}.`;
      return refuse('invalid_value', detail, { member: 'Request.VehicleInfo.VehicleYear' });
    }
    const age = Math.max(0, thisYear - year.value);
    if (told.is === 'given' && Math.abs(told.value - age) > 1) {
      warnings.push(`The given vehicle age is ${told.value} years, but ${age} by model year`);
    }
    return age;
  }
  if (told.is === 'given') return Math.min(told.value, 200);
  warnings.push('Vehicle age is missing');
  return null;
}

/** The loan's value, else the application's. */
function whole(own: string, asked: unknown): ReadValue<number> {
  return own === '' ? wholeOf(asked) : wholeOf(own);
}

// ---- the people ----

function stateOf(applicant: unknown, warnings: string[]): string {
  const text = textOf(memberOf(applicant, 'ApplicantState')).toUpperCase();
  if (/^[A-Z]{2}$/.test(text)) return text;
  warnings.push('The applicant’s state is missing or unknown; no state limits were applied');
  return '';
}

function readCoApplicant(
  { request, coApplicant, today }: FactsInput,
  { warnings, files }: { warnings: string[]; files: string[] },
): PersonFacts | null | Refusal {
  if (coApplicant !== null) {
    if (!coApplicant.hit && !coApplicant.flags.frozen) files.push('The credit bureau has no file on the co-applicant');
    return readCredit(coApplicant, today);
  }
  const ssn = textOf(memberOf(memberOf(request, 'CoApplicantInfo'), 'CoApplicantSSN')).replace(/[\s-]/g, '');
  if (/^\d{9}$/.test(ssn)) {
    const detail = 'A co-applicant is named, but no bureau report was requested for them.';
    return refuse('required', detail, { member: 'Request.CoApplicantInfo.CoApplicantSSN' });
  }
  const people = wholeOf(memberOf(memberOf(request, 'ApplicationInfo'), 'ApplicantsNumber'));
  if (ssn !== '' || (people.is === 'given' && people.value > 1)) {
    warnings.push('A co-applicant is named without data; only the applicant was assessed');
  }
  return null;
}

// ---- reading ----

/** Null when absent; an unreadable value is counted as a warning and treated as absent. */
function optionalAmount(info: unknown, path: string, warnings: string[]): Cents | null | Refusal {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const given = amountOf(memberOf(info, name));
  if (given.is === 'negative') return negative(path, 'An amount');
  if (given.is === 'unreadable') warnings.push(`${name} cannot be read and was left out`);
  return given.is === 'given' ? given.value : null;
}

function negative(member: string, what: string): Refusal {
  return refuse('invalid_value', `${what} cannot be negative.`, { member });
}
