/**
 * Signs of fraud and duplicates: what an application has in common with others of the organization, and figures that are unlike those of
 * their kind. Each says what was compared and nothing of its value. A sign decides nothing (12 CFR 1002.6 allows no decision on what it may
 * stand for): some of them are stipulations, which a person settles.
 */
import { addDays, type PlainDate, parts } from '../core/calendar.ts';
import type { Party } from '../core/loan.ts';
import { isRefusal } from '../core/refusal.ts';
import { VIN, vinCheckDigit } from '../core/vin.ts';
import { type Collateral, depreciationAt } from './collateral.ts';
import type { DemandKind, PolicyDemand } from './demand-kinds.ts';
import { incomeOf } from './facts.ts';
import { amountOf, memberOf, textOf, wholeOf } from './lenient-numbers.ts';
import { PEOPLE } from './people.ts';
import {
  INCOME_TIMES,
  LOOKED_AT,
  MAKERS,
  MILES,
  MILES_RANGE,
  NEW_PRICES,
  VALUE_RANGE,
  type VehicleClass,
  WAGES,
} from './signs-data.ts';

export const SIGNS = {
  samePerson: 'Another application or open loan has the same social security number.',
  sameVin: 'Another application or open loan has the same vehicle.',
  samePhone: 'Another application or open loan, of another person, has the same telephone number.',
  sameAddress: 'Another application or open loan, of another person, has the same address.',
  sameAccount: 'Another application or open loan, of another person, has the same bank account.',
  velocity: 'Three or more applications of one person or telephone number within thirty days.',
  oneNumber: 'The applicant and the co-applicant have the same social security number.',
  income: 'An income is more than twice what nine of ten people in the occupation earn.',
  vehicleYear: 'The model year in the vehicle identification number is not the stated one.',
  mileage: 'The mileage is far from that of vehicles of this class and age.',
  vehicleValue: 'The value is far from that of vehicles of this class and age.',
} as const;

export type SignName = keyof typeof SIGNS;
export const SIGN_NAMES = Object.keys(SIGNS) as SignName[];

export const COMPARED = [
  ...['ssn', 'vin', 'phone', 'address', 'account', 'applications'],
  ...['income', 'occupation', 'modelYear', 'mileage', 'value'],
] as const;

/** A review is worth a person's time; the others are worth knowing. */
export const SEVERITIES = ['info', 'review'] as const;

export type Compared = { readonly what: string; readonly of: Party | 'vehicle'; readonly with: string };

export type Sign = {
  readonly sign: SignName;
  readonly severity: (typeof SEVERITIES)[number];
  readonly compared: readonly Compared[];
  /** Other loans of the organization, the newest first. */
  readonly loans: readonly string[];
  /** The first day on which it could be seen. */
  readonly since: PlainDate;
};

/** Another loan of the organization with a value that this one has too. */
export type Match = {
  readonly kind: 'ssn' | 'vin' | 'phone' | 'address' | 'account';
  /** The person or thing of this application that has the value. */
  readonly of: Party | 'vehicle';
  readonly loanId: string;
  readonly createdOn: PlainDate;
  /** It was an application here, and no loan that was boarded. */
  readonly applied: boolean;
};

/** The loan that is looked at. */
type Own = { readonly createdOn: PlainDate; readonly applied: boolean };

/** A run's findings in other loans. */
export type Shared = { readonly own: Own; readonly matches: readonly Match[] };

/** All signs of an application, in the order of `SIGNS`. */
export function signsOf(figures: Figures, { own, matches }: Shared): Sign[] {
  return [...duplicateSigns(matches, own), ...figureSigns(figures)];
}

/** As a run kept them. */
export function signsIn(text: string): readonly Sign[] {
  return text === '' ? [] : (JSON.parse(text) as Sign[]);
}

const SAME = {
  ssn: { sign: 'samePerson', severity: 'review' },
  vin: { sign: 'sameVin', severity: 'review' },
  phone: { sign: 'samePhone', severity: 'review' },
  address: { sign: 'sameAddress', severity: 'info' },
  account: { sign: 'sameAccount', severity: 'review' },
} as const satisfies Record<Match['kind'], { sign: SignName; severity: Sign['severity'] }>;

