/** The ledger of a loan against the auditor's own double entry, over random histories: every account on any day, as known by then. */
import { expect } from 'vitest';
import { bookFiguresOf } from '../../src/core/books.ts';
import { fold } from '../../src/core/fold.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { keepBooks } from '../support/auditor/plain-books.ts';
import { everyLife } from '../support/simulate/every-life.ts';

everyLife('every account is the auditor’s', ({ events, terms, policy, contract }, day) => {
  const known = events.filter(({ recordedOn }) => recordedOn <= day);
  if (!known.some(({ type }) => type === 'funded')) return;
  const loan = fold(known, day);
  const { frequency, prepaymentPenalty } = contract;
  const life = { terms, policy, frequency, prepaymentPenalty, events: known, asOf: day };
  const expected = Object.fromEntries([...keepBooks(life).balances].filter(([, amount]) => amount !== 0n));
  const { accruedInterest, openFees, openCosts } = bookFiguresOf(loan);
  const held: Record<string, number> = { ...balances(booksOf(loan)) };
  held.accruedInterest = accruedInterest;
  held.deferredFees = (held.deferredFees ?? 0) + openFees;
  held.deferredCosts = (held.deferredCosts ?? 0) - openCosts;
  held.interestIncome = (held.interestIncome ?? 0) - accruedInterest - openFees + openCosts;
  const ledger = Object.fromEntries(
    Object.entries(held).flatMap(([name, amount]) => (amount === 0 ? [] : [[name, BigInt(amount)]])),
  );
  expect(ledger).toEqual(expected);
});
