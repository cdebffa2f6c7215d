/**
 * The performance of a loan beside what underwriting expected, by months from its beginning. Everything in it is in the public record,
 * or follows from it.
 */
import { addMonths, type PlainDate } from '../../core/calendar.ts';
import { recoveredNet } from '../../core/charged-off.ts';
import { daysPastDue } from '../../core/delinquency.ts';
import type { LoanEvent } from '../../core/event.ts';
import { foldOver } from '../../core/fold-days.ts';
import type { Loan } from '../../core/loan.ts';
import { type Cents, cents, parseCents, ZERO } from '../../core/money.ts';
import { formatDecimal } from '../../core/rate.ts';
import { isClosed } from '../../core/status.ts';

/** A month of a loan's performance, counted from its beginning, beside what underwriting expected of it. Null: not known. */
export type MarketMonth = {
  readonly month: number;
  readonly date: PlainDate;
  readonly expectedBalance: Cents | null;
  /** Principal, interest and recoveries of the month. */
  readonly expected: Cents | null;
  readonly balance: Cents | null;
  readonly received: Cents | null;
  readonly daysPastDue: number | null;
};

type ExpectedMonth = { readonly balance: Cents; readonly paid: Cents };

/** Months are shown to so many: the longest term. */
const MOST_MONTHS = 600;

/** `expected` begins with month 0; empty: nothing was expected. */
export function performanceOf(
  { loan, events }: { readonly loan: Loan; readonly events: readonly LoanEvent[] },
  expected: readonly ExpectedMonth[],
): MarketMonth[] {
  const begun = beginningOf(loan);
  if (begun === null) return [];
  const months = monthsBetween(begun, loan.on);
  const days = Array.from({ length: months + 1 }, (_, month) => addMonths(begun, month));
  const known = loan.openedOn ?? begun;
  const then = foldOver(events, days, (on) => ({
    received: receivedOf(on),
    // As in the forecast, what is charged off is not in the balance any more.
    balance: on.stage === 'Funded' && on.chargeOff === null ? on.principal : ZERO,
    late: isClosed(on) ? 0 : daysPastDue(on),
    isKnown: on.on >= known && on.stage === 'Funded',
  }));
  // A boarded loan was paid elsewhere before: what came in the month of its boarding is not known in full.
  const flows = (month: number): Cents | null => {
    const [now, before] = [then[month], then[month - 1]];
    if (now === undefined || !now.isKnown) return null;
    if (before === undefined) return now.received;
    return before.isKnown ? cents(now.received - before.received) : null;
  };
  const length = Math.min(MOST_MONTHS, Math.max(expected.length, days.length));
  return Array.from({ length }, (_, month) => {
    const now = then[month];
    const ahead = expected[month];
    return {
      month,
      date: addMonths(begun, month),
      expectedBalance: ahead?.balance ?? null,
      expected: ahead?.paid ?? null,
      balance: now?.isKnown ? now.balance : null,
      received: flows(month),
      daysPastDue: now?.isKnown ? now.late : null,
    };
  });
}

/** Money for principal and interest, and after a charge-off all of it: what a forecast is about. */
function receivedOf(loan: Loan): Cents {
  const { chargeOff } = loan;
  const { principalPaid, interestPaid } = chargeOff?.totals ?? loan.totals;
  return cents(principalPaid + interestPaid + (chargeOff === null ? 0 : recoveredNet(loan, chargeOff)));
}

function beginningOf({ fundedOn, openedOn, contract }: Loan): PlainDate | null {
  return openedOn === null ? fundedOn : (contract.contractDate ?? fundedOn);
}

/** Whole months that have ended by the day. */
function monthsBetween(from: PlainDate, to: PlainDate): number {
  let months = 0;
  while (months < MOST_MONTHS && addMonths(from, months + 1) <= to) months += 1;
  return months;
}

// ---- what was expected ----

type Underwriting = {
  readonly CashflowsCsv?: unknown;
  readonly DealTermsInfo?: unknown;
};

/**
 * The expected months of the deal that the loan was made with. A text of one deal, as underwriting writes it, is that deal's if it begins
 * with the loan's amount. A lender may hand over one with the rows of many deals, of which the one with the loan's terms is taken. Empty:
 * there is none.
 */
export function expectedOf({ CashflowsCsv: csv, DealTermsInfo: deals }: Underwriting, loan: Loan): ExpectedMonth[] {
  if (typeof csv !== 'string' || !Array.isArray(deals)) return [];
  const { rows, more } = blockOf(csv, 0);
  if (!more && (deals.length === 1 || rows[0]?.balance === loan.contract.amount)) return rows;
  const chosen = deals.findIndex((deal) => isDealOf(deal as Record<string, unknown>, loan));
  const only = deals.length === 1 ? 0 : -1;
  return chosen < 0 && only < 0 ? [] : blockOf(csv, Math.max(chosen, only)).rows;
}

function isDealOf(deal: Readonly<Record<string, unknown>> | null, { contract }: Loan): boolean {
  const text = (name: string) => String(deal?.[name] ?? '').replaceAll(',', '');
  return (
    parseCents(text('TermsLoanAmount')) === contract.amount &&
    Number(text('TermsTerm')) === contract.count &&
    Number(text('TermsAPR')) === Number(formatDecimal(contract.rate))
  );
}

/** The rows of the nth deal, and whether others follow: each deal begins again with the first month. */
function blockOf(csv: string, n: number): { rows: ExpectedMonth[]; more: boolean } {
  const headerEnd = csv.indexOf('\n');
  const header = csv.slice(0, headerEnd).split(',');
  const [month, balance, paid] = ['Month', 'EndingBalance', 'TotalPaid'].map((name) => header.indexOf(name)) as [
    number,
    number,
    number,
  ];
  if (headerEnd < 0 || month < 0 || balance < 0 || paid < 0) return { rows: [], more: false };
  const rows: ExpectedMonth[] = [];
  let block = -1;
  let last = Number.POSITIVE_INFINITY;
  for (let at = headerEnd + 1; at < csv.length; ) {
    const end = csv.indexOf('\n', at) < 0 ? csv.length : csv.indexOf('\n', at);
    const cells = csv.slice(at, end).split(',');
    const number = Number(cells[month] || Number.NaN);
    if (number <= last) block += 1;
    if (block > n) return { rows, more: true };
    last = number;
    const [owed, received] = [parseCents(cells[balance] ?? ''), parseCents(cells[paid] ?? '')];
    if (block === n && rows.length < MOST_MONTHS) {
      // A month without its figures, or out of order: the rest says nothing.
      if (number !== rows.length || owed === null || received === null) return { rows: [], more: true };
      rows.push({ balance: owed, paid: received });
    }
    at = end + 1;
  }
  return { rows, more: false };
}
