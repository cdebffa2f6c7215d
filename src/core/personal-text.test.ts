import { describe, expect, test } from 'vitest';
import { isPublicName, looksLikeSsn, looksPersonal } from './personal-text.ts';

describe('a social security number is found inside longer texts', () => {
  test.each([
    ...['666000001', '666-00-0001', '666.00.0001', '666 00 0001', '666:00:0001', '666_00_0001', '66600-0001'],
    ...['SSN666000001', 'X-666.00.0001', 'SSN:666-12-3456', 'x-666-12-3456-y', 'loan_666000001_b', 'A123456789'],
    ...[
      '2026-666-00-0001',
      '666–00–0001',
      '666 - 00 - 0001',
      'id 666000001.',
      '0x666000001',
      '000-12-3456',
      '000123456',
    ],
  ])('%s', (text) => {
    expect(looksLikeSsn(text)).toBe(true);
  });
});

describe('what is not a social security number', () => {
  test.each([
    ...['12345678', '1234567890', '2026-12-3456', '12-34-5678', 'APP-2026-000117', 'LOAN-2025-01-001', ''],
    ...['12345678901234567890123456789012', '20260131-000123', 'PAY-000000001', '000000042'],
    ...[
      '550e8400-e29b-41d4-a716-446655440000',
      '550e8400-e29b-41d4-a716-a446655440ff',
      '9f123456789abcdef0123456789abcde',
    ],
    ...['0x00a123456789b0000000000000000000', 'pay_a123456789b123456', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '555-0100'],
  ])('%s', (text) => {
    expect(looksLikeSsn(text)).toBe(false);
  });

  test('a short hexadecimal text is not an id: it may be a prefix and a number', () => {
    expect(looksLikeSsn('abc666000001')).toBe(true);
    expect(looksLikeSsn('550e8400-e29b-41d4-a716-446655440000 666-00-0001')).toBe(true);
  });
});

describe('texts that may identify a person', () => {
  test.each([
    ...['ann@example.com', 'Ann <ann@example.com>', '(555) 010-2030', '555.010.2030', '+44 20 7946 0958', '555-0100'],
    ...['born 1980-02-29', '2/29/1980', '19800229', 'account 12345678', '1HGCM82633A004352', '６６６-00-0001'],
  ])('%s', (text) => {
    expect(looksPersonal(text)).toBe(true);
    expect(isPublicName(text)).toBe(false);
  });

  test.each([
    ...[
      'Honda',
      'F-150',
      'Silverado 3500 HD',
      '911 Carrera 4S',
      'Town & Country',
      'Q50 3.0t',
      'C/K 1500',
      'Škoda',
      'MX-5 Miata',
    ],
    ...['SOFR', 'Term SOFR 1M', 'Prime + 2', 'id.4', 'Citroën', '5 Series (G60)', 'L’Escapade'],
  ])('but not %s', (text) => {
    expect(looksPersonal(text)).toBe(false);
    expect(isPublicName(text)).toBe(true);
  });

  test('a name is short and printable', () => {
    expect(isPublicName('x'.repeat(61))).toBe(false);
    for (const text of ['٦٦٦', 'a\nb', 'a\u0000b', '<b>', '=1+1', ' a', 'a"b', ''])
      expect(isPublicName(text)).toBe(false);
  });
});

test('a long text takes time in proportion to its length', () => {
  const started = performance.now();
  for (const unit of ['1', '12 ', '123-', '+1 ', 'a', 'a1', '666-00-', '@', '0x', '1/']) {
    looksPersonal(unit.repeat(20_000));
  }
  // Tens of milliseconds; a backtracking pattern would take minutes.
  expect(performance.now() - started).toBeLessThan(5_000);
});
