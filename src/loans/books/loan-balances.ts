/**
 * The books loan by loan: a loan's balance of every account on a day, and what each loan added to the interest of a day. They are made of the
 * same parts as the trial balance (`day.ts`), so they add up to it, entries by hand aside.
 */
import { amortizedIn, bookFiguresOf, NO_FIGURES } from '../../core/books.ts';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { NOTHING_DEFERRED, netOf } from '../../core/deferral.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import { type Cents, cents } from '../../core/money.ts';
import type { Account } from '../../ledger/chart.ts';
import { followed } from '../../policy/impact.ts';
import { readBodies, type Whose } from '../../store/books/books.ts';
import { type LoanHeld, readLoansHeld, readPostedByLoan } from '../../store/books/loan-balances.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { timelinesIn } from '../door/policy-timelines.ts';
import { lendersOf } from './closing.ts';
import { type Balances, enter, enterAmortized } from './day.ts';
import type { Look } from './looks.ts';
import { unwrittenLines } from './unwritten.ts';

/** In the books of one lender: a loan that was transferred has balances in those of several. Accounts without a balance are left out. */
export type LoanBalances = {
  readonly loanId: string;
  readonly lenderId: string;
  readonly accounts: readonly { readonly account: Account; readonly balance: Cents }[];
};

export type BalancesPage<T> = { readonly items: readonly T[]; readonly next: string | null };
export type BalancesAsked = { readonly after: string | null; readonly limit: number };

/** The part of a loan in the interest of a day, and in the deferred amounts that the day amortizes. */
export type LoanAccrued = { readonly loanId: string; readonly amount: Cents; readonly amortized: Cents };

/** Loans whose histories are read at once. */
const LOANS_AT_ONCE = 100;

type Read = LoanHeld & { readonly events: readonly LoanEvent[] };

/** Hands on the loans of a page with their histories; returns the loan after which the next page begins, or null where there is none. */
async function eachPortion(
  { tx }: Look,
  whose: Whose,
  { day, after, limit }: BalancesAsked & { readonly day: PlainDate },
  work: (loans: readonly Read[]) => Promise<void>,
): Promise<string | null> {
  const policies = await timelinesIn(tx, whose.organizationId);
  let last = after;
  for (let left = limit; left > 0; ) {
    const size = Math.min(left, LOANS_AT_ONCE);
    const loans = await readLoansHeld(tx, whose, { day, after: last, limit: size });
    if (loans.length === 0) return null;
    const bodies = await readBodies(
      tx,
      loans.map(({ loanId }) => loanId),
    );
    await work(
      loans.map((loan) => {
        const lenderId = loan.held.find(({ until }) => until === null)?.lenderId ?? '';
        return { ...loan, events: followed(eventsIn(bodies.get(loan.loanId) ?? ''), policies.of(lenderId)) };
      }),
    );
    if (loans.length < size) return null;
    left -= size;
    last = loans.at(-1)?.loanId ?? null;
  }
  return last;
}

/** The interest of the open stretch at the end of a day and what it amortizes, as known then, and the lender in whose books it is; null: of another organization. */
function accruedOn({ events, held }: Pick<Read, 'events' | 'held'>, organizationId: string, day: PlainDate) {
  const owner = held.find(({ from, until }) => from <= day && (until === null || until > day));
  if (owner?.organizationId !== organizationId) return null;
  const known = events.filter(({ recordedOn }) => recordedOn <= day);
  const figures = known.length === 0 ? NO_FIGURES : bookFiguresOf(fold(known, day));
  return { lenderId: owner.lenderId, accrued: figures.accruedInterest as number, amortized: amortizedIn(figures) };
}

export async function loanBalancesOn(
  look: Look,
  whose: Whose,
  asked: BalancesAsked & { readonly day: PlainDate },
): Promise<BalancesPage<LoanBalances>> {
  const { organizationId, lenderId } = whose;
  const { day } = asked;
  const items: LoanBalances[] = [];
  const next = await eachPortion(look, whose, asked, async (loans) => {
    const loanIds = loans.map((loan) => loan.loanId);
    const posted = Map.groupBy(await readPostedByLoan(look.tx, whose, { day, loanIds }), (one) => one.loanId);
    for (const { loanId, ...loan } of loans) {
      const balances: Balances = new Map();
      for (const one of posted.get(loanId) ?? []) {
        enter(balances, one.lenderId, one.account as Account, one.amount);
      }
      const present = loan.held.find(({ until }) => until === null);
      // The present owner has what follows from dates alone and no later event has posted.
      if (present?.organizationId === organizationId && loan.recordedOn <= day) {
        for (const { account, amount } of unwrittenLines(loan.events, loan.recordedOn, day)) {
          enter(balances, present.lenderId, account, amount);
        }
      }
      const open = accruedOn(loan, organizationId, day);
      if (open !== null && open.accrued !== 0) {
        enter(balances, open.lenderId, 'accruedInterest', open.accrued);
        enter(balances, open.lenderId, 'interestIncome', -open.accrued);
      }
      if (open !== null) enterAmortized(balances, open.lenderId, open.amortized);
      for (const one of lendersOf(balances)) {
        const isAsked = lenderId === null || one.lenderId === lenderId;
        if (isAsked && one.accounts.length > 0) items.push({ loanId, ...one });
      }
      await look.pause();
    }
  });
  return { items, next };
}

/** The loans that changed the interest of a lender's open stretches on a day, as its book has posted it. */
export async function loansAccrued(
  look: Look,
  { organizationId, lenderId }: Whose & { readonly lenderId: string },
  asked: BalancesAsked & { readonly day: PlainDate },
): Promise<BalancesPage<LoanAccrued>> {
  const { day } = asked;
  const items: LoanAccrued[] = [];
  const next = await eachPortion(look, { organizationId, lenderId }, asked, async (loans) => {
    for (const loan of loans) {
      const of = (date: PlainDate) => {
        const open = accruedOn(loan, organizationId, date);
        return open?.lenderId === lenderId ? open : null;
      };
      const [now, before] = [of(day), of(addDays(day, -1))];
      const amount = (now?.accrued ?? 0) - (before?.accrued ?? 0);
      const amortized = netOf(now?.amortized ?? NOTHING_DEFERRED) - netOf(before?.amortized ?? NOTHING_DEFERRED);
      if (amount !== 0 || amortized !== 0) {
        items.push({ loanId: loan.loanId, amount: cents(amount), amortized: cents(amortized) });
      }
      await look.pause();
    }
  });
  return { items, next };
}
