/** Figures of single months and of how balances, payments and limits move over the last two years. */
import { TREND_MONTHS } from './accounts.ts';
import { at, type Facts, type Figure, type Measure, percent, reaches, sum, type Trends } from './facts.ts';

export const MONTHS = Array.from({ length: TREND_MONTHS }, (_, month) => month);
export const two = (number: number): string => String(number).padStart(2, '0');

/** A figure of the month `month` ago, which needs a history that long. */
export function byMonth(
  first: number,
  what: string,
  of: (trends: Trends, month: number) => Figure,
  months = MONTHS,
): Measure[] {
  return months.map((month) => [
    String(first + month),
    `${what}, ${month === 0 ? 'this month' : `${month} month${month === 1 ? '' : 's'} ago`}`,
    (facts) => (reaches(facts, month) ? of(facts.trends(), month) : 'nothing'),
  ]);
}

/** In percent of what it was `months` ago. */
export const against = (facts: Facts, months: number): Figure =>
  reaches(facts, months) ? percent(at(facts.trends().balances, 0), at(facts.trends().balances, months)) : 'nothing';
export const spent = ({ balances, paid }: Trends, month: number): number =>
  Math.max(0, at(balances, month) - at(balances, month + 1) + at(paid, month));
const averageOf = (numbers: readonly number[], months: number): number => sum(numbers.slice(0, months)) / months;
/** In how many of the last months `is` holds. */
const monthsOf = (facts: Facts, months: number, is: (trends: Trends, month: number) => boolean): Figure => {
  if (!reaches(facts, months)) return 'nothing';
  const trends = facts.trends();
  return MONTHS.slice(0, months).filter((month) => is(trends, month)).length;
};

export const TREND: readonly Measure[] = [3, 6, 9, 12, 18, 24].flatMap((months, i): Measure[] => [
  [two(1 + i), `balance in percent of what it was ${months} months ago`, (facts) => against(facts, months)],
  [
    two(11 + i),
    `average balance of the last ${months} months`,
    (facts) => (reaches(facts, months) ? averageOf(facts.trends().balances, months) : 'nothing'),
  ],
  [
    two(21 + i),
    `months of the last ${months} in which the balance rose`,
    (facts) => monthsOf(facts, months, ({ balances }, month) => at(balances, month) > at(balances, month + 1)),
  ],
]);

export const REVOLVING_TREND: readonly Measure[] = [6, 12, 24].flatMap((months, i): Measure[] => {
  const share = ({ balances, limits }: Trends, month: number) =>
    at(limits, month) === 0 ? 0 : at(balances, month) / at(limits, month);
  const highest = (facts: Facts): Figure =>
    reaches(facts, months)
      ? Math.max(...MONTHS.slice(0, months).map((month) => share(facts.trends(), month))) * 100
      : 'nothing';
  return [
    [
      two(1 + i),
      `months of the last ${months} above half of the limits`,
      (facts) => monthsOf(facts, months, (trends, month) => share(trends, month) > 0.5),
    ],
    [
      two(5 + i),
      `months of the last ${months} above 90 percent of the limits`,
      (facts) => monthsOf(facts, months, (trends, month) => share(trends, month) > 0.9),
    ],
    [two(9 + i), `highest use of the limits in the last ${months} months, in percent`, highest],
    [
      two(13 + i),
      `months of the last ${months} in which more was paid than spent`,
      (facts) => monthsOf(facts, months, (trends, month) => at(trends.paid, month) > spent(trends, month)),
    ],
  ];
});
