import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readPdf } from '../../../../test/support/pdf-text.ts';
import { date } from '../../../core/calendar.ts';
import { type BureauReport, type BureauSubject, isBureauFailure } from '../../bureau.ts';
import { simulate } from '../simulator.ts';

const SUBJECT: BureauSubject = {
  ...{ role: 'primary' as const, firstName: 'José', lastName: 'Müller (Jr)', middleInitial: 'Q', ssn: '666-00-0005' },
  ...{ dateOfBirth: '1971-06-05', address: '4711 Unmapped Way', city: 'Mock Springs', state: 'TX', zip: '00099' },
};
const PULL = { pullId: 'pull-1', today: date('2026-01-15'), at: '2026-01-15T10:30:00.000-06:00' };

function reportOn(subject: BureauSubject): BureauReport {
  const report = simulate(subject, PULL);
  if (isBureauFailure(report)) throw new Error('A report was expected.');
  return report;
}

/** The texts of each page, in the order in which they were written. */
const pagesOf = ({ pdf }: BureauReport) => readPdf(pdf).pages;

test('it has several pages, each with its number, a heading, and a note that it is simulated', () => {
  const pages = pagesOf(reportOn(SUBJECT));
  expect(pages.length).toBeGreaterThanOrEqual(3);
  pages.forEach((texts, i) => {
    expect(texts).toEqual(expect.arrayContaining(['Credit report', '2026-01-15', 'SIMULATED DATA']));
    expect(texts).toContain(`Page ${i + 1} of ${pages.length}`);
    expect(texts).toContain(
      'Simulated report: all accounts, balances and scores are fictitious and describe no real person.',
    );
  });
  expect(pages.at(-1)).toContain(
    'It is not a consumer report. It describes no real person and must not be used for a decision about a person.',
  );
});

test('it names the subject and masks the number', () => {
  const file = Buffer.from(reportOn(SUBJECT).pdf).toString('latin1');
  const pages = pagesOf(reportOn(SUBJECT));
  const [first] = pages;
  expect(first).toEqual(
    expect.arrayContaining([
      'Müller (Jr), José Q',
      'XXX-XX-0005',
      '1971-06-05',
      '4711 Unmapped Way, Mock Springs, TX 00099',
    ]),
  );
  expect(file).not.toMatch(/666-?00-?0005/);
  expect(pages.flat().join('\n')).not.toMatch(/666-?00-?0005/);
});

test.each([
  ['Polish', 'Łukasz', 'Żółć'],
  ['Greek', 'Ελένη', 'Παπαδοπούλου'],
  ['Cyrillic', 'Анна', 'Щукина'],
  ['Vietnamese', 'Thị Đặng', 'Nguyễn'],
  ['Turkish', 'Şahin', 'Yıldırım'],
])('a %s name is printed as it is written', (_, firstName, lastName) => {
  const [first] = pagesOf(reportOn({ ...SUBJECT, firstName, lastName, middleInitial: '' }));
  expect(first).toContain(`${lastName}, ${firstName}`);
});

test('the same report is the same bytes in every process, whatever was printed before', () => {
  const subjects: BureauSubject[] = [
    SUBJECT,
    // Some of these letters share a glyph with Latin ones.
    { ...SUBJECT, firstName: 'Αννα', lastName: 'АВЕКМНОРСТ', city: 'Żółć' },
    { ...SUBJECT, firstName: 'דוד', lastName: 'كريم', city: 'e\u0301\u0323 王 😀' },
    { ...SUBJECT, firstName: 'Ines', lastName: 'Rookdale' },
  ];
  const hashOf = (subject: BureauSubject) => createHash('sha256').update(reportOn(subject).pdf).digest('hex');
  const here = subjects.map(hashOf);
  expect(subjects.toReversed().map(hashOf).reverse()).toEqual(here);
  const program = `
    import { createHash } from 'node:crypto';
    import { simulate } from ${JSON.stringify(new URL('../simulator.ts', import.meta.url).href)};
    const hashOf = (subject) => createHash('sha256').update(simulate(subject, ${JSON.stringify(PULL)}).pdf).digest('hex');
    console.log(JSON.stringify(${JSON.stringify(subjects.toReversed())}.map(hashOf).reverse()));`;
  const there = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(JSON.parse(there)).toEqual(here);
}, 30_000);

