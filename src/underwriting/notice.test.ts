import { describe, expect, test } from 'vitest';
import { inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { date } from '../core/calendar.ts';
import { isRefusal } from '../core/refusal.ts';
import { OFFER_NAMES } from './counter-offers.ts';
import { adverseActionNotice, type NoticeParties } from './notice.ts';
import { underwrite } from './underwrite.ts';

const PARTIES: NoticeParties = {
  date: date('2026-01-16'),
  applicantName: 'Petra Larksmere',
  applicantAddress: ['12 Sample Street', 'Exampleton, OH'],
  creditor: { name: 'Example Lending', address: '1 Main Street, Exampleton, OH', telephone: '202-555-0100' },
  bureau: { name: 'Sample Bureau', address: 'P.O. Box 1, Nowhere', telephone: '800-555-0100' },
  offersEnd: date('2026-02-15'),
  federalAgency: 'Federal Trade Commission, Equal Credit Opportunity, Washington, DC 20580',
};

function notice(figures: Partial<typeof ORDINARY>): string | null {
  const found = underwrite(inputOf({ ...ORDINARY, ...figures }));
  if (isRefusal(found)) throw new Error(found.detail);
  return adverseActionNotice({ notice: found.notice?.applicant ?? null }, PARTIES);
}

test('an application approved as requested needs no notice', () => {
  expect(notice({})).toBeNull();
});

describe('a denial', () => {
  const late = { kind: 'auto', months: 30, open: true, high: 9_000, used: 50, late: 4, pastDue: true } as const;
  const text = notice({ score: 490, lines: [late, late, late, late, late] }) ?? '';

  test('as the applicant reads it', () => {
    expect(text).toMatchInlineSnapshot(`
      "NOTICE OF ACTION TAKEN AND STATEMENT OF REASONS

      Date: 2026-01-16
      Applicant: Petra Larksmere, 12 Sample Street, Exampleton, OH
      Creditor: Example Lending, 1 Main Street, Exampleton, OH, 202-555-0100
      Credit requested: 24,960.00 over 72 months at 8.49 % a year, 443.60 a month

      Dear Applicant: thank you for your application. After reviewing it, Example Lending is unable to grant you the credit you requested.

      Principal reasons:
      - Delinquent past or present credit obligations with others
      - Excessive obligations in relation to income
      - Length of the loan requested is too long for this credit

      Our credit decision was based in whole or in part on information obtained in a report from the consumer reporting agency listed below. You have a right under the Fair Credit Reporting Act to know the information contained in your credit file at the consumer reporting agency. The reporting agency played no part in our decision and is unable to supply specific reasons why we have denied credit to you. You also have a right to a free copy of your report from the reporting agency, if you request it no later than 60 days after you receive this notice. In addition, if you find that any information contained in the report you receive is inaccurate or incomplete, you have the right to dispute the matter with the reporting agency.
      Consumer reporting agency: Sample Bureau, P.O. Box 1, Nowhere, 800-555-0100

      We also obtained your credit score from this consumer reporting agency and used it in making our credit decision. Your credit score is a number that reflects the information in your credit report. Your credit score can change, depending on how the information in your credit report changes. If you have any questions regarding your credit score, you should contact Sample Bureau, P.O. Box 1, Nowhere, 800-555-0100.
      Your credit score: 490. Date: 2026-01-15. Scores range from a low of 300 to a high of 850.
      Key factors that adversely affected your credit score:
      - Length of time accounts have been established

      Notice: The Federal Equal Credit Opportunity Act prohibits creditors from discriminating against credit applicants on the basis of race, color, religion, national origin, sex, marital status, age (provided the applicant has the capacity to enter into a binding contract); because all or part of the applicant's income derives from any public assistance program; or because the applicant has in good faith exercised any right under the Consumer Credit Protection Act. The Federal agency that administers compliance with this law concerning this creditor is Federal Trade Commission, Equal Credit Opportunity, Washington, DC 20580."
    `);
  });

  test('gives at most four specific reasons, and never the score as one (12 CFR 1002.9(b)(2))', () => {
    const reasons = [...(/Principal reasons:\n((?:- .*\n)+)/.exec(text)?.[1] ?? '').matchAll(/^- (.*)$/gm)].map(
      ([, reason]) => reason,
    );
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.length).toBeLessThanOrEqual(4);
    expect(reasons.join(' ')).not.toMatch(/score|internal|policy|model/i);
  });

  test('has the statement of the Equal Credit Opportunity Act and the agency (12 CFR 1002.9(b)(1))', () => {
    expect(text).toContain('The Federal Equal Credit Opportunity Act prohibits creditors from discriminating');
    expect(text).toContain(PARTIES.federalAgency);
  });

  test('has the disclosures of the Fair Credit Reporting Act: agency, its part, the free copy, dispute, score, factors', () => {
    for (const words of [
      'Sample Bureau, P.O. Box 1',
      'played no part',
      'no later than 60 days',
      'right to dispute',
      'Your credit score: 490. Date: 2026-01-15',
      'low of 300 to a high of 850',
      'Key factors',
    ]) {
      expect(text).toContain(words);
    }
  });
});

describe('a counter-offer (12 CFR 1002.9(a)(1)(iv))', () => {
  const text = notice({ ltv: 150 }) ?? '';

  test('says what is offered instead: up to three, each named by what it is best in', () => {
    expect(text).toContain('unable to offer you credit on the terms that you requested');
    const offers = /We can, however, offer you credit on any one of the following terms:\n((?:- .*\n)+)/.exec(
      text,
    )?.[1];
    const lines = (offers ?? '').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(lines.length).toBeLessThanOrEqual(3);
    for (const line of lines) {
      expect(line).toMatch(
        /^- [\d,.]+ over \d+ months at [\d.]+ % a year, [\d,.]+ a month(, with [\d,.]+ more of a down payment)? \([a-z ,]+\)$/,
      );
    }
    for (const name of OFFER_NAMES) expect(offers).toContain(name);
    expect(text).toContain('please notify us by 2026-02-15.');
  });

  test('names the principal reasons, too', () => {
    expect(text).toContain('Principal reasons:\n- Value or type of collateral not sufficient');
  });
});

test('without a score the notice does not mention one', () => {
  const text = notice({ hit: false }) ?? '';
  expect(text).toContain('- No credit file');
  expect(text).not.toContain('Your credit score');
});

describe('a joint application', () => {
  const late = { kind: 'auto', months: 30, open: true, high: 9_000, used: 50, late: 4, pastDue: true } as const;
  const joint = { score: 517, income: 1_000 };

  test('discloses the applicant’s own score and factors, never the co-applicant’s', () => {
    const text = notice({ score: 503, lines: [late, late], joint }) ?? '';
    expect(text).toContain('Your credit score: 503');
    expect(text).not.toContain('517');
  });

  test('discloses none where only the co-applicant has one, and of the files only the statements', () => {
    const text = notice({ score: null, lines: [late, late, late, late], joint }) ?? '';
    expect(text).toContain('- Delinquent past or present credit obligations with others');
    expect(text).not.toMatch(/517|Your credit score|past due \d|90 days/);
  });
});
