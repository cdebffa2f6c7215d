import { expect, test } from 'vitest';
import { cents } from '../core/money.ts';
import { amountText, amountTexts, countText } from './amounts.ts';

const pretty = { plain: false };
const plain = { plain: true };

test.each([
  [2_887_500, '28,875', '28875'],
  [2_916_375, '29,163.75', '29163.75'],
  [57_550, '575.50', '575.50'],
  [0, '0', '0'],
  [5, '0.05', '0.05'],
  [99_999, '999.99', '999.99'],
  [999_999_999_999_999, '9,999,999,999,999.99', '9999999999999.99'],
  [-123_456, '-1,234.56', '-1234.56'],
])('%d cents are "%s", plain "%s": cents keep two decimals, whole amounts show none', (amount, text, without) => {
  expect(amountText(cents(amount), pretty)).toBe(text);
  expect(amountText(cents(amount), plain)).toBe(without);
});

test('counts have separators too, and groups of amounts keep their names', () => {
  expect(countText(1_768_478_400_000, pretty)).toBe('1,768,478,400,000');
  expect(countText(1_136, plain)).toBe('1136');
  expect(amountTexts({ fees: cents(100), interest: cents(150) }, pretty)).toEqual({ fees: '1', interest: '1.50' });
});
