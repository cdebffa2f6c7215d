/** The model beside published figures, and the committed pages beside a run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BANDS } from './bands.ts';
import { expectedOf } from './expected.ts';
import { filesOf } from './page.ts';
import { type Study, study, workOf } from './study.ts';

const LONG = process.env.TEST_LONG !== undefined;
const folder = join(import.meta.dirname, '../../docs/model');
const committed = readFileSync(join(folder, 'calibration.md'), 'utf8').replaceAll('\r\n', '\n');
const stated = /npm run study -- --size (\d+) --seed ([\w-]+)/.exec(committed);

function finished(options: { size: number; seed: string }): { study: Study; steps: number } {
  const work = study(options);
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done) return { study: step.value, steps };
  }
}

const ran = finished({ size: Number(stated?.[1]), seed: stated?.[2] ?? '' });

test('docs/model is what the command that it states writes', () => {
  const files = filesOf(ran.study);
  expect([...files.keys()].sort()).toEqual([
    'calibration.md',
    'net-loss.svg',
    'scores.svg',
    'severity.svg',
    'speed-by-age.svg',
    'speed.svg',
    'tenths.svg',
    'timing-by-month.svg',
    'timing.svg',
  ]);
  const differ = [...files].filter(
    ([name, text]) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') !== text,
  );
  const hint = 'docs/model differs; write it again with `npm run study` and read it';
  expect(
    differ.map(([name]) => name),
    hint,
  ).toEqual([]);
  expect(ran.steps).toBe(workOf(ran.study));
});

/** The other population: what holds for the committed one is not its luck. */
const studies: [string, Study][] = [['the committed population', ran.study]];
if (LONG) studies.push(['another population', finished({ size: 2_000, seed: 'another' }).study]);

describe.each(studies)('on %s', (_, { compared, performance, bands }) => {
  test('loss, timing, speed and severity of every band are within the published ranges', () => {
    expect(bands.map(({ band }) => band)).toEqual(BANDS.map(({ name }) => name));
    expect(compared).toHaveLength(BANDS.length * 6);
    const outside = compared.filter(({ within }) => !within);
    expect(
      outside.map(({ band, figure, value, low, high }) => `${figure} of ${band}: ${value} is not in ${low}–${high}`),
    ).toEqual([]);
  });

  test('near prime loses as much as the pools of new loans alone, without the lender whose pools were paid on before', () => {
    const others = expectedOf('600–639').pools.filter(({ name }) => !name.startsWith('Ally'));
    const loss = bands.find(({ band }) => band === '600–639')?.netLoss;
    expect(others).toHaveLength(5);
    expect(loss).toBeGreaterThanOrEqual(Math.min(...others.map(({ netLoss }) => netLoss.low)));
    expect(loss).toBeLessThanOrEqual(Math.max(...others.map(({ netLoss }) => netLoss.high)));
  });

  test('a lower band loses more, and every curve goes up to all of the loss', () => {
    for (const [i, row] of bands.slice(1).entries()) expect(row.netLoss).toBeGreaterThan(bands[i]?.netLoss ?? 0);
    for (const { lossCurve, band } of bands) expect(lossCurve.at(-1), band).toBeCloseTo(100, 6);
  });

  test('it ranks, out of time too, and counts within four standard errors', () => {
    const [development, later, recession, lost] = performance;
    for (const sample of performance) {
      expect(sample.ks, sample.name).toBeGreaterThan(0.35);
      expect(sample.gini, sample.name).toBeGreaterThan(0.5);
    }
    for (const sample of [development, later]) {
      for (const { predicted, observed, error } of sample?.tenths ?? []) {
        expect(Math.abs(observed - predicted)).toBeLessThan(4 * error + 1e-9);
      }
      expect(sample?.scoreStability).toBeLessThan(0.1);
    }
    // Two things must be visible from outside: a recession in the level, a lost channel in the stability.
    expect(recession?.observed).toBeGreaterThan(1.15 * (recession?.predicted ?? 1));
    expect(lost?.scoreStability).toBeGreaterThan(0.1);
  });
});
