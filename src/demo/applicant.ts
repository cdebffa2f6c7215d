/**
 * An invented applicant for a car loan: the social security number is of the ranges that are never issued (000, 666 and 900 to 999),
 * the telephone number is one of those reserved for fiction (555-01xx), the mail address is at example.org, and the town and its ZIP
 * code do not exist. Nobody opened an account, took a job or moved into a home of their own before the age of 18.
 */
import type { SeededRandom } from '../bureau/simulator/random.ts';
import { addDays, addMonths, type PlainDate, parts } from '../core/calendar.ts';
import type { Credit } from './credit.ts';
import { PLACES, type Place } from './places.ts';

export type Applicant = {
  readonly firstName: string;
  readonly lastName: string;
  readonly middleInitial: string;
  readonly born: PlainDate;
  readonly age: number;
  readonly ssn: string;
  readonly email: string;
  readonly phone: string;
  readonly workPhone: string;
  readonly streetNumber: string;
  readonly unit: string;
  /** With its number and unit. */
  readonly street: string;
  readonly place: Place;
  readonly zip: string;
  readonly monthsAtAddress: number;
  /** Null: lives with family and pays nothing. */
  readonly housing: 'Rent' | 'Own' | null;
  readonly employer: string;
  readonly monthsEmployed: number;
};

const FIRST_NAMES = [
  ...[
    'Ada',
    'Alonso',
    'Amara',
    'Anton',
    'Beatrix',
    'Benedict',
    'Caleb',
    'Camila',
    'Clarence',
    'Dahlia',
    'Dario',
    'Edith',
  ],
  ...[
    'Elias',
    'Esme',
    'Felix',
    'Freya',
    'Gideon',
    'Greta',
    'Hector',
    'Imani',
    'Ines',
    'Jasper',
    'Jun',
    'Kamala',
    'Kasper',
  ],
  ...[
    'Lena',
    'Luca',
    'Mabel',
    'Marisol',
    'Mateo',
    'Nadia',
    'Nils',
    'Octavia',
    'Omar',
    'Petra',
    'Quentin',
    'Ramona',
    'Rufus',
  ],
  ...['Sabine', 'Silas', 'Tamsin', 'Theo', 'Ursula', 'Viktor', 'Wilma', 'Xenia', 'Yusuf', 'Zora'],
];
const LAST_BEGINNINGS = [
  ...[
    'Alder',
    'Ash',
    'Bram',
    'Cinder',
    'Copper',
    'Dapple',
    'Elder',
    'Fallow',
    'Fern',
    'Glim',
    'Hazel',
    'Heath',
    'Juniper',
  ],
  ...[
    'Kestrel',
    'Larks',
    'Linden',
    'Marl',
    'Moss',
    'Nettle',
    'Oaken',
    'Pebble',
    'Quill',
    'Rook',
    'Sedge',
    'Tarn',
    'Thistle',
  ],
  ...['Umber', 'Vesper', 'Willow', 'Yarrow'],
];
const LAST_ENDINGS = ['bury', 'combe', 'dale', 'feather', 'grove', 'hollow', 'mere', 'ridge', 'stead', 'wick'];
const STREETS = [
  'Nowhere Lane',
  'Sample Street',
  'Placeholder Road',
  'Imaginary Avenue',
  'Fiction Court',
  'Unmapped Way',
];
const EMPLOYERS = [
  'Example Freight',
  'Sample Foods',
  'Pretend Clinic',
  'Mockingbird Schools',
  'Placeholder Steel',
  'Notional Water',
];

const ADULT_MONTHS = 18 * 12;

/** `credit`: the file that the bureau has. */
export function inventApplicant(
  of: SeededRandom,
  n: number,
  { on, credit }: { on: PlainDate; credit: Credit },
): Applicant {
  const firstName = of.pick(FIRST_NAMES);
  const lastName = of.pick(LAST_BEGINNINGS) + of.pick(LAST_ENDINGS);
  const monthsAdult = credit.monthsInFile + of.whole(6, 150);
  const born = addDays(addMonths(on, -(ADULT_MONTHS + monthsAdult)), -of.whole(0, 27));
  const streetNumber = String(of.whole(1, 9_899));
  const unit = of.oneIn(4) ? String(of.whole(1, 40)) : '';
  const place = of.pick(PLACES);
  const phone = () => `${of.pick(place.areaCodes)}-555-01${of.digits(2)}`;
  return {
    firstName,
    lastName,
    middleInitial: of.oneIn(2) ? of.pick(['A', 'C', 'E', 'J', 'L', 'M', 'R', 'T']) : '',
    born,
    age: yearsBetween(born, on),
    ssn: credit.ssn,
    email: `${firstName}.${lastName}.${n}@example.org`.toLowerCase(),
    phone: phone(),
    workPhone: phone(),
    streetNumber,
    unit,
    street: `${streetNumber} ${of.pick(STREETS)}${unit === '' ? '' : ` Unit ${unit}`}`,
    place,
    zip: `${place.zipPrefix}${of.digits(2)}`,
    monthsAtAddress: of.whole(3, Math.min(240, monthsAdult)),
    housing: credit.mortgage > 0 ? 'Own' : of.pick(['Rent', 'Rent', 'Own', null] as const),
    employer: of.pick(EMPLOYERS),
    monthsEmployed: of.whole(4, Math.min(260, monthsAdult)),
  };
}

function yearsBetween(born: PlainDate, on: PlainDate): number {
  const [year] = parts(born);
  const [now] = parts(on);
  return now - year - (born.slice(5) <= on.slice(5) ? 0 : 1);
}
