/** The financed vehicle: from `loanInfo`, otherwise from the application. */
import { isPublicName } from '../core/personal-text.ts';
import type { Reader } from '../core/reader.ts';
import { VIN, vinCheckDigit } from '../core/vin.ts';
import type { LoanFile } from './file.ts';

/** `vin` is personal data: it can be used to find the owner. */
export type Vehicle = LoanFile['vehicle'] & { readonly make: string; readonly model: string; readonly vin: string };

/** `given` holds the members of `loanInfo` that have a value; `application` those of `Request.VehicleInfo`, of which nothing is certain. */
export function readVehicle(
  read: Reader,
  given: Readonly<Record<string, string>>,
  application: ReadonlyMap<string, string>,
  at: string,
): Vehicle {
  const year = own('year', /^\d{4}$/, 'a four-digit year');
  const vehicle = {
    make: name('make') ?? fittingName(application.get('VehicleMake')),
    model: name('model') ?? fittingName(application.get('VehicleModel')),
    year: year ?? fitting(application.get('VehicleYear'), /^\d{4}$/),
    age: own('age', AGE, 'a whole number of years') ?? fitting(application.get('VehicleAge'), AGE),
    mileage: own('mileage', MILEAGE, 'a whole number of miles') ?? fitting(application.get('VehicleMileage'), MILEAGE),
  };
  return { ...vehicle, vin: vin() };

  function own(name: string, pattern: RegExp, expected: string): string | undefined {
    const text = given[name];
    if (text === undefined) return undefined;
    if (!pattern.test(text)) read.note(`${at}/${name}`, { code: 'format', detail: `Must be ${expected}.` });
    return text.replaceAll(',', '').replace(/\.0+$/, '');
  }

  /** Public. */
  function name(of: 'make' | 'model'): string | undefined {
    const text = given[of];
    if (text !== undefined && !isPublicName(text)) {
      const detail = 'Must be a name of at most 60 letters, digits and common punctuation, without personal data.';
      read.note(`${at}/${of}`, { code: 'format', detail });
    }
    return text;
  }

  function vin(): string {
    const asked = (application.get('VehicleVIN') ?? '').trim().toUpperCase().slice(0, 64);
    if (given.vin === undefined) return asked;
    const text = given.vin.toUpperCase();
    const mistake = vinMistake(text, year);
    if (mistake !== null) read.note(`${at}/vin`, mistake);
    else if (VIN.test(asked) && asked !== text) {
      const detail = 'Request.VehicleInfo.VehicleVIN has a different VIN; both must be the same.';
      read.note(`${at}/vin`, { code: 'contradiction', detail });
    }
    return text;
  }
}

/** Whole, with separators in their places or without; some writers add ".0". */
const AGE = /^\d{1,3}(\.0{1,9})?$/;
const MILEAGE = /^(\d{1,7}|\d{1,3}(,\d{3}){1,2})(\.0{1,9})?$/;

/** The application is free text: values that do not match the format are not made public. */
function fitting(text: string | undefined, pattern: RegExp): string {
  return text !== undefined && pattern.test(text) ? text.replaceAll(',', '').replace(/\.0+$/, '') : '';
}

function fittingName(text: string | undefined): string {
  const name = (text ?? '').length > 100 ? '' : (text ?? '').trim();
  return isPublicName(name) ? name : '';
}

function vinMistake(vin: string, year: string | undefined): { code: string; detail: string } | null {
  if (!VIN.test(vin)) return { code: 'format', detail: 'A VIN must have 17 letters and digits, without I, O and Q.' };
  // Vehicles of model years before 1981 had numbers without a check digit.
  if ((year !== undefined && Number(year) < 1981) || vin.charAt(8) === vinCheckDigit(vin)) return null;
  return {
    code: 'check_digit',
    detail: 'The check digit of the VIN (ninth character) is wrong; check the VIN for typing errors.',
  };
}

/** Make, model and year are in the first eleven characters; the rest identifies the vehicle. Nothing is shown of a value that is not a VIN. */
export function maskedVin(vin: string): string {
  if (vin === '') return '';
  return VIN.test(vin) ? `${vin.slice(0, 11)}******` : '*'.repeat(17);
}
