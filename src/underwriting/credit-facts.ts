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
  /** On a joint application: the score is not a bureau's, but what someone without one counts as, for want of a file or of a score. */
  readonly unscored: 'file' | 'score' | null;
};

/** The file of one person. Flags are never merged: each is about one person and their file. */
export type PersonFacts = CreditFacts & { readonly flags: FileFlags };

export function readCredit(report: BureauReport, today: PlainDate): PersonFacts {
  return { ...readLines(report.tradeLines, hasLines(report)), ...fileOf(report, today), flags: report.flags };
}

/** The date of the older report, or of the only one. A report from the future is as old as the run. */
export function oldestReport({ primary, coApplicant, today }: Pulled): PlainDate {
  const dates = [primary.reportDate, ...(coApplicant === null ? [] : [coApplicant.reportDate])];
  return dates.reduce((oldest, day) => (day < oldest ? day : oldest), today);
}

/** Whether another run may stand on them: a file that was not released, or that is another person's, is asked for again. */
export function isReusable({ primary, coApplicant }: Pick<Pulled, 'primary' | 'coApplicant'>): boolean {
  const reports = coApplicant === null ? [primary] : [primary, coApplicant];
  return reports.every(({ hit, flags }) => hit && !flags.frozen && !flags.deceased && flags.ssnMatch !== 'noMatch');
}

type Pulled = Pick<Joint, 'primary' | 'coApplicant'> & { readonly today: PlainDate };

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
    unscored: null,
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

type Joint = {
  readonly primary: BureauReport;
  readonly coApplicant: BureauReport | null;
  /** The score as which someone without one counts beside another's. */
  readonly unscoredAs: number;
};

/**
 * The credit of two people who are both liable for the whole loan, whichever of them is named first. The score, and with it its factors and
 * its age, are those of the weaker file: the loan is as good as the one who may have to pay it alone. Debts and late accounts are both
 * people's, and what they owe together counts once. Someone without a score counts as the lowest that is lent to.
 */
export function together(
  { primary, coApplicant, unscoredAs }: Joint,
  own: PersonFacts,
  their: PersonFacts | null,
): CreditFacts {
  if (coApplicant === null || their === null) return own;
  const lines = bothLists(primary.tradeLines, coApplicant.tradeLines);
  const inquiries = [own.inquiries, their.inquiries].flatMap((count) => count ?? []);
  return {
    ...weaker(own, their, unscoredAs),
    ...readLines(lines, hasLines(primary) && hasLines(coApplicant)),
    hit: own.hit || their.hit,
    // One car is looked for together: each search is an inquiry in both files.
    inquiries: inquiries.length === 0 ? null : Math.max(...inquiries),
  };
}

/** The weaker of two files: its score, and all that goes with it. */
function weaker(own: PersonFacts, their: PersonFacts, unscoredAs: number) {
  const [{ hit, score, reportDate, scoreFactors, inFileSince, monthsInFile, monthsUnknown }] = inOrder(
    [own, their],
    unscoredAs,
  ) as [PersonFacts];
  const both = own.score === null && their.score === null;
  return {
    ...{ scoreFactors, inFileSince, monthsInFile, monthsUnknown },
    reportDate,
    score: both ? null : (score ?? unscoredAs),
    unscored: both || score !== null ? null : hit ? ('score' as const) : ('file' as const),
  };
}

/** The weaker file first: by the score that counts, then the shorter history, then by what tells the files apart at all. */
function inOrder(files: readonly PersonFacts[], unscoredAs: number): PersonFacts[] {
  const text = ({ hit, scoreFactors, reportDate }: PersonFacts) => [hit, reportDate, ...scoreFactors].join('|');
  return files.toSorted(
    (a, b) =>
      (a.score ?? unscoredAs) - (b.score ?? unscoredAs) ||
      Number(a.score !== null) - Number(b.score !== null) ||
      (a.monthsInFile ?? -1) - (b.monthsInFile ?? -1) ||
      (text(a) < text(b) ? -1 : 1),
  );
}

/** The accounts of two people; one that is in both files counts once, with the worse of what the two say of it. */
function bothLists(own: readonly TradeLine[], their: readonly TradeLine[]): TradeLine[] {
  const [mine, others] = [byAccount(own), byAccount(their)];
  return [...new Set([...mine.keys(), ...others.keys()])].flatMap((account) => {
    const [a, b] = [mine.get(account) ?? [], others.get(account) ?? []];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => worse(a[i], b[i]));
  });
}

function byAccount(lines: readonly TradeLine[]): Map<string, TradeLine[]> {
  const found = new Map<string, TradeLine[]>();
  for (const line of lines) {
    const account = sameAccount(line);
    found.set(
      account,
      [...(found.get(account) ?? []), line].sort((a, b) => b.payment - a.payment || byText(a, b)),
    );
  }
  return found;
}

const byText = (a: TradeLine, b: TradeLine) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

function worse(a: TradeLine | undefined, b: TradeLine | undefined): TradeLine {
  if (a === undefined || b === undefined) return (a ?? b) as TradeLine;
  const most = (name: 'late30' | 'late60' | 'late90') => Math.max(a[name], b[name]);
  const more = (name: 'payment' | 'balance' | 'highBalance' | 'pastDue') => cents(Math.max(a[name], b[name]));
  const [first] = [a, b].sort(byText) as [TradeLine];
  return {
    ...first,
    closed: a.closed === null || b.closed === null ? null : first.closed,
    ...{ payment: more('payment'), balance: more('balance'), highBalance: more('highBalance') },
    ...{ pastDue: more('pastDue'), late30: most('late30'), late60: most('late60'), late90: most('late90') },
  };
}

function sameAccount({ subscriber, member, accountNumber, opened, highBalance }: TradeLine): string {
  return [subscriber, member, accountNumber, opened, highBalance].join('|').toUpperCase();
}