const OTHERS = 'other applications and open loans';

/**
 * Everything that it has in common with others. A person who applies twice has the same home and telephone both times: those say something only of
 * loans that are not the same person's already.
 */
export function duplicateSigns(matches: readonly Match[], own: Own): Sign[] {
  const ofPerson = new Set(matches.filter(({ kind }) => kind === 'ssn').map(({ loanId }) => loanId));
  const telling = matches.filter(({ kind, loanId }) => kind === 'ssn' || kind === 'vin' || !ofPerson.has(loanId));
  const signs = Object.entries(SAME).flatMap(([kind, { sign, severity }]) => {
    const found = telling.filter((match) => match.kind === kind);
    return found.length === 0 ? [] : [{ sign, severity, ...namedIn(found, own) }];
  });
  return [...signs, ...velocityOf(matches, own)];
}

function namedIn(found: readonly Match[], { createdOn }: Own): Omit<Sign, 'sign' | 'severity'> {
  const whose = unique(found.map(({ kind, of }) => `${kind} ${of}`)).map((text) => text.split(' '));
  const newest = [...found].sort(
    (a, b) => b.createdOn.localeCompare(a.createdOn) || (a.loanId < b.loanId ? -1 : Number(a.loanId > b.loanId)),
  );
  const days = found.map((match) => (match.createdOn > createdOn ? match.createdOn : createdOn)).sort();
  return {
    compared: whose.map(([what = '', of]) => ({ what, of: of as Compared['of'], with: OTHERS })),
    loans: unique(newest.map(({ loanId }) => loanId)),
    since: days[0] as PlainDate,
  };
}

/** Three or more of one person or number within thirty days, of which this is one. */
function velocityOf(matches: readonly Match[], own: Own): Sign[] {
  if (!own.applied) return [];
  const { velocity, velocityDays } = LOOKED_AT;
  const many = new Map<string, Match>();
  const whose: Compared[] = [];
  const thirds: PlainDate[] = [];
  const applications = matches.filter(({ kind, applied }) => applied && (kind === 'ssn' || kind === 'phone'));
  for (const group of Object.values(Object.groupBy(applications, ({ kind, of }) => `${kind} ${of}`))) {
    const all = unique((group ?? []).map(({ loanId }) => loanId)).map(
      (loanId) => group?.find((match) => match.loanId === loanId) as Match,
    );
    const days = [...all.map(({ createdOn }) => createdOn), own.createdOn].sort();
    const windows = days.map((day) => ({ from: day, to: addDays(day, velocityDays - 1) }));
    const busy = windows.find(
      ({ from, to }) =>
        from <= own.createdOn &&
        own.createdOn <= to &&
        days.filter((day) => from <= day && day <= to).length >= velocity,
    );
    if (busy === undefined || all[0] === undefined) continue;
    const within = days.filter((day) => busy.from <= day && day <= busy.to);
    thirds.push(within[velocity - 1] as PlainDate);
    for (const match of all) {
      if (busy.from <= match.createdOn && match.createdOn <= busy.to) many.set(match.loanId, match);
    }
    whose.push({ what: all[0].kind, of: all[0].of, with: OTHERS });
  }
  if (many.size === 0) return [];
  const { loans } = namedIn([...many.values()], own);
  const since = thirds.sort()[0] as PlainDate;
  const compared = [{ what: 'applications', of: 'applicant', with: `${velocityDays} days` } as const, ...whose];
  return [{ sign: 'velocity', severity: 'review', compared, loans, since }];
}

// ---- figures of the application itself ----

export type Figures = {
  readonly request: unknown;
  readonly vehicle: { readonly year: string; readonly age: string; readonly mileage: string; readonly vin: string };
  readonly today: PlainDate;
  readonly collateral: Pick<Collateral, 'depreciation'>;
};

