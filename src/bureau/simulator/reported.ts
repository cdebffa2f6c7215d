/** A simulated file as a bureau reports it on a day: the ages in it become dates, its accounts and collections trade lines. */
import { addDays, addMonths, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import type { BureauReport, TradeLine } from '../bureau.ts';
import type { Account } from './accounts.ts';
import type { Collection, CreditFile } from './file.ts';

/** The figures of a report: all that underwriting reads, without the attributes and the printed pages. */
export type ReportedFile = Pick<
  BureauReport,
  'hit' | 'score' | 'scoreFactors' | 'reportDate' | 'inFileSince' | 'inquiries' | 'flags' | 'tradeLines'
>;

/** Inquiries of the last six months are reported. */
const RECENT_DAYS = 182;

export function reportedOn(file: CreditFile, today: PlainDate): ReportedFile {
  return {
    hit: file.hit,
    score: file.score,
    scoreFactors: file.factors,
    reportDate: today,
    inFileSince: file.inFile === null ? null : dateAgo(today, file.inFile.months, file.inFile.days),
    inquiries:
      file.hit && !file.flags.frozen ? file.inquiries.filter(({ daysAgo }) => daysAgo <= RECENT_DAYS).length : null,
    flags: file.flags,
    tradeLines: linesOf(file, today),
  };
}

function linesOf(file: CreditFile, today: PlainDate): TradeLine[] {
  return [
    ...file.accounts.map((account) => lineOf(account, today)),
    ...file.collections.map((collection) => collectionLine(collection, today)),
  ];
}

function dateAgo(today: PlainDate, months: number, days: number): PlainDate {
  return addDays(addMonths(today, -months), -days);
}

const RATINGS = ['01', '02', '03', '04', '05'];
const RATED = { 'charged off': '09', repossessed: '08', bankruptcy: '07' } as const;

function lineOf(account: Account, today: PlainDate): TradeLine {
  const { kind, history, ending } = account;
  return {
    subscriber: account.lender,
    accountType: kind.type,
    member: account.member,
    accountNumber: account.number,
    opened: dateAgo(today, account.age, account.days),
    closed: account.ageClosed === null ? null : addMonths(today, -account.ageClosed),
    payment: cents(account.payment * 100),
    terms: account.term > 0 ? `${account.term}M` : kind.portfolio === 'open' ? '1M' : 'MIN',
    portfolioType: kind.portfolio,
    balance: cents(account.balance * 100),
    highBalance: cents(account.highBalance * 100),
    pastDue: cents(account.pastDue * 100),
    rating: ending === null ? (RATINGS[account.late] as string) : RATED[ending],
    late30: history.filter((late) => late === 1).length,
    late60: history.filter((late) => late === 2).length,
    late90: history.filter((late) => late >= 3).length,
    accountClass: kind.name,
  };
}

/** A debt in collection is a trade line, but not an account of any family. */
function collectionLine(collection: Collection, today: PlainDate): TradeLine {
  const { agency, member, number, age, days, agePaid, amount, balance } = collection;
  return {
    ...{ subscriber: agency, accountType: 'CO', member, accountNumber: number, opened: dateAgo(today, age, days) },
    closed: agePaid === null ? null : addMonths(today, -agePaid),
    payment: cents(0),
    terms: '1M',
    portfolioType: 'open',
    balance: cents(balance * 100),
    highBalance: cents(amount * 100),
    pastDue: cents(balance * 100),
    rating: '9B',
    ...{ late30: 0, late60: 0, late90: 0, accountClass: 'collection' },
  };
}
