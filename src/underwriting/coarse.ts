/**
 * Income and debts as the public record may show them. The payments of sixty deals are public to the cent; if their ratios, default
 * probabilities or decisions came from one exact income, it could be computed from them, however they are rounded. So nothing public is
 * computed from the exact amounts: both are rounded first, to the nearest power of 1.1 dollars (5 % up or down), and comparing public
 * figures reveals no more than these two rounded amounts.
 */
import { type Cents, cents } from '../core/money.ts';

/** Powers of 1.1 dollars in whole cents, as far as amounts go (15 digits). */
const STEPS: readonly number[] = steps();

function steps(): number[] {
  const list: number[] = [];
  let [top, bottom] = [100n, 1n];
  while (top / bottom <= 10n ** 15n) {
    list.push(Number((2n * top + bottom) / (2n * bottom)));
    top *= 11n;
    bottom *= 10n;
  }
  return list;
}

/** The nearest step; less than half a dollar is zero. */
export function coarse(amount: Cents): Cents {
  if (amount < 50) return cents(0);
  let [low, high] = [0, STEPS.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((STEPS[middle] as number) <= amount) low = middle;
    else high = middle;
  }
  const [below, above] = [STEPS[low] as number, STEPS[high] as number];
  return cents(amount - below < above - amount ? below : above);
}

/** Whole percent, as a fraction: 0.09. The ratio is capped at 200 percent, which also represents no income at all. */
export function wholePercentOf(part: number, income: number): string {
  const percent =
    income === 0 ? (part === 0 ? 0 : 200) : Math.min(200, Math.floor((200 * part + income) / (2 * income)));
  return String(percent / 100);
}
