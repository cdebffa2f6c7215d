import { expect, test } from 'vitest';
import { blindDigests, type SearchTerms } from './blind-index.ts';

const KEY = new Uint8Array(32).fill(3);
const digests = (terms: SearchTerms, organization = 'org_a', key = KEY) =>
  blindDigests(key, organization, terms).map(({ kind, digest }) => `${kind} ${digest.toString('hex')}`);

const same: [what: string, one: SearchTerms, other: SearchTerms][] = [
  ['a social security number with hyphens', { ssn: '900-12-3456' }, { ssn: ' 900123456' }],
  ['an e-mail in capitals', { email: ' Ada@Example.COM ' }, { email: 'ada@example.com' }],
  ['a phone with country code', { phone: ['+1 (555) 010-4477'] }, { phone: ['555.010.4477'] }],
  ['a VIN in small letters', { vin: '1hgcm82633a004352' }, { vin: '1HGCM 82633-A004352' }],
  [
    'a name by its letters, a birth by its digits',
    { lastName: "O'Néill-Straße ", dateOfBirth: '1980-02-29' },
    { lastName: 'o’NE\u0301ILL STRASSE', dateOfBirth: '19800229' },
  ],
];
test.each(same)('finds %s', (_, one, other) => {
  expect(digests(one)).toHaveLength(1);
  expect(digests(one)).toEqual(digests(other));
});

test('a different value, organization or key gives different digests', () => {
  const one = digests({ ssn: '900123456' });
  expect(digests({ ssn: '900123457' })).not.toEqual(one);
  expect(digests({ ssn: '900123456' }, 'org_b')).not.toEqual(one);
  expect(digests({ ssn: '900123456' }, 'org_a', new Uint8Array(32).fill(4))).not.toEqual(one);
});

test('the same digits have different digests as numbers of different kinds', () => {
  const [[, ssn], [, phone]] = [digests({ ssn: '900123456' }), digests({ phone: ['900123456'] })].map((one) =>
    (one[0] ?? '').split(' '),
  ) as [string[], string[]];
  expect(ssn).not.toBe(phone);
});

test('an invalid value is not indexed, because it would match other people', () => {
  const unusable: SearchTerms[] = [
    {},
    { ssn: '' },
    { ssn: 'XXX-XX-3456' },
    { ssn: '1900-12-3456' },
    { email: 'none' },
    { phone: [] },
    { phone: ['', 'n/a', '911'] },
    { vin: '' },
    { lastName: 'Lovelace' },
    { dateOfBirth: '19800229' },
    { lastName: ' - ', dateOfBirth: '19800229' },
    { lastName: 'Lovelace', dateOfBirth: '1980' },
  ];
  for (const terms of unusable) expect(digests(terms), JSON.stringify(terms)).toEqual([]);
});

test('a number given twice is indexed once; every other given value is indexed', () => {
  const all = blindDigests(KEY, 'org_a', {
    ssn: '900123456',
    email: 'a@b.example',
    phone: ['5550104477', '+1 555 010 4477', '5550104478'],
    vin: '1HGCM82633A004352',
    lastName: 'Li',
    dateOfBirth: '19800229',
  });
  expect(all.map(({ kind }) => kind)).toEqual(['ssn', 'email', 'phone', 'phone', 'vin', 'nameAndBirth']);
  expect(new Set(all.map(({ digest }) => digest.length))).toEqual(new Set([32]));
});
