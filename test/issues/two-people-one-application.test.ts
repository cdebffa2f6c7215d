/**
 * With two people on an application only the first one's score once counted: with 560 and 800 the buy rate was 15.10 or 6.75, by who was named
 * first. Both are liable for the whole loan, so the weaker file prices it, and the order changes nothing but the names.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { adverseActionNotice } from '../../src/underwriting/notice.ts';
import { pricingText } from '../../src/underwriting/pricing.ts';
import {
  type Assessment,
  dealCashflows,
  publicText,
  type UnderwritingInput,
  underwrite,
} from '../../src/underwriting/underwrite.ts';
import { anyFigures, type Figures, inputOf, ORDINARY, reportOf } from '../support/underwriting/applicants.ts';

type Person = Pick<Figures, 'score' | 'hit' | 'lines' | 'inquiries' | 'monthsInFile' | 'flags'> & {
  readonly info: Readonly<Record<string, unknown>>;
};
type Texts = Record<string, unknown>;

/** The members of a person's object of `Request`, each with the prefix of their place on the application. */
const named = (prefix: string, info: Readonly<Record<string, unknown>>): Texts =>
  Object.fromEntries(Object.entries(info).map(([name, value]) => [name.replace('*', prefix), value]));

function joint(figures: Figures, [first, second]: readonly [Person, Person]): UnderwritingInput {
  const input = inputOf({ ...figures, joint: null });
  const request = input.request as Record<string, Texts>;
  return {
    ...input,
    primary: reportOf(first, input.today),
    coApplicant: reportOf(second, input.today),
    request: {
      ...request,
      ApplicantInfo: { ApplicantSSN: '900-42-0042', ...named('Applicant', first.info) },
      ApplicationInfo: { ...request.ApplicationInfo, ApplicantsNumber: '2' },
      CoApplicantInfo: { CoApplicantSSN: '900-42-0043', ...named('CoApplicant', second.info) },
    },
  };
}

function assess(input: UnderwritingInput): Assessment {
  const found = underwrite(input);
  if (isRefusal(found)) throw new Error(`${found.refused} ${found.member}: ${found.detail}`);
  return found;
}

/** A text about the two people as it would be with their places exchanged. */
const OTHER: Record<string, string> = {
  ...{ applicant: 'co-applicant', 'co-applicant': 'applicant' },
  ...{ Applicant: 'CoApplicant', CoApplicant: 'Applicant' },
};
const exchanged = (text: string) =>
  text.replace(/co-applicant|applicant(?!s)|CoApplicant|Applicant/g, (name) => OTHER[name] as string);

/** All of a decision that is not one person's own file. Texts about a person are in order, so that only what they say is compared. */
function decided(found: Assessment, asWritten: (text: string) => string) {
  const { response, underwriting, details } = found;
  const { CreditScorePrimary, CreditScoreCoapplicant, Stipulations, ...answer } = response;
  const { applicantCreditVision, coApplicantCreditVision, creditReportHash, ...figures } = details;
  const { DealTermsInfo, UnderwritingInfo } = underwriting;
  return {
    ...{ answer, figures, DealTermsInfo, decision: found.decision, deals: found.deals },
    UnderwritingInfo: UnderwritingInfo.map(({ AllWarnings, ...info }) => info),
    reasons: found.reasons.map(({ code, rule }) => `${code} ${rule}`),
    pricing: pricingText(found.assessed),
    cashflows: dealCashflows(found, 0),
    shown: publicText(found),
    warnings: found.warnings.map(asWritten).sort(),
    stipulations: (Stipulations as string[]).map(asWritten).sort(),
  };
}

const own = (text: string) => text;

function sameInBothOrders(figures: Figures, people: readonly [Person, Person]): Assessment {
  const one = assess(joint(figures, people));
  const other = assess(joint(figures, [people[1], people[0]]));
  expect(decided(other, exchanged)).toEqual(decided(one, own));
  expect(other.notice?.coApplicant).toEqual(one.notice?.applicant);
  expect(other.notice?.applicant).toEqual(one.notice?.coApplicant);
  expect(other.requested.coApplicant).toEqual(one.requested.applicant);
  return one;
}

