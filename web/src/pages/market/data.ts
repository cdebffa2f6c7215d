/**
 * Queries of the market. Its data is not part of the API with tokens: everybody may read it, so nothing is sent along, not even a cookie.
 * Problems are those of the sdk, so that pages show them as everywhere.
 */
import { queryOptions } from '@tanstack/react-query';
import { ConnectionError, ProblemError } from 'daybook-sdk';

/** Amounts are text as in the API ("13,921.15"), rates percent a year, yields fractions. */
export type MarketLoan = {
  loanId: string;
  applicationId: string;
  loanType: string;
  loanStatus: string;
  grade: string;
  rate: string;
  term: number;
  remaining: number;
  loanAmount: string;
  balance: string;
  daysPastDue: number;
  bucket: string | null;
  fairValuePrice: string;
  predictedYield: string;
  fundedOn: string | null;
  vintage: string | null;
  isSample: boolean;
};

export type MarketPage = { items: MarketLoan[]; nextCursor: string | null; total: number | null; totalExact: boolean };

type Totals = { count: number; balance: string };
export type MarketSummary = Totals & {
  weightedRate: string | null;
  buckets: (Totals & { bucket: string })[];
  chargedOff: Totals;
  others: number;
  grades: (Totals & { grade: string | null })[];
};

export type Month = {
  month: number;
  date: string;
  expectedBalance: string | null;
  expected: string | null;
  balance: string | null;
  received: string | null;
  daysPastDue: number | null;
};

export type Payment = {
  paymentId: string;
  paymentAmount: string;
  paymentDate: string;
  remainingBalance: string;
  principalPaid: string;
  interestPaid: string;
  feesPaid: string;
  status: string;
  transactionHash: string;
};

/** Members of the public record that the page shows. */
export type PublicDetails = Record<string, string> & {
  loanPayments: Payment[];
  metadata: Record<string, Record<string, string>>;
  loanInfo: { Auto?: Record<string, string> };
};

export type LoanOnMarket = {
  loanId: string;
  isSample: boolean;
  asOf: string;
  loanDetails: PublicDetails;
  performance: Month[];
  value: {
    asOf: string;
    balance: string;
    fairValue: string;
    yieldAtPar: string;
    defaultProbability: string;
    modelVersion: string;
  } | null;
};

export type Entry = {
  transactionHash: string;
  sequence: number;
  kind: string;
  date: string | null;
  amount: string | null;
  block: number | null;
  sealed: boolean;
};

const DATA = '/market/data';

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(`${DATA}/${path}`, { signal, credentials: 'omit', headers: { accept: 'application/json' } });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ConnectionError('The service cannot be reached.', { cause: error });
  }
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return (body as { data: T }).data;
  const seconds = Number(answer.headers.get('retry-after'));
  throw new ProblemError(answer.status, (body ?? {}) as object, {
    requestId: answer.headers.get('daybook-request-id'),
    retryAfterSeconds: seconds > 0 ? seconds : null,
  });
}

export const queryText = (of: Readonly<Record<string, string>>): string =>
  new URLSearchParams(Object.entries(of).filter(([, value]) => value !== '')).toString();

export const PAGE_SIZE = 100;

export const readPage = (query: string, cursor: string | null, signal: AbortSignal): Promise<MarketPage> => {
  const next = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return read<MarketPage>(`loans?${query}&limit=${PAGE_SIZE}${next}`, signal);
};

export const summaryOf = (filters: string) =>
  queryOptions({
    queryKey: ['summary', filters],
    queryFn: ({ signal }) => read<MarketSummary>(`summary?${filters}`, signal),
  });

export const loanOf = (loanId: string) =>
  queryOptions({
    queryKey: ['loan', loanId],
    queryFn: ({ signal }) => read<LoanOnMarket>(`loans/${encodeURIComponent(loanId)}`, signal),
  });

export const transactionsOf = (loanId: string) =>
  queryOptions({
    queryKey: ['transactions', loanId],
    queryFn: ({ signal }) => read<{ items: Entry[] }>(`loans/${encodeURIComponent(loanId)}/transactions`, signal),
  });

/** As it came: what it claims is checked (`proof.ts`), nothing of it is believed. */
export const proofOf = (loanId: string, hash: string) =>
  queryOptions({
    queryKey: ['proof', loanId, hash],
    queryFn: ({ signal }) =>
      read<unknown>(`loans/${encodeURIComponent(loanId)}/proof?transaction=${encodeURIComponent(hash)}`, signal),
  });

export const recordAddress = (loanId: string) => `${DATA}/loans/${encodeURIComponent(loanId)}/record`;
