/**
 * The coded figures of a report: the text of `PrimaryCreditInfo`. Each code is a family and a number; families of accounts share one
 * list of figures (`AT33S` is the balance of all accounts, `BC33S` of bank cards). All are computed from the same accounts that the trade
 * lines show. A real bureau defines its own codes; these are ours, and `docs/bureau.md` lists them.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { type Facts, type Figure, gather, latenessOf, type Measure, NO_DATA, type Population } from './facts.ts';
import { COUNTS, FAMILIES, FIGURES, OPEN_FIGURES } from './family-figures.ts';
import type { CreditFile } from './file.ts';
import { SPECIALS } from './file-figures.ts';

export type Dates = { readonly reportDate: PlainDate; readonly inFileSince: PlainDate | null; readonly at: string };

export function attributesOf(file: CreditFile, dates: Dates): string {
  let text = '{';
  for (const [name, value] of namedMembers(file, dates)) text += `"${name}":${JSON.stringify(value)},`;
  const everything = file.flags.frozen ? NO_DATA.frozen : file.hit ? null : NO_DATA.noFile;
  const known = new Map(file.accounts.map((account) => [account, latenessOf(account)]));
  const gathered = new Map<Population, Facts>();
  for (const { figures, population } of GROUPS) {
    const facts = gathered.get(population) ?? gather(file, known, population);
    gathered.set(population, facts);
    for (const { key, of } of figures) text += `${key}${everything ?? written(of(facts))}",`;
  }
  return `${text.slice(0, -1)}}`;
}

function written(figure: Figure): string {
  return typeof figure === 'number' ? String(Math.round(figure)) : NO_DATA[figure];
}

function namedMembers(file: CreditFile, { reportDate, inFileSince, at }: Dates): [name: string, value: string][] {
  return [
    ['CreditScore', file.score === null ? '' : String(file.score)],
    ['ApplicantCreditReportDate', reportDate],
    ['FileSummaryFileHitIndicator', file.hit ? 'regularHit' : 'noHit'],
    ['FileSummarySsnMatchIndicator', file.flags.ssnMatch ?? ''],
    ['FileSummaryInFileSinceDate', inFileSince ?? ''],
    // A real bureau states the region of the address here; the simulator uses no address.
    ['FileSummaryMarket', '00'],
    ['FileSummarySubmarket', 'XX'],
    ['FileSummaryConsumerStatementIndicator', String(file.hasStatement)],
    ['CreditDataStatusSuppressed', String(file.flags.frozen)],
    ['InFileSinceDate', inFileSince ?? ''],
    // ISO 8601 with a numeric offset: Z is that of UTC.
    ['TrackingTransactionTimeStamp', at.endsWith('Z') ? `${at.slice(0, -1)}+00:00` : at],
  ];
}

// ---- all codes in their order ----

type Group = {
  readonly population: Population;
  /** The key is `"AT01S":"`, ready to be written. */
  readonly figures: readonly { readonly key: string; readonly of: (facts: Facts) => Figure }[];
};

const keyOf = (code: string): string => `"${code}":"`;

/** Without accounts, counts of a family are 0 and its other figures are "no account". */
const GROUPS: readonly Group[] = [
  ...FAMILIES.map(([prefix, , population]): Group => {
    const withSome =
      (of: Measure[2]): Measure[2] =>
      (facts) =>
        facts.accounts.length === 0 ? 'noAccount' : of(facts);
    const withOpen = (of: Measure[2]): Measure[2] =>
      withSome((facts) => (facts.open.length === 0 ? 'noneOpen' : of(facts)));
    const measures = [
      ...COUNTS,
      ...FIGURES.map(([number, meaning, of]): Measure => [number, meaning, withSome(of)]),
      ...OPEN_FIGURES.map(([number, meaning, of]): Measure => [number, meaning, withOpen(of)]),
    ];
    measures.sort(([a], [b]) => Number(a) - Number(b));
    return { population, figures: measures.map(([number, , of]) => ({ key: keyOf(`${prefix}${number}S`), of })) };
  }),
  ...SPECIALS.map(
    ({ prefix, population, figures, ofFile = false }): Group => ({
      population,
      figures: figures.map(([number, , of]) => ({
        key: keyOf(prefix + number),
        of: (facts) => (facts.accounts.length === 0 && !ofFile ? 'noAccount' : of(facts)),
      })),
    }),
  ),
];
