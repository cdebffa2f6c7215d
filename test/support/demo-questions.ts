/** Questions that a controller asks of the books of the demonstration, through the API alone: of every loan, every month end and every lender. */
import { expect } from 'vitest';
import { inCents, monthEnd, plusDays } from './auditor/days.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
type Json = any;
type Row = Record<string, string>;
type Questions = { get(path: string): Promise<Json>; csv(path: string): Promise<string> };

const cents = (text: string | undefined) => inCents((text ?? '').replaceAll(',', '') || '0');
const sum = (rows: readonly Row[], name: string) => rows.reduce((all, row) => all + cents(row[name]), 0n);
const amountOf = (line: Row) => cents(line.debit) - cents(line.credit);
const DUES = ['loanPrincipal', 'accruedInterest', 'interestReceivable', 'feeReceivable', 'borrowerCredits'];

/** Returns how much there was to ask about, so that an empty demonstration is noticed. */
export async function askTheBooks({ get, csv }: Questions): Promise<Record<string, number>> {
  const rowsOf = async (path: string): Promise<Row[]> => {
    const [head = '', ...rows] = (await csv(path)).trim().split(/\r?\n/);
    const names = cells(head);
    return rows.map((row) => Object.fromEntries(cells(row).map((cell, i) => [names[i], cell])));
  };
  const counts: Record<string, number> = {};
  const count = (what: string, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by;
  };
  const { today } = await get('clock');
  const loans = await rowsOf('exports/loans');
  const journal = await rowsOf('exports/journal');
  const ofLoan = Map.groupBy(journal, ({ loanId }) => loanId ?? '');
  count('loans', loans.length);

  // A debt after the last due date is past due, whatever it is.
  for (const loan of loans) {
    const owed = cents(loan.principal) + cents(loan.interest) + cents(loan.fees);
    if (
      !['Current', 'Delinquent', 'Defaulted'].includes(loan.loanStatus ?? '') ||
      (loan.maturityDate ?? '') >= today ||
      owed === 0n
    )
      continue;
    count('matured');
    expect([loan.loanId, Number(loan.daysPastDue) > 0]).toEqual([loan.loanId, true]);
  }

  // Positions, reports and the trial balance of each month end, and the loans one by one.
  const positions = await rowsOf('exports/positions');
  const ends = [...new Set(positions.map(({ date = '' }) => date))].sort();
  for (const end of ends) {
    const reported = { ...(await get(`portfolio/summary?asOf=${end}`)).totals } as Row;
    const own = positions.filter(({ date }) => date === end);
    expect([end, cents(reported.credits), cents(reported.kept)]).toEqual([end, sum(own, 'credit'), sum(own, 'kept')]);
    count('month ends');
  }
  const now = ends.at(-1) as string;
  for (const asOf of [...ends.slice(-3), plusDays(today, -1), today]) {
    const { accounts } = await get(`ledger/trial-balance?asOf=${asOf}`);
    const held = new Map<string, bigint>(accounts.map((line: Row) => [line.account, amountOf(line)]));
    expect([asOf, [...held.values()].reduce((all, one) => all + one, 0n)]).toEqual([asOf, 0n]);
    expect([asOf, (held.get('dueFrom') ?? 0n) + (held.get('dueTo') ?? 0n)]).toEqual([asOf, 0n]);
    const items = await pages(get, `ledger/loans?asOf=${asOf}&limit=100`);
    const lines = items.flatMap(({ accounts: own }: Json) => own as Row[]);
    for (const account of DUES) {
      const all = lines
        .filter((line) => line.account === account)
        .reduce((total, line) => total + cents(line.balance), 0n);
      expect([asOf, account, all]).toEqual([asOf, account, held.get(account) ?? 0n]);
    }
    const { accounts: ties } = await get(`ledger/tie-out?asOf=${asOf}`);
    expect(ties.filter(({ difference }: Row) => difference !== '0')).toEqual([]);
  }

  // Each month opens as the one before closed.
  const flows: Row[] = (await get(`portfolio/cashflows?asOf=${now}`)).totals;
  for (const [i, row] of flows.entries()) {
    const of = (...names: string[]) => names.reduce((all, name) => all + cents(row[name]), 0n);
    if (i > 0) expect([row.month, row.openingPrincipal]).toEqual([row.month, flows[i - 1]?.closingPrincipal]);
    const closing =
      of('openingPrincipal', 'priorPeriod', 'disbursed') -
      of('scheduledPrincipal', 'unscheduledPrincipal', 'chargedOff', 'forgiven');
    expect([row.month, closing]).toEqual([row.month, cents(row.closingPrincipal)]);
    const parts = of(
      'scheduledPrincipal',
      'unscheduledPrincipal',
      'interest',
      'fees',
      'recoveries',
      'receivedLate',
      'returned',
    );
    expect([row.month, cents(row.received)]).toEqual([row.month, parts]);
    count('months of cash');
  }

  // Interest of a loan in non-accrual is on no account; the list, the export and the summary name the same loans.
  const balances = new Map<string, Row[]>(
    (await pages(get, `ledger/loans?asOf=${today}&limit=100`)).map(({ loanId, accounts }: Json) => [loanId, accounts]),
  );
  const listed = new Map<string, string>(
    (await pages(get, 'loans?nonAccrual=true&limit=100')).map((one: Row) => [
      one.loanId ?? '',
      one.nonAccrualSince ?? '',
    ]),
  );
  for (const { loanId = '', nonAccrualSince, loanStatus } of loans) {
    expect([loanId, listed.get(loanId) ?? '']).toEqual([loanId, nonAccrualSince]);
    if (nonAccrualSince === '') continue;
    const held = balances.get(loanId) ?? [];
    const interest = held.filter(({ account }) => account === 'accruedInterest' || account === 'interestReceivable');
    expect([loanId, loanStatus, sum(interest, 'balance')]).toEqual([loanId, loanStatus, 0n]);
    const out = (ofLoan.get(loanId) ?? []).filter(({ entry }) => entry === 'nonAccrual');
    expect([loanId, out.length > 0]).toEqual([loanId, true]);
    count('in non-accrual');
  }

  for (const loan of loans) {
    const { loanId = '' } = loan;
    const lines = ofLoan.get(loanId) ?? [];
    expect([loanId, lines.reduce((all, line) => all + amountOf(line), 0n)]).toEqual([loanId, 0n]);
    // Cash that left is what was lent and paid beside it, less what was kept.
    const funding = lines.filter(({ entry }) => entry === 'disbursement');
    if (funding.length > 0) {
      const on = (account: string) =>
        funding.filter((line) => line.account === account).reduce((all, line) => all + amountOf(line), 0n);
      expect([loanId, on('loanPrincipal') + on('deferredCosts') + on('deferredFees') + on('cash')]).toEqual([
        loanId,
        0n,
      ]);
      expect([loanId, on('cash') < 0n]).toEqual([loanId, true]);
      count('fundings');
    }
    // A boarded loan came onto the books against `opening`, and nothing was paid out for it.
    if (lines.some(({ account }) => account === 'opening')) {
      expect([loanId, funding]).toEqual([loanId, []]);
      count('boarded');
    }
    if (lines.length === 0) continue;
    const { rows } = await get(`loans/${loanId}/history`);
    // Every late fee has its lines beside it: the receivable is the fee.
    for (const { kind, reference, amount, journal: beside } of rows as (Row & { journal: Row[] })[]) {
      if (kind !== 'fee' || !/^late-/.test(reference ?? '')) continue;
      const receivable = beside.filter(({ entry, account }) => entry === 'assessment' && account === 'feeReceivable');
      expect([loanId, reference, receivable.reduce((all, line) => all + amountOf(line), 0n)]).toEqual([
        ...[loanId, reference],
        cents(amount),
      ]);
      count('late fees');
    }
    // No late fee while a hold forbade it.
    const { items: holds } = await get(`loans/${loanId}/holds`);
    for (const hold of holds as (Row & { effects: Row[] })[]) {
      if (!hold.effects.some(({ area, effect }) => area === 'lateFees' && effect === 'forbidden')) continue;
      const over =
        [hold.to === null ? null : plusDays(hold.to ?? '', 1), hold.releasedOn].filter((day) => day).sort()[0] ??
        '9999-12-31';
      const charged = rows.filter(
        ({ kind, reference, date }: Row) =>
          kind === 'fee' && /^late-/.test(reference ?? '') && (date ?? '') >= (hold.from ?? '') && (date ?? '') < over,
      );
      expect([loanId, hold.kind, charged]).toEqual([loanId, hold.kind, []]);
      count('holds without late fees');
    }
  }
  expect(monthEnd(now)).toBe(now);
  return counts;
}

/** A cell in quotation marks may have commas and quotation marks, but no demonstration has a line break in one. */
function cells(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
}

async function pages(get: Questions['get'], path: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Json = await get(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}
