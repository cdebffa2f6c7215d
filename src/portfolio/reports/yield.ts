/** The yield of the balance for a year, beside the yield that underwriting predicted. */
import { monthOf, shareOfMonth } from '../months.ts';
import { annualYield, type MonthEarned, type Ratio, ratio } from '../rates.ts';
import { DECIMALS, type SumName, type Sums } from '../sums.ts';
import { count, type Dated, type Layout, money, percent, type Row, text } from './report.ts';

export const YIELD: Layout = {
  keys: [
    text(
      'period',
      'A month, such as `2026-10`, or the last twelve months together (`last12Months`), or all of them (`life`).',
    ),
    count('months', 'Months in the period; the current month counts as one and is weighted by its days.'),
  ],
  columns: [
    money('interest', 'Interest received.'),
    money('fees', 'Fees received.'),
    money('chargedOff', 'Principal charged off.'),
    money('recoveries', 'All money received after a charge-off, less amounts owed back.'),
    money('forgiven', 'Principal forgiven in settlements and waivers.'),
    money('income', 'Interest, fees and recoveries, less amounts charged off and forgiven.'),
    money('averageBalance', 'The average of the months’ balances, each the mean of its opening and closing balance.'),
    percent('realized', 'Income for a year in percent of the average balance; null without a balance.'),
    percent(
      'predicted',
      'Yield that underwriting predicted, weighted by the balances of the same months; null if none was predicted.',
    ),
    percent('difference', 'Realized less predicted.'),
    percent('predictedShare', 'Percent of the balance for which there is a prediction.'),
  ],
};

export const YIELD_SUMS: readonly SumName[] = [
  ...([
    'interestReceived',
    'feesReceived',
    'chargedOff',
    'recovered',
    'forgiven',
    'openingPrincipal',
    'principal',
  ] as const),
  ...(['predictedYieldOpening', 'predictedYieldPrincipal', 'predictedOpening', 'predictedPrincipal'] as const),
];

export function yieldRows(all: readonly Dated[]): Row[] {
  const began = all.findIndex(({ sums }) => sums.openingPrincipal + sums.principal > 0n);
  const months = began === -1 ? [] : all.slice(began);
  if (months.length === 0) return [];
  const rows = months.map((one) => rowOf(monthOf(one.date), [one]));
  return [...rows, rowOf('last12Months', months.slice(-12)), rowOf('life', months)];
}

function incomeOf({ interestReceived, feesReceived, recovered, chargedOff, forgiven }: Sums): bigint {
  return interestReceived + feesReceived + recovered - chargedOff - forgiven;
}

function rowOf(period: string, months: readonly Dated[]): Row {
  const sum = (of: (sums: Sums) => bigint) => months.reduce((all, { sums }) => all + of(sums), 0n);
  const earned = months.map(
    ({ date, sums }): MonthEarned => ({
      income: incomeOf(sums),
      twiceBalance: sums.openingPrincipal + sums.principal,
      ...shareOfMonth(date),
    }),
  );
  const realized = annualYield(earned);
  const predicted = predictedOf(months);
  const [balances, predictable] = [
    sum((s) => s.openingPrincipal + s.principal),
    sum((s) => s.predictedOpening + s.predictedPrincipal),
  ];
  return {
    period,
    months: BigInt(months.length),
    interest: sum((s) => s.interestReceived),
    fees: sum((s) => s.feesReceived),
    chargedOff: sum((s) => s.chargedOff),
    recoveries: sum((s) => s.recovered),
    forgiven: sum((s) => s.forgiven),
    income: sum(incomeOf),
    averageBalance: roundedHalfUp(balances, 2n * BigInt(months.length)),
    realized,
    predicted,
    difference: realized === null || predicted === null ? null : differenceOf(realized, predicted),
    predictedShare: ratio(predictable, balances),
  };
}

/** Σ (yield × balance × share of the month) ÷ Σ (balance × share of the month), over the loans that have a prediction. */
function predictedOf(months: readonly Dated[]): Ratio | null {
  const weighted = months.map(({ date, sums }) => ({
    yields: sums.predictedYieldOpening + sums.predictedYieldPrincipal,
    balance: sums.predictedOpening + sums.predictedPrincipal,
    share: shareOfMonth(date),
  }));
  // A common multiple of the lengths of months: shares are whole numbers of it.
  const common = 28n * 29n * 30n * 31n;
  const parts = ({ days, of }: { days: number; of: number }) => (common / BigInt(of)) * BigInt(days);
  const over = weighted.reduce((all, { yields, share }) => all + yields * parts(share), 0n);
  const under = weighted.reduce((all, { balance, share }) => all + balance * parts(share), 0n);
  return ratio(over, under * 10n ** BigInt(DECIMALS + 2));
}

function differenceOf(a: Ratio, b: Ratio): Ratio {
  return { over: a.over * b.under - b.over * a.under, under: a.under * b.under };
}

function roundedHalfUp(over: bigint, under: bigint): bigint {
  return (2n * over + under) / (2n * under);
}
