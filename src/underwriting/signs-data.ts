/**
 * The ranges that incomes, mileages and values are measured against, as data with source and year. A figure outside these ranges is a question to
 * be asked and nothing more: no decision, score or price depends on any of it. Figures marked `unverified` were not checked against the text
 * that they cite.
 */
import { cents } from '../core/money.ts';

export type Source = {
  readonly source: string;
  readonly year: number;
  readonly status: 'verified' | 'unverified';
};

// ---- income by occupation ----

/** `most`: the 90th percentile of a year's wages, in cents. `words` begin the words of an occupation that belongs to the group. */
export type Occupation = { readonly soc: string; readonly name: string; readonly most: number; readonly words: string };

const group = (soc: string, name: string, dollars: number, words: string): Occupation => ({
  ...{ soc, name, words },
  most: cents(dollars * 100),
});

/** The highest wage that the survey tells from higher ones. */
const TOP_CODE = 208_000;

export const WAGES: Source & { readonly groups: readonly Occupation[]; readonly otherwise: number } = {
  source:
    'U.S. Bureau of Labor Statistics, Occupational Employment Statistics, national estimates by major occupational group, annual 90th percentile; a wage of 208,000 or more is not told apart',
  year: 2019,
  status: 'unverified',
  /** For an occupation that is not stated, or not in these groups: employees alone are surveyed, without the armed forces. */
  otherwise: cents(TOP_CODE * 100),
  groups: [
    group(
      '11',
      'Management',
      TOP_CODE,
      'manager management director executive president ceo cfo coo principal superintendent',
    ),
    group('23', 'Legal', TOP_CODE, 'lawyer attorney judge paralegal counsel'),
    group(
      '29',
      'Healthcare practitioners',
      144_370,
      'nurse rn lpn doctor physician dentist pharmacist therapist surgeon paramedic hygienist',
    ),
    group('31', 'Healthcare support', 45_100, 'caregiver cna orderly phlebotomist'),
    group(
      '13',
      'Business and financial',
      126_040,
      'accountant auditor analyst underwriter bookkeeper recruiter buyer appraiser',
    ),
    group('15', 'Computer and mathematical', 152_010, 'software programmer developer statistician actuary webmaster'),
    group('17', 'Architecture and engineering', 142_610, 'engineer architect surveyor drafter'),
    group('19', 'Life, physical and social science', 128_100, 'scientist chemist biologist psychologist economist'),
    group('21', 'Community and social service', 79_850, 'counselor clergy pastor minister'),
    group('25', 'Education', 99_270, 'teacher professor instructor tutor librarian'),
    group('27', 'Arts, media and sports', 108_840, 'artist designer writer editor musician photographer journalist'),
    group('33', 'Protective service', 90_850, 'police firefighter security guard correctional officer'),
    group(
      '35',
      'Food preparation and serving',
      38_660,
      'cook chef waiter waitress server bartender dishwasher barista',
    ),
    group(
      '37',
      'Cleaning and maintenance of buildings',
      47_670,
      'janitor custodian housekeeper cleaner landscaper groundskeeper maid',
    ),
    group('39', 'Personal care', 50_940, 'hairdresser barber nanny stylist cosmetologist'),
    group('41', 'Sales', 81_020, 'sales salesman salesperson cashier retail realtor'),
    group(
      '43',
      'Office and administrative support',
      63_260,
      'clerk receptionist secretary teller dispatcher administrative',
    ),
    group('45', 'Farming, fishing and forestry', 47_480, 'farmworker fisherman logger'),
    group('47', 'Construction', 85_810, 'carpenter electrician plumber roofer mason welder construction ironworker'),
    group('49', 'Installation and repair', 79_540, 'mechanic technician installer repairman'),
    group('51', 'Production', 63_250, 'machinist assembler operator baker butcher'),
    group('53', 'Transportation and moving', 60_830, 'driver trucker warehouse forklift mover courier'),
  ],
};

/** An income is asked about above so many times the 90th percentile: pay differs by place, and has risen since the survey. */
export const INCOME_TIMES = 2;

