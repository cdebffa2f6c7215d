/**
 * Every answer of the API that a test receives is held against openapi.json: the status is one that the operation documents, the body
 * is of a type and a shape that it documents for that status, the code of a problem is listed there, and so is each header that
 * belongs to operations. Stricter than a client has to be: an object with listed members has no others, unless its schema says that
 * it may have any. A schema is compiled when the first answer needs it, once in a worker.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { operations } from '../../src/http/routes.ts';

type Schema = { [keyword: string]: unknown };
type Described = {
  $ref?: string;
  description: string;
  headers?: Record<string, { schema: Schema }>;
  content?: Record<string, { schema: Schema }>;
};
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Described> };
};
type Received = { status: number; headers: Headers; body: unknown; text: string };

/** A sentence for each thing that is wrong with an answer; none: it is as described, or of an address that is not part of the document. */
function undescribed(method: string, path: string, received: Received): string[] {
  const address = path.split(/[?#]/, 1)[0] ?? '';
  const found = operationAt(method, address);
  const { status, headers } = received;
  // The setting AREA may name another one; where it does not, there is nothing.
  const elsewhere = !address.startsWith('/v2/chain/') && status === 404;
  if (found === null || elsewhere) return unknownAddress(method, address, received);
  const responses = theDocument().paths[found.path]?.[found.method]?.responses ?? {};
  const named = responses[String(status)];
  if (named === undefined) return [`The status ${status} is not documented${codeOf(received)}.`];
  const described = named.$ref === undefined ? named : theDocument().components.responses[lastOf(named.$ref)];
  if (described === undefined) throw new Error(`openapi.json has no ${named.$ref}.`);
  return [
    ...headersOf(headers, described),
    ...(method === 'HEAD' ? [] : bodyOf(received, described, `${found.method} ${found.path} ${status}`)),
  ];
}

/** Throws with all of it. */
export function expectDescribed(method: string, path: string, received: Received): void {
  const wrong = undescribed(method, path, received);
  if (wrong.length === 0) return;
  throw new Error([`${method} ${path} is not answered as openapi.json says:`, ...wrong].join('\n  '));
}

let read: Document | undefined;
function theDocument(): Document {
  read ??= JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as Document;
  return read;
}

// ---- addresses ----

type Place = { method: string; path: string };

/** An alias is described at its original. */
const places: readonly (Place & { pattern: RegExp })[] = operations.map((operation) => {
  const original = operation.isAlias
    ? operations.find(({ id }) => id === operation.id.replace(/Alias\d*$/, ''))
    : operation;
  if (original === undefined) throw new Error(`${operation.id} is the alias of nothing.`);
  const inDocument = ({ path, outside = false }: { path: string; outside?: boolean }) =>
    outside ? path : `/v2/chain${path}`;
  const area = operation.outside ? '' : '/v2/[^/]+';
  return {
    method: operation.method.toLowerCase(),
    path: inDocument(original),
    pattern: new RegExp(`^${area}${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]*')}/?$`),
  };
});
const PROBES: readonly Place[] = ['/healthz', '/readyz'].map((path) => ({ method: 'get', path }));

function operationAt(method: string, address: string): Place | null {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const isHere = ({ pattern }: { pattern: RegExp }) => pattern.test(address);
  // A fixed address (`/users/names`) before one with a parameter at the same place.
  const [first] = places
    .filter((place) => place.method === asked && isHere(place))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  return first ?? PROBES.find((probe) => probe.method === asked && probe.path === address) ?? null;
}

/** Under the prefix nothing but operations answers with success. */
function unknownAddress(method: string, address: string, { status, body }: Received): string[] {
  if (!address.startsWith('/v2/') || address.includes('/pages/') || method === 'OPTIONS' || status >= 400) return [];
  return [`There is no such operation, and ${status} was answered with ${typeof body}.`];
}

// ---- headers ----

/** Those that say something about one operation. The others are on every answer (docs/api.md), or are those of HTTP. */
const OF_OPERATIONS = [
  'ETag',
  'X-Loan-Id',
  'X-Loan-Version',
  'Idempotent-Replayed',
  'Daybook-Export-Cursor',
  'Daybook-Export-As-Of',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
];

function headersOf(headers: Headers, { headers: described = {} }: Described): string[] {
  const names = new Map(Object.keys(described).map((name) => [name.toLowerCase(), name]));
  return OF_OPERATIONS.flatMap((name) => {
    const value = headers.get(name);
    if (value === null) return [];
    const documented = names.get(name.toLowerCase());
    if (documented === undefined) return [`The header ${name} is not documented.`];
    const { schema } = described[documented] ?? { schema: {} };
    const given = schema.type === 'integer' ? Number(value) : value;
    const validate = compiled(`header ${documented} ${JSON.stringify(schema)}`, schema);
    return validate(given) ? [] : complaintsOf(validate, `The header ${name}`);
  });
}

// ---- bodies ----

function bodyOf(received: Received, { description, content }: Described, where: string): string[] {
  const { status, headers, body, text } = received;
  if (content === undefined) return text === '' ? [] : ['It has a body, and none is documented.'];
  const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  const media = content[type];
  if (media === undefined) return [`The type "${type}" is not documented: ${Object.keys(content).join(', ')}.`];
  const unlisted = status >= 400 && !description.includes(`\`${memberOf(body, 'code')}\``);
  const code = unlisted ? [`The code ${memberOf(body, 'code')} is not documented for ${status}.`] : [];
  if (!/[/+]json$/.test(type)) return code;
  // Most tests read the same loan many times.
  const once = `${where} ${hash('sha1', text)}`;
  if (fine.has(once)) return code;
  const validate = compiled(status >= 400 ? 'problem' : `${where} ${type}`, media.schema);
  if (!validate(body)) return [...code, ...complaintsOf(validate, '')];
  fine.add(once);
  return code;
}

const fine = new Set<string>();
const codeOf = ({ body }: Received) => (memberOf(body, 'code') === undefined ? '' : ` (${memberOf(body, 'code')})`);

// ---- schemas ----

const FORMATS: Readonly<Record<string, RegExp | true>> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  'date-time': /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  binary: true,
};

const validators = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function compiled(name: string, schema: Schema): ValidateFunction {
  let validate = validators.get(name);
  if (validate === undefined) {
    ajv ??= opened();
    validate = ajv.compile(within(schema));
    validators.set(name, validate);
  }
  return validate;
}

function opened(): Ajv2020 {
  // The schemas are checked by the linters (`test/contract.test.ts`).
  const made = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    formats: FORMATS,
    inlineRefs: false,
  });
  for (const [name, schema] of Object.entries(theDocument().components.schemas))
    made.addSchema(within(schema), `/${name}`);
  return made;
}

