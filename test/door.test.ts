/**
 * The way of a write from its handler to the SQL, as docs/architecture.md describes it: eight functions, none of them long. A ninth, or a long one, is
 * paid for by every payment and by everyone who reads the door.
 */
import { readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

/** The file, the function, and the text by which it hands over to the next. */
const WAY = [
  ['src/http/shared/write.ts', 'handle', 'services.loans.write('],
  ['src/loans/approvals/approvals.ts', 'write', 'writerOf(asked.command.do)'],
  ['src/loans/door/queue.ts', 'write', 'schedule()'],
  ['src/loans/door/queue.ts', 'start', 'runBatch('],
  ['src/loans/door/batch.ts', 'run', 'runOnce('],
  ['src/loans/door/batch.ts', 'runOnce', 'save(db, rows, moment)'],
  ['src/store/door/save.ts', 'save', 'saveLoans(tx, open, moment)'],
  ['src/store/door/save-loans.ts', 'saveLoans', 'db.query'],
] as const;
const LONGEST = 60;
/** Files of the door in which no function is long, but for the one that opens the rest. */
const DOOR = ['batch', 'chain', 'facts', 'queue', 'settle', 'transact'].map((name) => `src/loans/door/${name}.ts`);

test('a write goes through eight functions from its handler to the SQL, each of which hands over to the next', () => {
  expect(WAY).toHaveLength(8);
  for (const [file, name, handsOver] of WAY) {
    const found = functionsIn(file).filter((one) => one.name === name && one.text.includes(handsOver));
    expect(found, `${file} ${name}`).toHaveLength(1);
    expect(found[0]?.lines, `${file} ${name}`).toBeLessThanOrEqual(LONGEST);
  }
});

test('no function of the door is long', () => {
  const functions = DOOR.flatMap((file) => functionsIn(file).map((one) => ({ file, ...one })));
  expect(functions.length).toBeGreaterThan(40);
  const long = functions.filter(({ name, lines }) => lines > LONGEST && !name.startsWith('open'));
  expect(long.map(({ file, name, lines }) => `${file} ${name} has ${lines} lines`)).toEqual([]);
});

type Found = { name: string; text: string; lines: number };

/** Functions with a name: declared, of an object, or held by a constant. */
function functionsIn(path: string): Found[] {
  const source = readFileSync(path, 'utf8');
  const found: Found[] = [];
  const visit = (node: unknown, named: string): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, '');
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, start, end, id, key } = node as {
      type?: string;
      start: number;
      end: number;
      id?: { name?: string } | null;
      key?: { name?: string };
    };
    const isFunction = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type ?? '');
    const name = id?.name ?? key?.name ?? (isFunction ? named : '');
    if (isFunction && name !== '') {
      const text = source.slice(start, end);
      found.push({ name, text, lines: text.split('\n').length });
    }
    for (const child of Object.values(node)) if (typeof child === 'object') visit(child, name);
  };
  visit(parseSync(path, source).program.body, '');
  return found;
}
