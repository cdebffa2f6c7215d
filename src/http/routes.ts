/** Every operation of the API, one line each; each is described where it is defined. */
import { createClient, listClients, revokeClient, rotateClient, updateClient } from './access/clients.ts';
import { advanceClock, readClock, setClock } from './access/clock.ts';
import { acceptGrant, createGrant, declineGrant, endGrant, listGrants, revokeGrant } from './access/grants.ts';
import { readIdentityProvider, removeIdentityProvider, setIdentityProvider } from './access/identity-provider.ts';
import { createKey, revokeKey } from './access/keys.ts';
import { readMe } from './access/me.ts';
import { listRoles, putRole, removeRole } from './access/roles.ts';
import { createSandbox, endSandbox, listSandboxes } from './access/sandboxes.ts';
import { readSession, signOut, signOutEverywhere } from './access/session.ts';
import { createOAuthToken, createToken, readOAuthMetadata, readSigningKeys } from './access/tokens.ts';
import { createUser, disableUser, endSessions, inviteUser, listNames, listUsers, updateUser } from './access/users.ts';
import { bookAllowance, readAllowance } from './allowance/allowance.ts';
import { listAllowanceBackTests } from './allowance/back-tests.ts';
import { approveRequest, listApprovals, readApproval, rejectRequest } from './approvals/approvals.ts';
import { listAudit } from './audit/audit.ts';
import { readTieOut, readTrialBalance } from './books/books.ts';
import { readAccountCodes, setAccountCodes } from './books/codes.ts';
import { listEntries, recordEntry } from './books/entries.ts';
import { listEntryLoans, listLedgerLoans } from './books/loans.ts';
import { closePeriod, exportPeriod, listPeriods, readRollForward } from './books/periods.ts';
import { closeYear } from './books/years.ts';
import { calculateApr } from './calculators/apr.ts';
import { calculateIrr } from './calculators/irr.ts';
import { calculateOffer } from './calculators/offer.ts';
import { calculateSchedule } from './calculators/schedule.ts';
import { simulateLoan } from './calculators/simulate.ts';
import { listCycles, readCycle } from './cycle/cycles.ts';
import { exportEvents, exportJournal, exportLoans, exportPayments, exportPositions } from './exports/exports.ts';
import { listEvents } from './feed/events.ts';
import { listRoots, listTransactions, readBlock, readJournal, readTransaction } from './ledger/ledger.ts';
import { applicationWrites } from './loans/application.ts';
import { cancelLoan, closingWrites, refundCredit } from './loans/closing.ts';
import { defaultWrites } from './loans/default.ts';
import { feeWrites } from './loans/fee.ts';
import { fundingWrites } from './loans/funding.ts';
import { holdWrites, listHoldEffects, listHolds } from './loans/hold.ts';
import { modificationWrites, settleLoan } from './loans/modification.ts';
import { listNotices, listNoticesDue, writeAdverseActionNotice } from './loans/notice.ts';
import { partyWrites } from './loans/party.ts';
import { paymentWrites } from './loans/payment.ts';
import { transferWrites } from './loans/transfer.ts';
import { undoWrites } from './loans/undo.ts';
import { marketRequests } from './market/market.ts';
import { createLoan } from './origination/creation.ts';
import { listSigns } from './origination/signs.ts';
import { listStipulations, stipulationWrites } from './origination/stipulation.ts';
import { accountRequests } from './pages/account.ts';
import { invitationRequests } from './pages/invitation.ts';
import { signInRequests } from './pages/signing-in.ts';
import { customDataWrites, readCustomData } from './people/custom-data.ts';
import { readIdentity } from './people/identity.ts';
import { addPolicy, listPolicies, readLoanPolicy, readPolicy } from './policies/policies.ts';
import { listLoans, searchLoans } from './reads/lists.ts';
import { listDeals, readDealCashflows, readReport, readSummary, readTimeline } from './reads/overview.ts';
import { readPayoff } from './reads/payoff.ts';
import { listPayoffQuotes } from './reads/quotes.ts';
import { explainFigure, listDisclosures, readForecast, readSchedule } from './reads/reads.ts';
import { readLoan, readLoanData, recordWrites } from './reads/record.ts';
import { readHistory } from './reads/statement.ts';
import { listTransitions } from './reads/transitions.ts';
import {
  readPortfolioCashflows,
  readPortfolioDelinquency,
  readPortfolioPrepayment,
  readPortfolioRollRates,
  readPortfolioSummary,
  readPortfolioVintages,
  readPortfolioYield,
} from './reports/portfolio.ts';
import { type Operation, withAliases } from './shared/operation.ts';
import { acceptTransfers, listTransfers, readTransfer, transferLoans } from './transfers/transfers.ts';
import { listWebhookDeliveries, replayWebhook, testWebhook } from './webhooks/deliveries.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './webhooks/endpoints.ts';

