import { describe, expect, test } from 'vitest';
import {
  ANY_OR_NULL,
  BIRTH_DATE,
  DATE_TEXT,
  FLAG,
  NUMBER,
  NUMBER_OR_NULL,
  ONLY_TEXT,
  type ScalarType,
  SSN,
  TEXT,
  TEXT_OR_NULL,
  TIME_TEXT,
  typedText,
  writtenOut,
  ZIP,
} from './record-values.ts';

/** The JSON text that a value becomes, or the code of its mistake. */
function typed(type: ScalarType, value: string): string {
  const made = typedText(type, value, { start: 0, end: value.length });
  if (made === null) return value;
  return typeof made === 'string' ? made : made.code;
}

const check = (type: ScalarType, rows: readonly (readonly [value: string, becomes: string])[]) =>
  test.each(rows)('%s: %s', (value, becomes) => expect(typed(type, value)).toBe(becomes));

describe('a string', () => {
  check(TEXT, [
    ['"65"', '"65"'],
    ['""', '""'],
    ['" é\\u00e9 "', '" é\\u00e9 "'],
    ['null', '""'],
    ['65', '"65"'],
    ['6500.50', '"6500.50"'],
    ['-0.10', '"-0.10"'],
    ['1e3', '"1000"'],
    ['1.25E+1', '"12.5"'],
    ['12345678901234567890', '"12345678901234567890"'],
    ['1e999', 'format'],
    ['true', 'type'],
    ['{}', 'type'],
    ['[]', 'type'],
  ]);

  test('that may be null stays null', () => {
    expect(typed(TEXT_OR_NULL, 'null')).toBe('null');
    expect(typed(TEXT_OR_NULL, '""')).toBe('""');
    expect(typed(TEXT_OR_NULL, '24')).toBe('"24"');
    expect(typed(TEXT_OR_NULL, 'false')).toBe('type');
  });

  test('with a document or a table is a string or null', () => {
    expect(['"a"', 'null', '1', 'true', '[]'].map((value) => typed(ONLY_TEXT, value))).toEqual([
      ...['"a"', '""', 'type', 'type', 'type'],
    ]);
  });

  test('that answers yes or no may be true or false', () => {
    expect(['"False"', 'true', 'false', '1', 'null', '{}'].map((value) => typed(FLAG, value))).toEqual([
      ...['"False"', '"true"', '"false"', '"1"', '""', 'type'],
    ]);
  });
});

describe('a number for', () => {
  describe('a social security number has nine digits', () => {
    check(SSN, [
      ['666123456', '"666123456"'],
      ['"666-12-3456"', '"666-12-3456"'],
      ['null', '""'],
      ['66612345', 'format'],
      ['6661234567', 'format'],
      ['-66612345', 'format'],
      ['66612345.', 'format'],
      ['6661234.5', 'format'],
      ['6.66e8', 'format'],
      ['true', 'type'],
    ]);
  });

  describe('a ZIP code has five', () => {
    check(ZIP, [
      ['43004', '"43004"'],
      ['"02134-1000"', '"02134-1000"'],
      ['2134', 'format'],
      ['430041234', 'format'],
    ]);
  });
});

