/** Facts that an application leaves out: none of them makes its decision better than any statement of it would. */
import { type Cents, cents, ZERO } from '../core/money.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { dateOf, memberOf, textOf } from './lenient-numbers.ts';
import { incomeMembers, isDescribed, optionalAmount, type Person } from './people.ts';

/** `leastHousing`: a cost is stated that is less than what counts at least. */
export type LeftOut = {
  readonly what: 'housing' | 'leastHousing' | 'birthDate' | 'incomeSource';
  readonly person: 'applicant' | 'coApplicant';
};

type HousingInput = { readonly request: unknown; readonly leastHousing?: Cents };

/**
 * Rent, or the cost of the applicants' own home. Two who state one each pay both, unless they say that they live at the same address: then it
 * is the same money, and the larger counts. A mortgage that the bureau reports is the same expense, too. Whoever states none could not
 * do better by any statement: it counts as the whole income, which no approval bears. One that is stated as next to nothing counts as the
 * least that a household spends. A co-applicant of whom only the number is given lives with the applicant.
 */
export function readHousing(
  { request, leastHousing = ZERO }: HousingInput,
  people: readonly Person[],
  { income, mortgagePayments }: { readonly income: Cents } & { readonly mortgagePayments: Cents },
  warnings: string[],
): { readonly counted: Cents; readonly leftOut: readonly LeftOut[] } | Refusal {
  const stated: Cents[] = [];
  const homes = new Set<string>();
  const leftOut: LeftOut[] = [];
  for (const one of people) {
    const { info, prefix, who, person } = one;
    const housing = optionalAmount(memberOf(request, info), `Request.${info}.HousingMonthlyPayment`, warnings);
    if (isRefusal(housing)) return housing;
    const street = textOf(memberOf(memberOf(request, info), `${prefix}Address`));
    homes.add(street.toUpperCase().replace(/[^A-Z0-9]/g, '') || info);
    if (housing !== null) {
      stated.push(housing);
      continue;
    }
    leftOut.push({ what: 'housing', person });
    if (person === 'coApplicant' && !isDescribed(request, one)) continue;
    warnings.push(`Housing payment of the ${who} is missing: all of the income counts as spent on it`);
    stated.push(income);
  }
  const total = homes.size === 1 ? Math.max(0, ...stated) : stated.reduce((sum, one) => sum + one, 0);
  if (Math.max(total, mortgagePayments) < leastHousing) leftOut.push({ what: 'leastHousing', person: 'applicant' });
  return { counted: cents(Math.max(total, leastHousing)), leftOut };
}

/** Whether a source is named at all: which one is not read. */
const SOURCES = ['EmploymentCompany', 'EmploymentType', 'OtherIncomeType'];

export function leftOutBy(request: unknown, { info, prefix, person }: Person): LeftOut[] {
  const about = memberOf(request, info);
  const isGiven = (name: string) => textOf(memberOf(about, name)) !== '';
  const hasIncome = incomeMembers(prefix).some(isGiven);
  const sources = [...SOURCES, `${prefix}EmploymentTypes`];
  return [
    ...(dateOf(memberOf(about, `${prefix}DOB`)) === null ? [{ what: 'birthDate', person } as const] : []),
    ...(hasIncome && !sources.some(isGiven) ? [{ what: 'incomeSource', person } as const] : []),
  ];
}
