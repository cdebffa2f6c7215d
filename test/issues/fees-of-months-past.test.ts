/** A hold or military service whose end becomes known late brings no late fees of months past, unless somebody asks for them with a reason. */
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/core/fold.ts';
import { HOLD_EFFECTS } from '../../src/core/hold-effects.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { journalOf } from '../../src/ledger/journal.ts';
import { contractOf, FLAT_LATE_FEE, type Life, live } from '../support/life.ts';

/** Due on the first of each month from February on, nothing paid; without a hold a late fee on each 12th. */
const unpaid = () => live(contractOf(), { lateFee: FLAT_LATE_FEE }).fund();
const lateFees = (life: Life, on: string) =>
  life.loan(on).fees.flatMap(({ feeId, date, amount }) => (feeId.startsWith('late-') && amount > 0 ? [date] : []));
const KINDS = [
  ...new Set(HOLD_EFFECTS.filter(({ effects }) => effects.lateFees.effect === 'forbidden').map(({ kind }) => kind)),
];

function held(kind: string, to: string | null = null): Life {
  const life = unpaid();
  const bankruptcy = { chapter: 13, filed: null, discharged: null, reaffirmed: false };
  life.take('2026-01-10', {
    ...{ do: 'place-hold', holdId: 'H', kind, from: null, to, detailed: false, reason: 'told' },
    bankruptcy: kind === 'bankruptcy' ? bankruptcy : null,
  } as never);
  return life;
}

const release = (more: object = {}) =>
  ({ do: 'release-hold', holdId: 'H', date: '2026-02-05', reason: 'over', ...more }) as never;

describe.each(KINDS)('a hold: %s', (kind) => {
  test('released from an earlier day: late fees begin on the day it was recorded', () => {
    const life = held(kind);
    life.take('2026-05-05', release());
    expect(lateFees(life, '2026-05-05')).toEqual([]);
    expect(lateFees(life, '2026-06-30')).toEqual(['2026-05-12', '2026-06-12']);
    expect(life.loan('2026-05-05').holds[0]?.releasedOn).toBe('2026-02-05');
    // Nothing is posted in the months before.
    const assessed = journalOf(life.events)
      .lines.flat()
      .filter(({ entry }) => entry === 'assessment');
    expect(assessed).toEqual([]);
  });

  test('with chargeRetroactive they are charged on their own days, and the answer says so', () => {
    const life = held(kind);
    const { changes } = life.take('2026-05-05', release({ chargeRetroactive: true }));
    expect(lateFees(life, '2026-05-05')).toEqual(['2026-02-12', '2026-03-12', '2026-04-12']);
    expect(changes?.filter(({ what }) => what === 'lateFee')).toHaveLength(3);
    expect(isRefusal(held(kind).ask('2026-05-05', release({ chargeRetroactive: true, reason: ' ' })))).toBe(true);
  });

  test('undone: late fees begin on the day of the undo, or on their own days with chargeRetroactive', () => {
    const life = held(kind);
    const sequence = life.events.findIndex(({ type }) => type === 'holdPlaced') + 1;
    life.take('2026-05-05', { do: 'undo', sequence, reason: 'entered on the wrong loan' });
    expect(life.loan('2026-05-05').holds).toEqual([]);
    expect(lateFees(life, '2026-05-31')).toEqual(['2026-05-12']);
    const other = held(kind);
    other.take('2026-05-05', { do: 'undo', sequence, reason: 'entered on the wrong loan', chargeRetroactive: true });
    expect(lateFees(other, '2026-05-31')).toEqual(['2026-02-12', '2026-03-12', '2026-04-12', '2026-05-12']);
  });

  test('that would have ended by then: only its own days bring no fee', () => {
    const life = held(kind, '2026-03-31');
    expect(lateFees(life, '2026-04-30')).toEqual(['2026-04-12']);
    life.take('2026-05-05', release());
    expect(lateFees(life, '2026-05-05')).toEqual(['2026-04-12']);
    const sequence = life.events.findIndex(({ type }) => type === 'holdReleased') + 1;
    life.take('2026-05-06', { do: 'undo', sequence, reason: 'not over' });
    life.take('2026-05-07', { do: 'undo', sequence: sequence - 1, reason: 'wrong loan' });
    expect(lateFees(life, '2026-05-07')).toEqual(['2026-04-12']);
  });
});

test('a release of today is as ever, and so is a fold that is continued', () => {
  const life = held('disaster');
  life.take('2026-03-10', release({ date: null }));
  expect(lateFees(life, '2026-03-31')).toEqual(['2026-03-12']);
  expect(fold(life.events, '2026-03-31' as never).fees).toEqual(life.loan('2026-03-31').fees);
});

describe('military service', () => {
  const report = (to: string | null, more: object = {}) =>
    ({
      ...{ do: 'change-rate', rate: percent('6'), date: null, why: 'scra', reason: 'orders' },
      ...{ service: { from: '2026-01-15', to }, ...more },
    }) as never;
  const served = (to: string | null = null) => {
    const life = unpaid();
    life.take('2026-01-20', report(to));
    return life;
  };

  test('an earlier end than was known: late fees begin with the correction', () => {
    const life = served();
    expect(lateFees(life, '2026-05-05')).toEqual([]);
    life.take('2026-05-05', report('2026-02-05'));
    expect(lateFees(life, '2026-06-30')).toEqual(['2026-05-12', '2026-06-12']);
    // Corrected once more: what was not charged stays so.
    life.take('2026-06-20', report('2026-01-31'));
    expect(lateFees(life, '2026-06-30')).toEqual(['2026-05-12', '2026-06-12']);
  });

  test('with chargeRetroactive they are charged on their own days; the days after a known end are as they were', () => {
    const life = served();
    life.take('2026-05-05', report('2026-02-05', { chargeRetroactive: true }));
    expect(lateFees(life, '2026-05-05')).toEqual(['2026-02-12', '2026-03-12', '2026-04-12']);
    const known = served('2026-03-31');
    known.take('2026-05-05', report('2026-02-05'));
    expect(lateFees(known, '2026-05-05')).toEqual(['2026-04-12']);
  });

  test('a report that is undone: late fees begin with the undo', () => {
    const life = served();
    const sequence = life.events.findIndex(({ type }) => type === 'militaryService') + 1;
    life.take('2026-05-05', { do: 'undo', sequence, reason: 'another person' });
    expect(life.loan('2026-05-05').service).toBeNull();
    expect(lateFees(life, '2026-05-31')).toEqual(['2026-05-12']);
  });
});
