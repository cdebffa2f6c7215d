/**
 * Characteristics that reports slice by and compare with, from the file of a loan: its grade, its state, and the predictions for the deal
 * it was funded with.
 */
import { parseExactDecimal, roundedText } from '../core/decimal.ts';
import { isGrade } from '../core/grade.ts';
import { divide } from '../core/money.ts';

export type Characteristics = {
  readonly grade: string | null;
  /** Two letters: where the borrower lived when the loan was created. */
  readonly state: string | null;
  /** Percent a year. */
  readonly predictedYield: string | null;
  /** Percent of the principal: charged off and not recovered. */
  readonly predictedLoss: string | null;
};

/** Texts as the file has them; empty: no value. */
export type Predicted = {
  readonly grade: string;
  readonly state: string;
  readonly predictedYield: string;
  readonly predictedPrincipalPaid: string;
  readonly predictedChargeoffAmount: string;
  readonly predictedRecoveredAmount: string;
};

export function characteristicsOf(file: Predicted): Characteristics {
  return {
    grade: isGrade(file.grade) ? file.grade : null,
    state: file.state || null,
    predictedYield: percentOf(file.predictedYield),
    predictedLoss: lossOf(file),
  };
}

const DECIMALS = 6;

/** A fraction as a percentage. */
function percentOf(text: string): string | null {
  const isNegative = text.startsWith('-');
  const fraction = text === '' ? null : parseExactDecimal(isNegative ? text.slice(1) : text);
  if (fraction === null) return null;
  const shown = roundedText({ digits: fraction.digits * 100n, scale: fraction.scale }, DECIMALS);
  return isNegative && Number(shown) !== 0 ? `-${shown}` : shown;
}

/** The predicted net loss as a percentage of the principal that was predicted to be paid or charged off, which is all of it. */
function lossOf({ predictedPrincipalPaid, predictedChargeoffAmount, predictedRecoveredAmount }: Predicted) {
  const [paid = null, chargedOff = null, recovered = null] = [
    predictedPrincipalPaid,
    predictedChargeoffAmount,
    predictedRecoveredAmount || '0',
  ].map(millionths);
  if (paid === null || chargedOff === null || recovered === null || paid + chargedOff === 0n) return null;
  const lost = chargedOff > recovered ? chargedOff - recovered : 0n;
  const share = divide(lost * 10n ** BigInt(DECIMALS + 2), paid + chargedOff, 'half-up');
  return roundedText({ digits: share, scale: DECIMALS }, DECIMALS);
}

/** Forecasts have up to six decimals. Null: no such amount. */
function millionths(text: string): bigint | null {
  const amount = parseExactDecimal(text);
  if (amount === null || amount.digits < 0n || amount.scale > 6) return null;
  return amount.digits * 10n ** BigInt(6 - amount.scale);
}
