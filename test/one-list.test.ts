/** Scopes, roles, statuses and states are listed once. Every other place derives its list, and this finds one that does not. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_ROLES, scopesOf } from '../src/access/people/roles.ts';
import { SCOPES } from '../src/access/scopes.ts';
import { BEFORE_FUNDING } from '../src/core/decide/operation.ts';
import { LIVE, STATUSES, UNDECIDED } from '../src/core/loan.ts';
import { STATES } from '../src/core/states.ts';
import { STEPS_TO } from '../src/loans/origination/boarding-rights.ts';
import {
  APPLICATION_STATUSES,
  ENDED_STATUSES,
  SERVICED_STATUSES,
  UNDECIDED_STATUSES,
} from '../web/src/pages/loans/filters.ts';
import { STATES as STATES_OFFERED } from '../web/src/parts/operation/application-shape.ts';

const root = join(import.meta.dirname, '..');
const sources = globSync('{src,web,sdk/src,scripts}/**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: (name) => ['node_modules', 'dist', 'generated'].includes(name),
})
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.includes('.test.'));
const texts = sources.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);

/** The files with a list, a union, keys or a sentence that names `least` or more of these in a row. */
function listing(names: readonly string[], least: number): string[] {
  const name = `(?:${names.join('|')})`;
  const one = `['"\`]?\\b${name}\\b['"\`]?(?!:\\w)`;
  const inRow = `(?:${one}(?:[\\s,|]|\\bor\\b)+){${least - 1},}${one}`;
  const keys = `(?:['"]?\\b${name}\\b['"]?: [^\\n]*\\n\\s*){${least},}`;
  const [list, named] = [new RegExp(`${inRow}|${keys}`, 'g'), new RegExp(`\\b${name}\\b`, 'g')];
  const lists = (text: string) => [...text.matchAll(list)].some(([found]) => new Set(found.match(named)).size >= least);
  return texts.flatMap(([path, text]) => (lists(text) ? [path] : [])).sort();
}

describe('scopes', () => {
  test('have one list', () => {
    expect(listing(SCOPES, 3)).toEqual([
      // The scopes of a grant, those of each built-in role, and the list itself.
      'src/access/giving.ts',
      'src/access/people/roles.ts',
      'src/access/scopes.ts',
      // Those by which the operations on a loan are allowed.
      'src/core/decide/operation.ts',
      // The rights of the demonstration's own actor.
      'src/demo/fill.ts',
      // One operation that four kinds of callers may use.
      'src/http/access/users.ts',
    ]);
  });

  test('of an operation are the same where a loan is boarded in a later status', () => {
    for (const [operation, scope] of Object.values(STEPS_TO).flat()) expect(scopesOf(operation)).toContain(scope);
  });
});

test('built-in roles have one list', () => {
  const names = BUILT_IN_ROLES.map(({ name }) => name);
  // The roles of the demonstration's first person.
  expect(listing(names, 3)).toEqual(['src/demo/organization.ts']);
});

describe('statuses', () => {
  test('have one list', () => {
    expect(listing(STATUSES, 6)).toEqual([
      // The steps to each status: the compiler misses none.
      'src/loans/origination/boarding-rights.ts',
      // The statuses that the market can be filtered by, the usual ones first.
      'web/src/pages/market/list/query.ts',
      // The steps of an application.
      'web/src/pages/origination/steps.ts',
    ]);
  });

  test('are grouped in the console as in the service', () => {
    expect(UNDECIDED_STATUSES).toEqual(UNDECIDED);
    expect(APPLICATION_STATUSES).toEqual(BEFORE_FUNDING);
    expect(SERVICED_STATUSES).toEqual(LIVE);
    const all = [...APPLICATION_STATUSES, ...SERVICED_STATUSES, ...ENDED_STATUSES];
    expect(all.toSorted()).toEqual(STATUSES.toSorted());
  });
});

describe('states', () => {
  test('have one list in the service and one in the console', () => {
    expect(listing(STATES, 9)).toEqual(['src/core/states.ts', 'web/src/parts/operation/application-shape.ts']);
  });

  test('of the form are those of the service', () => {
    expect(STATES_OFFERED).toEqual(STATES);
  });
});
