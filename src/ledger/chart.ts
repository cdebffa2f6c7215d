/** The chart of accounts: where the money of a loan can be on the books. Assets and expenses grow by debits, the others by credits. */
export const ACCOUNTS = [
  /** Principal that borrowers owe; of a charged-off loan, what collateral still covers. */
  'loanPrincipal',
  /** Interest of the stretches that are under way: it is posted by the books, one entry a lender and day. */
  'accruedInterest',
  /** Interest of stretches that have ended. */
  'interestReceivable',
  'feeReceivable',
  'cash',
  /** Payments that were submitted and are not acknowledged yet. */
  'cashClearing',
  /** Money that fits no loan yet. */
  'suspense',
  'repossessedVehicles',
  'interestIncome',
  'feeIncome',
  'chargeOffExpense',
  'recoveryIncome',
  'saleLoss',
  /** Money owed back to borrowers. */
  'borrowerCredits',
  'unappliedRefunds',
  /** The other side of what a loan brought along from an earlier servicer. */
  'opening',
] as const;
export type Account = (typeof ACCOUNTS)[number];

/** Those that tie to the loans, on every day. */
export const TIED_ACCOUNTS = [
  'loanPrincipal',
  'interestReceivable',
  'accruedInterest',
  'feeReceivable',
  'borrowerCredits',
] as const satisfies readonly Account[];
