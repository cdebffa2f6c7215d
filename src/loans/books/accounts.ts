/** The accounts, for callers that name them. */
export { ACCOUNTS as ACCOUNT_NAMES } from '../../ledger/chart.ts';
