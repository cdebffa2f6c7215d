/** The sums over the accounts of one family that the coded figures of a report are computed from. */
import { type Account, HISTORY_MONTHS, TREND_MONTHS } from './accounts.ts';
import type { CreditFile } from './file.ts';

/** Codes in place of a missing figure. Every other value is a whole number of 0 or more. */
export const NO_DATA = {
  /** There is no file for this number. */
  noFile: '-1',
  /** The file has no account of this kind. */
  noAccount: '-2',
  /** It has some, but none is open. */
  noneOpen: '-3',
  /** The event never happened, or the history is too short for it. */
  nothing: '-4',
  /** The file is frozen. */
  frozen: '-5',
} as const;
type NoData = keyof typeof NO_DATA;
export type Figure = number | NoData;

/** The number in the code, what it means, and how it is read. */
export type Measure = readonly [number: string, meaning: string, of: (facts: Facts) => Figure];
export type Population = (account: Account) => boolean;

/** The data that the figures of a family are computed from. */
export type Facts = Lateness & {
  readonly file: CreditFile;
  readonly accounts: readonly Account[];
  readonly open: readonly Account[];
  /** Sums of the open accounts. */
  readonly balance: number;
  readonly limit: number;
  readonly payment: number;
  /** Sums of all accounts: an amount charged off is still past due. */
  readonly owed: number;
  readonly pastDue: number;
  /** Sums by month, 0 this one. */
  trends(): Trends;
};

/** The payment history of accounts. */
type Lateness = {
  /** Months late by 30 to 59, 60 to 89, 90 and more days (first index), in each of the windows (second). */
  readonly times: readonly (readonly number[])[];
  /** Months since it was late by 30, 60, 90 days or more; infinite when it never was. */
  readonly since: readonly number[];
  /** The worst in each of the windows: 0 never late, 1 by 30 days, 2 by 60, … */
  readonly worst: readonly number[];
  /** Accounts that were ever late by 30, 60, 90 days or more. */
  readonly ever: readonly number[];
};

export type Trends = {
  readonly balances: readonly number[];
  readonly limits: readonly number[];
  readonly paid: readonly number[];
};

/** Windows in months, ending today. */
export const WINDOWS = [6, 12, 24, HISTORY_MONTHS] as const;
const LEVELS = [1, 2, 3] as const;

export function gather(file: CreditFile, known: ReadonlyMap<Account, Lateness>, population: Population): Facts {
  const accounts = file.accounts.filter(population);
  const open = accounts.filter(({ ageClosed }) => ageClosed === null);
  const sums = { balance: 0, limit: 0, payment: 0, owed: 0, pastDue: 0 };
  for (const { balance, pastDue, limit, payment, ageClosed } of accounts) {
    sums.owed += balance;
    sums.pastDue += pastDue;
    if (ageClosed !== null) continue;
    sums.balance += balance;
    sums.limit += limit;
    sums.payment += payment;
  }
  let trends: Trends | undefined;
  return {
    ...{ file, accounts, open, ...sums },
    ...together(accounts.map((account) => known.get(account) as Lateness)),
    trends() {
      trends ??= trendsOf(accounts);
      return trends;
    },
  };
}

/** An account is in a dozen families; its history is read once for all of them. */
export function latenessOf({ history, age }: Account): Lateness {
  const times = LEVELS.map(() => WINDOWS.map(() => 0));
  const since = LEVELS.map(() => Number.POSITIVE_INFINITY);
  const worst = WINDOWS.map(() => 0);
  for (let month = 0; month < HISTORY_MONTHS && month <= age; month++) {
    const late = history[month] as number;
    if (late <= 0) continue;
    const counts = times[Math.min(late, LEVELS.length) - 1] as number[];
    for (let i = 0; i < WINDOWS.length; i++) {
      if (month >= (WINDOWS[i] as number)) continue;
      counts[i] = (counts[i] as number) + 1;
      worst[i] = Math.max(worst[i] as number, late);
    }
    for (let i = 0; i < Math.min(late, LEVELS.length); i++) since[i] = Math.min(since[i] as number, month);
  }
  return { times, since, worst, ever: LEVELS.map((level) => ((worst.at(-1) as number) >= level ? 1 : 0)) };
}

function together(all: readonly Lateness[]): Lateness {
  const times = LEVELS.map(() => WINDOWS.map(() => 0));
  const since = LEVELS.map(() => Number.POSITIVE_INFINITY);
  const worst = WINDOWS.map(() => 0);
  const ever = LEVELS.map(() => 0);
  for (const one of all) {
    // Never late: most accounts by far.
    if (one.worst.at(-1) === 0) continue;
    for (let i = 0; i < LEVELS.length; i++) {
      since[i] = Math.min(at(since, i), at(one.since, i));
      ever[i] = at(ever, i) + at(one.ever, i);
      const counts = times[i] as number[];
      for (let j = 0; j < WINDOWS.length; j++) counts[j] = at(counts, j) + at(one.times[i] as number[], j);
    }
    for (let j = 0; j < WINDOWS.length; j++) worst[j] = Math.max(at(worst, j), at(one.worst, j));
  }
  return { times, since, worst, ever };
}

function trendsOf(accounts: readonly Account[]): Trends {
  const balances: number[] = new Array(TREND_MONTHS + 1).fill(0);
  const limits: number[] = new Array(TREND_MONTHS + 1).fill(0);
  const paid: number[] = new Array(TREND_MONTHS).fill(0);
  for (const account of accounts) {
    const { age, ageClosed, limit } = account;
    for (let month = 0; month <= TREND_MONTHS && month <= age; month++) {
      balances[month] = at(balances, month) + at(account.balances, month);
      if (ageClosed === null || month > ageClosed) limits[month] = at(limits, month) + limit;
      if (month < TREND_MONTHS) paid[month] = at(paid, month) + at(account.paid, month);
    }
  }
  return { balances, limits, paid };
}

export const at = (numbers: readonly number[], index: number): number => numbers[index] as number;
export const count = (accounts: readonly Account[], is: (account: Account) => boolean): number =>
  accounts.filter(is).length;
export const most = (accounts: readonly Account[], figure: (account: Account) => number): number =>
  accounts.reduce((found, account) => Math.max(found, figure(account)), 0);
export const least = (accounts: readonly Account[], figure: (account: Account) => number): number =>
  accounts.reduce((found, account) => Math.min(found, figure(account)), Number.POSITIVE_INFINITY);
export const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
export const percent = (part: number, whole: number): Figure => (whole > 0 ? (part / whole) * 100 : 'nothing');
export const ifEver = (months: number): Figure => (Number.isFinite(months) ? months : 'nothing');
export const used = ({ balance, limit }: Account): number => balance / limit;
/** Whether the file is at least this many months old: a younger one has no trend. */
export const reaches = ({ accounts }: Facts, months: number): boolean => accounts.some(({ age }) => age >= months);
