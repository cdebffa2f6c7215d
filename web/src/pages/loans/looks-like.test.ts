import { expect, it } from 'vitest';
import { canBeId, looksPersonal, spellings } from './looks-like.ts';

it.each([
  ['(555) 010-1234', 'phone'],
  ['+1 555 010 1234', 'phone'],
  ['5550101234', 'phone'],
  ['010-1234', 'phone'],
  ['123-45-6789', 'ssn'],
  ['123456789', 'ssn'],
  ['robin@mail.example', 'email'],
  ['1HGCM82633A004352', 'vin'],
  ['1hgcm82633a004352', 'vin'],
  ['Robin', 'lastName'],
  ['robin example', 'lastName'],
  ['O’Neil-Sample', 'lastName'],
  ['Müller', 'lastName'],
  ['COPPERBURY', 'lastName'],
  ['900_36_2757', 'ssn'],
])('%s is a %s and no id', (text, kind) => {
  expect(looksPersonal(text)).toBe(kind);
});

it.each([
  'APP-1001',
  'DEMO-074',
  'DEMO',
  'APP-',
  'HARBOR-7',
  'BRW-102590',
  '1001',
  '2026-0001',
  'a9b7',
  `0x${'ab'.repeat(32)}`,
])('%s is an id', (text) => {
  expect(looksPersonal(text)).toBeNull();
  expect(canBeId(text)).toBe(true);
});

it('says what can be no id', () => {
  expect(['Robin Example', '(555)', '', 'a/b', 'x'.repeat(67)].map(canBeId)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

it('knows how an id may be spelled, as it is typed first', () => {
  expect(spellings('demo-067')).toEqual(['demo-067', 'DEMO-067']);
  expect(spellings('Demo-067')).toEqual(['Demo-067', 'DEMO-067', 'demo-067']);
  expect(spellings('1001')).toEqual(['1001']);
});
