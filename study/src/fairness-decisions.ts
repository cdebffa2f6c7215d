/** The decisions that fair lending examines: that on each simulated applicant, and every application again from somebody else. */
import { isRefusal } from '../../src/core/refusal.ts';
import type { AssessedDeal } from '../../src/underwriting/deal.ts';
import { incomeIn } from '../../src/underwriting/facts.ts';
import { principalStatements } from '../../src/underwriting/reasons.ts';
import { assessRequested, type UnderwritingInput } from '../../src/underwriting/underwrite.ts';
import { atBuyRate, rulesOf } from './outcome.ts';
import type { Applicant, Group } from './population.ts';
import type { Versions } from './versions.ts';

/** An applicant with what was decided. */
export type Subject = {
  readonly group: Group;
  /** As requested, or the same deal at the buy rate. */
  readonly approved: boolean;
  /** The reasons of a decline; none when approved. */
  readonly rules: readonly string[];
  readonly statements: readonly string[];
  /** Percent a year: the lowest rate that the lender offers for this risk, and the rate asked for. */
  readonly buyRate: number;
  readonly askedRate: number;
  readonly amount: number;
  readonly expectedLoss: number;
  readonly factors: Readonly<Record<Factor, number | null>>;
};

/** Factors that a lender may consider, by their names in the report. */
export const FACTORS = {
  score: 'Credit score',
  ltv: 'Loan to value, %',
  income: 'Income a month, $',
  dti: 'Debt to income with this loan, %',
  term: 'Term, months',
  vehicleAge: 'Vehicle age, years',
} as const;
export type Factor = keyof typeof FACTORS;

function requested(input: UnderwritingInput, versions: Versions): AssessedDeal {
  const deal = assessRequested({ ...input, ...versions });
  if (isRefusal(deal)) throw new Error(`A simulated application cannot be assessed: ${deal.detail}`);
  return deal;
}

export function subjectOf({ group, input, score }: Applicant, versions: Versions): Subject {
  const asked = requested(input, versions);
  const other = asked.decision === 'APPROVED' ? asked : atBuyRate(input, versions, asked);
  const deal = isRefusal(other) ? asked : other;
  return {
    group,
    approved: deal.decision === 'APPROVED',
    rules: rulesOf(deal),
    statements: principalStatements(deal.findings.reasons),
    buyRate: asked.sheet.buyRate,
    askedRate: asked.rate,
    amount: deal.contract.amount,
    expectedLoss: deal.forecast.totals.netLoss,
    factors: {
      score,
      ltv: deal.ratios.ltv * 100,
      income: (incomeIn(input.request) ?? 0) / 100,
      dti: asked.ratios.dti * 100,
      term: deal.term,
      vehicleAge: asked.features.vehicleAge,
    },
  };
}

// ---- decided again as somebody else ----

/** Members from which a proxy for a group is usually made. Underwriting reads none of them, except that a minor cannot sign. */
const SOMEBODY_ELSE = {
  ApplicantFirstName: 'Guadalupe',
  ApplicantLastName: 'Washington',
  ApplicantDOB: '19431224',
  ApplicantAge: '82',
  ApplicantAddress: '1 Other Street',
  ApplicantCity: 'Elsewhere',
  ApplicantZip: '60629',
  County: 'Cook',
  Sex: 'F',
  MaritalStatus: 'Separated',
  PreferredLanguage: 'es',
  EmploymentType: 'Retired',
  OtherIncomeType: 'Public assistance',
};

/** The number of applications, and of those that came out differently in any figure of the deal. */
export type Redecided = { readonly applications: number; readonly changed: number };

export function decideAgain(applicants: readonly Applicant[], versions: Versions, step: () => void): Redecided {
  let changed = 0;
  for (const { input } of applicants) {
    step();
    const request = input.request as { readonly ApplicantInfo: object };
    const other = { ...input, request: { ...request, ApplicantInfo: { ...request.ApplicantInfo, ...SOMEBODY_ELSE } } };
    if (JSON.stringify(requested(other, versions)) !== JSON.stringify(requested(input, versions))) changed += 1;
  }
  return { applications: applicants.length, changed };
}
