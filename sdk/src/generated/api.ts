// Made from openapi.json by `npm run sdk`.
export const OPERATIONS = {
  createLoan: { method: 'POST', path: '/v2/chain/loans', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  listLoans: { method: 'GET', path: '/v2/chain/loans', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  requestDocuments: { method: 'POST', path: '/v2/chain/request-documents', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  verifyDocuments: { method: 'POST', path: '/v2/chain/verify-documents', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  startUnderwriting: { method: 'POST', path: '/v2/chain/start-underwriting', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  completeUnderwriting: { method: 'POST', path: '/v2/chain/complete-underwriting', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  requestCollateral: { method: 'POST', path: '/v2/chain/request-collateral', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  approveCollateral: { method: 'POST', path: '/v2/chain/approve-collateral', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  updateStipulation: { method: 'POST', path: '/v2/chain/update-stipulation', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  fundLoan: { method: 'POST', path: '/v2/chain/fund-loan', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  initiateRepayment: { method: 'POST', path: '/v2/chain/initiate-repayment', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  cancelLoan: { method: 'POST', path: '/v2/chain/cancel', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  publishLoan: { method: 'POST', path: '/v2/chain/publish', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  submitRepayment: { method: 'POST', path: '/v2/chain/loan-repay', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  acknowledgeRepayment: { method: 'POST', path: '/v2/chain/acknowledge-repayment', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  returnRepayment: { method: 'POST', path: '/v2/chain/return-repayment', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  reverseRepayment: { method: 'POST', path: '/v2/chain/reverse-repayment', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  quotePayoff: { method: 'POST', path: '/v2/chain/payoff-quotes', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  settleLoan: { method: 'POST', path: '/v2/chain/settle', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  closeLoan: { method: 'POST', path: '/v2/chain/close', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  cancelBoarding: { method: 'POST', path: '/v2/chain/cancel-boarding', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  rescindLoan: { method: 'POST', path: '/v2/chain/rescind', dryRun: true, key: true, paged: false, open: false, tag: 'Loans' },
  noteDelinquency: { method: 'POST', path: '/v2/chain/delinquent', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  defaultLoan: { method: 'POST', path: '/v2/chain/default', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  accelerateLoan: { method: 'POST', path: '/v2/chain/accelerate', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  remindOfPayment: { method: 'POST', path: '/v2/chain/payment-reminders', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  chargeOffLoan: { method: 'POST', path: '/v2/chain/charge-off', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  writeDown: { method: 'POST', path: '/v2/chain/write-down', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  recordRecovery: { method: 'POST', path: '/v2/chain/record-recovery', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  refundCredit: { method: 'POST', path: '/v2/chain/refund-credit', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  assessFee: { method: 'POST', path: '/v2/chain/assess-fee', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  waiveFee: { method: 'POST', path: '/v2/chain/waive-fee', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  changeRate: { method: 'POST', path: '/v2/chain/change-rate', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  extendLoan: { method: 'POST', path: '/v2/chain/extend', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  changeDueDate: { method: 'POST', path: '/v2/chain/change-due-date', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  reamortizeLoan: { method: 'POST', path: '/v2/chain/reamortize', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  reageLoan: { method: 'POST', path: '/v2/chain/reage', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  placeHold: { method: 'POST', path: '/v2/chain/place-hold', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  releaseHold: { method: 'POST', path: '/v2/chain/release-hold', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  updateParty: { method: 'POST', path: '/v2/chain/update-party', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  updateCustomData: { method: 'POST', path: '/v2/chain/update-custom-data', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  undoTransaction: { method: 'POST', path: '/v2/chain/undo', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  transferLoan: { method: 'POST', path: '/v2/chain/transfer', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  acceptTransfer: { method: 'POST', path: '/v2/chain/accept-transfer', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  cancelTransfer: { method: 'POST', path: '/v2/chain/cancel-transfer', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  searchLoans: { method: 'POST', path: '/v2/chain/search-loans', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  transferLoans: { method: 'POST', path: '/v2/chain/transfers', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  listTransfers: { method: 'GET', path: '/v2/chain/transfers', dryRun: false, key: false, paged: true, open: false, tag: 'Servicing' },
  acceptTransfers: { method: 'POST', path: '/v2/chain/accept-transfers', dryRun: true, key: true, paged: false, open: false, tag: 'Servicing' },
  readTransfer: { method: 'GET', path: '/v2/chain/transfers/{transfer_id}', dryRun: false, key: false, paged: true, open: false, tag: 'Servicing' },
  listApprovals: { method: 'GET', path: '/v2/chain/approvals', dryRun: false, key: false, paged: true, open: false, tag: 'Approvals' },
  readApproval: { method: 'GET', path: '/v2/chain/approvals/{approval_id}', dryRun: false, key: false, paged: false, open: false, tag: 'Approvals' },
  approveRequest: { method: 'POST', path: '/v2/chain/approve', dryRun: false, key: false, paged: false, open: false, tag: 'Approvals' },
  rejectRequest: { method: 'POST', path: '/v2/chain/reject', dryRun: false, key: false, paged: false, open: false, tag: 'Approvals' },
  readLoan: { method: 'GET', path: '/v2/chain/loans/{loan_id}', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readLoanData: { method: 'GET', path: '/v2/chain/loan-data/{loan_id}', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readSummary: { method: 'GET', path: '/v2/chain/loans/{loan_id}/summary', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readIdentity: { method: 'GET', path: '/v2/chain/loans/{loan_id}/identity', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readCustomData: { method: 'GET', path: '/v2/chain/loans/{loan_id}/custom-data', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readSchedule: { method: 'GET', path: '/v2/chain/loans/{loan_id}/schedule', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readPayoff: { method: 'GET', path: '/v2/chain/loans/{loan_id}/payoff', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  listPayoffQuotes: { method: 'GET', path: '/v2/chain/loans/{loan_id}/payoff-quotes', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  listHolds: { method: 'GET', path: '/v2/chain/loans/{loan_id}/holds', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  readForecast: { method: 'GET', path: '/v2/chain/loans/{loan_id}/forecast', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readLoanPolicy: { method: 'GET', path: '/v2/chain/loans/{loan_id}/policy', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  writeAdverseActionNotice: { method: 'POST', path: '/v2/chain/adverse-action-notice', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  listNotices: { method: 'GET', path: '/v2/chain/loans/{loan_id}/notices', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  listNoticesDue: { method: 'GET', path: '/v2/chain/notices-due', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  listStipulations: { method: 'GET', path: '/v2/chain/loans/{loan_id}/stipulations', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  readHistory: { method: 'GET', path: '/v2/chain/loans/{loan_id}/history', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  readTimeline: { method: 'GET', path: '/v2/chain/loans/{loan_id}/timeline', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  listDeals: { method: 'GET', path: '/v2/chain/loans/{loan_id}/deals', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  listSigns: { method: 'GET', path: '/v2/chain/loans/{loan_id}/signs', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  readDealCashflows: { method: 'GET', path: '/v2/chain/loans/{loan_id}/deals/{index}/cashflows', dryRun: false, key: false, paged: false, open: false, tag: 'Reading', accept: 'text/csv' },
  readReport: { method: 'GET', path: '/v2/chain/loans/{loan_id}/reports/{n}', dryRun: false, key: false, paged: false, open: false, tag: 'Reading', accept: 'application/pdf' },
  explainFigure: { method: 'GET', path: '/v2/chain/loans/{loan_id}/explain/{figure}', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  listTransactions: { method: 'GET', path: '/v2/chain/loans/{loan_id}/transactions', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  readJournal: { method: 'GET', path: '/v2/chain/loans/{loan_id}/journal', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  listDisclosures: { method: 'GET', path: '/v2/chain/loans/{loan_id}/disclosures', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  readTransaction: { method: 'GET', path: '/v2/chain/ledger/transactions/{hash}', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  readBlock: { method: 'GET', path: '/v2/chain/ledger/blocks/{n}', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  listRoots: { method: 'GET', path: '/v2/chain/ledger/roots', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  readTrialBalance: { method: 'GET', path: '/v2/chain/ledger/trial-balance', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  readTieOut: { method: 'GET', path: '/v2/chain/ledger/tie-out', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  listEntries: { method: 'GET', path: '/v2/chain/ledger/entries', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  recordEntry: { method: 'POST', path: '/v2/chain/ledger/entries', dryRun: true, key: true, paged: false, open: false, tag: 'Ledger' },
  listLedgerLoans: { method: 'GET', path: '/v2/chain/ledger/loans', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  listEntryLoans: { method: 'GET', path: '/v2/chain/ledger/entries/{id}/loans', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  listCycles: { method: 'GET', path: '/v2/chain/cycles', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  readCycle: { method: 'GET', path: '/v2/chain/cycles/{date}', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  closePeriod: { method: 'POST', path: '/v2/chain/ledger/close', dryRun: true, key: true, paged: false, open: false, tag: 'Ledger' },
  closeYear: { method: 'POST', path: '/v2/chain/ledger/close-year', dryRun: true, key: true, paged: false, open: false, tag: 'Ledger' },
  listPeriods: { method: 'GET', path: '/v2/chain/ledger/periods', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  readRollForward: { method: 'GET', path: '/v2/chain/ledger/roll-forward', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  exportPeriod: { method: 'GET', path: '/v2/chain/ledger/export', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger', accept: 'application/x-ndjson' },
  readAccountCodes: { method: 'GET', path: '/v2/chain/ledger/account-codes', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  setAccountCodes: { method: 'POST', path: '/v2/chain/ledger/account-codes', dryRun: true, key: true, paged: false, open: false, tag: 'Ledger' },
  readAllowance: { method: 'GET', path: '/v2/chain/allowance', dryRun: false, key: false, paged: false, open: false, tag: 'Ledger' },
  bookAllowance: { method: 'POST', path: '/v2/chain/allowance', dryRun: true, key: true, paged: false, open: false, tag: 'Ledger' },
  listAllowanceBackTests: { method: 'GET', path: '/v2/chain/allowance/back-tests', dryRun: false, key: false, paged: true, open: false, tag: 'Ledger' },
  readPortfolioSummary: { method: 'GET', path: '/v2/chain/portfolio/summary', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  readPortfolioDelinquency: { method: 'GET', path: '/v2/chain/portfolio/delinquency', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  readPortfolioRollRates: { method: 'GET', path: '/v2/chain/portfolio/roll-rates', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  readPortfolioVintages: { method: 'GET', path: '/v2/chain/portfolio/vintages', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  readPortfolioCashflows: { method: 'GET', path: '/v2/chain/portfolio/cashflows', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  readPortfolioYield: { method: 'GET', path: '/v2/chain/portfolio/yield', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  readPortfolioPrepayment: { method: 'GET', path: '/v2/chain/portfolio/prepayment', dryRun: false, key: false, paged: false, open: false, tag: 'Portfolio' },
  exportLoans: { method: 'GET', path: '/v2/chain/exports/loans', dryRun: false, key: false, paged: false, open: false, tag: 'Exports', accept: 'application/x-ndjson' },
  exportPayments: { method: 'GET', path: '/v2/chain/exports/payments', dryRun: false, key: false, paged: false, open: false, tag: 'Exports', accept: 'application/x-ndjson' },
  exportJournal: { method: 'GET', path: '/v2/chain/exports/journal', dryRun: false, key: false, paged: false, open: false, tag: 'Exports', accept: 'application/x-ndjson' },
  exportEvents: { method: 'GET', path: '/v2/chain/exports/events', dryRun: false, key: false, paged: false, open: false, tag: 'Exports', accept: 'application/x-ndjson' },
  exportPositions: { method: 'GET', path: '/v2/chain/exports/positions', dryRun: false, key: false, paged: false, open: false, tag: 'Exports', accept: 'application/x-ndjson' },
  listTransitions: { method: 'GET', path: '/v2/chain/transitions', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  listHoldEffects: { method: 'GET', path: '/v2/chain/holds/effects', dryRun: false, key: false, paged: false, open: false, tag: 'Reading' },
  addPolicy: { method: 'POST', path: '/v2/chain/policies', dryRun: true, key: true, paged: false, open: false, tag: 'Policies' },
  listPolicies: { method: 'GET', path: '/v2/chain/policies', dryRun: false, key: false, paged: true, open: false, tag: 'Policies' },
  readPolicy: { method: 'GET', path: '/v2/chain/policies/{policy_id}', dryRun: false, key: false, paged: false, open: false, tag: 'Policies' },
  createToken: { method: 'POST', path: '/v2/chain/auth-token', dryRun: false, key: false, paged: false, open: true, tag: 'Access' },
  createOAuthToken: { method: 'POST', path: '/v2/chain/oauth/token', dryRun: false, key: false, paged: false, open: true, tag: 'Access' },
  readOAuthMetadata: { method: 'GET', path: '/.well-known/oauth-authorization-server', dryRun: false, key: false, paged: false, open: true, tag: 'Access' },
  readSigningKeys: { method: 'GET', path: '/.well-known/jwks.json', dryRun: false, key: false, paged: false, open: true, tag: 'Access' },
  readMe: { method: 'GET', path: '/v2/chain/me', dryRun: false, key: false, paged: false, open: false, tag: 'Access' },
  readSession: { method: 'GET', path: '/v2/chain/session', dryRun: false, key: false, paged: false, open: false, tag: 'Access' },
  signOut: { method: 'POST', path: '/v2/chain/sign-out', dryRun: false, key: false, paged: false, open: false, tag: 'Access' },
  signOutEverywhere: { method: 'POST', path: '/v2/chain/sign-out-everywhere', dryRun: false, key: false, paged: false, open: false, tag: 'Access' },
  readClock: { method: 'GET', path: '/v2/chain/clock', dryRun: false, key: false, paged: false, open: false, tag: 'Access' },
  setClock: { method: 'POST', path: '/v2/chain/clock', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listUsers: { method: 'GET', path: '/v2/chain/users', dryRun: false, key: false, paged: true, open: false, tag: 'Administration' },
  createUser: { method: 'POST', path: '/v2/chain/users', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listNames: { method: 'GET', path: '/v2/chain/users/names', dryRun: false, key: false, paged: true, open: false, tag: 'Reading' },
  updateUser: { method: 'POST', path: '/v2/chain/update-user', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  disableUser: { method: 'POST', path: '/v2/chain/disable-user', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  inviteUser: { method: 'POST', path: '/v2/chain/invite-user', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  endSessions: { method: 'POST', path: '/v2/chain/end-sessions', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listRoles: { method: 'GET', path: '/v2/chain/roles', dryRun: false, key: false, paged: true, open: false, tag: 'Administration' },
  putRole: { method: 'POST', path: '/v2/chain/roles', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  removeRole: { method: 'POST', path: '/v2/chain/remove-role', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listClients: { method: 'GET', path: '/v2/chain/clients', dryRun: false, key: false, paged: true, open: false, tag: 'Administration' },
  createClient: { method: 'POST', path: '/v2/chain/clients', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  updateClient: { method: 'POST', path: '/v2/chain/update-client', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  rotateClient: { method: 'POST', path: '/v2/chain/rotate-client', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  revokeClient: { method: 'POST', path: '/v2/chain/revoke-client', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  createKey: { method: 'POST', path: '/v2/chain/create-key', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  revokeKey: { method: 'POST', path: '/v2/chain/revoke-key', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listGrants: { method: 'GET', path: '/v2/chain/grants', dryRun: false, key: false, paged: true, open: false, tag: 'Administration' },
  createGrant: { method: 'POST', path: '/v2/chain/grants', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  revokeGrant: { method: 'POST', path: '/v2/chain/revoke-grant', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  acceptGrant: { method: 'POST', path: '/v2/chain/accept-grant', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  declineGrant: { method: 'POST', path: '/v2/chain/decline-grant', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  endGrant: { method: 'POST', path: '/v2/chain/end-grant', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  advanceClock: { method: 'POST', path: '/v2/chain/clock/advance', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  createSandbox: { method: 'POST', path: '/v2/chain/sandboxes', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listSandboxes: { method: 'GET', path: '/v2/chain/sandboxes', dryRun: false, key: false, paged: true, open: false, tag: 'Administration' },
  endSandbox: { method: 'POST', path: '/v2/chain/end-sandbox', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  readIdentityProvider: { method: 'GET', path: '/v2/chain/identity-provider', dryRun: false, key: false, paged: false, open: false, tag: 'Administration' },
  setIdentityProvider: { method: 'POST', path: '/v2/chain/identity-provider', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  removeIdentityProvider: { method: 'POST', path: '/v2/chain/remove-identity-provider', dryRun: false, key: true, paged: false, open: false, tag: 'Administration' },
  listAudit: { method: 'GET', path: '/v2/chain/audit', dryRun: false, key: false, paged: true, open: false, tag: 'Administration' },
  listEvents: { method: 'GET', path: '/v2/chain/events', dryRun: false, key: false, paged: true, open: false, tag: 'Events' },
  createWebhookEndpoint: { method: 'POST', path: '/v2/chain/webhook-endpoints', dryRun: false, key: true, paged: false, open: false, tag: 'Events' },
  listWebhookEndpoints: { method: 'GET', path: '/v2/chain/webhook-endpoints', dryRun: false, key: false, paged: true, open: false, tag: 'Events' },
  readWebhookEndpoint: { method: 'GET', path: '/v2/chain/webhook-endpoints/{endpoint_id}', dryRun: false, key: false, paged: false, open: false, tag: 'Events' },
  updateWebhookEndpoint: { method: 'POST', path: '/v2/chain/update-webhook-endpoint', dryRun: false, key: true, paged: false, open: false, tag: 'Events' },
  rotateWebhookSecret: { method: 'POST', path: '/v2/chain/rotate-webhook-secret', dryRun: false, key: true, paged: false, open: false, tag: 'Events' },
  deleteWebhookEndpoint: { method: 'POST', path: '/v2/chain/delete-webhook-endpoint', dryRun: false, key: true, paged: false, open: false, tag: 'Events' },
  testWebhook: { method: 'POST', path: '/v2/chain/test-webhook', dryRun: false, key: true, paged: false, open: false, tag: 'Events' },
  replayWebhook: { method: 'POST', path: '/v2/chain/replay-webhook', dryRun: false, key: true, paged: false, open: false, tag: 'Events' },
  listWebhookDeliveries: { method: 'GET', path: '/v2/chain/webhook-deliveries', dryRun: false, key: false, paged: true, open: false, tag: 'Events' },
  calculateApr: { method: 'POST', path: '/v2/chain/calculate-apr', dryRun: false, key: false, paged: false, open: false, tag: 'Calculators' },
  calculateSchedule: { method: 'POST', path: '/v2/chain/calculate-schedule', dryRun: false, key: false, paged: false, open: false, tag: 'Calculators' },
  simulateLoan: { method: 'POST', path: '/v2/chain/simulate-loan', dryRun: false, key: false, paged: false, open: false, tag: 'Calculators' },
  calculateIrr: { method: 'POST', path: '/v2/chain/calculate-irr', dryRun: false, key: false, paged: false, open: false, tag: 'Calculators' },
  calculateOffer: { method: 'POST', path: '/v2/chain/calculate-offer', dryRun: false, key: false, paged: false, open: false, tag: 'Calculators' },
  readHealth: { method: 'GET', path: '/healthz', dryRun: false, key: false, paged: false, open: true, tag: 'Service' },
  readReadiness: { method: 'GET', path: '/readyz', dryRun: false, key: false, paged: false, open: true, tag: 'Service' },
} as const;

export interface components {
    schemas: {
        AccelerateLoanRequest: {
            loanId: string;
            reason: string;
        };
        AcceptGrantAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Grant"];
        };
        AcceptGrantRequest: {
            grantId: string;
        };
        AcceptTransferRequest: {
            loanId: string;
            servicerId?: string;
        };
        AcceptTransfersAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransferRunStarted"];
        };
        AcceptTransfersRequest: {
            transferId: string;
            servicerId?: string;
        };
        AccountActivity: {
            entry: string;
            amount: string;
        };
        AccountBalance: {
            account: string;
            balance: string;
        };
        AccountCode: {
            account: string;
            code: string;
        };
        AccountCodeChanges: {
            loanPrincipal?: string;
            accruedInterest?: string;
            interestReceivable?: string;
            feeReceivable?: string;
            cash?: string;
            cashClearing?: string;
            suspense?: string;
            rescissionReceivable?: string;
            repossessedVehicles?: string;
            deferredCosts?: string;
            interestIncome?: string;
            feeIncome?: string;
            chargeOffExpense?: string;
            smallBalanceExpense?: string;
            provisionExpense?: string;
            recoveryIncome?: string;
            saleLoss?: string;
            borrowerCredits?: string;
            unappliedRefunds?: string;
            allowance?: string;
            deferredFees?: string;
            purchaseDiscount?: string;
            dueFrom?: string;
            dueTo?: string;
            opening?: string;
            equity?: string;
            retainedEarnings?: string;
        };
        AccountCodeList: {
            items: components["schemas"]["AccountCode"][];
            proposed: components["schemas"]["ProposedCode"][];
            nextCursor: string | null;
        };
        AccountCodesUpdate: {
            /** @enum {boolean} */
            dryRun?: true;
            codes: {
                [key: string]: string;
            };
        };
        AcknowledgeRepaymentRequest: {
            loanId: string;
            refId: string;
        };
        AddPolicyAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RecordedPolicy"];
        };
        AddPolicyRequest: {
            policyId: string;
            lenderId: string | null;
            /** Format: date */
            from: string;
            values: components["schemas"]["PolicyValueChanges"];
        };
        AdvanceClockAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Clock"];
        };
        AdvanceClockRequest: {
            /** Format: date */
            to: string;
        };
        AdverseActionNotice: {
            noticeId: string;
            /** @enum {string} */
            kind: "adverseAction" | "incompleteApplication" | "scoreDisclosure";
            /** @enum {string} */
            party: "applicant" | "coApplicant";
            /** Format: date */
            date: string;
            run: number;
            notice: string;
        };
        Allocation: {
            fees: string;
            interest: string;
            principal: string;
            credit: string;
        };
        AllowanceBackTest: {
            period: string;
            lenderId: string;
            principal: string;
            required: string;
            modelled: string;
            months: number;
            /** Format: date */
            through: string;
            expected: string;
            chargedOff: string;
            recovered: string;
            lost: string;
            difference: string;
        };
        AllowanceBackTestList: {
            items: components["schemas"]["AllowanceBackTest"][];
            nextCursor: string | null;
        };
        AllowanceBooking: {
            /** @enum {boolean} */
            dryRun?: true;
            period: string;
            /** Format: date */
            date: string;
            /** Format: date-time */
            bookedAt: string;
            bookedBy: components["schemas"]["EntryRecorder"];
            lenders: components["schemas"]["LenderAllowance"][];
        };
        AllowanceEconomy: {
            fromMonth: number;
            unemployment: string;
            cpi: string;
        };
        AllowanceMacro: {
            fromMonth: number;
            unemployment: string;
            cpi: string;
        };
        AllowanceMacroChange: {
            fromMonth: number;
            unemployment: string | number;
            cpi: string | number;
        };
        AllowanceMonth: {
            period: string;
            opening: string;
            other: string;
            chargedOff: string;
            recovered: string;
            provision: string;
            closing: string;
        };
        AllowanceOfLender: {
            lenderId: string;
            loans: number;
            principal: string;
            modelled: string;
            required: string;
            rate: string | null;
            policyId: string | null;
            policyVersion: number;
            method: string;
            modelVersion: string;
            horizon: number;
            reversion: number;
            macro: components["schemas"]["AllowanceEconomy"][];
            overlays: components["schemas"]["AllowanceOverlayCounted"][];
        };
        AllowanceOverlay: {
            name: string;
            reason: string;
            /** @enum {string} */
            effect: "raise" | "lower";
            percent: string | null;
            amount: string | null;
            grade: string | null;
            bucket: ("current" | "1-29" | "30-59" | "60-89" | "90-119" | "120+" | "chargedOff") | null;
        };
        AllowanceOverlayChange: {
            name: string;
            reason: string;
            /** @enum {string} */
            effect: "raise" | "lower";
            percent?: (string | number) | null;
            amount?: (string | number) | null;
            grade?: ("A" | "B" | "C" | "D" | "E" | "F") | null;
            bucket?: ("current" | "1-29" | "30-59" | "60-89" | "90-119" | "120+" | "chargedOff") | null;
        };
        AllowanceOverlayCounted: {
            name: string;
            reason: string;
            amount: string;
        };
        AllowancePolicy: {
            /** @enum {string} */
            method: "model" | "none";
            horizon: number;
            reversion: number;
            macro: components["schemas"]["AllowanceMacro"][];
            overlays: components["schemas"]["AllowanceOverlay"][];
        };
        AllowancePolicyChange: {
            /** @enum {string} */
            method?: "model" | "none";
            horizon?: number;
            reversion?: number;
            macro?: components["schemas"]["AllowanceMacroChange"][];
            overlays?: components["schemas"]["AllowanceOverlayChange"][];
        };
        AllowancePool: {
            grade: string;
            bucket: string;
            loans: number;
            principal: string;
            modelled: string;
            required: string;
            rate: string | null;
        };
        AllowanceReport: {
            /** Format: date */
            asOf: string;
            knownOn: string | null;
            /** @enum {string} */
            by: "pool" | "grade" | "vintage" | "bucket" | "lender";
            bookedThrough: string | null;
            totals: components["schemas"]["AllowanceTotals"];
            slices: components["schemas"]["AllowanceSlice"][];
            lenders: components["schemas"]["AllowanceOfLender"][];
            months: components["schemas"]["AllowanceMonth"][];
        };
        AllowanceSlice: {
            slice: string;
            loans: number;
            principal: string;
            modelled: string;
            required: string;
            rate: string | null;
            booked: string;
            difference: string;
        };
        AllowanceTotals: {
            loans: number;
            principal: string;
            modelled: string;
            required: string;
            rate: string | null;
            booked: string;
            difference: string;
        };
        ApiKey: {
            keyId: string;
            /** Format: date-time */
            createdAt: string;
            revokedAt: string | null;
        };
        ApplicantInfo: {
            AddressFull: string;
            AddressTotalMonths: string | null;
            ApplicantAddress: string;
            ApplicantAge: string;
            ApplicantCity: string;
            ApplicantDOB: string;
            ApplicantEmail: string;
            ApplicantEmploymentTime: string;
            ApplicantEmploymentTypes: string;
            ApplicantFirstName: string;
            ApplicantFullAddress: string;
            ApplicantIncome: string;
            ApplicantIncomePrimary: string;
            ApplicantLastName: string;
            ApplicantResidencePays: string;
            ApplicantSSN: string;
            ApplicantState: string;
            ApplicantTimeAtResidence: string;
            ApplicantZip: string;
            County: string;
            Email: string | null;
            EmploymentCompany: string;
            EmploymentTotalMonths: string | null;
            EmploymentType: string;
            EmploymentWorkPhone: string;
            EstimatedIncome: string;
            HomePhone: string;
            HousingMonthlyPayment: string | null;
            MiddleInitial: string;
            MonthlyGross: number | null;
            OtherIncomeAmount: string | null;
            OtherIncomeType: string;
            ReportedIncome: string;
            StreetNumber: string;
            UnitNumber: string;
        } & {
            [key: string]: unknown;
        };
        ApplicationInfo: {
            ApplicantNumber: string;
            ApplicantsNumber: string;
            ApplicationID: string;
            ApplicationType: string;
            RefiBool: string;
            RequestedLoanID: string;
        } & {
            [key: string]: unknown;
        };
        Approval: {
            approvalId: string;
            loanId: string | null;
            operation: string;
            /** Format: date */
            lapsesOn: string;
            previewHash: string;
            /** @enum {string} */
            state: "pending" | "approved" | "rejected" | "lapsed";
            requestedBy: components["schemas"]["ApprovalParty"];
            /** Format: date-time */
            requestedAt: string;
            /** Format: date */
            requestedOn: string;
            version: number | null;
            decidedBy: components["schemas"]["ApprovalParty"] | null;
            decidedAt: string | null;
            transactionHash: string | null;
        };
        ApprovalAbove: {
            above: string | number;
        };
        ApprovalDetail: {
            approvalId: string;
            loanId: string | null;
            operation: string;
            /** Format: date */
            lapsesOn: string;
            previewHash: string;
            /** @enum {string} */
            state: "pending" | "approved" | "rejected" | "lapsed";
            requestedBy: components["schemas"]["ApprovalParty"];
            /** Format: date-time */
            requestedAt: string;
            /** Format: date */
            requestedOn: string;
            version: number | null;
            decidedBy: components["schemas"]["ApprovalParty"] | null;
            decidedAt: string | null;
            transactionHash: string | null;
            preview: unknown;
            result: unknown;
        };
        ApprovalPage: {
            items: components["schemas"]["Approval"][];
            nextCursor: string | null;
        };
        ApprovalParty: {
            organizationId: string;
            clientId: string;
            userId: string | null;
        };
        ApprovalRule: {
            above: string;
        };
        ApprovalToDecide: {
            approvalId: string;
            loanId: string | null;
            operation: string;
            /** Format: date */
            lapsesOn: string;
            previewHash: string;
            /** @enum {string} */
            state: "pending" | "approved" | "rejected" | "lapsed";
            requestedBy: components["schemas"]["ApprovalParty"];
            /** Format: date-time */
            requestedAt: string;
            /** Format: date */
            requestedOn: string;
            version: number | null;
            decidedBy: components["schemas"]["ApprovalParty"] | null;
            decidedAt: string | null;
            transactionHash: string | null;
            preview: unknown;
            result: unknown;
            body: {
                [key: string]: unknown;
            } | null;
        };
        ApproveCollateralRequest: {
            loanId: string;
            collateralAmount: string | number;
        };
        ApproveRequestAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ApprovalDetail"];
        };
        ApproveRequestRequest: {
            approvalId: string;
            reason: string;
            previewHash?: string;
        };
        AprCalculation: {
            aprPercent: string;
            amountFinanced: string;
            financeCharge: string;
            totalOfPayments: string;
            unitPeriod: components["schemas"]["UnitPeriod"];
            firstPaymentUnitPeriods: components["schemas"]["UnitPeriods"];
            explanation?: string[];
        };
        AssessFeeRequest: {
            loanId: string;
            feeId: string;
            /** @enum {string} */
            kind?: "fee" | "penalty";
            name: string;
            amount: string | number;
            /** Format: date */
            date?: string;
        };
        AuditEntry: {
            entryId: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "did" | "tried" | "saw";
            operation: string;
            outcome: string;
            organizationId: string;
            clientId: string | null;
            userId: string | null;
            keyId: string | null;
            account: string | null;
            loanId: string | null;
            subject: string | null;
            transactionHash: string | null;
            approvalId: string | null;
            count: number;
            requestId: string | null;
            purposeGiven: boolean;
            link: components["schemas"]["AuditLink"] | null;
        };
        AuditHead: {
            volume: number;
            number: number;
            hash: string;
        };
        AuditLink: {
            volume: number;
            number: number;
            hash: string;
        };
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            nextCursor: string | null;
        };
        Block: {
            number: number;
            sealed: boolean;
            block: components["schemas"]["BlockHeader"] | null;
            transactions: string[];
        };
        BlockHeader: {
            number: number;
            previousHash: string;
            root: string;
            count: number;
            /** Format: date-time */
            sealedAt: string;
            hash: string;
        };
        BookAllowanceAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AllowanceBooking"];
        };
        BookAllowanceRequest: {
            period: string;
            policy?: components["schemas"]["AllowancePolicyChange"];
        };
        BookEntry: {
            transactionHash: string;
            sequence: number | null;
            block: number | null;
            accrued: string | null;
            bookId: string;
            lenderId: string;
            type: string;
            /** Format: date */
            date: string;
            /** Format: date */
            datePosted: string;
            priorPeriod: boolean;
            reverseOn: string | null;
            year: number | null;
            lines: components["schemas"]["JournalLine"][];
            reason: string | null;
            /** Format: date-time */
            recordedAt: string;
            recordedBy: components["schemas"]["EntryRecorder"] | null;
        };
        BookEntryPage: {
            items: components["schemas"]["BookEntry"][];
            nextCursor: string | null;
        };
        CalculateAprAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AprCalculation"];
        };
        CalculateAprRequest: {
            advances: components["schemas"]["DatedAmount"][];
            payments: components["schemas"]["PaymentRun"][];
            unitPeriod?: components["schemas"]["Interval"];
            explain?: boolean;
        };
        CalculateIrrAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["IrrCalculation"];
        };
        CalculateIrrRequest: {
            cashflows: components["schemas"]["CashFlow"][];
            periodsPerYear?: number;
        };
        CalculateOfferAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["OfferCalculation"];
        };
        CalculateOfferRequest: {
            Request: {
                [key: string]: unknown;
            } | null;
            loanAmount: string | number | null;
            interestRate: string | number | null;
            term: string | number | null;
            principalAmount?: string | number | null;
            paymentFrequency?: ("Monthly" | "SemiMonthly" | "BiWeekly" | "Weekly" | "Quarterly" | "SemiAnnual" | "Annual") | "" | null;
            installment?: string | number | null;
            /** Format: date */
            originationDate?: string | null;
            /** Format: date */
            firstPaymentDate?: string | null;
            dayCount?: ("actual/365" | "actual/360" | "actual/364" | "actual/actual" | "30/360" | "30/360 US" | "30E/360" | "30E/360 ISDA") | "" | null;
            amortizationType?: ("FullAmortization" | "InterestOnly" | "Balloon") | "" | null;
            balloonAmount?: string | number | null;
            interestOnlyCount?: string | number | null;
            prepaidFinanceCharge?: string | number | null;
            macroEconomicFeatures?: components["schemas"]["MacroEconomicInput"];
            loanInfo?: components["schemas"]["LoanInfoInput"];
            lenderId?: string | null;
            report?: components["schemas"]["CreditReportInput"];
            coApplicantReport?: components["schemas"]["CreditReportInput"];
            /** Format: date */
            asOf?: string | null;
            modelVersion?: string | null;
            policyVersion?: string | null;
        };
        CalculateScheduleAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ScheduleCalculation"];
        };
        CalculateScheduleRequest: {
            disbursements: components["schemas"]["DatedAmount"][];
            annualRatePercent: string | number;
            /** @enum {string} */
            dayCount?: "actual/365" | "actual/360" | "actual/364" | "actual/actual" | "30/360" | "30/360 US" | "30E/360" | "30E/360 ISDA";
            /** Format: date */
            interestStart?: string;
            dueDates?: string[];
            /** Format: date */
            firstPaymentDate?: string;
            count?: number;
            /** @enum {string} */
            paymentFrequency?: "Monthly" | "SemiMonthly" | "BiWeekly" | "Weekly" | "Quarterly" | "SemiAnnual" | "Annual";
            /** @enum {string} */
            amortizationType?: "FullAmortization" | "InterestOnly" | "Balloon";
            balloonAmount?: string | number;
            interestOnlyCount?: number;
            skip?: number[];
            payment?: string | number;
            /** @enum {string} */
            rounding?: "half-up" | "half-even";
            rateChanges?: components["schemas"]["RateChange"][];
            prepaidFinanceCharges?: string | number;
            financedFees?: string | number;
        };
        Caller: {
            organization: components["schemas"]["Organization"];
            client: components["schemas"]["ClientName"];
            userId: string | null;
            scopes: components["schemas"]["Scope"][];
            keyId: string | null;
            /** @enum {string} */
            numbers: "interface" | "plain";
            /** Format: date-time */
            tokenExpiresAt: string;
        };
        CancelBoardingRequest: {
            loanId: string;
            reason: string;
        };
        CancelLoanRequest: {
            loanId: string;
            reason?: string;
        };
        CancelTransferRequest: {
            loanId: string;
            /** @enum {string} */
            what?: "servicer" | "owner";
            reason?: string;
        };
        CashFlow: string | number | {
            /** Format: date */
            date: string;
            amount: string | number;
        };
        ChangeDueDateRequest: {
            loanId: string;
            /** Format: date */
            to: string;
            /** Format: date */
            date?: string;
            reason: string;
        };
        ChangeRateRequest: {
            loanId: string;
            interestRate: string | number;
            /** Format: date */
            date?: string;
            /** @enum {string} */
            why?: "contract" | "modification" | "scra";
            /** Format: date */
            serviceFrom?: string;
            serviceTo?: string | null;
            chargeRetroactive?: boolean;
            reason: string;
        };
        ChargeOffLoanRequest: {
            loanId: string;
            /** Format: date */
            date?: string;
            reason: string;
            collateral?: string | number;
        };
        ChargeOffProposal: {
            loanId: string;
            daysPastDue: number;
            amount: string;
            reason: string;
            holdId: string | null;
        };
        Client: {
            clientId: string;
            name: string;
            /** @enum {string} */
            kind: "program" | "console";
            scopes: components["schemas"]["Scope"][];
            /** @enum {string} */
            status: "active" | "revoked";
            rateLimitPerMinute: number | null;
            /** @enum {string} */
            numbers: "interface" | "plain";
            raisedRateLimit: components["schemas"]["RaisedRateLimit"] | null;
            keys: components["schemas"]["ApiKey"][];
            holders: string[];
            /** Format: date-time */
            createdAt: string;
            revokedAt: string | null;
        };
        ClientCredentials: {
            clientId: string;
            clientSecret?: string;
            keyId?: string;
            apiKey?: string;
        };
        ClientIdRequest: {
            clientId: string;
        };
        ClientName: {
            clientId: string;
            name: string;
        };
        ClientPage: {
            items: components["schemas"]["Client"][];
            nextCursor: string | null;
        };
        ClientUpdate: {
            clientId: string;
        };
        Clock: {
            /** @enum {string} */
            kind: "live" | "test";
            timeZone: string;
            /** Format: date */
            today: string;
            /** Format: date-time */
            now: string;
            advancing: components["schemas"]["ClockAdvance"] | null;
            next?: components["schemas"]["NextTimeZone"];
        };
        ClockAdvance: {
            /** Format: date */
            to: string;
            /** Format: date */
            at: string;
            problem?: string;
        };
        CloseCheck: {
            period: string;
            /** @enum {string} */
            check: "not_over" | "cycle_pending" | "untied";
            detail: string;
            who: string;
        };
        CloseLoanRequest: {
            loanId: string;
            refId?: string;
        };
        ClosePeriodAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PeriodClose"];
        };
        ClosePeriodRequest: {
            period?: string;
            through?: string;
        };
        CloseYearAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["YearClose"];
        };
        CloseYearRequest: {
            year: number;
        };
        ClosedLender: {
            lenderId: string;
            accounts: components["schemas"]["AccountBalance"][];
        };
        ClosingWarning: {
            check: string;
            loans: number;
            detail: string;
            who: string;
        };
        CoApplicantInfo: {
            CoApplicantSSN: string;
            MonthlyGross?: number | null;
            CoApplicantIncome?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @enum {string} */
        ComparedKind: "ssn" | "vin" | "phone" | "address" | "account" | "applications" | "income" | "occupation" | "modelYear" | "mileage" | "value";
        ComparedValue: {
            what: components["schemas"]["ComparedKind"];
            /** @enum {string} */
            of: "applicant" | "coApplicant" | "vehicle";
            with: string;
        };
        CompleteUnderwritingRequest: {
            loanId: string;
            approved?: boolean;
            dealIndex?: number;
            reason?: string;
            /** @enum {string} */
            reasonCode?: "compensatingIncome" | "compensatingAssets" | "downPayment" | "relationship" | "documentedError" | "verifiedElsewhere" | "notAssessed" | "other";
        };
        CreateClientAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ClientCredentials"];
        };
        CreateClientRequest: {
            name: string;
            scopes: components["schemas"]["Scope"][];
            rateLimitPerMinute?: number;
            /** @enum {string} */
            numbers?: "interface" | "plain";
        };
        CreateGrantAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Grant"];
        };
        CreateGrantRequest: {
            granteeOrganizationId: string;
            /** @enum {string} */
            access: "read" | "servicing";
            servicerId?: string;
        };
        CreateKeyAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["NewApiKey"];
        };
        CreateLoanRequest: {
            applicationId?: string | null;
            borrowerId?: string | null;
            lenderId?: string | null;
            primaryServicerId?: string | null;
            secondaryServicerId?: string | null;
            borrower?: string | null;
            initialLender?: string | null;
            loanServicer?: string | null;
            /** @enum {string} */
            loanType?: "TermLoan" | "RevolvingCredit" | "AssetBased" | "Bridge" | "Mezzanine" | "Syndicated" | "EquipmentFinance" | "InvoiceFinance" | "MerchantCashAdvance" | "PersonalLoan" | "AutoLoan" | "StudentLoan" | "Mortgage" | "LineOfCredit" | "ConstructionLoan" | "HardMoneyLoan" | "Other";
            principalAmount?: string | number | null;
            loanAmount?: string | number | null;
            collateralType?: ("RealEstate" | "Equipment" | "Inventory" | "Receivables" | "Securities" | "Cash" | "Vehicles" | "Vehicle" | "PersonalGuarantee" | "IntellectualProperty" | "AgriculturalAssets" | "InsurancePolicy" | "DepositAccount" | "PreciousMetals" | "Other" | "None") | "" | null;
            encumberedStatus?: ("Lien" | "PostedCollateral" | "SecurityInterest" | "RepossessionInProgress" | "TaxLienOrJudgment" | "SalvageOrRebuiltTitle" | "LeaseBuyoutEncumbrance" | "Unencumbered") | "" | null;
            interestRate?: string | number | null;
            spread?: string | number | null;
            interestRateType?: ("Fixed" | "Variable") | "" | null;
            indexRate?: string | null;
            term?: string | number | null;
            paymentFrequency?: ("Monthly" | "SemiMonthly" | "BiWeekly" | "Weekly" | "Quarterly" | "SemiAnnual" | "Annual") | "" | null;
            installment?: string | number | null;
            amortizationType?: ("FullAmortization" | "InterestOnly" | "Balloon") | "" | null;
            balloonAmount?: string | number | null;
            interestOnlyCount?: string | number | null;
            dayCount?: ("actual/365" | "actual/360" | "actual/364" | "actual/actual" | "30/360" | "30/360 US" | "30E/360" | "30E/360 ISDA") | "" | null;
            scheduledPayment?: string | number | null;
            /** Format: date */
            originationDate?: string | null;
            /** Format: date */
            firstPaymentDate?: string | null;
            /** Format: date */
            maturityDate?: string | null;
            /** Format: date */
            lastPaymentDate?: string | null;
            /** Format: date */
            nextPaymentDate?: string | null;
            delinquentAmount?: string | number | null;
            delinquentDays?: string | number | null;
            opening?: components["schemas"]["OpeningFigures"];
            purchase?: components["schemas"]["Purchase"];
            lateFee?: string | number | null;
            lateFeePolicy?: components["schemas"]["LateFeePolicy"];
            prepaymentPenalty?: string | number | null;
            prepaidFinanceCharge?: string | number | null;
            originationFee?: string | number | null;
            dealerReserve?: string | number | null;
            directCosts?: string | number | null;
            defaultProbability?: string | number | null;
            grade?: ("A" | "B" | "C" | "D" | "E" | "F") | "" | null;
            predictedPrincipalPaid?: string | number | null;
            predictedInterestPaid?: string | number | null;
            predictedChargeoffAmount?: string | number | null;
            predictedRecoveredAmount?: string | number | null;
            predictedGrossCashflow?: string | number | null;
            predictedNetCashflow?: string | number | null;
            predictedYield?: string | number | null;
            apr?: string | number | null;
            fairValuePrice?: string | number | null;
            lendingDecisionReason?: string | null;
            creditReportHash?: string | null;
            retailInstallmentContractHash?: string | null;
            applicantCreditVision?: string | null;
            coApplicantCreditVision?: string | null;
            macroEconomicFeatures?: components["schemas"]["MacroEconomicInput"];
            loanInfo?: components["schemas"]["LoanInfoInput"];
            published?: boolean | null;
            customData?: {
                [key: string]: string | null;
            } | null;
            Request?: {
                [key: string]: unknown;
            } | null;
            Response?: {
                [key: string]: unknown;
            } | null;
            Underwriting?: {
                [key: string]: unknown;
            } | null;
            loanStatus?: ("ApplicationSubmitted" | "DocumentsRequested" | "DocumentsVerified" | "UnderwritingStarted" | "Approved" | "Rejected" | "CollateralRequested" | "CollateralApproved" | "Funded" | "Current" | "Delinquent" | "Defaulted" | "ChargedOff" | "Closed" | "ClosedEarly" | "Cancelled") | "" | null;
            collateralAmount?: string | number | null;
            riskRating?: ("Low" | "Medium" | "High") | "" | null;
            repaidAmount?: string | number | null;
            remainingBalance?: string | number | null;
            startBlock?: string | number | null;
            createdAt?: string | number | null;
            loanPayments?: components["schemas"]["PaymentInput"][] | null;
            metadata?: components["schemas"]["RecordMetadataInput"];
            /** Format: date */
            asOf?: string | null;
            loanDetails?: components["schemas"]["LoanDetailsInput"];
            message?: string | null;
            data?: components["schemas"]["RecordInput"];
        };
        CreateOAuthTokenAnswer: {
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            expires_in: number;
            scope: string;
        };
        CreateOAuthTokenRequest: {
            grant_type?: string;
            scope?: string;
            client_id?: string;
            client_secret?: string;
        };
        CreateSandboxAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["SandboxCredentials"];
        };
        CreateSandboxRequest: {
            name: string;
            /** Format: date */
            start?: string;
        };
        CreateTokenAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Token"];
        };
        CreateTokenRequest: {
            clientId: string;
            clientSecret: string;
        };
        CreateUserAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["InvitedUser"];
        };
        CreateUserRequest: {
            email: string;
            name: string;
            roles: string[];
        };
        CreateWebhookEndpointAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["NewWebhookEndpoint"];
        };
        CreateWebhookEndpointRequest: {
            url: string;
            types?: string[];
            description?: string;
        };
        CreditRefundAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["CreditRefundResult"];
            transactionHash: string;
            loanId: string;
        };
        CreditRefundResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            credit: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        CreditReportInput: {
            hit?: boolean;
            score?: number | null;
            scoreFactors?: string[];
            /** Format: date */
            reportDate?: string;
            /** Format: date */
            inFileSince?: string | null;
            inquiries?: number | null;
            flags?: components["schemas"]["FileFlagsInput"];
            attributes?: {
                [key: string]: string;
            };
            tradeLines?: string | components["schemas"]["TradeLineInput"][];
            pdf?: string | null;
        } | null;
        CustomData: {
            loanId: string;
            customData: {
                [key: string]: string;
            };
            updatedAt: string | null;
            erased: boolean;
        };
        CustomDataUpdateAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["CustomDataUpdateResult"];
            transactionHash: string;
            loanId: string;
        };
        CustomDataUpdateResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            members: number;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        Cycle: {
            /** Format: date */
            date: string;
            startedAt: string | null;
            endedAt: string | null;
            exceptionCount: number;
            proposalCount: number;
            steps: components["schemas"]["CycleStep"][];
            exceptions: components["schemas"]["CycleException"][];
            proposals: components["schemas"]["ChargeOffProposal"][];
            nextCursor: string | null;
        };
        CycleException: {
            loanId: string;
            step: string;
            error: string;
        };
        CyclePage: {
            through: string | null;
            daysBehind: number;
            items: components["schemas"]["CycleSummary"][];
            nextCursor: string | null;
        };
        CycleStep: {
            /** @enum {string} */
            step: "lateFeesAndBuckets" | "chargeOffsRecorded" | "accrual" | "nonAccrual" | "quotesExpired" | "chargeOffsProposed" | "positions";
            startedAt: string | null;
            endedAt: string | null;
            counts: {
                [key: string]: number;
            };
            amount: string | null;
        };
        CycleSummary: {
            /** Format: date */
            date: string;
            startedAt: string | null;
            endedAt: string | null;
            exceptionCount: number;
            proposalCount: number;
        };
        DatedAmount: {
            /** Format: date */
            date: string;
            amount: string | number;
        };
        Deal: {
            dealIndex: number;
            loanAmount: string;
            term: string;
            apr: string;
            monthlyPayment: string;
            downPayment: string;
            ltv: string;
            pti: string;
            dti: string;
            decision: string;
            reasons: string[] | null;
            defaultProbability: string;
            forecast: components["schemas"]["DealForecast"];
            pricing: components["schemas"]["DealPricing"] | null;
        };
        DealForecast: {
            principalPaid: string;
            interestPaid: string;
            chargeoffAmount: string;
            recoveredAmount: string;
            netLossAmount: string;
            totalPaid: string;
            presentValue: string;
            fairValuePrice: string;
            yield: string;
        };
        DealList: {
            loanId: string;
            items: components["schemas"]["Deal"][];
            nextCursor: string | null;
            runs: components["schemas"]["UnderwritingRun"][];
        };
        DealPricing: {
            buyRate: string;
            rateParts: components["schemas"]["RateParts"];
            participation: components["schemas"]["DealerParticipation"];
            dealerFlat: string;
            acquisitionFee: string;
            discount: string;
            originationCost: string;
            paidOut: string;
            netYield: string;
            hurdle: string;
            price: string;
            expectedLife: string;
            severity: string;
        };
        DealTerms: {
            ApprovedDownPayment: string;
            TermsAPR: string;
            TermsDTI: string;
            TermsFrontEndLTV: string;
            TermsLTV: string;
            TermsLoanAmount: string;
            TermsMonthlyPayment: string;
            TermsPTI: string;
            TermsTerm: string;
        } & {
            [key: string]: unknown;
        };
        DealUnderwriting: {
            AllWarnings: string;
            CollateralDefaultProb: string;
            DecisionReason: string;
            DecisionReasonSimple: string;
            DecisionStatus: string;
            DefaultProb: string;
            FairValuePrice: string;
            ForecastChargeoffAmount: string;
            ForecastCompoundingIRR: string;
            ForecastCompoundingNetIRR: string;
            ForecastFairValuePrice: string;
            ForecastInterestPaid: string;
            ForecastNetLossAmount: string;
            ForecastPresentValue: string;
            ForecastPrincipalPaid: string;
            ForecastRecoveredAmount: string;
            ForecastSimpleIRR: string;
            ForecastSimpleNetIRR: string;
            ForecastTotalPaid: string;
            ForecastTotalPaidLessFees: string;
            SolventProb: string;
            TermsApprovedBackEndProducts: string;
            TermsApprovedFrontEndAmt: string;
            TermsApprovedFrontEndLTV: string;
            TermsDealerDiscount: string;
            TermsDealerFlat: string;
            TermsDiscountFee: string;
            TermsFundedAmount: string;
            TermsLoanDiscount: string;
            TermsTotalDiscount: string;
            WarningsNumber: string;
        } & {
            [key: string]: unknown;
        };
        DealerInfo: {
            DealerID: string;
            DealerName: string;
            DealerState: string;
        } & {
            [key: string]: unknown;
        };
        DealerParticipation: {
            markup: string;
            reserve: string;
        };
        DebitCreditTotals: {
            debit: string;
            credit: string;
        };
        DeclineGrantAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Grant"];
        };
        DeclineGrantRequest: {
            grantId: string;
        };
        DefaultLoanRequest: {
            loanId: string;
            /** @enum {string} */
            ground?: "pastDue" | "insurance" | "fraud" | "title" | "bankruptcy" | "other";
            reason: string;
        };
        DeferredAmounts: {
            fees: string;
            costs: string;
            discount: string;
            yield: string | null;
        };
        DeleteWebhookEndpointAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["DeletedWebhookEndpoint"];
        };
        DeleteWebhookEndpointRequest: {
            endpointId: string;
        };
        DeletedWebhookEndpoint: {
            endpointId: string;
            /** @enum {boolean} */
            deleted: true;
        };
        /** @enum {string} */
        DelinquencyBucket: "current" | "1-29" | "30-59" | "60-89" | "90-119" | "120+";
        DisableUserAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["DisabledUser"];
        };
        DisabledUser: {
            userId: string;
            /** Format: date-time */
            disabledAt: string;
        };
        DisbursementInput: {
            /** @enum {string} */
            payee: "dealer" | "borrower" | "lienholder" | "insurer" | "other";
            name?: string;
            amount: string | number;
        };
        Disclosure: {
            /** Format: date-time */
            at: string;
            organizationId: string;
            clientId: string | null;
            userId: string | null;
            keyId: string | null;
            what: string;
            purpose: string;
            requestId: string;
        };
        DisclosureList: {
            items: components["schemas"]["Disclosure"][];
            nextCursor: string | null;
            reasons: components["schemas"]["TransactionReason"][];
        };
        EndGrantAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Grant"];
        };
        EndGrantRequest: {
            grantId: string;
        };
        EndSandboxAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["EndedSandbox"];
        };
        EndSandboxRequest: {
            organizationId: string;
        };
        EndSessionsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["UserUpdate"];
        };
        EndedSandbox: {
            organizationId: string;
            /** Format: date-time */
            endedAt: string;
        };
        EntryLine: {
            /** @enum {string} */
            account: "loanPrincipal" | "accruedInterest" | "interestReceivable" | "feeReceivable" | "cash" | "cashClearing" | "suspense" | "rescissionReceivable" | "repossessedVehicles" | "deferredCosts" | "interestIncome" | "feeIncome" | "chargeOffExpense" | "smallBalanceExpense" | "provisionExpense" | "recoveryIncome" | "saleLoss" | "borrowerCredits" | "unappliedRefunds" | "allowance" | "deferredFees" | "purchaseDiscount" | "dueFrom" | "dueTo" | "opening" | "equity" | "retainedEarnings";
            debit?: string | number;
            credit?: string | number;
        };
        EntryLoan: {
            loanId: string;
            amount: string;
            amortized: string;
        };
        EntryLoanPage: {
            lenderId: string;
            /** Format: date */
            date: string;
            items: components["schemas"]["EntryLoan"][];
            nextCursor: string | null;
        };
        EntryRecorded: {
            /** @enum {boolean} */
            dryRun?: true;
            transactionHash: string | null;
            bookId: string;
            lenderId: string;
            type: string;
            /** Format: date */
            date: string;
            /** Format: date */
            datePosted: string;
            priorPeriod: boolean;
            reverseOn: string | null;
            year: number | null;
            lines: components["schemas"]["JournalLine"][];
            reason: string | null;
            /** Format: date-time */
            recordedAt: string;
            recordedBy: components["schemas"]["EntryRecorder"] | null;
        };
        EntryRecorder: {
            clientId: string;
            userId: string | null;
        };
        Event: {
            id: string;
            type: string;
            loanId: string | null;
            transactionHash: string | null;
            sequence: number | null;
            dateEffective: string | null;
            /** Format: date-time */
            recordedAt: string;
            subject: string | null;
        };
        EventPage: {
            items: components["schemas"]["Event"][];
            nextCursor: string;
            more: boolean;
        };
        ExplainFigureAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Explanation"];
        };
        Explanation: {
            figure: string;
            /** Format: date */
            on: string;
            amount: string;
            steps: components["schemas"]["ExplanationStep"][];
            sentences: string[];
        };
        ExplanationStep: {
            what: string;
            how: string;
            amount: string;
        };
        ExtendLoanRequest: {
            loanId: string;
            periods?: number;
            /** Format: date */
            date?: string;
            reason: string;
            override?: boolean;
        };
        ExtensionLimits: {
            perTwelveMonths: number;
            perLife: number;
            minimumPaid: number;
            maximumDaysPastDue: number;
        };
        ExtensionLimitsChange: {
            perTwelveMonths?: number;
            perLife?: number;
            minimumPaid?: number;
            maximumDaysPastDue?: number;
        };
        Fee: {
            feeId: string;
            name: string;
            /** @enum {string} */
            kind: "fee" | "penalty";
            /** Format: date */
            date: string;
            amount: string;
            paid: string;
            waived: string;
            open: string;
            installment: number | null;
        };
        FeeAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["FeeResult"];
            transactionHash: string;
            loanId: string;
        };
        FeeResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            feeId: string;
            fees: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        FieldError: {
            pointer: string;
            code: string;
            detail: string;
        };
        FileFlagsInput: {
            frozen?: boolean;
            deceased?: boolean;
            addressDiscrepancy?: boolean;
            ssnMatch?: ("exact" | "partial" | "noMatch") | null;
            /** @enum {string} */
            fraudAlert?: "none" | "initial" | "extended" | "activeDuty";
            alertPhone?: string | null;
        };
        ForbiddingHold: {
            holdId: string;
            kind: string;
        };
        Forecast: {
            loanId: string;
            /** Format: date */
            asOf: string;
            balance: string;
            defaultProbability: string;
            grade: string;
            riskRating: string;
            figures: {
                [key: string]: string;
            };
            CashflowsCsv: string;
            modelVersion: string;
            policyVersion: string;
        };
        FundLoanRequest: {
            loanId: string;
            disbursements?: components["schemas"]["DisbursementInput"][];
            metadata?: {
                [key: string]: unknown;
            };
        };
        Grant: {
            grantId: string;
            ownerOrganizationId: string;
            granteeOrganizationId: string;
            /** @enum {string} */
            access: "read" | "servicing";
            servicerId: string | null;
            /** @enum {string} */
            state: "pending" | "accepted" | "declined" | "ended" | "revoked";
            /** Format: date-time */
            createdAt: string;
            acceptedAt: string | null;
            endedAt: string | null;
            revokedAt: string | null;
        };
        GrantPage: {
            items: components["schemas"]["ListedGrant"][];
            nextCursor: string | null;
        };
        Hold: {
            holdId: string;
            kind: components["schemas"]["HoldKind"];
            /** Format: date */
            from: string;
            to: string | null;
            releasedOn: string | null;
            /** @enum {string} */
            standing: "inForce" | "expired" | "released";
            chapter: number | null;
            filed: string | null;
            discharged: string | null;
            reaffirmed: boolean | null;
            /** Format: date-time */
            placedAt: string;
            effects: components["schemas"]["HoldAreaEffect"][];
            detailsGiven: boolean;
            details: components["schemas"]["HoldTexts"] | null;
            reason: string | null;
        };
        HoldAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["HoldResult"];
            transactionHash: string;
            loanId: string;
        };
        /** @enum {string} */
        HoldArea: "lateFees" | "autopay" | "notices" | "contact" | "repossession" | "creditReporting" | "chargeOffClock" | "funding";
        HoldAreaEffect: {
            area: components["schemas"]["HoldArea"];
            effect: components["schemas"]["HoldEffect"];
            basis: string;
        };
        HoldAreaMeaning: {
            area: components["schemas"]["HoldArea"];
            about: string;
            operations: string[];
        };
        HoldDetails: {
            /** @enum {unknown} */
            chapter?: 7 | 11 | 12 | 13;
            /** Format: date */
            filed?: string;
            /** Format: date */
            discharged?: string;
            reaffirmed?: boolean;
            caseNumber?: string;
            court?: string;
            attorney?: string;
            representative?: string;
            note?: string;
        };
        /** @enum {string} */
        HoldEffect: "allowed" | "forbidden" | "requiredOnly" | "attorneyOnly" | "representativeOnly" | "courtOrderOnly" | "suppressed" | "disputed" | "bankruptcyCode" | "deceasedCode" | "disasterCode" | "runs" | "stopped" | "within60Days" | "within90Days";
        HoldEffectMeaning: {
            effect: components["schemas"]["HoldEffect"];
            about: string;
        };
        HoldEffectTable: {
            areas: components["schemas"]["HoldAreaMeaning"][];
            effects: components["schemas"]["HoldEffectMeaning"][];
            holds: components["schemas"]["HoldEffects"][];
        };
        HoldEffects: {
            kind: components["schemas"]["HoldKind"];
            stage: ("stay" | "discharged" | "reaffirmed") | null;
            effects: components["schemas"]["HoldAreaEffect"][];
        };
        HoldInForce: {
            holdId: string;
            kind: components["schemas"]["HoldKind"];
            /** Format: date */
            from: string;
            to: string | null;
        };
        /** @enum {string} */
        HoldKind: "bankruptcy" | "military" | "deceased" | "fraud" | "dispute" | "ceaseContact" | "attorney" | "disaster" | "litigation";
        HoldList: {
            loanId: string;
            /** Format: date */
            asOf: string;
            items: components["schemas"]["Hold"][];
            nextCursor: string | null;
        };
        HoldResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            holdId: string;
            kind: components["schemas"]["HoldKind"];
            /** Format: date */
            from: string;
            to: string | null;
            releasedOn: string | null;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        HoldTexts: {
            caseNumber?: string;
            court?: string;
            attorney?: string;
            representative?: string;
            note?: string;
        };
        IdentityProvider: {
            issuer: string;
            clientId: string;
            allowedDomains: string[];
            /** Format: date-time */
            changedAt: string;
            redirectUri: string;
            signInUrl: string;
        };
        InitiateRepaymentRequest: {
            loanId: string;
            disbursements?: components["schemas"]["DisbursementInput"][];
        };
        Installment: {
            n: number;
            /** Format: date */
            dueDate: string;
            amount: string;
            principal: string;
            interest: string;
            paid: string;
            open: string;
            pastDue: boolean;
            satisfiedOn: string | null;
        };
        Interval: {
            /** @enum {string} */
            unit: "day" | "week" | "semimonth" | "month" | "year";
            multiple?: number;
        };
        InviteUserAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["InvitedUser"];
        };
        InvitedUser: {
            userId: string;
            invitationUrl: string | null;
            /** Format: date-time */
            expiresAt: string;
            sent: boolean;
        };
        IrrCalculation: {
            irrPercent: string;
        };
        Journal: {
            items: components["schemas"]["JournalEntry"][];
            totals: components["schemas"]["DebitCreditTotals"];
            nextCursor: string | null;
        };
        JournalEntry: {
            transactionHash: string;
            sequence: number;
            lenderId: string;
            entry: string;
            account: string;
            debit: string;
            credit: string;
            /** Format: date */
            dateEffective: string;
            /** Format: date */
            datePosted: string;
            priorPeriod: boolean;
        };
        JournalLine: {
            account: string;
            debit: string;
            credit: string;
        };
        LateFeePolicy: {
            percent?: string | number | null;
            floor?: string | number | null;
            cap?: string | number | null;
            graceDays?: string | number | null;
            judge?: ("currentFirst" | "oldestFirst") | "" | null;
        } | null;
        LedgerLoan: {
            loanId: string;
            lenderId: string;
            accounts: components["schemas"]["LedgerLoanAccount"][];
        };
        LedgerLoanAccount: {
            account: string;
            balance: string;
        };
        LedgerLoanPage: {
            /** Format: date */
            asOf: string;
            items: components["schemas"]["LedgerLoan"][];
            nextCursor: string | null;
        };
        LedgerRoot: {
            number: number;
            previousHash: string;
            root: string;
            heads: components["schemas"]["VolumeHead"][];
            audit: string;
            auditHeads: components["schemas"]["AuditHead"][];
            /** Format: date-time */
            madeAt: string;
            hash: string;
        };
        LedgerRootPage: {
            items: components["schemas"]["LedgerRoot"][];
            nextCursor: string | null;
        };
        LenderAllowance: {
            lenderId: string;
            transactionHash: string | null;
            loans: number;
            principal: string;
            modelled: string;
            required: string;
            rate: string | null;
            opening: string;
            other: string;
            chargedOff: string;
            recovered: string;
            provision: string;
            lines: components["schemas"]["JournalLine"][];
            policyId: string | null;
            policyVersion: number;
            method: string;
            modelVersion: string;
            horizon: number;
            reversion: number;
            macro: components["schemas"]["AllowanceEconomy"][];
            overlays: components["schemas"]["AllowanceOverlayCounted"][];
            pools: components["schemas"]["AllowancePool"][];
        };
        ListAllowanceBackTestsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AllowanceBackTestList"];
        };
        ListApprovalsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ApprovalPage"];
        };
        ListAuditAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AuditPage"];
        };
        ListClientsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ClientPage"];
        };
        ListCyclesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["CyclePage"];
        };
        ListDealsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["DealList"];
        };
        ListDisclosuresAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["DisclosureList"];
        };
        ListEntriesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["BookEntryPage"];
        };
        ListEntryLoansAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["EntryLoanPage"];
        };
        ListEventsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["EventPage"];
        };
        ListGrantsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["GrantPage"];
        };
        ListHoldEffectsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["HoldEffectTable"];
        };
        ListHoldsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["HoldList"];
        };
        ListLedgerLoansAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LedgerLoanPage"];
        };
        ListLoansAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanPage"];
        };
        ListNamesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Names"];
        };
        ListNoticesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["NoticeList"];
        };
        ListNoticesDueAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["NoticeDueList"];
        };
        ListPayoffQuotesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PayoffQuoteList"];
        };
        ListPeriodsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PeriodPage"];
        };
        ListPoliciesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PolicyPage"];
        };
        ListRolesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RoleList"];
        };
        ListRootsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LedgerRootPage"];
        };
        ListSandboxesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["SandboxPage"];
        };
        ListSignsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["SignList"];
        };
        ListStipulationsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["StipulationList"];
        };
        ListTransactionsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransactionList"];
        };
        ListTransfersAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransferPage"];
        };
        ListTransitionsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransitionTable"];
        };
        ListUsersAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["UserPage"];
        };
        ListWebhookDeliveriesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["WebhookDeliveryPage"];
        };
        ListWebhookEndpointsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["WebhookEndpointPage"];
        };
        ListedGrant: {
            grantId: string;
            ownerOrganizationId: string;
            granteeOrganizationId: string;
            /** @enum {string} */
            access: "read" | "servicing";
            servicerId: string | null;
            /** @enum {string} */
            state: "pending" | "accepted" | "declined" | "ended" | "revoked";
            /** Format: date-time */
            createdAt: string;
            acceptedAt: string | null;
            endedAt: string | null;
            revokedAt: string | null;
            /** @enum {string} */
            direction: "given" | "received";
        };
        Loan: {
            loanId: string;
            applicationId: string;
            borrowerId: string;
            lenderId: string;
            primaryServicerId: string;
            secondaryServicerId: string;
            loanType: string;
            loanStatus: components["schemas"]["LoanStatus"];
            loanAmount: string;
            remainingBalance: string;
            balance: string;
            delinquentDays: string;
            bucket: components["schemas"]["DelinquencyBucket"] | null;
            nextPaymentDate: string | "";
            published: boolean;
            /** Format: date-time */
            createdAt: string;
            version: number;
            closedBy: ("payoff" | "settlement" | "recovery" | "insurance" | "sale" | "rescinded") | null;
            chargeOffGroundGone: boolean;
            credit: string;
            creditSince: string | null;
            nonAccrualSince: string | null;
        };
        LoanApplication: {
            ApplicantInfo: components["schemas"]["ApplicantInfo"];
            ApplicationInfo: components["schemas"]["ApplicationInfo"];
            CoApplicantInfo: components["schemas"]["CoApplicantInfo"];
            DealerInfo: components["schemas"]["DealerInfo"];
            PartnerInfo: components["schemas"]["PartnerInfo"];
            RequestedTermsInfo: components["schemas"]["RequestedTermsInfo"];
            VehicleInfo: components["schemas"]["VehicleInfo"];
        } & {
            [key: string]: unknown;
        };
        LoanCreationAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanCreationResult"];
            transactionHash: string;
            loanId: string;
        };
        LoanCreationResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        LoanDetails: {
            applicationId: string;
            borrowerId: string;
            borrower: string;
            lenderId: string;
            initialLender: string;
            primaryServicerId: string;
            secondaryServicerId: string;
            loanServicer: string;
            loanType: string;
            principalAmount: string;
            loanAmount: string;
            collateralType: string;
            collateralAmount: string;
            interestRate: string;
            spread: string;
            interestRateType: string;
            indexRate: string;
            originationDate: string | "";
            maturityDate: string | "";
            amortizationType: string;
            loanStatus: components["schemas"]["LoanStatus"];
            encumberedStatus: string;
            term: string;
            repaidAmount: string;
            remainingBalance: string;
            startBlock: string;
            delinquentAmount: string;
            delinquentDays: string;
            paymentFrequency: string;
            installment: string;
            riskRating: string;
            firstPaymentDate: string | "";
            lastPaymentDate: string | "";
            nextPaymentDate: string | "";
            prepaymentPenalty: string;
            lateFee: string;
            createdAt: string;
            defaultProbability: string;
            grade: string;
            predictedPrincipalPaid: string;
            predictedInterestPaid: string;
            predictedChargeoffAmount: string;
            predictedRecoveredAmount: string;
            predictedGrossCashflow: string;
            predictedNetCashflow: string;
            predictedYield: string;
            apr: string;
            fairValuePrice: string;
            lendingDecisionReason: string;
            creditReportHash: string;
            retailInstallmentContractHash: string;
            applicantCreditVision: string;
            coApplicantCreditVision: string;
            macroEconomicFeatures: components["schemas"]["MacroEconomicFeatures"];
            loanPayments: components["schemas"]["Payment"][];
            metadata: {
                [key: string]: components["schemas"]["ServicingMetadata"];
            };
        };
        LoanDetailsInput: {
            applicationId?: string | null;
            borrowerId?: string | null;
            lenderId?: string | null;
            primaryServicerId?: string | null;
            secondaryServicerId?: string | null;
            borrower?: string | null;
            initialLender?: string | null;
            loanServicer?: string | null;
            /** @enum {string} */
            loanType?: "TermLoan" | "RevolvingCredit" | "AssetBased" | "Bridge" | "Mezzanine" | "Syndicated" | "EquipmentFinance" | "InvoiceFinance" | "MerchantCashAdvance" | "PersonalLoan" | "AutoLoan" | "StudentLoan" | "Mortgage" | "LineOfCredit" | "ConstructionLoan" | "HardMoneyLoan" | "Other";
            principalAmount?: string | number | null;
            loanAmount?: string | number | null;
            collateralType?: ("RealEstate" | "Equipment" | "Inventory" | "Receivables" | "Securities" | "Cash" | "Vehicles" | "Vehicle" | "PersonalGuarantee" | "IntellectualProperty" | "AgriculturalAssets" | "InsurancePolicy" | "DepositAccount" | "PreciousMetals" | "Other" | "None") | "" | null;
            encumberedStatus?: ("Lien" | "PostedCollateral" | "SecurityInterest" | "RepossessionInProgress" | "TaxLienOrJudgment" | "SalvageOrRebuiltTitle" | "LeaseBuyoutEncumbrance" | "Unencumbered") | "" | null;
            interestRate?: string | number | null;
            spread?: string | number | null;
            interestRateType?: ("Fixed" | "Variable") | "" | null;
            indexRate?: string | null;
            term?: string | number | null;
            paymentFrequency?: ("Monthly" | "SemiMonthly" | "BiWeekly" | "Weekly" | "Quarterly" | "SemiAnnual" | "Annual") | "" | null;
            installment?: string | number | null;
            amortizationType?: ("FullAmortization" | "InterestOnly" | "Balloon") | "" | null;
            /** Format: date */
            originationDate?: string | null;
            /** Format: date */
            firstPaymentDate?: string | null;
            /** Format: date */
            maturityDate?: string | null;
            /** Format: date */
            lastPaymentDate?: string | null;
            /** Format: date */
            nextPaymentDate?: string | null;
            delinquentAmount?: string | number | null;
            delinquentDays?: string | number | null;
            lateFee?: string | number | null;
            prepaymentPenalty?: string | number | null;
            defaultProbability?: string | number | null;
            grade?: ("A" | "B" | "C" | "D" | "E" | "F") | "" | null;
            predictedPrincipalPaid?: string | number | null;
            predictedInterestPaid?: string | number | null;
            predictedChargeoffAmount?: string | number | null;
            predictedRecoveredAmount?: string | number | null;
            predictedGrossCashflow?: string | number | null;
            predictedNetCashflow?: string | number | null;
            predictedYield?: string | number | null;
            apr?: string | number | null;
            fairValuePrice?: string | number | null;
            lendingDecisionReason?: string | null;
            creditReportHash?: string | null;
            retailInstallmentContractHash?: string | null;
            applicantCreditVision?: string | null;
            coApplicantCreditVision?: string | null;
            macroEconomicFeatures?: components["schemas"]["MacroEconomicInput"];
            loanStatus?: ("ApplicationSubmitted" | "DocumentsRequested" | "DocumentsVerified" | "UnderwritingStarted" | "Approved" | "Rejected" | "CollateralRequested" | "CollateralApproved" | "Funded" | "Current" | "Delinquent" | "Defaulted" | "ChargedOff" | "Closed" | "ClosedEarly" | "Cancelled") | "" | null;
            collateralAmount?: string | number | null;
            riskRating?: ("Low" | "Medium" | "High") | "" | null;
            repaidAmount?: string | number | null;
            remainingBalance?: string | number | null;
            startBlock?: string | number | null;
            createdAt?: string | number | null;
            loanPayments?: components["schemas"]["PaymentInput"][] | null;
            metadata?: components["schemas"]["RecordMetadataInput"];
        } | null;
        LoanFilter: {
            status?: string;
            /** @enum {string} */
            bucket?: "current" | "1-29" | "30-59" | "60-89" | "90-119" | "120+" | "120-plus";
            lenderId?: string;
            servicerId?: string;
            borrowerId?: string;
            applicationId?: string;
            /** Format: date */
            createdFrom?: string;
            /** Format: date */
            createdTo?: string;
            /** Format: date */
            dueFrom?: string;
            /** Format: date */
            dueTo?: string;
            minDaysPastDue?: number;
            maxDaysPastDue?: number;
            minCreditDays?: number;
            maxCreditDays?: number;
            /** @enum {string} */
            nonAccrual?: "true" | "false";
            /** @enum {string} */
            chargeOffGroundGone?: "true" | "false";
            minBalance?: string;
            maxBalance?: string;
            q?: string;
        };
        LoanInfo: {
            Auto?: components["schemas"]["VehicleDetails"];
        };
        LoanInfoInput: {
            make?: string | null;
            model?: string | null;
            year?: string | number | null;
            age?: string | number | null;
            mileage?: string | number | null;
            vin?: string | null;
            Auto?: components["schemas"]["VehicleInput"];
        } | null;
        LoanList: {
            items: components["schemas"]["Loan"][];
            more: boolean;
        };
        LoanPage: {
            items: components["schemas"]["Loan"][];
            nextCursor: string | null;
            total: number;
            totalExact: boolean;
        };
        /** @enum {string} */
        LoanParty: "applicant" | "coApplicant";
        LoanPolicy: {
            loanId: string;
            /** Format: date */
            asOf: string;
            policyId: string | null;
            version: number;
            from: string | null;
            values: components["schemas"]["PolicyValues"];
        };
        LoanRecord: {
            loanDetails: components["schemas"]["LoanDetails"];
            Request: components["schemas"]["LoanApplication"];
            Response: components["schemas"]["RiskAssessment"];
            Underwriting: components["schemas"]["Underwriting"];
        };
        LoanRequest: {
            loanId: string;
        };
        /** @enum {string} */
        LoanStatus: "ApplicationSubmitted" | "DocumentsRequested" | "DocumentsVerified" | "UnderwritingStarted" | "Approved" | "Rejected" | "CollateralRequested" | "CollateralApproved" | "Funded" | "Current" | "Delinquent" | "Defaulted" | "ChargedOff" | "Closed" | "ClosedEarly" | "Cancelled";
        LoanSummary: {
            loanId: string;
            version: number;
            /** Format: date */
            asOf: string;
            loanStatus: components["schemas"]["LoanStatus"];
            balance: string;
            bucket: components["schemas"]["DelinquencyBucket"] | null;
            closedBy: ("payoff" | "settlement" | "recovery" | "insurance" | "sale" | "rescinded") | null;
            credit: string;
            creditSince: string | null;
            nonAccrualSince: string | null;
            deferred: components["schemas"]["DeferredAmounts"] | null;
            purchase: components["schemas"]["PurchaseOut"] | null;
            defaultGround: ("pastDue" | "insurance" | "fraud" | "title" | "bankruptcy" | "other") | null;
            acceleratedOn: string | null;
            assessed: boolean;
            published: boolean;
            holds: components["schemas"]["HoldInForce"][];
            militaryService: components["schemas"]["MilitaryService"][];
            pendingApprovals: number;
            allowed: string[];
            notAllowed: components["schemas"]["NotAllowedOperation"][];
            loanDetails: components["schemas"]["LoanDetails"];
        };
        LoanTerms: {
            AcquisitionFee: number;
            AssetPrice: number;
            DEALER_FLAT: string;
            DefaultProb: number;
            Description: string;
            Discount: number;
            FundedAmount: number;
            GrossYield: number;
            IRR: number;
            LTV: number;
            Participation: number | string | null;
            Payment: number;
            Rate: number;
            TermMonths: number;
            TotalLoanAmount: number;
            VehicleWholesaleValue: number;
        } & {
            [key: string]: unknown;
        };
        LoanTransfer: {
            transferId: string;
            loanId: string;
            organizationId: string;
            /** @enum {string} */
            what: "servicer" | "owner";
            to: string | components["schemas"]["NewOwner"];
            /** Format: date */
            date: string;
            /** @enum {string} */
            state: "scheduled" | "offered" | "accepted" | "cancelled" | "done";
            /** Format: date-time */
            scheduledAt: string;
            /** Format: date-time */
            changedAt: string;
        };
        LoanWriteAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanWriteResult"];
            transactionHash: string;
            loanId: string;
        };
        LoanWriteResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        MacroEconomicFeatures: {
            unemployment: number;
            cpi: number;
            fedRate: number;
        };
        MacroEconomicInput: {
            unemployment?: string | number | null;
            cpi?: string | number | null;
            fedRate?: string | number | null;
        } | null;
        MaskedIdentity: {
            loanId: string;
            erased: boolean;
            borrower: components["schemas"]["MaskedPerson"] | null;
            coBorrower: components["schemas"]["MaskedPerson"] | null;
            vehicle: components["schemas"]["MaskedVehicle"] | null;
            state: string | null;
        };
        MaskedPerson: {
            name: string | null;
            dateOfBirth: string | null;
            ssn: string | null;
            email: string | null;
            phone: string | null;
            workPhone: string | null;
        };
        MaskedVehicle: {
            description: string;
            vinLastFour: string | null;
        };
        MerkleProof: {
            index: number;
            siblings: string[];
            header: components["schemas"]["BlockHeader"];
        };
        MetadataInput: {
            /** Format: date */
            fundedDate?: string | null;
            currentDpd?: string | number | null;
            originalBalance?: string | number | null;
            currentBalance?: string | number | null;
            originalTerm?: string | number | null;
            remainingTerm?: string | number | null;
            pti?: string | number | null;
            dti?: string | number | null;
            ltv?: string | number | null;
            scheduledPayment?: string | number | null;
            currentPaymentDue?: string | number | null;
            pastDueAmount?: string | number | null;
            totalPrincipalPaid?: string | number | null;
            totalInterestPaid?: string | number | null;
            totalFeesPaid?: string | number | null;
            chargeoffAmount?: string | number | null;
            recoveredAmount?: string | number | null;
            paymentStatus?: string | null;
            /** Format: date */
            scheduledMaturityDate?: string | null;
        } | null;
        MilitaryService: {
            /** Format: date */
            serviceFrom: string;
            serviceTo: string | null;
            interestRate: string;
            inEffect: boolean;
            interestForgiven: string;
            feesForgiven: string;
        };
        Names: {
            items: components["schemas"]["PersonName"][];
            nextCursor: string | null;
        };
        NewApiKey: {
            keyId: string;
            apiKey: string;
        };
        NewOwner: {
            organizationId: string;
            lenderId: string;
        };
        NewWebhookEndpoint: {
            endpointId: string;
            url: string;
            types: string[];
            description: string;
            /** @enum {string} */
            status: "active" | "paused";
            pausedBecause: ("by_user" | "gone" | "failing") | null;
            pausedAt: string | null;
            failingSince: string | null;
            lastDeliveredAt: string | null;
            formerSecretUntil: string | null;
            waiting: number;
            waitingExact: boolean;
            oldestWaitingAt: string | null;
            deadLetters: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            secret: string;
        };
        NextTimeZone: {
            timeZone: string;
            /** Format: date-time */
            from: string;
        };
        NotAllowedOperation: {
            operation: string;
            reason: components["schemas"]["ReasonNotAllowed"];
        };
        NoticeDue: {
            loanId: string;
            applicationId: string;
            lenderId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            /** @enum {string} */
            owes: "adverseAction" | "decision";
            /** Format: date */
            receivedOn: string;
            /** Format: date */
            dueOn: string;
            daysLeft: number;
        };
        NoticeDueList: {
            items: components["schemas"]["NoticeDue"][];
            nextCursor: string | null;
        };
        NoticeList: {
            loanId: string;
            items: components["schemas"]["NoticeMade"][];
            nextCursor: string | null;
        };
        NoticeMade: {
            noticeId: string;
            /** @enum {string} */
            kind: "adverseAction" | "incompleteApplication" | "scoreDisclosure";
            /** @enum {string} */
            party: "applicant" | "coApplicant";
            /** Format: date */
            date: string;
            run: number;
            notice: string | null;
        };
        NoticeParty: {
            name: string;
            address: string;
            telephone: string;
        };
        OfferCalculation: {
            /** @enum {string} */
            decision: "APPROVED" | "DECLINED";
            reasons: string[];
            decisionReason: string;
            hardStops: ("deceased" | "frozen" | "identity" | "minor" | "noPerson" | "rateCap" | "sanctions")[];
            warnings: string[];
            stipulations: string[];
            grade: string;
            riskRating: string;
            standardDefaultProbability: string;
            /** @enum {string} */
            reportFrom: "request" | "simulator" | "none";
            note: string | null;
            modelVersion: string;
            policyVersion: string;
            /** Format: date */
            asOf: string;
            counterOffers: number[];
            deals: components["schemas"]["Deal"][];
        };
        OpeningFigures: {
            /** Format: date */
            asOf?: string | null;
            principal?: string | number | null;
            unpaidInterest?: string | number | null;
            unpaidFees?: string | number | null;
            /** Format: date */
            paidThrough?: string | null;
            /** Format: date */
            ownedFrom?: string | null;
        } | null;
        Organization: {
            organizationId: string;
            name: string;
        };
        Override: {
            /** @enum {string} */
            reasonCode: "compensatingIncome" | "compensatingAssets" | "downPayment" | "relationship" | "documentedError" | "verifiedElsewhere" | "notAssessed" | "other";
            assessedAt: string | null;
        };
        OverrideAuthority: {
            amount: string | null;
            grades: ("A" | "B" | "C" | "D" | "E" | "F")[] | null;
            rules: string[] | null;
        };
        OverrideAuthorityRequest: {
            amount?: (string | number) | null;
            grades?: ("A" | "B" | "C" | "D" | "E" | "F")[] | null;
            rules?: string[] | null;
        };
        PartnerInfo: {
            PartnerName: string;
            ProgramPartner: string;
        } & {
            [key: string]: unknown;
        };
        PartyAddress: {
            street: string;
            unit?: string;
            city: string;
            state: string;
            zip: string;
            county?: string;
        };
        PartyChanges: {
            address?: components["schemas"]["PartyAddress"];
            phone?: string | null;
            workPhone?: string | null;
            email?: string | null;
            employer?: string | null;
            firstName?: string;
            middleInitial?: string | null;
            lastName?: string;
        };
        Payment: {
            paymentId: string;
            paymentAmount: string;
            /** Format: date */
            paymentDate: string;
            remainingBalance: string;
            principalAmount: string;
            principalPaid: string;
            interestPaid: string;
            feesPaid: string;
            /** @enum {string} */
            status: "Submitted" | "Acknowledged" | "Returned";
            transactionHash: string;
        };
        PaymentAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PaymentResult"];
            transactionHash: string;
            loanId: string;
        };
        PaymentInput: {
            paymentId?: string | null;
            paymentAmount?: string | number | null;
            /** Format: date */
            paymentDate?: string | null;
            remainingBalance?: string | number | null;
            principalAmount?: string | number | null;
            principalPaid?: string | number | null;
            interestPaid?: string | number | null;
            feesPaid?: string | number | null;
            status?: ("Submitted" | "Acknowledged" | "Returned") | "" | null;
            transactionHash?: string | null;
        } | null;
        PaymentResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            allocation: components["schemas"]["Allocation"];
            remainingBalance: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        PaymentRun: {
            /** Format: date */
            firstDate: string;
            count?: number;
            amount: string | number;
            every?: components["schemas"]["Interval"];
        };
        PaymentUndoneAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PaymentUndoneResult"];
            transactionHash: string;
            loanId: string;
        };
        PaymentUndoneResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        Payoff: {
            /** Format: date */
            date: string;
            payoff: string;
            principal: string;
            interest: string;
            fees: string;
            prepaymentPenalty: string;
            credits: string;
            perDiem: string;
            /** Format: date */
            goodThrough: string;
            days: components["schemas"]["PayoffDay"][];
        };
        PayoffDay: {
            /** Format: date */
            date: string;
            payoff: string;
        };
        PayoffParts: {
            principal: string;
            interest: string;
            fees: string;
            prepaymentPenalty: string;
            credits: string;
        };
        PayoffQuoteAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PayoffQuoteResult"];
            transactionHash: string;
            loanId: string;
        };
        PayoffQuoteList: {
            loanId: string;
            /** Format: date */
            asOf: string;
            items: components["schemas"]["PayoffQuoteStanding"][];
            nextCursor: string | null;
        };
        PayoffQuoteResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            quoteId: string;
            amount: string;
            /** Format: date */
            date: string;
            /** Format: date */
            goodThrough: string;
            perDiem: string;
            parts: components["schemas"]["PayoffParts"] | null;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        PayoffQuoteStanding: {
            quoteId: string;
            /** @enum {string} */
            kind: "payoff" | "settlement";
            amount: string;
            /** Format: date */
            date: string;
            /** Format: date */
            goodThrough: string;
            perDiem: string | null;
            parts: components["schemas"]["PayoffParts"] | null;
            /** Format: date-time */
            quotedAt: string;
            /** @enum {string} */
            standing: "open" | "honoured" | "void" | "expired";
            received: string;
            honouredOn: string | null;
        };
        Period: {
            period: string;
            closedFrom: string;
            /** Format: date-time */
            closedAt: string;
            closedBy: components["schemas"]["PeriodCloser"];
            hash: string;
            lenders: components["schemas"]["ClosedLender"][];
        };
        PeriodClose: {
            /** @enum {boolean} */
            dryRun?: true;
            warnings?: components["schemas"]["ClosingWarning"][];
            period: string;
            closedFrom: string;
            /** Format: date-time */
            closedAt: string;
            closedBy: components["schemas"]["PeriodCloser"];
            hash: string;
            lenders: components["schemas"]["ClosedLender"][];
        };
        PeriodCloser: {
            clientId: string;
            userId: string | null;
        };
        PeriodPage: {
            items: components["schemas"]["Period"][];
            next: string | null;
            closedYears: number[];
            nextCursor: string | null;
        };
        PersonName: {
            userId: string;
            name: string;
        };
        PlaceHoldRequest: {
            loanId: string;
            kind: components["schemas"]["HoldKind"];
            /** Format: date */
            from?: string;
            to?: string | null;
            details?: components["schemas"]["HoldDetails"];
            reason: string;
            holdId?: string;
        };
        PlannedEvent: {
            type: string;
            /** Format: date */
            date: string;
        };
        Policy: {
            policyId: string;
            lenderId: string | null;
            version: number;
            /** Format: date */
            from: string;
            /** Format: date */
            figuresFrom: string;
            /** Format: date-time */
            recordedAt: string;
            clientId: string;
            values: components["schemas"]["PolicyValues"];
        };
        PolicyImpact: {
            /** Format: date */
            through: string;
            complete: boolean;
            total: number;
            done: number;
            failed: number;
            loansChanged: number;
            feesChanged: number;
            amountChanged: string;
            changes: components["schemas"]["PolicyImpactCounts"];
            amounts: components["schemas"]["PolicyImpactAmounts"];
            values: components["schemas"]["PolicyImpactValues"];
        };
        PolicyImpactAmounts: {
            lateFees: string;
            interest: string;
            bookInterest: string;
        };
        PolicyImpactCounts: {
            status: number;
            daysPastDue: number;
            lateFees: number;
            interest: number;
            bookInterest: number;
            chargeOff: number;
        };
        PolicyImpactValues: {
            figures: string[];
            newLoansOnly: string[];
            limitsOnly: string[];
        };
        PolicyLateFee: {
            flat: string | null;
            percent: string | null;
            floor: string | null;
            cap: string | null;
            /** @enum {string} */
            judge: "currentFirst" | "oldestFirst";
            byState: {
                [key: string]: components["schemas"]["StateLateFee"];
            };
        };
        PolicyLateFeeChange: {
            flat?: (string | number) | null;
            percent?: (string | number) | null;
            floor?: (string | number) | null;
            cap?: (string | number) | null;
            /** @enum {string} */
            judge?: "currentFirst" | "oldestFirst";
            byState?: {
                [key: string]: components["schemas"]["StateLateFeeChange"];
            };
        };
        PolicyPage: {
            items: components["schemas"]["PolicyVersion"][];
            nextCursor: string | null;
        };
        PolicyValueChanges: {
            waterfall?: string[];
            /** @enum {string} */
            rounding?: "half-up" | "half-even";
            graceDays?: number;
            lateFee?: components["schemas"]["PolicyLateFeeChange"] | null;
            satisfiedPercent?: number;
            overpaymentDays?: number;
            backdateDays?: number;
            payoffDays?: number;
            returnFee?: string | number;
            smallBalance?: (string | number) | null;
            nonAccrualDays?: number | null;
            returnToAccrual?: components["schemas"]["ReturnToAccrualChange"];
            /** @enum {string} */
            feesInNonAccrual?: "income" | "memo";
            defaultDays?: number;
            chargeOffDays?: number;
            /** @enum {string} */
            chargeOff?: "propose" | "record";
            extension?: components["schemas"]["ExtensionLimitsChange"];
            reage?: components["schemas"]["ReageLimitsChange"];
            accrueAfterChargeOff?: boolean;
            documentsRequired?: boolean;
            collateralRequired?: boolean;
            publish?: boolean;
            autopayDiscount?: (string | number) | null;
            markupCap?: (string | number) | null;
            offerDays?: number;
            reportDays?: number;
            lienReleaseDays?: number | null;
            retentionDays?: number | null;
            approvalDays?: number;
            approvals?: {
                [key: string]: true | components["schemas"]["ApprovalAbove"];
            };
            /** @enum {string} */
            approvers?: "any" | "people";
            allowance?: components["schemas"]["AllowancePolicyChange"];
        };
        PolicyValues: {
            waterfall: string[];
            /** @enum {string} */
            rounding: "half-up" | "half-even";
            graceDays: number;
            lateFee: components["schemas"]["PolicyLateFee"] | null;
            satisfiedPercent: number;
            overpaymentDays: number;
            backdateDays: number;
            payoffDays: number;
            returnFee: string;
            smallBalance: string | null;
            nonAccrualDays: number | null;
            returnToAccrual: components["schemas"]["ReturnToAccrual"];
            /** @enum {string} */
            feesInNonAccrual: "income" | "memo";
            defaultDays: number;
            chargeOffDays: number;
            /** @enum {string} */
            chargeOff: "propose" | "record";
            extension: components["schemas"]["ExtensionLimits"];
            reage: components["schemas"]["ReageLimits"];
            accrueAfterChargeOff: boolean;
            documentsRequired: boolean;
            collateralRequired: boolean;
            publish: boolean;
            autopayDiscount: string | null;
            markupCap: string | null;
            offerDays: number;
            reportDays: number;
            lienReleaseDays: number | null;
            retentionDays: number | null;
            approvalDays: number;
            approvals: {
                [key: string]: true | components["schemas"]["ApprovalRule"];
            };
            /** @enum {string} */
            approvers: "any" | "people";
            allowance: components["schemas"]["AllowancePolicy"];
        };
        PolicyVersion: {
            policyId: string;
            lenderId: string | null;
            version: number;
            /** Format: date */
            from: string;
            /** Format: date */
            figuresFrom: string;
            /** Format: date-time */
            recordedAt: string;
            clientId: string;
            values: components["schemas"]["PolicyValues"];
        };
        PortfolioCashflows: {
            /** Format: date */
            asOf: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioCashflowsRow"][];
            slices: components["schemas"]["PortfolioCashflowsSlice"][];
        };
        PortfolioCashflowsRow: {
            month: string;
            /** Format: date */
            through: string;
            openingPrincipal: string;
            priorPeriod: string | null;
            disbursed: string;
            scheduled: string | null;
            received: string;
            scheduledPrincipal: string;
            unscheduledPrincipal: string;
            interest: string;
            fees: string;
            recoveries: string;
            receivedLate: string;
            returned: string;
            chargedOff: string;
            forgiven: string;
            closingPrincipal: string;
        };
        PortfolioCashflowsSlice: {
            slice: string;
            month: string;
            /** Format: date */
            through: string;
            openingPrincipal: string;
            priorPeriod: string | null;
            disbursed: string;
            scheduled: string | null;
            received: string;
            scheduledPrincipal: string;
            unscheduledPrincipal: string;
            interest: string;
            fees: string;
            recoveries: string;
            receivedLate: string;
            returned: string;
            chargedOff: string;
            forgiven: string;
            closingPrincipal: string;
        };
        PortfolioDelinquency: {
            /** Format: date */
            asOf: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioDelinquencyRow"][];
            slices: components["schemas"]["PortfolioDelinquencySlice"][];
        };
        PortfolioDelinquencyRow: {
            bucket: string;
            count: number;
            principal: string;
            countShare: string | null;
            principalShare: string | null;
        };
        PortfolioDelinquencySlice: {
            slice: string;
            bucket: string;
            count: number;
            principal: string;
            countShare: string | null;
            principalShare: string | null;
        };
        PortfolioPrepayment: {
            /** Format: date */
            asOf: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioPrepaymentRow"][];
            slices: components["schemas"]["PortfolioPrepaymentSlice"][];
        };
        PortfolioPrepaymentRow: {
            period: string;
            months: number;
            openingPrincipal: string;
            scheduledPrincipal: string;
            unscheduledPrincipal: string;
            chargedOff: string;
            averageAge: string | null;
            smm: string | null;
            cpr: string | null;
            abs: string | null;
            smmWithChargeOffs: string | null;
            cprWithChargeOffs: string | null;
            absWithChargeOffs: string | null;
            cdr: string | null;
        };
        PortfolioPrepaymentSlice: {
            slice: string;
            period: string;
            months: number;
            openingPrincipal: string;
            scheduledPrincipal: string;
            unscheduledPrincipal: string;
            chargedOff: string;
            averageAge: string | null;
            smm: string | null;
            cpr: string | null;
            abs: string | null;
            smmWithChargeOffs: string | null;
            cprWithChargeOffs: string | null;
            absWithChargeOffs: string | null;
            cdr: string | null;
        };
        PortfolioRollRates: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioRollRatesRow"][];
            slices: components["schemas"]["PortfolioRollRatesSlice"][];
        };
        PortfolioRollRatesRow: {
            from: string;
            to: string;
            count: number;
            principalFrom: string;
            principalTo: string;
            countRate: string | null;
            principalRate: string | null;
        };
        PortfolioRollRatesSlice: {
            slice: string;
            from: string;
            to: string;
            count: number;
            principalFrom: string;
            principalTo: string;
            countRate: string | null;
            principalRate: string | null;
        };
        /** @enum {string} */
        PortfolioSlice: "lender" | "servicer" | "grade" | "state" | "vintage" | "status";
        PortfolioSummary: {
            /** Format: date */
            asOf: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioSummaryRow"];
            slices: components["schemas"]["PortfolioSummarySlice"][];
        };
        PortfolioSummaryRow: {
            count: number;
            original: string;
            principal: string;
            interest: string;
            fees: string;
            credits: string;
            credits0To29Count: number;
            credits0To29: string;
            credits30To59Count: number;
            credits30To59: string;
            credits60To89Count: number;
            credits60To89: string;
            credits90To119Count: number;
            credits90To119: string;
            credits120AndMoreCount: number;
            credits120AndMore: string;
            kept: string;
            averageRate: string | null;
            averageRemainingTerm: string | null;
            averageAge: string | null;
            fundedCount: number;
            fundedPrincipal: string;
            currentCount: number;
            currentPrincipal: string;
            delinquentCount: number;
            delinquentPrincipal: string;
            defaultedCount: number;
            defaultedPrincipal: string;
            pastDue30Count: number;
            pastDue30Principal: string;
            pastDue30Share: string | null;
            chargedOffCount: number;
            chargedOffClaims: string;
            totalChargedOff: string;
            totalRecovered: string;
            totalForgiven: string;
            predictedLoss: string | null;
        };
        PortfolioSummarySlice: {
            slice: string;
            count: number;
            original: string;
            principal: string;
            interest: string;
            fees: string;
            credits: string;
            credits0To29Count: number;
            credits0To29: string;
            credits30To59Count: number;
            credits30To59: string;
            credits60To89Count: number;
            credits60To89: string;
            credits90To119Count: number;
            credits90To119: string;
            credits120AndMoreCount: number;
            credits120AndMore: string;
            kept: string;
            averageRate: string | null;
            averageRemainingTerm: string | null;
            averageAge: string | null;
            fundedCount: number;
            fundedPrincipal: string;
            currentCount: number;
            currentPrincipal: string;
            delinquentCount: number;
            delinquentPrincipal: string;
            defaultedCount: number;
            defaultedPrincipal: string;
            pastDue30Count: number;
            pastDue30Principal: string;
            pastDue30Share: string | null;
            chargedOffCount: number;
            chargedOffClaims: string;
            totalChargedOff: string;
            totalRecovered: string;
            totalForgiven: string;
            predictedLoss: string | null;
        };
        PortfolioVintages: {
            /** Format: date */
            asOf: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioVintagesRow"][];
            slices: components["schemas"]["PortfolioVintagesSlice"][];
        };
        PortfolioVintagesRow: {
            vintage: string;
            month: string;
            age: number;
            originalCount: number;
            original: string;
            count: number;
            principal: string;
            poolFactor: string | null;
            grossLoss: string;
            recoveries: string;
            netLoss: string;
            grossLossShare: string | null;
            netLossShare: string | null;
            prepaid: string;
            prepaidShare: string | null;
            pastDue60Principal: string;
            pastDue60Share: string | null;
        };
        PortfolioVintagesSlice: {
            slice: string;
            vintage: string;
            month: string;
            age: number;
            originalCount: number;
            original: string;
            count: number;
            principal: string;
            poolFactor: string | null;
            grossLoss: string;
            recoveries: string;
            netLoss: string;
            grossLossShare: string | null;
            netLossShare: string | null;
            prepaid: string;
            prepaidShare: string | null;
            pastDue60Principal: string;
            pastDue60Share: string | null;
        };
        PortfolioYield: {
            /** Format: date */
            asOf: string;
            knownAt: components["schemas"]["ReportKnown"];
            by: ("lender" | "servicer" | "grade" | "state" | "vintage" | "status") | null;
            totals: components["schemas"]["PortfolioYieldRow"][];
            slices: components["schemas"]["PortfolioYieldSlice"][];
        };
        PortfolioYieldRow: {
            period: string;
            months: number;
            interest: string;
            fees: string;
            chargedOff: string;
            recoveries: string;
            forgiven: string;
            income: string;
            averageBalance: string;
            realized: string | null;
            predicted: string | null;
            difference: string | null;
            predictedShare: string | null;
        };
        PortfolioYieldSlice: {
            slice: string;
            period: string;
            months: number;
            interest: string;
            fees: string;
            chargedOff: string;
            recoveries: string;
            forgiven: string;
            income: string;
            averageBalance: string;
            realized: string | null;
            predicted: string | null;
            difference: string | null;
            predictedShare: string | null;
        };
        PositionsComputing: {
            /** Format: date */
            asOf: string;
            done: number;
            total: number;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @enum {string} */
            code: "malformed_request" | "invalid_url" | "invalid_json" | "invalid_body" | "oauth_request" | "unauthorized" | "invalid_credentials" | "session_required" | "forged_request" | "proof_required" | "insufficient_scope" | "key_required" | "invalid_key" | "not_granted" | "own_request" | "person_required" | "above_limit" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "conflict" | "application_exists" | "boarded_history" | "on_hold" | "hard_stop" | "offer_expired" | "report_expired" | "stipulations_open" | "not_waivable" | "depends" | "policy_limit" | "outcome_changed" | "already_decided" | "approval_lapsed" | "live_clock" | "cycle_pending" | "owned_by_loans" | "already_answered" | "idempotency_key_in_use" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "invalid_request" | "purpose_required" | "target_forbidden" | "idempotency_key_reused" | "not_eligible" | "rate_rise" | "no_solution" | "rate_limited" | "too_many_waiting" | "too_many_failures" | "headers_too_large" | "internal_error" | "unavailable" | "outcome_unknown" | "timed_out";
            message: string;
            requestId: string;
            errors?: components["schemas"]["FieldError"][];
            retryable?: boolean;
            scope?: string;
            cost?: number;
            remaining?: number;
            loanStatus?: string;
            loanId?: string;
            allowed?: string[];
            payoff?: string;
            kept?: string;
            credit?: string;
            room?: string;
            daysPastDue?: number;
            defaultDays?: number;
            limit?: string;
            limitValue?: number;
            figure?: number;
            holds?: components["schemas"]["ForbiddingHold"][];
            /** Format: date */
            date?: string;
            accounts?: string[];
            checks?: components["schemas"]["CloseCheck"][];
            hardStops?: ("deceased" | "frozen" | "identity" | "minor" | "noPerson" | "rateCap" | "sanctions")[];
            stipulations?: string[];
            transactions?: string[];
            approvalId?: string;
            preview?: unknown;
            previewHash?: string;
            state?: string;
            decidedBy?: components["schemas"]["ApprovalParty"];
            /** Format: date-time */
            decidedAt?: string;
            transactionHash?: string | null;
            /** @enum {string} */
            refusal?: "not_supported" | "required" | "invalid_value" | "contradiction" | "boarded_history" | "wrong_status" | "on_hold" | "accelerated" | "documents_required" | "hard_stop" | "offer_expired" | "report_expired" | "collateral_required" | "stipulations_open" | "not_waivable" | "decision_required" | "reason_required" | "unknown_reference" | "unknown_deal" | "reference_conflict" | "depends" | "date_in_future" | "date_before_contract" | "date_before_opening" | "backdating_needs_reason" | "amount_zero" | "amount_exceeds_payoff" | "amount_exceeds_balance" | "nothing_past_due" | "not_past_due_enough" | "not_paid_off" | "payment_unconfirmed" | "no_solution" | "not_eligible" | "rate_rise" | "scra_limit" | "policy_limit" | "approval_required" | "live_clock" | "clock_busy" | "wrong_period" | "cycle_pending" | "untied" | "owned_by_loans";
            error?: string;
            error_description?: string;
        };
        ProposedCode: {
            account: string;
            code: string;
        };
        PublicLoanDetails: {
            applicationId: string;
            borrowerId: string;
            borrower: string;
            lenderId: string;
            initialLender: string;
            primaryServicerId: string;
            secondaryServicerId: string;
            loanServicer: string;
            loanType: string;
            principalAmount: string;
            loanAmount: string;
            collateralType: string;
            collateralAmount: string;
            interestRate: string;
            spread: string;
            interestRateType: string;
            indexRate: string;
            originationDate: string | "";
            maturityDate: string | "";
            amortizationType: string;
            loanStatus: components["schemas"]["LoanStatus"];
            encumberedStatus: string;
            term: string;
            repaidAmount: string;
            remainingBalance: string;
            startBlock: string;
            delinquentAmount: string;
            delinquentDays: string;
            paymentFrequency: string;
            installment: string;
            riskRating: string;
            firstPaymentDate: string | "";
            lastPaymentDate: string | "";
            nextPaymentDate: string | "";
            prepaymentPenalty: string;
            lateFee: string;
            createdAt: string;
            defaultProbability: string;
            grade: string;
            predictedPrincipalPaid: string;
            predictedInterestPaid: string;
            predictedChargeoffAmount: string;
            predictedRecoveredAmount: string;
            predictedGrossCashflow: string;
            predictedNetCashflow: string;
            predictedYield: string;
            apr: string;
            fairValuePrice: string;
            lendingDecisionReason: string;
            creditReportHash: string;
            retailInstallmentContractHash: string;
            applicantCreditVision: string;
            coApplicantCreditVision: string;
            macroEconomicFeatures: components["schemas"]["MacroEconomicFeatures"];
            loanPayments: components["schemas"]["Payment"][];
            metadata: {
                [key: string]: components["schemas"]["ServicingMetadata"];
            };
            loanInfo: components["schemas"]["LoanInfo"];
            Underwriting: components["schemas"]["PublicUnderwriting"];
        };
        PublicLoanRecord: {
            loanDetails: components["schemas"]["PublicLoanDetails"];
        };
        PublicUnderwriting: {
            CashflowsCsv: string;
            DealTermsInfo: components["schemas"]["DealTerms"][];
            UnderwritingInfo: components["schemas"]["DealUnderwriting"][];
        } & {
            [key: string]: unknown;
        };
        PublishLoanRequest: {
            loanId: string;
            published: boolean;
        };
        Purchase: {
            price?: string | number | null;
            /** Format: date */
            date?: string | null;
            creditDiscount?: string | number | null;
        } | null;
        PurchaseOut: {
            price: string;
            /** Format: date */
            date: string;
            creditDiscount: string;
        };
        PutRoleAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RoleUpdate"];
        };
        PutRoleRequest: {
            name: string;
            scopes: components["schemas"]["Scope"][];
            limits?: components["schemas"]["RoleLimitsRequest"];
        };
        QuotePayoffRequest: {
            loanId: string;
            /** Format: date */
            date?: string;
            /** Format: date */
            goodThrough?: string;
            quoteId?: string;
        };
        RaisedRateLimit: {
            perMinute: number;
            /** Format: date-time */
            until: string;
        };
        RateChange: {
            /** Format: date */
            date: string;
            annualRatePercent: string | number;
        };
        RateLimitForATime: {
            perMinute: number;
            /** Format: date-time */
            until: string;
        };
        RateParts: {
            funds: string;
            expectedLoss: string;
            shortTerm: string;
            servicing: string;
            capital: string;
            acquisition: string;
        };
        ReadAccountCodesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AccountCodeList"];
        };
        ReadAllowanceAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AllowanceReport"];
        };
        ReadApprovalAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ApprovalToDecide"];
        };
        ReadBlockAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Block"];
        };
        ReadClockAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Clock"];
        };
        ReadCustomDataAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["CustomData"];
        };
        ReadCycleAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Cycle"];
        };
        ReadForecastAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Forecast"];
        };
        ReadHistoryAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Statement"];
        };
        ReadIdentityAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["MaskedIdentity"];
        };
        ReadIdentityProviderAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["IdentityProvider"];
        };
        ReadJournalAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Journal"];
        };
        ReadLoanAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanRecord"];
        };
        ReadLoanDataAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PublicLoanRecord"];
        };
        ReadLoanPolicyAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanPolicy"];
        };
        ReadMeAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Caller"];
        };
        ReadOAuthMetadataAnswer: {
            issuer: string;
            token_endpoint: string;
            jwks_uri: string;
            scopes_supported: string[];
            response_types_supported: string[];
            grant_types_supported: string[];
            token_endpoint_auth_methods_supported: string[];
            service_documentation: string;
        };
        ReadPayoffAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Payoff"];
        };
        ReadPolicyAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Policy"];
        };
        ReadPortfolioCashflowsAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioCashflows"];
        };
        ReadPortfolioDelinquencyAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioDelinquency"];
        };
        ReadPortfolioPrepaymentAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioPrepayment"];
        };
        ReadPortfolioRollRatesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioRollRates"];
        };
        ReadPortfolioSummaryAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioSummary"];
        };
        ReadPortfolioVintagesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioVintages"];
        };
        ReadPortfolioYieldAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["PortfolioYield"];
        };
        ReadRollForwardAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RollForward"];
        };
        ReadScheduleAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Schedule"];
        };
        ReadSessionAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Session"];
        };
        ReadSigningKeysAnswer: {
            keys: {
                [key: string]: unknown;
            }[];
        };
        ReadSummaryAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanSummary"];
        };
        ReadTieOutAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TieOut"];
        };
        ReadTimelineAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Timeline"];
        };
        ReadTransactionAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Transaction"];
        };
        ReadTransferAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransferRun"];
        };
        ReadTrialBalanceAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TrialBalance"];
        };
        ReadWebhookEndpointAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["WebhookEndpointDetails"];
        };
        ReageLimits: {
            perTwelveMonths: number;
            perLife: number;
            minimumPaid: number;
        };
        ReageLimitsChange: {
            perTwelveMonths?: number;
            perLife?: number;
            minimumPaid?: number;
        };
        ReageLoanRequest: {
            loanId: string;
            /** Format: date */
            date?: string;
            reason: string;
            override?: boolean;
        };
        ReamortizeLoanRequest: {
            loanId: string;
            /** Format: date */
            date?: string;
            reason: string;
        };
        ReasonNotAllowed: {
            code: string;
            refusal: ("not_supported" | "required" | "invalid_value" | "contradiction" | "boarded_history" | "wrong_status" | "on_hold" | "accelerated" | "documents_required" | "hard_stop" | "offer_expired" | "report_expired" | "collateral_required" | "stipulations_open" | "not_waivable" | "decision_required" | "reason_required" | "unknown_reference" | "unknown_deal" | "reference_conflict" | "depends" | "date_in_future" | "date_before_contract" | "date_before_opening" | "backdating_needs_reason" | "amount_zero" | "amount_exceeds_payoff" | "amount_exceeds_balance" | "nothing_past_due" | "not_past_due_enough" | "not_paid_off" | "payment_unconfirmed" | "no_solution" | "not_eligible" | "rate_rise" | "scra_limit" | "policy_limit" | "approval_required" | "live_clock" | "clock_busy" | "wrong_period" | "cycle_pending" | "untied" | "owned_by_loans") | null;
            detail: string;
            retryable?: boolean;
            limit?: string;
            limitValue?: number;
            figure?: number;
            holds?: components["schemas"]["ForbiddingHold"][];
            /** Format: date */
            date?: string;
            stipulations?: string[];
            payoff?: string;
            kept?: string;
            credit?: string;
            daysPastDue?: number;
            defaultDays?: number;
        };
        RecordEntryAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["EntryRecorded"];
        };
        RecordEntryRequest: {
            /** Format: date */
            date: string;
            lenderId: string;
            lines: components["schemas"]["EntryLine"][];
            reason: string;
            reverseOn?: string | null;
        };
        RecordInput: {
            loanDetails?: components["schemas"]["LoanDetailsInput"];
            Request?: {
                [key: string]: unknown;
            } | null;
            Response?: {
                [key: string]: unknown;
            } | null;
            Underwriting?: {
                [key: string]: unknown;
            } | null;
        } | null;
        RecordMetadataInput: {
            TermLoan?: components["schemas"]["MetadataInput"];
            RevolvingCredit?: components["schemas"]["MetadataInput"];
            AssetBased?: components["schemas"]["MetadataInput"];
            Bridge?: components["schemas"]["MetadataInput"];
            Mezzanine?: components["schemas"]["MetadataInput"];
            Syndicated?: components["schemas"]["MetadataInput"];
            EquipmentFinance?: components["schemas"]["MetadataInput"];
            InvoiceFinance?: components["schemas"]["MetadataInput"];
            MerchantCashAdvance?: components["schemas"]["MetadataInput"];
            PersonalLoan?: components["schemas"]["MetadataInput"];
            AutoLoan?: components["schemas"]["MetadataInput"];
            StudentLoan?: components["schemas"]["MetadataInput"];
            Mortgage?: components["schemas"]["MetadataInput"];
            LineOfCredit?: components["schemas"]["MetadataInput"];
            ConstructionLoan?: components["schemas"]["MetadataInput"];
            HardMoneyLoan?: components["schemas"]["MetadataInput"];
            Other?: components["schemas"]["MetadataInput"];
        } | null;
        RecordRecoveryRequest: {
            loanId: string;
            amount: string | number;
            refId: string;
            /** Format: date */
            date?: string;
        };
        RecordedPolicy: {
            /** @enum {boolean} */
            dryRun?: true;
            policyId: string;
            lenderId: string | null;
            version: number;
            /** Format: date */
            from: string;
            /** Format: date */
            figuresFrom: string;
            /** Format: date-time */
            recordedAt: string;
            clientId: string;
            values: components["schemas"]["PolicyValues"];
            impact?: components["schemas"]["PolicyImpact"];
        };
        RefundCreditRequest: {
            loanId: string;
            amount: string | number;
            refId: string;
        };
        RefusedLoan: {
            loanId: string;
            refusal: string;
            detail: string;
        };
        RejectRequestAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ApprovalDetail"];
        };
        RejectRequestRequest: {
            approvalId: string;
            reason: string;
        };
        ReleaseHoldRequest: {
            loanId: string;
            holdId: string;
            /** Format: date */
            date?: string;
            chargeRetroactive?: boolean;
            reason: string;
        };
        RemoveIdentityProviderAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RemovedIdentityProvider"];
        };
        RemoveIdentityProviderRequest: Record<string, never>;
        RemoveRoleAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RoleUpdate"];
        };
        RemoveRoleRequest: {
            name: string;
        };
        RemovedIdentityProvider: {
            /** @enum {boolean} */
            removed: true;
        };
        ReplayWebhookAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["WebhookReplayStart"];
        };
        ReplayWebhookRequest: {
            endpointId: string;
            from?: string;
            to?: string;
            /** @enum {boolean} */
            deadLetters?: true;
            deliveryId?: string;
        };
        ReportComputing: {
            /** @enum {string} */
            message: "computing";
            data: components["schemas"]["PositionsComputing"];
        };
        ReportKnown: string | null;
        ReportKnownAt: string;
        RequestedApproval: {
            approvalId: string;
            loanId: string | null;
            operation: string;
            /** Format: date */
            lapsesOn: string;
            previewHash: string;
            preview: unknown;
        };
        RequestedApprovalAnswer: {
            /** @enum {string} */
            message: "approval required";
            data: components["schemas"]["RequestedApproval"];
        };
        RequestedTermsInfo: {
            RequestedLoanAmount: string;
            RequestedLoanBackendProductsAmount: string;
            RequestedLoanDTI: string;
            RequestedLoanDownPayment: string;
            RequestedLoanGAP: string;
            RequestedLoanPTI: string;
            RequestedLoanPayment: string;
            RequestedLoanRate: string;
            RequestedLoanTerm: string;
        } & {
            [key: string]: unknown;
        };
        RescindLoanRequest: {
            loanId: string;
            /** Format: date */
            date?: string;
            reason: string;
        };
        RescissionAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RescissionResult"];
            transactionHash: string;
            loanId: string;
        };
        RescissionResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            credit: string;
            principalToReturn: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        RestatedFigure: {
            /** Format: date */
            date: string;
            /** @enum {string} */
            what: "principal" | "interest" | "fees" | "credit" | "status" | "daysPastDue" | "lateFee" | "paymentInterest" | "paymentPrincipal" | "paymentFees" | "paymentCredit" | "quote" | "closedBy" | "lienRelease" | "chargeOffGround";
            refId?: string;
            before: string | null;
            after: string | null;
        };
        ReturnRepaymentRequest: {
            loanId: string;
            refId: string;
            /** Format: date */
            date?: string;
            /** @enum {string} */
            code?: "R01" | "R02" | "R03" | "R04" | "R05" | "R06" | "R07" | "R08" | "R09" | "R10" | "R11" | "R12" | "R13" | "R14" | "R15" | "R16" | "R17" | "R18" | "R19" | "R20" | "R21" | "R22" | "R23" | "R24" | "R25" | "R26" | "R27" | "R28" | "R29" | "R30" | "R31" | "R32" | "R33" | "R34" | "R35" | "R36" | "R37" | "R38" | "R39" | "R40" | "R41" | "R42" | "R43" | "R44" | "R45" | "R46" | "R47" | "R50" | "R51" | "R52" | "R53" | "R61" | "R62" | "R63" | "R64" | "R65" | "R66" | "R67" | "R68" | "R69" | "R70" | "R71" | "R72" | "R73" | "R74" | "R75" | "R76" | "R77" | "R80" | "R81" | "R82" | "R83" | "R84" | "R85" | "nsf_check" | "chargeback" | "other";
            reason?: string;
        };
        ReturnToAccrual: {
            payments: number;
        };
        ReturnToAccrualChange: {
            payments: number;
        };
        ReverseRepaymentRequest: {
            loanId: string;
            refId: string;
            reason: string;
        };
        RevokeClientAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RevokedClient"];
        };
        RevokeGrantAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Grant"];
        };
        RevokeGrantRequest: {
            grantId: string;
        };
        RevokeKeyAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RevokedApiKey"];
        };
        RevokeKeyRequest: {
            keyId: string;
        };
        RevokedApiKey: {
            keyId: string;
            /** Format: date-time */
            revokedAt: string;
        };
        RevokedClient: {
            clientId: string;
            /** Format: date-time */
            revokedAt: string;
        };
        RiskAssessment: {
            ApplicationID: string;
            ApplicationType: string;
            Comments: string[];
            CreditScoreCoapplicant: number;
            CreditScorePrimary: number;
            Date: string | "";
            DealerID: string;
            Decision: string;
            DecisionDate: string;
            DeclineReason: string;
            LoanTerms: components["schemas"]["LoanTerms"][];
            Stipulations: string[];
        } & {
            [key: string]: unknown;
        };
        Role: {
            name: string;
            description: string;
            builtIn: boolean;
            scopes: components["schemas"]["Scope"][];
            limits: components["schemas"]["RoleLimits"];
        };
        RoleLimit: {
            amount: string;
        };
        RoleLimitRequest: {
            amount: string | number;
        };
        RoleLimits: {
            "request-documents"?: components["schemas"]["RoleLimit"];
            "verify-documents"?: components["schemas"]["RoleLimit"];
            "start-underwriting"?: components["schemas"]["RoleLimit"];
            "complete-underwriting"?: components["schemas"]["RoleLimit"];
            "request-collateral"?: components["schemas"]["RoleLimit"];
            "approve-collateral"?: components["schemas"]["RoleLimit"];
            "update-stipulation"?: components["schemas"]["RoleLimit"];
            "fund-loan"?: components["schemas"]["RoleLimit"];
            "initiate-repayment"?: components["schemas"]["RoleLimit"];
            "loan-repay"?: components["schemas"]["RoleLimit"];
            "acknowledge-repayment"?: components["schemas"]["RoleLimit"];
            "return-repayment"?: components["schemas"]["RoleLimit"];
            "reverse-repayment"?: components["schemas"]["RoleLimit"];
            "payoff-quotes"?: components["schemas"]["RoleLimit"];
            "assess-fee"?: components["schemas"]["RoleLimit"];
            "waive-fee"?: components["schemas"]["RoleLimit"];
            "change-rate"?: components["schemas"]["RoleLimit"];
            extend?: components["schemas"]["RoleLimit"];
            "change-due-date"?: components["schemas"]["RoleLimit"];
            reamortize?: components["schemas"]["RoleLimit"];
            reage?: components["schemas"]["RoleLimit"];
            settle?: components["schemas"]["RoleLimit"];
            "place-hold"?: components["schemas"]["RoleLimit"];
            "release-hold"?: components["schemas"]["RoleLimit"];
            delinquent?: components["schemas"]["RoleLimit"];
            default?: components["schemas"]["RoleLimit"];
            accelerate?: components["schemas"]["RoleLimit"];
            "payment-reminders"?: components["schemas"]["RoleLimit"];
            "charge-off"?: components["schemas"]["RoleLimit"];
            "write-down"?: components["schemas"]["RoleLimit"];
            "record-recovery"?: components["schemas"]["RoleLimit"];
            "refund-credit"?: components["schemas"]["RoleLimit"];
            close?: components["schemas"]["RoleLimit"];
            cancel?: components["schemas"]["RoleLimit"];
            "cancel-boarding"?: components["schemas"]["RoleLimit"];
            rescind?: components["schemas"]["RoleLimit"];
            publish?: components["schemas"]["RoleLimit"];
            "update-custom-data"?: components["schemas"]["RoleLimit"];
            transfer?: components["schemas"]["RoleLimit"];
            "accept-transfer"?: components["schemas"]["RoleLimit"];
            "cancel-transfer"?: components["schemas"]["RoleLimit"];
            "update-party"?: components["schemas"]["RoleLimit"];
            undo?: components["schemas"]["RoleLimit"];
            "record-entry"?: components["schemas"]["RoleLimit"];
            override?: components["schemas"]["OverrideAuthority"];
        };
        RoleLimitsRequest: {
            "request-documents"?: components["schemas"]["RoleLimitRequest"];
            "verify-documents"?: components["schemas"]["RoleLimitRequest"];
            "start-underwriting"?: components["schemas"]["RoleLimitRequest"];
            "complete-underwriting"?: components["schemas"]["RoleLimitRequest"];
            "request-collateral"?: components["schemas"]["RoleLimitRequest"];
            "approve-collateral"?: components["schemas"]["RoleLimitRequest"];
            "update-stipulation"?: components["schemas"]["RoleLimitRequest"];
            "fund-loan"?: components["schemas"]["RoleLimitRequest"];
            "initiate-repayment"?: components["schemas"]["RoleLimitRequest"];
            "loan-repay"?: components["schemas"]["RoleLimitRequest"];
            "acknowledge-repayment"?: components["schemas"]["RoleLimitRequest"];
            "return-repayment"?: components["schemas"]["RoleLimitRequest"];
            "reverse-repayment"?: components["schemas"]["RoleLimitRequest"];
            "payoff-quotes"?: components["schemas"]["RoleLimitRequest"];
            "assess-fee"?: components["schemas"]["RoleLimitRequest"];
            "waive-fee"?: components["schemas"]["RoleLimitRequest"];
            "change-rate"?: components["schemas"]["RoleLimitRequest"];
            extend?: components["schemas"]["RoleLimitRequest"];
            "change-due-date"?: components["schemas"]["RoleLimitRequest"];
            reamortize?: components["schemas"]["RoleLimitRequest"];
            reage?: components["schemas"]["RoleLimitRequest"];
            settle?: components["schemas"]["RoleLimitRequest"];
            "place-hold"?: components["schemas"]["RoleLimitRequest"];
            "release-hold"?: components["schemas"]["RoleLimitRequest"];
            delinquent?: components["schemas"]["RoleLimitRequest"];
            default?: components["schemas"]["RoleLimitRequest"];
            accelerate?: components["schemas"]["RoleLimitRequest"];
            "payment-reminders"?: components["schemas"]["RoleLimitRequest"];
            "charge-off"?: components["schemas"]["RoleLimitRequest"];
            "write-down"?: components["schemas"]["RoleLimitRequest"];
            "record-recovery"?: components["schemas"]["RoleLimitRequest"];
            "refund-credit"?: components["schemas"]["RoleLimitRequest"];
            close?: components["schemas"]["RoleLimitRequest"];
            cancel?: components["schemas"]["RoleLimitRequest"];
            "cancel-boarding"?: components["schemas"]["RoleLimitRequest"];
            rescind?: components["schemas"]["RoleLimitRequest"];
            publish?: components["schemas"]["RoleLimitRequest"];
            "update-custom-data"?: components["schemas"]["RoleLimitRequest"];
            transfer?: components["schemas"]["RoleLimitRequest"];
            "accept-transfer"?: components["schemas"]["RoleLimitRequest"];
            "cancel-transfer"?: components["schemas"]["RoleLimitRequest"];
            "update-party"?: components["schemas"]["RoleLimitRequest"];
            undo?: components["schemas"]["RoleLimitRequest"];
            "record-entry"?: components["schemas"]["RoleLimitRequest"];
            override?: components["schemas"]["OverrideAuthorityRequest"];
        };
        RoleList: {
            items: components["schemas"]["Role"][];
            nextCursor: string | null;
        };
        RoleUpdate: {
            name: string;
        };
        RollForward: {
            period: string;
            closed: boolean;
            lenders: components["schemas"]["RollForwardLender"][];
        };
        RollForwardAccount: {
            account: string;
            opening: string;
            activity: components["schemas"]["AccountActivity"][];
            closing: string;
        };
        RollForwardLender: {
            lenderId: string;
            accounts: components["schemas"]["RollForwardAccount"][];
        };
        RotateClientAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ClientCredentials"];
        };
        RotateClientRequest: {
            clientId: string;
            /** @enum {string} */
            what: "secret" | "key" | "both";
        };
        RotateWebhookSecretAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["RotatedWebhookSecret"];
        };
        RotateWebhookSecretRequest: {
            endpointId: string;
        };
        RotatedWebhookSecret: {
            endpointId: string;
            secret: string;
            /** Format: date-time */
            formerSecretUntil: string;
        };
        RunningTotals: {
            fees: string;
            credit: string;
            received: string;
        };
        Sandbox: {
            organizationId: string;
            name: string;
            /** Format: date */
            today: string;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
        };
        SandboxCredentials: {
            organizationId: string;
            clientId: string;
            clientSecret: string;
            apiKey: string;
        };
        SandboxPage: {
            items: components["schemas"]["Sandbox"][];
            nextCursor: string | null;
        };
        Schedule: {
            loanId: string;
            /** Format: date */
            asOf: string;
            planned: boolean;
            levelPayment: string | null;
            installments: components["schemas"]["Installment"][];
            totals: components["schemas"]["ScheduleTotals"];
        };
        ScheduleCalculation: {
            levelPayment: string | null;
            rows: components["schemas"]["ScheduleRow"][];
            totals: components["schemas"]["ScheduleSums"];
            aprPercent: string | null;
            financeCharge: string;
            amountFinanced: string;
        };
        ScheduleRow: {
            n: number;
            /** Format: date */
            dueDate: string;
            payment: string;
            interest: string;
            principal: string;
            balance: string;
        };
        ScheduleSums: {
            payment: string;
            interest: string;
            principal: string;
        };
        ScheduleTerms: {
            disbursements: components["schemas"]["DatedAmount"][];
            annualRatePercent: string | number;
            /** @enum {string} */
            dayCount?: "actual/365" | "actual/360" | "actual/364" | "actual/actual" | "30/360" | "30/360 US" | "30E/360" | "30E/360 ISDA";
            /** Format: date */
            interestStart?: string;
            dueDates?: string[];
            /** Format: date */
            firstPaymentDate?: string;
            count?: number;
            /** @enum {string} */
            paymentFrequency?: "Monthly" | "SemiMonthly" | "BiWeekly" | "Weekly" | "Quarterly" | "SemiAnnual" | "Annual";
            /** @enum {string} */
            amortizationType?: "FullAmortization" | "InterestOnly" | "Balloon";
            balloonAmount?: string | number;
            interestOnlyCount?: number;
            skip?: number[];
            payment?: string | number;
            /** @enum {string} */
            rounding?: "half-up" | "half-even";
            rateChanges?: components["schemas"]["RateChange"][];
            prepaidFinanceCharges?: string | number;
            financedFees?: string | number;
        };
        ScheduleTotals: {
            amount: string;
            principal: string;
            interest: string;
            paid: string;
            open: string;
        };
        /** @enum {string} */
        Scope: "public:read" | "loans:read" | "loans:read_pii" | "loans:write" | "underwriting:write" | "loans:fund" | "payments:write" | "servicing:write" | "servicing:override" | "reports:read" | "books:write" | "events:read" | "audit:read" | "admin";
        SearchLoansAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["LoanList"];
        };
        SearchLoansRequest: {
            ssn?: string;
            email?: string;
            phone?: string;
            vin?: string;
            lastName?: string;
            dateOfBirth?: string;
            customData?: {
                [key: string]: string;
            };
        };
        ServiceStatus: {
            /** @enum {string} */
            message: "ok";
            version: string;
        };
        ServicingMetadata: {
            fundedDate: string | "";
            currentDpd: string;
            originalBalance: string;
            currentBalance: string;
            originalTerm: string;
            remainingTerm: string;
            pti: string;
            dti: string;
            ltv: string;
            scheduledPayment: string;
            currentPaymentDue: string;
            pastDueAmount: string;
            totalPrincipalPaid: string;
            totalInterestPaid: string;
            totalFeesPaid: string;
            chargeoffAmount: string;
            recoveredAmount: string;
            paymentStatus: string;
            scheduledMaturityDate: string | "";
        };
        Session: {
            userId: string;
            name: string;
            email: string;
            organization: components["schemas"]["Organization"];
            roles: string[];
            scopes: components["schemas"]["Scope"][];
            limits: components["schemas"]["RoleLimits"];
            /** @enum {string} */
            method: "passkey" | "password" | "provider" | "invitation";
            csrfToken: string;
            /** Format: date-time */
            idleEndsAt: string;
            /** Format: date-time */
            endsAt: string;
        };
        SetAccountCodesAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AccountCodesUpdate"];
        };
        SetAccountCodesRequest: {
            codes: components["schemas"]["AccountCodeChanges"];
            lenderId?: string;
        };
        SetClockAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Clock"];
        };
        SetClockRequest: {
            timeZone: string;
        };
        SetIdentityProviderAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["IdentityProvider"];
        };
        SetIdentityProviderRequest: {
            issuer: string;
            clientId: string;
            clientSecret: string;
            allowedDomains?: string[];
        };
        SettleLoanRequest: {
            loanId: string;
            amount: string | number;
            /** Format: date */
            goodThrough: string;
            quoteId?: string;
            reason: string;
        };
        Sign: {
            sign: components["schemas"]["SignName"];
            severity: components["schemas"]["SignSeverity"];
            about: string;
            compared: components["schemas"]["ComparedValue"][];
            loans: string[];
            /** Format: date */
            since: string;
            /** @enum {string} */
            found: "run" | "since";
        };
        SignList: {
            loanId: string;
            ranOn: string | null;
            items: components["schemas"]["Sign"][];
            nextCursor: string | null;
        };
        /** @enum {string} */
        SignName: "samePerson" | "sameVin" | "samePhone" | "sameAddress" | "sameAccount" | "velocity" | "oneNumber" | "income" | "vehicleYear" | "mileage" | "vehicleValue";
        SignOutAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["SignedOut"];
        };
        SignOutEverywhereAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["SignedOut"];
        };
        SignOutEverywhereRequest: Record<string, never>;
        SignOutRequest: Record<string, never>;
        /** @enum {string} */
        SignSeverity: "info" | "review";
        SignedOut: {
            userId: string;
        };
        SimulateLoanAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["Simulation"];
        };
        SimulateLoanRequest: {
            terms: components["schemas"]["ScheduleTerms"];
            waterfall?: ("pastDue.interest" | "due.interest" | "inAdvance.interest" | "pastDue.principal" | "due.principal" | "pastDue.penalty" | "pastDue.fee" | "due.penalty" | "due.fee" | "inAdvance.penalty" | "inAdvance.fee" | "inAdvance.principal")[];
            lateFee?: string | number;
            lateFeePolicy?: components["schemas"]["SimulatedLateFee"];
            events?: components["schemas"]["SimulatedEvent"][];
            /** Format: date */
            asOf?: string;
            explain?: string[];
        };
        SimulatedEvent: {
            /** @enum {string} */
            type: "payment" | "return" | "fee" | "waiver" | "rateChange" | "extension" | "dueDateChange" | "reamortize" | "reage" | "disbursement" | "chargeOff" | "recovery" | "refund";
            /** Format: date */
            date: string;
            amount?: string | number;
            refId?: string;
            principalOnly?: boolean;
            feeId?: string;
            name?: string;
            /** @enum {string} */
            kind?: "fee" | "penalty";
            annualRatePercent?: string | number;
            /** @enum {string} */
            why?: "contract" | "scra";
            periods?: number;
            /** Format: date */
            to?: string;
            collateral?: string | number;
        };
        SimulatedInstallment: {
            n: number;
            /** Format: date */
            dueDate: string;
            amount: string;
            paid: string;
            paidAhead: string;
            paidLate: string;
            open: string;
            satisfiedOn: string | null;
        };
        SimulatedLateFee: {
            flat?: string | number;
            percent?: string | number;
            floor?: string | number;
            cap?: string | number;
            graceDays?: number;
            /** @enum {string} */
            judge?: "currentFirst" | "oldestFirst";
        };
        SimulatedOutcome: {
            type: string;
            /** Format: date */
            date: string;
            refId?: string;
            feeId?: string;
            amount?: string;
            allocation: components["schemas"]["Allocation"];
            balance: string;
        };
        Simulation: {
            /** Format: date */
            asOf: string;
            status: components["schemas"]["LoanStatus"];
            events: components["schemas"]["SimulatedOutcome"][];
            installments: components["schemas"]["SimulatedInstallment"][];
            fees: components["schemas"]["Fee"][];
            explanations?: components["schemas"]["Explanation"][];
            principal: string;
            accruedInterest: string;
            unpaidFees: string;
            credits: string;
            perDiem: string;
            payoff: string;
            daysPastDue: number;
            pastDueAmount: string;
            bucket: components["schemas"]["DelinquencyBucket"];
            nextDueDate: string | null;
            nextDueAmount: string;
        };
        StartUnderwritingRequest: {
            loanId: string;
            repull?: boolean;
        };
        StateLateFee: {
            flat: string | null;
            percent: string | null;
            floor: string | null;
            cap: string | null;
            graceDays: number;
        };
        StateLateFeeChange: {
            flat?: (string | number) | null;
            percent?: (string | number) | null;
            floor?: (string | number) | null;
            cap?: (string | number) | null;
            graceDays?: number;
        };
        Statement: {
            loanId: string;
            /** Format: date */
            asOf: string;
            closedBy: ("payoff" | "settlement" | "recovery" | "insurance" | "sale" | "rescinded") | null;
            rows: components["schemas"]["StatementRow"][];
            otherLines: components["schemas"]["StatementLine"][];
        };
        StatementLine: {
            entry: string;
            account: string;
            debit: string;
            credit: string;
            /** Format: date */
            dateEffective: string;
            /** Format: date */
            datePosted: string;
            priorPeriod: boolean;
            transactionHash: string | null;
        };
        StatementRow: {
            /** Format: date */
            date: string;
            kind: string;
            reference: string | null;
            detail: string;
            amount: string;
            allocation: components["schemas"]["Allocation"];
            balance: string;
            running: components["schemas"]["RunningTotals"];
            purpose: ("installment" | "principal" | "insurance" | "sale" | "productRefund") | null;
            method: ("ach" | "card" | "cash" | "check" | "debit" | "payroll" | "wire" | "internal" | "other") | null;
            trace: string | null;
            code: ("R01" | "R02" | "R03" | "R04" | "R05" | "R06" | "R07" | "R08" | "R09" | "R10" | "R11" | "R12" | "R13" | "R14" | "R15" | "R16" | "R17" | "R18" | "R19" | "R20" | "R21" | "R22" | "R23" | "R24" | "R25" | "R26" | "R27" | "R28" | "R29" | "R30" | "R31" | "R32" | "R33" | "R34" | "R35" | "R36" | "R37" | "R38" | "R39" | "R40" | "R41" | "R42" | "R43" | "R44" | "R45" | "R46" | "R47" | "R50" | "R51" | "R52" | "R53" | "R61" | "R62" | "R63" | "R64" | "R65" | "R66" | "R67" | "R68" | "R69" | "R70" | "R71" | "R72" | "R73" | "R74" | "R75" | "R76" | "R77" | "R80" | "R81" | "R82" | "R83" | "R84" | "R85" | "nsf_check" | "chargeback" | "other") | null;
            journal: components["schemas"]["StatementLine"][];
        };
        Stipulation: {
            stipulationId: string;
            kind: components["schemas"]["StipulationKind"] | null;
            person: ("applicant" | "coApplicant") | null;
            text: string | null;
            /** @enum {string} */
            state: "open" | "expired" | "received" | "verified" | "waived";
            beforeFunding: boolean;
            /** @enum {string} */
            waivedBy: "underwriting:write" | "loans:fund" | "nobody";
            history: components["schemas"]["StipulationStep"][];
        };
        /** @enum {string} */
        StipulationKind: "fraudAlert" | "activeDutyAlert" | "identity" | "signedContract" | "title" | "insurance" | "proofOfIncome" | "incomeSource" | "residence" | "housing" | "birthDate" | "references" | "vehicleIdentification" | "vehicleInspection" | "odometerStatement" | "resolveSign" | "other";
        StipulationList: {
            loanId: string;
            items: components["schemas"]["Stipulation"][];
            nextCursor: string | null;
        };
        /** @enum {string} */
        StipulationState: "received" | "verified" | "waived";
        StipulationStep: {
            state: components["schemas"]["StipulationState"];
            /** Format: date-time */
            at: string;
            sequence: number;
        };
        SubmitRepaymentRequest: {
            loanId: string;
            amount: string | number;
            refId: string;
            /** Format: date */
            paymentDate?: string;
            /** @enum {string} */
            purpose?: "installment" | "principal" | "insurance" | "sale" | "productRefund";
            principalOnly?: boolean;
            /** @enum {string} */
            method?: "ach" | "card" | "cash" | "check" | "debit" | "payroll" | "wire" | "internal" | "other";
            trace?: string;
            acceptOverpayment?: boolean;
            reason?: string;
        };
        TestWebhookAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["WebhookTest"];
        };
        TestWebhookRequest: {
            endpointId: string;
        };
        TieOut: {
            /** Format: date */
            asOf: string;
            accounts: components["schemas"]["TieOutAccount"][];
        };
        TieOutAccount: {
            account: string;
            ledger: string;
            loans: string;
            difference: string;
        };
        Timeline: {
            loanId: string;
            /** Format: date */
            asOf: string;
            items: components["schemas"]["TimelineFact"][];
            nextCursor: string | null;
        };
        TimelineDecision: {
            /** @enum {string} */
            by: "assessment" | "officer";
            dealIndex: number;
            assessment: ("APPROVED" | "DECLINED") | null;
            reasonCode: ("compensatingIncome" | "compensatingAssets" | "downPayment" | "relationship" | "documentedError" | "verifiedElsewhere" | "notAssessed" | "other") | null;
            overrode: string[] | null;
        };
        TimelineDisbursement: {
            /** @enum {string} */
            payee: "dealer" | "borrower" | "lienholder" | "insurer" | "other";
            name: string | null;
            amount: string;
        };
        TimelineFact: {
            version: number | null;
            type: string;
            /** Format: date */
            date: string;
            /** Format: date-time */
            recordedAt: string;
            clientId: string;
            userId: string | null;
            transactionHash: string | null;
            reference: string | null;
            amount: string | null;
            undoes: string | null;
            undoneBy: string | null;
            ground: ("pastDue" | "insurance" | "fraud" | "title" | "bankruptcy" | "other") | null;
            decision: components["schemas"]["TimelineDecision"] | null;
            overrode: string[];
            approvalId: string | null;
            approvedBy: components["schemas"]["ApprovalParty"] | null;
            operation: string | null;
            effect: components["schemas"]["JournalLine"][];
            disbursements: components["schemas"]["TimelineDisbursement"][] | null;
            reasonGiven: boolean;
            reason: string | null;
        };
        Token: {
            token: string;
            expiresIn: number;
            /** Format: date-time */
            expiresAt: string;
            /** @enum {string} */
            tokenType: "Bearer";
            scope: string;
        };
        TradeLineInput: {
            subscriber?: string | number | null;
            account_type?: string | number | null;
            member?: string | number | null;
            account_num?: string | number | null;
            /** Format: date */
            opened?: string | number | null;
            /** Format: date */
            closed?: string | number | null;
            payment?: string | number | null;
            terms?: string | number | null;
            portfolio_type?: string | number | null;
            balance?: string | number | null;
            high_balance?: string | number | null;
            past_due?: string | number | null;
            rating?: string | number | null;
            "30dpd"?: string | number | null;
            "60dpd"?: string | number | null;
            "90dpd"?: string | number | null;
            account_class?: string | number | null;
            /** Format: date */
            today?: string | number | null;
            age?: string | number | null;
            age_closed?: string | number | null;
            seasoned?: string | number | null;
        };
        Transaction: {
            transactionHash: string;
            loanId: string;
            sequence: number;
            type: string;
            body: string;
            /** Format: date-time */
            recordedAt: string;
            block: number;
            sealed: boolean;
            proof: components["schemas"]["MerkleProof"] | null;
        };
        TransactionList: {
            items: components["schemas"]["Transaction"][];
            nextCursor: string | null;
        };
        TransactionReason: {
            transactionHash: string;
            /** Format: date-time */
            at: string;
            reason: string;
        };
        TransferAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransferResult"];
            transactionHash: string;
            loanId: string;
        };
        TransferLoanRequest: {
            loanId: string;
            /** @enum {string} */
            what: "servicer" | "owner";
            to: string | components["schemas"]["NewOwner"];
            /** Format: date */
            date: string;
            reason: string;
        };
        TransferLoansAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["TransferRunStarted"];
        };
        TransferLoansRequest: {
            loanIds?: string[];
            filter?: components["schemas"]["LoanFilter"];
            /** @enum {string} */
            what: "servicer" | "owner";
            to: string | components["schemas"]["NewOwner"];
            /** Format: date */
            date: string;
            reason: string;
        };
        TransferPage: {
            items: components["schemas"]["LoanTransfer"][];
            nextCursor: string | null;
        };
        TransferRefusal: {
            refusal: string;
            count: number;
        };
        TransferResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            transferId: string;
            /** @enum {string} */
            state: "scheduled" | "offered" | "accepted" | "cancelled" | "done";
            /** Format: date */
            date: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        TransferRun: {
            transferId: string;
            /** @enum {string} */
            kind: "transfer" | "accept";
            complete: boolean;
            pending: number;
            done: number;
            refused: number;
            refusals: components["schemas"]["TransferRefusal"][];
            stopped: components["schemas"]["TransferStopped"] | null;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            dryRun: boolean;
            items: components["schemas"]["RefusedLoan"][];
            nextCursor: string | null;
        };
        TransferRunStarted: {
            transferId: string;
            /** @enum {string} */
            kind: "transfer" | "accept";
            complete: boolean;
            pending: number;
            done: number;
            refused: number;
            refusals: components["schemas"]["TransferRefusal"][];
            stopped: components["schemas"]["TransferStopped"] | null;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            /** @enum {boolean} */
            dryRun?: true;
        };
        TransferStopped: {
            refusal: string;
            detail: string;
        };
        Transition: {
            operation: string;
            aliases: string[];
            from: components["schemas"]["LoanStatus"][];
            to: string;
        };
        TransitionTable: {
            statuses: components["schemas"]["LoanStatus"][];
            operations: components["schemas"]["Transition"][];
        };
        TrialBalance: {
            /** Format: date */
            asOf: string;
            accounts: components["schemas"]["JournalLine"][];
            totals: components["schemas"]["DebitCreditTotals"];
        };
        Underwriting: {
            CashflowsCsv: string;
            CoApplicantCreditBureauPDF: string;
            CoApplicantCreditBureauTradeLines: string;
            DealTermsInfo: components["schemas"]["DealTerms"][];
            PrimaryCreditBureauPDF: string;
            PrimaryCreditBureauTradeLines: string;
            PrimaryCreditInfo: {
                [key: string]: string;
            };
            UnderwritingInfo: components["schemas"]["DealUnderwriting"][];
        } & {
            [key: string]: unknown;
        };
        UnderwritingDecisionAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["UnderwritingDecisionResult"];
            transactionHash: string;
            loanId: string;
        };
        UnderwritingDecisionResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            /** @enum {string} */
            decision: "APPROVED" | "DECLINED";
            override?: components["schemas"]["Override"];
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        UnderwritingRun: {
            run: number;
            /** Format: date */
            day: string;
            /** @enum {string} */
            decision: "APPROVED" | "DECLINED";
            reportsOf: number;
            /** Format: date */
            reportDate: string;
            model: string;
            policy: string;
        };
        UnderwritingStartAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["UnderwritingStartResult"];
            transactionHash: string;
            loanId: string;
        };
        UnderwritingStartResult: {
            transactionHash: string;
            loanId: string;
            loanStatus: components["schemas"]["LoanStatus"];
            remainingBalance?: string;
            run?: number;
            reportsOf?: number;
            /** @enum {boolean} */
            assessed?: false;
            missing?: string;
            changes?: components["schemas"]["RestatedFigure"][];
            /** @enum {boolean} */
            dryRun?: true;
            approval?: boolean;
            payoff?: string;
            delinquentAmount?: string;
            delinquentDays?: number;
            nextPaymentDate?: string | null;
            upcomingDueDate?: string | null;
            events?: components["schemas"]["PlannedEvent"][];
            overrode?: string[];
            journal?: components["schemas"]["JournalLine"][];
        };
        UndoTransactionRequest: {
            loanId: string;
            transactionHash: string;
            chargeRetroactive?: boolean;
            reason: string;
        };
        UnitPeriod: {
            /** @enum {string} */
            unit: "day" | "week" | "semimonth" | "month" | "year";
            multiple: number;
        };
        UnitPeriods: {
            full: number;
            fraction: string;
        };
        UpdateClientAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["ClientUpdate"];
        };
        UpdateClientRequest: {
            clientId: string;
            name?: string;
            scopes?: components["schemas"]["Scope"][];
            rateLimitPerMinute?: number | null;
            /** @enum {string} */
            numbers?: "interface" | "plain";
            raisedRateLimit?: components["schemas"]["RateLimitForATime"] | null;
        };
        UpdateCustomDataRequest: {
            loanId: string;
            customData: {
                [key: string]: string | null;
            };
            reason?: string;
        };
        UpdatePartyRequest: {
            loanId: string;
            party: components["schemas"]["LoanParty"];
            changes: components["schemas"]["PartyChanges"];
            /** Format: date */
            date?: string;
            reason: string;
        };
        UpdateStipulationRequest: {
            loanId: string;
            stipulationId: string;
            state: components["schemas"]["StipulationState"];
            evidence?: string;
            reason?: string;
        };
        UpdateUserAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["UserUpdate"];
        };
        UpdateUserRequest: {
            userId: string;
            name?: string;
            roles?: string[];
        };
        UpdateWebhookEndpointAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["WebhookEndpoint"];
        };
        UpdateWebhookEndpointRequest: {
            endpointId: string;
            url?: string;
            types?: string[];
            description?: string;
            /** @enum {string} */
            status?: "active" | "paused";
        };
        User: {
            userId: string;
            email: string;
            name: string;
            roles: string[];
            /** @enum {string} */
            status: "invited" | "active" | "disabled";
            /** Format: date-time */
            createdAt: string;
            disabledAt: string | null;
        };
        UserIdRequest: {
            userId: string;
        };
        UserPage: {
            items: components["schemas"]["User"][];
            nextCursor: string | null;
        };
        UserUpdate: {
            userId: string;
        };
        VehicleDetails: {
            make: string;
            model: string;
            year: string;
            age: string;
            mileage: string;
            vin: string;
        };
        VehicleInfo: {
            VehicleAge: string;
            VehicleMake: string;
            VehicleMileage: string;
            VehicleModel: string;
            VehicleRetailValue: string;
            VehicleVIN: string;
            VehicleWholesaleValue: string;
            VehicleYear: string;
        } & {
            [key: string]: unknown;
        };
        VehicleInput: {
            make?: string | null;
            model?: string | null;
            year?: string | number | null;
            age?: string | number | null;
            mileage?: string | number | null;
            vin?: string | null;
        } | null;
        VerifyDocumentsRequest: {
            loanId: string;
            documentsComplete: boolean;
        };
        VolumeHead: {
            volume: number;
            number: number;
            hash: string;
        };
        WaiveFeeRequest: {
            loanId: string;
            feeId: string;
            amount?: string | number;
            reason: string;
        };
        WebhookDelivery: {
            deliveryId: string;
            endpointId: string;
            eventId: string;
            type: string;
            loanId: string | null;
            attempt: number;
            /** Format: date-time */
            at: string;
            ms: number;
            status: number | null;
            failure: components["schemas"]["WebhookFailure"] | null;
            /** @enum {string} */
            outcome: "delivered" | "failed" | "dead";
            replayId: string | null;
        };
        WebhookDeliveryPage: {
            items: components["schemas"]["WebhookDelivery"][];
            nextCursor: string | null;
        };
        WebhookEndpoint: {
            endpointId: string;
            url: string;
            types: string[];
            description: string;
            /** @enum {string} */
            status: "active" | "paused";
            pausedBecause: ("by_user" | "gone" | "failing") | null;
            pausedAt: string | null;
            failingSince: string | null;
            lastDeliveredAt: string | null;
            formerSecretUntil: string | null;
            waiting: number;
            waitingExact: boolean;
            oldestWaitingAt: string | null;
            deadLetters: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookEndpointDetails: {
            endpointId: string;
            url: string;
            types: string[];
            description: string;
            /** @enum {string} */
            status: "active" | "paused";
            pausedBecause: ("by_user" | "gone" | "failing") | null;
            pausedAt: string | null;
            failingSince: string | null;
            lastDeliveredAt: string | null;
            formerSecretUntil: string | null;
            waiting: number;
            waitingExact: boolean;
            oldestWaitingAt: string | null;
            deadLetters: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            replays: components["schemas"]["WebhookReplay"][];
        };
        WebhookEndpointPage: {
            items: components["schemas"]["WebhookEndpoint"][];
            nextCursor: string | null;
        };
        /** @enum {string} */
        WebhookFailure: "redirect" | "response" | "timeout" | "connection" | "forbidden";
        WebhookReplay: {
            replayId: string;
            /** @enum {string} */
            status: "running" | "done";
            replayed: number;
            deadLetters: number;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
        };
        WebhookReplayStart: {
            replayId: string;
            endpointId: string;
            /** @enum {string} */
            status: "running";
            events: number | null;
        };
        WebhookTest: {
            deliveryId: string;
            endpointId: string;
            eventId: string;
            /** @enum {string} */
            outcome: "delivered" | "failed";
            status: number | null;
            failure: components["schemas"]["WebhookFailure"] | null;
            ms: number;
        };
        WriteAdverseActionNoticeAnswer: {
            /** @enum {string} */
            message: "ok";
            data: components["schemas"]["AdverseActionNotice"];
        };
        WriteAdverseActionNoticeRequest: {
            loanId: string;
            creditor: components["schemas"]["NoticeParty"];
            bureau: components["schemas"]["NoticeParty"];
            federalAgency?: string;
            reasons?: string[];
            /** @enum {string} */
            kind?: "adverseAction" | "incompleteApplication" | "scoreDisclosure";
            missing?: string[];
            /** Format: date */
            respondBy?: string;
            scoreRank?: number;
            party?: "applicant" | "coApplicant";
        };
        WriteDownRequest: {
            loanId: string;
            amount: string | number;
            reason: string;
        };
        YearClose: {
            /** @enum {boolean} */
            dryRun?: true;
            year: number;
            /** Format: date */
            datePosted: string;
            /** Format: date-time */
            closedAt: string;
            closedBy: components["schemas"]["EntryRecorder"];
            lenders: components["schemas"]["YearLender"][];
        };
        YearLender: {
            lenderId: string;
            transactionHash: string | null;
            lines: components["schemas"]["JournalLine"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    /** List loans. */
    listLoans: {
        parameters: {
            query?: {
                status?: string;
                bucket?: "current" | "1-29" | "30-59" | "60-89" | "90-119" | "120+" | "120-plus";
                lenderId?: string;
                servicerId?: string;
                borrowerId?: string;
                applicationId?: string;
                createdFrom?: string;
                createdTo?: string;
                dueFrom?: string;
                dueTo?: string;
                minDaysPastDue?: number;
                maxDaysPastDue?: number;
                minCreditDays?: number;
                maxCreditDays?: number;
                nonAccrual?: "true" | "false";
                chargeOffGroundGone?: "true" | "false";
                minBalance?: string;
                maxBalance?: string;
                q?: string;
                limit?: number;
                cursor?: string;
                sort?: "createdAt" | "-createdAt" | "daysPastDue" | "-daysPastDue" | "nextDueDate" | "-nextDueDate" | "balance" | "-balance" | "creditSince" | "-creditSince";
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLoansAnswer"];
                };
            };
        };
    };
    /** Create a loan. */
    createLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanCreationAnswer"];
                };
            };
        };
    };
    /** Request documents. */
    requestDocuments: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Record whether the documents are complete. */
    verifyDocuments: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyDocumentsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Start underwriting. */
    startUnderwriting: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartUnderwritingRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnderwritingStartAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Complete underwriting: approve or reject. */
    completeUnderwriting: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteUnderwritingRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnderwritingDecisionAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Request collateral. */
    requestCollateral: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Approve the collateral. */
    approveCollateral: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveCollateralRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Record what has become of a stipulation. */
    updateStipulation: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateStipulationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Fund a loan. */
    fundLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FundLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Start repayment. */
    initiateRepayment: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InitiateRepaymentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Cancel a loan before funding. */
    cancelLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Publish or unpublish a loan. */
    publishLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Submit a payment. */
    submitRepayment: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitRepaymentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Confirm a payment. */
    acknowledgeRepayment: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcknowledgeRepaymentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Return a payment. */
    returnRepayment: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReturnRepaymentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentUndoneAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Reverse a payment. */
    reverseRepayment: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReverseRepaymentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentUndoneAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Create a payoff quote. */
    quotePayoff: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotePayoffRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoffQuoteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Agree to a settlement. */
    settleLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoffQuoteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Close a paid-off loan. */
    closeLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Cancel a loan that was boarded or funded by mistake. */
    cancelBoarding: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelBoardingRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Rescind a loan: its contract is void. */
    rescindLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RescindLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RescissionAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Record a delinquency. */
    noteDelinquency: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Declare a default. */
    defaultLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DefaultLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Accelerate a loan. */
    accelerateLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccelerateLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Record a reminder. */
    remindOfPayment: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Charge off a loan. */
    chargeOffLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeOffLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Write down the collateral of a charged-off loan. */
    writeDown: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteDownRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Record a recovery. */
    recordRecovery: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordRecoveryRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Refund a credit to the borrower. */
    refundCredit: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundCreditRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditRefundAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Charge a fee. */
    assessFee: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssessFeeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeeAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Waive a fee. */
    waiveFee: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WaiveFeeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeeAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Change the interest rate. */
    changeRate: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRateRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Extend a loan by whole periods. */
    extendLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExtendLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Change the due date. */
    changeDueDate: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeDueDateRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Re-amortize a loan. */
    reamortizeLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReamortizeLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Re-age a loan. */
    reageLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReageLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Place a hold. */
    placeHold: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlaceHoldRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Release a hold. */
    releaseHold: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReleaseHoldRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Change the contact data of a borrower. */
    updateParty: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePartyRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Change the custom data of a loan. */
    updateCustomData: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCustomDataRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomDataUpdateAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Undo a transaction. */
    undoTransaction: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoTransactionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoanWriteAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Transfer a loan to another servicer or owner. */
    transferLoan: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Accept a loan that is offered to your organization. */
    acceptTransfer: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptTransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Cancel or refuse a transfer. */
    cancelTransfer: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                "If-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelTransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Search loans by personal data and custom data. */
    searchLoans: {
        parameters: {
            query?: never;
            header?: {
                Prefer?: string;
                purpose?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchLoansRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchLoansAnswer"];
                };
            };
        };
    };
    /** List transfers of loans. */
    listTransfers: {
        parameters: {
            query: {
                direction: "in" | "out";
                transferId?: string;
                state?: "scheduled" | "offered" | "accepted" | "cancelled" | "done";
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTransfersAnswer"];
                };
            };
        };
    };
    /** Transfer many loans to another servicer or owner. */
    transferLoans: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferLoansRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferLoansAnswer"];
                };
            };
        };
    };
    /** Accept all loans of a transfer. */
    acceptTransfers: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptTransfersRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptTransfersAnswer"];
                };
            };
        };
    };
    /** Get the progress of a transfer of many loans. */
    readTransfer: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                transfer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadTransferAnswer"];
                };
            };
        };
    };
    /** List requests for approval. */
    listApprovals: {
        parameters: {
            query?: {
                state?: "pending" | "approved" | "rejected" | "lapsed";
                loanId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListApprovalsAnswer"];
                };
            };
        };
    };
    /** Get a request for approval. */
    readApproval: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadApprovalAnswer"];
                };
            };
        };
    };
    /** Approve a request, and carry it out. */
    approveRequest: {
        parameters: {
            query?: never;
            header?: {
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveRequestRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApproveRequestAnswer"];
                };
            };
        };
    };
    /** Reject a request, or withdraw your own. */
    rejectRequest: {
        parameters: {
            query?: never;
            header?: {
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RejectRequestRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectRequestAnswer"];
                };
            };
        };
    };
    /** Get the complete record of a loan. */
    readLoan: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadLoanAnswer"];
                };
            };
        };
    };
    /** Get the public record of a loan. */
    readLoanData: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadLoanDataAnswer"];
                };
            };
        };
    };
    /** The figures of a loan, and what can be done with it. */
    readSummary: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSummaryAnswer"];
                };
            };
        };
    };
    /** The borrower and the vehicle of a loan, masked. */
    readIdentity: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadIdentityAnswer"];
                };
            };
        };
    };
    /** The custom data of a loan. */
    readCustomData: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadCustomDataAnswer"];
                };
            };
        };
    };
    /** Get the payment schedule. */
    readSchedule: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadScheduleAnswer"];
                };
            };
        };
    };
    /** Get the payoff amount for a date. */
    readPayoff: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
                date?: string;
                goodThrough?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPayoffAnswer"];
                };
            };
        };
    };
    /** List payoff quotes and settlements. */
    listPayoffQuotes: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPayoffQuotesAnswer"];
                };
            };
        };
    };
    /** List the holds on a loan. */
    listHolds: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListHoldsAnswer"];
                };
            };
        };
    };
    /** Get the forecast of a funded loan. */
    readForecast: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadForecastAnswer"];
                };
            };
        };
    };
    /** Get the policy of a loan. */
    readLoanPolicy: {
        parameters: {
            query?: {
                asOf?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadLoanPolicyAnswer"];
                };
            };
        };
    };
    /** Create a notice to an applicant. */
    writeAdverseActionNotice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteAdverseActionNoticeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteAdverseActionNoticeAnswer"];
                };
            };
        };
    };
    /** The notices that were made. */
    listNotices: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListNoticesAnswer"];
                };
            };
        };
    };
    /** Applications that owe a notice. */
    listNoticesDue: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListNoticesDueAnswer"];
                };
            };
        };
    };
    /** The stipulations of a loan. */
    listStipulations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListStipulationsAnswer"];
                };
            };
        };
    };
    /** Get the statement of a loan. */
    readHistory: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadHistoryAnswer"];
                };
            };
        };
    };
    /** Everything that happened to a loan, and who recorded it. */
    readTimeline: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadTimelineAnswer"];
                };
            };
        };
    };
    /** The deals that underwriting offered. */
    listDeals: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDealsAnswer"];
                };
            };
        };
    };
    /** Duplicates and fraud signs. */
    listSigns: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSignsAnswer"];
                };
            };
        };
    };
    /** The expected cash flows of a deal, as CSV. */
    readDealCashflows: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    /** A stored report of the credit bureau, as a PDF. */
    readReport: {
        parameters: {
            query?: never;
            header?: {
                purpose?: string;
            };
            path: {
                loan_id: string;
                n: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
        };
    };
    /** Explain a figure. */
    explainFigure: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
                figure: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainFigureAnswer"];
                };
            };
        };
    };
    /** List the transactions of a loan with their proofs. */
    listTransactions: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    "Preference-Applied"?: string;
                    "X-Loan-Id"?: string;
                    "X-Loan-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTransactionsAnswer"];
                };
            };
        };
    };
    /** List the general ledger lines of a loan. */
    readJournal: {
        parameters: {
            query?: {
                asOf?: string;
                knownAt?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadJournalAnswer"];
                };
            };
        };
    };
    /** List disclosures of personal data. */
    listDisclosures: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                purpose?: string;
            };
            path: {
                loan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDisclosuresAnswer"];
                };
            };
        };
    };
    /** Get a transaction with its proof. */
    readTransaction: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadTransactionAnswer"];
                };
            };
        };
    };
    /** Get a block of the ledger. */
    readBlock: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                n: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadBlockAnswer"];
                };
            };
        };
    };
    /** List the ledger roots. */
    listRoots: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRootsAnswer"];
                };
            };
        };
    };
    /** Get the trial balance. */
    readTrialBalance: {
        parameters: {
            query?: {
                asOf?: string;
                lenderId?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadTrialBalanceAnswer"];
                };
            };
        };
    };
    /** Reconcile the ledger with the loans. */
    readTieOut: {
        parameters: {
            query?: {
                asOf?: string;
                lenderId?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadTieOutAnswer"];
                };
            };
        };
    };
    /** List entries that belong to no single loan. */
    listEntries: {
        parameters: {
            query?: {
                date?: string;
                byHand?: boolean;
                lenderId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEntriesAnswer"];
                };
            };
        };
    };
    /** Record an entry by hand. */
    recordEntry: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordEntryRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordEntryAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** List the balances of loans on the books. */
    listLedgerLoans: {
        parameters: {
            query?: {
                asOf?: string;
                lenderId?: string;
                limit?: number;
                cursor?: string;
                format?: "csv" | "json";
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLedgerLoansAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    /** List what each loan added to the interest of a day. */
    listEntryLoans: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEntryLoansAnswer"];
                };
            };
        };
    };
    /** List nightly cycles. */
    listCycles: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCyclesAnswer"];
                };
            };
        };
    };
    /** Get a nightly cycle. */
    readCycle: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                date: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadCycleAnswer"];
                };
            };
        };
    };
    /** Close a month, or several. */
    closePeriod: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClosePeriodRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosePeriodAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Close a year. */
    closeYear: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseYearRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CloseYearAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** List closed months. */
    listPeriods: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPeriodsAnswer"];
                };
            };
        };
    };
    /** Get the roll-forward of a month. */
    readRollForward: {
        parameters: {
            query: {
                period: string;
                lenderId?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadRollForwardAnswer"];
                };
            };
        };
    };
    /** Export the journal of a month. */
    exportPeriod: {
        parameters: {
            query: {
                period: string;
                lenderId?: string;
                format?: "csv" | "ndjson";
            };
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    /** Get the account codes. */
    readAccountCodes: {
        parameters: {
            query?: {
                lenderId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadAccountCodesAnswer"];
                };
            };
        };
    };
    /** Set account codes. */
    setAccountCodes: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAccountCodesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetAccountCodesAnswer"];
                };
            };
        };
    };
    /** Get the allowance for expected losses. */
    readAllowance: {
        parameters: {
            query?: {
                asOf?: string;
                by?: "pool" | "grade" | "vintage" | "bucket" | "lender";
                knownOn?: string;
                lenderId?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadAllowanceAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    /** Book the allowance of a month. */
    bookAllowance: {
        parameters: {
            query?: {
                dryRun?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BookAllowanceRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookAllowanceAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** List the back-tests of booked allowances. */
    listAllowanceBackTests: {
        parameters: {
            query?: {
                lenderId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAllowanceBackTestsAnswer"];
                };
            };
        };
    };
    /** Get the portfolio summary. */
    readPortfolioSummary: {
        parameters: {
            query?: {
                asOf?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioSummaryAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Get the delinquency of the portfolio. */
    readPortfolioDelinquency: {
        parameters: {
            query?: {
                asOf?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioDelinquencyAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Get the roll rates of the portfolio. */
    readPortfolioRollRates: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioRollRatesAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Get the static pools of the portfolio. */
    readPortfolioVintages: {
        parameters: {
            query?: {
                asOf?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioVintagesAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Get the cashflows of the portfolio. */
    readPortfolioCashflows: {
        parameters: {
            query?: {
                asOf?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioCashflowsAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Get the yield of the portfolio. */
    readPortfolioYield: {
        parameters: {
            query?: {
                asOf?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioYieldAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Get the prepayment speeds of the portfolio. */
    readPortfolioPrepayment: {
        parameters: {
            query?: {
                asOf?: string;
                by?: components["schemas"]["PortfolioSlice"];
                knownAt?: components["schemas"]["ReportKnownAt"];
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPortfolioPrepaymentAnswer"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportComputing"];
                };
            };
        };
    };
    /** Export loans. */
    exportLoans: {
        parameters: {
            query?: {
                asOf?: string;
                lenderId?: string;
                status?: string;
                personal?: boolean;
                knownAt?: string;
                after?: string;
                format?: "ndjson" | "csv";
            };
            header?: {
                purpose?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Daybook-Export-Cursor"?: string;
                    "Daybook-Export-As-Of"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    /** Export payments. */
    exportPayments: {
        parameters: {
            query?: {
                asOf?: string;
                from?: string;
                to?: string;
                lenderId?: string;
                knownAt?: string;
                after?: string;
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Daybook-Export-Cursor"?: string;
                    "Daybook-Export-As-Of"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    /** Export journal lines. */
    exportJournal: {
        parameters: {
            query?: {
                asOf?: string;
                from?: string;
                to?: string;
                lenderId?: string;
                knownAt?: string;
                after?: string;
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Daybook-Export-Cursor"?: string;
                    "Daybook-Export-As-Of"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    /** Export events. */
    exportEvents: {
        parameters: {
            query?: {
                asOf?: string;
                from?: string;
                to?: string;
                knownAt?: string;
                after?: string;
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Daybook-Export-Cursor"?: string;
                    "Daybook-Export-As-Of"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    /** Export positions. */
    exportPositions: {
        parameters: {
            query?: {
                asOf?: string;
                from?: string;
                to?: string;
                lenderId?: string;
                knownAt?: string;
                after?: string;
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Daybook-Export-Cursor"?: string;
                    "Daybook-Export-As-Of"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    /** List the operations that each status allows. */
    listTransitions: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTransitionsAnswer"];
                };
            };
        };
    };
    /** List what each kind of hold does. */
    listHoldEffects: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListHoldEffectsAnswer"];
                };
            };
        };
    };
    /** List the versions of policies. */
    listPolicies: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPoliciesAnswer"];
                };
            };
        };
    };
    /** Record a version of a policy. */
    addPolicy: {
        parameters: {
            query?: {
                dryRun?: boolean;
                through?: string;
            };
            header?: {
                "Idempotency-Key"?: string;
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddPolicyRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddPolicyAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Get a policy. */
    readPolicy: {
        parameters: {
            query?: {
                asOf?: string;
            };
            header?: {
                "If-None-Match"?: string;
                Prefer?: string;
            };
            path: {
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadPolicyAnswer"];
                };
            };
        };
    };
    /** Get a token. */
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateTokenAnswer"];
                };
            };
        };
    };
    /** Get a token with OAuth 2.0. */
    createOAuthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["CreateOAuthTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateOAuthTokenAnswer"];
                };
            };
        };
    };
    /** Get the OAuth 2.0 server metadata. */
    readOAuthMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadOAuthMetadataAnswer"];
                };
            };
        };
    };
    /** Get the public keys for verifying tokens. */
    readSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSigningKeysAnswer"];
                };
            };
        };
    };
    /** Get the calling client. */
    readMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMeAnswer"];
                };
            };
        };
    };
    /** Get the person who is signed in. */
    readSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSessionAnswer"];
                };
            };
        };
    };
    /** Sign out. */
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignOutRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignOutAnswer"];
                };
            };
        };
    };
    /** Sign out everywhere. */
    signOutEverywhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignOutEverywhereRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignOutEverywhereAnswer"];
                };
            };
        };
    };
    /** Get the clock. */
    readClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadClockAnswer"];
                };
            };
        };
    };
    /** Set the time zone of the business day. */
    setClock: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetClockRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetClockAnswer"];
                };
            };
        };
    };
    /** List people. */
    listUsers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsersAnswer"];
                };
            };
        };
    };
    /** Invite a person. */
    createUser: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUserRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateUserAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Read the names of colleagues. */
    listNames: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListNamesAnswer"];
                };
            };
        };
    };
    /** Change a person’s name or roles. */
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateUserAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Disable a person. */
    disableUser: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserIdRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisableUserAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Invite a person again. */
    inviteUser: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserIdRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteUserAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Sign a person out everywhere. */
    endSessions: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserIdRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndSessionsAnswer"];
                };
            };
        };
    };
    /** List roles. */
    listRoles: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRolesAnswer"];
                };
            };
        };
    };
    /** Create or replace a role of the organization. */
    putRole: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutRoleRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PutRoleAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Remove a role of the organization. */
    removeRole: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveRoleRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveRoleAnswer"];
                };
            };
        };
    };
    /** List clients. */
    listClients: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListClientsAnswer"];
                };
            };
        };
    };
    /** Create a client. */
    createClient: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateClientRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateClientAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Change a client’s name, scopes, quota or form of numbers. */
    updateClient: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateClientRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateClientAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Replace a client’s secret, API keys or both. */
    rotateClient: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateClientRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateClientAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Revoke a client. */
    revokeClient: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientIdRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeClientAnswer"];
                };
            };
        };
    };
    /** Create an API key for a client. */
    createKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientIdRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateKeyAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Revoke an API key. */
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeKeyRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeKeyAnswer"];
                };
            };
        };
    };
    /** List grants. */
    listGrants: {
        parameters: {
            query?: {
                direction?: "given" | "received";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListGrantsAnswer"];
                };
            };
        };
    };
    /** Create a grant. */
    createGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateGrantRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateGrantAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Revoke a grant. */
    revokeGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeGrantRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeGrantAnswer"];
                };
            };
        };
    };
    /** Accept a grant. */
    acceptGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptGrantRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptGrantAnswer"];
                };
            };
        };
    };
    /** Decline a grant. */
    declineGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeclineGrantRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclineGrantAnswer"];
                };
            };
        };
    };
    /** End a grant. */
    endGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndGrantRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndGrantAnswer"];
                };
            };
        };
    };
    /** Advance a test clock. */
    advanceClock: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvanceClockRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvanceClockAnswer"];
                };
            };
        };
    };
    /** List sandboxes. */
    listSandboxes: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSandboxesAnswer"];
                };
            };
        };
    };
    /** Create a sandbox. */
    createSandbox: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSandboxRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateSandboxAnswer"];
                };
            };
        };
    };
    /** End a sandbox. */
    endSandbox: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndSandboxRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndSandboxAnswer"];
                };
            };
        };
    };
    /** Get the identity provider. */
    readIdentityProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadIdentityProviderAnswer"];
                };
            };
        };
    };
    /** Set the identity provider. */
    setIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetIdentityProviderRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetIdentityProviderAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** Remove the identity provider. */
    removeIdentityProvider: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveIdentityProviderRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveIdentityProviderAnswer"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedApprovalAnswer"];
                };
            };
        };
    };
    /** List the audit trail. */
    listAudit: {
        parameters: {
            query?: {
                userId?: string;
                clientId?: string;
                loanId?: string;
                operation?: string;
                kind?: "did" | "tried" | "saw";
                outcome?: string;
                from?: string;
                until?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAuditAnswer"];
                };
            };
        };
    };
    /** Read the feed of events. */
    listEvents: {
        parameters: {
            query?: {
                after?: string;
                types?: string;
                loanId?: string;
                limit?: number;
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventsAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    /** List webhook endpoints. */
    listWebhookEndpoints: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookEndpointsAnswer"];
                };
            };
        };
    };
    /** Create a webhook endpoint. */
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateWebhookEndpointAnswer"];
                };
            };
        };
    };
    /** Read a webhook endpoint. */
    readWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadWebhookEndpointAnswer"];
                };
            };
        };
    };
    /** Change, pause or resume a webhook endpoint. */
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpointRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateWebhookEndpointAnswer"];
                };
            };
        };
    };
    /** Replace the secret of a webhook endpoint. */
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateWebhookSecretAnswer"];
                };
            };
        };
    };
    /** Delete a webhook endpoint. */
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteWebhookEndpointRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteWebhookEndpointAnswer"];
                };
            };
        };
    };
    /** Send a test to a webhook endpoint. */
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestWebhookRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestWebhookAnswer"];
                };
            };
        };
    };
    /** Deliver events again. */
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayWebhookAnswer"];
                };
            };
        };
    };
    /** List deliveries of webhooks. */
    listWebhookDeliveries: {
        parameters: {
            query?: {
                endpointId?: string;
                outcome?: "delivered" | "failed" | "dead";
                loanId?: string;
                eventId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookDeliveriesAnswer"];
                };
            };
        };
    };
    /** Calculate an annual percentage rate (Regulation Z, Appendix J). */
    calculateApr: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalculateAprRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalculateAprAnswer"];
                };
            };
        };
    };
    /** Calculate a payment schedule. */
    calculateSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalculateScheduleRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalculateScheduleAnswer"];
                };
            };
        };
    };
    /** Simulate a loan from its terms and events. */
    simulateLoan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulateLoanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulateLoanAnswer"];
                };
            };
        };
    };
    /** Calculate an internal rate of return. */
    calculateIrr: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalculateIrrRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalculateIrrAnswer"];
                };
            };
        };
    };
    /** Calculate an offer: the decision on an application, and its deals. */
    calculateOffer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalculateOfferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalculateOfferAnswer"];
                };
            };
        };
    };
    /** Liveness check. */
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
        };
    };
    /** Readiness check. */
    readReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
        };
    };
}
