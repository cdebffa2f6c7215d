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
  'repossessedVehicles',
  /** Paid beside a loan so that it was made: the dealer's reserve, direct costs. */
  'deferredCosts',
  'interestIncome',
  'feeIncome',
  'chargeOffExpense',
  'recoveryIncome',
  'saleLoss',
  /** Money owed back to borrowers. */
  'borrowerCredits',
  'unappliedRefunds',
  /** Kept of a loan when it was funded. */
  'deferredFees',
  /** Between two owners of a loan: what the one owes the other for money that one took and the loan of the other got, or lost. */
  'dueFrom',
  'dueTo',
  /** The offset of the figures that a loan was boarded with. */
  'opening',
] as const;
export type Account = (typeof ACCOUNTS)[number];

/** The accounts that must tie to the loans on every day. */
export const TIED_ACCOUNTS = [
  'loanPrincipal',
  'interestReceivable',
  'accruedInterest',
  'feeReceivable',
  'borrowerCredits',
] as const satisfies readonly Account[];
