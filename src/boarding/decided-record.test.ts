import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import type { CreditDecision } from '../core/credit-decision.ts';
import { decisionTexts, type ExplainedDecision, withDecision } from './decided-record.ts';

const DECISION: CreditDecision = {
  ...{ approved: true, by: 'assessment', reasoned: false, overridden: false, dealIndex: 1 },
  on: date('2026-01-05'),
  reasonCode: null,
  at: '2026-03-04T05:06:07.890Z',
};
const RECORD = Buffer.from(
  '"Request":{"ApplicantInfo":{"ApplicantFirstName":"Zoë","Decision":"mine"}},' +
    '"Response":{"Comments":["Decision \\"x\\""],"Decision":"DECLINED","DecisionDate":null,"DeclineReason":"Écart","Mine":{"Decision":1}},' +
    '"Underwriting":{"PrimaryCreditInfo":{"Decision":"AT01"},"UnderwritingInfo":[' +
    '{"DecisionStatus":"DECLINED","DecisionReason":"a","DecisionReasonSimple":"b"},' +
    '{"DecisionReason":"Éveillé; \\u00e9gal","DecisionReasonSimple":"Écart","DecisionStatus" : "DECLINED"}]}',
);

function shown(more: Partial<Omit<ExplainedDecision, 'decision'>> & { decision?: Partial<CreditDecision> } = {}) {
  const { decision, ...rest } = more;
  const given = { assessed: true, reason: '', overrode: [], lendingDecisionReason: 'As it was', ...rest };
  const texts = decisionTexts(RECORD, { ...given, decision: { ...DECISION, ...decision } });
  const text = Buffer.concat(withDecision(RECORD, texts)).toString('utf8');
  const { Response, Underwriting } = JSON.parse(`{${text}}`);
  return { text, Response, Underwriting, why: texts.lendingDecisionReason };
}

describe('the decision in the record', () => {
  test('stands in the members that are about it, and everything else stays to the letter', () => {
    const { text } = shown();
    const expected = RECORD.toString('utf8')
      .replace(
        '"Decision":"DECLINED","DecisionDate":null,"DeclineReason":"Écart"',
        '"Decision":"APPROVED","DecisionDate":"2026-03-04 05:06:07","DeclineReason":""',
      )
      .replace('"DecisionStatus" : "DECLINED"', '"DecisionStatus" : "APPROVED"');
    expect(text).toBe(expected);
  });

  test('as assessed: with the reasons of the deal', () => {
    expect(shown().why).toBe('Approved as assessed: Éveillé; égal');
    const declined = shown({ decision: { approved: false } });
    expect(declined.why).toBe('Declined as assessed: Éveillé; égal');
    expect(declined.Response).toMatchObject({ Decision: 'DECLINED', DeclineReason: 'Écart' });
    expect(declined.Underwriting.UnderwritingInfo[1].DecisionStatus).toBe('DECLINED');
  });

  test('of a loan officer: with the reason that was given', () => {
    const officer = { by: 'officer', overridden: true } as const;
    expect(shown({ decision: officer, reason: 'Guarantor “found”\u2028' })).toMatchObject({
      why: 'Approved by a loan officer against the assessment: Guarantor “found”\u2028',
      Response: { Decision: 'APPROVED', DeclineReason: '' },
    });
    const overriding = { ...officer, reasonCode: 'downPayment' } as const;
    expect(shown({ decision: overriding, reason: 'See file', overrode: ['maximum-ltv', 'maximum-dti'] }).why).toBe(
      'Approved by a loan officer against the assessment (a larger down payment; rule maximum-ltv; rule maximum-dti): See file',
    );
    expect(shown({ decision: { ...overriding, overridden: false }, assessed: false, reason: 'See file' }).why).toBe(
      'Approved by a loan officer without an assessment (a larger down payment): See file',
    );
    expect(shown({ decision: { ...officer, approved: false }, reason: 'Job ended' })).toMatchObject({
      why: 'Declined by a loan officer against the assessment: Job ended',
      Response: { Decision: 'DECLINED', DeclineReason: 'Job ended' },
    });
  });

  test('of a loan officer who agrees: with the officer’s reason, or those of the assessment', () => {
    const decision = { by: 'officer', approved: false } as const;
    expect(shown({ decision })).toMatchObject({
      why: 'Declined by a loan officer, as assessed: Éveillé; égal',
      Response: { DeclineReason: 'Écart' },
    });
    expect(shown({ decision, reason: 'Job ended' })).toMatchObject({
      why: 'Declined by a loan officer, as assessed: Job ended',
      Response: { DeclineReason: 'Job ended' },
    });
  });

  test('on what was not assessed: by whom, and the reason if there is one', () => {
    const decision = { by: 'officer', dealIndex: 0 } as const;
    expect(shown({ decision, assessed: false }).why).toBe('Approved by a loan officer');
    expect(shown({ decision: { ...decision, approved: false }, assessed: false })).toMatchObject({
      why: 'Declined by a loan officer',
      Response: { DeclineReason: 'Declined by a loan officer' },
    });
  });

  test('without an entry for the deal, the list of deals stays as it is', () => {
    const { text, why, Response } = shown({ decision: { dealIndex: 2 } });
    expect(text).toContain(RECORD.toString('utf8').slice(RECORD.toString('utf8').indexOf('"Underwriting"')));
    expect([why, Response.Decision]).toEqual(['Approved as assessed: As it was', 'APPROVED']);
    const bare = Buffer.from('"Request":{},"Response":{},"Underwriting":{"UnderwritingInfo":null}');
    const given = { assessed: false, reason: '', overrode: [], lendingDecisionReason: '', decision: DECISION };
    expect(Buffer.concat(withDecision(bare, decisionTexts(bare, given))).toString()).toBe(bare.toString());
  });
});
