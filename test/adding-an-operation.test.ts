/** `docs/adding-an-operation.md` shows real code, and its example needs no other file than the four that it names. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
const guide = read('docs/adding-an-operation.md');

/** Its command, its event, its operation over HTTP. */
const NAMES = /waive-fee|\bfeeWaived\b|\bwaiveFee\b/;

const DEFINED_IN = ['src/core/decide/fee.ts', 'src/core/events/fee.ts', 'src/http/loans/fee.ts', 'src/http/routes.ts'];

/**
 * Callers: the demonstration waives fees of its invented loans, the simulation has waivers among its own events, and policies may require an
 * approval of it.
 */
const USED_IN = [
  'src/core/simulate.ts',
  'src/loans/feed/catalogue.ts',
  'src/core/simulated-steps.ts',
  'src/loans/door/history-limits.ts',
  'src/http/policies/policy-values.ts',
  'src/policy/contradictions.ts',
  // The demonstration asks for the approval of a waiver.
  'src/demo/people.ts',
  'src/demo/pending-approvals.ts',
  'src/demo/steps.ts',
  'src/demo/stories/payments.ts',
  // Names an example of it.
  'src/demo/examples.ts',
  'src/access/people/roles.ts',
  // As an example in a text.
  'src/access/people/own-roles.ts',
  'src/cli/audit.ts',
  'src/http/access/roles.ts',
  'src/http/audit/audit.ts',
  'src/store/audit/audit.ts',
];

test('the example is defined in four files; other files that name it only use it', () => {
  const files = globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts'));
  const naming = files.filter((path) => NAMES.test(read(path)));
  expect(naming.filter((path) => !USED_IN.includes(path)).sort()).toEqual(DEFINED_IN);
  // A file that no longer uses it has to be removed from the list.
  expect(USED_IN.filter((path) => !naming.includes(path))).toEqual([]);
});

test('the document names these four, and no other, as the files of the operation', () => {
  const table = guide.split('\n## ')[0] ?? '';
  expect([...table.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, path]) => path)).toEqual(DEFINED_IN);
});

test('every piece of code in the document is in the file named before it', () => {
  const pieces = guide.split(/^```ts\n/m);
  const quoted = pieces.slice(1).map((piece, i) => ({
    file: [...(pieces[i] ?? '').matchAll(/`(src\/[\w./-]+\.ts)`/g)].at(-1)?.[1] ?? '',
    code: piece.split('\n```')[0] ?? '',
  }));
  // One space for all white space: the document indents less than the file.
  const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
  const lost = quoted.filter(({ file, code }) => !flat(read(file)).includes(flat(code)));
  expect(lost).toEqual([]);
  expect(new Set(quoted.map(({ file }) => file))).toEqual(new Set(DEFINED_IN));
});
