/** A credit file in a few plain sentences: facts only, no judgement, nothing about the person except their credit. */
import type { CreditFacts, PersonFacts } from './credit-facts.ts';
import { inWords } from './policy.ts';

export function creditVision(credit: PersonFacts): string {
  if (credit.flags.frozen) return 'The credit file is frozen.';
  if (!credit.hit) return 'The credit bureau has no file on this person.';
  return [score(credit), accounts(credit), payments(credit), cards(credit), inquiries(credit)]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function score({ score, inFileSince, monthsInFile }: CreditFacts): string {
  const since = inFileSince === null || monthsInFile === null ? '' : `, in file for ${duration(monthsInFile)}`;
  return score === null ? `No credit score${since}.` : `Credit score ${score}${since}.`;
}

function duration(months: number): string {
  const years = Math.floor(months / 12);
  const rest = months % 12;
  if (years === 0) return count(rest, 'month');
  return rest === 0 ? count(years, 'year') : `${count(years, 'year')} and ${count(rest, 'month')}`;
}

function accounts({ accounts, open, seriousLateLines }: CreditFacts): string {
  if (accounts === null) return '';
  if (accounts === 0) return 'No accounts.';
  const late = seriousLateLines === 0 ? 'none ever 90 days late' : `${seriousLateLines} ever 90 days late`;
  return `${count(accounts, 'account')}, ${open} open, ${late}.`;
}

function payments({ open, pastDueLines, pastDueAmount, payments }: CreditFacts): string {
  if (open === 0) return '';
  const late =
    pastDueLines === 0
      ? 'nothing is past due'
      : `${count(pastDueLines, 'account')} past due, ${inWords(pastDueAmount, 'dollars')} in total`;
  return `Payments on open accounts are ${inWords(payments, 'dollars')} a month; ${late}.`;
}

function cards({ revolvingBalance, revolvingLimit, utilisation }: CreditFacts): string {
  if (utilisation === null) return '';
  const used = inWords(Math.round(utilisation * 100) / 100, 'ratio');
  return `Revolving balances are ${inWords(revolvingBalance, 'dollars')}, ${used} of their highest balance (${inWords(revolvingLimit, 'dollars')}).`;
}

function inquiries({ inquiries }: CreditFacts): string {
  if (inquiries === null) return '';
  return inquiries === 0 ? 'No inquiries in six months.' : `${count(inquiries, 'inquiry', 'inquiries')} in six months.`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
