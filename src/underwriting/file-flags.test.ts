import { describe, expect, test } from 'vitest';
import { inputOf, ORDINARY, TODAY } from '../../test/support/underwriting/applicants.ts';
import { isRefusal } from '../core/refusal.ts';
import { adverseActionNotice } from './notice.ts';
import type { LendingPolicy } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { type Assessment, publicText, underwrite } from './underwrite.ts';

const policy = POLICIES[0] as LendingPolicy;
const JOINT = { joint: { score: 700, income: 2_000 } };

function assess(figures: Partial<typeof ORDINARY>, more: { policy?: LendingPolicy } = {}): Assessment {
  const found = underwrite({ ...inputOf({ ...ORDINARY, ...figures }), ...more });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

/** The differences from the same application without flags. */
function added(figures: Partial<typeof ORDINARY>) {
  const { flags: _, coFlags: __, ...plain } = figures;
  const [marked, before] = [assess(figures), assess(plain)];
  const more = (list: readonly string[], than: readonly string[]) => list.filter((one) => !than.includes(one));
  return {
    decision: marked.decision,
    reasons: [...new Set(marked.reasons.map(({ code }) => code))],
    stipulations: more(marked.stipulations, before.stipulations),
    warnings: more(marked.warnings, before.warnings),
  };
}

test('the ordinary application is approved without any of it', () => {
  expect(added({})).toEqual({ decision: 'APPROVED', reasons: [], stipulations: [], warnings: [] });
});

describe('a frozen file', () => {
  /** As a bureau answers: no score and no accounts. */
  const FROZEN = { flags: { frozen: true }, score: null, lines: [], inquiries: null };

  test('is declined for the freeze alone, and the officer is told what the applicant can do', () => {
    expect(assess(FROZEN).response.DeclineReason).toBe('Credit file is not available because of a security freeze');
    expect(added(FROZEN)).toMatchObject({
      ...{ decision: 'DECLINED', reasons: ['file-frozen'] },
      warnings: ['The applicant’s credit file is frozen: start underwriting again when they have lifted the freeze'],
    });
    expect(assess(FROZEN).warnings.join()).not.toMatch(/no score|no file/);
  });

  test('is the reason also where the bureau answers that there is no file', () => {
    const found = assess({ ...FROZEN, hit: false });
    expect(found.response.DeclineReason).toBe('Credit file is not available because of a security freeze');
    expect(found.warnings.join()).not.toContain('no file');
    expect(found.details.applicantCreditVision).toBe('The credit file is frozen.');
  });

  test('of the co-applicant counts, too', () => {
    expect(added({ ...JOINT, coFlags: { frozen: true } })).toMatchObject({
      ...{ decision: 'DECLINED', reasons: ['file-frozen'] },
      warnings: [expect.stringContaining('The co-applicant’s credit file is frozen')],
    });
  });

  test('is the reason of a policy without a rule for it: the score that is missing is in the frozen file', () => {
    const without = { ...policy, rules: policy.rules.filter(({ id }) => id !== 'frozen-file') };
    const found = assess(FROZEN, { policy: without });
    expect(new Set(found.reasons.map(({ code }) => code))).toEqual(new Set(['file-frozen']));
  });
});

describe('a file that may be somebody else’s', () => {
  test.each([
    [{ deceased: true }, 'The credit bureau reports the applicant as deceased'],
    [{ ssnMatch: 'noMatch' }, 'The applicant’s social security number does not match the credit file'],
  ] as const)('is declined: %o', (flags, warning) => {
    expect(added({ flags })).toEqual({
      ...{ decision: 'DECLINED', reasons: ['identity-not-verified'] },
      ...{ stipulations: [], warnings: [warning] },
    });
    expect(assess({ flags }).deals.every(({ decision }) => decision === 'DECLINED')).toBe(true);
  });

  test('the notice tells nothing from it: no score, no other reason', () => {
    const late = { kind: 'auto', months: 30, open: true, high: 9_000, used: 50, late: 4, pastDue: true } as const;
    const bad = { score: 490, lines: [late, late, late, late] };
    const party = { name: 'X', address: '', telephone: '' };
    const parties = {
      date: TODAY,
      offersEnd: TODAY,
      applicantName: 'A',
      creditor: party,
      bureau: party,
      federalAgency: 'Y',
    };
    const written = ({ notice }: Assessment) =>
      adverseActionNotice({ notice: notice?.applicant ?? null }, parties) ?? '';
    const text = written(assess({ ...bad, flags: { ssnMatch: 'noMatch' } }));
    expect(text).toContain('Principal reasons:\n- Unable to verify identity\n\n');
    expect(text).not.toMatch(/Delinquent|Your credit score|490/);
    expect(written(assess(bad))).toMatch(/Delinquent[\s\S]*Your credit score: 490/);
  });

  test('without a file there is no number to match: the reason is that there is none', () => {
    const found = assess({ hit: false, flags: { ssnMatch: 'noMatch' } });
    expect(found.response.DeclineReason).toMatch(/^No credit file/);
    expect(found.warnings.join()).not.toContain('does not match');
  });

  test('a person who is reported as deceased is declined also without a file', () => {
    expect(assess({ hit: false, flags: { deceased: true } }).response.DeclineReason).toBe('Unable to verify identity');
  });
});

describe('a file to be checked', () => {
  test('a number that matches in part requires proof of it', () => {
    expect(added({ flags: { ssnMatch: 'partial' } })).toEqual({
      ...{ decision: 'APPROVED', reasons: [], stipulations: ['Proof of the social security number'] },
      warnings: ['The applicant’s social security number matches the credit file only in part'],
    });
  });

  test('an exact match, or none reported, requires nothing', () => {
    for (const ssnMatch of ['exact', null] as const) {
      expect(added({ flags: { ssnMatch } })).toMatchObject({ stipulations: [], warnings: [] });
    }
  });

  test('an address discrepancy requires proof of residence (12 CFR 1022.82)', () => {
    // Their risk by itself requires none.
    const joint = { score: 780, joint: { score: 780, income: 2_000 } };
    expect(added({ ...joint, coFlags: { addressDiscrepancy: true } })).toEqual({
      ...{ decision: 'APPROVED', reasons: [], stipulations: ['Proof of residence'] },
      warnings: ['The co-applicant’s address differs from those in the credit file'],
    });
  });
});

describe('an alert (15 USC 1681c-1(h))', () => {
  const told = (flags: object) => added({ flags }).stipulations;
  const PHONE = '202-555-0142';

  test.each([
    ['initial', null, 'Fraud alert', 'verify the applicant’s identity'],
    ['initial', PHONE, 'Fraud alert', `call the applicant at ${PHONE}, or verify the applicant’s identity`],
    ['activeDuty', null, 'Active-duty alert', 'verify the applicant’s identity'],
    ['activeDuty', PHONE, 'Active-duty alert', `call the applicant at ${PHONE}, or verify the applicant’s identity`],
    [
      ...(['extended', PHONE, 'Extended fraud alert'] as const),
      `confirm the application with the applicant in person or by telephone at ${PHONE}`,
    ],
    [
      ...(['extended', null, 'Extended fraud alert'] as const),
      'confirm the application with the applicant in person or in the way that the alert states',
    ],
  ])('%s, number %s', (fraudAlert, alertPhone, name, what) => {
    expect(told({ fraudAlert, alertPhone })).toEqual([
      `${name} on the applicant’s credit file, to be resolved before credit is granted: ${what}`,
    ]);
  });

  test('the stipulation is the first, and each person’s own', () => {
    const [first, second] = assess({
      ...JOINT,
      flags: { fraudAlert: 'initial' },
      coFlags: { fraudAlert: 'extended', alertPhone: PHONE },
    }).stipulations;
    expect([first, second]).toEqual([
      expect.stringMatching(/^Fraud alert on the applicant’s/),
      expect.stringMatching(/^Extended fraud alert on the co-applicant’s.*202-555-0142$/),
    ]);
  });

  test('a declined application has it, too, because the decision may be overridden', () => {
    const found = assess({ hit: false, flags: { fraudAlert: 'extended', alertPhone: PHONE } });
    expect(found.decision).toBe('DECLINED');
    expect(found.response.Stipulations).toEqual([expect.stringContaining(PHONE)]);
  });

  test('warnings and the public record do not have the number', () => {
    const found = assess({ flags: { fraudAlert: 'extended', alertPhone: PHONE } });
    expect(found.warnings.join()).toContain('Extended fraud alert on the applicant’s credit file');
    expect(JSON.stringify([found.warnings, found.underwriting, found.details, found.notice])).not.toContain(PHONE);
    expect(publicText(found)).not.toMatch(/202-555-0142|alert/i);
  });
});

describe('the public record', () => {
  const alertPhone = '202-555-0116';

  test.each<[string, Partial<typeof ORDINARY>]>([
    ['a fraud alert', { flags: { fraudAlert: 'initial', alertPhone } }],
    [
      'an alert on each of two files',
      { ...JOINT, flags: { fraudAlert: 'extended' }, coFlags: { fraudAlert: 'activeDuty' } },
    ],
    ['a partial match', { flags: { ssnMatch: 'partial' } }],
    ['another address', { flags: { addressDiscrepancy: true } }],
  ])('is byte for byte the same with %s', (_, figures) => {
    const { flags: __, coFlags: ___, ...plain } = figures;
    expect(assess(figures).warnings.length).toBeGreaterThan(assess(plain).warnings.length);
    expect(publicText(assess(figures))).toBe(publicText(assess(plain)));
  });

  test('does not tell a frozen file from one without a score', () => {
    const unknown = { score: null, hit: false, lines: [], inquiries: null };
    expect(publicText(assess({ ...unknown, flags: { frozen: true } }))).toBe(publicText(assess(unknown)));
  });
});
