/**
 * Each kind of fact that can be taken back, on a loan of its own beside a control on which it never happened: after the undo, a month later and at
 * every earlier month end as it is known now, the loan, its lender's books by account, positions and reports are those of the control; and what was
 * reported of the months before stays as it was.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { asReported, monthEnds, pictureOf, type Twin, twin } from '../support/twins.ts';

const FROM = '2026-01-20';
const HAPPENED = '2026-02-24';
const UNDONE = '2026-04-10';
const NOW = '2026-04-11';
const LATER = '2026-05-12';

type Step = { readonly path: string; readonly body: object; readonly undone?: boolean };
const step = (path: string, body: object, undone = true): Step => ({
  path,
  body: { reason: 'Told so', ...body },
  undone,
});

/** The steps of a kind; those that are undone are undone in the reverse order. Money is taken back by an operation of its own. */
const KINDS: Readonly<Record<string, readonly Step[]>> = {
  'a fee': [step('assess-fee', { feeId: 'F-2', name: 'Title', amount: '45', date: '2026-01-28', reason: undefined })],
  'a waiver of a late fee': [step('waive-fee', { feeId: 'late-1' })],
  'a waiver of a fee': [step('waive-fee', { feeId: 'F-1', amount: '11' })],
  'a rate change': [step('change-rate', { interestRate: '7', date: '2026-01-25' })],
  'military service': [
    step('change-rate', { interestRate: '6', why: 'scra', serviceFrom: '2025-12-05', serviceTo: null }),
  ],
  'an extension': [step('extend', { periods: 2, date: '2026-01-25', override: true })],
  'a change of due dates': [step('change-due-date', { to: '2026-03-05' })],
  'a re-age': [step('reage', { override: true })],
  'a re-amortization': [step('reamortize', { date: '2026-02-02' })],
  'a bankruptcy': [
    step('place-hold', {
      kind: 'bankruptcy',
      holdId: 'H-1',
      from: '2025-12-01',
      details: { chapter: 13, filed: '2025-12-01' },
    }),
  ],
  'a default': [step('default', { ground: 'fraud' })],
  'an acceleration': [step('default', { ground: 'title' }), step('accelerate', {})],
  'a charge-off': [step('charge-off', { collateral: '2500', date: '2026-02-20' })],
  'a write-down': [step('charge-off', { collateral: '4000' }), step('write-down', { amount: '1500' })],
  'a payoff quote': [step('payoff-quotes', { quoteId: 'Q-1', goodThrough: '2026-03-10', reason: undefined })],
  'a settlement': [step('settle', { quoteId: 'Q-2', amount: '9000', goodThrough: '2026-06-10' })],
};
const MONEY: Readonly<Record<string, { readonly done: Step; readonly back: Step }>> = {
  'a payment': {
    done: step('loan-repay', { refId: 'P-9', amount: '1900', paymentDate: '2026-01-25' }),
    back: step('reverse-repayment', { refId: 'P-9' }),
  },
  'a principal payment': {
    done: step('loan-repay', { refId: 'P-9', amount: '700', purpose: 'principal' }),
    back: step('return-repayment', { refId: 'P-9', code: 'R01' }),
  },
};

let service: TestApp;
let book: SandboxBook;
const twins = new Map<string, Twin>();
/** By kind: what was reported of the months that were over before anything was undone. */
const before = new Map<string, Awaited<ReturnType<typeof asReported>>>();
const pictures = new Map<string, Awaited<ReturnType<typeof pictureOf>>>();
const all = (name: string) => [...(twins.get(name) === undefined ? [] : [twins.get(name) as Twin])];

const FACTS = Object.entries(KINDS);
const PAYMENTS = Object.entries(MONEY);
const TIMES = ['now', 'later'];
const NAMES = ['the control', ...FACTS.map(([name]) => name), ...PAYMENTS.map(([name]) => name)];
beforeAll(async () => {
  service = await testApp();
  book = await sandboxBook(service, FROM);
  for (const [n, name] of NAMES.entries()) twins.set(name, await twin(book, `L-${n}`));
  const each = async (path: string, body: object) => {
    for (const { loanId } of twins.values()) await book.post(path, { loanId, ...body });
  };
  await book.on('2026-01-28');
  await each('loan-repay', { refId: 'P-1', amount: '1500' });
  await each('acknowledge-repayment', { refId: 'P-1' });
  await each('assess-fee', { feeId: 'F-1', name: 'Document fee', amount: '40' });

  await book.on(HAPPENED);
  const undo: { loanId: string; transactionHash: string }[] = [];
  for (const [name, steps] of FACTS) {
    const { loanId } = twins.get(name) as Twin;
    for (const { path, body } of steps) {
      const { transactionHash } = await book.post(path, { loanId, ...body });
      undo.unshift({ loanId, transactionHash });
    }
  }
  for (const [name, { done }] of PAYMENTS) {
    await book.post(done.path, { loanId: twins.get(name)?.loanId, ...done.body });
  }

  await book.on(UNDONE);
  for (const [name, one] of twins) before.set(name, await asReported(book, one, monthEnds(FROM, UNDONE)));
  for (const one of undo) await book.post('undo', { ...one, chargeRetroactive: true, reason: 'Another loan' });
  for (const [name, { back }] of PAYMENTS) {
    await book.post(back.path, { loanId: twins.get(name)?.loanId, ...back.body });
  }
  await book.on(NOW);
  for (const [name, one] of twins) pictures.set(`${name} now`, await pictureOf(book, one, { from: FROM, today: NOW }));
  await book.on('2026-04-20');
  await each('loan-repay', { refId: 'P-2', amount: '2600' });
  await book.on(LATER);
  for (const [name, one] of twins)
    pictures.set(`${name} later`, await pictureOf(book, one, { from: FROM, today: LATER }));
}, 600_000);
afterAll(() => service.close(), 120_000);

describe.each(NAMES.slice(1))('%s that was taken back', (name) => {
  test.each(TIMES)('is as if it had never been: %s, and restated', (when) => {
    expect(pictures.get(`${name} ${when}`)).toEqual(pictures.get(`the control ${when}`));
  });

  test('was known, and what was reported of it stays', async () => {
    const [one] = all(name) as [Twin];
    const was = before.get(name);
    expect(await asReported(book, one, monthEnds(FROM, UNDONE))).toEqual(was);
  });
});

test('each kind had changed something that was reported', () => {
  const shown = (name: string) =>
    JSON.stringify(before.get(name), (_, value) => (typeof value === 'bigint' ? String(value) : value)).replaceAll(
      /"(loanId|slice|lenderId|transactionHash)":"[^"]*"/g,
      '',
    );
  const same = NAMES.slice(1).filter((name) => shown(name) === shown('the control'));
  expect(same).toEqual([]);
});
