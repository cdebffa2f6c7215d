/** Reconciles the ledger with the loans. */
import type { PlainDate } from '../../core/calendar.ts';
import { type Cents, cents } from '../../core/money.ts';
import { type Account, TIED_ACCOUNTS } from '../../ledger/chart.ts';
import type { LenderFigures, Whose } from '../../store/books/books.ts';
import { type Balances, balancesOn, loanFigures } from './day.ts';
import type { Look } from './looks.ts';

/** By account: what the ledger holds, and the sum of what the loans show. */
export type TieOut = {
  readonly asOf: PlainDate;
  readonly accounts: readonly {
    readonly account: Account;
    readonly ledger: Cents;
    readonly loans: Cents;
    readonly difference: Cents;
  }[];
};

/** Balances and figures of one moment. */
export type Compared = { readonly balances: Balances; readonly figures: ReadonlyMap<string, LenderFigures> };

export async function compareOn(look: Look, whose: Whose, day: PlainDate): Promise<Compared> {
  const figures = await loanFigures(look, whose, day);
  return { balances: await balancesOn(look, whose, day, figures), figures };
}

/** By account: what the ledger holds, and what the loans show, over these lenders. */
export function tiesOf({ balances, figures }: Compared, lenders: Iterable<string>): TieOut['accounts'] {
  const all = [...lenders];
  return TIED_ACCOUNTS.map((account) => {
    let ledger = 0;
    let loans = 0;
    for (const lender of all) {
      ledger += balances.get(lender)?.get(account) ?? 0;
      loans += figures.get(lender)?.[account] ?? 0;
    }
    // Money owed to borrowers is a credit on the books, and so are fees and discounts that are income to come.
    if (account === 'borrowerCredits' || account === 'deferredFees' || account === 'purchaseDiscount')
      ledger = 0 - ledger;
    return { account, ledger: cents(ledger), loans: cents(loans), difference: cents(ledger - loans) };
  });
}

/** Each lender whose books differ from its loans, with the accounts that do: sums over lenders would hide what cancels out. */
export function untiedLenders(compared: Compared): { lenderId: string; accounts: string[] }[] {
  return lendersIn(compared).flatMap((lenderId) => {
    const off = tiesOf(compared, [lenderId]).filter(({ difference }) => difference !== 0);
    return off.length === 0 ? [] : [{ lenderId, accounts: off.map(({ account }) => account) }];
  });
}

export function lendersIn({ balances, figures }: Compared): string[] {
  return [...new Set([...balances.keys(), ...figures.keys()])].sort();
}
