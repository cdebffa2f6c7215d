/** Whether a vehicle identification number is valid. */
import { VIN, vinCheckDigit } from '../core/vin.ts';

export type VinCheck = 'fits' | 'absent' | 'impossible';

export function checkVin(text: string, modelYear: number | null): VinCheck {
  const vin = text.trim().toUpperCase();
  if (vin === '') return 'absent';
  if (!VIN.test(vin)) return 'impossible';
  // Vehicles of model years before 1981 had numbers without a check digit.
  if (modelYear !== null && modelYear < 1981) return 'fits';
  return vin.charAt(8) === vinCheckDigit(vin) ? 'fits' : 'impossible';
}
