import { describe, expect, test } from 'vitest';
import { isOverride } from './decide/application.ts';
import { cents } from './money.ts';
import { beyondAuthority, type OverrideAuthority, widerAuthority } from './overrides.ts';

const ANY: OverrideAuthority = { amount: null, grades: null, rules: null };
const of = (more: Partial<Parameters<typeof beyondAuthority>[1]> = {}) => ({
  amount: cents(18_000_00),
  overridden: { grade: 'D', rules: ['maximum-dti', 'maximum-ltv'] },
  ...more,
});

describe('an authority', () => {
  test.each<[string, Partial<OverrideAuthority>, string[]]>([
    ['without a limit covers everything', {}, []],
    ['covers an amount that is just reached', { amount: cents(18_000_00) }, []],
    ['does not cover a higher one', { amount: cents(17_999_99) }, ['the loan amount 18000.00 is above 17999.99']],
    ['covers its grades', { grades: ['C', 'D'] }, []],
    ['covers no other', { grades: ['A', 'B'] }, ['the grade D is not among those allowed (A, B)']],
    ['without any grade covers none', { grades: [] }, ['the grade D is not among those allowed (none)']],
    ['covers its rules', { rules: ['maximum-dti', 'maximum-ltv', 'minimum-score'] }, []],
    ['must name every rule', { rules: ['maximum-dti'] }, ['not allowed to be overridden: maximum-ltv']],
  ])('%s', (_, authority, beyond) => {
    expect(beyondAuthority({ ...ANY, ...authority }, of())).toEqual(beyond);
  });

  test('does not cover what is not known, where it is limited by it', () => {
    const overridden = { grade: null, rules: null };
    expect(beyondAuthority({ ...ANY, grades: ['A'], rules: ['maximum-dti'] }, of({ overridden }))).toHaveLength(2);
    expect(beyondAuthority(ANY, of({ overridden }))).toEqual([]);
  });

  test('of an undo looks at the amount alone', () => {
    expect(beyondAuthority({ amount: cents(1), grades: [], rules: [] }, of({ overridden: null }))).toHaveLength(1);
  });

  test('of two the one that reaches further counts as a whole', () => {
    const high = { amount: cents(50_000_00), grades: ['A'], rules: null } as const;
    const low = { amount: cents(5_000_00), grades: null, rules: null } as const;
    expect([widerAuthority(high, low), widerAuthority(low, high)]).toEqual([high, high]);
    expect(widerAuthority(ANY, high)).toBe(ANY);
    const more = { ...high, grades: ['A', 'B'] } as const;
    expect([widerAuthority(high, more), widerAuthority(more, high)]).toEqual([more, more]);
  });
});

test('an override is an approval of an application that the engine declined or did not assess', () => {
  const file = { decision: null, deals: [], opening: null };
  expect(isOverride({ ...file, isApplication: true }, 'DECLINED')).toBe(true);
  expect(isOverride({ ...file, isApplication: true }, null)).toBe(true);
  expect(isOverride({ ...file, isApplication: true }, 'APPROVED')).toBe(false);
  expect([isOverride(file, 'DECLINED'), isOverride(file, null)]).toEqual([false, false]);
});
