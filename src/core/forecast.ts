/**
 * The expected cash flows of a loan, month by month, when each month some borrowers stop paying permanently and some prepay in full.
 * Month 0 is the day of the disbursement; month m ends on the same day of the month, m months later. Within a month, in this order:
 *
 *   1. a share of the loans (the default hazard) pays nothing more; what they owe is charged off after a lag. Where the collateral is
 *      found it is sold, which brings at most what is owed; of what is then left a part is collected later;
 *   2. the others pay the installments of the month;
 *   3. of these, a share (the prepayment hazard) prepays the rest.
 *
 * Probabilities are floating point, money is not: every column is followed in expected cents, and a month shows the difference of the
 * rounded sums up to it and before it. So the months of a column add up to its rounded total, no month is negative, and what is paid
 * and what is charged off make up the loan to the cent. Only + − × ÷ and rounding are used, which every machine does alike.
 */
import { datesFrom, daysBetween, type PlainDate } from './calendar.ts';
import { type Cents, cents, ZERO } from './money.ts';

/** By month, the first entry for month 1: the share of the paying loans that stops, and of those that paid, the share that prepays. */
export type Hazards = { readonly default: readonly number[]; readonly prepay: readonly number[] };

export type ForecastTerms = {
  /** Principal that is owed at the start; the installments' principal adds up to it. */
  readonly amount: Cents;
  readonly start: PlainDate;
  readonly installments: readonly {
    readonly dueDate: PlainDate;
    readonly interest: Cents;
    readonly principal: Cents;
  }[];
  /** Months from the first missed payment to the charge-off. */
  readonly chargeOffLagMonths: number;
  readonly recovery: Recovery;
  /** Percent a year of the balance that still pays. */
  readonly servicingFeePercent: number;
};

/** The money that a defaulted loan brings in. */
export type Recovery = {
  /** Cents, by the month of the default, the first entry for month 1: the sale of the collateral less its costs. */
  readonly proceeds: readonly number[];
  /** The share of defaulted loans whose collateral is found and sold. */
  readonly foundShare: number;
  /** The share collected of what is owed after the sale. */
  readonly collectedShare: number;
  /** Months from the charge-off to the money of the sale, and to what is collected. */
  readonly saleLagMonths: number;
  readonly collectionLagMonths: number;
};

export type CashflowRow = {
  readonly month: number;
  readonly date: PlainDate;
  readonly beginningBalance: Cents;
  /** The contract's payments, without defaults and prepayments. */
  readonly scheduledPrincipal: Cents;
  readonly scheduledInterest: Cents;
  /** All principal received, `prepaid` included. */
  readonly principalPaid: Cents;
  readonly prepaid: Cents;
  readonly interestPaid: Cents;
  readonly chargedOff: Cents;
  readonly recovered: Cents;
  /** Principal, interest and recoveries. */
  readonly totalPaid: Cents;
  readonly servicingFee: Cents;
  readonly totalPaidLessFees: Cents;
  /** The balance that is not charged off, including loans that have stopped paying. */
  readonly endingBalance: Cents;
  /** Probability that the loan stops paying in this month, in millionths. */
  readonly defaultMillionths: number;
};

export type ForecastTotals = {
  readonly principalPaid: Cents;
  readonly prepaid: Cents;
  readonly interestPaid: Cents;
  readonly chargedOff: Cents;
  readonly recovered: Cents;
  /** Charged off and not recovered. */
  readonly netLoss: Cents;
  readonly totalPaid: Cents;
  readonly servicingFee: Cents;
  readonly totalPaidLessFees: Cents;
  readonly defaultMillionths: number;
};

export type Forecast = { readonly rows: readonly CashflowRow[]; readonly totals: ForecastTotals };

/** Longer than any loan: the bound of every loop here. */
const MAX_FORECAST_MONTHS = 1_300;

