/** What reports slice by and compare with, from the file of a loan: its grade, its state, and what was predicted of the deal it was funded with. */
import { parseExactDecimal, roundedText } from '../core/decimal.ts';
import { isGrade } from '../core/grade.ts';
import { divide, parseCents } from '../core/money.ts';

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

/** Of the principal that was predicted to be paid or charged off, which is all of it. */
function lossOf({ predictedPrincipalPaid, predictedChargeoffAmount, predictedRecoveredAmount }: Predicted) {
  const [paid, chargedOff, recovered] = [
    predictedPrincipalPaid,
    predictedChargeoffAmount,
    predictedRecoveredAmount || '0',
  ].map((text) => parseCents(text));
  if (typeof paid !== 'number' || typeof chargedOff !== 'number' || typeof recovered !== 'number') return null;
  if (paid + chargedOff <= 0) return null;
  const lost = BigInt(Math.max(0, chargedOff - recovered)) * 10n ** BigInt(DECIMALS + 2);
  return roundedText({ digits: divide(lost, BigInt(paid + chargedOff), 'half-up'), scale: DECIMALS }, DECIMALS);
}
