import { expect, test } from 'vitest';
import { amountOf, dateOf, memberOf, textOf, wholeOf } from './lenient-numbers.ts';
import { checkVin } from './vin.ts';

test.each([
  ['$4,500.00', 4_500_00],
  ['4500', 4_500_00],
  [' 4500.5 ', 4_500_50],
  [4583.3333, 4_583_33],
  [4583.335, 4_583_34],
  ['USD 1,234', 1_234_00],
  ['1234.', 1_234_00],
  [0, 0],
  ['-0', 0],
  ['+12', 12_00],
])('an amount as people write it: %j', (value, cents) => {
  expect(amountOf(value)).toEqual({ is: 'given', value: cents });
});

test.each([
  [null, 'absent'],
  [undefined, 'absent'],
  ['  ', 'absent'],
  ['-4500', 'negative'],
  ['(4,500.00)', 'negative'],
  [-1, 'negative'],
  ['n/a', 'unreadable'],
  ['1e3', 'unreadable'],
  ['4,50', 'unreadable'],
  ['12345678901234567', 'unreadable'],
  [Number.NaN, 'unreadable'],
  [Number.POSITIVE_INFINITY, 'unreadable'],
  [1e300, 'unreadable'],
  [{}, 'unreadable'],
  [[], 'unreadable'],
  [true, 'unreadable'],
  ['9'.repeat(5_000), 'unreadable'],
])('not an amount: %j', (value, is) => {
  expect(amountOf(value)).toEqual({ is });
});

test('whole numbers have separators or not, and lose their decimals', () => {
  expect(wholeOf('28,400')).toEqual({ is: 'given', value: 28_400 });
  expect(wholeOf('12.7')).toEqual({ is: 'given', value: 12 });
  expect(wholeOf(-3)).toEqual({ is: 'negative' });
  expect(wholeOf('three')).toEqual({ is: 'unreadable' });
  expect(wholeOf(null)).toEqual({ is: 'absent' });
});

test('dates come with hyphens or without; an impossible day is not read', () => {
  expect(dateOf('19840302')).toBe('1984-03-02');
  expect(dateOf('1984-03-02')).toBe('1984-03-02');
  expect(dateOf('19840231')).toBeNull();
  expect(dateOf(null)).toBeNull();
});

test('members of a value that is not an object are absent, and so are inherited ones', () => {
  for (const value of [null, undefined, 3, 'text', []]) expect(memberOf(value, 'ApplicantInfo')).toBeUndefined();
  expect(memberOf({}, 'toString')).toBeUndefined();
  expect(textOf({})).toBe('');
});

test.each([
  ['1HGCM82633A004352', null, 'fits'],
  ['1hgcm82633a004352', null, 'fits'],
  ['1M8GDM9AXKP042788', null, 'fits'],
  ['1HGCM82643A004352', null, 'impossible'],
  ['1HGCM82633A00435', null, 'impossible'],
  ['1HGCM82633A0O4352', null, 'impossible'],
  ['', null, 'absent'],
  ['11111111111111111', null, 'fits'],
  // Before 1981 there was no check digit.
  ['1HGCM82643A004352', 1978, 'fits'],
] as const)('vehicle identification number %s of %s: %s', (vin, year, check) => {
  expect(checkVin(vin, year)).toBe(check);
});