export function forecast(terms: ForecastTerms, hazards: Hazards): Forecast {
  const { amount, chargeOffLagMonths, recovery } = terms;
  const scheduled = byMonth(terms);
  const { last } = scheduled;
  const length = last + 1 + chargeOffLagMonths + longestLag(recovery);
  checkHazards(hazards, last);
  checkRecovery(recovery, last);

  const expected = emptyColumns(length);
  const feePerMonth = terms.servicingFeePercent / 1200;
  let paying = 1;
  let owed: number = amount;
  for (let month = 1; month <= last; month++) {
    const principal = scheduled.principal[month] as number;
    const stopped = paying * (hazards.default[month - 1] as number);
    const chargedOff = stopped * owed;
    expected.fee[month] = paying * owed * feePerMonth;
    expected.defaulted[month] = stopped * 1e6;
    expected.chargedOff[month + chargeOffLagMonths] = chargedOff;
    const sale = stopped * saleOf(recovery, month, owed);
    addTo(expected.recovered, month + chargeOffLagMonths + recovery.saleLagMonths, sale);
    const collected = (chargedOff - sale) * recovery.collectedShare;
    addTo(expected.recovered, month + chargeOffLagMonths + recovery.collectionLagMonths, collected);
    paying -= stopped;
    owed -= principal;
    expected.interest[month] = paying * (scheduled.interest[month] as number);
    expected.principal[month] = paying * principal;
    const early = paying * (hazards.prepay[month - 1] as number);
    expected.prepaid[month] = early * owed;
    paying -= early;
  }
  const totals = roundColumns(expected, length, amount);
  return { rows: toRows(terms, scheduled, expected, length), totals };
}

function longestLag({ saleLagMonths, collectionLagMonths }: Recovery): number {
  return Math.max(saleLagMonths, collectionLagMonths);
}

/**
 * The average proceeds of the sale, whether the collateral is found or not: never more than is owed, because a surplus is the borrower's.
 */
export function saleOf({ proceeds, foundShare }: Recovery, month: number, owed: number): number {
  const worth = proceeds[month - 1] as number;
  return foundShare * (worth < owed ? worth : owed);
}

function addTo(column: Float64Array, month: number, amount: number): void {
  column[month] = (column[month] as number) + amount;
}

/** The contract's payments by month, up to the `last` one with an installment, and the day on which each month ends. */
type Scheduled = {
  readonly dates: readonly PlainDate[];
  readonly last: number;
  readonly interest: Float64Array;
  readonly principal: Float64Array;
};

function byMonth({ amount, start, installments, chargeOffLagMonths, recovery }: ForecastTerms): Scheduled {
  const final = installments.at(-1);
  const most = final === undefined ? 1 : Math.ceil(daysBetween(start, final.dueDate) / 28) + 2;
  const count = Math.max(1, most) + chargeOffLagMonths + longestLag(recovery);
  if (!(count <= MAX_FORECAST_MONTHS)) throw new RangeError('A forecast covers at most a century.');
  const dates = datesFrom(start, 'Monthly', count);
  const interest = WORK.scheduledInterest.fill(0, 0, count);
  const principal = WORK.scheduledPrincipal.fill(0, 0, count);
  // Amounts due immediately are paid in the first month. Installments are in the order of their due dates.
  let month = installments.length === 0 ? 0 : 1;
  let total = 0;
  for (const row of installments) {
    while ((dates[month] as PlainDate) < row.dueDate) month += 1;
    interest[month] = (interest[month] as number) + row.interest;
    principal[month] = (principal[month] as number) + row.principal;
    total += row.principal;
  }
  if (total !== amount) throw new RangeError('The installments do not add up to the loan.');
  return { dates, last: month, interest, principal };
}

function checkHazards(hazards: Hazards, months: number): void {
  for (const list of [hazards.default, hazards.prepay]) {
    for (let i = 0; i < months; i++) {
      const share = list[i];
      if (share === undefined || !(share >= 0 && share <= 1)) {
        throw new RangeError(`Month ${i + 1} needs a probability from 0 to 1.`);
      }
    }
  }
}

function checkRecovery({ proceeds, foundShare, collectedShare }: Recovery, months: number): void {
  if (![foundShare, collectedShare].every((share) => share >= 0 && share <= 1)) {
    throw new RangeError('Shares of a recovery are from 0 to 1.');
  }
  for (let i = 0; i < months; i++) {
    if (!((proceeds[i] ?? -1) >= 0)) throw new RangeError(`Month ${i + 1} needs the proceeds of the collateral.`);
  }
}

const EXPECTED = ['principal', 'prepaid', 'interest', 'chargedOff', 'recovered', 'fee', 'defaulted'] as const;
type Columns = Readonly<Record<(typeof EXPECTED)[number], Float64Array>>;

/**
 * The working memory of the columns, shared by all calls, because sixty forecasts of nine columns spend more time on allocation than on
 * sums. Every call first clears what it uses and keeps nothing afterwards.
 */
const WORK = Object.fromEntries(
  [...EXPECTED, 'scheduledInterest', 'scheduledPrincipal'].map((name) => [name, new Float64Array(MAX_FORECAST_MONTHS)]),
) as Columns & Readonly<Record<'scheduledInterest' | 'scheduledPrincipal', Float64Array>>;

function emptyColumns(length: number): Columns {
  for (const name of EXPECTED) WORK[name].fill(0, 0, length);
  return WORK;
}

