import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { date } from '../../core/calendar.ts';
import { type BureauReport, isBureauFailure, type TradeLine } from '../bureau.ts';
import { attributesOf } from './attributes.ts';
import { NO_DATA } from './facts.ts';
import { COUNTS, FAMILIES, FIGURES, OPEN_FIGURES } from './family-figures.ts';
import { SPECIALS } from './file-figures.ts';
import { UNKNOWN_FILE } from './invent.ts';
import { SCORED_FILES, TEST_PEOPLE } from './people.ts';
import { simulate } from './simulator.ts';

const TODAY = date('2026-01-15');
const PULL = { today: TODAY, at: '2026-01-15T10:30:00.000-06:00' };

function reportOn(ssn: string): BureauReport | null {
  const person = { ssn, role: 'primary', firstName: '', lastName: '', middleInitial: '', dateOfBirth: '' } as const;
  const report = simulate({ ...person, address: '', city: '', state: '', zip: '' }, PULL);
  return isBureauFailure(report) ? null : report;
}

const reports = [
  ...TEST_PEOPLE.map(({ ssn }) => ssn),
  ...Array.from({ length: 60 }, (_, i) => String(912_000_000 + i * 77_777)),
].flatMap((ssn) => reportOn(ssn) ?? []);
const figuresOf = ({ attributes }: BureauReport) => JSON.parse(attributes) as Record<string, string>;

const NAMED = [
  ...['CreditScore', 'ApplicantCreditReportDate', 'FileSummaryFileHitIndicator', 'FileSummarySsnMatchIndicator'],
  ...[
    'FileSummaryInFileSinceDate',
    'FileSummaryMarket',
    'FileSummarySubmarket',
    'FileSummaryConsumerStatementIndicator',
  ],
  ...['CreditDataStatusSuppressed', 'InFileSinceDate', 'TrackingTransactionTimeStamp'],
];
/** As the interface lists them. */
const INTERFACE_FAMILIES =
  'AGG AGGS AT AU BC BR CV FC FI FR G HI HR IN INDEX JT LM MD MT OF PAYMNT PB RE RETS REVS RP RT RVDEX RVLR S SE ST TRD TRV US ' +
  'WALSHR WALSRTS WALSRVS';

describe('every report', () => {
  test('has the same fields in the same order: the named ones first, and more than 1,136 in all', () => {
    const names = Object.keys(figuresOf(reports[0] as BureauReport));
    expect(names.slice(0, NAMED.length)).toEqual(NAMED);
    expect(names.length).toBeGreaterThan(1_136);
    expect(new Set(names).size).toBe(names.length);
    for (const report of reports) expect(Object.keys(figuresOf(report))).toEqual(names);
    // Parsing would hide a name that is written twice.
    for (const { attributes } of reports.slice(0, 5)) expect(attributes.match(/":"/g)).toHaveLength(names.length);
  });

  test('has every family of the interface, and no other', () => {
    const codes = Object.keys(figuresOf(reports[0] as BureauReport)).slice(NAMED.length);
    for (const code of codes) expect(code).toMatch(/^[A-Z]+\d+[A-Z]?$/);
    const families = new Set(codes.map((code) => /^[A-Z]+/.exec(code)?.[0] as string));
    expect([...families].sort().join(' ')).toBe(INTERFACE_FAMILIES);
  });

  test('has short strings: a whole number, or a code for no data', () => {
    const none: readonly string[] = Object.values(NO_DATA);
    for (const report of reports) {
      for (const [name, value] of Object.entries(figuresOf(report)).slice(NAMED.length)) {
        if (!none.includes(value)) expect(value, name).toMatch(/^(0|[1-9]\d{0,7})$/);
      }
    }
  });

  test('states when it was made, and for which day', () => {
    for (const report of reports) {
      expect(figuresOf(report)).toMatchObject({
        TrackingTransactionTimeStamp: '2026-01-15T10:30:00.000-06:00',
        ApplicantCreditReportDate: '2026-01-15',
        CreditScore: report.score === null ? '' : String(report.score),
        InFileSinceDate: report.inFileSince ?? '',
      });
    }
  });
});

test('the time of the report has a numeric offset, also where it is that of UTC', () => {
  const dates = { reportDate: date('2026-01-15'), inFileSince: null };
  const at = (time: string) =>
    JSON.parse(attributesOf(UNKNOWN_FILE, { ...dates, at: time })).TrackingTransactionTimeStamp;
  expect(at('2026-01-15T10:30:00.000Z')).toBe('2026-01-15T10:30:00.000+00:00');
  expect(at('2026-01-15T10:30:00.000-06:00')).toBe('2026-01-15T10:30:00.000-06:00');
});

