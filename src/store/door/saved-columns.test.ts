import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOAN_COLUMNS } from '../../portfolio/loan-columns.ts';
import { NEW_LOAN, USUAL, WHOLE } from './saved-columns.ts';

/** Columns of `loans` in the schema: the type of each. */
const SCHEMA = readFileSync(join(import.meta.dirname, '../../../migrations/schema.sql'), 'utf8');
const NAMES: Readonly<Record<string, string>> = { integer: 'int', 'timestamp with time zone': 'timestamptz' };
const stored = new Map(
  [
    ...(/^CREATE TABLE loans \(\n(.*?)^\)/ms.exec(SCHEMA)?.[1] ?? '').matchAll(
      /^ {2}([a-z_]+) (.+?)(?: DEFAULT .*?)?(?: NOT NULL)?,$/gm,
    ),
  ]
    .filter(([, name]) => name !== 'CONSTRAINT')
    .map(([, name = '', type = '']) => [name, NAMES[type] ?? type]),
);

const typesIn = (columns: Readonly<Record<string, { readonly type: string }>>) =>
  new Map(Object.entries(columns).map(([name, { type }]) => [name, type]));

test('a new loan is saved with every column of its table, each by its type in the schema', () => {
  const saved = typesIn(NEW_LOAN);
  // The volume follows from the id, the step from the principal, and a new loan is not erased.
  const others = [...stored.keys()].filter((name) => !saved.has(name));
  expect(others).toEqual(['volume', 'principal_step', 'erased']);
  expect([...saved].filter(([name, type]) => stored.get(name) !== type)).toEqual([]);
  expect(stored.size).toBeGreaterThan(40);
});

test('a change sets what follows from the events; a usual one leaves only columns that are marked as such', () => {
  const seldom = Object.entries(LOAN_COLUMNS).filter(([, column]) => 'seldom' in column);
  const left = Object.keys(WHOLE).filter((name) => !(name in USUAL));
  expect(left).toEqual(seldom.map(([name]) => name));
  expect(left.length).toBeGreaterThan(10);
  // Rows get these days from a policy and from the nightly cycle too, so what was saved last says nothing about them.
  expect(Object.keys(USUAL)).toEqual(expect.arrayContaining(['books_change_on', 'changes_on', 'last_hash', 'version']));
});
