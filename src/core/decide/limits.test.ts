import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../../test/support/life.ts';
import { addDays, addMonths, date } from '../calendar.ts';
import { foldAll } from '../fold.ts';
import type { Policy } from '../policy.ts';
import { comparePercent, type Percent, percent } from '../rate.ts';
import { isRefusal } from '../refusal.ts';
import { rightsTaken } from './brought.ts';
import { type Command, decide } from './decide.ts';

const PAYMENT = '470.73';
/** 10,000.00 at 12 % in 24 months, due on the first of each month from 1 February 2026, of which so many are paid on their days. */
function paid(count: number, policy: Partial<Policy> = {}): Life {
  const life = live(contractOf({ count: 24 }), policy).fund();
  payEach(life, 1, count);
  return life;
}
function payEach(life: Life, from: number, through: number): void {
  for (let n = from; n <= through; n++) life.pay(dueDay(n), PAYMENT, `p${n}`);
}
const dueDay = (n: number) => `${2026 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}-01`;
const extend = (periods = 1, day: string | null = null, override = false): Command => ({
  ...{ do: 'extend', periods, date: day === null ? null : date(day), reason: 'hardship', override },
});
const reage = (override = false): Command => ({ do: 'reage', date: null, reason: 'back at work', override });
const answer = (life: Life, day: string, command: Command) => {
  const decision = life.ask(day, command);
  if (!isRefusal(decision)) return 'done';
  const { limit, limitValue, figure } = decision.facts ?? {};
  return decision.refused === 'policy_limit' ? [limit, limitValue, figure] : decision.refused;
};

describe('extensions: counted in installments moved', () => {
  test('three installments must be paid since origination', () => {
    expect(answer(paid(2), '2026-03-05', extend())).toEqual(['extension.minimumPaid', 3, 2]);
    expect(answer(paid(3), '2026-04-05', extend())).toBe('done');
  });

  test('an installment of which 90 % is paid counts as paid', () => {
    const life = paid(2).pay('2026-04-01', '430', 'p3');
    expect(answer(life, '2026-04-05', extend())).toBe('done');
    expect(answer(paid(2).pay('2026-04-01', '400', 'p3'), '2026-04-05', extend())).toEqual([
      ...['extension.minimumPaid', 3, 2],
    ]);
  });

  test('what was paid to an earlier servicer counts', () => {
    const life = live(contractOf({ count: 24 })).approve('2026-05-10');
    const figures = { interest: money('0'), fees: money('0'), paidThrough: date('2026-05-01') };
    const opening = { date: date('2026-05-10'), principal: money('8500'), ...figures };
    life.take('2026-05-10', { do: 'fund-loan', date: null, opening });
    expect(answer(life, '2026-05-10', extend())).toBe('done');
  });

  test('three more since the last extension', () => {
    const life = paid(3);
    life.take('2026-04-05', extend());
    life.pay('2026-06-01', PAYMENT, 'p4').pay('2026-07-01', PAYMENT, 'p5');
    expect(answer(life, '2026-07-05', extend())).toEqual(['extension.minimumPaid', 3, 2]);
    life.pay('2026-08-01', PAYMENT, 'p6');
    expect(answer(life, '2026-08-05', extend())).toBe('done');
  });

  test('two in twelve months, the last one by its day', () => {
    expect(answer(paid(3), '2026-04-05', extend(3))).toEqual(['extension.perTwelveMonths', 2, 3]);
    const life = paid(3, { extension: { perTwelveMonths: 2, perLife: 6, minimumPaid: 0, maximumDaysPastDue: 400 } });
    life.take('2026-04-05', extend());
    life.take('2026-06-05', extend());
    expect(answer(life, '2027-04-04', extend())).toEqual(['extension.perTwelveMonths', 2, 3]);
    expect(answer(life, '2027-04-05', extend())).toBe('done');
  });

  test('six over its life', () => {
    const life = paid(3, { extension: { perTwelveMonths: 12, perLife: 6, minimumPaid: 0, maximumDaysPastDue: 400 } });
    life.take('2026-04-05', extend(5));
    expect(answer(life, '2026-04-06', extend(2))).toEqual(['extension.perLife', 6, 7]);
    expect(answer(life, '2026-04-06', extend(1))).toBe('done');
  });

  test('not from the 90th day past due; the days of today count for an earlier date too', () => {
    const life = paid(3);
    expect(answer(life, '2026-07-29', extend())).toBe('done');
    expect(answer(life, '2026-07-30', extend())).toEqual(['extension.maximumDaysPastDue', 89, 90]);
    expect(answer(life, '2026-07-30', extend(1, '2026-05-02'))).toEqual(['extension.maximumDaysPastDue', 89, 90]);
  });

  test('a backdated one counts from its own day, and must not bring a later one over the limit', () => {
    const life = paid(9, { extension: { perTwelveMonths: 2, perLife: 6, minimumPaid: 3, maximumDaysPastDue: 89 } });
    life.take('2026-10-05', extend(2));
    // Five months before: the twelve months up to 5 October would have three.
    expect(answer(life, '2026-10-06', extend(1, '2026-05-05'))).toEqual(['extension.perTwelveMonths', 2, 3]);
    // After it the later one has only one installment paid.
    const single = paid(9);
    single.take('2026-10-05', extend());
    expect(answer(single, '2026-10-06', extend(1, '2026-08-05'))).toEqual(['extension.minimumPaid', 3, 2]);
    expect(answer(single, '2026-10-06', extend(1, '2026-06-05'))).toBe('done');
    // On its own day it had only one.
    expect(answer(single, '2026-10-06', extend(1, '2026-02-05'))).toEqual(['extension.minimumPaid', 3, 1]);
  });

  test('the policy of the day of the extension sets the limit, and that of today where it is stricter', () => {
    const life = paid(3);
    const [created, ...rest] = life.events;
    if (created?.type !== 'created') throw new Error('no creation');
    const { waterfall, lateFee, graceDays, ...values } = created.policy;
    const strict = { ...values, extension: { ...values.extension, perTwelveMonths: 0 } };
    const events = [{ ...created, follows: [{ from: date('2026-04-05'), values: strict }] }, ...rest];
    const on = (day: string, today = '2026-04-10') => {
      const decision = decide(events, extend(1, day), { today: date(today), at: `${today}T12:00:00.000Z` });
      return isRefusal(decision) ? decision.facts : 'done';
    };
    const exceeded = { limit: 'extension.perTwelveMonths', limitValue: 0, figure: 1 };
    expect(on('2026-04-04', '2026-04-04')).toBe('done');
    expect(on('2026-04-05')).toEqual(exceeded);
    expect(on('2026-04-04')).toEqual(exceeded);
  });
});

