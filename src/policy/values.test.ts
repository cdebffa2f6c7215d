import { describe, expect, test } from 'vitest';
import { cents } from '../core/money.ts';
import { DEFAULT_LENDER_POLICY, DEFAULT_WATERFALL } from '../core/policy.ts';
import { percent } from '../core/rate.ts';
import { Reader } from '../core/reader.ts';
import { STATES } from '../core/states.ts';
import { STATE_LATE_FEES } from './state-late-fees.ts';
import { type GivenValues, readPolicyValues, shownValues } from './values.ts';

function read(values: GivenValues) {
  const reader = new Reader();
  const policy = readPolicyValues(reader, values, '/values');
  return { policy, mistakes: reader.mistakes };
}

const pointers = (values: GivenValues) => read(values).mistakes.map(({ pointer }) => pointer);

test('what is left out has its default', () => {
  expect(read({})).toEqual({ policy: DEFAULT_LENDER_POLICY, mistakes: [] });
  const { policy } = read({ extension: { perLife: 4 }, nonAccrualDays: 90, lateFee: { percent: '5', cap: '50.00' } });
  expect(policy).toEqual({
    ...DEFAULT_LENDER_POLICY,
    extension: { ...DEFAULT_LENDER_POLICY.extension, perLife: 4 },
    nonAccrualDays: 90,
    lateFee: {
      flat: null,
      percent: percent('5'),
      floor: null,
      cap: cents(50_00),
      graceDays: 10,
      judge: 'currentFirst',
    },
  });
});

test('values that are shown can be given again', () => {
  const given: GivenValues = {
    waterfall: DEFAULT_WATERFALL.toReversed(),
    rounding: 'half-even',
    graceDays: 15,
    lateFee: {
      flat: '1,000.50',
      judge: 'oldestFirst',
      byState: { CA: { percent: '5', cap: '10' }, NJ: { flat: '10' } },
    },
    autopayDiscount: '0.25',
    markupCap: '2.50',
    approvals: { 'charge-off': true, 'waive-fee': { above: '50.00' } },
    returnFee: '25',
    nonAccrualDays: null,
  };
  const { policy, mistakes } = read(given);
  expect(mistakes).toEqual([]);
  for (const plain of [true, false]) {
    expect(read(shownValues(policy, plain) as GivenValues)).toEqual({ policy, mistakes: [] });
  }
});

test('a cap on the markup has hundredths, and zero is one', () => {
  for (const markupCap of ['0', '0.01', '2.5', '25', '25.00']) {
    const { policy, mistakes } = read({ markupCap });
    expect(mistakes).toEqual([]);
    expect(policy.markupCap).toEqual(percent(markupCap));
  }
  expect(read({ markupCap: null }).policy.markupCap).toBeNull();
  const codes = ['25.01', '1.005', '-1', '1e1', 'two'].map((markupCap) => read({ markupCap }).mistakes[0]?.code);
  expect(codes).toEqual(['range', 'decimals', 'negative', 'exponent', 'format']);
});

