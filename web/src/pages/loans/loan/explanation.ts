/** The engine's explanations for people: dates and amounts as the rest of the page writes them. */
import { cents, day, fromCents } from '../../../format.ts';

const PARTS: Readonly<Record<string, string>> = {
  'pastDue.interest': 'interest past due',
  'pastDue.principal': 'principal past due',
  'pastDue.fee': 'fees past due',
  'pastDue.penalty': 'penalties past due',
  'due.interest': 'interest due',
  'due.principal': 'principal due',
  'due.fee': 'fees due',
  'due.penalty': 'penalties due',
  'inAdvance.interest': 'interest not yet due',
  'inAdvance.principal': 'principal not yet due',
  'inAdvance.fee': 'fees not yet due',
  'inAdvance.penalty': 'penalties not yet due',
};

/** "2026-11-17" as "Nov 17, 2026", "8942.50" as "8,942.50"; nothing else changes. */
export function readable(text: string): string {
  return (PARTS[text] ?? text)
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (date) => day(date))
    .replaceAll(/[\d.,/]{1,40}/g, (figure) => {
      // The end of a sentence may follow at once.
      const [, amount, rest = ''] = /^(\d{4,30}\.\d\d)([.,]?)$/.exec(figure) ?? [];
      return amount === undefined ? figure : fromCents(cents(amount) ?? 0n) + rest;
    });
}

/** The first letter large, for the beginning of a line. */
export function sentence(text: string): string {
  const plain = readable(text);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
