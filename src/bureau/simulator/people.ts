/**
 * Test people: social security numbers of the range 666, which is never issued, that always get the same kind of answer, so that an
 * integrator can try each of them. `docs/bureau.md` shows the same table.
 */
import type { BureauFailure } from '../bureau.ts';

/** The kind of borrower of a file. All but `quality` and `maturity` is for special cases. */
export type Profile = {
  /** 0 the worst, 1 the best. */
  readonly quality: number;
  /** Length of the history: 0 short, 1 long. */
  readonly maturity: number;
  /** Has this few accounts, all of them young. */
  readonly thin?: { readonly accounts: number; readonly months: number };
  /** Accounts that are late today. */
  readonly lateNow?: number;
  /** Months ago. */
  readonly bankruptcy?: number;
  readonly repossession?: number;
  /** Exactly this many. */
  readonly collections?: number;
  /** Never late, but owes a lot: amounts are multiplied and accounts stay open. */
  readonly burden?: number;
  readonly ssnMatch?: 'exact' | 'noMatch';
  /** Has a statement of the consumer's own in the file. */
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
  borrower('666-00-0006', 'thin file: two young accounts', {
    quality: 0.55,
    maturity: 0,
    thin: { accounts: 2, months: 15 },
  }),
  borrower('666-00-0007', 'file without a score: one account of three months', {
    quality: 0.55,
    maturity: 0,
    thin: { accounts: 1, months: 3 },
  }),
  { ssn: '666-00-0008', kind: 'no-hit: nobody of this number in file', person: { is: 'unknown' } },
  borrower('666-00-0009', 'bankruptcy 20 months ago', { quality: 0.3, maturity: 0.55, bankruptcy: 20 }),
  borrower('666-00-0010', 'repossession 14 months ago', { quality: 0.22, maturity: 0.45, repossession: 14 }),
  borrower('666-00-0011', 'overextended: pays on time, owes a lot', { quality: 0.66, maturity: 0.4, burden: 1.4 }),
  {
    ssn: '666-00-0012',
    kind: 'frozen: the file may not be shown',
    person: { is: 'frozen', profile: { quality: 0.7, maturity: 0.5 } },
  },
  borrower('666-00-0013', 'number of somebody else', {
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
  failure('666-00-0093', 'the answer cannot be read', {
    failed: 'malformed',
    detail: 'The answer of the bureau cannot be read (simulated).',
    retryable: false,
  }),
  failure('666-00-0094', 'the bureau refuses the question', {
    failed: 'refused',
    detail: 'The bureau refuses the question (simulated).',
    retryable: false,
  }),
];

function borrower(ssn: string, kind: string, profile: Profile): TestPerson {
  return { ssn, kind, person: { is: 'borrower', profile } };
}

function failure(ssn: string, kind: string, what: BureauFailure): TestPerson {
  return { ssn, kind, person: { is: 'failure', failure: what } };
}
