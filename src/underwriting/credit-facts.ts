/** Bureau reports as figures: for each person, and for the people on an application together. */
import { daysBetween, type PlainDate } from '../core/calendar.ts';
import { type Cents, cents, mulDiv } from '../core/money.ts';
import type { BureauReport, FileFlags, TradeLine } from './report.ts';

export type CreditFacts = {
  readonly hit: boolean;
  readonly score: number | null;
  readonly scoreFactors: readonly string[];
  /** Null: not known. */
  readonly accounts: number | null;
  readonly open: number;
  /** Open accounts that are past due now, and their total past-due amount. */
  readonly pastDueLines: number;
  readonly pastDueAmount: Cents;
  /** Accounts that were ever 90 days past due. */
  readonly seriousLateLines: number;
  readonly revolvingBalance: Cents;
  readonly revolvingLimit: Cents;
  /** The balance of open revolving accounts over the most ever owed; null when there is none. */
  readonly utilisation: number | null;
  /** Monthly payments of open accounts, and the part of them for mortgages. */
  readonly payments: Cents;
  readonly mortgagePayments: Cents;
  readonly inquiries: number | null;
  readonly reportDate: PlainDate;
  readonly inFileSince: PlainDate | null;
  readonly monthsInFile: number | null;
  /** The report does not say since when the person is in file, which is not the same as a file without a beginning. */
  readonly monthsUnknown: boolean;
};

/** The file of one person. Flags are never merged: each is about one person and their file. */
export type PersonFacts = CreditFacts & { readonly flags: FileFlags };

export function readCredit(report: BureauReport, today: PlainDate): PersonFacts {
  return { ...readLines(report.tradeLines, hasLines(report)), ...fileOf(report, today), flags: report.flags };
}

function hasLines({ unknown = [] }: BureauReport): boolean {
  return !unknown.includes('tradeLines');
}

function fileOf(report: BureauReport, today: PlainDate) {
  const { hit, score, scoreFactors, inquiries, reportDate, inFileSince, unknown = [] } = report;
  const since = inFileSince !== null && inFileSince <= today ? inFileSince : null;
  return {
    hit,
    score: score !== null && Number.isFinite(score) && score > 0 ? score : null,
    scoreFactors: scoreFactors.slice(0, 5),
    inquiries: inquiries !== null && Number.isFinite(inquiries) && inquiries >= 0 ? inquiries : null,
    reportDate,
    inFileSince: since,
    // The average calendar month has 30.4375 days.
    monthsInFile: since === null ? null : Math.floor(daysBetween(since, today) / 30.4375),
    monthsUnknown: unknown.includes('inFileSince'),
  };
}

function readLines(lines: readonly TradeLine[], known: boolean) {
  let [open, pastDueLines, seriousLateLines] = [0, 0, 0];
  let [pastDueAmount, revolvingBalance, revolvingLimit, payments, mortgagePayments] = [0, 0, 0, 0, 0];
  for (const line of lines) {
    if (line.late90 > 0) seriousLateLines += 1;
    if (line.closed !== null) continue;
    open += 1;
    if (line.pastDue > 0) pastDueLines += 1;
    pastDueAmount += line.pastDue;
    payments += line.payment;
    if (isMortgage(line)) mortgagePayments += line.payment;
    if (/revolv/i.test(line.portfolioType)) {
      revolvingBalance += line.balance;
      revolvingLimit += Math.max(line.highBalance, line.balance);
    }
  }
  return {
    accounts: known ? lines.length : null,
    open,
    pastDueLines,
    pastDueAmount: cents(pastDueAmount),
    seriousLateLines,
    revolvingBalance: cents(revolvingBalance),
    revolvingLimit: cents(revolvingLimit),
    // To four decimals, like every ratio.
    utilisation: revolvingLimit === 0 ? null : mulDiv(revolvingBalance, 10_000, 1, revolvingLimit, 'half-up') / 10_000,
    payments: cents(payments),
    mortgagePayments: cents(mortgagePayments),
  };
}

function isMortgage({ portfolioType, accountClass }: TradeLine): boolean {
  return /mortgage|real estate/i.test(`${portfolioType} ${accountClass}`);
}

/** A joint account counts once. */
export function together(
  { primary, coApplicant, today }: { primary: BureauReport; coApplicant: BureauReport | null; today: PlainDate },
  own: CreditFacts,
  their: CreditFacts | null,
): CreditFacts {
  if (coApplicant === null || their === null) return own;
  const lines = new Map([...primary.tradeLines, ...coApplicant.tradeLines].map((line) => [sameAccount(line), line]));
  const file = own.score === null && their.score !== null ? coApplicant : primary;
  return {
    ...readLines([...lines.values()], hasLines(primary) && hasLines(coApplicant)),
    ...fileOf(file, today),
    hit: own.hit || their.hit,
    inquiries: own.inquiries,
  };
}

function sameAccount({ subscriber, member, accountNumber, opened, highBalance }: TradeLine): string {
  return [subscriber, member, accountNumber, opened, highBalance].join('|').toUpperCase();
}
