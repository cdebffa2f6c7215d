/** No operation lacks a screen: openapi.json against the forms and pages of the console. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../src/access/people/roles.ts';
import { limitsShown } from '../src/http/access/roles.ts';
import { listed } from '../web/src/pages/operations/list.ts';
import { builtInRolesOf, catalogueOf, type Document } from '../web/src/parts/operation/catalogue.ts';
import { begin, type Form, fieldsOf, formOf } from '../web/src/parts/operation/form.ts';
import { FORMS } from '../web/src/parts/operation/forms.ts';
import type { Schema, Shape } from '../web/src/parts/operation/shape.ts';

const root = join(import.meta.dirname, '..');
const contract = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
const operations = catalogueOf(contract as Document);
type Described = {
  operationId: string;
  requestBody?: { content: Record<string, { schema: Schema }> };
  parameters?: { in: string; name: string; required?: boolean }[];
};
const described: Described[] = Object.values(contract.paths as Record<string, Record<string, Described>>).flatMap(
  (methods) => Object.entries(methods).flatMap(([method, one]) => (method === 'parameters' ? [] : [one])),
);

it('knows every operation of the contract, with a subject and words', () => {
  expect(operations.map(({ id }) => id).sort()).toEqual(described.map(({ operationId }) => operationId).sort());
  for (const { id, summary, tag, answers } of operations)
    expect([id, summary !== id, tag !== '', answers.length > 0]).toEqual([id, true, true, true]);
});

it('has a field for every required member of every operation, however deep', () => {
  const missing = described.flatMap(({ operationId, requestBody, parameters = [] }) => {
    const operation = operations.find(({ id }) => id === operationId);
    if (operation === undefined) return [operationId];
    const form = formOf(operation);
    const shape: Shape = { kind: 'object', fields: [...form.main, ...form.more] };
    const body = requestBody && Object.values(requestBody.content)[0]?.schema;
    const needed = parameters.filter((one) => one.required && one.in !== 'header').map(({ name }) => `/${name}`);
    const wanted = [...needed, ...(body ? requiredIn(body) : [])];
    return wanted
      .filter((pointer) => !covers(shape, pointer.split('/').slice(1)))
      .map((pointer) => `${operationId} ${pointer}`);
  });
  expect(missing).toEqual([]);
});

it('names only operations and members that exist in its own forms', () => {
  const strange = Object.entries(FORMS).flatMap(([id, { fields, more = [], omit = [], takenBackBy }]) => {
    const operation = operations.find((one) => one.id === id);
    if (operation === undefined) return [id];
    const known = new Set(fieldsOf(operation).map(({ name }) => name));
    const back =
      takenBackBy === undefined || operations.some((one) => one.id === takenBackBy.operation)
        ? []
        : [takenBackBy.operation];
    return [...[...fields, ...more].map(({ name }) => name), ...omit]
      .filter((name) => !known.has(name))
      .concat(back)
      .map((name) => `${id} ${name}`);
  });
  expect(strange).toEqual([]);
});

it('has words on every button, before and after it was filled in', () => {
  const facts = {
    today: '2026-01-15',
    loanId: null,
    summary: null,
    payoff: null,
    upcoming: null,
    policy: null,
    fees: [],
    holds: [],
    stipulations: [],
    timeline: [],
  };
  const filled = {
    amount: '506.20',
    kind: 'dispute',
    periods: 2,
    to: '2026-02-01',
    period: '2025-12',
    what: 'owner',
    from: '2026-01-15',
  };
  for (const operation of operations) {
    const form: Form = formOf(operation);
    begin(form, facts, {});
    for (const values of [{}, filled]) {
      for (const text of [form.title, form.does(values, facts), form.did(values, facts)]) {
        expect(text, operation.id).toMatch(/^[A-Z].*[^ ]$/);
        expect(text, operation.id).not.toMatch(/undefined|null|NaN|—/);
      }
    }
  }
});

it('shows every operation on the page of operations, and finds it by its title', () => {
  const all = listed(operations, '').flatMap(({ items }) => items);
  expect(all.map(({ id }) => id).sort()).toEqual(operations.map(({ id }) => id).sort());
  for (const { id, title } of all) {
    const found = listed(operations, title).flatMap(({ items }) => items.map((one) => one.id));
    expect(found, title).toContain(id);
  }
});

it('opens only operations that exist from the pages', () => {
  const known = new Set(operations.map(({ id }) => id));
  const sources = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.test.'));
  const opened = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\boperate\(\s*'(\w+)'/g)].map((found) => found[1] ?? ''),
  );
  expect(opened.filter((id) => !known.has(id))).toEqual([]);
  // The page of operations opens whatever the list has.
  expect(readFileSync(join(root, 'web/src/pages/operations/operations.tsx'), 'utf8')).toContain('operate(id');
});

it('has the built-in roles of the service, to say who can approve', () => {
  expect(builtInRolesOf(contract as Document)).toEqual(
    BUILT_IN_ROLES.map(({ name, scopes, limits }) => ({ name, scopes, limits: limitsShown(limits) })),
  );
});

/** Pointers to the members that a schema requires; `*` for an entry of a list or a member by name. */
function requiredIn(given: Schema, at = '', depth = 0): string[] {
  const schema = resolved(given);
  if (depth > 4 || schema.anyOf) return [];
  const { properties = {}, required = [] } = schema;
  return required.flatMap((name) => {
    const member = properties[name];
    const here = `${at}/${name}`;
    return member === undefined
      ? [here]
      : [here, ...requiredIn(member, here, depth + 1), ...itemsOf(member, here, depth)];
  });
}
const itemsOf = (member: Schema, at: string, depth: number): string[] => {
  const { items } = resolved(member);
  return items ? requiredIn(items, `${at}/*`, depth + 1) : [];
};
function resolved(schema: Schema): Schema {
  return schema.$ref === undefined
    ? schema
    : resolved(contract.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
}

function covers(shape: Shape, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || shape.kind === 'json') return true;
  if (shape.kind === 'object') {
    const field = shape.fields.find((one) => one.name === name);
    return field !== undefined && covers(field.shape, rest);
  }
  if (shape.kind === 'list') return name === '*' && covers(shape.item, rest);
  return shape.kind === 'map' ? covers(shape.value, rest) : shape.kind === 'either';
}
