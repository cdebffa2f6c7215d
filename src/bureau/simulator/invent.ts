/**
 * A simulated credit file, derived from a social security number alone: age, name and address have no influence. One
 * hidden quantity, the quality of the borrower, drives everything else, so that a file is consistent: a late payer has a low score, high
 * balances, many inquiries and collections.
 */
import { NO_FLAGS } from '../flags.ts';
import { type HardTimes, HISTORY_MONTHS, type Holder, inventAccount, KINDS, type KindName } from './accounts.ts';
import type { Bankruptcy, Collection, CreditFile, Inquiry } from './file.ts';
import { type Person, type Profile, scoredPerson, TEST_PEOPLE } from './people.ts';
import { along, type SeededRandom, seededRandom } from './random.ts';
import { scoreOf } from './score.ts';

/** Among people other than test people: the share without a file, and the share with a thin one. */
const UNKNOWN = 0.03;
const THIN = 0.08;

/** By the nine digits. */
export function personOf(digits: string): Person {
  const known = BY_DIGITS.get(digits) ?? scoredPerson(digits);
  if (known !== null) return known;
  const of = seededRandom(digits, 'person');
  const lot = of.share();
  const quality = of.share();
  const maturity = of.share();
  if (lot < UNKNOWN) return { is: 'unknown' };
  if (lot >= UNKNOWN + THIN) return { is: 'borrower', profile: { quality, maturity } };
  const thin = { accounts: of.whole(1, 3), months: of.whole(2, 22) };
  return { is: 'borrower', profile: { quality, maturity: 0, thin } };
}

const BY_DIGITS: ReadonlyMap<string, Person> = new Map(
  TEST_PEOPLE.map(({ ssn, person }) => [ssn.replaceAll('-', ''), person]),
);

const NOTHING: CreditFile = {
  ...{ hit: false, flags: NO_FLAGS, hasStatement: false, score: null, factors: [], inFile: null },
  ...{ accounts: [], collections: [], bankruptcies: [], inquiries: [] },
};
export const UNKNOWN_FILE: CreditFile = NOTHING;
export const FROZEN_FILE: CreditFile = {
  ...NOTHING,
  hit: true,
  flags: { ...NO_FLAGS, frozen: true, ssnMatch: 'exact' },
};

export function inventFile(digits: string, profile: Profile): CreditFile {
  const of = seededRandom(digits, 'file');
  const holder = holderOf(of, profile);
  const openings = profile.thin ? thinOpenings(of, profile.thin) : usualOpenings(of, profile, holder);
  const accounts = openings.map(({ kind, age, open }, i) => {
    const lateNow = profile.lateNow !== undefined && i < profile.lateNow ? 2 + (i % 3) : 0;
    const repossessed = i === 0 ? (profile.repossession ?? null) : null;
    const account = {
      kind: KINDS[kind],
      age,
      open: open || lateNow > 0,
      lateNow,
      repossessed,
      scale: profile.burden ?? 1,
    };
    return inventAccount(of, holder, account);
  });
  accounts.sort((a, b) => b.age - a.age || b.days - a.days);
  const beside = seededRandom(digits, 'beside the accounts');
  const collections = profile.thin ? [] : inventCollections(beside, profile);
  const bankruptcies = holder.bankruptcy === null ? [] : [inventBankruptcy(beside, holder.bankruptcy)];
  const inquiries = inventInquiries(beside, profile);
  const oldest = accounts[0];
  const file = { accounts, collections, bankruptcies, inquiries };
  return {
    ...file,
    ...scoreOf(seededRandom(digits, 'score'), profile.quality, file),
    hit: true,
    flags: { ...NO_FLAGS, ssnMatch: 'exact', ...profile.flags },
    hasStatement: profile.statement ?? beside.happens(0.02),
    inFile: oldest === undefined ? null : { months: oldest.age, days: oldest.days },
  };
}

