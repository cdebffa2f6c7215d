/** The book on a date: how many loans, what is owed, at what rate, and what was lost so far. */

import { CREDIT_AGES } from '../buckets.ts';
import { ratio } from '../rates.ts';
import type { SumName } from '../sums.ts';
import { average, averagePercent, count, type Dated, type Layout, money, number, percent, type Row } from './report.ts';

export const SUMMARY: Layout = {
  keys: [],
  columns: [
    count('count', 'Open loans: funded, not closed and not charged off. All balances below are theirs.'),
    money('original', 'Their original principal: disbursed, or boarded.'),
    money('principal', 'Principal owed.'),
    money('interest', 'Interest owed and carried in the books.'),
    money('fees', 'Fees owed and carried in the books.'),
    money('credits', 'Money owed back to borrowers, including those of closed and charged-off loans.'),
    ...CREDIT_AGES.flatMap(({ name, from, to }) => [
      count(
        `${name}Count`,
        `Loans whose credit has stood for ${to === null ? `${from} days or more` : `${from} to ${to} days`}.`,
      ),
      money(name, 'Their credits.'),
    ]),
    money('kept', 'Principal that the books keep of charged-off loans: what their collateral covers.'),
    percent('averageRate', 'Interest rate, percent a year, weighted by principal.'),
    number('averageRemainingTerm', 'Installments left, weighted by principal.'),
    number('averageAge', 'Months since the month of funding, weighted by principal.'),
    count('fundedCount', 'Open loans with the status Funded.'),
    money('fundedPrincipal', 'Their principal.'),
    count('currentCount', 'Open loans with the status Current.'),
    money('currentPrincipal', 'Their principal.'),
    count('delinquentCount', 'Open loans with the status Delinquent: past due for longer than their grace days.'),
    money('delinquentPrincipal', 'Their principal.'),
    count('defaultedCount', 'Open loans with the status Defaulted.'),
    money('defaultedPrincipal', 'Their principal.'),
    count('pastDue30Count', 'Open loans that are 30 or more days past due.'),
    money('pastDue30Principal', 'Their principal.'),
    percent('pastDue30Share', 'Their principal in percent of the principal of all open loans.'),
    count('chargedOffCount', 'Charged-off loans that are not closed.'),
    money('chargedOffClaims', 'Principal that their borrowers still owe.'),
    money('totalChargedOff', 'Principal charged off since the beginning of the book.'),
    money('totalRecovered', 'Recoveries since the beginning of the book.'),
    money('totalForgiven', 'Principal forgiven in settlements and waivers since the beginning of the book.'),
    percent(
      'predictedLoss',
      'Net loss that underwriting predicted for the open loans, percent of their original principal; null if none was predicted.',
    ),
  ],
};

const CREDIT_SUMS = CREDIT_AGES.flatMap(({ name }) => [`${name}Count`, name] as const);

export const SUMMARY_SUMS: readonly SumName[] = [
  ...CREDIT_SUMS,
  ...([
    'count',
    'original',
    'principal',
    'interest',
    'fees',
    'credits',
    'kept',
    'ratePrincipal',
    'remainingPrincipal',
  ] as const),
  ...([
    'agePrincipal',
    'fundedCount',
    'fundedPrincipal',
    'currentCount',
    'currentPrincipal',
    'delinquentCount',
  ] as const),
  ...(['delinquentPrincipal', 'defaultedCount', 'defaultedPrincipal', 'past30Count', 'past30Principal'] as const),
  ...([
    'past60Count',
    'past60Principal',
    'past90Count',
    'past90Principal',
    'past120Count',
    'past120Principal',
  ] as const),
  ...(['claimCount', 'claimPrincipal', 'predictedLossOriginal', 'predictedLossOf'] as const),
];

/** The sums that are shown over all months. */
export const TO_DATE_SUMS: readonly SumName[] = ['chargedOff', 'recovered', 'forgiven'];

/** `all`: the flows of every month up to the date, and the balance on it. */
export function summaryRows(all: readonly Dated[], on: string): Row[] {
  const last = all.find(({ date }) => date === on)?.sums;
  const toDate = (name: (typeof TO_DATE_SUMS)[number]) => all.reduce((sum, { sums }) => sum + sums[name], 0n);
  const s = (name: SumName) => last?.[name] ?? 0n;
  const pastDue30Count = s('past30Count') + s('past60Count') + s('past90Count') + s('past120Count');
  const pastDue30Principal = s('past30Principal') + s('past60Principal') + s('past90Principal') + s('past120Principal');
  const lostSoFar = { totalChargedOff: toDate('chargedOff'), totalRecovered: toDate('recovered') };
  return [
    {
      count: s('count'),
      original: s('original'),
      principal: s('principal'),
      interest: s('interest'),
      fees: s('fees'),
      credits: s('credits'),
      ...Object.fromEntries(CREDIT_SUMS.map((name) => [name, s(name)])),
      kept: s('kept'),
      averageRate: averagePercent(s('ratePrincipal'), s('principal')),
      averageRemainingTerm: average(s('remainingPrincipal'), s('principal')),
      averageAge: average(s('agePrincipal'), s('principal')),
      fundedCount: s('fundedCount'),
      fundedPrincipal: s('fundedPrincipal'),
      currentCount: s('currentCount'),
      currentPrincipal: s('currentPrincipal'),
      delinquentCount: s('delinquentCount'),
      delinquentPrincipal: s('delinquentPrincipal'),
      defaultedCount: s('defaultedCount'),
      defaultedPrincipal: s('defaultedPrincipal'),
      pastDue30Count,
      pastDue30Principal,
      pastDue30Share: ratio(pastDue30Principal, s('principal')),
      chargedOffCount: s('claimCount'),
      chargedOffClaims: s('claimPrincipal'),
      ...lostSoFar,
      totalForgiven: toDate('forgiven'),
      predictedLoss: averagePercent(s('predictedLossOriginal'), s('predictedLossOf')),
    },
  ];
}
