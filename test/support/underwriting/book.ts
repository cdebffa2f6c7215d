/**
 * A second implementation of the forecast, without the service's code: plain sums over months, with the library's own exponential. Slow,
 * short, and easy to check by eye; the tests compare the engine with it to the cent.
 */
import type { Model } from '../../../src/underwriting/score.ts';

export type Expected = Record<
  'principal' | 'prepaid' | 'interest' | 'chargedOff' | 'recovered' | 'fee' | 'defaulted',
  number[]
>;

export function byTheBook(
  model: Model,
  logOdds: { default: number; prepay: number },
  loan: { amount: number; interest: readonly number[]; principal: readonly number[] },
  { recoveryRate, feePercent }: { recoveryRate: number; feePercent: number },
): Expected {
  const months = loan.interest.length;
  const lag = model.chargeOffLagMonths;
  const zeros = () => Array<number>(months + lag + model.recoveryLagMonths + 1).fill(0);
  const expected: Expected = {
    principal: zeros(),
    prepaid: zeros(),
    interest: zeros(),
    chargedOff: zeros(),
    recovered: zeros(),
    fee: zeros(),
    defaulted: zeros(),
  };
  let paying = 1;
  let balance = loan.amount;
  for (let month = 1; month <= months; month++) {
    const stops = share(model.default, logOdds.default, month);
    const early = share(model.prepay, logOdds.prepay, month);
    expected.fee[month] = (paying * balance * feePercent) / 1200;
    expected.defaulted[month] = paying * stops;
    expected.chargedOff[month + lag] = paying * stops * balance;
    expected.recovered[month + lag + model.recoveryLagMonths] = paying * stops * balance * recoveryRate;
    paying *= 1 - stops;
    expected.interest[month] = paying * (loan.interest[month - 1] as number);
    expected.principal[month] = paying * (loan.principal[month - 1] as number);
    balance -= loan.principal[month - 1] as number;
    expected.prepaid[month] = paying * early * balance;
    paying *= 1 - early;
  }
  return expected;
}

/** The logistic function of intercept, baseline and log-odds. */
function share({ intercept, baseline }: Model['default'], logOdds: number, month: number): number {
  const after = baseline.findIndex((knot) => knot.month >= month);
  const to = baseline[after] ?? baseline.at(-1);
  const from = after > 0 ? baseline[after - 1] : to;
  if (to === undefined || from === undefined) throw new Error('No baseline.');
  const part = to.month === from.month ? 0 : (month - from.month) / (to.month - from.month);
  const base = after < 0 ? to.logOdds : from.logOdds + part * (to.logOdds - from.logOdds);
  return 1 / (1 + Math.exp(-(intercept + base + logOdds)));
}
