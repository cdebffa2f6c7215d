import { describe, expect, test } from 'vitest';
import { date } from '../../core/calendar.ts';
import { type BureauReport, type BureauSubject, isBureauFailure } from '../bureau.ts';
import { simulate } from './simulator.ts';

const SUBJECT: BureauSubject = {
  ...{ role: 'primary' as const, firstName: 'José', lastName: 'Müller (Jr)', middleInitial: 'Q', ssn: '666-00-0005' },
  ...{ dateOfBirth: '1971-06-05', address: '4711 Unmapped Way', city: 'Mock Springs', state: 'TX', zip: '00099' },
};
const PULL = { pullId: 'pull-1', today: date('2026-01-15'), at: '2026-01-15T10:30:00.000-06:00' };

function reportOn(subject: BureauSubject): BureauReport {
  const report = simulate(subject, PULL);
  if (isBureauFailure(report)) throw new Error('There is a report.');
  return report;
}

/** What is printed on each page, in the order it was written. */
function pagesOf({ pdf }: BureauReport): string[][] {
  const file = Buffer.from(pdf).toString('latin1');
  return [...file.matchAll(/stream\n(.*?)\nendstream/gs)].map(([, stream = '']) =>
    [...stream.matchAll(/\(((?:[^\\()]|\\.)*)\)Tj/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1')),
  );
}

test('it has several pages, each with its number, a heading, and the word that it is simulated', () => {
  const pages = pagesOf(reportOn(SUBJECT));
  expect(pages.length).toBeGreaterThanOrEqual(3);
  pages.forEach((texts, i) => {
    expect(texts).toEqual(expect.arrayContaining(['Credit report', '2026-01-15', 'SIMULATED DATA']));
    expect(texts).toContain(`Page ${i + 1} of ${pages.length}`);
    expect(texts).toContain(
      'Simulated: every account, balance and score was invented. It says nothing about any person.',
    );
  });
  expect(pages.at(-1)).toContain(
    'It is not a consumer report. It says nothing about any person, and no decision about a person may rest on it.',
  );
});

test('it names who was asked for, and masks the number', () => {
  const file = Buffer.from(reportOn(SUBJECT).pdf).toString('latin1');
  const [first] = pagesOf(reportOn(SUBJECT));
  expect(first).toEqual(
    expect.arrayContaining([
      'Müller (Jr), José Q',
      'XXX-XX-0005',
      '1971-06-05',
      '4711 Unmapped Way, Mock Springs, TX 00099',
    ]),
  );
  expect(file).not.toMatch(/666-?00-?0005/);
});

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

describe('with nothing to show', () => {
  test('it says so, and still has two pages', () => {
    const nobody = pagesOf(reportOn({ ...SUBJECT, ssn: '666-00-0008' }));
    expect(nobody).toHaveLength(2);
    expect(nobody[0]).toEqual(expect.arrayContaining(['No score', 'No file']));
    const frozen = pagesOf(reportOn({ ...SUBJECT, ssn: '666-00-0012' }));
    expect(frozen[0]).toEqual(expect.arrayContaining(['No score', 'The file is frozen']));
  });

  test('somebody of whom only the number is known has a report too', () => {
    const unnamed = { ...SUBJECT, role: 'coApplicant', firstName: '', lastName: '', middleInitial: '' } as const;
    const [first] = pagesOf(reportOn({ ...unnamed, dateOfBirth: '', address: '', city: '', state: '', zip: '' }));
    expect(first).toEqual(expect.arrayContaining(['Name not given', 'Co-applicant', 'Not given']));
  });

  test('a name without end stays within its box', () => {
    const [first] = pagesOf(reportOn({ ...SUBJECT, lastName: 'Long'.repeat(200), address: 'Road '.repeat(300) }));
    expect(first?.every((text) => text.length < 160)).toBe(true);
  });
});