function holderOf(of: SeededRandom, profile: Profile): Holder {
  const { quality } = profile;
  const hardTimes: HardTimes[] = [];
  // Borrowers in hardship (a lost job, an illness) are late on all their accounts at once.
  const episodes = Math.floor(along(quality, [2.6, 1.7, 0.9, 0.25, 0]) + of.share());
  for (let i = 0; i < episodes; i++) {
    const to = of.whole(0, HISTORY_MONTHS - 6);
    hardTimes.push({ from: to + of.whole(3, 10), to });
  }
  const punctual = profile.burden !== undefined;
  // A profile with a defined problem gets no random one.
  const isPlain = !punctual && !profile.thin && profile.lateNow === undefined && profile.repossession === undefined;
  const isBankrupt = of.happens(along(quality, [0.12, 0.09, 0.03, 0.004, 0])) && isPlain;
  const bankruptcy = profile.bankruptcy ?? (isBankrupt ? of.whole(4, 80) : null);
  if (bankruptcy !== null) hardTimes.push({ from: bankruptcy + 9, to: bankruptcy });
  const usual = along(quality, [0.95, 0.72, 0.45, 0.2, 0.06]) * of.between(0.8, 1.2);
  return { quality, punctual, bankruptcy, hardTimes: punctual ? [] : hardTimes, utilization: punctual ? 0.78 : usual };
}

type Planned = { readonly kind: KindName; readonly age: number; readonly open: boolean };

function thinOpenings(of: SeededRandom, { accounts, months }: NonNullable<Profile['thin']>): Planned[] {
  return Array.from({ length: accounts }, (_, i) => ({
    kind: of.pick(['card', 'card', 'retail', 'student', 'finance'] as const),
    age: i === 0 ? months : of.whole(1, months),
    open: true,
  }));
}

/** The number of accounts of each kind, by maturity (the first list) and by quality (a factor on it). */
const USUAL: readonly (readonly [kind: KindName, byMaturity: readonly number[], byQuality: readonly number[]])[] = [
  ['card', [1.2, 2.3, 3.8, 5.2, 7], [0.4, 0.75, 1, 1.1, 1.1]],
  ['retail', [0.4, 0.9, 1.5, 2.2, 3], [1, 1, 1, 0.9, 0.8]],
  ['auto', [0.5, 1, 1.6, 2.3, 3.2], [0.8, 1, 1, 1, 1]],
  ['lease', [0.05, 0.1, 0.2, 0.3, 0.4], [0.3, 0.6, 1, 1.2, 1.2]],
  ['student', [0.9, 1.1, 0.9, 0.6, 0.3], [1.2, 1, 1, 0.9, 0.8]],
  ['mortgage', [0, 0.3, 0.8, 1.2, 1.6], [0.15, 0.45, 0.9, 1.2, 1.3]],
  ['homeLine', [0, 0, 0.1, 0.2, 0.3], [0, 0.2, 0.8, 1.2, 1.3]],
  ['homeLoan', [0, 0, 0.05, 0.1, 0.15], [0.2, 0.6, 1, 1, 1]],
  ['personal', [0.3, 0.4, 0.6, 0.7, 0.8], [1, 1.2, 1.1, 0.8, 0.5]],
  ['finance', [0.5, 0.6, 0.7, 0.8, 0.9], [2.2, 1.5, 0.6, 0.2, 0.05]],
  ['creditLine', [0.1, 0.1, 0.2, 0.3, 0.4], [1.2, 1.1, 0.8, 0.5, 0.3]],
  ['recreation', [0, 0.02, 0.06, 0.1, 0.14], [0.6, 0.8, 1, 1, 1]],
  ['utility', [0.25, 0.2, 0.2, 0.15, 0.15], [1, 1, 1, 1, 1]],
];

