import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readPdf } from '../../../test/support/pdf-text.ts';
import { addMonths, date, type PlainDate } from '../../core/calendar.ts';
import { type BureauReport, type BureauSubject, isBureauFailure } from '../bureau.ts';
import { NO_FLAGS } from '../flags.ts';
import { readTradeLines } from '../trade-lines.ts';
import { personOf } from './invent.ts';
import { SCORED_FILES, TEST_PEOPLE } from './people.ts';
import { simulate } from './simulator.ts';

const TODAY = date('2026-01-15');
const PULL = { today: TODAY, at: '2026-01-15T10:30:00.000-06:00' };
const whoHas = (ssn: string, changed: Partial<BureauSubject> = {}): BureauSubject => ({
  ...{ role: 'primary', firstName: 'Ines', lastName: 'Rookdale', middleInitial: '', ssn, dateOfBirth: '1980-02-29' },
  ...{ address: '1 Sample Street', city: 'Exampleton', state: 'OH', zip: '00001' },
  ...changed,
});

function reportOn(ssn: string, today: PlainDate = TODAY): BureauReport {
  const report = simulate(whoHas(ssn), { ...PULL, today });
  if (isBureauFailure(report)) throw new Error(`${ssn} has no report`);
  return report;
}

/** A few hundred people who are not test people. */
const CROWD = Array.from({ length: 600 }, (_, i) => String(900_000_000 + i * 158_771));
const crowd = CROWD.map((ssn) => reportOn(ssn));
const scored = crowd.filter(({ score }) => score !== null);
const byScore = (from: number, to: number) => scored.filter(({ score }) => (score ?? 0) >= from && (score ?? 0) < to);
const average = (reports: readonly BureauReport[], of: (report: BureauReport) => number) =>
  reports.reduce((sum, report) => sum + of(report), 0) / reports.length;
const parsed = new WeakMap<BureauReport, Record<string, string>>();
function attributesOf(report: BureauReport): Record<string, string> {
  const known = parsed.get(report) ?? (JSON.parse(report.attributes) as Record<string, string>);
  parsed.set(report, known);
  return known;
}

describe('only the digits of the number decide', () => {
  test('the same number has the same report, byte for byte', () => {
    expect(reportOn('666-00-0003').raw).toEqual(reportOn('666-00-0003').raw);
  });

  test('the reports are the same on every machine', () => {
    const people = ['666-00-0001', '666-00-0005', '900-12-3456', '000-00-0000'];
    const digest = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex').slice(0, 16);
    const withoutPdf = (raw: Uint8Array) =>
      Buffer.from(raw)
        .toString()
        .replace(/"pdf":".*"/, '"pdf":""');
    // A change of the simulated content changes these, and everything that was assessed on it.
    expect(people.map((ssn) => digest(withoutPdf(reportOn(ssn).raw)))).toEqual([
      ...['9255604c0b3d6906', '900c1a9827223813', '2ecd1c204463fb36', '5957d35edc31f590'],
    ]);
    // A change of the printed report changes these.
    expect(people.map((ssn) => digest(reportOn(ssn).raw))).toEqual([
      ...['18de2a78c8ed72b5', 'f6848a16bc1392d8', '172e237a920f1ce4', '20181001d8c03c0a'],
    ]);
  });

  test('name, date of birth, address and role appear only on the printed report', () => {
    const plain = reportOn('901-23-4567');
    const other = simulate(
      whoHas('901 23 4567', {
        ...{ role: 'coApplicant', firstName: '', lastName: '', dateOfBirth: '2007-12-31', address: '', city: '' },
        ...{ state: 'HI', zip: '96701' },
      }),
      PULL,
    ) as BureauReport;
    const { pdf: _, raw: __, ...rest } = other;
    expect(plain).toMatchObject(rest);
    expect(other.pdf).not.toEqual(plain.pdf);
  });

  test('only dates move with today', () => {
    const later = reportOn('901-23-4567', date('2027-01-15'));
    const now = reportOn('901-23-4567');
    expect(later.score).toBe(now.score);
    expect(later.inFileSince).toBe(addMonths(now.inFileSince as PlainDate, 12));
    const { ApplicantCreditReportDate, FileSummaryInFileSinceDate, InFileSinceDate, ...figures } = attributesOf(later);
    expect(ApplicantCreditReportDate).toBe('2027-01-15');
    expect(FileSummaryInFileSinceDate).toBe(InFileSinceDate);
    expect(attributesOf(now)).toMatchObject(figures);
    const withoutDates = ({ tradeLines }: BureauReport) =>
      tradeLines.map((line) => ({ ...line, opened: null, closed: null }));
    expect(withoutDates(later)).toEqual(withoutDates(now));
  });

  test('a number of nine digits is required', async () => {
    for (const ssn of ['', '666-00', 'none', '666-00-00011', '66600000a']) {
      expect(simulate(whoHas(ssn), PULL)).toEqual({
        failed: 'refused',
        detail: 'The bureau needs a social security number of nine digits.',
        retryable: false,
      });
    }
  });

  test('the ranges that are never issued are served', () => {
    for (const ssn of ['000-12-3456', '666-12-3456', '900-12-3456', '999-99-9999'])
      expect(reportOn(ssn).reportDate).toBe(TODAY);
  });
});

