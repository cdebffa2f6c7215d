/**
 * Test people: social security numbers of the range 666, which is never issued, that always give the same kind of answer, so that an
 * integrator can test each of them. `docs/bureau.md` shows the same table.
 */
import type { BureauFailure } from '../bureau.ts';

/** The kind of borrower. Everything except `quality` and `maturity` is for special cases. */
export type Profile = {
  /** From 0 (worst) to 1 (best). */
  readonly quality: number;
  /** Length of the history: 0 short, 1 long. */
  readonly maturity: number;
  /** Has only this many accounts, all of them new. */
  readonly thin?: { readonly accounts: number; readonly months: number };
  /** The number of accounts that are late today. */
  readonly lateNow?: number;
  /** Months ago. */
  readonly bankruptcy?: number;
  readonly repossession?: number;
  /** Exactly this many. */
  readonly collections?: number;
  /** Never late, but heavily indebted: amounts are multiplied and accounts stay open. */
  readonly burden?: number;
  readonly ssnMatch?: 'exact' | 'noMatch';
  /** The file contains a consumer statement. */
  readonly statement?: boolean;
};

export type Person =
  | { readonly is: 'borrower'; readonly profile: Profile }
  | { readonly is: 'unknown' }
  /** The consumer has frozen the file. */
  | { readonly is: 'frozen'; readonly profile: Profile }
  | { readonly is: 'failure'; readonly failure: BureauFailure };

export type TestPerson = { readonly ssn: string; readonly kind: string; readonly person: Person };

export const TEST_PEOPLE: readonly TestPerson[] = [
  borrower('666-00-0001', 'super prime', { quality: 1, maturity: 0.75 }),
  borrower('666-00-0002', 'prime', { quality: 0.78, maturity: 0.25 }),
  borrower('666-00-0003', 'near-prime', { quality: 0.4, maturity: 0.4, collections: 0 }),
  borrower('666-00-0004', 'subprime', { quality: 0.23, maturity: 0.4 }),
  borrower('666-00-0005', 'bad payer: accounts past due now', { quality: 0.1, maturity: 0.5, lateNow: 4 }),
  borrower('666-00-0006', 'thin file: two new accounts', {
    quality: 0.55,
    maturity: 0,
    thin: { accounts: 2, months: 15 },
  }),
  borrower('666-00-0007', 'file without a score: one account, three months old', {
    quality: 0.55,
    maturity: 0,
    thin: { accounts: 1, months: 3 },
  }),
  { ssn: '666-00-0008', kind: 'no hit: no file for this number', person: { is: 'unknown' } },
  borrower('666-00-0009', 'bankruptcy 20 months ago', { quality: 0.3, maturity: 0.55, bankruptcy: 20 }),
  borrower('666-00-0010', 'repossession 14 months ago', { quality: 0.22, maturity: 0.45, repossession: 14 }),
  borrower('666-00-0011', 'overextended: pays on time, heavily indebted', {
    quality: 0.66,
    maturity: 0.4,
    burden: 1.4,
  }),
  {
    ssn: '666-00-0012',
    kind: 'frozen: the file must not be released',
    person: { is: 'frozen', profile: { quality: 0.7, maturity: 0.5 } },
  },
  borrower('666-00-0013', 'number belongs to another person', {
    quality: 0.6,
    maturity: 0.5,
    ssnMatch: 'noMatch',
    statement: true,
  }),
  failure('666-00-0091', 'the bureau does not answer in time', {
    failed: 'timeout',
    detail: 'The bureau did not answer in time (simulated).',
    retryable: true,
  }),
  failure('666-00-0092', 'the bureau is not available', {
    failed: 'unavailable',
    detail: 'The bureau is not available (simulated).',
    retryable: true,
  }),
  failure('666-00-0093', 'the answer is malformed', {
    failed: 'malformed',
    detail: 'The bureau’s answer cannot be read (simulated).',
    retryable: false,
  }),
  failure('666-00-0094', 'the bureau refuses the request', {
    failed: 'refused',
    detail: 'The bureau refuses the request (simulated).',
    retryable: false,
  }),
];

function borrower(ssn: string, kind: string, profile: Profile): TestPerson {
  return { ssn, kind, person: { is: 'borrower', profile } };
}

function failure(ssn: string, kind: string, what: BureauFailure): TestPerson {
  return { ssn, kind, person: { is: 'failure', failure: what } };
}
