/** The chart of accounts: where the money of a loan can be on the books. Assets and expenses grow by debits, the others by credits. */
export const ACCOUNTS = [
  /** Principal that borrowers owe; of a charged-off loan, what collateral still covers. */
  'loanPrincipal',
  'interestReceivable',
  'feeReceivable',
  /** Money on its way in from borrowers or out to them; the bank's statement clears it. */
  'cashClearing',
  'interestIncome',
  'feeIncome',
  'chargeOffExpense',
  'recoveryIncome',
  /** Money owed back to borrowers. */
  'borrowerCredits',
] as const;
export type Account = (typeof ACCOUNTS)[number];
