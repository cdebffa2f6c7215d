/**
 * Formats figures and dates. Amounts on the wire are text like "13,921.15", "25" or "-3.5": they are shown with two decimals always and
 * are added as whole cents, never as floating-point numbers.
 */

const AMOUNT = /^(-?)([\d,]{1,30})(?:\.(\d{0,2}))?$/;

/** Whole cents of an amount on the wire; null if it is none. */
export function cents(amount: string | null | undefined): bigint | null {
  const parts = AMOUNT.exec((amount ?? '').trim());
  if (parts === null) return null;
  const digits = (parts[2] ?? '').replaceAll(',', '');
  if (digits === '') return null;
  const value = BigInt(digits) * 100n + BigInt((parts[3] ?? '').padEnd(2, '0'));
  return parts[1] === '-' ? -value : value;
}

/** 1392115n as "13,921.15", with a real minus for negative amounts. */
export function fromCents(value: bigint): string {
  const absolute = value < 0n ? -value : value;
  const whole = (absolute / 100n).toLocaleString('en-US');
  return `${value < 0n ? '−' : ''}${whole}.${(absolute % 100n).toString().padStart(2, '0')}`;
}

/** An amount of the wire with two decimals; an em dash where there is none. */
export function money(amount: string | null | undefined): string {
  const value = cents(amount);
  return value === null ? '—' : fromCents(value);
}

const FORECAST = /^(-?[\d,]{1,30})\.(\d{2})(\d)\d{0,3}$/;

/** Whole cents of a forecast, which may have more decimals than an amount: half away from zero. */
export function forecastCents(amount: string | null | undefined): bigint | null {
  const [, whole, hundredths, next = '0'] = FORECAST.exec((amount ?? '').trim()) ?? [];
  if (whole === undefined) return cents(amount);
  const value = cents(`${whole}.${hundredths}`);
  if (value === null || next < '5') return value;
  return whole.startsWith('-') ? value - 1n : value + 1n;
}

/** A forecast with two decimals; an em dash where there is none. */
export function forecastMoney(amount: string | null | undefined): string {
  const value = forecastCents(amount);
  return value === null ? '—' : fromCents(value);
}

/** As the API takes it: "506.20". */
export function plainAmount(value: bigint): string {
  return fromCents(value).replaceAll(',', '').replace('−', '-');
}

/** Converts a typed amount to the form that the API takes; null if it is not an amount. */
export function typedAmount(text: string): string | null {
  const value = cents(text.replaceAll(/[\s$]/g, ''));
  return value === null ? null : plainAmount(value);
}

/** "7.25" as "7.25 %". */
export function percent(text: string | number | null | undefined): string {
  if (text === null || text === undefined || text === '') return '—';
  const value = Number(text);
  return Number.isFinite(value) ? `${value.toFixed(2).replace('-', '−')} %` : '—';
}

/** "0.105128" as "10.51 %". */
export function share(text: string | number | null | undefined): string {
  if (text === null || text === undefined || text === '') return '—';
  return percent(Number(text) * 100);
}

export function count(value: number | string | null | undefined): string {
  if (value === null || value === undefined || value === '') return '—';
  return Number(String(value).replaceAll(',', '')).toLocaleString('en-US');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "2026-11-15" as "Nov 15, 2026". */
export function day(date: string | null | undefined): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d)/.exec(date ?? '');
  if (parts === null) return '—';
  return `${MONTHS[Number(parts[2]) - 1] ?? parts[2]} ${Number(parts[3])}, ${parts[1]}`;
}

/** "2026-11" or a day of it as "Nov 2026". */
export function month(date: string | null | undefined): string {
  const parts = /^(\d{4})-(\d\d)/.exec(date ?? '');
  return parts === null ? '—' : `${MONTHS[Number(parts[2]) - 1] ?? parts[2]} ${parts[1]}`;
}

/** A moment in the reader's own time zone: "Nov 15, 2026, 14:05". */
export function moment(at: string | number | null | undefined): string {
  if (at === null || at === undefined || at === '') return '—';
  const date = new Date(typeof at === 'string' && /^\d[\d,]*$/.test(at) ? Number(at.replaceAll(',', '')) : at);
  if (Number.isNaN(date.getTime())) return '—';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${MONTHS[date.getMonth()]} ${date.getDate()}, ${date.getFullYear()}, ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** "daysPastDue", "loan-repay" or "30_days" as words: "Days past due", "Loan repay". */
export function words(name: string): string {
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]/g, ' ')
    .trim();
  if (spaced === '') return '';
  const lower = spaced
    .split(/ +/)
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** 0x425660…a02b */
export const shortHash = (hash: string): string => (hash.length > 20 ? `${hash.slice(0, 8)}…${hash.slice(-4)}` : hash);
