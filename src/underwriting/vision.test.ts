import { expect, test } from 'vitest';
import { inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { isRefusal } from '../core/refusal.ts';
import { readFacts } from './facts.ts';
import { creditVision } from './vision.ts';

function vision(figures: Partial<typeof ORDINARY>): string {
  const input = inputOf({ ...ORDINARY, ...figures });
  const facts = readFacts({ ...input, amount: input.contract.amount, unscoredAs: 540 });
  if (isRefusal(facts)) throw new Error(facts.detail);
  return creditVision(facts.primary);
}

test('a long file in plain sentences', () => {
  expect(vision({})).toBe(
    'Credit score 712, in file for 11 years. 4 accounts, 3 open, none ever 90 days late. ' +
      'Payments on open accounts are 250.00 a month; nothing is past due. ' +
      'Revolving balances are 4,000.00, 33 % of their highest balance (12,000.00). 1 inquiry in six months.',
  );
});

test('a thin file, and one with delinquencies', () => {
  expect(vision({ lines: [], monthsInFile: 7, inquiries: 0, score: null })).toBe(
    'No credit score, in file for 7 months. No accounts. No inquiries in six months.',
  );
  const late = { kind: 'auto', months: 30, open: true, high: 6_600, used: 50, late: 4, pastDue: true } as const;
  expect(vision({ lines: [late], monthsInFile: 31, inquiries: null, score: 540 })).toBe(
    'Credit score 540, in file for 2 years and 7 months. 1 account, 1 open, 1 ever 90 days late. ' +
      'Payments on open accounts are 100.00 a month; 1 account past due, 100.00 in total.',
  );
});

test('a frozen file', () => {
  expect(vision({ flags: { frozen: true }, lines: [], score: null })).toBe('The credit file is frozen.');
});

test('no file', () => {
  expect(vision({ hit: false })).toBe('The credit bureau has no file on this person.');
});
