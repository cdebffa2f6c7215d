/** Whether a vehicle identification number can be one: 17 characters without I, O and Q, the ninth a check digit (49 CFR 565.13, 565.15). */
const FORM = /^[A-HJ-NPR-Z0-9]{17}$/;
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
/** Letters stand for the digit of their column: A and J for 1, B, K and S for 2, … */
const LETTERS = ['', 'AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FW', 'GPX', 'HY', 'RZ'];

export type VinCheck = 'fits' | 'absent' | 'impossible';

export function checkVin(text: string, modelYear: number | null): VinCheck {
  const vin = text.trim().toUpperCase();
  if (vin === '') return 'absent';
  if (!FORM.test(vin)) return 'impossible';
  // Vehicles of model years before 1981 had numbers without a check digit.
  if (modelYear !== null && modelYear < 1981) return 'fits';
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += digitOf(vin.charAt(i)) * (WEIGHTS[i] as number);
  return vin.charAt(8) === (sum % 11 === 10 ? 'X' : String(sum % 11)) ? 'fits' : 'impossible';
}

function digitOf(character: string): number {
  const letter = LETTERS.findIndex((letters) => letters.includes(character));
  return letter > 0 ? letter : Number(character);
}
