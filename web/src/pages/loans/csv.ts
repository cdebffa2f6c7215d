/** A file of comma-separated values, as RFC 4180 has it, that a spreadsheet opens without running anything. */

const NUMBER = /^-?\d{1,30}(?:\.\d{1,10})?$/;
/** A spreadsheet takes text that begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvLine(values: readonly string[]): string {
  return `${values.map(csvValue).join(',')}\r\n`;
}

function csvValue(value: string): string {
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** "Daybook loans 2026-11-17.csv", with the name of the view where it has one. */
export function csvName(view: string | undefined, today: string): string {
  const name = (view ?? '').replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim();
  return `Daybook loans${name === '' ? '' : ` ${name}`} ${today}.csv`;
}