describe('contradictions are named, each with its pointer', () => {
  test.each<[string, GivenValues, string[]]>([
    ['flat and percent', { lateFee: { flat: '10', percent: '5' } }, ['/values/lateFee/percent']],
    ['a cap without a percentage', { lateFee: { flat: '10', cap: '20' } }, ['/values/lateFee/cap']],
    ['a floor above the cap', { lateFee: { percent: '5', floor: '30', cap: '20' } }, ['/values/lateFee/floor']],
    ['a late fee without an amount', { lateFee: { judge: 'oldestFirst' } }, ['/values/lateFee']],
    ['more than the whole installment', { lateFee: { percent: '101' } }, ['/values/lateFee/percent']],
    ['a bucket missing', { waterfall: DEFAULT_WATERFALL.slice(1) }, ['/values/waterfall']],
    ['a bucket twice', { waterfall: [...DEFAULT_WATERFALL, 'due.fee'] }, ['/values/waterfall']],
    ['an unknown bucket', { waterfall: ['due.fees'] }, ['/values/waterfall/0']],
    [
      'charge-off before default',
      { chargeOffDays: 89, extension: { maximumDaysPastDue: 80 } },
      ['/values/chargeOffDays'],
    ],
    ['non-accrual after charge-off', { nonAccrualDays: 121 }, ['/values/nonAccrualDays']],
    ['default within the grace days', { graceDays: 90 }, ['/values/graceDays']],
    ['fewer in a life than in a year', { extension: { perLife: 1 } }, ['/values/extension/perLife']],
    ['the same for re-aging', { reage: { perLife: 0 } }, ['/values/reage/perLife']],
    [
      'extensions of loans to charge off',
      { extension: { maximumDaysPastDue: 120 } },
      ['/values/extension/maximumDaysPastDue'],
    ],
    ['a fee for returns that is too high', { returnFee: '100.01' }, ['/values/returnFee']],
    ['a discount that is too high', { autopayDiscount: '5.01' }, ['/values/autopayDiscount']],
    ['a markup that is too high', { markupCap: '25.01' }, ['/values/markupCap']],
    ['a markup finer than rates are', { markupCap: '1.005' }, ['/values/markupCap']],
    ['a markup below zero', { markupCap: '-0.01' }, ['/values/markupCap']],
    ['a markup that is no number', { markupCap: 'two' }, ['/values/markupCap']],
    ['none of an installment is enough', { satisfiedPercent: 0 }, ['/values/satisfiedPercent']],
    ['data gone before the lien is', { retentionDays: 5, lienReleaseDays: 10 }, ['/values/retentionDays']],
    [
      'approval of what does not exist',
      { approvals: { ['constructor' as string]: true as const } },
      ['/values/approvals/constructor'],
    ],
    ['an amount of what has none', { approvals: { extend: { above: '5' } } }, ['/values/approvals/extend/above']],
    ['an unknown state', { lateFee: { byState: { XX: { flat: '5' } } } }, ['/values/lateFee/byState/XX']],
    ['a state without an amount', { lateFee: { byState: { CA: {} } } }, ['/values/lateFee/byState/CA']],
    [
      'several at once',
      { nonAccrualDays: 121, reage: { perLife: 0 }, lateFee: { flat: 'ten' } },
      ['/values/lateFee/flat', '/values/nonAccrualDays', '/values/reage/perLife'],
    ],
  ])('%s', (_, values, expected) => expect(pointers(values)).toEqual(expected));
});

describe('state rules for late fees', () => {
  test('each has its source, and a state that there is', () => {
    for (const [state, { source, graceDays, percent: rate, flat }] of Object.entries(STATE_LATE_FEES)) {
      expect(STATES).toContain(state);
      expect(source).toMatch(/\d/);
      expect(graceDays).toBeGreaterThan(0);
      expect(rate !== null || flat !== null).toBe(true);
    }
  });

  const at = (state: string, member: string) => `/values/lateFee/byState/${state}/${member}`;
  test.each<[string, GivenValues['lateFee'], string[]]>([
    ['5 % in California', { byState: { CA: { percent: '5', cap: '30' } } }, []],
    ['6 % in California', { byState: { CA: { percent: '6' } } }, [at('CA', 'percent')]],
    ['a flat fee where a percentage is the limit', { byState: { PA: { flat: '10' } } }, [at('PA', 'flat')]],
    ['too soon in Texas', { byState: { TX: { percent: '5' } } }, [at('TX', 'graceDays')]],
    ['in time in Texas', { byState: { TX: { percent: '5', graceDays: 15 } } }, []],
    ['10.01 in New Jersey', { byState: { NJ: { flat: '10.01' } } }, [at('NJ', 'flat')]],
    ['a percentage without a cap in New Jersey', { byState: { NJ: { percent: '1' } } }, [at('NJ', 'cap')]],
    ['a percentage with its cap in New Jersey', { byState: { NJ: { percent: '1', cap: '10' } } }, []],
    ['a floor of 10 in Illinois', { byState: { IL: { percent: '5', floor: '10' } } }, []],
    ['a state without a rule here', { byState: { OH: { flat: '50' } } }, []],
  ])('%s', (_, lateFee, expected) => expect(pointers({ lateFee: lateFee ?? null })).toEqual(expected));

  test('the statute is named', () => {
    const [mistake] = read({ lateFee: { byState: { PA: { percent: '5' } } } }).mistakes;
    expect(mistake?.detail).toBe(
      'Pennsylvania allows at most 2 % of the installment (12 Pennsylvania Consolidated Statutes § 6245(b)(1)).',
    );
  });
});
