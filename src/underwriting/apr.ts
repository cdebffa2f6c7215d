/** The annual percentage rate of a deal: quickly for the rules, and exactly for the disclosure. */
import { daysBetween, PER_YEAR, type PlainDate, stepDate } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, ZERO } from '../core/money.ts';
import { monthlyRate } from '../core/price.ts';
import { isRefusal } from '../core/refusal.ts';
import type { Schedule } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { truthInLending } from '../core/truth-in-lending.ts';

/**
 * The annual percentage rate for the rules, in floating point: the rate of a payment period times the periods of a year, which is what
 * Appendix J gives when all periods are alike. The odd part of a first period bears simple interest. It is accurate
 * within a few hundredths of a point, and the rules allow an eighth.
 */
export function aprOf(contract: Contract, { rows }: Schedule, start: PlainDate, prepaid: Cents): number | null {
  const financed = contract.amount - prepaid;
  if (financed <= 0) return null;
  const perYear = PER_YEAR[contract.frequency];
  const late = oddPeriods(contract, start, (rows[0] as { dueDate: PlainDate }).dueDate);
  // Whole periods without a payment are periods like others.
  const whole = Math.max(0, Math.floor(late + 1e-9));
  const odd = late - whole;
  const flows = new Array<number>(whole + 1).fill(0);
  for (const { payment } of rows) flows.push(payment);
  let rate = monthlyRate(flows, financed);
  if (odd !== 0) for (let turn = 0; turn < 4; turn++) rate = monthlyRate(flows, financed * (1 + odd * rate));
  return Math.max(0, rate * perYear * 100);
}

/** By how many periods the first one is longer than the others. */
function oddPeriods({ frequency }: Contract, start: PlainDate, first: PlainDate): number {
  const regular = stepDate(start, frequency, 1);
  return first === regular ? 0 : daysBetween(regular, first) / (365 / PER_YEAR[frequency]);
}

/** The APR as disclosed, exactly by the regulation. It takes a millisecond, so it is computed only for a deal that is shown. */
export function disclosedApr(contract: Contract, start: PlainDate, prepaid: Cents): string | null {
  const terms = termsOf(contract, start);
  const disclosed = isRefusal(terms) ? terms : truthInLending(terms, { prepaid, financed: ZERO });
  return isRefusal(disclosed) ? null : disclosed.aprPercent;
}
