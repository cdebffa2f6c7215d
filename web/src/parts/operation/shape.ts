/** Shape of a schema for forms: its control, its rules and its note. Made from openapi.json when the pages are built. */

type Common = {
  /** The first sentences of the schema's description. */
  note?: string;
  /** Null is a value of its own: "none", or "take it away" in an update. */
  nullable?: true;
  /** Name among alternatives. */
  title?: string;
};
export type Shape = Common &
  /** `like`: what the pattern means, in words. `digits`: a date that is sent as YYYYMMDD. */
  (
    | { kind: 'text'; format?: string; pattern?: string; min?: number; max?: number; like?: string; digits?: true }
    /** An amount, a rate or another decimal figure; sent as text, exactly as typed, but where the interface has a `number`. */
    | { kind: 'decimal'; number?: true; positive?: true }
    | { kind: 'whole'; min?: number; max?: number; asText?: true }
    | { kind: 'choice'; of: readonly (string | number)[] }
    | { kind: 'flag' }
    /** A member whose only value is `true`. */
    | { kind: 'only' }
    | { kind: 'object'; fields: readonly Field[] }
    /** Members by name; `keys` are those that are possible, if they are known. */
    | { kind: 'map'; value: Shape; keys?: readonly string[] }
    | { kind: 'list'; item: Shape; min?: number; max?: number }
    /** One of several forms, such as a reference or an object. */
    | { kind: 'either'; options: readonly Shape[] }
    /** Free-form, or too large for single fields. `required`: members that must be there. */
    | { kind: 'json'; required?: readonly string[] }
  );
export type Field = {
  name: string;
  required: boolean;
  shape: Shape;
  /** Label, if the name is not clear. */
  label?: string;
};

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  description?: string;
  examples?: readonly unknown[];
};
export type Schemas = Readonly<Record<string, Schema>>;

/** In a body with more members than this, its parts are written as JSON: nobody fills in two hundred fields. */
const MOST_FIELDS = 80;
/** From this many members of one kind on, those that are wanted are added by name. */
const MANY_ALIKE = 20;

export function shapeOf(given: Schema, schemas: Schemas): Shape {
  const { schema, nullable } = plain(given, schemas);
  const note = shortNote(given.description ?? schema.description);
  const common: Common = { ...(note !== '' && { note }), ...(nullable && { nullable: true as const }) };
  return { ...common, ...bare(schema, schemas) } as Shape;
}

/** A request body: always single fields on its first level. */
export function bodyShapeOf(given: Schema, schemas: Schemas): Shape {
  const shape = shapeOf(given, schemas);
  if (shape.kind !== 'object' || leaves(shape) <= MOST_FIELDS) return shape;
  const fields = shape.fields.map((field) =>
    leaves(field.shape) > 4 ? { ...field, shape: asJson(field.shape) } : field,
  );
  return { ...shape, fields };
}

function asJson(shape: Shape): Shape {
  const { note, nullable } = shape;
  const required = shape.kind === 'object' ? shape.fields.filter((one) => one.required).map(({ name }) => name) : [];
  return {
    kind: 'json',
    ...(note !== undefined && { note }),
    ...(nullable && { nullable }),
    ...(required.length > 0 && { required }),
  };
}

function bare(schema: Schema, schemas: Schemas): Shape {
  if (schema.anyOf) return { kind: 'either', options: schema.anyOf.map((one) => shapeOf(one, schemas)) };
  if (schema.enum) {
    if (schema.enum.length === 1 && schema.enum[0] === true) return { kind: 'only' };
    return { kind: 'choice', of: schema.enum.filter((one): one is string | number => one !== null && one !== '') };
  }
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.includes('object')) {
    if (types.length === 1) return objectShape(schema, schemas);
    // An amount alone, or with more about it.
    return types.includes('number')
      ? { kind: 'either', options: [{ kind: 'decimal' }, objectShape(schema, schemas)] }
      : { kind: 'json' };
  }
  if (types.includes('array')) {
    if (types.length > 1 || schema.items === undefined) return { kind: 'json' };
    const { minItems: min, maxItems: max } = schema;
    return { kind: 'list', item: shapeOf(schema.items, schemas), ...given({ min, max }) };
  }
  if (types.includes('boolean')) return { kind: 'flag' };
  if (types.includes('integer')) return { kind: 'whole', ...given({ min: schema.minimum, max: schema.maximum }) };
  if (types.includes('number')) return { kind: 'decimal' };
  if (types.includes('string')) {
    const { format, pattern, minLength: min, maxLength: max } = schema;
    return { kind: 'text', ...given({ format, pattern, min, max }) };
  }
  return { kind: 'json' };
}

