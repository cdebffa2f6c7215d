/**
 * Test people: social security numbers of the range 666, which is never issued, that always give the same kind of answer, so that an
 * integrator can test each of them. `docs/bureau.md` shows the same table.
 */
import type { BureauFailure, FileFlags } from '../bureau.ts';

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
  /** Flags of the bureau on the file; unless stated, the number matches and there is nothing else. */
  readonly flags?: Partial<FileFlags>;
  /** The file contains a consumer statement. */
  readonly statement?: boolean;
};

export type Person =
  | { readonly is: 'borrower'; readonly profile: Profile }
  /** One of the files that are served with any score: `seed` determines the file. */
  | { readonly is: 'scored'; readonly profile: Profile; readonly seed: string; readonly score: number }
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
    flags: { ssnMatch: 'noMatch' },
    statement: true,
  }),
  borrower('666-00-0014', 'reported as deceased', {
    quality: 0.78,
    maturity: 0.5,
    flags: { deceased: true },
  }),
  borrower('666-00-0015', 'address differs from the file', {
    quality: 0.78,
    maturity: 0.5,
    flags: { addressDiscrepancy: true },
  }),
  borrower('666-00-0016', 'initial fraud alert, with a telephone number', {
    quality: 0.78,
    maturity: 0.5,
    flags: { fraudAlert: 'initial', alertPhone: '202-555-0116' },
  }),
  borrower('666-00-0017', 'extended fraud alert, with a telephone number', {
    quality: 0.78,
    maturity: 0.5,
    flags: { fraudAlert: 'extended', alertPhone: '202-555-0117' },
  }),
  borrower('666-00-0018', 'active-duty alert, without a telephone number', {
    quality: 0.78,
    maturity: 0.5,
    flags: { fraudAlert: 'activeDuty' },
  }),
  borrower('666-00-0019', 'number matches the file in part', {
    quality: 0.78,
    maturity: 0.5,
    flags: { ssnMatch: 'partial' },
  }),
  borrower('666-00-0020', 'on the sanctions list of the simulated screening', { quality: 0.78, maturity: 0.5 }),
  borrower('666-00-0021', 'the simulated screening gives no answer', { quality: 0.78, maturity: 0.5 }),
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

/**
 * Files that are served with any score: `666-5g-0sss` is the file at index g with the score sss, 300 to 850. Everything but the score is the
 * same, so that a test can change it alone.
 */
export const SCORED_FILES: readonly { readonly kind: string; readonly profile: Profile }[] = [
  { kind: 'long and spotless', profile: { quality: 1, maturity: 0.75, collections: 0 } },
  { kind: 'prime', profile: { quality: 0.8, maturity: 0.5, collections: 0 } },
  { kind: 'average', profile: { quality: 0.6, maturity: 0.5, collections: 0 } },
  { kind: 'young, in good order', profile: { quality: 0.75, maturity: 0.1, collections: 0 } },
  { kind: 'near-prime', profile: { quality: 0.42, maturity: 0.4 } },
  { kind: 'subprime', profile: { quality: 0.24, maturity: 0.4 } },
  { kind: 'thin: two new accounts', profile: { quality: 0.55, maturity: 0, thin: { accounts: 2, months: 15 } } },
  { kind: 'overextended: pays on time, heavily indebted', profile: { quality: 0.66, maturity: 0.4, burden: 1.4 } },
  { kind: 'troubled: accounts past due now', profile: { quality: 0.14, maturity: 0.5, lateNow: 3 } },
  { kind: 'bankruptcy 30 months ago', profile: { quality: 0.35, maturity: 0.55, bankruptcy: 30 } },
];

/** Null: not a number of that range. */
export function scoredPerson(digits: string): Person | null {
  const [, file, points] = /^6665(\d)0(\d{3})$/.exec(digits) ?? [];
  const score = Number(points);
  if (file === undefined || score < 300 || score > 850) return null;
  const { profile } = SCORED_FILES[Number(file)] as (typeof SCORED_FILES)[number];
  return { is: 'scored', profile, seed: `6665${file}0`, score };
}

function borrower(ssn: string, kind: string, profile: Profile): TestPerson {
  return { ssn, kind, person: { is: 'borrower', profile } };
}

function failure(ssn: string, kind: string, what: BureauFailure): TestPerson {
  return { ssn, kind, person: { is: 'failure', failure: what } };
}
