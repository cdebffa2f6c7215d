/**
 * Late fees that some states allow in retail installment contracts for motor vehicles, each with its source. New Jersey, Pennsylvania
 * and Texas were taken from the text of the statute. California, Illinois and New York were entered from memory and must be checked against
 * the current text. The rules of other states are not checked. Neither is a contract's own late fee: which law governs a contract is for its
 * lender to determine.
 */
import { cents, formatCents } from '../core/money.ts';
import type { LateFeePolicy } from '../core/policy.ts';
import { comparePercent, formatDecimal, type Percent, percent } from '../core/rate.ts';

export type StateLateFee = {
  readonly name: string;
  /** The most a percentage of the installment may be; null: the fee is a fixed amount. */
  readonly percent: Percent | null;
  /** The most a flat fee, or a floor under a percentage, may be; null: neither is allowed, since it could exceed the percentage. */
  readonly flat: ReturnType<typeof cents> | null;
  /** Days after the due date during which no fee may be charged. */
  readonly graceDays: number;
  readonly source: string;
};

export const STATE_LATE_FEES: Readonly<Record<string, StateLateFee>> = {
  // Entered from memory; not checked.
  CA: {
    name: 'California',
    percent: percent('5'),
    flat: null,
    graceDays: 10,
    source: 'California Civil Code § 2982(k)',
  },
  // Entered from memory; not checked.
  IL: {
    name: 'Illinois',
    percent: percent('5'),
    // Installments of up to 200 dollars: 10 dollars, which is 5 % of 200.
    flat: cents(10_00),
    graceDays: 10,
    source: '815 Illinois Compiled Statutes 375/11',
  },
  NJ: {
    name: 'New Jersey',
    percent: null,
    flat: cents(10_00),
    graceDays: 10,
    source: 'New Jersey Statutes 17:16C-42(a)',
  },
  // Entered from memory; not checked.
  NY: {
    name: 'New York',
    percent: percent('5'),
    flat: null,
    graceDays: 10,
    source: 'New York Personal Property Law § 302(7)',
  },
  PA: {
    name: 'Pennsylvania',
    percent: percent('2'),
    flat: null,
    graceDays: 10,
    source: '12 Pennsylvania Consolidated Statutes § 6245(b)(1)',
  },
  TX: {
    name: 'Texas',
    percent: percent('5'),
    flat: null,
    graceDays: 15,
    source: 'Texas Finance Code § 348.107(a)',
  },
};

/** The values of a rule that exceed the state's limits in this table; empty: none, or the state is not listed. */
export function aboveStateMaximum(state: string, rule: LateFeePolicy): { member: string; detail: string }[] {
  const law = STATE_LATE_FEES[state];
  if (law === undefined) return [];
  const found: { member: string; detail: string }[] = [];
  const note = (member: string, what: string) => found.push({ member, detail: `${what} (${law.source}).` });
  const ofInstallment = law.percent === null ? '' : `${formatDecimal(law.percent)} % of the installment`;
  if (rule.graceDays < law.graceDays) {
    note('graceDays', `${law.name} allows a late fee only after ${law.graceDays} days`);
  }
  if (law.percent !== null && rule.percent !== null && comparePercent(rule.percent, law.percent) > 0) {
    note('percent', `${law.name} allows at most ${ofInstallment}`);
  }
  for (const member of ['flat', 'floor'] as const) {
    const amount = rule[member];
    if (amount === null || amount === 0) continue;
    if (law.flat === null) {
      note(member, `${law.name} allows at most ${ofInstallment}, which a fixed amount can exceed; use percent and cap`);
    } else if (amount > law.flat) note(member, `${law.name} allows at most ${formatCents(law.flat)}`);
  }
  if (law.percent === null && rule.percent !== null && (rule.cap === null || rule.cap > (law.flat ?? 0))) {
    note(
      'cap',
      `${law.name} allows at most ${formatCents(law.flat ?? cents(0))}; a percentage needs a cap of that amount or less`,
    );
  }
  return found;
}
