/** Vehicle identification numbers: 17 characters without the letters that look like digits (49 CFR 565.13), the ninth a check digit. */
export const VIN = /^[A-HJ-NPR-Z0-9]{17}$/;

const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
/** Letters count as the digit of their column: A and J for 1, B, K and S for 2, … */
const LETTERS = ['', 'AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FW', 'GPX', 'HY', 'RZ'];

/** The required ninth character (49 CFR 565.15); the present ninth character does not count. */
export function vinCheckDigit(vin: string): string {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += digitOf(vin.charAt(i)) * (WEIGHTS[i] as number);
  return sum % 11 === 10 ? 'X' : String(sum % 11);
}

function digitOf(character: string): number {
  const letter = LETTERS.findIndex((letters) => letters.includes(character));
  return letter > 0 ? letter : Number(character);
}
