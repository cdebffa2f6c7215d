import { expect, test } from 'vitest';
import { day, history, paid, terms } from '../../test/support/history.ts';
import { fold, foldAll, stateOn } from '../core/fold.ts';
import { underOthers } from '../core/fold-under.ts';
import { DEFAULT_LENDER_POLICY, type LenderPolicy } from '../core/policy.ts';
import { percent } from '../core/rate.ts';
import { changedValues, followed, impactOn } from './impact.ts';
import { followsOf, type PolicyVersion, timelineOf } from './versions.ts';

const DUE = ['2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'];
const events = history(terms('400', DUE), {}, ['2026-02-01', paid('A', '92')]);

function version(number: number, from: string, values: Partial<LenderPolicy>): PolicyVersion {
  const more = { policyId: 'all', lenderId: null, version: number, recordedAt: '', clientId: '' };
  return { ...more, number, from: day(from), figuresFrom: day(from), values: { ...DEFAULT_LENDER_POLICY, ...values } };
}

test('the same whether the history is folded once or twice, wherever the version begins', () => {
  const first = version(1, '2026-01-20', { payoffDays: 5 });
  const present = timelineOf([first], 'L-1');
  for (const from of ['2026-01-01', '2026-01-20', '2026-02-01', '2026-02-02', '2026-02-20', '2026-04-30']) {
    const proposed = timelineOf([first, version(2, from, { satisfiedPercent: 95, nonAccrualDays: 10 })], 'L-1');
    for (const through of ['2026-02-01', '2026-02-20', '2026-05-20'].map(day)) {
      const other = underOthers(foldAll(followed(events, present)), followsOf(proposed, day('2026-01-01')));
      const once = other && stateOn(other, through);
      const twice = fold(followed(events, proposed), through);
      if (once !== null) expect(once).toEqual(twice);
      else expect(from <= '2026-02-01').toBe(true);
    }
  }
  const stricter = timelineOf([first, version(2, '2026-02-20', { satisfiedPercent: 95 })], 'L-1');
  expect(impactOn(events, { present, proposed: stricter, through: day('2026-02-25') })).toMatchObject({
    loans: 1,
    loansChanged: 1,
    daysPastDue: 1,
    feesChanged: 0,
  });
  expect(impactOn(events, { present, proposed: stricter, through: day('2026-02-19') })).toMatchObject({
    loansChanged: 0,
  });
});

test('a cap on the markup changes no loan', () => {
  const present = timelineOf([version(1, '2026-01-01', {})], 'L-1');
  const proposed = timelineOf(
    [version(1, '2026-01-01', {}), version(2, '2026-02-20', { markupCap: percent('0') })],
    'L-1',
  );
  const { loans, loansChanged } = impactOn(events, { present, proposed, through: day('2026-03-25') });
  expect([loans, loansChanged]).toEqual([1, 0]);
});

test('values by what they change', () => {
  const limits = { returnFee: 1 as never, markupCap: percent('1') };
  const after = { ...DEFAULT_LENDER_POLICY, chargeOffDays: 150, graceDays: 5, ...limits };
  expect(changedValues(DEFAULT_LENDER_POLICY, after)).toEqual({
    figures: ['chargeOffDays'],
    newLoansOnly: ['graceDays'],
    limitsOnly: ['markupCap', 'returnFee'],
  });
});
