/** Effects of holds on a loan: late fees, the charge-off clock, what is refused, and how they begin and end. */
import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { addDays, date, type PlainDate } from './calendar.ts';
import { type Command, type Operation, TRANSITIONS } from './decide/decide.ts';
import { chargeOffDue } from './delinquency.ts';
import { broughtBetween, chargeOffProposed, chargeOffRequiredBy, nextDayNoted } from './end-of-day.ts';
import { append, fold, foldAll, stateOn } from './fold.ts';
import { EFFECTS, HOLD_AREAS, HOLD_EFFECTS, HOLD_KINDS, type HoldArea, type HoldKind } from './hold-effects.ts';
import { forbids, holdsInForce } from './holds.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { isRefusal } from './refusal.ts';

const LATE_FEE = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'oldestFirst',
} as const;

type PlaceHold = Extract<Command, { do: 'place-hold' }>;

const STAY = { chapter: 13, filed: null, discharged: null, reaffirmed: false } as const;

function hold(kind: HoldKind, more: Partial<PlaceHold> = {}): PlaceHold {
  return {
    do: 'place-hold',
    holdId: `${kind}-1`,
    kind,
    from: null,
    to: null,
    bankruptcy: kind === 'bankruptcy' ? STAY : null,
    detailed: false,
    reason: 'told',
    ...more,
  };
}

const release = (holdId: string, day: string | null = null): Command => ({
  do: 'release-hold',
  holdId,
  date: day === null ? null : date(day),
  reason: 'over',
});

/** Installments are due on the first of each month from February on, and judged on the 12th. */
const unpaid = (): Life => live(contractOf(), { ...DEFAULT_POLICY, lateFee: LATE_FEE }).fund();

const lateFees = (life: Life, on: string): string[] =>
  life.loan(on).fees.flatMap(({ feeId, date: day }) => (feeId.startsWith('late-') ? [`${feeId} ${day}`] : []));