test('in whatever order extensions are recorded, none is over a limit on its day', () => {
  const anyMove = fc.record({ back: fc.nat(400), periods: fc.integer({ min: 1, max: 2 }), wait: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(anyMove, { minLength: 3, maxLength: 8 }), (moves) => {
      const extension = { perTwelveMonths: 2, perLife: 4, minimumPaid: 2, maximumDaysPastDue: 10_000 };
      const life = paid(12, { extension });
      let today = date('2027-01-15');
      for (const { back, periods, wait } of moves) {
        today = addDays(today, wait);
        const day = addDays(today, -back);
        if (day >= '2026-01-01' && answer(life, today, extend(periods, day)) === 'done') {
          life.take(today, extend(periods, day));
        }
      }
      const loan = life.loan(today);
      const sum = (from: string, to: string) =>
        loan.moves.filter((one) => one.date > from && one.date <= to).reduce((total, one) => total + one.periods, 0);
      expect(sum('', today)).toBeLessThanOrEqual(4);
      for (const [i, { date: day }] of loan.moves.entries()) {
        expect(sum(addMonths(day, -12), day)).toBeLessThanOrEqual(2);
        const before = loan.moves[i - 1]?.date ?? '';
        const paidBetween = loan.installments.filter(
          ({ satisfiedOn }) => satisfiedOn !== null && satisfiedOn > before && satisfiedOn <= day,
        );
        expect(paidBetween.length).toBeGreaterThanOrEqual(2);
      }
    }),
    { numRuns: 60, seed: 14 },
  );
});

describe('re-ages: counted in times', () => {
  const late = (count: number) => paid(count, { reage: { perTwelveMonths: 1, perLife: 2, minimumPaid: 3 } });

  test('after three paid installments, once in twelve months, twice over its life', () => {
    expect(answer(late(2), '2026-06-05', reage())).toEqual(['reage.minimumPaid', 3, 2]);
    const life = late(3);
    life.take('2026-06-05', reage());
    expect(life.loan('2026-06-05').moves).toEqual([{ kind: 'reage', date: '2026-06-05', periods: 1 }]);
    expect(answer(life, '2027-06-04', reage())).toEqual(['reage.perTwelveMonths', 1, 2]);
    expect(answer(life, '2027-06-05', reage())).toEqual(['reage.minimumPaid', 3, 0]);
    life.take('2027-06-05', reage(true));
    expect(answer(life, '2028-07-05', reage())).toEqual(['reage.perLife', 2, 3]);
  });

  test('an extension is not a re-age', () => {
    const life = late(3);
    life.take('2026-04-05', extend());
    expect(answer(life, '2026-08-05', reage())).toBe('done');
  });

  test('nothing past due comes first', () => {
    expect(answer(paid(1), '2026-02-05', reage())).toBe('nothing_past_due');
  });
});

