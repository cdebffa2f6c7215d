/** From the opening of a month to its closing, entry by entry. */
import { addDays } from '../../core/calendar.ts';
import { type Cents, cents } from '../../core/money.ts';
import { ACCOUNTS, type Account } from '../../ledger/chart.ts';
import { type Days, readEntryTotals, type Whose } from '../../store/books/books.ts';
import { type Balances, balancesOn, enter, enterAccrual, postedOn } from './day.ts';
import type { Look } from './looks.ts';
import type { Period } from './months.ts';
import { eachUnwritten } from './unwritten.ts';

export type RollForward = {
  readonly period: Period;
  readonly closed: boolean;
  readonly lenders: readonly {
    readonly lenderId: string;
    readonly accounts: readonly {
      readonly account: Account;
      readonly opening: Cents;
      readonly activity: readonly { readonly entry: string; readonly amount: Cents }[];
      readonly closing: Cents;
    }[];
  }[];
};

/** By lender and account: what each entry changed. */
type Changes = Map<string, Map<Account, Map<string, number>>>;

export async function rollForwardOf(
  look: Look,
  whose: Whose,
  { from, through }: Days,
): Promise<RollForward['lenders']> {
  const before = addDays(from, -1);
  const opening = await balancesOn(look, whose, before);
  const { balances: closing, from: uncounted } = await postedOn(look.tx, whose, through);
  const changes: Changes = new Map();
  for (const { lenderId, entry, account, debit, credit } of await readEntryTotals(look.tx, whose, { from, through })) {
    change(changes, lenderId, account as Account, entry, Number(debit - credit));
  }
  await eachUnwritten(look, whose, { from: null, through }, (lenderId, { datePosted, entry, account, amount }) => {
    if (uncounted === null || datePosted >= uncounted) enter(closing, lenderId, account, amount);
    if (datePosted >= from) change(changes, lenderId, account, entry, amount);
  });
  await enterAccrual(closing, look, whose, { day: through, figures: null });
  const lenders: RollForward['lenders'][number][] = [];
  for (const lenderId of [...new Set([...opening.keys(), ...closing.keys(), ...changes.keys()])].sort()) {
    lenders.push({ lenderId, accounts: rolledOf(lenderId, { opening, closing, changes }) });
    await look.pause();
  }
  return lenders;
}

function change(changes: Changes, lenderId: string, account: Account, entry: string, amount: number): void {
  const accounts = changes.get(lenderId) ?? new Map<Account, Map<string, number>>();
  changes.set(lenderId, accounts);
  const entries = accounts.get(account) ?? new Map<string, number>();
  accounts.set(account, entries);
  entries.set(entry, (entries.get(entry) ?? 0) + amount);
}

/** The accounts of a lender that held something or changed. What days that are not posted yet accrued and amortized is part of these entries. */
function rolledOf(
  lenderId: string,
  { opening, closing, changes }: { opening: Balances; closing: Balances; changes: Changes },
): RollForward['lenders'][number]['accounts'] {
  const rows = ACCOUNTS.map((account) => {
    const from = opening.get(lenderId)?.get(account) ?? 0;
    const to = closing.get(lenderId)?.get(account) ?? 0;
    const entries = changes.get(lenderId)?.get(account) ?? new Map<string, number>();
    let left = to - from;
    for (const amount of entries.values()) left -= amount;
    return { account, from, to, entries, left };
  });
  const accrued = 0 - (rows.find(({ account }) => account === 'accruedInterest')?.left ?? 0);
  return rows.flatMap(({ account, from, to, entries, left }) => {
    const more = (entry: string, amount: number) => entries.set(entry, (entries.get(entry) ?? 0) + amount);
    if (account === 'interestIncome') {
      more('accrual', accrued);
      more('amortization', left - accrued);
    } else if (left !== 0) {
      const entry = UNPOSTED[account];
      if (entry === undefined) throw new Error(`${account} does not roll forward.`);
      more(entry, left);
    }
    const activity = [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([entry, amount]) => (amount === 0 ? [] : [{ entry, amount: cents(amount) }]));
    if (activity.length === 0 && from === 0) return [];
    return [{ account, opening: cents(from), activity, closing: cents(to) }];
  });
}

const UNPOSTED: Partial<Record<Account, string>> = {
  accruedInterest: 'accrual',
  deferredFees: 'amortization',
  deferredCosts: 'amortization',
  purchaseDiscount: 'amortization',
};
