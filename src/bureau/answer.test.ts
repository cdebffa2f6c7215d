import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { isAnswerMistake, readAnswer, readGivenReport, writeAnswer } from './answer.ts';
import { type BureauReport, type BureauSubject, isBureauFailure } from './bureau.ts';
import { NO_FLAGS } from './flags.ts';
import { simulate } from './simulator/simulator.ts';
import { COLUMNS } from './trade-lines.ts';

const bytes = (text: string) => Buffer.from(text);
const SOUND = {
  ...{
    hit: true,
    score: 712,
    scoreFactors: ['Too many inquiries'],
    reportDate: '2026-01-15',
    inFileSince: '2009-03-01',
  },
  flags: {},
  ...{ inquiries: 2, attributes: { CreditScore: '712', AT01S: '12' }, tradeLines: [], pdf: '' },
};
const answer = (changed: object) => bytes(JSON.stringify({ ...SOUND, ...changed }));

test.each(['666-00-0005', '666-00-0012', '666-00-0017'])(
  'the simulator’s raw answer on %s, read, is its report',
  (ssn) => {
    const subject: BureauSubject = {
      ...{ role: 'primary' as const, firstName: 'A', lastName: 'B', middleInitial: '', ssn },
      ...{ dateOfBirth: '', address: '', city: '', state: '', zip: '' },
    };
    const report = simulate(subject, { today: date('2026-01-15'), at: '2026-01-15T10:00:00-06:00' });
    if (isBureauFailure(report)) throw new Error('A report was expected.');
    expect(readAnswer(report.raw)).toEqual(report);
  },
);

test('attributes are kept as they are written: order, spaces, escapes, repeated names', () => {
  const source = '{ "B" : "1",\n "A":"\\u0041\\"}{" , "B":"2" }';
  const text = JSON.stringify({ note: 'a "}" and a \\ ', list: [1, { attributes: 'not these' }] }).slice(0, -1);
  const { attributes: _, ...rest } = SOUND;
  const raw = bytes(`${text},"attributes": ${source} ,"end":-1.5e3,${JSON.stringify(rest).slice(1)}`);
  expect((readAnswer(raw) as BureauReport).attributes).toBe(source);
});

test('the bytes are kept', () => {
  const raw = bytes(` ${JSON.stringify(SOUND, null, 2)}\n`);
  expect((readAnswer(raw) as BureauReport).raw).toBe(raw);
});

test('trade lines given as a list are also written as CSV', () => {
  const line = { subscriber: 'X', opened: '2020-01-31', balance: 100 };
  const report = readAnswer(answer({ tradeLines: [line] })) as BureauReport;
  expect(report.tradeLines).toMatchObject([{ subscriber: 'X', balance: 100_00 }]);
  expect(report.tradeLinesCsv).toBe(`${COLUMNS.join(',')}\nX,,,,2020-01-31,,0,,,100,0,0,,0,0,0,,2026-01-15,71,,Y\n`);
});

test('"no file" is also an answer', () => {
  const raw = answer({ hit: false, score: null, scoreFactors: undefined, inFileSince: null, inquiries: undefined });
  expect(readAnswer(raw)).toMatchObject({
    ...{ hit: false, score: null, scoreFactors: [], inFileSince: null, inquiries: null, tradeLines: [] },
    pdf: Buffer.alloc(0),
  });
});

describe('flags', () => {
  test('are none, or not known, where they are absent', () => {
    expect(readAnswer(answer({ flags: undefined }))).toMatchObject({ flags: NO_FLAGS });
    expect(readAnswer(answer({ flags: { addressDiscrepancy: true } }))).toMatchObject({
      flags: { ...NO_FLAGS, addressDiscrepancy: true },
    });
  });

  test('are read, the telephone number as it is written', () => {
    const flags = {
      ...{ frozen: true, deceased: true, ssnMatch: 'partial', addressDiscrepancy: true },
      ...{ fraudAlert: 'extended', alertPhone: '+1 (202) 555-0117 x4' },
    };
    expect(readAnswer(answer({ flags }))).toMatchObject({ flags });
  });
});

