/**
 * Ratios were once rounded one by one: then sixty deals with exact payments revealed the income to 0.3 % and the debts to twelve dollars;
 * their default probabilities, forecasts and decisions revealed more. No comparison of values in the public record may reveal more than the
 * step (5 % up or down) that income and debts were rounded to before anything was computed from them.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../src/core/refusal.ts';
import { POLICIES } from '../../src/underwriting/policy-data.ts';
import { pricingText } from '../../src/underwriting/pricing.ts';
import { inForce } from '../../src/underwriting/score.ts';
import { type Assessment, publicText, underwrite } from '../../src/underwriting/underwrite.ts';
import { creationOf } from '../support/creation.ts';
import { inputOf, ORDINARY } from '../support/underwriting/applicants.ts';
import { everyDeal } from '../support/underwriting/cashflows.ts';

const RUNS = { numRuns: process.env.TEST_LONG ? 1_000 : 25, seed: 20_260_115 };
const TIMEOUT = { timeout: process.env.TEST_LONG ? 600_000 : 20_000 };

/** The steps that the rule names, and the dollars that are nearest to one. */
const step = (k: number) => 1.1 ** k;
const within = (k: number, share: number) => {
  const [low, high] = [(step(k - 1) + step(k)) / 2, (step(k) + step(k + 1)) / 2];
  // A cent inside of either end: the steps themselves are of whole cents.
  return Math.round((low + 0.02 + share * (high - low - 0.04)) * 100) / 100;
};

/** Two applicants who differ only in income and debts, which round to the same steps. */
const alike = fc
  .record({
    incomeStep: fc.integer({ min: 78, max: 105 }),
    fewer: fc.integer({ min: 6, max: 35 }),
    shares: fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 4, maxLength: 4 }),
    score: fc.integer({ min: 540, max: 830 }),
    term: fc.constantFrom(36, 48, 60, 72),
    value: fc.integer({ min: 6_000, max: 60_000 }),
    rate: fc.constantFrom('5.49', '7.49', '11.25'),
  })
  .map(({ incomeStep, fewer, shares, ...deal }) => {
    const [a = 0, b = 0, c = 0, d = 0] = shares.map((share) => share / 1_000_000);
    const debtStep = incomeStep - fewer;
    return {
      ...{ incomeStep, debtStep, deal },
      first: { income: within(incomeStep, a), debts: within(debtStep, c) },
      second: { income: within(incomeStep, b), debts: within(debtStep, d) },
    };
  });

type Person = { income: number; debts: number };