function objectShape(schema: Schema, schemas: Schemas): Shape {
  const { properties = {}, additionalProperties: more, required = [] } = schema;
  const names = Object.keys(properties);
  if (typeof more === 'object' && names.length === 0) return { kind: 'map', value: shapeOf(more, schemas) };
  if (more === true) return { kind: 'json', ...(required.length > 0 && { required }) };
  const fields = names.map((name) => ({
    name,
    required: required.includes(name),
    shape: shapeOf(properties[name] as Schema, schemas),
  }));
  const [first] = fields;
  if (first && names.length >= MANY_ALIKE && required.length === 0) {
    const others = fields.filter(({ shape }) => JSON.stringify(shape) !== JSON.stringify(first.shape));
    if (others.length === 0) return { kind: 'map', value: first.shape, keys: names };
    // One of another kind beside them is written as JSON.
    const [other] = others;
    if (others.length === 1 && other !== undefined)
      return { kind: 'map', value: { kind: 'either', options: [first.shape, asJson(other.shape)] }, keys: names };
  }
  return { kind: 'object', fields };
}

/** Without references, and without "or null", which is said apart. Alternatives that are all words become one choice. */
function plain(given: Schema, schemas: Schemas): { schema: Schema; nullable: boolean } {
  let schema = given;
  for (let hops = 0; schema.$ref !== undefined; hops += 1) {
    const named = schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
    if (named === undefined || hops > 20) throw new Error(`There is no schema ${schema.$ref}.`);
    schema = named;
  }
  if (schema.anyOf === undefined) {
    const types = typesOf(schema);
    return { schema, nullable: types.includes('null') && types.length > 1 };
  }
  const options = schema.anyOf.map((one) => plain(one, schemas).schema);
  const some = options.filter((one) => !typesOf(one).every((type) => type === 'null'));
  const nullable = some.length < options.length || schema.anyOf.some((one) => plain(one, schemas).nullable);
  const words = some.flatMap((one) => one.enum ?? []);
  if (some.length > 0 && some.every((one) => one.enum !== undefined && one.enum[0] !== true)) {
    const { description } = schema;
    return { schema: { enum: words, ...(description !== undefined && { description }) }, nullable };
  }
  const [only] = some;
  if (some.length === 1 && only) {
    const { description = schema.description } = only;
    return { schema: { ...only, ...(description !== undefined && { description }) }, nullable };
  }
  return { schema: { ...schema, anyOf: some }, nullable };
}

const typesOf = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type;

/** Whether null has a meaning, as in “null: all lenders”; elsewhere null only stands for a missing value. */
export const emptyIsValue = ({ nullable, note = '' }: Shape): boolean => nullable === true && /\bnull\b/.test(note);

/** Number of controls. */
export function leaves(shape: Shape): number {
  switch (shape.kind) {
    case 'object':
      return shape.fields.reduce((sum, field) => sum + leaves(field.shape), 0);
    case 'list':
      return leaves(shape.item);
    case 'either':
      return Math.max(...shape.options.map(leaves));
    default:
      return 1;
  }
}

/** The first sentences, up to some 220 characters, in words: without the marks of Markdown, and names of members as they are said. */
export function shortNote(text: string | undefined): string {
  const [paragraph = ''] = (text ?? '').split('\n\n');
  const clean = paragraph
    .replaceAll(/`([a-z]+[A-Z][A-Za-z]*)`/g, (_, name: string) =>
      name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    )
    .replaceAll('`', '')
    .replaceAll(/\[([^[\]]{0,200})\]\([^()]{0,200}\)/g, '$1')
    // Paths and statuses of HTTP are for programs.
    .replaceAll(/ \((?:GET|POST) [^)]{1,100}\)/g, '')
    .replaceAll(/ \d{3} [^.]{1,200}\./g, '');
  let end = 0;
  for (const { index } of clean.matchAll(/[.:;] |\.$/g)) {
    if (index + 1 > 220) break;
    if (clean[index] === '.') end = index + 1;
  }
  return end === 0 ? clean.slice(0, 220) : clean.slice(0, end);
}

function given<T extends Record<string, unknown>>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
