import { expect, test } from 'vitest';
import { exponential } from './exponential.ts';

test('e to a power agrees with Math.exp to the last digits, and with itself by the laws of powers', () => {
  for (let x = -30; x <= 30; x += 0.0371) {
    expect(Math.abs(exponential(x) / Math.exp(x) - 1)).toBeLessThan(4e-16 * 4);
    expect(exponential(x) * exponential(-x)).toBeCloseTo(1, 13);
  }
  expect(exponential(0)).toBe(1);
});

test('it never leaves the range in which a logit is meaningful', () => {
  expect(exponential(1e9)).toBe(exponential(60));
  expect(exponential(-1e9)).toBe(exponential(-60));
  expect(exponential(-60)).toBeGreaterThan(0);
});

test('the bits are fixed here, so that every machine is compared with the same ones', () => {
  const bits = (value: number) => new DataView(new Float64Array([value]).buffer).getBigUint64(0, true).toString(16);
  expect([-6.55, -0.1234, 0.5, 7.7].map((x) => bits(exponential(x)))).toMatchInlineSnapshot(`
    [
      "3f576e56ee59d04f",
      "3fec48fdaec40324",
      "3ffa61298e1e069c",
      "40a140b22bfe1dac",
    ]
  `);
});
