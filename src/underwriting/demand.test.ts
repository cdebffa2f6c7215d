import { describe, expect, test } from 'vitest';
import { type Figures, inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { isRefusal } from '../core/refusal.ts';
import type { Demand } from './demand.ts';
import type { LendingPolicy } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { type Assessment, underwrite } from './underwrite.ts';

const policy = POLICIES[0] as LendingPolicy;

/** A good risk, of which the policy asks no proof. */
const GOOD = { ...ORDINARY, score: 780 };

function assess(figures: Partial<Figures> = {}, more: object = {}, applicant: object = {}): Assessment {
  const input = inputOf({ ...GOOD, ...figures });
  const request = structuredClone(input.request) as Record<string, object>;
  request.ApplicantInfo = { ...request.ApplicantInfo, ...applicant };
  const found = underwrite({ ...input, ...more, request });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

const named = (demands: readonly Demand[]) =>
  demands.map(({ kind, person, beforeFunding, waivedBy }) => [kind, person, beforeFunding, waivedBy].join(' '));

describe('the demands of an assessment', () => {
  test('of everybody: contract, title, insurance; none of them before funding, unless the policy says so', () => {
    const usual = ['signedContract  false nobody', 'title  false loans:fund', 'insurance  false loans:fund'];
    expect(named(assess().demands)).toEqual(usual);
    const stricter = { ...policy, beforeFunding: ['insurance'], waivedBy: { insurance: 'nobody' } } as const;
    expect(named(assess({}, { policy: stricter }).demands)).toContain('insurance  true nobody');
  });

  test('what the law asks for comes first, is each person’s own, and nobody may waive it, whatever a policy says', () => {
    const lax = { ...policy, waivedBy: { fraudAlert: 'underwriting:write', identity: 'underwriting:write' } } as const;
    const joint = { joint: { score: 700, income: 2_000 } };
    const alert = { fraudAlert: 'extended', alertPhone: '202-555-0142' } as const;
    const found = assess({ ...joint, coFlags: alert, flags: { ssnMatch: 'partial' } }, { policy: lax });
    expect(named(found.demands).slice(0, 2)).toEqual([
      'fraudAlert coApplicant true nobody',
      'identity applicant true nobody',
    ]);
    const active = assess({ flags: { fraudAlert: 'activeDuty' } }, { policy: lax });
    expect(named(active.demands)[0]).toBe('activeDutyAlert applicant true nobody');
  });

  test('a declined application has what the law asks for, and what an override would need', () => {
    const { decision, demands, response } = assess({ score: 430, flags: { ssnMatch: 'partial' } });
    expect(decision).toBe('DECLINED');
    expect(named(demands)).toEqual(
      expect.arrayContaining(['identity applicant true nobody', 'insurance  false loans:fund']),
    );
    expect(response.Stipulations).toEqual(['Proof of the social security number']);
  });

  test('a fact that is left out is asked for, and a rent that is left out declines as an incomplete application', () => {
    const left = assess({}, {}, { ApplicantDOB: '', EmploymentType: '' });
    expect(named(left.demands).slice(3)).toEqual([
      'birthDate applicant false underwriting:write',
      'incomeSource applicant false underwriting:write',
    ]);
    expect(left.decision).toBe('APPROVED');
    const rent = assess({ housing: null });
    expect(rent.reasons.map(({ code, rule }) => `${rule}: ${code}`)).toContain('maximum-dti: application-incomplete');
    expect(named(rent.demands)).toContain('housing applicant false underwriting:write');
    expect(named(assess({ housing: 0 }).demands)).toContain('housing applicant false underwriting:write');
  });

  test('rests on what the application says of it: another number, another rent or another alert is another fact', () => {
    const fact = (kind: string, ...of: Parameters<typeof assess>) =>
      assess(...of).demands.find((one) => one.kind === kind)?.fact;
    const partial = { flags: { ssnMatch: 'partial' } } as const;
    expect(fact('identity', partial)).not.toBe(fact('identity', partial, {}, { ApplicantSSN: '900-42-0044' }));
    expect(fact('housing', { housing: 0 })).not.toBe(fact('housing', { housing: 50 }));
    const alert = (alertPhone: string) => fact('fraudAlert', { flags: { fraudAlert: 'initial', alertPhone } });
    expect(alert('202-555-0142')).not.toBe(alert('202-555-0143'));
    expect(alert('202-555-0142')).toBe(alert('202-555-0142'));
  });
});