const WEAK: Person = {
  ...ORDINARY,
  score: 560,
  info: { MonthlyGross: 3_200, '*State': 'OH', HousingMonthlyPayment: '900' },
};
const STRONG: Person = {
  ...ORDINARY,
  score: 800,
  lines: ORDINARY.lines.slice(0, 2),
  info: { MonthlyGross: 4_100, HousingMonthlyPayment: '0' },
};

test('560 and 800 are priced as 560, whoever is named first', () => {
  const found = sameInBothOrders(ORDINARY, [WEAK, STRONG]);
  expect(found.facts.credit.score).toBe(560);
  expect(found.assessed[0]?.sheet.buyRate).toBeGreaterThan(12);
  expect(found.warnings).toContain('The applicants’ scores are 240 points apart; the lower one counts');
});

describe('the order of two people changes nothing', () => {
  const info = fc.record({
    MonthlyGross: fc.constantFrom<unknown>(2_400, '$3,100.00', 5_200, 0),
    OtherIncomeAmount: fc.constantFrom('', '300'),
    '*Income': fc.constantFrom('', '48,000'),
    HousingMonthlyPayment: fc.constantFrom(null, '', '650', '1,200'),
    '*Address': fc.constantFrom('', '12 Sample Street', '9 Other Road'),
    '*State': fc.constantFrom('OH', 'NY', 'TX', 'FL', 'AR', 'CA'),
    '*DOB': fc.constantFrom('', '19840302', '20100607'),
  });
  const flags = fc.constantFrom<NonNullable<Figures['flags']>>(
    ...[{}, {}, {}, { fraudAlert: 'initial' } as const, { frozen: true }, { deceased: true }],
    ...[{ ssnMatch: 'noMatch' } as const, { ssnMatch: 'partial' } as const, { addressDiscrepancy: true }],
  );
  const pair = fc.tuple(anyFigures, anyFigures, info, info, flags, flags, fc.boolean(), fc.nat({ max: 4 }));

  test('a property over random applications', { timeout: 120_000 }, () => {
    const property = fc.property(pair, ([a, b, firstInfo, secondInfo, firstFlags, secondFlags, isEqual, common]) => {
      const lines = [...a.lines.slice(0, common), ...b.lines.slice(common)];
      const first: Person = { ...a, flags: firstFlags, info: firstInfo };
      const second: Person = { ...b, lines, score: isEqual ? a.score : b.score, flags: secondFlags, info: secondInfo };
      sameInBothOrders(a, [first, second]);
    });
    fc.assert(property, { numRuns: process.env.TEST_LONG ? 1_000 : 30, seed: 20_260_115 });
  });
});

test('the weaker of two files never makes a loan cheaper, nor its grade better', () => {
  const rate = (score: number | null, hit = true) =>
    assess(joint(ORDINARY, [STRONG, { ...WEAK, score, hit, lines: STRONG.lines, info: STRONG.info }])).assessed[0]
      ?.sheet.buyRate as number;
  const rates = [rate(800), rate(720), rate(650), rate(560), rate(540)];
  expect(rates).toEqual([...rates].sort((a, b) => a - b));
  // Without a score they count as the lowest score that is lent to: leaving out a number is never an advantage.
  expect(rate(null)).toBeGreaterThanOrEqual(rate(540));
  expect(rate(null, false)).toBeGreaterThanOrEqual(rate(540));
});

test('a co-applicant who is named without a number is not left out, and the application is not assessed', () => {
  const named = (changes: Record<string, Texts>) => {
    const request = structuredClone(inputOf(ORDINARY).request) as Record<string, Texts>;
    for (const [part, texts] of Object.entries(changes)) request[part] = { ...request[part], ...texts };
    const found = underwrite({ ...inputOf(ORDINARY), request });
    return isRefusal(found) ? `${found.refused} ${found.member}` : found.decision;
  };
  const refused = 'required Request.CoApplicantInfo.CoApplicantSSN';
  expect(named({ ApplicationInfo: { ApplicantsNumber: '2' } })).toBe(refused);
  expect(named({ CoApplicantInfo: { CoApplicantDOB: '19850917' } })).toBe(refused);
  expect(named({ CoApplicantInfo: { CoApplicantSSN: 'n/a' } })).toBe(refused);
  expect(named({ CoApplicantInfo: { MonthlyGross: 0 } })).toBe('APPROVED');
});

