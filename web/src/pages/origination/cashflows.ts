/** The expected cash flows of a deal, from its CSV or from that of the record. Its months add up to the figures of the deal, to the cent. */
import { cents } from '../../format.ts';

export type Flow = {
  month: number;
  /** The day on which the month ends. */
  date: string;
  principal: bigint;
  interest: bigint;
  chargeoff: bigint;
  recovered: bigint;
  servicing: bigint;
  /** Principal, interest and recoveries less servicing. */
  net: bigint;
  balance: bigint;
};

const AMOUNTS = {
  principal: 'PrincipalPaid',
  interest: 'InterestPaid',
  chargeoff: 'ChargeoffAmount',
  recovered: 'RecoveredAmount',
  servicing: 'ServicingFee',
  net: 'TotalPaidLessFees',
  balance: 'EndingBalance',
} as const;

/**
 * The rows of one deal, month 0 first. Columns are found by their names. A CSV that was handed over with a loan may have the rows of sixty
 * deals, nearly a megabyte, so only the lines of the deal are taken apart: its number is the last column. Empty where a column is missing
 * or an amount is none.
 */
export function readFlows(csv: string, dealIndex: number): Flow[] {
  const end = csv.indexOf('\n');
  const head = csv
    .slice(0, end < 0 ? undefined : end)
    .trim()
    .split(',');
  const at = (name: string) => head.indexOf(name);
  const columns = Object.entries(AMOUNTS).map(([key, name]) => [key, at(name)] as const);
  const [month, date, row] = [at('Month'), at('Date'), at('row_no')];
  if (end < 0 || [month, date, ...columns.map(([, n]) => n)].includes(-1)) return [];
  const flows: Flow[] = [];
  for (const line of csv.slice(end + 1).split('\n')) {
    if (row === head.length - 1 ? !line.trimEnd().endsWith(`,${dealIndex}`) : line.trim() === '') continue;
    const values = line.trimEnd().split(',');
    if (row >= 0 && values[row] !== String(dealIndex)) continue;
    const amounts = columns.map(([key, n]) => [key, cents(values[n])] as const);
    if (amounts.some(([, amount]) => amount === null)) return [];
    flows.push({ month: Number(values[month]), date: values[date] ?? '', ...(Object.fromEntries(amounts) as Amounts) });
  }
  return flows;
}
type Amounts = Record<keyof typeof AMOUNTS, bigint>;

/** Totals over the expected months. */
export function totals(flows: readonly Flow[]): Omit<Amounts, 'balance'> {
  const sum = (key: keyof typeof AMOUNTS) => flows.reduce((all, flow) => all + flow[key], 0n);
  return {
    principal: sum('principal'),
    interest: sum('interest'),
    chargeoff: sum('chargeoff'),
    recovered: sum('recovered'),
    servicing: sum('servicing'),
    net: sum('net'),
  };
}
