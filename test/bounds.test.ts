/** Every text and list of a request has a stated bound, so that no pattern, layout or loop gets more input than it was designed for. */
import { expect, test } from 'vitest';
import { operations } from '../src/http/routes.ts';

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
};

/**
 * Stored as submitted, or not read; what the service reads of them has bounds of its own (`src/boarding/text-lengths.ts`; of a
 * funding's metadata each figure is read by one pattern of a fixed length). RFC 6749: a token request may have unknown parameters.
 */
const RECORD_PARTS = ['/Request', '/Response', '/Underwriting'];
const OPEN = [...RECORD_PARTS, ...RECORD_PARTS.map((part) => `/data${part}`), '/metadata', ''];

function unbounded(schema: Schema, at: string): string[] {
  const types = [schema.type ?? []].flat();
  const found: string[] = [];
  const isText = types.includes('string') && schema.enum === undefined && schema.const === undefined;
  if (isText && schema.maxLength === undefined && !isBounded(schema.pattern)) found.push(`${at}: a text of any length`);
  if (types.includes('array') && schema.maxItems === undefined) found.push(`${at}: a list of any length`);
  const more = schema.additionalProperties;
  const others = typeof more === 'object' && schema.maxProperties !== undefined ? (more as Schema) : null;
  if (types.includes('object') && more !== false && others === null && !OPEN.includes(at.replace(/^[^/]*/, ''))) {
    found.push(`${at}: an object with any members`);
  }
  if (others !== null) found.push(...unbounded(others, `${at}/*`));
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => unbounded(one, `${at}/${name}`));
  const items = schema.items === undefined ? [] : unbounded(schema.items, `${at}/0`);
  return [...found, ...inside, ...items, ...(schema.anyOf ?? []).flatMap((one) => unbounded(one, at))];
}

/** Anchored, and nothing in it repeats without end. */
function isBounded(pattern = ''): boolean {
  const bare = pattern.replaceAll(/\\./g, '').replaceAll(/\[[^\]]*\]/g, '');
  return /^\^.*\$$/.test(pattern) && !/[*+]|\{\d+,\}/.test(bare);
}

test('every member of a body and every value of a query', () => {
  const found = operations.flatMap(({ id, body, query }) => [
    ...(body === undefined ? [] : unbounded(body as Schema, id)),
    ...(query === undefined ? [] : unbounded(query as Schema, `${id}?`)),
  ]);
  expect(found).toEqual([]);
});
