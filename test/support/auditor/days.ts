/** Days of the simulation as text, counted without the engine's calendar. */
export function plusDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

export function daysFrom(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000;
}

/** The same day of the month so many months later, or that month's last. */
export function plusMonths(day: string, count: number): string {
  const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + count, Math.min(dayOfMonth, last))).toISOString().slice(0, 10);
}

export function monthEnd(day: string): string {
  return plusDays(plusMonths(`${day.slice(0, 7)}-01`, 1), -1);
}

/** An amount of the API in cents, as `1234.5` or `-0.07`. */
export function inCents(text: string): bigint {
  const [, sign, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`${text} is no amount.`);
  const cents = BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'));
  return sign === '-' ? -cents : cents;
}

export function asText(cents: number): string {
  return (cents / 100).toFixed(2);
}