test('an account in both files counts once, with the worse of what they say', () => {
  const card = { kind: 'card', months: 96, open: true, high: 8_000, used: 25, late: 0, pastDue: false } as const;
  const both = (used: number, their: number) => {
    const [first, second] = [used, their].map((share) => ({ ...WEAK, lines: [{ ...card, used: share }] }));
    return assess(joint(ORDINARY, [first as Person, second as Person])).facts;
  };
  expect(both(25, 75).credit).toEqual(both(75, 25).credit);
  expect(both(25, 75).credit).toMatchObject({ accounts: 1, revolvingBalance: 6_000_00 });
  expect(both(25, 75).obligations.tradeLines).toBe(150_00);
});

test('two homes are paid for, one home once', () => {
  const housing = (first: object, second: object) =>
    assess(
      joint(ORDINARY, [
        { ...WEAK, info: { MonthlyGross: 4_000, ...first } },
        { ...STRONG, info: { MonthlyGross: 4_000, ...second } },
      ]),
    ).facts.obligations.housing;
  const rent = { HousingMonthlyPayment: '900' };
  const [here, there] = [{ '*Address': '12 Sample Street' }, { '*Address': '12 sample street.' }];
  expect(housing(rent, { HousingMonthlyPayment: '700' })).toBe(1_600_00);
  expect(housing({ ...rent, ...here }, { HousingMonthlyPayment: '700', ...there })).toBe(900_00);
  expect(housing(rent, { HousingMonthlyPayment: '0' })).toBe(900_00);
});

test('both must be of age, and the caps of both states hold', () => {
  const minor = { ...STRONG, info: { ...STRONG.info, '*DOB': '20100101' } };
  expect(sameInBothOrders(ORDINARY, [WEAK, minor]).reasons[0]?.code).toBe('no-capacity');
  const apart = [
    { ...WEAK, info: { ...WEAK.info, '*State': 'OH' } },
    { ...STRONG, info: { ...STRONG.info, '*State': 'NY' } },
  ] as const;
  const found = sameInBothOrders({ ...ORDINARY, rate: '17.00' }, apart);
  expect(found.facts.states).toEqual(['NY', 'OH']);
  expect(found.reasons.map(({ rule }) => rule)).toContain('state-rate-cap');
});

test('the notice of a joint decline has each person’s own score, and not what is in the other’s file', () => {
  const late = { kind: 'auto', months: 90, open: true, high: 9_000, used: 50, late: 4, pastDue: true } as const;
  const card = { kind: 'card', months: 90, open: true, high: 9_000, used: 5, late: 0, pastDue: false } as const;
  const weak: Person = { ...WEAK, score: 503, lines: [late, late, late, late] };
  const strong: Person = { ...STRONG, score: 791, lines: [card, { ...card, high: 4_000 }, { ...card, high: 5_000 }] };
  const { notice } = sameInBothOrders(ORDINARY, [strong, weak]);
  const party = { name: 'X', address: '', telephone: '' };
  const written = (name: 'applicant' | 'coApplicant') =>
    adverseActionNotice(
      { notice: notice?.[name] ?? null },
      {
        ...{ date: date('2026-01-16'), offersEnd: date('2026-02-15') },
        ...{ applicantName: name, creditor: party, bureau: party, federalAgency: 'Y' },
      },
    ) ?? '';
  expect(written('applicant')).toContain('Your credit score: 791');
  expect(written('applicant')).toContain('- Credit file of another applicant on this application');
  expect(written('applicant')).not.toMatch(/503|Delinquent/);
  expect(written('coApplicant')).toContain('Your credit score: 503');
  expect(written('coApplicant')).toContain('- Delinquent past or present credit obligations with others');
  expect(written('coApplicant')).not.toMatch(/791|another applicant/);
});
