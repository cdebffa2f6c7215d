/**
 * Facts that are recorded two months late, each on a loan of its own beside one on which the same was recorded on time: the restated books of every
 * month, positions, reports and the loan itself are the same; months that were closed before do not move.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { asReported, monthEnds, pictureOf, type Twin, twin } from '../support/twins.ts';

const FROM = '2026-01-20';
const ON_TIME = '2026-02-12';
const LATE = '2026-04-10';
const NOW = '2026-04-11';
const LATER = '2026-05-12';

type Fact = {
  readonly path: string;
  readonly body: object;
  /** On both loans, on time. */
  readonly first?: { readonly path: string; readonly body: object };
  readonly terms?: object;
};
const reason = 'Told so';
/** A return that makes an installment late brings its fee on the day on which it is recorded: these have none. */
const NO_LATE_FEE = { lateFee: null };

const FACTS: Readonly<Record<string, Fact>> = {
  'a payment': { path: 'loan-repay', body: { refId: 'P-9', amount: '1900', paymentDate: ON_TIME, reason } },
  'a principal payment': {
    path: 'loan-repay',
    body: { refId: 'P-9', amount: '700', purpose: 'principal', paymentDate: ON_TIME, reason },
  },
  'a fee': { path: 'assess-fee', body: { feeId: 'F-2', name: 'Title', amount: '45', date: ON_TIME } },
  'a rate change': { path: 'change-rate', body: { interestRate: '7', date: ON_TIME, reason } },
  'military service': {
    path: 'change-rate',
    body: { interestRate: '6', why: 'scra', serviceFrom: '2025-12-05', serviceTo: null, reason },
  },
  'an extension': { path: 'extend', body: { periods: 2, date: ON_TIME, override: true, reason } },
  'a re-age': { path: 'reage', body: { date: ON_TIME, override: true, reason } },
  'a re-amortization': { path: 'reamortize', body: { date: ON_TIME, reason } },
  'a charge-off': { path: 'charge-off', body: { collateral: '2500', date: ON_TIME, reason } },
  'a recovery': {
    first: { path: 'charge-off', body: { collateral: '2500', date: '2026-02-10', reason } },
    ...{ path: 'record-recovery', body: { refId: 'C-1', amount: '3300', date: ON_TIME } },
  },
  'a return': {
    first: { path: 'loan-repay', body: { refId: 'P-8', amount: '1200', paymentDate: '2026-02-05' } },
    ...{ path: 'return-repayment', body: { refId: 'P-8', code: 'R01', date: ON_TIME } },
    terms: NO_LATE_FEE,
  },
  'a bankruptcy': {
    path: 'place-hold',
    body: { kind: 'bankruptcy', holdId: 'H-1', from: ON_TIME, details: { chapter: 13, filed: ON_TIME }, reason },
  },
};
const NAMES = Object.keys(FACTS);
const TIMES = ['now', 'later'];

let service: TestApp;
let book: SandboxBook;
const twins = new Map<string, Twin>();
const reported = new Map<string, Awaited<ReturnType<typeof asReported>>>();
const pictures = new Map<string, Awaited<ReturnType<typeof pictureOf>>>();
let periods: unknown;

beforeAll(async () => {
  service = await testApp();
  book = await sandboxBook(service, FROM);
  const record = async (names: readonly string[], when: 'on time' | 'late') => {
    for (const name of names) {
      const { path, body } = FACTS[name] as Fact;
      await book.post(path, { loanId: twins.get(`${name} ${when}`)?.loanId, ...body });
    }
  };
  for (const [n, name] of NAMES.entries()) {
    const { terms } = FACTS[name] as Fact;
    twins.set(`${name} on time`, await twin(book, `T-${n}`, terms));
    twins.set(`${name} late`, await twin(book, `L-${n}`, terms));
  }
  await book.on('2026-01-28');
  for (const { loanId } of twins.values()) {
    await book.post('loan-repay', { loanId, refId: 'P-1', amount: '1500' });
    await book.post('acknowledge-repayment', { loanId, refId: 'P-1' });
  }
  await book.on(ON_TIME);
  for (const name of NAMES) {
    const { first } = FACTS[name] as Fact;
    for (const when of ['on time', 'late']) {
      if (first !== undefined)
        await book.post(first.path, { loanId: twins.get(`${name} ${when}`)?.loanId, ...first.body });
    }
  }
  await record(NAMES, 'on time');

  await book.on(LATE);
  await book.post('ledger/close', { through: '2026-03' });
  periods = await book.get('ledger/periods');
  for (const name of NAMES) {
    const one = twins.get(`${name} late`) as Twin;
    reported.set(name, await asReported(book, one, monthEnds(FROM, LATE)));
  }
  await record(NAMES, 'late');
  await book.on(NOW);
  for (const [name, one] of twins) pictures.set(`${name} now`, await pictureOf(book, one, { from: FROM, today: NOW }));
  await book.on(LATER);
  for (const [name, one] of twins)
    pictures.set(`${name} later`, await pictureOf(book, one, { from: FROM, today: LATER }));
}, 600_000);
afterAll(() => service.close(), 120_000);

describe.each(NAMES)('%s recorded late', (name) => {
  test.each(TIMES)('is as if it had been recorded on time: %s, and restated', (when) => {
    expect(pictures.get(`${name} late ${when}`)).toEqual(pictures.get(`${name} on time ${when}`));
  });

  test('moves nothing that was reported of a closed month', async () => {
    const one = twins.get(`${name} late`) as Twin;
    expect(await asReported(book, one, monthEnds(FROM, LATE))).toEqual(reported.get(name));
  });
});

test('the closed months are what they were when they were closed', async () => {
  expect(await book.get('ledger/periods')).toEqual(periods);
});