/** With references as Ajv resolves them, and every object with members closed. */
function within(schema: Schema): Schema {
  const { $ref, ...rest } = schema;
  const inside = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [keyword, DATA.has(keyword) ? value : inner(keyword, value)]),
  );
  const ref = typeof $ref === 'string' ? { $ref: `/${lastOf($ref)}` } : {};
  const isListed = rest.properties !== undefined && rest.additionalProperties === undefined && rest.anyOf === undefined;
  return { ...inside, ...ref, ...(isListed ? { additionalProperties: false } : {}) };
}

const DATA = new Set(['enum', 'const', 'examples', 'example', 'default', 'required']);

function inner(keyword: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => inner('', one));
  if (keyword !== 'properties' && keyword !== 'patternProperties') return within(value as Schema);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, within(member as Schema)]));
}

const MOST = 12;

function complaintsOf({ errors }: ValidateFunction, what: string): string[] {
  const lines = (errors ?? []).map(({ instancePath, message, params }) => {
    const member = memberOf(params, 'additionalProperty');
    return `${what}${instancePath} ${message}${member === undefined ? '' : `: ${member}`}`;
  });
  return [...new Set(lines)].slice(0, MOST);
}

const lastOf = (ref: string): string => ref.split('/').at(-1) ?? '';

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
