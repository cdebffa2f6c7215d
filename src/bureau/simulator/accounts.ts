/**
 * One simulated account with its history: how it was paid month by month, and what was owed. Everything is counted in months and days ago,
 * so an account is the same on every day it is read. Amounts are whole dollars, as creditors report them.
 */
import { along, type SeededRandom } from './random.ts';

export type Kind = {
  /** The code in `account_type`. */
  readonly type: string;
  /** The words in `account_class`. */
  readonly name: string;
  readonly portfolio: 'revolving' | 'installment' | 'mortgage' | 'open';
  /** Limit or amount lent, by credit quality from the worst to the best. */
  readonly amounts: readonly number[];
  /** Terms in months; none for revolving and open accounts. */
  readonly terms: readonly number[];
  readonly lenders: 'bank' | 'finance' | 'retail' | 'motor' | 'home' | 'student' | 'utility';
};

export const KINDS = {
  card: kind('CC', 'credit card', 'revolving', [400, 1_200, 4_000, 8_500, 16_000], [], 'bank'),
  retail: kind('CH', 'charge account', 'revolving', [300, 700, 1_500, 2_500, 4_000], [], 'retail'),
  creditLine: kind('LC', 'line of credit', 'revolving', [600, 1_500, 3_500, 7_000, 10_000], [], 'finance'),
  homeLine: kind('HE', 'home equity line', 'revolving', [15_000, 25_000, 40_000, 60_000, 90_000], [], 'home'),
  auto: kind('AU', 'auto', 'installment', [11_000, 15_000, 21_000, 27_000, 33_000], [60, 66, 72, 72, 75], 'motor'),
  lease: kind('AL', 'auto lease', 'installment', [13_000, 15_000, 17_000, 19_000, 22_000], [36, 39], 'motor'),
  student: kind('ST', 'student loan', 'installment', [3_500, 5_500, 7_000, 9_000, 12_000], [120, 180], 'student'),
  mortgage: kind('MT', 'mortgage', 'mortgage', [90_000, 130_000, 190_000, 250_000, 340_000], [180, 360, 360], 'home'),
  homeLoan: kind('HI', 'home equity loan', 'mortgage', [12_000, 20_000, 30_000, 45_000, 60_000], [120, 180], 'home'),
  personal: kind('US', 'personal loan', 'installment', [1_500, 3_000, 7_000, 11_000, 16_000], [24, 36, 48, 60], 'bank'),
  finance: kind(
    'FI',
    'finance company loan',
    'installment',
    [900, 1_800, 3_500, 5_500, 8_000],
    [12, 24, 36],
    'finance',
  ),
  recreation: kind(
    'RV',
    'recreational vehicle',
    'installment',
    [6_000, 9_000, 14_000, 22_000, 35_000],
    [84, 120],
    'motor',
  ),
  utility: kind('UT', 'utility', 'open', [90, 110, 130, 150, 170], [], 'utility'),
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;

/** Percent a year, by credit quality. */
const RATES: Readonly<Record<Kind['lenders'], readonly number[]>> = {
  bank: [22, 18, 14, 11, 9],
  finance: [29, 27, 24, 20, 17],
  retail: [29, 28, 27, 26, 25],
  motor: [19, 15, 10, 7, 5],
  home: [8, 7, 6, 5, 4],
  student: [7, 6, 6, 5, 5],
  utility: [0, 0],
};

function kind(
  type: string,
  name: string,
  portfolio: Kind['portfolio'],
  amounts: readonly number[],
  terms: readonly number[],
  lenders: Kind['lenders'],
): Kind {
  return { type, name, portfolio, amounts, terms, lenders };
}

/** Fictitious creditors. */
const LENDERS: Readonly<Record<Kind['lenders'], readonly string[]>> = {
  bank: ['EXAMPLE NATIONAL BANK', 'SAMPLE CREDIT UNION', 'NOTIONAL BANK', 'MOCK CARD SERVICES', 'PLACEHOLDER SAVINGS'],
  finance: ['PRETEND FINANCE', 'FICTION CONSUMER CREDIT', 'SPECIMEN LENDING'],
  retail: ['SAMPLE STREET STORES', 'EXAMPLE OUTFITTERS', 'PRETEND HARDWARE', 'MOCK JEWELERS'],
  motor: ['NOTIONAL MOTOR FINANCE', 'EXAMPLE AUTO CREDIT', 'SAMPLE CREDIT UNION', 'PRETEND TRUCK FINANCE'],
  home: ['PLACEHOLDER MORTGAGE', 'EXAMPLE HOME LOANS', 'NOTIONAL BANK'],
  student: ['SPECIMEN STUDENT LOANS', 'SAMPLE STUDENT AID'],
  utility: ['MOCK WIRELESS', 'IMAGINARY POWER AND LIGHT'],
};

/** The end of an account that was not in good standing. */
export type Ending = 'charged off' | 'repossessed' | 'bankruptcy';

export type Account = {
  readonly kind: Kind;
  readonly lender: string;
  readonly member: string;
  readonly number: string;
  /** Held jointly with another person. */
  readonly joint: boolean;
  /** Whole months since it was opened, and the days beyond them. */
  readonly age: number;
  readonly days: number;
  /** Whole months since it was closed. */
  readonly ageClosed: number | null;
  /** Limit of a revolving account, amount lent of another. */
  readonly limit: number;
  /** Months; 0 without a term. */
  readonly term: number;
  /** Installments not yet due; 0 without a term. */
  readonly left: number;
  readonly payment: number;
  readonly balance: number;
  /** The limit or amount lent, or what was owed above it. */
  readonly highBalance: number;
  readonly pastDue: number;
  readonly ending: Ending | null;
  /** Its lateness now: 0 not at all, 1 by 30 days, … 4 by 120 and more. */
  readonly late: number;
  /** The same for each month since, 0 this month, up to 83; −1 where it was not open. */
  readonly history: readonly number[];
  /** The balance this month and in the 24 before. */
  readonly balances: readonly number[];
  /** The amount paid this month and in the 23 before. */
  readonly paid: readonly number[];
};

export const HISTORY_MONTHS = 84;
export const TREND_MONTHS = 24;

/** From `from` months ago to `to` months ago, `to` being the later. */
export type HardTimes = { readonly from: number; readonly to: number };

export type Holder = {
  /** From 0 (worst) to 1 (best). */
  readonly quality: number;
  readonly hardTimes: readonly HardTimes[];
  /** Never late on any account. */
  readonly punctual: boolean;
  /** Months since a bankruptcy, which included every unsecured account open at that time. */
  readonly bankruptcy: number | null;
  /** The usual utilization of a limit. */
  readonly utilization: number;
};

export type Opening = {
  readonly kind: Kind;
  readonly age: number;
  /** Late by this much today, after having been paid until then. */
  readonly lateNow: number;
  /** Months since the lender repossessed it. */
  readonly repossessed: number | null;
  /** Amounts are multiplied by it. */
  readonly scale: number;
  /** Whether it must still be open. */
  readonly open: boolean;
};

export function inventAccount(of: SeededRandom, holder: Holder, opening: Opening): Account {
  const { kind, age } = opening;
  const limit = roundTo(
    along(holder.quality, kind.amounts) * of.between(0.55, 1.5) * opening.scale,
    kind.terms.length > 0 ? 50 : 100,
  );
  // An account that must stay open has a term that has not ended.
  const terms = opening.open ? kind.terms.filter((months) => months > age) : kind.terms;
  const term = kind.terms.length === 0 ? 0 : terms.length > 0 ? of.pick(terms) : age + of.whole(6, 24);
  const plannedClosing = plannedEnd(of, opening, term);
  const lender = of.pick(LENDERS[kind.lenders]);
  const member = `${of.digits(4)}DB${of.digits(3)}`;
  const number = `****${of.digits(4)}`;
  const joint = of.happens(kind.lenders === 'home' ? 0.6 : 0.14);
  const days = of.whole(0, 27);
  const { history, ageClosed, ending } = inventHistory(of, holder, opening, plannedClosing);
  const late = ageClosed === null ? Math.min(4, Math.max(0, history[0] as number)) : 0;
  const owed =
    term > 0
      ? installmentBalances({
          limit,
          term,
          age,
          ageClosed,
          ending,
          rate: along(holder.quality, RATES[kind.lenders]),
          history,
        })
      : revolvingBalances(of, { kind, limit, age, ageClosed, ending, history, utilization: holder.utilization });
  const { balances, level } = owed;
  const balance = balances[0] as number;
  const payment =
    ageClosed !== null || balance === 0 ? 0 : term > 0 ? Math.min(level, balance) : minimumOf(kind, balance);
  const pastDue = ending !== null ? balance : Math.min(balance, late * payment);
  return {
    ...{ kind, lender, member, number, joint, age, days, ageClosed, limit, term, payment, balance, pastDue, ending },
    ...{ history, balances, late: pastDue > 0 || ending !== null ? late : 0 },
    left: term > 0 && ageClosed === null ? Math.max(0, term - age + late) : 0,
    highBalance: Math.max(limit, ...balances),
    paid: inventPayments(of, { balances, history, level, kind, quality: holder.quality, age, ageClosed, ending }),
  };
}

const roundTo = (amount: number, step: number): number => Math.max(step, Math.round(amount / step) * step);

function minimumOf(kind: Kind, balance: number): number {
  return kind.portfolio === 'open' ? balance : Math.min(balance, Math.max(25, Math.round(balance * 0.025)));
}

/** The months since it was closed in good standing; null while it is open. */
function plannedEnd(of: SeededRandom, { kind, age, open, lateNow }: Opening, term: number): number | null {
  if (open || lateNow > 0) return null;
  if (term === 0) {
    // Cards stay open for long; the older one is, the likelier it has been closed.
    return of.happens(Math.min(0.55, age / 400)) ? of.whole(0, Math.max(0, age - 6)) : null;
  }
  // Loans are often paid off early: refinanced, traded in, the house sold.
  const lasts = of.happens(kind.portfolio === 'mortgage' ? 0.5 : 0.35)
    ? Math.round(term * of.between(0.25, 0.95))
    : term;
  return age >= lasts ? age - lasts : null;
}

/** Month by month up to today; a month is as late as the one before, one step later, or cured. */
function inventHistory(
  of: SeededRandom,
  { quality, hardTimes, punctual, bankruptcy }: Holder,
  { kind, age, lateNow, repossessed }: Opening,
  plannedClosing: number | null,
): { history: number[]; ageClosed: number | null; ending: Ending | null } {
  const history: number[] = new Array(HISTORY_MONTHS).fill(-1);
  const calm = { falls: punctual ? 0 : along(quality, FALLS_CALM), cures: along(quality, CURES_CALM) };
  const hard = { falls: along(quality, FALLS_HARD), cures: along(quality, CURES_HARD) };
  const isSecured = kind.lenders === 'motor' || kind.lenders === 'home';
  const last = plannedClosing ?? 0;
  let late = 0;
  for (let month = Math.min(age, HISTORY_MONTHS - 1); month >= last; month--) {
    if (bankruptcy === month && !isSecured && kind.lenders !== 'student') {
      history[month] = late;
      return { history, ageClosed: month, ending: 'bankruptcy' };
    }
    const times = hardTimes.some(({ from, to }) => month <= from && month >= to) ? hard : calm;
    // The first payment of an account is never missed here, and an account closed in good standing was current before.
    if (month >= age - 1 || (plannedClosing !== null && month <= last + 1)) late = 0;
    else if (late === 0) late = of.happens(times.falls) ? 1 : 0;
    else if (of.happens(times.cures)) late = 0;
    else if (of.happens(0.75)) late += 1;
    if (repossessed !== null && month < repossessed + 5) late = Math.min(5, repossessed + 5 - month);
    if (lateNow > 0 && month < lateNow) late = lateNow - month;
    else if (lateNow > 0) late = Math.min(late, 1);
    history[month] = late;
    if (repossessed === month || (kind.lenders === 'motor' && late >= 4 && lateNow === 0 && of.happens(0.5))) {
      return { history, ageClosed: month, ending: 'repossessed' };
    }
    // A creditor charges off after 180 days. A mortgage takes much longer, and stays late.
    if (late >= 6) {
      if (kind.lenders !== 'home') return { history, ageClosed: month, ending: 'charged off' };
      late = 5;
    }
  }
  return { history, ageClosed: plannedClosing, ending: null };
}

/** A month, by credit quality from the worst to the best. */
const FALLS_CALM = [0.03, 0.009, 0.003, 0.0008, 0.0001];
const FALLS_HARD = [0.25, 0.18, 0.11, 0.06, 0.03];
const CURES_CALM = [0.6, 0.72, 0.82, 0.92, 0.97];
const CURES_HARD = [0.22, 0.35, 0.5, 0.65, 0.8];

type Owed = {
  readonly balances: number[];
  /** The level payment of a loan; 0 without a term. */
  readonly level: number;
};

/** According to the schedule; a loan that is two months late has had two payments fewer. */
function installmentBalances(loan: {
  readonly limit: number;
  readonly term: number;
  readonly age: number;
  readonly ageClosed: number | null;
  readonly ending: Ending | null;
  readonly rate: number;
  readonly history: readonly number[];
}): Owed {
  const { limit, term, age, ageClosed, ending, history } = loan;
  const monthly = loan.rate / 1200;
  let growth = 1;
  for (let i = 0; i < term; i++) growth *= 1 + monthly;
  const exact = monthly === 0 ? limit / term : (limit * monthly * growth) / (growth - 1);
  const after: number[] = [limit];
  for (let i = 1; i <= Math.min(age, term); i++)
    after.push(Math.max(0, (after[i - 1] as number) * (1 + monthly) - exact));
  const balances: number[] = [];
  for (let month = 0; month <= TREND_MONTHS; month++) {
    if (month > age) balances.push(0);
    else if (ageClosed !== null && month <= ageClosed && ending === null) balances.push(0);
    else if (ending === 'bankruptcy' && month <= (ageClosed as number)) balances.push(0);
    else {
      // A charged-off balance does not change; for a car, the sale has paid part of it.
      const at = ageClosed !== null && month < ageClosed ? ageClosed : month;
      const missed = Math.max(0, history[at] ?? 0);
      const owed = after[Math.max(0, Math.min(age - at - missed, after.length - 1))] as number;
      balances.push(Math.round(ending === 'repossessed' && month <= (ageClosed as number) ? owed * 0.45 : owed));
    }
  }
  return { balances, level: Math.round(exact) };
}

/** A random walk around the holder's usual utilization. */
function revolvingBalances(
  of: SeededRandom,
  account: {
    readonly kind: Kind;
    readonly limit: number;
    readonly age: number;
    readonly ageClosed: number | null;
    readonly ending: Ending | null;
    readonly history: readonly number[];
    readonly utilization: number;
  },
): Owed {
  const { kind, limit, age, ageClosed, ending, history, utilization } = account;
  const wanted = of.happens(0.18) ? 0 : Math.min(1.02, Math.max(0, utilization * of.between(0.4, 1.6)));
  // A late holder has a balance.
  const usual = history.some((late) => late > 0) ? Math.max(0.25, wanted) : wanted;
  const balances: number[] = new Array(TREND_MONTHS + 1).fill(0);
  let used = usual;
  for (let month = TREND_MONTHS; month >= 0; month--) {
    const moved = used + (usual - used) * 0.3 + (of.share() - 0.5) * 0.12 * (usual > 0 ? 1 : 0);
    // After a missed payment the balance does not fall.
    used = Math.min(1.04, Math.max((history[month] as number) > 0 ? used : 0, moved));
    if (month > age) continue;
    if (ageClosed !== null && month <= ageClosed) {
      if (ending === 'charged off') balances[month] = Math.round(limit * Math.max(0.7, usual));
    } else if (kind.portfolio === 'open') balances[month] = Math.round(limit * of.between(0.7, 1.3));
    // In its first month an account is barely used.
    else balances[month] = Math.round(limit * used * (month === age ? 0.2 : 1));
  }
  return { balances, level: 0 };
}

/** Never less than what the balance fell by. */
function inventPayments(
  of: SeededRandom,
  account: {
    readonly balances: readonly number[];
    readonly history: readonly number[];
    readonly level: number;
    readonly kind: Kind;
    readonly quality: number;
    readonly age: number;
    readonly ageClosed: number | null;
    readonly ending: Ending | null;
  },
): number[] {
  const { balances, history, level, kind, age } = account;
  // In the month of a charge-off, repossession or bankruptcy nothing was paid.
  const end = account.ageClosed === null ? -1 : account.ageClosed - (account.ending === null ? 1 : 0);
  const paysInFull = level === 0 && of.happens(along(account.quality, [0.02, 0.06, 0.18, 0.45, 0.8]));
  const paid: number[] = [];
  for (let month = 0; month < TREND_MONTHS; month++) {
    const before = balances[month + 1] as number;
    const fell = Math.max(0, before - (balances[month] as number));
    const missed = (history[month] as number) > Math.max(0, history[month + 1] ?? 0);
    if (month >= age || month <= end) paid.push(0);
    else if (level > 0) paid.push(missed ? 0 : Math.max(fell, Math.min(level, before)));
    else if (missed) paid.push(0);
    else if (paysInFull || kind.portfolio === 'open') paid.push(before);
    else paid.push(Math.max(fell, Math.min(before, Math.round(minimumOf(kind, before) * of.between(1, 2.5)))));
  }
  return paid;
}
