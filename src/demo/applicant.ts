/**
 * An invented applicant for a car loan: the social security number is of the ranges that are never issued (000, 666 and 900 to 999),
 * the telephone number is one of those reserved for fiction (555-01xx), the mail address is at example.org, and the town and its ZIP
 * code (000xx) do not exist.
 */
import type { SeededRandom } from '../bureau/simulator/random.ts';
import { addDays, daysBetween, type PlainDate, parts } from '../core/calendar.ts';

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
  readonly city: string;
  readonly county: string;
  readonly state: string;
  readonly zip: string;
  readonly monthsAtAddress: number;
  /** Null: lives with family and pays nothing. */
  readonly housing: 'Rent' | 'Own' | null;
  readonly employer: string;
  readonly employment: string;
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
const TOWNS = [
  ['Exampleton', 'Example County', 'OH'],
  ['Port Pretend', 'Notional County', 'FL'],
  ['Mock Springs', 'Sample County', 'TX'],
  ['Fabricville', 'Specimen County', 'GA'],
  ['Mount Placebo', 'Fiction County', 'CO'],
  ['Lake Invented', 'Assumed County', 'MI'],
] as const;
const EMPLOYERS = [
  'Example Freight',
  'Sample Foods',
  'Pretend Clinic',
  'Mockingbird Schools',
  'Placeholder Steel',
  'Notional Water',
];
const AREA_CODES = ['202', '303', '404', '512', '614', '813'];
/** The ranges that the Social Security Administration never issues. */
const NEVER_ISSUED = ['000', '666', '900', '911', '928', '947', '963', '978', '999'];

export function inventApplicant(of: SeededRandom, n: number, on: PlainDate): Applicant {
  const firstName = of.pick(FIRST_NAMES);
  const lastName = of.pick(LAST_BEGINNINGS) + of.pick(LAST_ENDINGS);
  const born = addDays(on, -of.whole(7_700, 25_500));
  const streetNumber = String(of.whole(1, 9_899));
  const unit = of.oneIn(4) ? String(of.whole(1, 40)) : '';
  const [city, county, state] = of.pick(TOWNS);
  const phone = () => `${of.pick(AREA_CODES)}-555-01${of.digits(2)}`;
  return {
    firstName,
    lastName,
    middleInitial: of.oneIn(2) ? of.pick(['A', 'C', 'E', 'J', 'L', 'M', 'R', 'T']) : '',
    born,
    age: yearsBetween(born, on),
    ssn: `${of.pick(NEVER_ISSUED)}-${String(of.whole(1, 99)).padStart(2, '0')}-${of.digits(4)}`,
    email: `${firstName}.${lastName}.${n}@example.org`.toLowerCase(),
    phone: phone(),
    workPhone: phone(),
    streetNumber,
    unit,
    street: `${streetNumber} ${of.pick(STREETS)}${unit === '' ? '' : ` Unit ${unit}`}`,
    city,
    county,
    state,
    zip: `000${of.digits(2)}`,
    monthsAtAddress: of.whole(3, 240),
    housing: of.pick(['Rent', 'Rent', 'Own', 'Own', null] as const),
    employer: of.pick(EMPLOYERS),
    employment: of.pick(['Full Time', 'Full Time', 'Full Time', 'Part Time', 'Self Employed']),
    monthsEmployed: of.whole(4, 260),
  };
}

function yearsBetween(born: PlainDate, on: PlainDate): number {
  const [year] = parts(born);
  const [now] = parts(on);
  const birthday = daysBetween(born, on) >= 0 && born.slice(5) <= on.slice(5);
  return now - year - (birthday ? 0 : 1);
}
