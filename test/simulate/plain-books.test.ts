/** The ledger of a loan against the auditor's own double entry, over random histories: every account on any day, as known by then. */
import { expect } from 'vitest';
import { bookFiguresOf } from '../../src/core/books.ts';
import type { PlainDate } from '../../src/core/calendar.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold } from '../../src/core/fold.ts';
import { cents } from '../../src/core/money.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { keepBooks } from '../support/auditor/plain-books.ts';
import { everyLife } from '../support/simulate/every-life.ts';
import type { LivedLife } from '../support/simulate/lives.ts';

function compare({ events, terms, policy, contract }: LivedLife, day: PlainDate): void {
  const known = events.filter(({ recordedOn }) => recordedOn <= day);
  if (!known.some(({ type }) => type === 'funded')) return;
  const loan = fold(known, day);
  const { frequency, prepaymentPenalty } = contract;
  const life = { terms, policy, frequency, prepaymentPenalty, events: known, asOf: day };
  const expected = Object.fromEntries([...keepBooks(life).balances].filter(([, amount]) => amount !== 0n));
  const { accruedInterest, openFees, openCosts, openDiscount } = bookFiguresOf(loan);
  const held: Record<string, number> = { ...balances(booksOf(loan)) };
  held.accruedInterest = accruedInterest;
  held.deferredFees = (held.deferredFees ?? 0) + openFees;
  held.purchaseDiscount = (held.purchaseDiscount ?? 0) + openDiscount;
  held.deferredCosts = (held.deferredCosts ?? 0) - openCosts;
  held.interestIncome = (held.interestIncome ?? 0) - accruedInterest - openFees + openCosts - openDiscount;
  const ledger = Object.fromEntries(
    Object.entries(held).flatMap(([name, amount]) => (amount === 0 ? [] : [[name, BigInt(amount)]])),
  );
  expect(ledger).toEqual(expected);
}

everyLife('every account is the auditor’s', compare);

everyLife('also of a loan that was bought at a discount or a premium', (life, day, pick) => {
  const events = life.events.map((event): LoanEvent => {
    if (event.type !== 'opened') return event;
    const price = cents(Math.max(1, Math.floor((event.principal * (700 + 5 * pick)) / 1_000)));
    return { ...event, purchase: { price, date: event.date, creditDiscount: cents(pick) } };
  });
  if (events.some(({ type }) => type === 'opened')) compare({ ...life, events }, day);
});
