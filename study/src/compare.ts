/**
 * Champion and challenger: two pairs of a model and a policy decide the same applications. What matters is where they differ. The
 * applications that only the challenger approves are swapped in, those that only the champion approves are swapped out.
 */
import { GRADES, type Grade } from '../../src/core/grade.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import type { UnderwritingInput } from '../../src/underwriting/underwrite.ts';
import { stabilityIndex } from './measures.ts';
import { type DealFigures, type Offers, type Outcome, outcomeOf } from './outcome.ts';

import type { Versions } from './versions.ts';

export type Comparison = {
  readonly champion: VersionNames;
  readonly challenger: VersionNames;
  readonly compared: number;
  /** Applications that cannot be assessed, by one version or both. */
  readonly refused: number;
  readonly books: { readonly champion: Book; readonly challenger: Book };
  readonly sets: Readonly<Record<SetName, ComparedSet>>;
  readonly shift: {
    /** Population stability index of the default probabilities of all applications, from the champion's to the challenger's. */
    readonly defaultProbability: number | null;
    /** The same of the credit scores of those who are approved. */
    readonly approvedScores: number | null;
  };
  readonly swaps: readonly Swap[];
};

export type VersionNames = { readonly model: string; readonly policy: string };

/** The loans that a version would make. Rates, loss and yield are those of the money, not of the loans: a large loan counts for more. */
export type Book = {
  readonly loans: number;
  /** Share of all applications, 0 to 1. */
  readonly approvalRate: number | null;
  /** The number of `loans` on other terms than requested. */
  readonly countered: number;
  readonly amountCents: number;
  readonly grades: Readonly<Record<Grade, number>>;
} & Figures;

export type Figures = {
  /** The mean of the loans. */
  readonly defaultProbability: number | null;
  readonly ratePercent: number | null;
  readonly expectedLossPercent: number | null;
  readonly netYieldPercent: number | null;
};

/** `swapIn`: approved by the challenger alone; `swapOut`: by the champion alone. */
export const SETS = ['both', 'swapIn', 'swapOut', 'neither'] as const;
export type SetName = (typeof SETS)[number];

/** The same applications as each of the two sees them. */
export type ComparedSet = { readonly applications: number; readonly champion: Figures; readonly challenger: Figures };

export type Swap = {
  readonly application: string;
  readonly swap: 'in' | 'out';
  readonly champion: SwapSide;
  readonly challenger: SwapSide;
};

export type SwapSide = {
  readonly decision: Outcome['decision'];
  readonly rules: readonly string[];
  readonly grade: Grade;
  readonly defaultProbability: number;
  readonly ratePercent: number;
};

type Pair = {
  readonly id: string;
  readonly score: number | null;
  readonly champion: Outcome;
  readonly challenger: Outcome;
};

/** Applications are added one by one, so that a file of any length can be read line by line. */
export function openComparison(
  champion: Versions,
  challenger: Versions,
  offers: Offers = 'rate',
): {
  /** Returns the refusal of an application that cannot be assessed; null: it was compared. */
  add(id: string, input: UnderwritingInput): Refusal | null;
  result(): Comparison;
} {
  const pairs: Pair[] = [];
  let refused = 0;
  return {
    add(id, input) {
      const one = outcomeOf(input, champion, offers);
      const other = isRefusal(one) ? one : outcomeOf(input, challenger, offers);
      if (isRefusal(one) || isRefusal(other)) {
        refused += 1;
        return isRefusal(one) ? one : (other as Refusal);
      }
      pairs.push({ id, score: input.primary.score, champion: one, challenger: other });
      return null;
    },
    result: () => ({
      champion: { model: champion.model.version, policy: champion.policy.version },
      challenger: { model: challenger.model.version, policy: challenger.policy.version },
      compared: pairs.length,
      refused,
      ...compared(pairs),
    }),
  };
}