function roundColumns(of: Columns, length: number, amount: Cents): ForecastTotals {
  const interestPaid = roundColumn(of.interest, length);
  const recovered = roundColumn(of.recovered, length);
  const servicingFee = roundColumn(of.fee, length);
  const defaultMillionths = roundColumn(of.defaulted, length);
  const sums = [
    { column: of.principal, sum: roundColumn(of.principal, length) },
    { column: of.prepaid, sum: roundColumn(of.prepaid, length) },
    { column: of.chargedOff, sum: roundColumn(of.chargedOff, length) },
  ] as const;
  closeTo(amount, sums, length);
  const [scheduled, { sum: prepaid }, { sum: chargedOff }] = sums;
  const principalPaid = scheduled.sum + prepaid;
  const totalPaid = principalPaid + interestPaid + recovered;
  return {
    principalPaid: cents(principalPaid),
    prepaid: cents(prepaid),
    interestPaid: cents(interestPaid),
    chargedOff: cents(chargedOff),
    recovered: cents(recovered),
    netLoss: cents(chargedOff - recovered),
    totalPaid: cents(totalPaid),
    servicingFee: cents(servicingFee),
    totalPaidLessFees: cents(totalPaid - servicingFee),
    defaultMillionths,
  };
}

/** Each entry becomes the rounded sum up to it less the rounded sum before it. Returns the whole sum. */
function roundColumn(column: Float64Array, length: number): number {
  let sum = 0;
  let told = 0;
  for (let i = 0; i < length; i++) {
    sum += column[i] as number;
    const rounded = Math.round(sum);
    column[i] = rounded - told;
    told = rounded;
  }
  return told;
}

/** Three rounded totals may miss the loan by a cent: the largest month of the largest column takes it, where it matters least. */
function closeTo(amount: Cents, sums: readonly { column: Float64Array; sum: number }[], length: number): void {
  let missing: number = amount;
  let largest = sums[0] as { column: Float64Array; sum: number };
  for (const one of sums) {
    missing -= one.sum;
    if (one.sum > largest.sum) largest = one;
  }
  if (missing === 0) return;
  const { column } = largest;
  let month = 0;
  for (let i = 1; i < length; i++) if ((column[i] as number) > (column[month] as number)) month = i;
  column[month] = (column[month] as number) + missing;
  largest.sum += missing;
}

function toRows(terms: ForecastTerms, scheduled: Scheduled, of: Columns, length: number): CashflowRow[] {
  const { amount, start } = terms;
  const rows: CashflowRow[] = [
    {
      month: 0,
      date: start,
      beginningBalance: ZERO,
      scheduledPrincipal: ZERO,
      scheduledInterest: ZERO,
      principalPaid: ZERO,
      prepaid: ZERO,
      interestPaid: ZERO,
      chargedOff: ZERO,
      recovered: ZERO,
      totalPaid: ZERO,
      servicingFee: ZERO,
      totalPaidLessFees: ZERO,
      endingBalance: amount,
      defaultMillionths: 0,
    },
  ];
  let balance: number = amount;
  for (let month = 1; month < length; month++) {
    const prepaid = of.prepaid[month] as number;
    const principalPaid = (of.principal[month] as number) + prepaid;
    const interestPaid = of.interest[month] as number;
    const chargedOff = of.chargedOff[month] as number;
    const recovered = of.recovered[month] as number;
    const servicingFee = of.fee[month] as number;
    const totalPaid = principalPaid + interestPaid + recovered;
    const beginningBalance = balance;
    balance -= principalPaid + chargedOff;
    rows.push({
      month,
      date: scheduled.dates[month] as PlainDate,
      beginningBalance: whole(beginningBalance),
      scheduledPrincipal: whole(scheduled.principal[month] as number),
      scheduledInterest: whole(scheduled.interest[month] as number),
      principalPaid: whole(principalPaid),
      prepaid: whole(prepaid),
      interestPaid: whole(interestPaid),
      chargedOff: whole(chargedOff),
      recovered: whole(recovered),
      totalPaid: whole(totalPaid),
      servicingFee: whole(servicingFee),
      totalPaidLessFees: whole(totalPaid - servicingFee),
      endingBalance: whole(balance),
      defaultMillionths: whole(of.defaulted[month] as number),
    });
  }
  return rows;
}

/**
 * Whole cents as a small integer, which nearly all amounts are: V8 keeps those in the row itself, and a sum of fractions that happens to be
 * whole in a box of its own. This makes sixty forecasts and their CSV a fifth faster.
 */
function whole(value: number): Cents {
  const small = value | 0;
  return small === value ? (small as Cents) : cents(value);
}
