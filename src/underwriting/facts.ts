/**
 * The facts of an application and its bureau reports, as figures: income, obligations, the vehicle and its value, credit history. The rest
 * of underwriting uses these facts alone. The application's values are read leniently; a doubtful figure is counted as a warning, and a
 * missing required value is a refusal that names the field.
 *
 * Not read at all: age, sex, marital status, ZIP code, county, the kind of employment and the source of income (12 CFR 1002.6). The date of
 * birth is used only to decide whether the applicant can enter into a contract; the state decides which law caps the rate.
 */
import { type PlainDate, parts } from '../core/calendar.ts';
import { type Cents, cents, formatCents, mulDiv, ZERO } from '../core/money.ts';
import { isRefusal, type Refusal, refuse } from '../core/refusal.ts';
import { type CreditFacts, type PersonFacts, readCredit, together } from './credit-facts.ts';
import { flagWarnings } from './file-flags.ts';
import { type LeftOut, leftOutBy, readHousing } from './left-out.ts';
import { areOfAge } from './legal-age.ts';
import { amountOf, memberOf, type ReadValue, textOf, wholeOf } from './lenient-numbers.ts';
import { negative, optionalAmount, PEOPLE, type Person, statesOf, YEARLY } from './people.ts';
import type { BureauReport } from './report.ts';
import { isMatched, type ScreenedPeople, screeningWarnings } from './screened.ts';
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
  /** Monthly, without the requested loan. `housing` is what counts: see `readHousing`. */
  readonly obligations: { readonly total: Cents; readonly housing: Cents; readonly tradeLines: Cents };
  /** Facts that the people on the application do not state of themselves; a stipulation asks for each. */
  readonly leftOut: readonly LeftOut[];
  readonly vehicle: {
    /** Years. */
    readonly age: number;
    readonly mileage: number;
    /** The value that loan to value is measured against: wholesale, or the part of retail that is surely wholesale if that is missing. */
    readonly value: Cents;
    readonly wholesale: Cents | null;
    readonly retail: Cents | null;
    readonly vin: VinCheck;
  };
  /** Financed in addition to the vehicle: gap cover, service contract. */
  readonly products: Cents;
  readonly downPayment: Cents;
  /** The states in which the people on the application live, two letters each; empty where one cannot be read. */
  readonly states: readonly string[];
  readonly ofAge: boolean;
  /** Somebody matches an entry of a sanctions list. */
  readonly isListed: boolean;
  readonly refinancing: boolean;
  readonly primary: PersonFacts;
  readonly coApplicant: PersonFacts | null;
  /** The credit of the people on the application together, with the score that counts: see `together`. */
  readonly credit: CreditFacts;
  readonly warnings: readonly string[];
  /** The number of warnings about credit files and screenings. The public record does not count them: a fraud alert or a freeze is the person's own. */
  readonly fileWarnings: number;
};

export type FactsInput = {
  readonly request: unknown;
  readonly amount: Cents;
  readonly principalAmount: Cents;
  readonly today: PlainDate;
  readonly primary: BureauReport;
  readonly coApplicant: BureauReport | null;
  /** Absent: nobody was to be screened. */
  readonly screening?: ScreenedPeople;
  /** The score as which someone without one counts beside another's. */
  readonly unscoredAs: number;
  /** A housing cost that is stated as less counts as this; absent: 0. */
  readonly leastHousing?: Cents;
  readonly vehicle: { readonly year: string; readonly age: string; readonly mileage: string; readonly vin: string };
};

/** Points of score that halve the odds, and are worth a second look. */
const MUCH_LOWER = 50;