describe('test people', () => {
  const of = (kind: string) => TEST_PEOPLE.find((one) => one.kind.startsWith(kind))?.ssn ?? '';

  test('each have their own number, in a range that is never issued', () => {
    expect(new Set(TEST_PEOPLE.map(({ ssn }) => ssn)).size).toBe(TEST_PEOPLE.length);
    for (const { ssn } of TEST_PEOPLE) expect(ssn).toMatch(/^666-00-\d{4}$/);
  });

  test.each([
    ['super prime', 781, 850],
    ['prime', 661, 780],
    ['near-prime', 601, 660],
    ['subprime', 501, 600],
    ['bad payer', 300, 580],
    ['thin file', 600, 720],
    ['bankruptcy', 500, 640],
    ['repossession', 500, 640],
    ['overextended', 661, 780],
  ])('%s has a score from %i to %i', (kind, from, to) => {
    const { score } = reportOn(of(kind));
    expect(score).toBeGreaterThanOrEqual(from);
    expect(score).toBeLessThanOrEqual(to);
  });

  test('only the bad payer has amounts past due', () => {
    const pastDue = (kind: string) =>
      reportOn(of(kind)).tradeLines.filter((line) => line.pastDue > 0 && line.closed === null);
    for (const kind of ['super prime', 'prime', 'near-prime', 'subprime', 'overextended'])
      expect(pastDue(kind)).toEqual([]);
    const late = pastDue('bad payer').filter(({ accountClass }) => accountClass !== 'collection');
    expect(late.length).toBeGreaterThanOrEqual(4);
    expect(late.map(({ rating }) => rating)).toEqual(expect.arrayContaining(['03', '04', '05']));
    expect(attributesOf(reportOn(of('bad payer'))).AT57S).not.toBe('0');
  });

  test('a thin file has few figures', () => {
    const thin = reportOn(of('thin file'));
    expect(thin.tradeLines).toHaveLength(2);
    expect(attributesOf(thin)).toMatchObject({
      AT01S: '2',
      AT20S: '15',
      MT01S: '0',
      MT33S: '-2',
      AGG124: '-4',
      TRD06: '-4',
    });
    expect(thin.scoreFactors).toEqual(expect.arrayContaining(['Credit history is short', 'Too few accounts']));
  });

  test('a file may be too young for a score', () => {
    const young = reportOn(of('file without a score'));
    expect(young).toMatchObject({ hit: true, score: null, inFileSince: expect.any(String) });
    expect(young.tradeLines).toHaveLength(1);
    expect(attributesOf(young).CreditScore).toBe('');
  });

  test('an unknown person has an empty report', () => {
    const nobody = reportOn(of('no hit'));
    expect(nobody).toMatchObject({
      hit: false,
      score: null,
      inFileSince: null,
      inquiries: null,
      tradeLines: [],
      scoreFactors: [],
    });
    const { CreditScore, FileSummaryFileHitIndicator, AT01S, WALSHR1 } = attributesOf(nobody);
    expect([CreditScore, FileSummaryFileHitIndicator, AT01S, WALSHR1]).toEqual(['', 'noHit', '-1', '-1']);
  });

  test('a frozen file exists, and its content is not shown', () => {
    const frozen = reportOn(of('frozen'));
    expect(frozen).toMatchObject({ hit: true, score: null, inFileSince: null, inquiries: null, tradeLines: [] });
    expect(attributesOf(frozen)).toMatchObject({ CreditDataStatusSuppressed: 'true', AT01S: '-5', G094S: '-5' });
  });

  test('a bankruptcy and a repossession appear in the accounts and in the figures', () => {
    const bankrupt = reportOn(of('bankruptcy'));
    expect(attributesOf(bankrupt)).toMatchObject({ G094S: '1', G095S: '20' });
    expect(bankrupt.tradeLines.filter(({ rating }) => rating === '07').length).toBeGreaterThan(0);
    const taken = reportOn(of('repossession'));
    expect(attributesOf(taken).G091S).toBe('1');
    expect(taken.tradeLines.filter(({ rating }) => rating === '08')).toMatchObject([
      { accountClass: 'auto', closed: '2024-11-15', payment: 0 },
    ]);
  });

  test('the overextended borrower pays on time and is heavily indebted', () => {
    const { AT40S, AT51S } = attributesOf(reportOn(of('overextended')));
    expect(Number(AT40S)).toBeGreaterThan(4_000);
    expect(AT51S).toBe('0');
  });

  test('the number of another person does not match', () => {
    expect(attributesOf(reportOn(of('number belongs to another person')))).toMatchObject({
      FileSummaryFileHitIndicator: 'regularHit',
      FileSummarySsnMatchIndicator: 'noMatch',
      FileSummaryConsumerStatementIndicator: 'true',
    });
  });

  test.each([
    ['frozen', { frozen: true }, 'exact'],
    ['no hit', { ssnMatch: null }, ''],
    ['number belongs to another person', { ssnMatch: 'noMatch' }, 'noMatch'],
    ['reported as deceased', { deceased: true }, 'exact'],
    ['address differs', { addressDiscrepancy: true }, 'exact'],
    ['initial fraud alert', { fraudAlert: 'initial', alertPhone: '202-555-0116' }, 'exact'],
    ['extended fraud alert', { fraudAlert: 'extended', alertPhone: '202-555-0117' }, 'exact'],
    ['active-duty alert', { fraudAlert: 'activeDuty', alertPhone: null }, 'exact'],
    ['number matches the file in part', { ssnMatch: 'partial' }, 'partial'],
    ['prime', {}, 'exact'],
  ])('%s: flags and figures agree', (kind, flags, match) => {
    const report = reportOn(of(kind));
    expect(report.flags).toEqual({ ...NO_FLAGS, ssnMatch: 'exact', ...flags });
    expect(attributesOf(report)).toMatchObject({
      FileSummarySsnMatchIndicator: match,
      CreditDataStatusSuppressed: String(report.flags.frozen),
    });
  });

  test('each failure can be triggered', async () => {
    const failures = TEST_PEOPLE.filter(({ person }) => person.is === 'failure');
    const outcomes = failures.map(({ ssn }) => simulate(whoHas(ssn), PULL));
    expect(outcomes.map((outcome) => (isBureauFailure(outcome) ? outcome.failed : null))).toEqual([
      ...['timeout', 'unavailable', 'malformed', 'refused'],
    ]);
  });
});

