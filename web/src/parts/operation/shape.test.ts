import { expect, it } from 'vitest';
import { bodyShapeOf, leaves, type Schema, shapeOf, shortNote } from './shape.ts';

const SCHEMAS: Record<string, Schema> = { Amount: { type: ['string', 'number'], description: 'An amount.' } };

it('knows the control of each schema', () => {
  const kind = (schema: Schema) => shapeOf(schema, SCHEMAS).kind;
  expect(kind({ type: 'string' })).toBe('text');
  expect(kind({ $ref: '#/components/schemas/Amount' })).toBe('decimal');
  expect(kind({ type: 'integer' })).toBe('whole');
  expect(kind({ type: 'boolean' })).toBe('flag');
  expect(kind({ enum: [true] })).toBe('only');
  expect(kind({ type: 'array', items: { type: 'string' } })).toBe('list');
  expect(kind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('map');
  expect(kind({ type: 'object', additionalProperties: true })).toBe('json');
  expect(kind({})).toBe('json');
});

it('says "or null" apart, and makes one choice of several lists of words', () => {
  expect(shapeOf({ anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }, {})).toEqual({
    kind: 'text',
    format: 'date',
    nullable: true,
  });
  expect(shapeOf({ type: ['integer', 'null'], minimum: 1 }, {})).toEqual({ kind: 'whole', min: 1, nullable: true });
  const words: Schema = { anyOf: [{ type: 'string', enum: ['Fixed', 'Variable'] }, { enum: [''] }, { type: 'null' }] };
  expect(shapeOf(words, {})).toEqual({ kind: 'choice', of: ['Fixed', 'Variable'], nullable: true });
});

it('keeps alternatives that are different things', () => {
  const to: Schema = {
    anyOf: [
      { type: 'string' },
      { type: 'object', required: ['lenderId'], properties: { lenderId: { type: 'string' } } },
    ],
  };
  expect(shapeOf(to, {})).toEqual({
    kind: 'either',
    options: [
      { kind: 'text' },
      { kind: 'object', fields: [{ name: 'lenderId', required: true, shape: { kind: 'text' } }] },
    ],
  });
});

it('lets many members of one kind be added by name', () => {
  const names = Array.from({ length: 25 }, (_, n) => `operation-${n}`);
  const limits: Schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
  expect(shapeOf(limits, {})).toEqual({ kind: 'map', keys: names, value: { kind: 'text' } });
  const other: Schema = { ...limits, properties: { ...limits.properties, override: { type: 'boolean' } } };
  expect(shapeOf(other, {})).toEqual({
    kind: 'map',
    keys: [...names, 'override'],
    value: { kind: 'either', options: [{ kind: 'text' }, { kind: 'json' }] },
  });
});

it('writes the parts of a huge body as JSON, and never its first level', () => {
  const part: Schema = {
    type: 'object',
    required: ['m0'],
    properties: Object.fromEntries(
      Array.from({ length: 90 }, (_, n) => [`m${n}`, { type: n % 2 ? 'string' : 'integer' }]),
    ),
  };
  const shape = bodyShapeOf({ type: 'object', properties: { id: { type: 'string' }, part } }, {});
  expect(shape).toEqual({
    kind: 'object',
    fields: [
      { name: 'id', required: false, shape: { kind: 'text' } },
      { name: 'part', required: false, shape: { kind: 'json', required: ['m0'] } },
    ],
  });
  expect(leaves(shape)).toBe(2);
});

it('shortens a description to its first sentences, without marks', () => {
  expect(shortNote('A `date`. See [holds](x.md).\n\nMore.')).toBe('A date. See holds.');
  expect(shortNote('Received by `goodThrough`, at the latest. 409 if nothing is due. Then more.')).toBe(
    'Received by good through, at the latest. Then more.',
  );
  expect(shortNote(`${'Word '.repeat(50)}ends. Again.`)).toHaveLength(220);
  expect(shortNote(undefined)).toBe('');
});

it('refuses a reference to nothing', () => {
  expect(() => shapeOf({ $ref: '#/components/schemas/None' }, {})).toThrow('None');
});
