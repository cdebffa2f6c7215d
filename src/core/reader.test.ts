import { describe, expect, it, test } from 'vitest';
import { parseJson } from '../http/shared/body.ts';
import { SMALL_BODY } from '../http/shared/body-limits.ts';
import { Reader } from './reader.ts';

/** A body as the operations with `exactNumbers` get it. */
function parsed(text: string): object {
  return parseJson(Buffer.from(text), { limits: SMALL_BODY, exactNumbers: true }).value as object;
}

function codesOf(reader: Reader): string[] {
  return reader.mistakes.map(({ pointer, code }) => `${pointer} ${code}`);
}

describe('amounts', () => {
  test.each([
    ['0', 0],
    ['0.1', 10],
    ['1234.10', 123_410],
    // 1.15 × 100 is 114.99999999999999 in floating point.
    ['1.15', 115],
    ['9999999999999.99', 999_999_999_999_999],
    ['"9,999,999,999,999.99"', 999_999_999_999_999],
    ['"1,234.5"', 123_450],
  ])('%s is %d cents', (text, cents) => {
    const reader = new Reader();
    expect(reader.amount(parsed(`{"a":${text}}`), 'a', '')).toBe(cents);
    expect(reader.isClean).toBe(true);
  });

  test.each([
    ['1e5', 'exponent'],
    ['1.0E+2', 'exponent'],
    ['-1', 'negative'],
    ['-0', 'negative'],
    ['0.001', 'decimals'],
    ['10000000000000.00', 'too_many_digits'],
    ['"1,0000"', 'format'],
    ['"1 000"', 'format'],
    ['"1.000,00"', 'format'],
  ])('%s is refused: %s', (text, code) => {
    const reader = new Reader();
    reader.amount(parsed(`{"a":[${text}]}`) && (parsed(`[${text}]`) as object), 0, '/a');
    expect(codesOf(reader)).toEqual([`/a/0 ${code}`]);
  });
});

describe('an amount that may be finer than cents', () => {
  test.each([
    ['"1,234.5678"', '1234.5678'],
    ['1234.50', '1234.50'],
    ['"007"', '7'],
    ['0.000001', '0.000001'],
    ['"9,999,999,999,999.999999"', '9999999999999.999999'],
  ])('%s keeps its decimals: %s', (text, kept) => {
    const reader = new Reader();
    expect(reader.fineAmount(parsed(`[${text}]`) as object, 0, '')).toBe(kept);
    expect(reader.isClean).toBe(true);
  });

  test.each([
    ['1e5', 'exponent'],
    ['-1', 'negative'],
    ['0.0000001', 'decimals'],
    ['10000000000000', 'too_many_digits'],
    ['"1,0000"', 'format'],
    ['"1.5 %"', 'format'],
  ])('%s is refused: %s', (text, code) => {
    const reader = new Reader();
    reader.fineAmount(parsed(`[${text}]`) as object, 0, '/a');
    expect(codesOf(reader)).toEqual([`/a/0 ${code}`]);
  });
});

describe('a reader', () => {
  it('collects at most twenty mistakes, one per field, in order', () => {
    const reader = new Reader();
    const body = parsed(`[${Array.from({ length: 30 }, () => '-1').join(',')}]`);
    for (let i = 0; i < 30; i++) {
      reader.amount(body, i, '/list');
      reader.amount(body, i, '/list');
    }
    const codes = codesOf(reader);
    expect(codes).toHaveLength(20);
    expect(codes[19]).toBe('/list/19 negative');
  });

  it('never repeats submitted values', () => {
    const reader = new Reader();
    reader.amount(parsed('{"amount":"4111 1111"}'), 'amount', '');
    reader.date(parsed('{"date":"4111-11-99"}'), 'date', '');
    expect(reader.mistakes).toHaveLength(2);
    expect(JSON.stringify(reader.mistakes)).not.toContain('4111');
  });

  it('reads rates, dates and exact decimals', () => {
    const reader = new Reader();
    const body = parsed('{"rate":7.250,"date":"2024-02-29","flow":-0.00000000000000000001}');
    expect(reader.percent(body, 'rate', '')).toMatchObject({ digits: 725, scale: 2 });
    expect(reader.date(body, 'date', '')).toBe('2024-02-29');
    expect(reader.exactDecimal(body, 'flow', '')).toEqual({ digits: -1n, scale: 20 });
    expect(reader.isClean).toBe(true);
  });

  it('does not guess the text of a number that was parsed without it', () => {
    expect(() => new Reader().amount({ amount: 0.1 }, 'amount', '')).toThrow('exactNumbers');
  });
});

describe('a whole number', () => {
  const read = (value: unknown) => {
    const reader = new Reader();
    const number = reader.whole({ n: value }, 'n', '', [1, 600]);
    return reader.isClean ? number : reader.mistakes[0]?.code;
  };

  test('may be a number or a string', () => {
    expect([36, '36', '36.0', '36.00', '1', '600'].map(read)).toEqual([36, 36, 36, 36, 1, 600]);
  });

  test('is refused when it is something else, or out of bounds', () => {
    expect(['36.5', 36.5, '-1', '1e2', '', ' 36', '36 months', '1,2'].map(read)).toEqual(Array(8).fill('format'));
    expect([0, '601', '1,000'].map(read)).toEqual(Array(3).fill('range'));
  });
});