export function readFacts(input: FactsInput): Facts | Refusal {
  const warnings: string[] = [];
  const asked = memberOf(input.request, 'RequestedTermsInfo');
  const people: Person[] = input.coApplicant === null ? [PEOPLE.primary] : [PEOPLE.primary, PEOPLE.coApplicant];
  const states = knownStates(input.request, people, warnings);
  const primary = readCredit(input.primary, input.today);
  const coApplicant = readCoApplicant(input);
  if (isRefusal(coApplicant)) return coApplicant;
  const income = readIncome(input.request, input.coApplicant !== null, warnings);
  if (isRefusal(income)) return income;
  const credit = together(input, primary, coApplicant);
  const housing = readHousing(input, people, { income: income.total, ...credit }, warnings);
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
  const files = [...fileWarnings({ primary, coApplicant }), ...flagWarnings({ primary, coApplicant })];
  if (input.screening !== undefined) files.push(...screeningWarnings(input.screening, coApplicant !== null));
  if (credit.accounts === null) files.push('Accounts are unknown, so obligations may be higher');
  return {
    income,
    obligations: {
      total: cents(credit.payments - credit.mortgagePayments + Math.max(credit.mortgagePayments, housing.counted)),
      housing: housing.counted,
      tradeLines: credit.payments,
    },
    leftOut: [...housing.leftOut, ...people.flatMap((person) => leftOutBy(input.request, person))],
    vehicle,
    products,
    downPayment: downPayment ?? ZERO,
    states,
    ofAge: areOfAge(input, people),
    isListed: input.screening !== undefined && isMatched(input.screening),
    refinancing,
    primary,
    coApplicant,
    credit,
    warnings: [...warnings, ...files],
    fileWarnings: files.length,
  };
}

// ---- income ----

/** The monthly income of everyone on the application; null: none that can be read. */
export function incomeIn(request: unknown): Cents | null {
  const income = readIncome(request, true, []);
  return isRefusal(income) || income.total === 0 ? null : income.total;
}

function readIncome(request: unknown, joint: boolean, warnings: string[]): Facts['income'] | Refusal {
  const own = incomeOf(request, PEOPLE.primary, warnings);
  if (isRefusal(own)) return own;
  const their = joint ? incomeOf(request, PEOPLE.coApplicant, warnings) : NO_INCOME;
  if (isRefusal(their)) return their;
  const isNone = ({ earned, other }: PersonIncome) => earned === null && other === null;
  if (joint && isNone(own)) warnings.push('Income of the applicant is missing');
  if (joint && isNone(their)) warnings.push('Income of the co-applicant is missing');
  if (isNone(own) && isNone(their)) {
    const detail = 'Income is missing: give MonthlyGross, the applicant’s gross monthly income.';
    return refuse('required', detail, { member: 'Request.ApplicantInfo.MonthlyGross' });
  }
  const parts = {
    applicant: own.earned?.amount ?? ZERO,
    other: cents((own.other ?? ZERO) + (their.other ?? ZERO)),
    coApplicant: their.earned?.amount ?? ZERO,
  };
  return {
    total: cents(parts.applicant + parts.other + parts.coApplicant),
    ...parts,
    estimated: [own, their].some(({ earned }) => earned?.from === 'EstimatedIncome'),
  };
}

type PersonIncome = { readonly earned: Income | null; readonly other: Cents | null };
const NO_INCOME: PersonIncome = { earned: null, other: null };

export function incomeOf(request: unknown, { info, prefix }: Person, warnings: string[]): PersonIncome | Refusal {
  const at = `Request.${info}`;
  const yearly = YEARLY.map((name) => name.replace('Applicant', prefix));
  const earned = monthlyIncome(memberOf(request, info), 'MonthlyGross', yearly, at, warnings);
  if (isRefusal(earned)) return earned;
  const other = optionalAmount(memberOf(request, info), `${at}.OtherIncomeAmount`, warnings);
  return isRefusal(other) ? other : { earned, other };
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
/** Percent. Dealers commonly ask a fifth to a third more than a car brings at auction, and of cheap cars still more. */
const WHOLESALE_OF_RETAIL = 70;

function readVehicle(input: FactsInput, warnings: string[]): Facts['vehicle'] | Refusal {
  const info = memberOf(input.request, 'VehicleInfo');
  const at = 'Request.VehicleInfo';
  const wholesale = optionalAmount(info, `${at}.VehicleWholesaleValue`, warnings);
  if (isRefusal(wholesale)) return wholesale;
  const retail = optionalAmount(info, `${at}.VehicleRetailValue`, warnings);
  if (isRefusal(retail)) return retail;
  const value = wholesale || (retail && mulDiv(retail, WHOLESALE_OF_RETAIL, 1, 100, 'half-up'));
  if (!value) {
    return missing(
      'VehicleWholesaleValue',
      'Vehicle value is missing: give VehicleWholesaleValue or VehicleRetailValue.',
    );
  }
  if (!wholesale) warnings.push('Vehicle wholesale value is missing; loan to value uses 70 % of the retail value');
  const mileage = whole(input.vehicle.mileage, memberOf(info, 'VehicleMileage'));
  if (mileage.is === 'negative') return negative(`${at}.VehicleMileage`, 'A mileage');
  if (mileage.is === 'given' && mileage.value > MILES) {
    return refuse('invalid_value', 'Vehicle mileage must be at most 2,000,000.', {
      member: `${at}.VehicleMileage`,
    });
  }
  // An old car with many miles must not be a usual one where nothing is said of it.
  if (mileage.is !== 'given') return missing('VehicleMileage', 'Vehicle mileage is missing: give VehicleMileage.');
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
    mileage: mileage.value,
    value: cents(value),
    wholesale: wholesale || null,
    retail: retail || null,
    vin,
  };
}