describe('an unusable answer is described without quoting it', () => {
  test.each([
    ['it is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['it is not a JSON object', bytes('<html>Sign in</html>')],
    ['it is not a JSON object', bytes('')],
    ['it is not a JSON object', bytes('[]')],
    ['it is not a JSON object', bytes('null')],
    ['it is not a JSON object', bytes(JSON.stringify(SOUND).slice(0, -5))],
    ['hit is neither true nor false', answer({ hit: 'yes' })],
    ['hit is neither true nor false', answer({ hit: undefined })],
    ['score is neither null nor a whole number up to 999', answer({ score: '712' })],
    ['score is neither null nor a whole number up to 999', answer({ score: 712.5 })],
    ['score is neither null nor a whole number up to 999', answer({ score: 0 })],
    ['score is neither null nor a whole number up to 999', answer({ score: 1000 })],
    ['scoreFactors is not a list of at most 20 short texts', answer({ scoreFactors: 'late' })],
    ['scoreFactors is not a list of at most 20 short texts', answer({ scoreFactors: [4] })],
    ['inquiries is neither null nor a count', answer({ inquiries: -1 })],
    ['reportDate is not a date', answer({ reportDate: '01/15/2026' })],
    ['reportDate is not a date', answer({ reportDate: undefined })],
    ['inFileSince is neither null nor a date', answer({ inFileSince: '2009-02-30' })],
    ['flags is not an object', answer({ flags: null })],
    ['flags is not an object', answer({ flags: ['frozen'] })],
    ['flags has an unknown member', answer({ flags: { deceasd: true } })],
    ['flags has an unknown member', bytes(JSON.stringify(SOUND).replace('"flags":{}', '"flags":{"__proto__":{}}'))],
    ['flags.frozen is neither true nor false', answer({ flags: { frozen: 'true' } })],
    ['flags.deceased is neither true nor false', answer({ flags: { deceased: null } })],
    ['flags.addressDiscrepancy is neither true nor false', answer({ flags: { addressDiscrepancy: 1 } })],
    ['flags.ssnMatch is not one of exact, partial, noMatch and null', answer({ flags: { ssnMatch: 'SECRET' } })],
    ['flags.fraudAlert is not one of none, initial, extended and activeDuty', answer({ flags: { fraudAlert: null } })],
    ['flags.alertPhone is neither null nor a telephone number', answer({ flags: { alertPhone: 2_025_550_117 } })],
    ['flags.alertPhone is neither null nor a telephone number', answer({ flags: { alertPhone: 'call SECRET' } })],
    ['flags.alertPhone is neither null nor a telephone number', answer({ flags: { alertPhone: '555-01' } })],
    ['flags.alertPhone is neither null nor a telephone number', answer({ flags: { alertPhone: '202-555-0117\n' } })],
    ['flags.alertPhone is neither null nor a telephone number', answer({ flags: { alertPhone: '5'.repeat(31) } })],
    ['attributes is not an object of at most 5000 short strings, given once', answer({ attributes: { AT01S: 12 } })],
    [
      'attributes is not an object of at most 5000 short strings, given once',
      bytes(JSON.stringify(SOUND).replace('"AT01S":"12"', '"AT01S":12,"AT01S":"12"')),
    ],
    ['attributes is not an object of at most 5000 short strings, given once', answer({ attributes: ['AT01S'] })],
    ['attributes is not an object of at most 5000 short strings, given once', answer({ attributes: undefined })],
    [
      'attributes is not an object of at most 5000 short strings, given once',
      bytes(`{"attributes":{"A":"1"},${JSON.stringify(SOUND).slice(1)}`),
    ],
    [
      'attributes is not an object of at most 5000 short strings, given once',
      answer({ attributes: Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`A${i}`, '1'])) }),
    ],
    [
      'attributes is not an object of at most 5000 short strings, given once',
      answer({ attributes: { AT01S: '1'.repeat(201) } }),
    ],
    ['tradeLines is neither CSV text nor a list', answer({ tradeLines: undefined })],
    ['tradeLines has a line that is too long', answer({ tradeLines: `${COLUMNS.join(',')}\n${','.repeat(1_500)}` })],
    ['tradeLines has a line that is too long', answer({ tradeLines: `${COLUMNS.join(',')}\n${'x'.repeat(20_000)}` })],
    [
      'tradeLines has more than 2000 lines',
      answer({ tradeLines: `${COLUMNS.join(',')}\n${`${','.repeat(COLUMNS.length - 1)}\n`.repeat(100_000)}` }),
    ],
    [
      'trade line 1 has more than 200 characters in subscriber',
      answer({ tradeLines: [{ subscriber: 'x'.repeat(201) }] }),
    ],
    ['tradeLines has no column subscriber', answer({ tradeLines: 'a,b\n1,2\n' })],
    ['trade line 1 has no valid amount in balance', answer({ tradeLines: [{ balance: 'SECRET' }] })],
    ['pdf is not a PDF in base64', answer({ pdf: '%PDF-1.4' })],
    ['pdf is not a PDF in base64', answer({ pdf: Buffer.from('<html>').toString('base64') })],
    ['pdf is not a PDF in base64', answer({ pdf: 5 })],
  ])('%s', (complaint, raw) => {
    expect(readAnswer(raw)).toBe(complaint);
  });
});

