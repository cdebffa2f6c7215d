/** The books of an organization on a day: trial balance, tie-out. */

import { Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import { amountText } from '../../core/decimal.ts';
import { add, type Cents, cents } from '../../core/money.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import type { Asker } from '../../loans/door/actor.ts';
import { ledger } from '../ledger/ledger.ts';
import { amountTexts } from '../shared/figures.ts';
import { shape } from '../shared/named.ts';
import { grouped, numbersOf } from '../shared/numbers.ts';
import { type Call, closed, envelope, ok, operation } from '../shared/operation.ts';
import { tagged } from '../shared/read.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { account, DebitCreditTotals, date, day, JournalLine } from '../shared/shapes.ts';

export const Lender = Type.Optional(
  Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'Only this lender; default: all lenders.' }),
);

/** The result for a caller; a refusal is thrown as a problem. */
export function askerOf({ caller, gone }: Pick<Call, 'gone'> & { caller: Caller }): Asker {
  const { organizationId, clientId, userId, quota } = caller;
  return { organizationId, clientId, userId, countedFor: quota.countedFor, signal: gone() };
}

export function given<T extends object>(found: T | Refusal): T {
  if (isRefusal(found)) throw refusedProblem(found);
  return found;
}

/** Null: all lenders. A reference that could be a social security number is refused: no lender has one, and a URL must not contain one. */
export function lenderIn(read: RequestReader, query: { lenderId?: string }): string | null {
  return query.lenderId === undefined ? null : read.reference(query, 'lenderId', '');
}

export function signed(amount: Cents, plain: boolean): string {
  return amount < 0 ? `-${amountText(cents(-amount), plain)}` : amountText(amount, plain);
}

/** A balance or a change in an answer. */
export const signedMoney = (description: string) =>
  grouped('signed', `${description} Debits are positive, credits negative.`);

// ---- balances on a day ----

const AsOfQuery = closed({
  asOf: Type.Optional(day('The books at the end of this date, as known then; default: today.')),
  lenderId: Lender,
});

const TrialBalanceAnswer = envelope(
  shape('TrialBalance', 'The balance of every account at the end of a date.', {
    asOf: date('The date.'),
    accounts: Type.Array(JournalLine, { description: 'The accounts, each with its balance as a debit or a credit.' }),
    totals: DebitCreditTotals,
  }),
  {
    asOf: '2026-02-15',
    accounts: [
      { account: 'loanPrincipal', debit: '28,473.33', credit: '0' },
      { account: 'cash', debit: '0', credit: '28,473.33' },
    ],
    totals: { debit: '28,473.33', credit: '28,473.33' },
  },
);

export const readTrialBalance = operation({
  ...ledger,
  at: 'GET /ledger/trial-balance',
  id: 'readTrialBalance',
  cost: 5,
  summary: 'Get the trial balance',
  description:
    'The balances of all accounts for the organization’s own loans and books; debits equal credits. Late fees and accrued interest count on ' +
    'their own day, even if they are posted later: the balance of a past day never changes.',
  query: AsOfQuery,
  answer: TrialBalanceAnswer,
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { plain, headers: applied } = numbersOf(call);
    const found = given(await services.loans.books.trialBalance(askerOf(call), askedIn(query)));
    const sum = (column: 'debit' | 'credit') => add(...found.accounts.map((account) => account[column]));
    const data = {
      asOf: found.asOf,
      accounts: found.accounts.map(({ account, debit, credit }) => ({
        account,
        ...amountTexts({ debit, credit }, plain),
      })),
      totals: amountTexts({ debit: sum('debit'), credit: sum('credit') }, plain),
    };
    return tagged(call, ok(data), applied);
  },
});

function askedIn(query: { asOf?: string; lenderId?: string }) {
  const read = new RequestReader();
  const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
  const lenderId = lenderIn(read, query);
  read.done();
  return { asOf, lenderId };
}

const TieOutAnswer = envelope(
  shape('TieOut', 'The general ledger compared with the loans.', {
    asOf: date('The date.'),
    accounts: Type.Array(
      shape('TieOutAccount', 'One account compared with the loans.', {
        account,
        ledger: signedMoney('Balance in the general ledger.'),
        loans: signedMoney('Sum over the loans.'),
        difference: signedMoney('The ledger balance less the sum over the loans: always 0.'),
      }),
      { description: 'The accounts that are reconciled with the loans.' },
    ),
  }),
  {
    asOf: '2026-02-15',
    accounts: [{ account: 'loanPrincipal', ledger: '28,473.33', loans: '28,473.33', difference: '0' }],
  },
);

export const readTieOut = operation({
  ...ledger,
  at: 'GET /ledger/tie-out',
  id: 'readTieOut',
  cost: 20,
  summary: 'Reconcile the ledger with the loans',
  description:
    'For each account: the balance in the ledger and the sum over the loans, both at the end of a day as known then. ' +
    '`borrowerCredits` is the total owed to borrowers. Every difference is 0.',
  query: AsOfQuery,
  answer: TieOutAnswer,
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { plain, headers: applied } = numbersOf(call);
    const found = given(await services.loans.books.tieOut(askerOf(call), askedIn(query)));
    const accounts = found.accounts.map(({ account, ledger: held, loans, difference }) => ({
      account,
      ledger: signed(held, plain),
      loans: signed(loans, plain),
      difference: signed(difference, plain),
    }));
    return tagged(call, ok({ asOf: found.asOf, accounts }), applied);
  },
});