function assess({ income, debts }: Person, deal: object): Assessment {
  const input = inputOf({ ...ORDINARY, ...deal, lines: [], income, housing: debts });
  // Debts are what is stated, also where that is little.
  const found = underwrite({ ...input, policy: { ...inForce(POLICIES, input.today), leastHousing: 0 } });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

/** The members of `loanDetails` that the public record shows of an assessment. */
function shownDetails({ details }: Assessment): object {
  const { pti: _, dti: __, lendingDecisionReason: ___, ...shown } = details;
  return shown;
}

describe('a loan that was underwritten here', () => {
  test('shows the same for two applicants whose figures round to the same steps', TIMEOUT, () => {
    let differed = 0;
    fc.assert(
      fc.property(alike, ({ first, second, deal }) => {
        const [one, other] = [assess(first, deal), assess(second, deal)];
        expect(publicText(other)).toBe(publicText(one));
        // Shown in GET /loans/{loan_id}/deals/{index}/cashflows.
        expect(everyDeal(other)).toBe(everyDeal(one));
        expect(shownDetails(other)).toEqual(shownDetails(one));
        expect(other.assessed.map(({ shown }) => shown)).toEqual(one.assessed.map(({ shown }) => shown));
        // Shown in GET /loans/{loan_id}/deals to callers who may not see personal data.
        expect(pricingText(other.assessed)).toBe(pricingText(one.assessed));
        // The lender decides on the exact figures, and sees them.
        if (other.underwriting.DealTermsInfo[0]?.TermsPTI !== one.underwriting.DealTermsInfo[0]?.TermsPTI)
          differed += 1;
      }),
      RUNS,
    );
    expect(differed).toBeGreaterThan(RUNS.numRuns / 3);
  });

  test('sixty ratios together reveal the income no closer than the step', TIMEOUT, () => {
    fc.assert(
      fc.property(alike, ({ first, incomeStep, debtStep, deal }) => {
        const { DealTermsInfo } = JSON.parse(publicText(assess(first, deal))) as { DealTermsInfo: Ratios[] };
        expect(DealTermsInfo).toHaveLength(60);
        intersect(DealTermsInfo, incomeStep, debtStep);
      }),
      RUNS,
    );
  });
});

describe('a loan that was assessed elsewhere', () => {
  const LEAST = {
    ...{ applicationId: 'APP-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
    ...{ loanAmount: '20000', interestRate: '7.25', term: 60, scheduledPayment: '398.39' },
  };

  /** Sixty deals with exact payments and, as the other lender writes them, exact ratios. */
  function boarded({ income, debts }: Person): string {
    const deals = Array.from({ length: 60 }, (_, i) => {
      const payment = Math.round((250 + i * 13.37) * 100) / 100;
      return {
        ...{ TermsMonthlyPayment: payment.toFixed(2), TermsLoanAmount: '20000.00', TermsTerm: '60', TermsAPR: '7.25' },
        ...{ TermsPTI: (payment / income).toFixed(10), TermsDTI: ((debts + payment) / income).toFixed(10) },
      };
    });
    const Underwriting = { DealTermsInfo: deals, UnderwritingInfo: deals.map(() => ({ DecisionStatus: 'APPROVED' })) };
    const Request = {
      ApplicantInfo: { MonthlyGross: income },
      RequestedTermsInfo: { RequestedLoanPTI: (398.39 / income).toFixed(10), RequestedLoanPayment: '398.39' },
    };
    return creationOf({ ...LEAST, Request, Underwriting }, '2026-06-15').publicPart;
  }

  test('shows the same for two applicants whose figures round to the same steps', TIMEOUT, () => {
    fc.assert(
      fc.property(alike, ({ first, second }) => {
        expect(boarded(second)).toBe(boarded(first));
      }),
      RUNS,
    );
  });

  test('sixty ratios together reveal the income no closer than the step', TIMEOUT, () => {
    fc.assert(
      fc.property(alike, ({ first, incomeStep, debtStep }) => {
        const [details = '', members] = boarded(first).split('\n');
        const { Underwriting } = JSON.parse(`{${members}}`) as { Underwriting: { DealTermsInfo: Ratios[] } };
        const { pti, dti } = JSON.parse(details) as { pti: string; dti: string };
        const own = { TermsMonthlyPayment: '398.39', TermsPTI: pti, TermsDTI: dti };
        intersect([...Underwriting.DealTermsInfo, own], incomeStep, debtStep);
      }),
      RUNS,
    );
  });

  test('shows no ratio without an income in its application', () => {
    const Underwriting = {
      DealTermsInfo: [{ TermsMonthlyPayment: '398.39', TermsPTI: '0.0873', TermsDTI: '31.4 %' }],
      UnderwritingInfo: [{}],
    };
    const { publicPart, personal } = creationOf({ ...LEAST, Underwriting }, '2026-06-15');
    expect(publicPart).toContain('"TermsDTI":""');
    expect(publicPart).toContain('"TermsPTI":""');
    expect(publicPart).toContain('"pti":"","dti":""');
    expect([personal.pti, personal.dti]).toEqual(['0.0873', '0.314']);
  });
});

type Ratios = { TermsMonthlyPayment: string; TermsPTI: string; TermsDTI: string };

/** The rule is public: the pairs of steps that agree with every ratio shown. The right one is always among them. */
function intersect(deals: readonly Ratios[], incomeStep: number, debtStep: number): void {
  const agrees = (income: number, debts: number) =>
    deals.every(({ TermsMonthlyPayment, TermsPTI, TermsDTI }) => {
      const payment = Number(TermsMonthlyPayment);
      const isAbout = (shown: string, ratio: number) => Math.abs(Number(shown) - Math.min(2, ratio)) <= 0.005 + 1e-6;
      return isAbout(TermsPTI, payment / income) && isAbout(TermsDTI, (debts + payment) / income);
    });
  const cent = (amount: number) => Math.round(amount * 100) / 100;
  expect(agrees(cent(step(incomeStep)), cent(step(debtStep)))).toBe(true);
}