// ---- mileage by class and age ----

export type VehicleClass = 'car' | 'lightTruck';

/** Miles in each year of a vehicle's life, from the first; constant after the last. */
export const MILES: Source & { readonly perYear: Readonly<Record<VehicleClass, readonly number[]>> } = {
  source: 'NHTSA, Vehicle Survivability and Travel Mileage Schedules, DOT HS 809 952, tables 7 and 8',
  year: 2006,
  status: 'unverified',
  perYear: {
    car: [
      ...[14_231, 13_961, 13_669, 13_357, 13_028, 12_683, 12_325, 11_956, 11_578, 11_193, 10_804, 10_413, 10_022],
      ...[9_633, 9_249, 8_871, 8_502, 8_144, 7_799, 7_469, 7_157, 6_866, 6_596, 6_350, 6_131],
    ],
    lightTruck: [
      ...[16_085, 15_782, 15_442, 15_069, 14_667, 14_239, 13_790, 13_323, 12_844, 12_356, 11_863, 11_369, 10_879],
      ...[10_396, 9_924, 9_468, 9_032, 8_619, 8_234, 7_881, 7_565, 7_288, 7_055, 6_871, 6_739],
    ],
  },
};

/** Multiples of the expected mileage. A low one is asked about from an age on at which an odometer that stood still is no accident. */
export const MILES_RANGE = { above: 2.5, below: 0.15, belowFromAge: 4 } as const;

// ---- value by class and age ----

/** The price of a new vehicle of a class, in cents. It loses value as the collateral of the model does. */
export const NEW_PRICES: Source & { readonly prices: Readonly<Record<VehicleClass, number>> } = {
  source:
    'Kelley Blue Book, average transaction prices of August 2020: a full-size car (36,653); for light trucks one of full size (51,700)',
  year: 2020,
  status: 'unverified',
  prices: { car: 36_653_00, lightTruck: 51_700_00 },
};

/** Multiples of the expected value, and the least difference that matters, in cents. */
export const VALUE_RANGE = { above: 3, below: 0.1, least: 5_000_00 } as const;

// ---- classes by VIN ----

/** By the first three characters: the maker and its kind of vehicle (49 CFR 565.15). */
export const MAKERS: Source & { readonly classes: Readonly<Record<VehicleClass, string>> } = {
  source: 'Manufacturer identifiers under 49 CFR part 565, as vPIC of NHTSA lists them',
  year: 2024,
  status: 'unverified',
  classes: {
    car:
      '1G1 1G2 1G3 1G4 1G6 1G8 1FA 1ZV 1LN 1ME 1HG 19X 19U 1N4 1C3 1B3 1VW 1YV 2G1 2G2 2G4 2HG 2T1 2C3 2B3 2FA 2LN 2ME 3FA ' +
      '3LN 3N1 3VW 3G1 3HG 3MZ 3KP 4S3 4T1 4A3 5NP 5XX 5YF JHM JH4 JTD JTH JTN JT2 JN1 JF1 JM1 KMH KNA KL1 KL8 WBA WBS WDB WDD ' +
      'WAU WVW WP0 YV1 SAJ ZFF',
    lightTruck:
      '1FT 1FM 1FD 1GC 1GN 1GT 1GK 1GY 1D7 1C6 1C4 1J4 1J8 1N6 2C4 2D4 2T3 2HK 2GN 2GK 2FM 3C4 3C6 3D7 3GC 3GT 3GN 3GK 3N6 3TM ' +
      '3CZ 3VV 4S4 4T3 4JG 5FN 5FP 5FR 5TD 5TF 5TB 5TE 5N1 5NM 5XY 5UX 5J6 5J8 5LM JTE JTM JTJ JN8 JF2 JM3 KM8 KND WA1 WVG WDC ' +
      'WP1 YV4 SAL',
  },
};

// ---- other applications ----

/** Applications count for half a year, loans as long as they are open; three in thirty days are many. */
export const LOOKED_AT = { applicationDays: 180, velocityDays: 30, velocity: 3 } as const;