describe('a date', () => {
  describe('of birth', () => {
    check(BIRTH_DATE, [
      ['"19800229"', '"19800229"'],
      ['"1980-02-29"', '"19800229"'],
      ['"1980/02/29"', '"19800229"'],
      ['"1980.02.29"', '"19800229"'],
      ['" 19800229 "', '"19800229"'],
      ['"1980\\u002d02-29"', '"19800229"'],
      ['19800229', '"19800229"'],
      ['""', '""'],
      ['null', '""'],
      ['"19800230"', 'format'],
      ['"1980-02/29"', 'format'],
      ['"1980-0229"', 'format'],
      ['"02/29/1980"', 'format'],
      ['"1980"', 'format'],
      ['"1980-02-29T00:00:00Z"', 'format'],
      ['"unknown"', 'format'],
      ['1980', 'format'],
      ['true', 'type'],
    ]);
  });

  describe('of the assessment', () => {
    check(DATE_TEXT, [
      ['"2026-01-15"', '"2026-01-15"'],
      ['"20260115"', '"2026-01-15"'],
      ['20260115', '"2026-01-15"'],
      ['""', '""'],
      ['null', '""'],
      ['"2026-02-30"', 'format'],
      ['"2026-01-15 10:30:00"', 'format'],
      ['[]', 'type'],
    ]);
  });

  describe('and time of the decision', () => {
    check(TIME_TEXT, [
      ['"2026-01-15 10:30:00"', '"2026-01-15 10:30:00"'],
      ['"2026-01-15T10:30:00Z"', '"2026-01-15 10:30:00"'],
      ['"2026-01-15T10:30:00.000+00:00"', '"2026-01-15 10:30:00"'],
      ['"2026-01-15T10:30:00"', '"2026-01-15 10:30:00"'],
      ['""', '""'],
      ['null', '""'],
      ['"2026-01-15"', 'format'],
      ['"2026-01-15T10:30:00.123Z"', 'format'],
      ['"2026-01-15T10:30:00-06:00"', 'format'],
      ['"2026-01-15 24:00:00"', 'format'],
      ['"2026-02-30 10:30:00"', 'format'],
      ['1768473000', 'type'],
      ['true', 'type'],
    ]);
  });
});

describe('a number', () => {
  check(NUMBER, [
    ['575.170', '575.170'],
    ['-1', '-1'],
    ['1e3', '1e3'],
    ['12345678901234567890.5', '12345678901234567890.5'],
    ['"575.170"', '575.170'],
    ['"6,500.00"', '6500.00'],
    ['"-1,234,567"', '-1234567'],
    ['"+5"', '5'],
    ['"007.50"', '7.50'],
    ['"-00"', '-0'],
    ['"0.0312"', '0.0312'],
    ['"3.1e-2"', '3.1e-2'],
    ['"12345678901234567890.125"', '12345678901234567890.125'],
    ['""', '0'],
    ['null', '0'],
    ['"6,50"', 'format'],
    ['"65,00.00"', 'format'],
    ['"1,2345"', 'format'],
    ['".5"', 'format'],
    ['"5."', 'format'],
    ['"$5"', 'format'],
    ['"5 %"', 'format'],
    ['" "', 'format'],
    ['"five"', 'format'],
    ['"Infinity"', 'format'],
    ['1e999', 'range'],
    ['true', 'type'],
    ['[]', 'type'],
    ['{}', 'type'],
  ]);

  test('that may be null stays null, and is null when it is empty', () => {
    expect(['null', '""', '"6500"', '6500', '"much"'].map((value) => typed(NUMBER_OR_NULL, value))).toEqual([
      ...['null', 'null', '6500', '6500', 'format'],
    ]);
  });

  test('of which the interface says only that it may be null is any scalar, as it was given', () => {
    expect(['null', '"0.50"', '0.50', 'true', '{}'].map((value) => typed(ANY_OR_NULL, value))).toEqual([
      ...['null', '"0.50"', '0.50', 'type', 'type'],
    ]);
  });

  test.each([
    ['6500.50', '6500.50'],
    ['1e3', '1000'],
    ['1.50e1', '15.0'],
    ['1.5e3', '1500'],
    ['12e-1', '1.2'],
    ['-3.1e-2', '-0.031'],
    ['0e5', '0'],
    ['0.05e1', '0.5'],
    ['1E+0', '1'],
    ['1e64', `1${'0'.repeat(64)}`],
    ['1e65', null],
    ['1e-99999999999', null],
  ])('%s is written out as %s', (number, digits) => expect(writtenOut(number)).toBe(digits));
});

test('no mistake repeats the value', () => {
  for (const type of [TEXT, SSN, ZIP, BIRTH_DATE, DATE_TEXT, TIME_TEXT, NUMBER, NUMBER_OR_NULL]) {
    for (const value of ['"Zzyzx"', '777', '{"Zzyzx":777}', '7e77']) {
      const made = typedText(type, value, { start: 0, end: value.length });
      if (made !== null && typeof made === 'object') expect(made.detail).not.toMatch(/Zzyzx|777|7e77/);
    }
  }
});