function compared(pairs: readonly Pair[]): Pick<Comparison, 'books' | 'sets' | 'shift' | 'swaps'> {
  const inSet = (name: SetName) => pairs.filter((pair) => setOf(pair) === name);
  const set = (name: SetName): ComparedSet => {
    const found = inSet(name);
    return {
      applications: found.length,
      champion: figuresOf(found.map(({ champion }) => champion.deal)),
      challenger: figuresOf(found.map(({ challenger }) => challenger.deal)),
    };
  };
  const probabilities = (by: 'champion' | 'challenger') => pairs.map((pair) => pair[by].deal.defaultProbability);
  const scores = (by: 'champion' | 'challenger') =>
    pairs.flatMap((pair) => (isLent(pair[by]) && pair.score !== null ? [pair.score] : []));
  return {
    books: { champion: bookOf(pairs, 'champion'), challenger: bookOf(pairs, 'challenger') },
    sets: { both: set('both'), swapIn: set('swapIn'), swapOut: set('swapOut'), neither: set('neither') },
    shift: {
      defaultProbability: shiftOf(probabilities('champion'), probabilities('challenger')),
      approvedScores: shiftOf(scores('champion'), scores('challenger')),
    },
    swaps: pairs.flatMap((pair) => swapOf(pair) ?? []),
  };
}

function shiftOf(before: readonly number[], after: readonly number[]): number | null {
  return before.length === 0 || after.length === 0 ? null : rounded(stabilityIndex(before, after), 1e6);
}

function isLent({ decision }: Outcome): boolean {
  return decision !== 'declined';
}

function setOf({ champion, challenger }: Pair): SetName {
  if (isLent(champion)) return isLent(challenger) ? 'both' : 'swapOut';
  return isLent(challenger) ? 'swapIn' : 'neither';
}

function swapOf(pair: Pair): Swap | null {
  const set = setOf(pair);
  if (set === 'both' || set === 'neither') return null;
  return {
    application: pair.id,
    swap: set === 'swapIn' ? 'in' : 'out',
    champion: sideOf(pair.champion),
    challenger: sideOf(pair.challenger),
  };
}

function sideOf({ decision, rules, deal }: Outcome): SwapSide {
  return {
    decision,
    rules,
    grade: deal.grade,
    defaultProbability: rounded(deal.defaultProbability, 1e6),
    ratePercent: deal.rate,
  };
}

function bookOf(pairs: readonly Pair[], by: 'champion' | 'challenger'): Book {
  const lent = pairs.map((pair) => pair[by]).filter(isLent);
  const deals = lent.map(({ deal }) => deal);
  const count = (grade: Grade) => deals.filter((deal) => deal.grade === grade).length;
  return {
    loans: deals.length,
    approvalRate: pairs.length === 0 ? null : rounded(deals.length / pairs.length, 1e6),
    countered: lent.filter(({ decision }) => decision === 'countered').length,
    amountCents: sum(deals, ({ amount }) => amount),
    grades: Object.fromEntries(GRADES.map((grade) => [grade, count(grade)])) as Record<Grade, number>,
    ...figuresOf(deals),
  };
}

function figuresOf(deals: readonly DealFigures[]): Figures {
  const lent = sum(deals, ({ amount }) => amount);
  const paid = sum(deals, ({ paidOut }) => paidOut);
  const share = (part: number, whole: number, parts: number) => (whole === 0 ? null : rounded(part / whole, parts));
  return {
    defaultProbability: share(
      sum(deals, (deal) => deal.defaultProbability),
      deals.length,
      1e6,
    ),
    ratePercent: share(
      sum(deals, ({ rate, amount }) => rate * amount),
      lent,
      1e4,
    ),
    expectedLossPercent: share(sum(deals, ({ expectedLoss }) => expectedLoss) * 100, lent, 1e4),
    netYieldPercent: share(
      sum(deals, ({ netYieldPercent, paidOut }) => netYieldPercent * paidOut),
      paid,
      1e4,
    ),
  };
}

function sum(deals: readonly DealFigures[], value: (deal: DealFigures) => number): number {
  let total = 0;
  for (const deal of deals) total += value(deal);
  return total;
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