/** Everything that changes a loan. In the order of the OpenAPI document, as all of them. */
const writes: readonly Operation[] = [
  // Application
  createLoan,
  ...applicationWrites,
  ...stipulationWrites,

  // Funding
  ...fundingWrites,

  // Before funding, and who may see the public record
  cancelLoan,
  ...recordWrites,

  // Payments
  ...paymentWrites,

  // Settlement and closing
  settleLoan,
  ...closingWrites,

  // Default
  ...defaultWrites,

  // Credits and fees
  refundCredit,
  ...feeWrites,

  // Modifications
  ...modificationWrites,

  // Holds
  ...holdWrites,
  // People
  ...partyWrites,
  ...customDataWrites,
  // Undo
  ...undoWrites,
  // Transfers
  ...transferWrites,
];

/** Everything on no loan that may wait for an approval. */
const approvable: readonly Operation[] = [
  closePeriod,
  closeYear,
  recordEntry,
  bookAllowance,
  addPolicy,
  createUser,
  updateUser,
  disableUser,
  inviteUser,
  putRole,
  createClient,
  updateClient,
  rotateClient,
  createKey,
  createGrant,
  setIdentityProvider,
  removeIdentityProvider,
];

export const operations: readonly Operation[] = withAliases([
  ...writes,

  // Many loans
  listLoans,
  searchLoans,
  transferLoans,
  acceptTransfers,
  listTransfers,
  readTransfer,

  // Approvals
  listApprovals(approvable),
  readApproval(writes, approvable),
  approveRequest(writes, approvable),
  rejectRequest(writes, approvable),

  // The two records
  readLoan,
  readLoanData,

  // One loan in its parts
  readSummary,
  readIdentity,
  readCustomData,
  readSchedule,
  readPayoff,
  listPayoffQuotes,
  listHolds,
  readForecast,
  readLoanPolicy,
  writeAdverseActionNotice,
  listNotices,
  listNoticesDue,
  listStipulations,
  readHistory,
  readTimeline,
  listDeals,
  listSigns,
  readDealCashflows,
  readReport,
  explainFigure,

  // The ledger
  listTransactions,
  readJournal,
  listDisclosures,
  readTransaction,
  readBlock,
  listRoots,

  // The books
  readTrialBalance,
  readTieOut,
  listEntries,
  recordEntry,
  listLedgerLoans,
  listEntryLoans,
  listCycles,
  readCycle,
  closePeriod,
  closeYear,
  listPeriods,
  readRollForward,
  exportPeriod,
  readAccountCodes,
  setAccountCodes,
  readAllowance,
  bookAllowance,
  listAllowanceBackTests,

  // The portfolio
  readPortfolioSummary,
  readPortfolioDelinquency,
  readPortfolioRollRates,
  readPortfolioVintages,
  readPortfolioCashflows,
  readPortfolioYield,
  readPortfolioPrepayment,

  // Exports
  exportLoans,
  exportPayments,
  exportJournal,
  exportEvents,
  exportPositions,

  listTransitions(writes),
  listHoldEffects,

  // Servicing policies
  addPolicy,
  listPolicies,
  readPolicy,

  // Access: tokens, who the caller is, and what day it is for it.
  createToken,
  createOAuthToken,
  readOAuthMetadata,
  readSigningKeys,
  readMe,
  readSession,
  signOut,
  signOutEverywhere,
  readClock,

  // Administration: people, clients, keys and grants of an organization, and its clock.
  listUsers,
  listNames,
  createUser,
  updateUser,
  disableUser,
  inviteUser,
  endSessions,
  listRoles,
  putRole,
  removeRole,
  listClients,
  createClient,
  updateClient,
  rotateClient,
  revokeClient,
  createKey,
  revokeKey,
  listGrants,
  createGrant,
  revokeGrant,
  acceptGrant,
  declineGrant,
  endGrant,
  setClock,
  advanceClock,
  createSandbox,
  listSandboxes,
  endSandbox,
  readIdentityProvider,
  setIdentityProvider,
  removeIdentityProvider,
  listAudit,
  listEvents,
  createWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  updateWebhookEndpoint,
  rotateWebhookSecret,
  deleteWebhookEndpoint,
  testWebhook,
  replayWebhook,
  listWebhookDeliveries,

  // Calculators: stateless.
  calculateApr,
  calculateSchedule,
  simulateLoan,
  calculateIrr,
  calculateOffer,
]);

/**
 * Operations for our own pages besides: how people sign in, and what they have set up for it (docs/sign-in.md); and the public market
 * (docs/market.md).
 */
export const pageRequests: readonly Operation[] = [
  ...signInRequests,
  ...invitationRequests,
  ...accountRequests,
  ...marketRequests,
];
