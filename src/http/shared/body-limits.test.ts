import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { limitsText, SMALL_BODY, scanJson } from './body-limits.ts';

const MANY = 1_000_000;
const exceeded = (json: string, members: number, levels = MANY) =>
  scanJson(Buffer.from(json), { members, levels }).exceeded;

/** Counted on the parsed value. */
function sizeOf(value: unknown): { members: number; levels: number } {
  if (typeof value !== 'object' || value === null) return { members: 0, levels: 0 };
  const inside = Object.values(value).map(sizeOf);
  return {
    members: inside.length + inside.reduce((sum, { members }) => sum + members, 0),
    levels: 1 + Math.max(0, ...inside.map(({ levels }) => levels)),
  };
}

describe('the size of a JSON text', () => {
  it('is what the parser finds: exactly at its limits, and not one below', () => {
    const spaced = fc.constantFrom(undefined, 1, '\t', '\n  ');
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, stringUnit: 'binary' }), spaced, (compact, space) => {
        const value: unknown = JSON.parse(compact);
        const json = JSON.stringify(value, null, space);
        const { members, levels } = sizeOf(value);
        expect(exceeded(json, members, levels)).toBeNull();
        if (members > 0) expect(exceeded(json, members - 1)).toBe('members');
        if (levels > 0) expect(exceeded(json, MANY, levels - 1)).toBe('levels');
      }),
      { seed: 17, numRuns: 300 },
    );
  });

  test.each([
    ['nothing', '{}', 0],
    ['nothing but space', '[ \n\t ]', 0],
    ['brackets and commas in strings', '["[{,}]",",,,,"]', 2],
    ['escaped quotes', String.raw`["\",\",[","\\",",",1]`, 4],
    ['escapes in names', String.raw`{"a\"{,":1,"\u005b,":[]}`, 2],
    ['empty ones inside', '[[],{},[{}]]', 4],
    ['a repeated name, each time', '{"a":1,"a":2,"a":3}', 3],
    ['letters of several bytes', '{"é,€":"😀,[","日本":1}', 2],
  ])('counts %s', (_, json, members) => {
    expect(exceeded(json, members)).toBeNull();
    if (members > 0) expect(exceeded(json, members - 1)).toBe('members');
  });

  it('is bounded for bytes that are no JSON', () => {
    for (const json of ['"never ends', '"\\', ']]]]', ',,,,', '{'.repeat(64), '\u0000', '']) exceeded(json, 1_000, 64);
    expect(exceeded('['.repeat(100_000), MANY, 64)).toBe('levels');
    expect(exceeded(','.repeat(100_000), 1_000)).toBe('members');
  });

  it('notes a number wherever one is, and only there', () => {
    const hasNumber = (value: unknown): boolean =>
      typeof value === 'object' && value !== null ? Object.values(value).some(hasNumber) : typeof value === 'number';
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(fc.json({ maxDepth: 3, stringUnit: 'binary' }), (json) => {
        const expected = hasNumber(JSON.parse(json));
        seen.add(expected);
        const scanned = scanJson(Buffer.from(json), { members: MANY, levels: MANY });
        expect(scanned).toEqual({ exceeded: null, hasNumbers: expected });
      }),
      { seed: 18, numRuns: 300 },
    );
    expect(seen.size).toBe(2);
    for (const [json, hasNumbers] of [
      ['{"a-1":"2","b":[true,null]}', false],
      [String.raw`{"a":"\"","b":-1}`, true],
      ['[[[0]]]', true],
    ] as const) {
      expect(scanJson(Buffer.from(json), SMALL_BODY)).toEqual({ exceeded: null, hasNumbers });
    }
  });

  it('stops counting at the limit', () => {
    let read = 0;
    const bytes = Buffer.from(`[${'1,'.repeat(100_000)}1]`);
    const watched = new Proxy(bytes, {
      get(target, name) {
        if (name === 'length') return target.length;
        read += 1;
        return target[Number(name)];
      },
    });
    expect(scanJson(watched, { members: 10, levels: 10 })).toEqual({ exceeded: 'members' });
    expect(read).toBeLessThan(50);
  });
});

test('the limits in words', () => {
  expect(limitsText(SMALL_BODY)).toBe('at most 64 KiB, 1,000 fields and list entries, and 64 levels of nesting');
});