describe('late fees', () => {
  test('none is charged for an installment that is judged under a hold, nor later', () => {
    const life = unpaid();
    life.take('2026-02-12', hold('bankruptcy'));
    life.take('2026-03-20', release('bankruptcy-1'));
    expect(lateFees(life, '2026-06-30')).toEqual(['late-3 2026-04-12', 'late-4 2026-05-12', 'late-5 2026-06-12']);
  });

  test.each(HOLD_EFFECTS.map((row) => [row.kind, row.stage, row.effects.lateFees.effect] as const))(
    '%s %s: %s',
    (kind, stage, effect) => {
      const life = unpaid();
      const bankruptcy =
        kind !== 'bankruptcy'
          ? null
          : {
              ...STAY,
              filed: date('2026-01-02'),
              discharged: stage === 'stay' ? null : date('2026-01-03'),
              reaffirmed: stage === 'reaffirmed',
            };
      life.take('2026-02-01', hold(kind, { bankruptcy }));
      expect(lateFees(life, '2026-02-12')).toEqual(effect === 'forbidden' ? [] : ['late-1 2026-02-12']);
    },
  );

  test('a hold that begins in the past takes back what was charged since, and no more', () => {
    const life = unpaid();
    expect(lateFees(life, '2026-04-20')).toHaveLength(3);
    const { changes } = life.take('2026-04-20', hold('disaster', { from: date('2026-03-01'), to: date('2026-03-31') }));
    expect(lateFees(life, '2026-04-20')).toEqual(['late-1 2026-02-12', 'late-3 2026-04-12']);
    expect(changes?.filter(({ what }) => what === 'lateFee')).toEqual([
      { date: '2026-03-12', what: 'lateFee', before: 2_500, after: 0 },
    ]);
  });

  test('its first and its last day belong to it; the day of its release does not', () => {
    for (const [from, to, charged] of [
      ['2026-02-12', '2026-02-12', 0],
      ['2026-02-11', '2026-02-11', 1],
      ['2026-02-13', null, 1],
    ] as const) {
      const life = unpaid();
      life.take('2026-02-20', hold('military', { from: date(from), to: to === null ? null : date(to) }));
      expect(lateFees(life, '2026-02-20')).toHaveLength(charged);
    }
    for (const [released, charged] of [
      ['2026-02-12', 1],
      ['2026-02-13', 0],
    ] as const) {
      const life = unpaid();
      life.take('2026-02-01', hold('military'));
      life.take('2026-02-20', { ...release('military-1', released), chargeRetroactive: true } as Command);
      expect(lateFees(life, '2026-02-20')).toHaveLength(charged);
    }
  });

  test('a payment returned under a hold brings no fee on the day the return is recorded', () => {
    const life = unpaid().pay('2026-02-01', '888.49', 'P');
    life.take('2026-02-20', hold('bankruptcy'));
    life.take('2026-02-25', { do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' });
    expect(lateFees(life, '2026-03-01')).toEqual([]);
    const without = unpaid().pay('2026-02-01', '888.49', 'P');
    without.take('2026-02-25', { do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' });
    expect(lateFees(without, '2026-03-01')).toEqual(['late-1 2026-02-25']);
  });

  test('nor does one that is returned after the hold, when the installment was judged under it', () => {
    const life = unpaid().pay('2026-02-01', '888.49', 'P');
    life.take('2026-02-10', hold('bankruptcy', { to: date('2026-02-15') }));
    life.take('2026-02-20', { do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' });
    expect(lateFees(life, '2026-03-01')).toEqual([]);
  });

  test('interest goes on by contract', () => {
    const [held, free] = [unpaid(), unpaid()];
    held.take('2026-01-15', hold('bankruptcy'));
    expect(held.loan('2026-06-01').interest).toBe(free.loan('2026-06-01').interest);
  });

  test('a fold that is continued equals one from the beginning', () => {
    const life = unpaid();
    life.take('2026-02-01', hold('fraud', { to: date('2026-02-28') }));
    life.take('2026-03-20', hold('disaster'));
    life.take('2026-05-01', release('disaster-1'));
    const { events } = life;
    for (let n = 4; n < events.length; n++) {
      const continued = append(foldAll(events.slice(0, n)), events.slice(n, n + 1));
      const on = addDays((events[n] as { date: PlainDate }).date, 40);
      if (continued !== null) expect(stateOn(continued, on)).toEqual(fold(events.slice(0, n + 1), on));
    }
  });
});

describe('what a hold forbids', () => {
  const commands: Partial<Record<Operation, Command>> = {
    'payment-reminders': { do: 'payment-reminders' },
    'fund-loan': { do: 'fund-loan', date: null, opening: null },
    'initiate-repayment': { do: 'initiate-repayment', date: null, opening: null },
  };
  const held = (Object.keys(TRANSITIONS) as Operation[]).flatMap((operation) => {
    const area = TRANSITIONS[operation].area;
    return area === undefined || commands[operation] === undefined ? [] : [[operation, area] as const];
  });

  test.each(held.flatMap(([operation, area]) => HOLD_KINDS.map((kind) => [operation, kind, area] as const)))(
    '%s under %s',
    (operation, kind, area) => {
      const funding = area === 'funding';
      const life = funding ? live().approve('2026-01-01') : unpaid();
      const row = HOLD_EFFECTS.find((one) => one.kind === kind);
      const forbidden = EFFECTS[row?.effects[area].effect ?? 'allowed'].lets !== 'all';
      const placed = life.ask('2026-01-05', hold(kind));
      // Before funding only the holds that stop it can be placed.
      if (funding && !forbidden) return expect(placed).toMatchObject({ refused: 'wrong_status' });
      life.take('2026-01-05', hold(kind));
      const answer = life.ask('2026-01-06', commands[operation] as Command);
      if (!forbidden) return expect(isRefusal(answer)).toBe(false);
      expect(answer).toMatchObject({ refused: 'on_hold', facts: { holds: [{ holdId: `${kind}-1`, kind }] } });
      life.take('2026-01-07', release(`${kind}-1`));
      expect(isRefusal(life.ask('2026-01-07', commands[operation] as Command))).toBe(false);
    },
  );

  test('an operation that belongs to an area is tried above', () => {
    const known: Operation[] = ['payment-reminders', 'fund-loan', 'initiate-repayment'];
    const others = (Object.keys(TRANSITIONS) as Operation[]).filter(
      (operation) => TRANSITIONS[operation].area !== undefined && !known.includes(operation),
    );
    expect(others.filter((operation) => TRANSITIONS[operation].area !== 'repossession')).toEqual([]);
  });

  test('a penalty charged by hand is a late fee; another fee is not', () => {
    const life = unpaid();
    life.take('2026-02-01', hold('bankruptcy'));
    const assess = (kind: 'fee' | 'penalty') =>
      life.ask('2026-02-02', { do: 'assess-fee', feeId: 'F', kind, name: 'x', amount: money('5'), date: null });
    expect(assess('penalty')).toMatchObject({ refused: 'on_hold' });
    expect(isRefusal(assess('fee'))).toBe(false);
  });

  test.each(HOLD_KINDS)('a payment, its return and a charge-off are never refused: %s', (kind) => {
    const life = unpaid();
    life.take('2026-02-01', { do: 'initiate-repayment', date: null, opening: null });
    life.take('2026-02-01', hold(kind));
    life.pay('2026-02-02', '100', 'P');
    life.take('2026-02-03', { do: 'acknowledge-repayment', refId: 'P' });
    life.take('2026-02-04', { do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' });
    life.take('2026-06-30', { do: 'charge-off', date: null, reason: 'policy', collateral: money('0') });
  });

  test('what the law requires goes out under every hold; other grounds are those of the table', () => {
    for (const kind of HOLD_KINDS) {
      const life = unpaid();
      life.take('2026-02-01', hold(kind));
      expect(forbids(life.loan('2026-02-01'), 'notices', 'required')).toBe(false);
    }
    const life = unpaid();
    life.take('2026-02-01', hold('military'));
    const loan = life.loan('2026-02-01');
    expect(forbids(loan, 'repossession')).toBe(true);
    expect(forbids(loan, 'repossession', 'courtOrder')).toBe(false);
    expect(forbids(loan, 'contact')).toBe(false);
  });

  test('every row says something of every area, with its basis where something changes', () => {
    for (const { effects } of HOLD_EFFECTS) {
      expect(Object.keys(effects)).toEqual(Object.keys(HOLD_AREAS));
      for (const [area, { effect, basis }] of Object.entries(effects) as [
        HoldArea,
        { effect: string; basis: string },
      ][]) {
        expect(basis === '', area).toBe(effect === 'allowed' || effect === 'runs');
      }
    }
    expect(new Set(HOLD_EFFECTS.map(({ kind }) => kind))).toEqual(new Set(HOLD_KINDS));
  });
});

describe('placing and releasing', () => {
  const refused = (life: Life, day: string, command: Command) => {
    const answer = life.ask(day, command);
    return isRefusal(answer) ? `${answer.refused} ${answer.member ?? ''}`.trim() : null;
  };

  test('a second hold of the same kind for the same days names the first', () => {
    const life = unpaid();
    life.take('2026-02-01', hold('dispute', { to: date('2026-02-28') }));
    const again = (more: Partial<PlaceHold>) => hold('dispute', { holdId: 'second', ...more });
    expect(life.ask('2026-02-28', again({}))).toMatchObject({
      refused: 'on_hold',
      facts: { holds: [{ holdId: 'dispute-1', kind: 'dispute' }] },
    });
    expect(refused(life, '2026-03-01', again({ from: date('2026-01-05') }))).toBe('on_hold');
    expect(refused(life, '2026-03-01', again({ from: date('2026-01-05'), to: date('2026-01-31') }))).toBeNull();
    expect(refused(life, '2026-03-01', again({}))).toBeNull();
    expect(refused(life, '2026-02-05', hold('fraud'))).toBeNull();
  });

  test('one that was released at once leaves room for another', () => {
    const life = unpaid();
    life.take('2026-02-01', hold('dispute'));
    life.take('2026-02-01', release('dispute-1'));
    expect(refused(life, '2026-02-01', hold('dispute', { holdId: 'second' }))).toBeNull();
  });

  test('the same call again changes nothing; another one under its id is a conflict', () => {
    const life = unpaid();
    life.take('2026-02-01', hold('bankruptcy'));
    expect(life.ask('2026-02-02', hold('bankruptcy'))).toMatchObject({ repeated: true, events: [] });
    expect(refused(life, '2026-02-02', hold('fraud', { holdId: 'bankruptcy-1' }))).toBe('reference_conflict holdId');
    const other = { ...STAY, chapter: 7 } as const;
    expect(refused(life, '2026-02-02', hold('bankruptcy', { bankruptcy: other }))).toBe('reference_conflict holdId');
    life.take('2026-02-03', release('bankruptcy-1'));
    expect(life.ask('2026-02-09', release('bankruptcy-1'))).toMatchObject({ repeated: true });
    expect(refused(life, '2026-02-09', release('bankruptcy-1', '2026-02-04'))).toBe('reference_conflict date');
  });

  test('dates', () => {
    const life = unpaid();
    const day = '2026-02-10';
    expect(refused(life, day, hold('fraud', { from: date('2026-02-11') }))).toBe('date_in_future from');
    expect(refused(life, day, hold('fraud', { from: date('2025-12-31') }))).toBe('date_before_contract from');
    expect(refused(life, day, hold('fraud', { to: date('2026-02-09') }))).toBe('contradiction to');
    expect(refused(life, day, hold('fraud', { reason: '' }))).toBe('reason_required reason');
    life.take(day, hold('fraud', { from: date('2026-02-05'), to: date('2026-03-01') }));
    expect(refused(life, day, release('fraud-1', '2026-02-04'))).toBe('contradiction date');
    expect(refused(life, day, release('fraud-1', '2026-02-11'))).toBe('date_in_future date');
    expect(refused(life, '2026-03-02', release('fraud-1'))).toBe('contradiction date');
    expect(refused(life, '2026-03-02', release('fraud-1', '2026-02-20'))).toBeNull();
    expect(refused(life, day, release('none'))).toBe('unknown_reference holdId');
    const application = live().create('2026-01-10');
    expect(refused(application, '2026-01-12', hold('fraud', { from: date('2026-01-09') }))).toBe(
      'date_before_contract from',
    );
  });

  test('the details of a bankruptcy', () => {
    const life = unpaid();
    const of = (more: object, kind: HoldKind = 'bankruptcy') =>
      refused(life, '2026-02-10', hold(kind, { bankruptcy: { ...STAY, ...more } }));
    expect(of({})).toBeNull();
    expect(of({ filed: date('2020-01-01') })).toBeNull();
    expect(of({ filed: date('2026-02-11') })).toBe('contradiction details');
    expect(of({ filed: date('2026-02-01'), discharged: date('2026-01-31') })).toBe('contradiction details');
    expect(of({ filed: date('2026-02-01'), discharged: date('2026-02-11') })).toBe('date_in_future details');
    expect(of({}, 'fraud')).toBe('contradiction details');
    expect(refused(life, '2026-02-10', hold('bankruptcy', { bankruptcy: null }))).toBe('required details');
  });

  test('a loan has a hundred holds at most', () => {
    const life = unpaid();
    for (let n = 0; n < 100; n++) {
      life.take('2026-02-01', hold('fraud', { holdId: `F${n}` }));
      life.take('2026-02-01', release(`F${n}`));
    }
    expect(refused(life, '2026-02-01', hold('fraud', { holdId: 'one more' }))).toBe('not_supported');
  });
});

describe('the charge-off clock', () => {
  test('the days of a disaster hold do not count', () => {
    const life = unpaid();
    expect(chargeOffDue(life.loan('2026-03-15'))).toBe('2026-06-30');
    life.take('2026-03-01', hold('disaster', { to: date('2026-03-31') }));
    // 120 days after 1 February are 1 June; 31 more are 2 July.
    expect(chargeOffDue(life.loan('2026-03-15'))).toBe('2026-07-31');
    const open = unpaid();
    open.take('2026-03-01', hold('disaster'));
    expect(chargeOffDue(open.loan('2026-12-31'))).toBeNull();
    expect(chargeOffProposed(open.loan('2026-12-31'))).toBeNull();
    open.take('2026-12-31', release('disaster-1'));
    expect(chargeOffDue(open.loan('2026-12-31'))).toBe(chargeOffDue(open.loan('2027-01-31')));
  });

  test('days before the loan was past due, and after it was due, change nothing', () => {
    const life = unpaid();
    life.take('2026-02-01', hold('disaster', { from: date('2026-01-05'), to: date('2026-02-01') }));
    expect(chargeOffDue(life.loan('2026-03-15'))).toBe('2026-06-30');
    life.take('2026-07-01', hold('disaster', { holdId: 'later' }));
    expect(chargeOffDue(life.loan('2026-07-01'))).toBe('2026-06-30');
  });

  test.each([
    ['bankruptcy', '2026-03-31'],
    ['fraud', '2026-04-30'],
  ] as const)('%s: proposed by the last month end within its days, though nothing is past due', (kind, by) => {
    const life = unpaid();
    const filed = kind === 'bankruptcy' ? { ...STAY, filed: date('2026-01-31') } : null;
    life.take('2026-01-31', hold(kind, { bankruptcy: filed }));
    for (const [day, refId] of [
      ['2026-02-01', 'P1'],
      ['2026-03-01', 'P2'],
      ['2026-04-01', 'P3'],
    ] as const) {
      life.pay(day, '888.49', refId);
    }
    expect(chargeOffRequiredBy(life.loan('2026-02-01'))).toBe(by);
    expect(chargeOffProposed(life.loan(addDays(date(by), -1)))).toBeNull();
    expect(chargeOffProposed(life.loan(by))).toMatchObject({ reason: kind, holdId: `${kind}-1`, daysPastDue: 0 });
    life.take(by, release(`${kind}-1`));
    expect(chargeOffProposed(life.loan(by))).toBeNull();
  });

  test('a debt that was reaffirmed is charged off by its days past due alone', () => {
    const life = unpaid();
    const reaffirmed = { ...STAY, filed: date('2026-01-02'), discharged: date('2026-01-20'), reaffirmed: true };
    life.take('2026-01-31', hold('bankruptcy', { from: date('2026-01-02'), bankruptcy: reaffirmed }));
    expect(chargeOffRequiredBy(life.loan('2026-02-01'))).toBeNull();
    expect(chargeOffProposed(life.loan('2026-06-30'))).toMatchObject({ reason: 'pastDue', holdId: null });
  });

  test('nothing is proposed for a loan that owes nothing', () => {
    const life = unpaid().pay('2026-01-02', '10003.33', 'P');
    life.take('2026-01-02', hold('fraud'));
    expect(life.loan('2026-06-30').principal).toBe(0);
    expect(chargeOffProposed(life.loan('2026-06-30'))).toBeNull();
  });
});

describe('the end of a hold', () => {
  test('is noted on the day after its last', () => {
    const life = unpaid();
    life.take('2026-01-05', hold('attorney', { to: date('2026-01-20') }));
    const before = life.loan('2026-01-05');
    expect(nextDayNoted(before)).toBe('2026-01-21');
    expect(broughtBetween(before, life.loan('2026-01-20')).holdsExpired).toEqual([]);
    expect(broughtBetween(before, life.loan('2026-01-21')).holdsExpired).toEqual(['attorney-1']);
    expect(holdsInForce(life.loan('2026-01-21'))).toEqual([]);
  });

  test('is not noted of one that was released before', () => {
    const life = unpaid();
    life.take('2026-01-05', hold('attorney', { to: date('2026-01-20') }));
    life.take('2026-01-10', release('attorney-1'));
    expect(nextDayNoted(life.loan('2026-01-10'))).toBe('2026-02-02');
  });
});
