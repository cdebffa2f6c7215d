import { describe, expect, test } from 'vitest';
import {
  entrySpans,
  isEmptyAt,
  isListAt,
  isObjectAt,
  MAX_DEPTH,
  memberSpans,
  membersWithoutString,
  scalarText,
  TooDeep,
  valueKind,
  valueStart,
} from './json-source.ts';

const members = (source: string) =>
  memberSpans(source, valueStart(source)).map(({ name, start, end }) => [name, source.slice(start, end)]);
const entries = (source: string) =>
  entrySpans(source, valueStart(source)).map(({ start, end }) => source.slice(start, end));

describe('members', () => {
  test('come in their order with their values to the letter', () => {
    expect(members('{"a":1.0,"b":1e5,"c":"\\u00e9\\n","d":[1, 2],"e":{"f":null},"g":true}')).toEqual([
      ['a', '1.0'],
      ['b', '1e5'],
      ['c', '"\\u00e9\\n"'],
      ['d', '[1, 2]'],
      ['e', '{"f":null}'],
      ['g', 'true'],
    ]);
  });

  test('have white space around them, which is not part of the value', () => {
    expect(members(' \n{ "a" :\t-0.50 , "b"\r\n: { } }')).toEqual([
      ['a', '-0.50'],
      ['b', '{ }'],
    ]);
    expect(members('{ }')).toEqual([]);
  });

  test('that are repeated come as often as they are written', () => {
    expect(members('{"a":1,"a":2,"__proto__":3}')).toEqual([
      ['a', '1'],
      ['a', '2'],
      ['__proto__', '3'],
    ]);
  });

  test('have the name that is meant, however it is escaped', () => {
    expect(members('{"\\u0052equest":1,"a\\"b":2,"\\\\":3}').map(([name]) => name)).toEqual(['Request', 'a"b', '\\']);
  });

  test('may hold brackets and quotes in their strings', () => {
    expect(members('{"a":"}]\\"{[","b":"\\\\","c":["\\\\\\"]"]}')).toEqual([
      ['a', '"}]\\"{["'],
      ['b', '"\\\\"'],
      ['c', '["\\\\\\"]"]'],
    ]);
  });
});

test('entries of a list', () => {
  expect(entries('[1, "a,b" ,{"c":[]},[[]],null]')).toEqual(['1', '"a,b"', '{"c":[]}', '[[]]', 'null']);
  expect(entries('[ ]')).toEqual([]);
});

test('a scalar is a string as it is meant or a number as it is written', () => {
  const source = '["a\\u00e9", 1.50, -2E3, null, true, {}, []]';
  expect(entrySpans(source, 0).map((span) => scalarText(source, span))).toEqual([
    'aé',
    '1.50',
    '-2E3',
    null,
    null,
    null,
    null,
  ]);
  expect([isObjectAt('{}', 0), isObjectAt('[]', 0), isListAt('[]', 0), isListAt('{}', 0)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('nesting is passed over without recursion, down to a bound', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(members(nested(MAX_DEPTH))[0]?.[1]).toHaveLength(2 * MAX_DEPTH);
  expect(() => members(nested(MAX_DEPTH + 1))).toThrow(TooDeep);
  expect(() => members(nested(1_000_000))).toThrow(TooDeep);
});

test('a megabyte without and one full of escapes take time in proportion', () => {
  const plain = `{"a":"${'x'.repeat(1_000_000)}",${'"b":1,'.repeat(50_000)}"c":2}`;
  const escaped = `{"a":"${'\\"'.repeat(500_000)}","b":"${'\\\\'.repeat(500_000)}","c":2}`;
  const started = performance.now();
  expect(members(plain)).toHaveLength(50_002);
  expect(members(escaped).map(([, value]) => value?.length)).toEqual([1_000_002, 1_000_002, 1]);
  // Some tens of milliseconds; a scan that looked at the rest of the text for every member would take minutes.
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('whatever JSON is written, the spans parse to what the parser finds', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pick = <T>(list: readonly T[]) => list[random(list.length)] as T;
  const space = () => pick(['', '', '', ' ', '\n', '\t \r\n']);
  // No name has a backslash in it: V8 14 takes {"\\\"":0,"\"":1} for {"\\\"":0,"\\":1} once it has seen the latter.
  const name = () => JSON.stringify(pick(['', 'a', '"', '{', ']', ',', ':', 'é\u2028', '\ud800', 'k']));
  const text = () => pick([name(), '"\\\\"', '"\\\\\\""', '"a\\u005cb"']);
  const value = (depth: number): string => {
    const kind = random(depth > 4 ? 4 : 7);
    if (kind < 2) return text();
    if (kind === 2) return pick(['0', '-0', '1.50', '1e5', '-2.5E-3', '12345678901234567890']);
    if (kind === 3) return pick(['null', 'true', 'false']);
    const size = random(5);
    const parts = Array.from({ length: size }, () => value(depth + 1));
    if (kind < 5) return `[${space()}${parts.map((part) => part + space()).join(`,${space()}`)}]`;
    return `{${space()}${parts.map((part) => `${name()}${space()}:${space()}${part}${space()}`).join(`,${space()}`)}}`;
  };
  for (let i = 0; i < 200; i++) {
    const source = `${space()}{"x":${value(0)},"y":${value(0)}}`;
    check(source, valueStart(source), JSON.parse(source));
  }

  function check(source: string, at: number, parsed: unknown): void {
    if (isObjectAt(source, at)) {
      const spans = memberSpans(source, at);
      const last = new Map(spans.map((span) => [span.name, span]));
      expect([...last.keys()].sort()).toEqual(Object.keys(parsed as object).sort());
      for (const [name, { start, end }] of last) {
        const member = (parsed as Record<string, unknown>)[name];
        expect(JSON.parse(source.slice(start, end))).toEqual(member);
        check(source, start, member);
      }
    } else if (isListAt(source, at)) {
      const spans = entrySpans(source, at);
      expect(spans).toHaveLength((parsed as unknown[]).length);
      spans.forEach(({ start }, i) => {
        check(source, start, (parsed as unknown[])[i]);
      });
    }
  }
});

describe('types of values', () => {
  test.each([
    ['"a"', 'string'],
    ['-1', 'number'],
    ['0', 'number'],
    ['{}', 'object'],
    ['[]', 'list'],
    ['true', 'boolean'],
    ['false', 'boolean'],
    ['null', 'null'],
  ])('%s is a %s', (value, kind) => expect(valueKind(`[${value}]`, 1)).toBe(kind));

  test('members without a string are named, as many as are asked for', () => {
    const source = ' { "a" : "1", "b\\u0042":{"x":"}"} ,"c":["\\""],\n"d":null,"e":"\\\\","f":-1e5 }';
    expect(membersWithoutString(source, 1, 20)).toEqual(['bB', 'c', 'd', 'f']);
    expect(membersWithoutString(source, 1, 2)).toEqual(['bB', 'c']);
    expect(membersWithoutString('{}', 0, 20)).toEqual([]);
  });

  test('what is empty', () => {
    const values = ['{ }', '{"a":1}', '[ ]', '[1]', 'null', '""', '"a"', '"\\""', '0', 'false'];
    expect(values.filter((value) => isEmptyAt(value, 0))).toEqual(['{ }', '[ ]', 'null', '""']);
  });
});