/** Signs that need no other loan. */
export function figureSigns(figures: Figures): Sign[] {
  const { request, today } = figures;
  const sign = (name: SignName, severity: Sign['severity'], compared: Compared[]): Sign[] =>
    compared.length === 0 ? [] : [{ sign: name, severity, compared, loans: [], since: today }];
  return [
    ...sign('oneNumber', 'review', oneNumber(request)),
    ...sign('income', 'review', highIncomes(request)),
    ...sign('vehicleYear', 'review', yearInVin(figures)),
    ...sign('mileage', 'review', farMileage(figures)),
    ...sign('vehicleValue', 'review', farValue(figures)),
  ];
}

function oneNumber(request: unknown): Compared[] {
  const digits = (info: string, member: string) => textOf(memberOf(memberOf(request, info), member)).replace(/\D/g, '');
  const own = digits('ApplicantInfo', 'ApplicantSSN');
  const same = own.length === 9 && own === digits('CoApplicantInfo', 'CoApplicantSSN');
  return same ? [{ what: 'ssn', of: 'coApplicant', with: 'the applicant' }] : [];
}

/** Wages alone: what else there is has a source, which is not looked at. */
function highIncomes(request: unknown): Compared[] {
  return (['applicant', 'coApplicant'] as const).flatMap((of) => {
    const person = of === 'applicant' ? PEOPLE.primary : PEOPLE.coApplicant;
    const income = incomeOf(request, person, []);
    const monthly = isRefusal(income) ? 0 : (income.earned?.amount ?? 0);
    const stated = textOf(memberOf(memberOf(request, person.info), 'EmploymentOccupation'));
    const group = occupationOf(stated);
    const most = (group?.most ?? WAGES.otherwise) * INCOME_TIMES;
    if (monthly * 12 <= most) return [];
    const withWhat = `${group === null ? 'all occupations' : `occupations of group ${group.soc}`}, ${WAGES.year}`;
    return [
      { what: 'income', of, with: withWhat },
      ...(group === null ? [] : [{ what: 'occupation', of, with: withWhat }]),
    ];
  });
}

/** By its last word that is known: a nurse manager is a manager, a sales clerk a clerk. */
function occupationOf(text: string): (typeof WAGES.groups)[number] | null {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  for (const word of words.reverse()) {
    const bare = word.replace(/s$/, '');
    const found = WAGES.groups.find((group) => group.words.split(' ').some((one) => one === word || one === bare));
    if (found !== undefined) return found;
  }
  return null;
}

const YEARS = 'ABCDEFGHJKLMNPRSTVWXY123456789';

/** The tenth character repeats every thirty years (49 CFR 565.15). */
function yearInVin({ vehicle, request }: Figures): Compared[] {
  const vin = validVin(vehicle, request);
  const year = yearOf(vehicle, request);
  if (vin === null || year === null || year < 1981) return [];
  const place = YEARS.indexOf(vin.charAt(9));
  if (place >= 0 && (year - 1980) % 30 === place) return [];
  return [{ what: 'modelYear', of: 'vehicle', with: 'the vehicle identification number' }];
}

function farMileage({ vehicle, request, today }: Figures): Compared[] {
  const kind = classOf(validVin(vehicle, request));
  const age = ageOf(vehicle, request, today);
  const mileage = whole(vehicle.mileage, request, 'VehicleMileage');
  if (kind === null || age === null || mileage === null) return [];
  const least = milesBy(kind, age) * MILES_RANGE.below;
  // A vehicle of this model year may be in its second year of use.
  const most = milesBy(kind, age + 1) * MILES_RANGE.above;
  const isFar = mileage > most || (age >= MILES_RANGE.belowFromAge && mileage < least);
  return isFar ? [{ what: 'mileage', of: 'vehicle', with: `${NAMES[kind]} of its age, ${MILES.year}` }] : [];
}

const NAMES: Readonly<Record<VehicleClass, string>> = { car: 'cars', lightTruck: 'light trucks' };

function milesBy(kind: VehicleClass, years: number): number {
  const perYear = MILES.perYear[kind];
  let miles = 0;
  for (let year = 0; year < years; year++) miles += perYear[Math.min(year, perYear.length - 1)] as number;
  return miles;
}

