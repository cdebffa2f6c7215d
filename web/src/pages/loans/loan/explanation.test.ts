import { expect, it } from 'vitest';
import { readable, sentence } from './explanation.ts';

it('writes dates and amounts as the page does', () => {
  expect(
    readable(
      'The payoff amount on 2026-11-17 is 8942.50. Each further day adds 3.21: 8687.74 × 1349/3650000, rounded.',
    ),
  ).toBe(
    'The payoff amount on Nov 17, 2026 is 8,942.50. Each further day adds 3.21: 8,687.74 × 1349/3650000, rounded.',
  );
  expect(readable('12475.00 × 0.1349 × 47 days ÷ 365')).toBe('12,475.00 × 0.1349 × 47 days ÷ 365');
});

it('names the steps of the payment order', () => {
  expect(sentence('due.interest')).toBe('Interest due');
  expect(sentence('late fee of 2026-10-19')).toBe('Late fee of Oct 19, 2026');
});
