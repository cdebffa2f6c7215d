/** Another system's forecast of a loan: amounts and fractions, and the macroeconomic figures behind them. */
import { roundedText } from '../core/decimal.ts';
import type { Reader } from '../core/reader.ts';
import type { Span } from './json-source.ts';
import { type Own, textsOf } from './own-members.ts';
import { membersAt } from './record-parts.ts';

const FORECAST_AMOUNTS = [
  'predictedPrincipalPaid',
  'predictedInterestPaid',
  'predictedChargeoffAmount',
  'predictedRecoveredAmount',
  'predictedGrossCashflow',
  'predictedNetCashflow',
  'fairValuePrice',
] as const;

type Forecast = Readonly<
  Record<(typeof FORECAST_AMOUNTS)[number] | 'defaultProbability' | 'predictedYield' | 'apr', string>
>;

/** Amounts and fractions as they will be shown, without thousands separators. Amounts keep the decimals that they were given with. */
export function readForecast(read: Reader, own: Own): Forecast {
  const amounts = FORECAST_AMOUNTS.map((name) => {
    const text = own[name];
    if (text === undefined) return [name, ''];
    // Only figures net of losses can be negative.
    const negative = name === 'predictedNetCashflow' && text.startsWith('-');
    const holder = negative ? { [name]: text.slice(1) } : own;
    return [name, (negative ? '-' : '') + read.fineAmount(holder, name, '')];
  });
  const fraction = (name: string, fits: (digits: bigint, one: bigint) => boolean, range: string) => {
    if (own[name] === undefined) return '';
    const decimal = read.exactDecimal(own, name, '');
    if (!fits(decimal.digits, 10n ** BigInt(decimal.scale))) {
      read.note(`/${name}`, { code: 'range', detail: `Must be a fraction ${range}: 0.0725 means 7.25 %.` });
    }
    const plain = (own[name] as string).replaceAll(',', '');
    return /\.\d{7}/.test(plain) ? roundedText(decimal, 6) : plain;
  };
  return {
    ...(Object.fromEntries(amounts) as Record<(typeof FORECAST_AMOUNTS)[number], string>),
    defaultProbability: fraction('defaultProbability', (x, one) => x >= 0n && x <= one, 'from 0 to 1'),
    predictedYield: fraction('predictedYield', (x, one) => x >= -one && x <= 100n * one, 'from -1 to 100'),
    apr: fraction('apr', (x, one) => x >= 0n && x <= 100n * one, 'from 0 to 100'),
  };
}

/** Percentages: four digits before the point and ten after it are enough, and leave no room for personal numbers. */
const SHORT_NUMBER = /^-?(0|[1-9]\d{0,3})(\.\d{1,10})?([eE][+-]?\d)?$/;

/** Numbers, by their text; those that came as strings become numbers. */
export function readMacro(read: Reader, source: string, span: Span | undefined): string {
  const shown = Object.entries(textsOf(source, membersAt(source, span))).map(([name, text]) => {
    if (!SHORT_NUMBER.test(text)) {
      const detail = 'Must be a number such as 4.1, below 10,000, with at most ten decimals.';
      read.note(`/macroEconomicFeatures/${name}`, { code: 'format', detail });
    }
    return `"${name}":${text}`;
  });
  return `{${shown.join(',')}}`;
}
