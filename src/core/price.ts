/**
 * The value of expected cash flows: discounted at a required yield, and the yield at a given price. Flows are at whole
 * months, so a rate a year is twelve times the rate of a month ("simple", as a contract states it), and the same rate with interest on
 * interest ("compounding") is (1 + monthly)^12 − 1. Gross is what is paid, net what is left after the servicing fee.
 *
 * Rates are floating point by + − × ÷ alone, so that every machine computes the same digits.
 */
import type { CashflowRow } from './forecast.ts';
import { type Cents, cents } from './money.ts';

export type Price = {
  /** The worth of the gross flows, and that of the net ones: the fair value. */
  readonly presentValue: Cents;
  readonly fairValue: Cents;
  /** By row. They add up to the two above: each shows the difference of rounded sums. */
  readonly presentValues: readonly Cents[];
  readonly fairValues: readonly Cents[];
  /** Fractions a year, at what was paid for the flows. */
  readonly simpleIrr: number;
  readonly simpleNetIrr: number;
  readonly compoundingIrr: number;
  readonly compoundingNetIrr: number;
};

/** `rows` begin with month 0, in which the `paid` amount goes out. `discountPercent` is a simple rate a year. */
export function priceOf(
  rows: readonly CashflowRow[],
  { paid, discountPercent }: { paid: Cents; discountPercent: number },
): Price {
  const gross: number[] = [];
  const net: number[] = [];
  for (const row of rows) {
    gross.push(row.totalPaid);
    net.push(row.totalPaidLessFees);
  }
  const presentValues = discounted(gross, discountPercent);
  const fairValues = discounted(net, discountPercent);
  const grossRate = monthlyRate(gross, paid);
  const netRate = monthlyRate(net, paid);
  return {
    presentValue: sum(presentValues),
    fairValue: sum(fairValues),
    presentValues,
    fairValues,
    simpleIrr: grossRate * 12,
    simpleNetIrr: netRate * 12,
    compoundingIrr: compounded(grossRate),
    compoundingNetIrr: compounded(netRate),
  };
}

/** The fair value alone. */
export function fairValueOf(rows: readonly CashflowRow[], discountPercent: number): Cents {
  const step = 1 / (1 + discountPercent / 1200);
  let [factor, worth] = [1, 0];
  for (const { totalPaidLessFees } of rows) {
    worth += totalPaidLessFees * factor;
    factor *= step;
  }
  return cents(Math.round(worth));
}

function discounted(flows: readonly number[], percent: number): Cents[] {
  const step = 1 / (1 + percent / 1200);
  const values: Cents[] = [];
  let factor = 1;
  let worth = 0;
  let told = 0;
  for (let month = 0; month < flows.length; month++) {
    worth += (flows[month] as number) * factor;
    factor *= step;
    const rounded = Math.round(worth);
    values.push(cents(rounded - told));
    told = rounded;
  }
  return values;
}

function sum(amounts: readonly Cents[]): Cents {
  let total = 0;
  for (const amount of amounts) total += amount;
  return cents(total);
}

/** The rate of a year with interest on interest: (1 + i)^12 − 1. */
export function compounded(monthly: number): number {
  const cubed = (1 + monthly) * (1 + monthly) * (1 + monthly);
  const sixth = cubed * cubed;
  return sixth * sixth - 1;
}

/** Newton's method doubles the right digits each turn; from any start a monthly rate is settled in a dozen turns. */
const MAX_TURNS = 200;

/**
 * The rate of a month at which flows of months 1, 2, … are worth what was paid for them. Solved for the discount of a month, v = 1 ÷ (1 +
 * i): the flows are a polynomial in v that rises and curves upwards where they are positive, so that Newton's method converges on the root
 * from any v above it. Flows that are worth nothing at all lose everything: −1.
 */
export function monthlyRate(flows: readonly number[], paid: number): number {
  if (paid <= 0) return 0;
  let all = 0;
  for (let month = 1; month < flows.length; month++) all += flows[month] as number;
  if (all <= 0) return -1;
  let discount = 1;
  // A root above 1 is a negative rate: the start has to be above it too.
  for (let turn = 0; turn < MAX_TURNS && valueAt(flows, discount).value < paid; turn++) discount *= 1.05;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const { value, slope } = valueAt(flows, discount);
    if (!(slope > 0)) break;
    const next = discount - (value - paid) / slope;
    if (!(next > 0) || next === discount) break;
    const step = next > discount ? next - discount : discount - next;
    discount = next;
    if (step < 1e-15 * discount) break;
  }
  return 1 / discount - 1;
}

function valueAt(flows: readonly number[], discount: number): { value: number; slope: number } {
  let value = 0;
  let slope = 0;
  for (let month = flows.length - 1; month >= 1; month--) {
    slope = slope * discount + value;
    value = value * discount + (flows[month] as number);
  }
  // The polynomial has no constant term: the sum so far is the value divided by v.
  return { value: value * discount, slope: slope * discount + value };
}
