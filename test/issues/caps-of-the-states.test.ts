/**
 * The rate alone was once held against a state's cap, so that 16 % with 1,500.00 of prepaid charges was lent in New York, and where no state
 * was named no cap held at all. Charges count with the rate, every state has a cap or says that it has none, and without one nothing is lent.
 */
import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { cents } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import type { LendingPolicy } from '../../src/underwriting/policy.ts';
import { POLICIES } from '../../src/underwriting/policy-data.ts';
import { STATE_CAPS } from '../../src/underwriting/state-caps.ts';
import { type Assessment, type UnderwritingInput, underwrite } from '../../src/underwriting/underwrite.ts';
import { type Figures, inputOf, ORDINARY } from '../support/underwriting/applicants.ts';

const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(
    ' ',
  );
const policy = POLICIES[0] as LendingPolicy;

function assess(figures: Partial<Figures>, change: Partial<UnderwritingInput> = {}): Assessment {
  const found = underwrite({ ...inputOf({ ...ORDINARY, ...figures }), ...change });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}
const rules = ({ reasons }: Assessment) => reasons.map(({ rule }) => rule);

describe('New York, where interest is all that is paid for the loan', () => {
  const asked = { state: 'NY', rate: '16.00', score: 600 };

  test('16 % alone is allowed, with 1,500.00 of prepaid charges it is not', () => {
    expect(rules(assess(asked))).not.toContain('state-rate-cap');
    const charged = assess(asked, { prepaidFinanceCharge: cents(1_500_00) });
    expect(rules(charged)).toContain('state-rate-cap');
    expect(charged.deals[0]?.decision).toBe('DECLINED');
    // About 1,500 ÷ 24,960 over an average of three years: two and a half points.
    const detail = charged.reasons.find(({ rule }) => rule === 'state-rate-cap')?.detail;
    const rate = Number(/Rate with all finance charges ([\d.]+) %, at most 16 %/.exec(detail ?? '')?.[1]);
    expect(rate).toBeGreaterThan(18);
    expect(rate).toBeLessThan(19.5);
  });

  test('no deal of the sixty is offered above it', () => {
    const found = assess({ ...asked, rate: '9.00' }, { prepaidFinanceCharge: cents(1_500_00) });
    for (const { decision, apr, rate } of found.assessed) {
      if (decision !== 'APPROVED') continue;
      expect(rate).toBeLessThanOrEqual(16);
      expect(apr).toBeLessThanOrEqual(16.125);
    }
  });
});

test('without a state nothing is offered, and it is said why', () => {
  for (const state of ['', 'somewhere', 'ZZ']) {
    const found = assess({ state });
    expect(
      found.deals.every(({ decision }) => decision === 'DECLINED'),
      state,
    ).toBe(true);
    expect(found.reasons[0]).toMatchObject({ code: 'application-incomplete', rule: 'state-of-residence' });
    expect(found.response.DeclineReason).toContain('Credit application incomplete');
    expect(found.response.LoanTerms).toEqual([]);
  }
  expect(assess({ state: '' }).warnings).toContain(
    'The applicant’s state is missing or unknown: nothing can be offered without it',
  );
  // Nor does a policy without caps lend where no state is named.
  const none = { ...policy, rules: policy.rules.filter(({ id }) => id !== 'state-rate-cap') };
  expect(assess({ state: '' }, { policy: none }).decision).toBe('DECLINED');
});

describe('every state', () => {
  test('has a cap or says that it has none on every day, with a source and the day it was written down', () => {
    expect([...new Set(STATE_CAPS.map(({ state }) => state))].sort()).toEqual([...STATES].sort());
    for (const day of ['2020-01-01', '2024-06-30', '2024-07-01', '2026-01-15', '2030-01-01']) {
      for (const state of STATES) {
        const held = STATE_CAPS.filter(
          (cap) => cap.state === state && cap.from <= date(day) && (cap.until === null || date(day) <= cap.until),
        );
        expect(held, `${state} on ${day}`).toHaveLength(1);
      }
    }
    for (const { source, asOf } of STATE_CAPS) expect([source.length > 8, asOf.length]).toEqual([true, 10]);
  });

  test('that nobody has confirmed warns on every deal, until the lender’s policy has', () => {
    const warned = ({ warnings }: Assessment) => warnings.filter((text) => text.includes('unverified'));
    const found = assess({ state: 'OH' });
    expect(warned(found)).toEqual([
      'The rate cap of OH is unverified (25 %, Ohio Rev. Code 1317.061): confirm or replace it in the lending policy',
    ]);
    for (const { AllWarnings } of found.underwriting.UnderwritingInfo) expect(AllWarnings).toContain('is unverified');
    const confirmed = (limit: number): LendingPolicy => ({
      ...policy,
      rules: policy.rules.map((rule) =>
        rule.id === 'state-rate-cap'
          ? { ...rule, limit: { byState: STATE_CAPS.map((cap) => ({ ...cap, limit, status: 'confirmed' as const })) } }
          : rule,
      ),
    });
    expect(warned(assess({ state: 'OH' }, { policy: confirmed(25) }))).toEqual([]);
    expect(rules(assess({ state: 'OH' }, { policy: confirmed(7) }))).toContain('state-rate-cap');
  });

  test.each(STATE_CAPS.filter(({ limit, until }) => limit !== null && limit < 30 && until === null))(
    '$state declines a rate above its cap',
    ({ state, limit }) => {
      const { contract } = inputOf(ORDINARY);
      const at = (rate: number) => {
        const asked = { ...contract, rate: percent(rate.toFixed(2)) };
        return rules(assess({ state }, { contract: asked })).includes('state-rate-cap');
      };
      expect([at(limit ?? 0), at((limit ?? 0) + 0.01)]).toEqual([false, true]);
    },
  );
});
