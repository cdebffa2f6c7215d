import { expect, test } from 'vitest';
import { hidden, maskedEmail, maskedName, maskedNumber } from './mask.ts';

test.each([
  ['Robin', 'Ellis', 'Robin E.'],
  [' Robin ', ' ellis ', 'Robin e.'],
  ['Robin', '', 'Robin'],
  ['', 'Ellis', 'E.'],
  ['', '', null],
  ['   ', ' \t\u00a0 ', null],
  // A last name of one letter is all of it.
  ['R', 'E', 'R •'],
  ['R', 'É', 'R •'],
  ['R', 'E\u0301', 'R •'],
  // The whole name in one field.
  ['Robin Ellis', '', 'Robin'],
  ['Robin,Ellis', 'Robin Ellis', 'Robin R.'],
  // Something else in the field.
  ['666-12-3456', '666-12-3456', '•••• •'],
  ['robin@example.com', '٣٤٥', '•••• •'],
  ['😀', '😀😀', '😀 •'],
  ['👩‍👩‍👧', 'x', '👩👩👧 •'],
  ['محمد', 'الفارسي', 'محمد ا.'],
  ['\u202eniboR', '\u202esillE', 'niboR s.'],
  ['\u0000Ro\u0000bin', 'O’Neill', 'Robin O.'],
  ['\ud83d', '\udc00', null],
  ['van', 'der Berg', 'van d.'],
])('the name %j %j is shown as %j', (first, last, shown) => {
  expect(maskedName(first, last)).toBe(shown);
});

test('a name without end is cut', () => {
  const long = 'abcdefghij'.repeat(1_000_000);
  expect(maskedName(long, long)).toBe(`${long.slice(0, 30)}… a.`);
  expect(maskedName('é'.repeat(31), 'b'.repeat(300))).toBe(`${'é'.repeat(30)}… b.`);
  expect(maskedName(' '.repeat(10_000), 'x')).toBe('•');
});

test.each([
  ['666-12-3456', '•••• 3456'],
  ['(813) 555-0123', '•••• 0123'],
  ['12345678', '•••• 5678'],
  ['1234567', '••••'],
  ['1234', '••••'],
  ['unknown', '••••'],
  ['٣٤٥٣٤٥٣٤٥', '••••'],
  ['', null],
  ['  ', null],
])('the number %j is shown as %j', (text, shown) => {
  expect(maskedNumber(text)).toBe(shown);
});

test.each([
  ['robin.ellis@example.com', 'r•••@•••'],
  ['ro@example.com', '•••@•••'],
  ['r@example.com', '•••@•••'],
  ['"r@x"@example.com', '"•••@•••'],
  ['@example.com', '••••'],
  ['robin', '••••'],
  ['', null],
])('the address %j is shown as %j', (text, shown) => {
  expect(maskedEmail(text)).toBe(shown);
});

test('of a date of birth nothing is shown but that it is known', () => {
  expect([hidden('19800229'), hidden('x'), hidden(' ')]).toEqual(['••••', '••••', null]);
});