describe('figures agree with the trade lines', () => {
  const inDollars = (lines: readonly TradeLine[], of: 'balance' | 'pastDue' | 'payment' | 'highBalance') =>
    String(lines.reduce((sum, line) => sum + line[of], 0) / 100);
  const visible = reports.filter(({ tradeLines }) => tradeLines.length > 0);
  const families: [string, (line: TradeLine) => boolean][] = [
    ['AT', () => true],
    ['AU', ({ accountClass }) => accountClass.startsWith('auto')],
    ['BC', ({ accountClass }) => accountClass === 'credit card'],
    ['MT', ({ accountClass }) => accountClass === 'mortgage'],
    ['RE', ({ portfolioType }) => portfolioType === 'revolving'],
    ['IN', ({ portfolioType }) => portfolioType === 'installment'],
    ['ST', ({ accountClass }) => accountClass === 'student loan'],
    ['OF', ({ accountClass }) => accountClass === 'utility'],
  ];

  test.each(families)('%s', (family, is) => {
    let [withSome, withOpen, without] = [0, 0, 0];
    for (const report of visible) {
      const figures = figuresOf(report);
      const lines = report.tradeLines.filter((line) => line.accountClass !== 'collection' && is(line));
      const open = lines.filter(({ closed }) => closed === null);
      expect(figures).toMatchObject({ [`${family}01S`]: String(lines.length), [`${family}02S`]: String(open.length) });
      if (lines.length === 0) {
        without += 1;
        expect(figures).toMatchObject({ [`${family}33S`]: '-2', [`${family}34S`]: '-2', [`${family}36S`]: '-2' });
        continue;
      }
      withSome += 1;
      const late = (of: 'late30' | 'late60' | 'late90') => String(lines.reduce((sum, line) => sum + line[of], 0));
      expect(figures).toMatchObject({
        [`${family}33S`]: inDollars(lines, 'balance'),
        [`${family}57S`]: inDollars(lines, 'pastDue'),
        [`${family}63S`]: late('late30'),
        [`${family}67S`]: late('late60'),
        [`${family}71S`]: late('late90'),
        [`${family}55S`]: String(lines.filter(({ pastDue }) => pastDue > 0).length),
        [`${family}54S`]: String(lines.filter(({ rating }) => rating >= '07').length),
        [`${family}109S`]: String(Math.max(...lines.map(({ highBalance }) => highBalance)) / 100),
      });
      if (open.length === 0) expect(figures[`${family}40S`]).toBe('-3');
      else {
        withOpen += 1;
        expect(figures[`${family}40S`]).toBe(inDollars(open, 'payment'));
      }
    }
    // All cases of the rule occurred.
    expect(withSome).toBeGreaterThan(3);
    expect(withOpen).toBeGreaterThan(3);
    expect(family === 'AT' ? 1 : without).toBeGreaterThan(0);
  });

  test('months: the balance of this month is today’s balance, and payments on cards never exceed what is possible', () => {
    for (const report of visible) {
      const figures = figuresOf(report);
      expect(figures.AGG101).toBe(figures.AT33S);
      if (figures.RE01S !== '0') expect(figures.AGGS101).toBe(figures.RE33S);
      for (let month = 1; month < 24; month++) {
        const [now, before, spent] = [`AGGS${100 + month}`, `AGGS${101 + month}`, `AGGS${200 + month}`].map(
          (code) => figures[code],
        );
        // New balance = old balance + spent − paid: so spending is never less than the growth of the balance.
        if (Number(before) >= 0 && Number(now) >= 0)
          expect(Number(spent)).toBeGreaterThanOrEqual(Number(now) - Number(before));
      }
    }
  });

  test('collections and inquiries', () => {
    for (const report of visible) {
      const collections = report.tradeLines.filter(({ accountClass }) => accountClass === 'collection');
      expect(figuresOf(report)).toMatchObject({
        G210S: String(collections.length),
        G213S: inDollars(collections, 'balance'),
        G022S: String(report.inquiries),
      });
    }
  });
});

describe('docs/bureau.md', () => {
  const document = readFileSync(join(import.meta.dirname, '../../../docs/bureau.md'), 'utf8');
  const rows = (heading: string) => {
    const section = document.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? '';
    return [...section.matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));
  };

  test('lists the test people with their scores', () => {
    const expected = TEST_PEOPLE.map(({ ssn, kind, person }) => {
      const score = person.is === 'failure' ? `\`${person.failure.failed}\`` : String(reportOn(ssn)?.score ?? 'none');
      return [`\`${ssn}\``, kind, score];
    });
    expect(rows('Test people')).toEqual(expected);
  });

  test('lists the files that are served with any score', () => {
    const expected = SCORED_FILES.map(({ kind }, file) => [`\`666-5${file}-0sss\``, kind]);
    expect(rows('The same file with another score')).toEqual(expected);
  });

  test('lists the families of accounts', () => {
    expect(rows('Families of accounts')).toEqual(FAMILIES.map(([prefix, accounts]) => [`\`${prefix}\``, accounts]));
  });

  test('lists the figures of each family', () => {
    const all = [
      ...COUNTS.map(([number, meaning]) => [number, meaning, '0']),
      ...FIGURES.map(([number, meaning]) => [number, meaning, NO_DATA.noAccount]),
      ...OPEN_FIGURES.map(([number, meaning]) => [number, meaning, `${NO_DATA.noAccount} or ${NO_DATA.noneOpen}`]),
    ].sort(([a], [b]) => Number(a) - Number(b));
    expect(rows('Figures of each family')).toEqual(all.map(([number, ...rest]) => [`\`…${number}S\``, ...rest]));
  });

  test('lists the other codes', () => {
    const series = (meaning: string) => meaning.replace(/, (this month|\d+ months? ago)$/, ', by month');
    const expected: string[][] = [];
    for (const { prefix, figures } of SPECIALS) {
      let last: string[] = [];
      let first = '';
      for (const [number, meaning] of figures) {
        const code = `${prefix}${number}`;
        if (meaning !== series(meaning) && last[1] === series(meaning)) last[0] = `\`${first}\` to \`${code}\``;
        else {
          first = code;
          last = [`\`${code}\``, series(meaning)];
          expected.push(last);
        }
      }
    }
    expect(rows('Other codes')).toEqual(expected);
  });

  test('lists the codes for no data', () => {
    expect(rows('No data').map(([code]) => code)).toEqual(Object.values(NO_DATA).map((code) => `\`${code}\``));
  });
});
