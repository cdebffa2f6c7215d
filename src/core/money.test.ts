import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AmountOutOfRange,
  type Cents,
  cents,
  divide,
  formatCents,
  MAX_CENTS,
  mulDiv,
  parseCents,
  type Rounding,
  split,
} from './money.ts';

/** The same rule in its simplest form: the quotient of the magnitudes, and what its remainder does to it. */
function plainRound(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const size = numerator < 0n ? -numerator : numerator;
  let whole = size / denominator;
  const rest = size - whole * denominator;
  if (rest + rest > denominator) whole += 1n;
  if (rest + rest === denominator && (rounding === 'half-up' || whole % 2n !== 0n)) whole += 1n;
  return numerator < 0n ? -whole : whole;
}

const rounding = fc.constantFrom<Rounding>('half-up', 'half-even');

describe('rounding (domain rules: multiply before you divide, round once, half-up unless half-even)', () => {
  test('50.125 is 50.13 half-up and 50.12 half-even', () => {
    expect(mulDiv(50_125, 1, 1, 10, 'half-up')).toBe(5_013);
    expect(mulDiv(50_125, 1, 1, 10, 'half-even')).toBe(5_012);
    expect(mulDiv(50_135, 1, 1, 10, 'half-even')).toBe(5_014);
  });

  test('half-up is away from zero, so that an amount and its negative round alike', () => {
    expect(divide(-5n, 2n, 'half-up')).toBe(-3n);
    expect(divide(5n, -2n, 'half-up')).toBe(-3n);
    expect(divide(-5n, 2n, 'half-even')).toBe(-2n);
  });

  test('mulDiv agrees with bigint arithmetic on both sides of 2^53', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 15), max: 10 ** 15 }),
        fc.integer({ min: 0, max: 10 ** 7 }),
        fc.integer({ min: 0, max: 50_000 }),
        fc.integer({ min: 1, max: 10 ** 15 }),
        rounding,
        (a, b, c, d, how) => {
          const expected = plainRound(BigInt(a) * BigInt(b) * BigInt(c), BigInt(d), how);
          // Compared as bigint: beyond 2^53 the number is the nearest one, which `cents` refuses.
          const safe = BigInt(Number.MAX_SAFE_INTEGER);
          if (expected <= safe && expected >= -safe) expect(BigInt(mulDiv(a, b, c, d, how))).toBe(expected);
        },
      ),
    );
  });

  test('mulDiv agrees with bigint arithmetic where the quotient is a tie', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 5 }), rounding, (n, d, how) => {
        expect(BigInt(mulDiv(2 * n + 1, d, 1, 2 * d, how))).toBe(plainRound(BigInt(2 * n + 1), 2n, how));
      }),
    );
  });
});

describe('split', () => {
  test('parts sum to the whole, each within a cent of its share', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -MAX_CENTS, max: MAX_CENTS }),
        fc
          .array(fc.integer({ min: 0, max: 10 ** 9 }), { minLength: 1, maxLength: 30 })
          .filter((w) => w.some((n) => n > 0)),
        (total, weights) => {
          const parts = split(cents(total), weights);
          expect(parts.reduce((all, part) => all + part, 0)).toBe(total);
          const sum = weights.reduce((all, weight) => all + BigInt(weight), 0n);
          parts.forEach((part, i) => {
            const over = BigInt(part) * sum - BigInt(total) * BigInt(weights[i] as number);
            expect(over < sum && over > -sum).toBe(true);
          });
        },
      ),
    );
  });

  test('the rounding remainder goes to the largest remainders, first ones first', () => {
    expect(split(cents(100), [1, 1, 1])).toEqual([34, 33, 33]);
    expect(split(cents(-100), [1, 1, 1])).toEqual([-34, -33, -33]);
    expect(split(cents(5), [1, 0, 3])).toEqual([1, 0, 4]);
    expect(split(cents(0), [1, 2])).toEqual([0, 0]);
  });

  test('unusable weights are refused', () => {
    expect(() => split(cents(1), [0, 0])).toThrow(RangeError);
    expect(() => split(cents(1), [2, -1])).toThrow(RangeError);
    expect(() => split(cents(1), [])).toThrow(RangeError);
  });
});

describe('parseCents', () => {
  test.each([
    ['0', 0],
    ['0.5', 50],
    ['0.05', 5],
    ['1', 100],
    ['007', 700],
    ['1,234.56', 123_456],
    ['999,999,999,999', 99_999_999_999_900],
    ['1234567.8', 123_456_780],
    ['9999999999999.99', MAX_CENTS],
    ['9,999,999,999,999.99', MAX_CENTS],
    ['000000000000001', 100],
  ])('%s is %d cents', (text, amount) => {
    expect(parseCents(text)).toBe(amount);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1.',
    '.5',
    '1.234',
    '1e3',
    '1,23',
    '1,2345',
    '12,34,567',
    ',123',
    '1,234,',
    '1.2.3',
    '10000000000000.00',
    '10000000000000',
    '1234567890123456',
    '١',
    '1\n',
    'NaN',
    'Infinity',
    '0x10',
  ])('%j is not an amount', (text) => {
    expect(parseCents(text)).toBeNull();
  });

  test('a formatted amount parses back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_CENTS }), (amount) => {
        expect(parseCents(formatCents(amount as Cents))).toBe(amount);
      }),
    );
  });
});

test('formatCents always has two decimals, and a sign in front', () => {
  expect(formatCents(cents(0))).toBe('0.00');
  expect(formatCents(cents(-0))).toBe('0.00');
  expect(formatCents(cents(-5))).toBe('-0.05');
  expect(formatCents(cents(-123_456))).toBe('-1234.56');
});

test('an amount outside the safe integers is an error, never a rounded amount', () => {
  expect(() => cents(2 ** 53)).toThrow(AmountOutOfRange);
  expect(() => cents(0.1)).toThrow(AmountOutOfRange);
  expect(() => cents(Number.NaN)).toThrow(AmountOutOfRange);
});
