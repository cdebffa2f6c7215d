import { describe, expect, test } from 'vitest';
import { amountText, countText, groupedText, parseExactDecimal, ratioText, roundedText } from './decimal.ts';
import { cents } from './money.ts';

describe('parseExactDecimal', () => {
  test.each([
    ['-12.50', { digits: -125n, scale: 1 }],
    ['0', { digits: 0n, scale: 0 }],
    ['-0.0', { digits: 0n, scale: 0 }],
    ['1,234.005', { digits: 1_234_005n, scale: 3 }],
    ['0.00000000000000000001', { digits: 1n, scale: 20 }],
  ])('%s', (text, expected) => expect(parseExactDecimal(text)).toEqual(expected));

  test.each(['', '-', '+1', '1e5', '.5', '1.', '1,23', 'NaN', '--1', '123456789012345678901'])(
    '%j is not a decimal',
    (text) => expect(parseExactDecimal(text)).toBeNull(),
  );
});

describe('amounts', () => {
  test.each([
    [0, '0', '0'],
    [5, '0.05', '0.05'],
    [100, '1', '1'],
    [99_999, '999.99', '999.99'],
    [100_000, '1,000', '1000'],
    [2_887_500, '28,875', '28875'],
    [2_916_375, '29,163.75', '29163.75'],
    [2_916_370, '29,163.70', '29163.70'],
    [-123_456_789, '-1,234,567.89', '-1234567.89'],
    [999_999_999_999_999, '9,999,999,999,999.99', '9999999999999.99'],
  ])('%d cents are %s, plain %s', (amount, separated, plain) => {
    expect(amountText(cents(amount), false)).toBe(separated);
    expect(amountText(cents(amount), true)).toBe(plain);
  });

  test('a count below zero has separators like one above', () => {
    expect([-1, -999, -1_000, -460_339_200_000].map((count) => countText(count))).toEqual([
      '-1',
      '-999',
      '-1,000',
      '-460,339,200,000',
    ]);
    expect(countText(-460_339_200_000, true)).toBe('-460339200000');
  });
});

test('counts are grouped by thousands', () => {
  expect([0, 999, 1_000, 1_136, 12_345, 1_767_229_200_000].map((count) => countText(count, false))).toEqual([
    ...['0', '999', '1,000', '1,136', '12,345', '1,767,229,200,000'],
  ]);
  expect(countText(1_767_229_200_000, true)).toBe('1767229200000');
});

test('text that is already formatted only gets its separators', () => {
  expect(['', '12', '1234.50', '-1234567', '999'].map((text) => groupedText(text, false))).toEqual([
    ...['', '12', '1,234.50', '-1,234,567', '999'],
  ]);
  expect(groupedText('1234.50', true)).toBe('1234.50');
});

test.each([
  ['0.1234565', 6, '0.123457'],
  ['0.1234564', 6, '0.123456'],
  ['-0.0000005', 6, '-0.000001'],
  ['0.5', 0, '1'],
  ['-0.5', 0, '-1'],
  ['10', 2, '10'],
  ['0.10', 2, '0.1'],
  ['100.00', 2, '100'],
])('%s with %d decimals is %s', (text, decimals, shown) => {
  const decimal = parseExactDecimal(text);
  expect(decimal === null ? null : roundedText(decimal, decimals)).toBe(shown);
});

describe('a ratio', () => {
  test.each([
    ['0.0873', '0.0873'],
    ['8.73', '0.0873'],
    ['8.73%', '0.0873'],
    ['0.5 %', '0.005'],
    ['2', '2'],
    ['2.01', '0.0201'],
    ['104.5', '1.045'],
    ['0.12345678', '0.123457'],
    ['0', '0'],
    ['', ''],
    ['n/a', ''],
    ['-0.2', ''],
    ['1e-2', ''],
  ])('%s is the fraction %s', (text, fraction) => {
    expect(ratioText(text)).toBe(fraction);
  });
});
