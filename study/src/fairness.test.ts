import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { assessRequested } from '../../src/underwriting/underwrite.ts';
import { fairLending } from './fairness.ts';
import { fairLendingFiles } from './fairness-page.ts';
import { outcomeOf } from './outcome.ts';
import { type Applicant, population } from './population.ts';
import { versionsOn } from './versions.ts';

const ON = date('2026-01-15');
const SIZE = 90;
const PATIENT = { timeout: 240_000 };
const now = versionsOn(ON);
const people = () => population({ size: SIZE, seed: 'fair', on: ON });
/** One run serves several tests: it decides some fourteen hundred times. */
const found = fairLending(people(), now);

function isApproved({ input }: Applicant): boolean {
  const outcome = outcomeOf(input, now, 'rate');
  if (isRefusal(outcome)) throw new Error(outcome.detail);
  return outcome.decision !== 'declined';
}

test('the same people give the same files, byte for byte', PATIENT, () => {
  const made = { size: SIZE, seed: 'fair', on: ON };
  const files = fairLendingFiles(found, made);
  expect([...files.keys()]).toEqual(['fair-lending-effects.svg', 'fair-lending-approval.svg', 'fair-lending.md']);
  expect(fairLendingFiles(fairLending(people(), now), made)).toEqual(files);
  const page = files.get('fair-lending.md') ?? '';
  expect(page).toContain('**The population is simulated.**');
  expect(page).not.toMatch(/NaN|Infinity|undefined|null/);
});

test('the counts, the ratio and the gap are those of the decisions', () => {
  const counted = { A: { of: 0, approved: 0 }, B: { of: 0, approved: 0 } };
  for (const applicant of people()) {
    counted[applicant.group].of += 1;
    if (isApproved(applicant)) counted[applicant.group].approved += 1;
  }
  const { A, B } = counted;
  expect(found.groups.A).toMatchObject({ applicants: A.of, approved: A.approved });
  expect(found.groups.B).toMatchObject({ applicants: B.of, approved: B.approved });
  expect(found.adverseImpact?.ratio).toBeCloseTo(B.approved / B.of / (A.approved / A.of), 12);
  const [asIs] = found.alternatives;
  expect(asIs?.without).toBeNull();
  expect(asIs?.gap).toBeCloseTo(A.approved / A.of - B.approved / B.of, 12);
  expect(asIs?.approved).toBeCloseTo((A.approved + B.approved) / SIZE, 12);
  // The effect of the group alone is the difference of the shares.
  expect(found.effects[0]?.before?.effect).toBeCloseTo(B.approved / B.of - A.approved / A.of, 9);
});

test('without a rule, those whom only that rule declines are approved as well', () => {
  const without = found.alternatives.find((one) => one.without?.name === 'maximum-dti');
  const { policy } = now;
  const looser = { ...policy, rules: policy.rules.filter(({ id }) => id !== 'maximum-dti') };
  const approved = people().filter(({ input }) => {
    const outcome = outcomeOf(input, { ...now, policy: looser }, 'rate');
    return !isRefusal(outcome) && outcome.decision !== 'declined';
  });
  expect(without?.approved).toBeCloseTo(approved.length / SIZE, 12);
  expect(without?.approved).toBeGreaterThan(found.alternatives[0]?.approved as number);
});

test('every feature but those of the economy is left out once', () => {
  const features = found.alternatives.flatMap(({ without }) => (without?.kind === 'feature' ? [without.name] : []));
  const expected = now.model.default.features.filter(({ about }) => about !== 'economy').map(({ name }) => name);
  expect([...features].sort()).toEqual([...expected].sort());
});

test('the buy rates are those of the rate sheet', () => {
  const rates = people()
    .filter(({ group }) => group === 'B')
    .map(({ input }) => {
      const deal = assessRequested({ ...input, ...now });
      if (isRefusal(deal)) throw new Error(deal.detail);
      return deal.sheet.buyRate;
    });
  expect(found.groups.B.buyRate).toBeCloseTo(rates.reduce((sum, rate) => sum + rate) / rates.length, 9);
});

test('no decision changes when somebody else applies', () => {
  expect(found.redecided).toEqual({ applications: SIZE, changed: 0 });
});

test('an effect that the legitimate factors do not explain is found', PATIENT, () => {
  // Group B is whoever is declined: no factor explains that completely, and the regression must say so.
  const sorted = people().map((applicant): Applicant => ({ ...applicant, group: isApproved(applicant) ? 'A' : 'B' }));
  const { effects, adverseImpact } = fairLending(sorted, now);
  const after = effects[0]?.after;
  expect(adverseImpact).toBeNull();
  expect(after?.effect).toBeLessThan(-0.5);
  expect((after?.effect ?? 0) + 3 * (after?.error ?? 0)).toBeLessThan(0);
});

// `npm run test:long` compares every byte of it.
test('the committed report is of the versions in force', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/model/fair-lending.md'), 'utf8');
  const { model, policy } = versionsOn(ON);
  expect(page).toContain(`--date ${ON}`);
  expect(page).toContain(`Model ${model.version}, policy ${policy.version},`);
});