test('no answer makes it throw', () => {
  const member = fc.constantFrom(...Object.keys(SOUND));
  fc.assert(
    fc.property(fc.dictionary(member, fc.jsonValue()), (changed) => {
      readAnswer(answer(changed));
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (raw) => {
      expect(readAnswer(raw)).toBeTypeOf('string');
    }),
  );
});

test('a written answer is read back, with the exact attributes', () => {
  const pdf = Buffer.from('%PDF-1.4 nothing');
  const written = writeAnswer({
    ...{ hit: true, score: null, scoreFactors: ['“one”'], reportDate: date('2026-01-15'), inFileSince: null },
    flags: { ...NO_FLAGS, fraudAlert: 'initial', alertPhone: '202-555-0116' },
    ...{ inquiries: 0, attributes: '{"A" : "1"}', tradeLinesCsv: `${COLUMNS.join(',')}\n`, pdf },
  });
  expect(readAnswer(written)).toMatchObject({
    ...{ attributes: '{"A" : "1"}', scoreFactors: ['“one”'], pdf },
    flags: { ...NO_FLAGS, fraudAlert: 'initial', alertPhone: '202-555-0116' },
  });
});

describe('a report given by hand', () => {
  const today = date('2026-01-15');

  test('is what the same answer of a bureau would be', () => {
    const { raw: _, ...read } = readAnswer(bytes(JSON.stringify(SOUND))) as BureauReport;
    expect(readGivenReport(SOUND, today)).toEqual({ ...read, raw: new Uint8Array(), unknown: [] });
  });

  test('says what it leaves out', () => {
    expect(readGivenReport({ score: 700 }, today)).toMatchObject({
      ...{ hit: true, score: 700, reportDate: today, inquiries: null, tradeLines: [], flags: NO_FLAGS },
      unknown: ['tradeLines', 'inFileSince'],
    });
    expect(readGivenReport({ tradeLines: [], inFileSince: null }, today)).toMatchObject({ unknown: [] });
  });

  test('names the member that is wrong, as for a bureau', () => {
    for (const [member, value] of Object.entries({
      ...{ hit: 1, score: 0, scoreFactors: 'x', reportDate: 'x', inFileSince: 'x', inquiries: -1 },
      ...{ flags: { lost: true }, attributes: { a: 1 }, tradeLines: 'x', pdf: 'x' },
    })) {
      const given = { ...SOUND, [member]: value };
      const read = readGivenReport(given, today);
      expect(isAnswerMistake(read) && read).toEqual({ member, detail: readAnswer(bytes(JSON.stringify(given))) });
    }
  });
});