test('it shows the score, and every account with its amounts', () => {
  const report = reportOn(SUBJECT);
  const texts = pagesOf(report).flat();
  expect(texts).toContain(String(report.score));
  for (const factor of report.scoreFactors) expect(texts).toContain(factor);
  for (const { accountNumber, opened } of report.tradeLines) {
    expect(texts.some((text) => text.includes(accountNumber))).toBe(true);
    expect(texts).toContain(opened);
  }
  const total = report.tradeLines.reduce((sum, { pastDue }) => sum + pastDue, 0) / 100;
  expect(texts).toContain(total.toLocaleString('en-US'));
});

describe('notices', () => {
  const first = (ssn: string) => (pagesOf(reportOn({ ...SUBJECT, ssn }))[0] ?? []).join('\n');

  test.each([
    ['666-00-0013', 'The social security number belongs to another person.'],
    ['666-00-0014', 'The person with this social security number is reported as deceased.'],
    ['666-00-0015', 'Address discrepancy: the given address differs from those in the file.'],
    ['666-00-0016', 'Telephone number in the alert: 202-555-0116'],
    ['666-00-0017', 'Telephone number in the alert: 202-555-0117'],
    ['666-00-0018', 'Active-duty alert: the consumer is in military service.'],
    ['666-00-0019', 'The social security number matches the file only in part.'],
  ])('%s: %s', (ssn, notice) => {
    expect(first(ssn)).toContain(notice);
    expect(first(ssn)).toContain('Notices');
  });

  test('a file without flags has none', () => {
    expect(first(SUBJECT.ssn)).not.toContain('Notices');
  });
});

describe('with nothing to show', () => {
  test('it says so, and still has two pages', () => {
    const nobody = pagesOf(reportOn({ ...SUBJECT, ssn: '666-00-0008' }));
    expect(nobody).toHaveLength(2);
    expect(nobody[0]).toEqual(expect.arrayContaining(['No score', 'No file']));
    const frozen = pagesOf(reportOn({ ...SUBJECT, ssn: '666-00-0012' }));
    expect(frozen[0]).toEqual(expect.arrayContaining(['No score', 'The file is frozen']));
  });

  test('a subject of whom only the number is known has a report too', () => {
    const unnamed = { ...SUBJECT, role: 'coApplicant', firstName: '', lastName: '', middleInitial: '' } as const;
    const [first] = pagesOf(reportOn({ ...unnamed, dateOfBirth: '', address: '', city: '', state: '', zip: '' }));
    expect(first).toEqual(expect.arrayContaining(['Name not given', 'Co-applicant', 'Not given']));
  });

  test('a very long name stays within its box', () => {
    const [first] = pagesOf(reportOn({ ...SUBJECT, lastName: 'Long'.repeat(200), address: 'Road '.repeat(300) }));
    expect(first?.every((text) => text.length < 160)).toBe(true);
  });

  test.each([
    ['letters', 'Long'],
    ['letters that are shaped', 'שָׁלוֹם'],
    ['marks without a letter', '\u0301'],
  ])('a name of 20,000 %s takes no longer than another', (_, part) => {
    reportOn(SUBJECT);
    const before = performance.now();
    const [first] = pagesOf(reportOn({ ...SUBJECT, lastName: part.repeat(20_000 / part.length) }));
    // It takes 10 ms on an idle machine; measuring every character again for each one took 40 seconds.
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(first?.every((text) => text.length < 500)).toBe(true);
  });
});