/** By the model year, or by the given age where there is no year. Next year's model is new. */
function vehicleAge({ today, vehicle }: FactsInput, info: unknown, warnings: string[]): number | Refusal {
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
  return missing('VehicleYear', 'Vehicle year is missing: give VehicleYear, or VehicleAge.');
}

function missing(name: string, detail: string): Refusal {
  return refuse('required', detail, { member: `Request.VehicleInfo.${name}` });
}

/** The loan's value, else the application's. */
function whole(own: string, asked: unknown): ReadValue<number> {
  return own === '' ? wholeOf(asked) : wholeOf(own);
}

// ---- the people ----

/** None where a person's is unknown: the cap of another's state would stand for theirs. */
function knownStates(request: unknown, people: readonly Person[], warnings: string[]): string[] {
  const states = statesOf(request, people);
  const unknown = people.filter((_, i) => states[i] === '');
  for (const { who } of unknown)
    warnings.push(`The ${who}’s state is missing or unknown: nothing can be offered without it`);
  return unknown.length > 0 ? [] : [...new Set(states)].sort();
}

function readCoApplicant({ request, coApplicant, today }: FactsInput): PersonFacts | null | Refusal {
  if (coApplicant !== null) return readCredit(coApplicant, today);
  if (!namesAnother(request)) return null;
  // A person who is named owes the loan, and what is in their file counts.
  const detail = /^\d{9}$/.test(coApplicantNumber(request))
    ? 'A co-applicant is named, but no bureau report was requested for them.'
    : 'A co-applicant is named without a social security number: give CoApplicantSSN, or one applicant.';
  return refuse('required', detail, { member: 'Request.CoApplicantInfo.CoApplicantSSN' });
}

function coApplicantNumber(request: unknown): string {
  return textOf(memberOf(memberOf(request, 'CoApplicantInfo'), 'CoApplicantSSN')).replace(/[\s-]/g, '');
}

function namesAnother(request: unknown): boolean {
  const people = wholeOf(memberOf(memberOf(request, 'ApplicationInfo'), 'ApplicantsNumber'));
  const about = memberOf(request, 'CoApplicantInfo');
  const isDescribed =
    typeof about === 'object' && about !== null && Object.values(about).some((one) => !/^0?$/.test(textOf(one)));
  return isDescribed || (people.is === 'given' && people.value > 1);
}

/** Whether a frozen file has a score is not known. */
function fileWarnings({ primary, coApplicant }: Pick<Facts, 'primary' | 'coApplicant'>): string[] {
  const missing = ({ hit, score, flags }: PersonFacts, who: string) => {
    if (flags.frozen || (hit && score !== null)) return [];
    return [`The credit bureau has no ${hit ? `score for the ${who}` : `file on the ${who}`}`];
  };
  if (coApplicant === null) return missing(primary, PEOPLE.primary.who);
  const apart = Math.abs((primary.score ?? 0) - (coApplicant.score ?? 0));
  const bothHave = primary.score !== null && coApplicant.score !== null;
  return [
    ...missing(primary, PEOPLE.primary.who),
    ...missing(coApplicant, PEOPLE.coApplicant.who),
    ...(bothHave && apart >= MUCH_LOWER
      ? [`The applicants’ scores are ${apart} points apart; the lower one counts`]
      : []),
  ];
}
