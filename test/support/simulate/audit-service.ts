/** Compares the service's answers with the auditor's own computation: each loan, and the books of each lender and of all. */
import type { LoanEvent } from '../../../src/core/event.ts';
import type { Answered } from '../app.ts';
import type { Audit } from '../auditor/auditor.ts';
import { inCents, plusDays } from '../auditor/days.ts';
import { addBalances, type Balances } from '../auditor/plain-books.ts';
import type { Random } from '../fuzz/random.ts';
import { type SimulatedLoan, Surprise } from './loan-life.ts';

type Ask = (path: string) => Promise<Answered>;

/** Answers about days that are over, by request. */
export type PastAnswers = Map<string, string>;

/** Checks the amounts that each loan owes, and that its history has every confirmed movement of money once, with its allocation. */
export async function auditLoans(loans: readonly SimulatedLoan[], today: string, ask: Ask): Promise<void> {
  for (const loan of loans) {
    const { loanId, n, facts } = loan;
    const now = loan.now();
    const { data: owes } = (await found(ask, `/loans/${loanId}/payoff`)).body;
    same(`loan ${n} owes on ${today}`, figuresOf(owes), {
      ...{ principal: now.principal, interest: now.interest, fees: now.fees, credits: now.credit },
      ...{ payoff: now.payoff, perDiem: now.perDiem },
    });
    const { data: history } = (await found(ask, `/loans/${loanId}/history`)).body;
    same(`loan ${n} ended on ${today}`, { closedBy: history.closedBy }, { closedBy: now.closedBy });
    const rows = history.rows
      .filter(({ kind }: { kind: string }) => MONEY.includes(kind))
      .map(({ kind, reference, amount, allocation }: HistoryRow) =>
        rowText(kind, reference, inCents(amount), allocation),
      );
    const expected = facts.flatMap((fact) => (moves(fact) ? [expectedRow(fact, facts, now)] : []));
    same(`loan ${n} has money on ${today}`, countOf(rows), countOf(expected));
  }
}

type HistoryRow = { kind: string; reference: string; amount: string; allocation: Record<string, string> };
type Money = Extract<
  LoanEvent,
  { type: 'paymentSubmitted' | 'paymentReturned' | 'paymentReversed' | 'creditRefunded' }
>;
const ROWS = {
  paymentSubmitted: 'payment',
  paymentReturned: 'returned',
  paymentReversed: 'reversed',
  creditRefunded: 'refunded',
} as const;
const MONEY: readonly string[] = Object.values(ROWS);

function moves(fact: LoanEvent): fact is Money {
  return fact.type in ROWS;
}

function expectedRow(fact: Money, facts: readonly LoanEvent[], { payments }: Audit): string {
  const kind = ROWS[fact.type];
  const paid = facts.find((one) => one.type === 'paymentSubmitted' && one.refId === fact.refId);
  const amount = 'amount' in fact ? fact.amount : paid?.type === 'paymentSubmitted' ? paid.amount : 0;
  const {
    fees = 0,
    interest = 0,
    principal = 0,
    credit = 0,
  } = (kind === 'payment' ? payments[fact.refId] : undefined) ?? {};
  const texts = [fees, interest, principal, credit].map((cents) => (cents / 100).toFixed(2));
  const [f = '', i = '', p = '', c = ''] = texts;
  return rowText(kind, fact.refId, BigInt(amount), { fees: f, interest: i, principal: p, credit: c });
}

function rowText(kind: string, reference: string, amount: bigint, allocation: Record<string, string>): string {
  const parts = ['fees', 'interest', 'principal', 'credit'].map((name) => inCents(allocation[name] ?? '0'));
  return `${kind} ${reference} ${amount} = ${parts.join(' + ')}`;
}

function countOf(rows: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[row] = (counts[row] ?? 0) + 1;
  return counts;
}

function figuresOf(data: Record<string, string>): Record<string, number> {
  const names = ['principal', 'interest', 'fees', 'credits', 'payoff', 'perDiem'];
  return Object.fromEntries(names.map((name) => [name, Number(inCents(data[name] ?? '0'))]));
}

