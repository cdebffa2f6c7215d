/** A car with a value and a VIN that is valid in form but belongs to no car: its maker (1Z9…DBK) does not exist. */
import type { SeededRandom } from '../bureau/simulator/random.ts';
import { type PlainDate, parts } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';
import { vinCheckDigit } from '../core/vin.ts';

export type Vehicle = {
  readonly make: string;
  readonly model: string;
  readonly year: number;
  readonly age: number;
  readonly mileage: number;
  readonly vin: string;
  readonly retail: Cents;
  readonly wholesale: Cents;
};

/** Make, model and price when new, in dollars. */
const MODELS = [
  ['Honda', 'Accord', 29_500],
  ['Honda', 'CR-V', 32_300],
  ['Toyota', 'Camry', 28_900],
  ['Toyota', 'RAV4', 31_400],
  ['Toyota', 'Tacoma', 36_200],
  ['Ford', 'F-150', 43_800],
  ['Ford', 'Escape', 30_100],
  ['Chevrolet', 'Equinox', 29_900],
  ['Chevrolet', 'Silverado', 44_600],
  ['Nissan', 'Rogue', 30_700],
  ['Hyundai', 'Elantra', 23_400],
  ['Kia', 'Sorento', 33_800],
  ['Subaru', 'Outback', 33_100],
  ['Mazda', 'CX-5', 31_200],
] as const;

/** Older cars are not bought on long terms. */
export function inventVehicle(of: SeededRandom, n: number, { on, months }: { on: PlainDate; months: number }): Vehicle {
  const [make, model, priceNew] = of.pick(MODELS);
  const age = of.whole(0, months > 60 ? 4 : 7);
  const year = parts(on)[0] - age;
  // A fifth in the first year, then an eighth of what is left: rounded to five dollars, as price guides do.
  const worth = priceNew * (age === 0 ? 1 : 0.8 * 0.875 ** (age - 1)) * (of.whole(94, 106) / 100);
  const retail = cents(Math.round(worth / 5) * 500);
  return {
    make,
    model,
    year,
    age,
    mileage: age === 0 ? of.whole(8, 400) : age * of.whole(8_500, 14_500),
    vin: vinOf(of, n, year),
    retail,
    wholesale: cents(Math.round((retail * of.whole(84, 90)) / 50_000) * 500),
  };
}

const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ';
/** Model years of 1980 to 2009 and again from 2010 on (49 CFR 565.15). */
const YEARS = 'ABCDEFGHJKLMNPRSTVWXY123456789';

/** The third character 9 marks a maker of few vehicles, named by characters 12 to 14; DBK is not assigned. */
function vinOf(of: SeededRandom, n: number, year: number): string {
  const letter = () => LETTERS.charAt(of.whole(0, LETTERS.length - 1));
  const model = letter() + letter() + letter() + of.digits(2);
  const serial = String(n % 1_000).padStart(3, '0');
  const without = `1Z9${model}0${YEARS.charAt((year - 1980) % 30)}${letter()}DBK${serial}`;
  return `${without.slice(0, 8)}${vinCheckDigit(without)}${without.slice(9)}`;
}
