/**
 * `docs/adding-an-operation.md` shows real code, and a new operation with its event and its drawer takes the eleven files that it names. The count is
 * taken from an operation that is really added (`support/new-operation.ts`). `TEST_LONG=1` adds it to a copy of the project, where types and
 * tests must pass with these files alone, and must fail when one of the edits is missing.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentAt, read, root } from './support/documents.ts';
import { EDITS, type Edit, edited, GENERATED } from './support/new-operation.ts';

const guide = documentAt('docs/adding-an-operation.md');
const LONG = process.env.TEST_LONG !== undefined;
const MOST = 11;
/** Installed, built or written by a run: no part of the project. */
const LEFT_OUT = ['node_modules', 'dist', '.git'];

/** The files of the guide: those that are written by hand, and those that a command writes. */
const table = [...(guide.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(
  ([, file = '', about = '']) => ({
    file,
    isGenerated: about.includes('npm run'),
  }),
);
const byHand = [...new Set(EDITS.map(({ file }) => file))];

test('a new operation with its event and its drawer takes at most eleven files, which the document names', () => {
  expect(table.length).toBeLessThanOrEqual(MOST);
  expect(
    table
      .filter(({ isGenerated }) => !isGenerated)
      .map(({ file }) => file)
      .sort(),
  ).toEqual([...byHand].sort());
  expect(table.filter(({ isGenerated }) => isGenerated)).toHaveLength(GENERATED.length);
});

test('its edits fit the files as they are now', () => {
  for (const file of byHand) expect(edited(file, read(file))).not.toBe(read(file));
});

test('every piece of code in the document is in the file named before it', () => {
  const pieces = guide.split(/^```ts\n/m);
  const quoted = pieces.slice(1).map((piece, i) => ({
    file: [...(pieces[i] ?? '').matchAll(/`((?:src|web|test)\/[\w./-]+\.ts)`/g)].at(-1)?.[1] ?? '',
    code: piece.split('\n```')[0] ?? '',
  }));
  // One space for all white space: the document indents less than the file.
  const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
  const lost = quoted.filter(({ file, code }) => !flat(read(file)).includes(flat(code)));
  expect(lost).toEqual([]);
  // The definition of the operation, of its event and of its address are shown, its row in the tests and its drawer.
  expect([...new Set(quoted.map(({ file }) => file))].sort()).toEqual(
    byHand.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).sort(),
  );
});

if (LONG) describe('in a copy of the project', inACopy);

function inACopy(): void {
  /** Tests without a server that read the definitions; the API is in the table of `support/operations.ts`, which they prove. */
  const TESTS = [
    ...[
      'src/core/event.test.ts',
      'src/core/decide',
      'src/loans/door/rights.test.ts',
      'web/src',
      'test/docs.test.ts',
      'test/contract.test.ts',
    ],
    ...['test/house.test.ts', 'test/drawing.test.ts', 'test/web-operations.test.ts', 'test/api/matrix.test.ts'],
  ];
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'new-operation-'));
    cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
    // The packages are those of the project; the client is the copy's own. Each is a link by itself: whatever installs packages in the copy
    // replaces links, and reaches no folder of the project.
    for (const folder of ['node_modules', 'sdk/node_modules']) {
      mkdirSync(join(copy, folder));
      for (const name of readdirSync(join(root, folder))) {
        if (!name.startsWith('daybook-')) symlinkSync(join(root, folder, name), join(copy, folder, name));
      }
    }
    symlinkSync('../sdk', join(copy, 'node_modules/daybook-sdk'));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  /** Makes these edits in the copy, and what is generated from them; returns what failed, empty: nothing. */
  function make(edits: readonly Edit[]): string {
    for (const file of table.map((one) => one.file)) writeFileSync(join(copy, file), edited(file, read(file), edits));
    return GENERATED.map((command) => run(...command)).join('');
  }

  /** Returns the output of a command that failed; empty: it did not fail. */
  function run(...command: readonly string[]): string {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST)/.test(name)));
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, env, encoding: 'utf8' });
    return status === 0 ? '' : `${command.join(' ')}\n${stdout}\n${stderr}`;
  }
  const types = () =>
    ['.', 'web', 'sdk'].map((project) => run('node_modules/typescript/bin/tsc', '-p', project, '--noEmit')).join('');
  const tests = () => run('node_modules/vitest/vitest.mjs', 'run', ...TESTS);

  test('types and tests pass when these files alone are changed', { timeout: 900_000 }, () => {
    expect(make(EDITS)).toBe('');
    const changed = filesOf(copy).filter(
      (file) => !readFileSync(join(copy, file)).equals(readFileSync(join(root, file))),
    );
    expect(changed.sort()).toEqual(table.map(({ file }) => file).sort());
    expect(types()).toBe('');
    expect(tests()).toBe('');
  });

  test.each(EDITS.filter(({ noticed }) => noticed))(
    'types or tests fail without the edit of $file',
    { timeout: 900_000 },
    (missing) => {
      const made = make(EDITS.filter((edit) => edit !== missing));
      expect(made || types() || tests()).not.toBe('');
    },
  );
}

function filesOf(folder: string): string[] {
  return globSync('**/*', { cwd: folder, exclude: (name) => LEFT_OUT.includes(name) }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
}
