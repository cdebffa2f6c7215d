/**
 * The built-in bureau: fictitious people, the same for the same social security number on every machine and every day.
 * Only the nine digits determine the content of a file; names and addresses appear only on the printed report. Dates move with today.
 */
import { addDays, addMonths, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { writeAnswer } from '../answer.ts';
import type { BureauFailure, BureauPull, BureauReport, BureauSubject, TradeLine } from '../bureau.ts';
import { writeTradeLines } from '../trade-lines.ts';
import type { Account } from './accounts.ts';
import { attributesOf } from './attributes.ts';
import type { Collection, CreditFile } from './file.ts';
import { FROZEN_FILE, inventFile, personOf, UNKNOWN_FILE } from './invent.ts';
import { reportPages } from './report/pages.ts';

type When = Pick<BureauPull, 'today' | 'at'>;

/** Takes tens of milliseconds, mostly for the printed pages: `open.ts` runs it on a thread. */
export function simulate(subject: BureauSubject, pull: When): BureauReport | BureauFailure {
  const digits = digitsOf(subject.ssn);
  if (digits === null) {
    return { failed: 'refused', detail: 'The bureau needs a social security number of nine digits.', retryable: false };
  }
  const person = personOf(digits);
  if (person.is === 'failure') return person.failure;
  if (person.is === 'unknown') return reportOn(UNKNOWN_FILE, subject, pull);
  if (person.is === 'frozen') return reportOn(FROZEN_FILE, subject, pull);
  if (person.is === 'scored') {
    return reportOn({ ...inventFile(person.seed, person.profile), score: person.score }, subject, pull);
  }
  return reportOn(inventFile(digits, person.profile), subject, pull);
}

function digitsOf(ssn: string): string | null {
  const digits = ssn.replace(/[\s-]/g, '');
  return /^\d{9}$/.test(digits) ? digits : null;
}

/** Inquiries of the last six months are reported. */
const RECENT_DAYS = 182;

function reportOn(file: CreditFile, subject: BureauSubject, { today, at }: When): BureauReport {
  const inFileSince = file.inFile === null ? null : dateAgo(today, file.inFile.months, file.inFile.days);
  const tradeLines = linesOf(file, today);
  const report = {
    hit: file.hit,
    score: file.score,
    scoreFactors: file.factors,
    reportDate: today,
    inFileSince,
    inquiries:
      file.hit && !file.flags.frozen ? file.inquiries.filter(({ daysAgo }) => daysAgo <= RECENT_DAYS).length : null,
    flags: file.flags,
    attributes: attributesOf(file, { reportDate: today, inFileSince, at }),
    tradeLinesCsv: writeTradeLines(tradeLines, today),
    pdf: reportPages({ file, subject, today, at, inFileSince, tradeLines }),
  };
  return { ...report, tradeLines, raw: writeAnswer(report) };
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
