/**
 * `docs/house.svg` is generated: it is what the source gives, and it shows the imports that do not follow from others. Its numbers of lines
 * may lag behind by a fifth, so that an addition to a room does not change the drawing.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { houseDrawing } from '../scripts/house-drawing.ts';

type Drawing = { lines: number[]; rest: string };
/** The number of lines in a box. */
const LINES = /(<text class="lines"[^>]*>)([\d,]+)/g;

test('docs/house.svg is the drawing of the source', () => {
  const root = join(import.meta.dirname, '..');
  const paths = globSync('src/**/*.ts', { cwd: root });
  const tree = new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]));
  const committed = readFileSync(join(root, 'docs/house.svg'), 'utf8').replaceAll('\r\n', '\n');
  const [drawn, shown] = [houseDrawing(tree), committed].map((text) => ({
    lines: [...text.matchAll(LINES)].map(([, , count = '']) => Number(count.replace(',', ''))),
    rest: text.replaceAll(LINES, '$1'),
  })) as [Drawing, Drawing];
  const asked = 'docs/house.svg differs; write it again with `npm run drawing` and check it';
  expect(drawn.rest === shown.rest, asked).toBe(true);
  const outdated = drawn.lines.filter((lines, n) => Math.abs(lines - (shown.lines[n] ?? 0)) > Math.max(100, lines / 5));
  expect(outdated, asked).toEqual([]);
  expect(drawn.lines.length).toBeGreaterThan(10);
});

describe('the drawing', () => {
  /** "http imports loans", "store imports types of ledger", in the order of the drawing. */
  const arrows = (files: Record<string, string>) =>
    [...houseDrawing(new Map(Object.entries(files))).matchAll(/<title>(\w+ imports [\w ]+)<\/title>/g)].map(
      ([, words]) => words,
    );
  const money = { 'src/core/money.ts': 'export const cent = 1;\nexport type Cent = 1;' };
  const ledger = { 'src/ledger/post.ts': "import { cent } from '../core/money.ts';\nexport const post = cent;" };

  test('leaves out an import that follows from others', () => {
    const loans = { 'src/loans/read.ts': "import '../core/money.ts';\nimport '../ledger/post.ts';" };
    expect(arrows({ ...money, ...ledger, ...loans })).toEqual(['ledger imports core', 'loans imports ledger']);
  });

  test('an import of code does not follow from imports of types', () => {
    const loans = {
      'src/loans/read.ts':
        "import '../core/money.ts';\nimport type { post } from '../ledger/post.ts';\nlet a: typeof post;",
    };
    expect(arrows({ ...money, ...ledger, ...loans })).toEqual([
      'ledger imports core',
      'loans imports core',
      'loans imports types of ledger',
    ]);
  });

  test('counts lines without tests, to hundreds', () => {
    const lines = (path: string, count: number) => ({ [path]: '// line\n'.repeat(count) });
    const drawn = houseDrawing(
      new Map(Object.entries({ ...lines('src/core/a.ts', 1_030), ...lines('src/core/a.test.ts', 500) })),
    );
    expect(drawn).toContain('>1,000</text>');
  });

  test('has a place for every room, and each above those it imports', () => {
    expect(() => arrows({ 'src/cellar/wine.ts': '' })).toThrow('no place for src/cellar');
    expect(() => arrows({ 'src/core/a.ts': "import '../ledger/b.ts';", 'src/ledger/b.ts': '' })).toThrow(
      'ledger above core',
    );
  });
});