/** Trial balance, tie-out and entries of a day: of all lenders together, and of one of them. */
export async function auditBooks(
  loans: readonly SimulatedLoan[],
  day: string,
  { today, ask, seen, random }: { today: string; ask: Ask; seen: PastAnswers; random: Random },
): Promise<void> {
  const lenders = [...new Set(loans.map(({ lenderId }) => lenderId))].sort();
  for (const lender of lenders.length > 1 ? [null, random.pick(lenders)] : [null]) {
    const of = lender === null ? '' : `&lenderId=${lender}`;
    const expected = booksOf(loans, day, lender);
    const path = `/ledger/trial-balance?asOf=${day}${of}`;
    const answer = await found(ask, path);
    const balances: Record<string, string> = {};
    for (const { account, debit, credit } of answer.body.data.accounts) {
      const amount = inCents(debit) - inCents(credit);
      if (amount !== 0n) balances[account] = String(amount);
    }
    same(`trial balance of ${lender ?? 'all'} on ${day}`, balances, shown(expected));
    const cash = (expected.get('cash') ?? 0n) + (expected.get('cashClearing') ?? 0n);
    same(
      `money of ${lender ?? 'all'} on ${day}`,
      { cash: String(cash) },
      { cash: String(moneyOf(loans, day, lender)) },
    );
    if (day < today) {
      const before = seen.get(path);
      if (before !== undefined && before !== answer.text)
        throw new Surprise(`${path} was ${before}, is ${answer.text}`);
      seen.set(path, answer.text);
    }
    await auditTies(expected, `/ledger/tie-out?asOf=${day}${of}`, ask);
  }
  if (day >= today) return;
  const { items } = (await found(ask, `/ledger/entries?date=${day}&limit=100`)).body.data;
  for (const lender of lenders) {
    const accrued = booksOf(loans, day, lender).get('accruedInterest') ?? 0n;
    const before = booksOf(loans, plusDays(day, -1), lender).get('accruedInterest') ?? 0n;
    const own = items.filter(({ lenderId }: { lenderId: string }) => lenderId === lender);
    // A lender without loans by then has no book yet.
    if (own.length === 0 && accrued === 0n && before === 0n) continue;
    const [entry] = own;
    const [line] = entry?.lines ?? [];
    const amount = line === undefined ? 0n : inCents(line.debit) - inCents(line.credit);
    same(
      `entries of ${lender} on ${day}`,
      { entries: own.length, accrued: String(inCents(entry?.accrued ?? '0')), amount: String(amount) },
      { entries: 1, accrued: String(accrued), amount: String(accrued - before) },
    );
  }
}

async function auditTies(expected: Balances, path: string, ask: Ask): Promise<void> {
  const { accounts } = (await found(ask, path)).body.data;
  for (const { account, ledger, loans, difference } of accounts) {
    const sign = account === 'borrowerCredits' ? -1n : 1n;
    const amount = String(sign * (expected.get(account) ?? 0n));
    same(
      `${path} ${account}`,
      { ledger: String(inCents(ledger)), loans: String(inCents(loans)), difference },
      { ledger: amount, loans: amount, difference: '0' },
    );
  }
}

function booksOf(loans: readonly SimulatedLoan[], day: string, lender: string | null): Balances {
  const sum: Balances = new Map();
  for (const loan of loans) {
    if (lender !== null && loan.lenderId !== lender) continue;
    const books = loan.books(day);
    if (books !== null) addBalances(sum, books.balances);
  }
  return sum;
}

/** Counted from the facts alone: payments that were not returned or reversed, less what was lent and refunded. */
function moneyOf(loans: readonly SimulatedLoan[], day: string, lender: string | null): bigint {
  let cents = 0;
  for (const { facts, lenderId, agreed } of loans) {
    if (lender !== null && lenderId !== lender) continue;
    const known = facts.filter(({ recordedOn }) => recordedOn <= day);
    const undone = new Set(
      known.flatMap((fact) => (fact.type === 'paymentReturned' || fact.type === 'paymentReversed' ? [fact.refId] : [])),
    );
    for (const fact of known) {
      if (fact.type === 'paymentSubmitted' && !undone.has(fact.refId)) cents += fact.amount;
      if (fact.type === 'creditRefunded') cents -= fact.amount;
      if (fact.type === 'funded' && agreed.opening === null) cents -= fact.terms.disbursements[0]?.amount ?? 0;
    }
  }
  return BigInt(cents);
}

function shown(balances: Balances): Record<string, string> {
  return Object.fromEntries([...balances].filter(([, amount]) => amount !== 0n).map(([name, n]) => [name, String(n)]));
}

async function found(ask: Ask, path: string): Promise<Answered> {
  const answer = await ask(path);
  if (answer.status !== 200) throw new Surprise(`GET ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

function same(what: string, service: Record<string, unknown>, auditor: Record<string, unknown>): void {
  const names = [...new Set([...Object.keys(service), ...Object.keys(auditor)])];
  const wrong = names.filter((name) => service[name] !== auditor[name]);
  if (wrong.length === 0) return;
  const each = wrong.map(
    (name) => `${name} is ${service[name] ?? 'absent'}, the auditor has ${auditor[name] ?? 'none'}`,
  );
  throw new Surprise(`${what}: ${each.join('; ')}`);
}
