import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { inEconomy } from '../../src/underwriting/macro.ts';
import type { LendingPolicy } from '../../src/underwriting/policy.ts';
import { POLICIES } from '../../src/underwriting/policy-data.ts';
import { assess } from './assess.ts';
import { byBand, compared, figuresOf, liveOn } from './calibration.ts';
import { expectedOf } from './expected.ts';
import { population } from './population.ts';

const people = population({ size: 60, seed: 'calibration', on: date('2026-01-15') });
const loans = people.map((applicant) => assess(applicant));

describe('the figures of a band', () => {
  test('of one loan are those of its forecast', () => {
    const [one] = loans;
    if (one === undefined) throw new Error('Nobody.');
    const { totals, rows } = one.deal.forecast;
    const figures = figuresOf('680–719', [one]);
    expect(figures.netLoss).toBeCloseTo((100 * totals.netLoss) / one.deal.contract.amount, 9);
    expect(figures.severity).toBeCloseTo(100 - (100 * totals.recovered) / totals.chargedOff, 9);
    const lost = rows.reduce((sum, row) => (row.month <= 24 ? sum + row.chargedOff - row.recovered : sum), 0);
    expect(figures.lossBy24).toBeCloseTo((100 * lost) / totals.netLoss, 9);
    expect(figures.defaultProbability).toBeCloseTo(100 * one.deal.defaultProbability, 9);
    expect(figures.loans).toBe(1);
  });

  test('are weighted by the amount lent', () => {
    const both = figuresOf('680–719', loans.slice(0, 2));
    const lost = loans.slice(0, 2).reduce((sum, { deal }) => sum + deal.forecast.totals.netLoss, 0);
    const lent = loans.slice(0, 2).reduce((sum, { deal }) => sum + deal.contract.amount, 0);
    expect(both.netLoss).toBeCloseTo((100 * lost) / lent, 9);
  });

  test('a band that nobody is in is left out, and nobody is in two', () => {
    const good = loans.filter(({ applicant }) => (applicant.score ?? 0) >= 720);
    expect(byBand(good).map(({ band }) => band)).toEqual(['780+', '720–779']);
    const scored = loans.filter(({ applicant }) => applicant.score !== null);
    expect(byBand(loans).reduce((sum, row) => sum + row.loans, 0)).toBe(scored.length);
  });
});

test('a figure at the end of its range is within, beyond it is not', () => {
  const [row] = byBand(loans.filter(({ applicant }) => applicant.band === '680–719'));
  if (row === undefined) throw new Error('Nobody.');
  const { low, high } = expectedOf('680–719').netLoss;
  const withinAt = (netLoss: number) => compared([{ ...row, netLoss }]).find((one) => one.figure === 'netLoss')?.within;
  expect([low - 0.01, low, high, high + 0.01].map(withinAt)).toEqual([false, true, true, false]);
  expect(compared([{ ...row, band: 'no score' }])).toEqual([]);
});

test('outcomes are the same for the same seed, and live by the economy that comes', () => {
  expect(liveOn(loans, 'seed')).toEqual(liveOn(loans, 'seed'));
  const bad = (macro: { unemployment: number; cpi: number; fedRate: number }) => {
    const policy = inEconomy(POLICIES[0] as LendingPolicy, date('2026-01-15'), macro);
    const world = people.map((applicant) => assess(applicant, { policy }));
    return liveOn(loans, 'seed', world).filter((one) => one.bad).length;
  };
  expect(bad({ unemployment: 14, cpi: 2, fedRate: 4 })).toBeGreaterThan(bad({ unemployment: 3, cpi: 2, fedRate: 4 }));
});