describe('override', () => {
  test('the event says which limits it exceeded, and the call needs its scope', () => {
    const life = paid(1);
    const command = extend(9, null, true);
    const before = { folding: foldAll(life.events), events: life.events };
    const decision = life.take('2026-02-05', command);
    expect(decision.events).toMatchObject([
      { type: 'extended', overrode: ['extension.perLife', 'extension.perTwelveMonths', 'extension.minimumPaid'] },
    ]);
    const when = { today: date('2026-02-05'), at: '' };
    expect(rightsTaken(command, decision, when, before)).toMatchObject({
      scopes: [['servicing:override']],
      overrides: true,
    });
  });

  test('without need it records nothing and needs no scope', () => {
    const command = extend(1, null, true);
    const life = paid(3);
    const before = { folding: foldAll(life.events), events: life.events };
    const decision = life.take('2026-04-05', command);
    expect(decision.events[0]).not.toHaveProperty('overrode');
    const when = { today: date('2026-04-05'), at: '' };
    expect(rightsTaken(command, decision, when, before)).toMatchObject({ scopes: [], overrides: false });
  });

  test('it passes nothing but limits', () => {
    expect(answer(paid(1), '2026-02-05', reage(true))).toBe('nothing_past_due');
    expect(answer(paid(1), '2026-02-05', { ...(extend(1, null, true) as object), reason: ' ' } as Command)).toBe(
      'reason_required',
    );
  });
});

describe('change-rate', () => {
  const fixed = () => paid(2);
  const variable = () => live(contractOf({ variable: true })).fund();
  const change = (rate: string, why: 'contract' | 'modification' | null, day: string | null = null): Command => ({
    ...{ do: 'change-rate', rate: percent(rate), date: day === null ? null : date(day), why, reason: 'agreed' },
  });

  test('the contract sets the rate of a variable-rate loan alone', () => {
    expect(answer(variable(), '2026-03-05', change('29.99', 'contract'))).toBe('done');
    expect(answer(fixed(), '2026-03-05', change('6', 'contract'))).toBe('not_eligible');
  });

  test('a modification never raises the rate in force', () => {
    expect(answer(fixed(), '2026-03-05', change('12.01', 'modification'))).toBe('rate_rise');
    expect(answer(fixed(), '2026-03-05', change('12', 'modification'))).toBe('done');
    expect(answer(variable(), '2026-03-05', change('12.01', 'modification'))).toBe('rate_rise');
    const life = fixed();
    life.take('2026-03-05', change('8', 'modification'));
    expect(answer(life, '2026-03-06', change('9', 'modification'))).toBe('rate_rise');
    expect(answer(life, '2026-03-06', change('9', 'modification', '2026-03-05'))).toBe('rate_rise');
    // Before 5 March 12 % was in force; from then on it stays at 8 %.
    life.take('2026-03-06', change('10', 'modification', '2026-02-10'));
    expect(life.loan('2026-03-06').rate).toEqual(percent('8'));
    expect(life.loan('2026-03-04').rate).toEqual(percent('10'));
  });

  test('in whatever order modifications are recorded, no day has a higher rate than before', () => {
    const anyChange = fc.record({ day: fc.nat(180), rate: fc.integer({ min: 1, max: 14 }) });
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 2, maxLength: 6 }), (changes) => {
        const life = live().fund();
        const days = Array.from({ length: 37 }, (_, i) => addDays(date('2026-01-01'), 5 * i));
        for (const { day, rate } of changes) {
          const before = days.map((one) => life.loan(one).rate);
          const command = change(String(rate), 'modification', addDays(date('2026-01-01'), day));
          if (answer(life, '2026-07-01', command) !== 'done') continue;
          life.take('2026-07-01', command);
          for (const [i, one] of days.entries()) {
            expect(comparePercent(life.loan(one).rate, before[i] as Percent)).toBeLessThanOrEqual(0);
          }
        }
      }),
      { numRuns: 40, seed: 14 },
    );
  });

  test('left out, why is by the contract', () => {
    expect(variable().take('2026-03-05', change('13', null)).events).toMatchObject([{ why: 'contract' }]);
    expect(fixed().take('2026-03-05', change('6', null)).events).toMatchObject([{ why: 'modification' }]);
    expect(answer(fixed(), '2026-03-05', change('13', null))).toBe('rate_rise');
  });
});
