/** Sums of the books, to the cent. Debits are positive, credits negative, as the API has them. Pure. */
import { cents, words } from '../../format.ts';

/** In the order of the chart of accounts. */
export const ACCOUNTS = [
  { account: 'loanPrincipal', kind: 'Asset', about: 'Principal that borrowers owe' },
  { account: 'accruedInterest', kind: 'Asset', about: 'Interest since the last event of each loan' },
  { account: 'interestReceivable', kind: 'Asset', about: 'Interest owed up to the last event' },
  { account: 'feeReceivable', kind: 'Asset', about: 'Fees owed' },
  { account: 'cash', kind: 'Asset', about: 'Acknowledged payments, less money lent and refunded' },
  { account: 'cashClearing', kind: 'Asset', about: 'Payments that are not acknowledged yet' },
  { account: 'suspense', kind: 'Liability', about: 'Money not matched to a loan' },
  { account: 'rescissionReceivable', kind: 'Asset', about: 'Principal of rescinded loans that is to come back' },
  { account: 'repossessedVehicles', kind: 'Asset', about: 'Collateral taken back' },
  {
    account: 'deferredCosts',
    kind: 'Asset',
    about: 'Dealer reserve and direct costs of making loans, not yet amortized',
  },
  { account: 'dueFrom', kind: 'Asset', about: 'Owed by another owner of a loan for money of its payments' },
  { account: 'interestIncome', kind: 'Income', about: 'Interest earned' },
  { account: 'feeIncome', kind: 'Income', about: 'Fees earned' },
  { account: 'chargeOffExpense', kind: 'Expense', about: 'Principal charged off' },
  { account: 'smallBalanceExpense', kind: 'Expense', about: 'Small balances written off' },
  { account: 'provisionExpense', kind: 'Expense', about: 'What brings the allowance to the required level' },
  { account: 'recoveryIncome', kind: 'Income', about: 'Money received after a charge-off' },
  { account: 'saleLoss', kind: 'Expense', about: 'Loss on sold collateral' },
  { account: 'borrowerCredits', kind: 'Liability', about: 'Money owed back to borrowers' },
  { account: 'unappliedRefunds', kind: 'Liability', about: 'Refunds not yet applied' },
  { account: 'allowance', kind: 'Contra', about: 'Loss that is expected of the principal' },
  { account: 'deferredFees', kind: 'Liability', about: 'Finance charges kept when loans were funded, not yet income' },
  {
    account: 'purchaseDiscount',
    kind: 'Liability',
    about: 'Discounts of loans that were bought, not yet income; premiums are debits',
  },
  { account: 'dueTo', kind: 'Liability', about: 'Owed to another owner of a loan for money of its payments' },
  { account: 'opening', kind: 'Contra', about: 'Offset for the balances of boarded, bought or sold loans' },
  { account: 'equity', kind: 'Equity', about: 'The owners’ capital, recorded by hand' },
  { account: 'retainedEarnings', kind: 'Equity', about: 'Income and expense of closed years' },
] as const;
export type Account = (typeof ACCOUNTS)[number]['account'];

const ORDER = new Map<string, number>(ACCOUNTS.map(({ account }, n) => [account, n]));
export const aboutAccount = (account: string) => ACCOUNTS[ORDER.get(account) ?? -1];
export const accountName = (account: string): string => words(account).replace('Charge off', 'Charge-off');
const inOrder = (a: string, b: string) => (ORDER.get(a) ?? 99) - (ORDER.get(b) ?? 99);
/** By their names, in the order of the chart. */
export const accountsText = (accounts: readonly string[]): string =>
  accounts.toSorted(inOrder).map(accountName).join(', ');

const amount = (text: string | null | undefined): bigint => cents(text) ?? 0n;

export type Sides = { debit: bigint; credit: bigint };
export const sidesOf = (balance: bigint): Sides => ({
  debit: balance > 0n ? balance : 0n,
  credit: balance < 0n ? -balance : 0n,
});

export function totalsOf(lines: readonly { debit: string; credit: string }[]): Sides & { difference: bigint } {
  const debit = lines.reduce((sum, line) => sum + amount(line.debit), 0n);
  const credit = lines.reduce((sum, line) => sum + amount(line.credit), 0n);
  return { debit, credit, difference: debit - credit };
}

type LenderBalances = { lenderId: string; accounts: readonly { account: string; balance: string }[] };

/** The balances of all lenders by account. */
export function balancesOf(lenders: readonly LenderBalances[]): ({ account: string } & Sides)[] {
  const sums = new Map<string, bigint>();
  for (const { account, balance } of lenders.flatMap(({ accounts }) => accounts)) {
    sums.set(account, (sums.get(account) ?? 0n) + amount(balance));
  }
  return [...sums].sort(([a], [b]) => inOrder(a, b)).map(([account, balance]) => ({ account, ...sidesOf(balance) }));
}

type RolledLender = {
  lenderId: string;
  accounts: readonly {
    account: string;
    opening: string;
    activity: readonly { entry: string; amount: string }[];
    closing: string;
  }[];
};
export type RolledAccount = {
  account: string;
  opening: bigint;
  byEntry: ReadonlyMap<string, bigint>;
  closing: bigint;
  /** Whether the opening balance and the postings make the closing balance. */
  adds: boolean;
};
export type Rolled = { entries: readonly string[]; accounts: readonly RolledAccount[]; total: RolledAccount };

/** All lenders together: the opening, what each type of entry posted, and the closing of every account. */
export function rolledOf(lenders: readonly RolledLender[]): Rolled {
  const names = [...new Set(lenders.flatMap(({ accounts }) => accounts.map(({ account }) => account)))].sort(inOrder);
  const parts = (account: string) =>
    lenders.flatMap(({ accounts }) => accounts.filter((one) => one.account === account));
  const accounts = names.map((account) => {
    const mine = parts(account);
    const byEntry = new Map<string, bigint>();
    for (const one of mine.flatMap(({ activity }) => activity)) {
      byEntry.set(one.entry, (byEntry.get(one.entry) ?? 0n) + amount(one.amount));
    }
    const opening = mine.reduce((sum, one) => sum + amount(one.opening), 0n);
    const closing = mine.reduce((sum, one) => sum + amount(one.closing), 0n);
    return added({ account, opening, byEntry, closing });
  });
  const entries = [...new Set(accounts.flatMap(({ byEntry }) => [...byEntry.keys()]))].sort();
  const sum = (of: (one: RolledAccount) => bigint) => accounts.reduce((all, one) => all + of(one), 0n);
  const byEntry = new Map(entries.map((entry) => [entry, sum((one) => one.byEntry.get(entry) ?? 0n)]));
  const total = added({ account: '', opening: sum((one) => one.opening), byEntry, closing: sum((one) => one.closing) });
  return { entries, accounts, total };
}

function added(one: Omit<RolledAccount, 'adds'>): RolledAccount {
  const posted = [...one.byEntry.values()].reduce((sum, value) => sum + value, 0n);
  return { ...one, adds: one.opening + posted === one.closing };
}

export const ties = (accounts: readonly { difference: string }[]): boolean =>
  accounts.every(({ difference }) => amount(difference) === 0n);
