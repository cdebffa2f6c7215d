/** Rows that decide rights and money are changed in one way, which records them; and every table is either checked or named in docs/audit.md. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECORDED_TABLES, rulesOf } from '../src/store/audit/rows.ts';

const root = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
const sources = globSync('src/**/*.ts', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'));

const UNRECORDED = [
  // A cycle that begins is recorded when it ends.
  'src/store/cycle/cycles.ts: INSERT INTO cycles',
  // They change what is left out of a record: the last use.
  'src/store/access/sign-in.ts: UPDATE passwords',
  'src/store/access/sign-in.ts: UPDATE passkeys',
];

test('every statement that changes a recorded table is sent by changeRows', () => {
  const writes = /\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|MERGE INTO)\s+(\w+|\$\{)/g;
  const found: string[] = [];
  const unnamed: string[] = [];
  let recorded = 0;
  for (const path of sources) {
    const text = textOf(path);
    for (const { 0: statement, 1: table = '', index } of text.matchAll(writes)) {
      if (table === '${') unnamed.push(path);
      if (!RECORDED_TABLES.some((name) => name === table)) continue;
      // The call that the statement is an argument of: the last one that begins before it.
      const call = text
        .slice(0, index)
        .match(/(?:\.query|changeRows)(?:<[^(]*>)?\([^`'"]*(?:'(\w+)',\s*)?[`'"]?[^`'"]*$/)?.[0];
      if (call?.startsWith('changeRows') && call.includes(`'${table}',`)) recorded += 1;
      else found.push(`${path}: ${statement}`);
    }
  }
  expect(found.toSorted()).toEqual(UNRECORDED.toSorted());
  expect(unnamed, 'the table of a statement must be written out').toEqual([]);
  expect(recorded).toBeGreaterThan(35);
});

test('every table is recorded, follows from others, or is named as one that verify does not check', () => {
  const page = textOf('docs/audit.md');
  const section = page.slice(page.indexOf('## Rows that are recorded'), page.indexOf('## Verifying it'));
  const named = (heading: string) => {
    const part = section.slice(section.indexOf(heading)).split('\n\n')[1] ?? '';
    return [...part.matchAll(/^\| `([\w`, ]+)` \|/gm)].flatMap(([, names = '']) => names.split('`, `'));
  };
  const groups = [named('**Recorded.**'), named('**Compared.**'), named('**Not checked.**')];
  expect(groups[0]).toEqual(RECORDED_TABLES);
  const schema = textOf('migrations/schema.sql').matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm);
  const tables = [...schema].map(([, name = '']) => name).filter((name) => !name.endsWith('_kept'));
  expect(groups.flat().toSorted()).toEqual(tables.toSorted());
  for (const table of RECORDED_TABLES) {
    for (const column of Object.keys(rulesOf(table).without ?? {})) expect(section).toContain(`\`${table}.${column}\``);
  }
});
