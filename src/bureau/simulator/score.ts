/**
 * The score of a simulated file, 300 to 850. It starts from the borrower's hidden quality and is then adjusted and capped by what the file
 * shows, so that no score contradicts its file: no file with an account 90 days late has 780. Each finding is also a score factor.
 */
import type { Account } from './accounts.ts';
import type { Bankruptcy, Collection, Inquiry } from './file.ts';
import { along, type SeededRandom } from './random.ts';

type FileContents = {
  readonly accounts: readonly Account[];
  readonly collections: readonly Collection[];
  readonly bankruptcies: readonly Bankruptcy[];
  readonly inquiries: readonly Inquiry[];
};

/** By quality, from worst to best. */
const BY_QUALITY = [505, 605, 685, 748, 822];
const LOWEST = 300;
const HIGHEST = 850;
/** A score requires an account that has been reported for six months. */
const SCORABLE_MONTHS = 6;
const MOST_FACTORS = 4;
/** Every lower score has at least one factor. */
const EXCELLENT = 780;

/** The quality of a borrower who has this score when nothing in the file moves it. */
export function qualityFor(score: number): number {
  const right = BY_QUALITY.findIndex((points) => points > score);
  if (right <= 0) return right < 0 ? 1 : 0;
  const [from, to] = [BY_QUALITY[right - 1] as number, BY_QUALITY[right] as number];
  return (right - 1 + (score - from) / (to - from)) / (BY_QUALITY.length - 1);
}

export function scoreOf(
  of: SeededRandom,
  quality: number,
  file: FileContents,
): { score: number | null; factors: string[] } {
  const noise = of.whole(-9, 9);
  // Spreads the scores at the caps.
  const above = of.whole(-12, 12);
  if (!file.accounts.some(({ age }) => age >= SCORABLE_MONTHS)) {
    return { score: null, factors: ['No account has been reported for six months'] };
  }
  const before = along(quality, BY_QUALITY) + noise;
  const findings = findingsIn(file);
  let score = before;
  for (const { points } of findings) score += points;
  for (const { cap } of findings) score = Math.min(score, cap + above);
  const weight = ({ points, cap }: Finding) => Math.max(0, before - cap) - points;
  const adverse = findings.filter((finding) => weight(finding) > 0).sort((a, b) => weight(b) - weight(a));
  const told = Math.min(HIGHEST, Math.max(LOWEST, Math.round(score)));
  const factors = [...adverse.map(({ factor }) => factor), ...(told < EXCELLENT ? minorFactors(file) : [])];
  return { score: told, factors: factors.slice(0, MOST_FACTORS) };
}

type Finding = { readonly factor: string; readonly points: number; readonly cap: number };

function findingsIn({ accounts, collections, bankruptcies, inquiries }: FileContents): Finding[] {
  const open = accounts.filter(({ ageClosed }) => ageClosed === null);
  const revolving = open.filter(({ kind }) => kind.portfolio === 'revolving');
  const limit = sum(revolving.map((account) => account.limit));
  const used = limit === 0 ? 0 : sum(revolving.map(({ balance }) => balance)) / limit;
  const lateNow = Math.max(0, ...open.map(({ late }) => late));
  const unpaid = collections.filter(({ balance }) => balance > 0).length;
  const asked = inquiries.filter(({ daysAgo }) => daysAgo <= 182).length;
  const oldest = Math.max(...accounts.map(({ age }) => age));
  const ended = accounts.filter(({ ending }) => ending === 'charged off' || ending === 'repossessed');
  const bankrupt = bankruptcies[0];
  const since90 = since(accounts, 3);
  const since30 = since(accounts, 1);
  return [
    {
      when: lateNow >= 1,
      factor: 'Accounts are past due now',
      points: -10,
      cap: [0, 655, 615, 575, 560][lateNow] ?? 560,
    },
    { when: since90 < 24, factor: 'Payments were 90 days late in the last two years', points: -5, cap: 650 },
    { when: since90 >= 24 && since90 < 84, factor: 'Payments were 90 days late', points: -3, cap: 705 },
    { when: since30 < 12, factor: 'Payments were late in the last year', points: -4, cap: 725 },
    { when: ended.length > 0, factor: 'Accounts were charged off or repossessed', points: -6, cap: 680 },
    {
      when: bankrupt !== undefined,
      factor: 'A bankruptcy is on record',
      points: -5,
      cap: (bankrupt?.age ?? 0) < 24 ? 615 : 660,
    },
    { when: unpaid > 0, factor: 'Unpaid collections', points: -6 * Math.min(4, unpaid), cap: 700 },
    {
      when: used > 0.5,
      factor: 'Revolving balances are high relative to limits',
      points: -Math.round((used - 0.5) * 40),
      cap: 760,
    },
    { when: used <= 0.1 && revolving.length > 0, factor: 'Revolving balances are low', points: 6, cap: HIGHEST },
    {
      when: asked > 2,
      factor: 'Many inquiries in the last six months',
      points: -3 * Math.min(8, asked - 2),
      cap: HIGHEST,
    },
    { when: oldest < 24, factor: 'Credit history is short', points: -14, cap: 735 },
    { when: accounts.length < 4, factor: 'Too few accounts', points: -8, cap: 760 },
  ].filter(({ when }) => when);
}

/** Factors used when no more important one is left; the last always applies. None has the text of a finding. */
function minorFactors({ accounts, inquiries }: FileContents): string[] {
  const open = accounts.filter(({ ageClosed }) => ageClosed === null);
  const loans = open.filter(({ term }) => term > 0);
  const owes = sum(loans.map(({ balance }) => balance));
  const lent = sum(loans.map(({ limit }) => limit));
  const opened = accounts.filter(({ age }) => age < 12).length;
  return [
    {
      when: since(accounts, 1) >= 12 && since(accounts, 3) === Number.POSITIVE_INFINITY && since(accounts, 1) < 84,
      factor: 'Payments were late in earlier years',
    },
    {
      when: open.some(({ balance, limit, term }) => term === 0 && balance > limit * 0.5),
      factor: 'An account uses more than half of its limit',
    },
    { when: opened > 1, factor: 'Several accounts were opened in the last year' },
    { when: lent > 0 && owes > lent * 0.6, factor: 'Loan balances are high relative to original amounts' },
    { when: inquiries.some(({ daysAgo }) => daysAgo <= 365), factor: 'Inquiries in the last year' },
    { when: true, factor: 'Average age of accounts is low' },
  ]
    .filter(({ when }) => when)
    .map(({ factor }) => factor);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

function since(accounts: readonly Account[], level: number): number {
  return Math.min(...accounts.map(({ history }) => monthsSince(history, level)));
}

/** Months since an account was at least this late; infinite when it never was. */
function monthsSince(history: readonly number[], level: number): number {
  const month = history.findIndex((late) => late >= level);
  return month < 0 ? Number.POSITIVE_INFINITY : month;
}
