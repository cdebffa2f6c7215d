/** The chart of accounts: the accounts on which a loan's money can be. Debits increase assets and expenses; credits increase the others. */
export const ACCOUNTS = [
  /** Principal that borrowers owe; of a charged-off loan, what collateral still covers. */
  'loanPrincipal',
  /** Interest of the open stretches, posted by the lender's book, one entry per lender and day. */
  'accruedInterest',
  /** Interest of stretches that have ended. */
  'interestReceivable',
  'feeReceivable',
  'cash',
  /** Payments submitted but not yet acknowledged. */
  'cashClearing',
  /** Money not yet matched to a loan. */
  'suspense',
  /** Principal of rescinded loans that is to come back, and what was paid beside them. */
  'rescissionReceivable',
  'repossessedVehicles',
  /** Paid beside a loan so that it was made: the dealer's reserve, direct costs. */
  'deferredCosts',
  'interestIncome',
  'feeIncome',
  'chargeOffExpense',
  /** Small balances that were written off when a loan was paid off. */
  'smallBalanceExpense',
  /** It brings the allowance to the required level. */
  'provisionExpense',
  'recoveryIncome',
  'saleLoss',
  /** Money owed back to borrowers. */
  'borrowerCredits',
  'unappliedRefunds',
  /** Against principal: the loss that is expected of it over its life (a credit balance). */
  'allowance',
  /** Kept of a loan when it was funded. */
  'deferredFees',
  /** By how much a loan was bought below its principal and interest; the premium of one that was bought above them is a debit. */
  'purchaseDiscount',
  /** Between two owners of a loan: what the one owes the other for money that one took and the loan of the other got, or lost. */
  'dueFrom',
  'dueTo',
  /** The offset of the figures that a loan was boarded with. */
  'opening',
  /** The owners' capital, by entries by hand alone. */
  'equity',
  /** Income and expense of the years that are closed. */
  'retainedEarnings',
] as const;
export type Account = (typeof ACCOUNTS)[number];

/** The accounts that must tie to the loans on every day. */
export const TIED_ACCOUNTS = [
  'loanPrincipal',
  'interestReceivable',
  'accruedInterest',
  'feeReceivable',
  'borrowerCredits',
  'deferredFees',
  'deferredCosts',
  'purchaseDiscount',
] as const satisfies readonly Account[];

/** A loan's events alone post to these, or their balances would not follow from the loans any more: no entry by hand does. */
export const OWNED_BY_LOANS: ReadonlySet<Account> = new Set<Account>([...TIED_ACCOUNTS, 'cashClearing']);

/** They are closed to `retainedEarnings` with the year. */
export const INCOME_AND_EXPENSE = [
  'interestIncome',
  'feeIncome',
  'chargeOffExpense',
  'smallBalanceExpense',
  'provisionExpense',
  'recoveryIncome',
  'saleLoss',
] as const satisfies readonly Account[];

/** A common chart, proposed to who has none: assets from 1000, liabilities from 2000, equity from 3000, income from 4000, expenses from 5000. */
export const PROPOSED_CODES: Readonly<Record<Account, string>> = {
  cash: '1010',
  cashClearing: '1020',
  loanPrincipal: '1200',
  allowance: '1205',
  accruedInterest: '1210',
  interestReceivable: '1220',
  feeReceivable: '1230',
  dueFrom: '1250',
  rescissionReceivable: '1260',
  repossessedVehicles: '1300',
  deferredCosts: '1400',
  opening: '1900',
  borrowerCredits: '2010',
  unappliedRefunds: '2020',
  deferredFees: '2030',
  purchaseDiscount: '2035',
  dueTo: '2040',
  suspense: '2090',
  equity: '3000',
  retainedEarnings: '3900',
  interestIncome: '4010',
  feeIncome: '4020',
  recoveryIncome: '4030',
  chargeOffExpense: '5010',
  saleLoss: '5020',
  smallBalanceExpense: '5030',
  provisionExpense: '5040',
};