/** The first ones come from the profile: late now, or repossessed. */
function usualOpenings(
  of: SeededRandom,
  { quality, maturity, lateNow, repossession, burden }: Profile,
  holder: Holder,
): Planned[] {
  const months = Math.round(along(maturity, [26, 80, 150, 235, 380]) * of.between(0.85, 1.15));
  const planned: Planned[] = [];
  if (repossession !== undefined) planned.push({ kind: 'auto', age: repossession + 22, open: false });
  const late = ['auto', 'card', 'card', 'personal'] as const;
  for (let i = 0; i < (lateNow ?? 0); i++) {
    planned.push({ kind: late[i % late.length] as KindName, age: of.whole(9, 30), open: true });
  }
  for (const [kind, byMaturity, byQuality] of USUAL) {
    const count = Math.floor(along(maturity, byMaturity) * along(quality, byQuality) + of.share());
    for (let i = 0; i < count; i++)
      planned.push({ kind, age: of.whole(1, months), open: burden !== undefined && i === 0 });
  }
  if (burden !== undefined) {
    for (const kind of ['auto', 'personal', 'card', 'recreation'] as const)
      planned.push({ kind, age: of.whole(4, 20), open: true });
  }
  // Some months after a bankruptcy a lender extends credit again.
  if (holder.bankruptcy !== null && holder.bankruptcy > 6) {
    planned.push({ kind: 'card', age: of.whole(2, holder.bankruptcy - 3), open: true });
  }
  // One account has the intended age of the history.
  planned.push({ kind: of.pick(['card', 'card', 'retail', 'student', 'auto'] as const), age: months, open: false });
  return planned;
}

function inventCollections(of: SeededRandom, { quality, burden, lateNow, collections }: Profile): Collection[] {
  const expected = burden === undefined ? along(quality, [2.6, 1, 0.3, 0.05, 0]) : 0;
  const count = Math.floor(expected + of.share()) + (lateNow === undefined ? 0 : 1);
  return Array.from({ length: collections ?? count }, () => {
    const about = of.pick(['medical', 'utility', 'utility', 'retail'] as const);
    const age = of.whole(3, 70);
    // Since 2023 a medical debt is reported only when it is unpaid and 500 dollars or more.
    const isPaid = about !== 'medical' && of.happens(0.3);
    const amount = of.whole(about === 'medical' ? 500 : 60, about === 'medical' ? 3_200 : 1_400);
    return {
      agency: of.pick(['EXAMPLE RECOVERY', 'SAMPLE COLLECTIONS', 'NOTIONAL RECEIVABLES']),
      member: `${of.digits(4)}YC${of.digits(3)}`,
      number: `****${of.digits(4)}`,
      about,
      age,
      days: of.whole(0, 27),
      agePaid: isPaid ? of.whole(0, age - 1) : null,
      amount,
      balance: isPaid ? 0 : amount,
    };
  });
}

function inventBankruptcy(of: SeededRandom, age: number): Bankruptcy {
  const chapter = of.happens(0.6) ? 7 : 13;
  // A chapter 7 case is discharged after some months, a chapter 13 plan after five years.
  return { chapter, age, days: of.whole(0, 27), discharged: age > (chapter === 7 ? 5 : 60) };
}

const INQUIRERS = {
  auto: ['EXAMPLE AUTO CREDIT', 'NOTIONAL MOTOR FINANCE', 'PRETEND AUTO MALL'],
  bank: ['EXAMPLE NATIONAL BANK', 'MOCK CARD SERVICES', 'SAMPLE CREDIT UNION'],
  retail: ['SAMPLE STREET STORES', 'EXAMPLE OUTFITTERS'],
  finance: ['PRETEND FINANCE', 'SPECIMEN LENDING'],
} as const;

/** In the last two years, the latest first. */
function inventInquiries(of: SeededRandom, { quality, thin }: Profile): Inquiry[] {
  const count = Math.floor(
    along(quality, [8, 5.5, 3.5, 2.2, 1.2]) * of.between(0.4, 1.6) * (thin ? 0.6 : 1) + of.share(),
  );
  const inquiries = Array.from({ length: count }, (): Inquiry => {
    const kind = of.pick(['auto', 'auto', 'bank', 'bank', 'retail', 'finance'] as const);
    return { from: of.pick(INQUIRERS[kind]), kind, daysAgo: of.whole(3, 725) };
  });
  return inquiries.sort((a, b) => a.daysAgo - b.daysAgo);
}
