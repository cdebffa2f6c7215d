/**
 * Approvals against what the engine assessed, or of an application that it could not assess. Each has a reason from this list beside the
 * officer's own words. A role may limit them to an amount, to grades and to rules: its authority. An override beyond that authority, or
 * one that the policy's `approvals` name as `override`, waits for somebody else. No authority reaches a hard stop.
 */
import type { Grade } from './grade.ts';
import { type Cents, formatCents } from './money.ts';

/** By code: the reason in words. */
export const OVERRIDE_REASONS = {
  compensatingIncome: 'income that the assessment did not count',
  compensatingAssets: 'assets that outweigh what was found',
  downPayment: 'a larger down payment',
  relationship: 'a long relationship in good standing',
  documentedError: 'an error in the credit file or the application, with documents',
  verifiedElsewhere: 'facts that were verified outside this service',
  notAssessed: 'nothing was assessed, and the officer decided on their own',
  other: 'another reason',
} as const;

export type OverrideReason = keyof typeof OVERRIDE_REASONS;
export const OVERRIDE_REASON_CODES = Object.keys(OVERRIDE_REASONS) as OverrideReason[];

/** Its name in `approvals` of a policy and in `limits` of a role. It is no operation: it is brought about by `complete-underwriting`. */
export const OVERRIDE = 'override';

/** The rule that an approval overrides where nothing was assessed. */
export const NOT_ASSESSED = 'not-assessed';

/** The most that a role overrides alone; null: not limited in this respect. */
export type OverrideAuthority = {
  /** The highest loan amount. */
  readonly amount: Cents | null;
  readonly grades: readonly Grade[] | null;
  /** Ids of rules of the lending policy. */
  readonly rules: readonly string[] | null;
};

/** The parts of an assessment that an approval overrides. Null: not known, which is beyond every authority that limits it. */
export type Overridden = {
  readonly grade: string | null;
  /** The rules that declined the deal. */
  readonly rules: readonly string[] | null;
};

/** The respects in which an override is beyond the authority, in words; empty: it is within it. `overridden` null: only the amount counts. */
export function beyondAuthority(
  authority: OverrideAuthority,
  { amount, overridden }: { readonly amount: Cents; readonly overridden: Overridden | null },
): string[] {
  const above =
    authority.amount !== null && amount > authority.amount
      ? [`the loan amount ${formatCents(amount)} is above ${formatCents(authority.amount)}`]
      : [];
  if (overridden === null) return above;
  return [...above, ...beyondGrades(authority, overridden), ...beyondRules(authority, overridden)];
}

function beyondGrades({ grades }: OverrideAuthority, { grade }: Overridden): string[] {
  if (grades === null || grades.some((one) => one === grade)) return [];
  const which = grades.length === 0 ? 'none' : grades.join(', ');
  return [`the grade ${grade ?? 'is not known, which'} is not among those allowed (${which})`];
}

function beyondRules({ rules: allowed }: OverrideAuthority, { rules }: Overridden): string[] {
  if (allowed === null) return [];
  if (rules === null) return ['the rules that declined it are not known'];
  const others = rules.filter((rule) => !allowed.includes(rule));
  return others.length === 0 ? [] : [`not allowed to be overridden: ${others.join(', ')}`];
}

/** The one that reaches further: by amount, then by grades, then by rules. Parts of two are never joined. */
export function widerAuthority(a: OverrideAuthority, b: OverrideAuthority): OverrideAuthority {
  const reach = ({ amount, grades, rules }: OverrideAuthority) => [
    amount ?? Number.POSITIVE_INFINITY,
    grades?.length ?? Number.POSITIVE_INFINITY,
    rules?.length ?? Number.POSITIVE_INFINITY,
  ];
  const [ofA, ofB] = [reach(a), reach(b)];
  const at = ofA.findIndex((figure, i) => figure !== ofB[i]);
  return at < 0 || (ofA[at] as number) > (ofB[at] as number) ? a : b;
}
