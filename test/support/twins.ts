/**
 * Loans that are the same, each of a lender of its own in one sandbox, and everything that can be seen of one of them and of its lender's books:
 * so that a loan to which something happened in another way can be compared with one to which it did not.
 */
import { inCents, monthEnd, plusDays } from './auditor/days.ts';
import type { SandboxBook } from './sandbox-book.ts';
import { creation } from './statuses.ts';

export type Twin = { readonly lenderId: string; readonly loanId: string };

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
type Json = any;
type Row = Record<string, string>;

/** 12,000.00 at 12 % in twelve months since 20 October, 30.00 for an installment that is late, nothing paid yet; recorded today. */
export async function twin(book: SandboxBook, lenderId: string, terms: object = {}): Promise<Twin> {
  const loanId = await book.loan({
    ...{ lenderId, interestRate: '12', originationDate: '2025-10-20', firstPaymentDate: '2025-11-20', lateFee: '30' },
    ...{ interestRateType: 'Variable', borrowerId: 'BRW-1', applicationId: creation().applicationId },
    ...terms,
  });
  return { lenderId, loanId };
}

export const cents = (text: string | undefined) => inCents((text ?? '').replaceAll(',', '') || '0');

export async function csvRows(book: SandboxBook, path: string): Promise<Row[]> {
  const [head = '', ...rows] = (await book.text(path)).trim().split(/\r?\n/);
  const names = head.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [names[i], cell])));
}

/** By account, in cents. An acknowledgement moves money on its own day, so cash is right in sum. */
function byAccount(lines: readonly { account: string; amount: bigint }[]): Record<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { account, amount } of lines) {
    const name = account === 'cashClearing' ? 'cash' : account;
    sums.set(name, (sums.get(name) ?? 0n) + amount);
  }
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function balancesOn(book: SandboxBook, lenderId: string, asOf: string): Promise<Record<string, bigint>> {
  const { accounts } = await book.get(`ledger/trial-balance?asOf=${asOf}&lenderId=${lenderId}`);
  return byAccount(
    accounts.map((one: Row) => ({ account: one.account ?? '', amount: cents(one.debit) - cents(one.credit) })),
  );
}

/** The ends of the months from one day on that are over on another. */
export function monthEnds(from: string, today: string): string[] {
  const ends: string[] = [];
  for (let end = monthEnd(from); end < today; end = monthEnd(plusDays(end, 1))) ends.push(end);
  return ends;
}

/**
 * Names and numbers by which two loans that are the same differ, and what tells when something was recorded: the number of transactions, money that
 * came or went back in a later month than its own.
 */
const OWN =
  /^(loanId|applicationId|lenderId|initialLender|returned|receivedLate|transactionHash|version|cursor|knownOn|slice|startBlock|createdAt|sequence)$|[hH]ash/;

function withoutOwn(value: Json): Json {
  // A payment that came back is still listed, and pays nothing.
  const stayed = (one: Json) => !['Returned', 'Reversed'].includes(one?.status);
  if (Array.isArray(value)) return value.filter(stayed).map(withoutOwn);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (OWN.test(name) ? [] : [[name, withoutOwn(one)]])),
  );
}

/** Everything about a loan and its lender's books as they are known now; `from` is the day on which the first loan was recorded. */
export async function pictureOf(
  book: SandboxBook,
  { lenderId, loanId }: Twin,
  { from, today }: { from: string; today: string },
) {
  const ends = monthEnds(from, today);
  const last = ends.at(-1) as string;
  const journal = (await csvRows(book, `exports/journal?lenderId=${lenderId}`)).map((one) => ({
    account: one.account ?? '',
    amount: cents(one.debit) - cents(one.credit),
    dateEffective: one.dateEffective ?? '',
  }));
  const positions = (await csvRows(book, `exports/positions?lenderId=${lenderId}`)).filter(
    (one) => one.loanId === loanId,
  );
  const seen = async (path: string) => withoutOwn(await book.get(`loans/${loanId}/${path}`));
  const slice = async (path: string) =>
    withoutOwn((await book.get(`portfolio/${path}&by=lender`)).slices.filter((one: Row) => one.slice === lenderId));
  const asOf = [];
  for (const end of ends) {
    const { allowed: _allowed, notAllowed: _notAllowed, ...summary } = await seen(`summary?asOf=${end}`);
    asOf.push({ end, summary, schedule: await seen(`schedule?asOf=${end}`) });
    asOf.push({ end, report: await slice(`summary?asOf=${end}`), days: await slice(`delinquency?asOf=${end}`) });
  }
  const restated = ends.map((end) => ({
    end,
    ...byAccount(journal.filter(({ dateEffective }) => dateEffective <= end)),
  }));
  const { items } = await book.get(`ledger/loans?asOf=${plusDays(today, -1)}&lenderId=${lenderId}`);
  return {
    books: await balancesOn(book, lenderId, plusDays(today, -1)),
    loans: byAccount(
      items
        .flatMap(({ accounts }: Json) => accounts)
        .map((one: Row) => ({ account: one.account ?? '', amount: cents(one.balance) })),
    ),
    summary: await seen('summary'),
    schedule: await seen('schedule'),
    payoff: await seen('payoff'),
    restated,
    asOf,
    positions: positions.map(withoutOwn).sort((a, b) => (a.date < b.date ? -1 : 1)),
    cashflows: await slice(`cashflows?asOf=${last}`),
  };
}

/** A lender's months as they were known at their own ends: nothing that is recorded later changes them. */
export async function asReported(book: SandboxBook, { lenderId, loanId }: Twin, ends: readonly string[]) {
  const all = [];
  for (const end of ends) {
    const { lenders } = await book.get(`ledger/roll-forward?period=${end.slice(0, 7)}&lenderId=${lenderId}`);
    const {
      allowed: _allowed,
      notAllowed: _notAllowed,
      ...summary
    } = await book.get(`loans/${loanId}/summary?asOf=${end}&knownAt=${end}T23:59:59.999Z`);
    const { slices } = await book.get(`portfolio/summary?asOf=${end}&knownAt=asReported&by=lender`);
    const { slices: flows } = await book.get(`portfolio/cashflows?asOf=${end}&knownAt=asReported&by=lender`);
    const own = (rows: Row[]) => rows.filter(({ slice }) => slice === lenderId);
    const positions = await csvRows(
      book,
      `exports/positions?asOf=${end}&knownAt=${end}T23:59:59.999Z&lenderId=${lenderId}`,
    );
    all.push({
      ...{
        end,
        balances: await balancesOn(book, lenderId, end),
        lenders,
        summary,
        report: own(slices),
        flows: own(flows),
      },
      positions: positions.map(({ cursor: _cursor, ...row }) => row),
    });
  }
  return all;
}
