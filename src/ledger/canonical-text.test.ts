import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from './canonical.ts';
import { isCanonical } from './canonical-text.ts';

describe('text that is recognised as canonical', () => {
  test.each([
    '{}',
    '[]',
    '{"a":[],"b":{}}',
    '{"10":1,"9":2}',
    '{"":0,"a":-5,"b":null,"c":true,"d":false}',
    '[1,[2,{"x":"y"}],"z"]',
    '{"a":0.5,"b":1e+21}',
    '"a\\nb \\"quoted\\""',
    '{"é":1,"€":"ü","𝄞":2}',
    '123456789012345',
    '"{\'a\': 1}"',
  ])('%s', (text) => {
    expect(isCanonical(text)).toBe(true);
    expect(canonical(JSON.parse(text))).toBe(text);
  });
});

describe('text of the same value that is not', () => {
  test.each([
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a": 1}',
    '{"a":1 }',
    '{ "a":1}',
    '{"a":1, "b":2}',
    '[1, 2]',
    '[1 ]',
    ' 1',
    '1 ',
    '-0',
    '1.0',
    '1e2',
    '12345678901234567890',
    '"\\u0061"',
    '"\\/"',
    '"\\ud800"',
    '{"a":{"c":1,"b":2}}',
    '[{"b":1,"a":2}]',
    '"\ud800"',
  ])('%s', (text) => {
    expect(isCanonical(text)).toBe(false);
  });

  test('for any value: its canonical text is recognised, and no other text of the same value', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), (text) => {
        const value: unknown = JSON.parse(text);
        const right = canonical(value);
        expect(isCanonical(right)).toBe(true);
        const written = JSON.stringify(value);
        expect(isCanonical(written)).toBe(written === right);
        const spaced = JSON.stringify(value, null, 1);
        expect(isCanonical(spaced)).toBe(spaced === right);
      }),
      { seed: 4, numRuns: 500 },
    );
  });
});