describe('the same file with another score', () => {
  const number = (file: number, score: number) => `666-5${file}-0${String(score).padStart(3, '0')}`;
  /** The printed texts: only the score and the last digits of the number differ. */
  const printed = ({ pdf }: BureauReport) => readPdf(pdf).pages.flat();

  test.each(SCORED_FILES.map(({ kind }, file) => [file, kind]))('file %i: %s', (file) => {
    const scores = [300, 301, 580, 700, 849, 850];
    const reports = scores.map((score) => reportOn(number(file, score)));
    expect(reports.map(({ score }) => score)).toEqual(scores);
    expect(reports.map((report) => attributesOf(report).CreditScore)).toEqual(scores.map(String));
    const [first] = reports as [BureauReport];
    for (const report of reports) {
      const { score, pdf: _, raw: __, attributes, ...rest } = report;
      const { score: ___, pdf: ____, raw: _____, attributes: ______, ...same } = first;
      expect(rest).toEqual(same);
      expect(attributes.replace(`"CreditScore":"${score}"`, '"CreditScore":"300"')).toBe(first.attributes);
      expect(printed(report)).toContain(String(score));
    }
  });

  test('the ten files differ in quality', () => {
    const codes = ['AT01S', 'G057S', 'G094S', 'AT40S', 'G005S'];
    const figures = SCORED_FILES.map((_, file) => attributesOf(reportOn(number(file, 680))));
    expect(new Set(figures.map((one) => codes.map((code) => one[code]).join())).size).toBe(10);
    const [spotless, thin, troubled, bankrupt] = [0, 6, 8, 9].map((file) => figures[file]);
    expect(spotless).toMatchObject({ G057S: '0', G005S: '0', G210S: '0' });
    expect(thin).toMatchObject({ AT01S: '2', AT20S: '15' });
    expect(Number(troubled?.G057S)).toBeGreaterThanOrEqual(3);
    expect(bankrupt).toMatchObject({ G094S: '1', G095S: '30' });
  });

  test('any other number of the range is a person like all others', () => {
    for (const ssn of ['666-53-0299', '666-53-0851', '666-53-0000', '666-53-1700', '666-43-0700']) {
      expect(personOf(ssn.replaceAll('-', '')).is).not.toBe('scored');
    }
    const files = ['666-53-0299', '666-53-0851'].map((ssn) => reportOn(ssn).tradeLinesCsv);
    expect(files).not.toContain(reportOn(number(3, 700)).tradeLinesCsv);
  });
});