function farValue({ vehicle, request, today, collateral }: Figures): Compared[] {
  const kind = classOf(validVin(vehicle, request));
  const age = ageOf(vehicle, request, today);
  if (kind === null || age === null) return [];
  let expected = NEW_PRICES.prices[kind];
  for (let year = 0; year < age; year++) expected *= 1 - depreciationAt(collateral, year);
  const values = ['VehicleRetailValue', 'VehicleWholesaleValue'].flatMap((name) => {
    const read = amountOf(memberOf(memberOf(request, 'VehicleInfo'), name));
    return read.is === 'given' && read.value > 0 ? [read.value] : [];
  });
  const { above, below, least } = VALUE_RANGE;
  const isFar = values.some(
    (value) => Math.abs(value - expected) > least && (value > expected * above || value < expected * below),
  );
  return isFar ? [{ what: 'value', of: 'vehicle', with: `${NAMES[kind]} of its age, ${NEW_PRICES.year}` }] : [];
}

type Vehicle = Figures['vehicle'];

function validVin({ vin }: Vehicle, request: unknown): string | null {
  const text = (vin || textOf(memberOf(memberOf(request, 'VehicleInfo'), 'VehicleVIN'))).trim().toUpperCase();
  return VIN.test(text) && text.charAt(8) === vinCheckDigit(text) ? text : null;
}

/** Null: no class of this table, a motorcycle for one. */
function classOf(vin: string | null): VehicleClass | null {
  const maker = vin?.slice(0, 3) ?? '';
  const kinds = Object.entries(MAKERS.classes) as [VehicleClass, string][];
  return kinds.find(([, makers]) => maker !== '' && makers.split(' ').includes(maker))?.[0] ?? null;
}

function yearOf({ year }: Vehicle, request: unknown): number | null {
  return whole(year, request, 'VehicleYear');
}

function ageOf(vehicle: Vehicle, request: unknown, today: PlainDate): number | null {
  const year = yearOf(vehicle, request);
  return year === null ? whole(vehicle.age, request, 'VehicleAge') : Math.max(0, parts(today)[0] - year);
}

/** The loan's value, else the application's. */
function whole(own: string, request: unknown, name: string): number | null {
  const read = wholeOf(own === '' ? memberOf(memberOf(request, 'VehicleInfo'), name) : own);
  return read.is === 'given' ? read.value : null;
}

// ---- what they ask for ----

export type SignDemand = {
  readonly kind: DemandKind;
  readonly text: string;
  readonly person?: Party;
  /** Its basis: another loan that comes up in a later run is to be explained, too. */
  readonly fact: string;
};

const DEMANDS: Readonly<Record<SignName, PolicyDemand | null>> = {
  samePerson: { kind: 'resolveSign', text: 'Other applications or open loans of the same person, to be explained' },
  sameVin: { kind: 'title', text: 'Title of the vehicle, free of another loan on it' },
  samePhone: { kind: 'resolveSign', text: 'A telephone number that another person has given too, to be explained' },
  sameAddress: { kind: 'resolveSign', text: 'An address that another person has given too, to be explained' },
  sameAccount: { kind: 'resolveSign', text: 'A bank account that another person has given too, to be explained' },
  velocity: null,
  oneNumber: { kind: 'identity', text: 'Identity of both people, who have one social security number' },
  income: { kind: 'proofOfIncome', text: 'Proof of income' },
  vehicleYear: {
    kind: 'vehicleIdentification',
    text: 'Vehicle identification number, verified on the vehicle',
  },
  mileage: { kind: 'odometerStatement', text: 'Odometer statement' },
  vehicleValue: { kind: 'other', text: 'Value of the vehicle, from a guide or an appraisal' },
};

/** One of each kind for each person: several signs may ask for the same. */
export function demandsOfSigns(signs: readonly Sign[]): SignDemand[] {
  const demands = new Map<string, SignDemand>();
  for (const { sign, compared, loans } of signs) {
    const demand = DEMANDS[sign];
    if (demand === null) continue;
    for (const of of unique(compared.map((one) => one.of))) {
      const key = `${demand.kind} ${of}`;
      if (demands.has(key)) continue;
      demands.set(key, { ...demand, ...(of === 'vehicle' ? {} : { person: of }), fact: [sign, ...loans].join(' ') });
    }
  }
  return [...demands.values()];
}

function unique<T>(all: readonly T[]): T[] {
  return [...new Set(all)];
}
