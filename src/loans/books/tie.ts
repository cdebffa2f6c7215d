/** Whether the ledger holds what the loans show. */
import type { PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { TIED_ACCOUNTS } from '../../ledger/chart.ts';
import type { Whose } from '../../store/books.ts';
import type { Sql } from '../../store/db.ts';
import type { TieOut } from './books.ts';
import { balancesOn, loanFigures } from './day.ts';

/** By account: what the ledger holds, and what the loans show. */
export async function tiesOn(tx: Sql, whose: Whose, day: PlainDate): Promise<TieOut['accounts']> {
  const figures = await loanFigures(tx, whose, day);
  const balances = await balancesOn(tx, whose, day, figures);
  return TIED_ACCOUNTS.map((account) => {
    let ledger = 0;
    let loans = 0;
    for (const held of balances.values()) ledger += held.get(account) ?? 0;
    for (const shown of figures.values()) loans += shown[account];
    // What is owed to borrowers is a credit on the books.
    if (account === 'borrowerCredits') ledger = 0 - ledger;
    return { account, ledger: cents(ledger), loans: cents(loans), difference: cents(ledger - loans) };
  });
}
