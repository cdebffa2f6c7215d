import { expect, test } from 'vitest';
import { indexedValues } from './indexed-values.ts';
import { addressIn, normalAddress } from './postal-address.ts';

test.each([
  [
    { street: '12 North Main Street, Apt. 4', zip: '43215' },
    { street: '12 N MAIN ST', unit: '#4', zip: '43215-1201' },
  ],
  [
    { street: 'P.O. Box 77', zip: '43215' },
    { street: 'po box 77', zip: '43215' },
  ],
  [
    { street: '9 Elm Rd', city: 'Troy', state: 'oh' },
    { street: '9 elm road', city: 'TROY', state: 'OH' },
  ],
  [addressIn('12 Main St Unit 4, Columbus, OH 43215'), { street: '12 main street', unit: '4', zip: '43215' }],
])('%j and %j are one door', (a, b) => {
  expect(normalAddress(a)).not.toBeNull();
  expect(normalAddress(a)).toBe(normalAddress(b));
});

test('another unit, another ZIP code and another number are other doors; half an address is none', () => {
  const at = { street: '12 Main St', zip: '43215' };
  for (const other of [{ unit: '4' }, { zip: '43216' }, { street: '14 Main St' }]) {
    expect(normalAddress({ ...at, ...other })).not.toBe(normalAddress(at));
  }
  for (const half of [{ street: '' }, { street: 'Main Street' }, { zip: '' }]) {
    expect(normalAddress({ ...at, ...half })).toBeNull();
  }
});

test('placeholders and half an account are no values', () => {
  const texts = (own: Record<string, string>) => ({ applicant: new Map(Object.entries(own)), coApplicant: new Map() });
  const kinds = (own: Record<string, string>, vin = '') => indexedValues(texts(own), vin).map(({ kind }) => kind);
  expect(kinds({ ApplicantSSN: '000-00-0000', HomePhone: '(555) 555-5555' })).toEqual([]);
  expect(kinds({ ApplicantSSN: '123456789', BankAccountNumber: '884177' }, '11111111111111111')).toEqual([]);
  expect(kinds({ BankRoutingNumber: '021000021', BankAccountNumber: '884177', HomePhone: '555-201-0143' })).toEqual([
    'phone',
    'account',
  ]);
});
