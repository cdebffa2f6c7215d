/**
 * No pattern of the service takes more time than the text is long: one caller with 40,000 spaces would otherwise block the process
 * and every other caller. `npm run test:slow` proves it, which takes half a minute in a fresh clone. Every literal of `src` and `scripts` counts, and every pattern of a schema that Ajv compiles.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../src/http/routes.ts';
import { patternsIn, patternsOfSchema, slowness } from './support/patterns.ts';
import { WHOLE } from './support/whole.ts';

const root = join(import.meta.dirname, '..');

/** The forms of the pages use the patterns of the contract, which the next test proves. */
const OF_THE_CONTRACT = 'web/src/parts/operation/draft.ts:';

if (WHOLE) {
  test('no pattern of the source can backtrack', () => {
    const paths = globSync('{src,study,scripts,web,sdk}/**/*.{ts,tsx,mjs,js}', {
      cwd: root,
      exclude: (name) => name === 'node_modules' || name === 'dist' || name.endsWith('.test.ts'),
    });
    const found = paths.map((path) => patternsIn(path, readFileSync(join(root, path), 'utf8')));
    const patterns = found.flatMap((one) => one.patterns);
    expect(patterns.length).toBeGreaterThan(50);
    const slow = patterns.map(slowness).filter((complaint) => complaint !== null);
    const complaints = found
      .flatMap((one) => one.complaints)
      .filter((complaint) => !complaint.startsWith(OF_THE_CONTRACT));
    expect([...complaints, ...slow]).toEqual([]);
  }, 120_000);

  test('no pattern of a schema can backtrack', () => {
    const patterns = operations.flatMap(({ id, body, query, params, requestHeaders }) =>
      patternsOfSchema(id, { body, query, params, requestHeaders }),
    );
    expect(patterns.length).toBeGreaterThan(10);
    expect([...new Set(patterns.map(slowness).filter((complaint) => complaint !== null))]).toEqual([]);
  });
}

describe('the check notices', () => {
  const complaints = (text: string) => {
    const { patterns, complaints } = patternsIn('a.ts', text);
    return [...complaints, ...patterns.map(slowness).filter((complaint) => complaint !== null)];
  };

  test.each([
    ['white space before the end', String.raw`/\s*%$/`, '2nd degree polynomial'],
    ['the same with letters behind it', String.raw`/\s*USD$/`, '2nd degree polynomial'],
    ['a repetition of a repetition', '/(a+)+$/', 'exponential'],
    ['two ways for one letter', '/^(a|a)*$/', 'exponential'],
    ['two repetitions side by side', String.raw`/^\s*\s*x$/`, '2nd degree polynomial'],
    ['three of them', String.raw`/^\d*,?\d*,?\d*x$/`, '3rd degree polynomial'],
  ])('%s: %s', (_, literal, complexity) => {
    expect(complaints(`text.replace(${literal}, '');`)).toEqual([
      expect.stringContaining(`a.ts:1: ${literal} takes ${complexity} time`),
    ]);
  });

  test('one that cannot be proven', () => {
    expect(complaints('\n/^0+(?=.)/;')).toEqual(['a.ts:2: /^0+(?=.)/ cannot be proven fast (look-ahead assertion)']);
  });

  test('one that repeats in a class, or after a sign that is no repetition', () => {
    expect(complaints(String.raw`/[*+]?a{1,}\\+$/;`)).toEqual([expect.stringContaining('2nd degree polynomial')]);
    expect(complaints(String.raw`/\*[+]x{3}$/;`)).toEqual([]);
  });

  test('one made from text, and one made from a value', () => {
    expect(complaints(String.raw`new RegExp('\\s*%$', 'g');`)).toEqual([expect.stringContaining('2nd degree')]);
    expect(complaints('RegExp(given);')).toEqual(['a.ts:1: a pattern made from a value, which cannot be checked']);
  });

  test('one deep in a schema, and the name of a member', () => {
    const schema = { anyOf: [{ properties: { a: { pattern: '(a+)+$' } } }, { patternProperties: { '(b+)+$': {} } }] };
    expect(patternsOfSchema('body', schema).map(slowness)).toEqual([
      expect.stringContaining('body/anyOf/0/properties/a/pattern: /(a+)+$/u takes exponential time'),
      expect.stringContaining('body/anyOf/1/patternProperties: /(b+)+$/u takes exponential time'),
    ]);
  });

  test('nothing in patterns that read each character once', () => {
    expect(complaints(String.raw`/^[a-z]{1,64}$/; /\?.*$/s; /\D/g; text.replace(/^W\//, '');`)).toEqual([]);
  });
});
