import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from './canonical.ts';

function double(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

describe('canonical JSON', () => {
  it('is the RFC’s example (RFC 8785, 3.2.2), to the byte (3.2.4)', () => {
    const given = JSON.parse(`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
      "literals": [null, true, false]
    }`);
    const text = canonical(given);
    expect(text).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
    expect(Buffer.from(text).toString('hex')).toBe(
      '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c31652b33' +
        '302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d',
    );
  });

  it('sorts members by UTF-16 code units (RFC 8785, 3.2.3)', () => {
    const given = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonical(given)) as object).sort()).toEqual(Object.values(given).sort());
    expect([...canonical(given).matchAll(/:"([^"]*)"/g)].map((match) => match[1])).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonical({ b: { z: [{ y: 1, x: 2 }], a: {} }, '': [] })).toBe('{"":[],"b":{"a":{},"z":[{"x":2,"y":1}]}}');
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s as %s (RFC 8785, Appendix B)', (bits, text) => {
    expect(canonical(double(bits))).toBe(text);
  });

  it('is the same text whatever the order in which members were set', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value')),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('value')),
      ),
    }));
    const inOrder = (one: unknown, order: 1 | -1): unknown => {
      if (Array.isArray(one)) return one.map((item) => inOrder(item, order));
      if (one === null || typeof one !== 'object') return one;
      const members = Object.entries(one).sort(([a], [b]) => (a < b ? -order : order));
      return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member, order)]));
    };
    fc.assert(
      fc.property(value, (one) => canonical(inOrder(one, 1)) === canonical(inOrder(one, -1))),
      { seed: 7, numRuns: 500 },
    );
    for (const wrong of [
      new Array(2),
      { a: new Array(2) },
      { a: undefined },
      [Number.NaN],
      { toJSON: () => 1 },
      ['\ud800'],
      { '\ud800': 1 },
    ])
      expect(() => canonical(wrong)).toThrow(TypeError);
  });

  it('escapes what JSON must escape, and nothing else', () => {
    for (let code = 0; code < 0x100; code++) {
      const short: Record<number, string> = {
        8: '\\b',
        9: '\\t',
        10: '\\n',
        12: '\\f',
        13: '\\r',
        34: '\\"',
        92: '\\\\',
      };
      const char = String.fromCharCode(code);
      const escaped = short[code] ?? (code < 0x20 ? `\\u${code.toString(16).padStart(4, '0')}` : char);
      expect(canonical(char)).toBe(`"${escaped}"`);
      expect(canonical({ [char]: 1 })).toBe(`{"${escaped}":1}`);
    }
    expect(canonical('\u2028\ud83d\ude00/')).toBe('"\u2028\ud83d\ude00/"');
  });

  it('refuses what JSON cannot represent exactly', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    for (const value of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      undefined,
      10n,
      Symbol('x'),
      () => 1,
      'a\ud800',
      '\udc00\ud800',
      { '\ud83d': 1 },
      new Date(0),
      new Map(),
      loop,
    ]) {
      expect(() => canonical({ inside: [value] })).toThrow(/JSON can|surrogate|nested/);
    }
  });

  it('gives the same text whatever the order of members, and parses back to the same value', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      const text = canonical(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonical(reversed(value))).toBe(text);
      expect(canonical(JSON.parse(text))).toBe(text);
    });
    fc.assert(property, { numRuns: 500, seed: 20_240_229 });
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, reversed(member)]);
  return Object.fromEntries(members.reverse());
}