describe('a crowd', () => {
  test('has no flags: they are for test people', () => {
    for (const { hit, flags } of crowd) expect(flags).toEqual({ ...NO_FLAGS, ssnMatch: hit ? 'exact' : null });
  });

  test('has all kinds of files, and scores typical of auto loan applicants', () => {
    expect(crowd.filter(({ hit }) => !hit).length / crowd.length).toBeGreaterThan(0.005);
    expect(crowd.filter(({ hit }) => !hit).length / crowd.length).toBeLessThan(0.08);
    const scores = scored.map(({ score }) => score as number).sort((a, b) => a - b);
    const at = (share: number) => scores[Math.floor(share * scores.length)];
    expect(at(0)).toBeGreaterThanOrEqual(300);
    expect(at(0.25)).toBeGreaterThan(550);
    expect(at(0.5)).toBeGreaterThan(640);
    expect(at(0.5)).toBeLessThan(700);
    expect(at(0.75)).toBeLessThan(770);
    expect(scores.at(-1)).toBeLessThanOrEqual(850);
  });

  test('with lower scores pays later, uses more of its limits, and has more inquiries', () => {
    const groups = [byScore(300, 600), byScore(600, 680), byScore(680, 850)];
    const figures = (code: string, none: string[] = []) =>
      groups.map((group) =>
        average(
          group.filter((report) => !none.includes(attributesOf(report)[code] as string)),
          (report) => Number(attributesOf(report)[code]),
        ),
      );
    // The balance of revolving accounts in percent of limits, months late, inquiries, collections.
    for (const code of ['RE34S', 'G005S', 'G024S', 'G210S', 'G092S']) {
      const [low, middle, high] = figures(code, ['-2', '-3']) as [number, number, number];
      expect(low, code).toBeGreaterThan(middle);
      expect(middle, code).toBeGreaterThan(high);
    }
    // Limits of bank cards.
    const [low, middle, high] = figures('BC102S', ['-2', '-3']) as [number, number, number];
    expect(low).toBeLessThan(middle);
    expect(middle).toBeLessThan(high);
  });

  test('no score contradicts its file', () => {
    for (const { score, tradeLines } of scored) {
      const accounts = tradeLines.filter(({ accountClass }) => accountClass !== 'collection');
      if (accounts.some(({ closed, pastDue }) => closed === null && pastDue > 0)) expect(score).toBeLessThan(670);
      if (accounts.some(({ rating }) => rating === '09' || rating === '08')) expect(score).toBeLessThan(695);
      if (accounts.some(({ rating }) => rating === '07')) expect(score).toBeLessThan(675);
    }
  });

  test('a score below 780 has one to four factors, each once', () => {
    for (const { score, scoreFactors } of scored) {
      if ((score ?? 0) < 780) expect(scoreFactors.length).toBeGreaterThan(0);
      expect(scoreFactors.length).toBeLessThanOrEqual(4);
      expect(new Set(scoreFactors).size).toBe(scoreFactors.length);
    }
  });

  test('every trade line makes sense', () => {
    for (const { tradeLines } of crowd) {
      for (const line of tradeLines) {
        const { opened, closed, payment, balance, highBalance, pastDue, rating, late30, late60, late90 } = line;
        expect(opened !== null && opened <= TODAY && (closed === null || (closed >= opened && closed <= TODAY))).toBe(
          true,
        );
        for (const amount of [payment, balance, highBalance, pastDue])
          expect(amount >= 0 && amount % 100 === 0).toBe(true);
        expect(pastDue).toBeLessThanOrEqual(balance);
        expect(balance).toBeLessThanOrEqual(highBalance);
        if (closed !== null) expect(payment).toBe(0);
        if (closed === null && ['02', '03', '04', '05'].includes(rating)) expect(pastDue).toBeGreaterThan(0);
        if (rating === '01') expect(pastDue).toBe(0);
        if (rating === '02') expect(late30).toBeGreaterThan(0);
        if (rating === '03') expect(late60).toBeGreaterThan(0);
        if (['04', '05', '09'].includes(rating)) expect(late90).toBeGreaterThan(0);
      }
    }
  });

  test('the CSV contains the same data as the lines', () => {
    for (const { tradeLines, tradeLinesCsv } of crowd.slice(0, 100))
      expect(readTradeLines(tradeLinesCsv)).toEqual(tradeLines);
  });
});
