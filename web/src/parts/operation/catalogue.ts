/** Every operation and every built-in role of openapi.json, in the form that the drawer and the list of operations need. */
import type { RoleWithLimits } from './approvers.ts';
import { bodyShapeOf, type Field, type Schema, type Schemas, type Shape, shapeOf, shortNote } from './shape.ts';

export type Operation = {
  id: string;
  method: 'GET' | 'POST';
  /** Without the prefix: `loan-repay`, `loans/{loan_id}/summary`. */
  path: string;
  summary: string;
  /** The first sentences of its description. */
  note: string;
  tag: string;
  /** One of these is needed; empty: everybody who is signed in. */
  scopes: readonly string[];
  /** These are needed besides. */
  also: readonly string[];
  /** Cost in units of the quota: expensive operations are not previewed while the user types. */
  cost: number;
  /** Parts of the path and of the query. */
  parts: readonly Field[];
  query: readonly Field[];
  /** Null: it has no body. */
  body: Shape | null;
  /** A body that works, for those who write JSON. */
  example?: unknown;
  dryRun: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  key: boolean;
  /** Whether it takes an `If-Match` with the version of the loan. */
  version: boolean;
  /** Whether it takes the reason for reading personal data. */
  purpose: boolean;
  /** Media types of the response, such as `text/csv`. */
  answers: readonly string[];
};

type Parameter = { in: string; name: string; required?: boolean; description?: string; schema: Schema };
type Described = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  requestBody?: {
    content: Readonly<
      Record<string, { schema: Schema; example?: unknown; examples?: Readonly<Record<string, { value: unknown }>> }>
    >;
  };
  responses: Readonly<Record<string, { content?: Readonly<Record<string, unknown>> }>>;
  'x-cost'?: number;
};
export type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  components: { schemas: Schemas };
};

/** Query parameters that the drawer sets itself. */
const OWN_QUERY = new Set(['dryRun']);

/** The roles that every organization has, for people who may not read the list of roles: the example of that list has all of them. */
export function builtInRolesOf({ components: { schemas } }: Document): RoleWithLimits[] {
  const [example] = (schemas.ListRolesAnswer?.examples ?? []) as readonly RoleListExample[];
  const items = example?.data.items.filter(({ builtIn }) => builtIn) ?? [];
  return items.map(({ name, scopes, limits }) => ({ name, scopes, limits }));
}
type RoleListExample = { data: { items: readonly (RoleWithLimits & { builtIn: boolean })[] } };

export function catalogueOf({ paths, components: { schemas } }: Document): Operation[] {
  return Object.entries(paths).flatMap(([address, methods]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const described = methods[method] as Described | undefined;
      return described === undefined ? [] : [operationOf(address, method, described, schemas)];
    }),
  );
}

function operationOf(address: string, method: 'get' | 'post', described: Described, schemas: Schemas): Operation {
  const {
    operationId: id,
    summary = id,
    description,
    tags = [],
    parameters = [],
    requestBody,
    security = [],
  } = described;
  const body = requestBody === undefined ? undefined : Object.values(requestBody.content)[0];
  const shape = body === undefined ? null : bodyShapeOf(body.schema, schemas);
  const named = (place: string) => parameters.filter((one) => one.in === place);
  const fields = (place: string): Field[] =>
    named(place)
      .filter(({ name }) => !OWN_QUERY.has(name))
      .map((one) => ({
        name: one.name,
        required: one.required === true,
        shape: shapeOf({ ...one.schema, ...(one.description && { description: one.description }) }, schemas),
      }));
  const has = (place: string, name: string) => named(place).some((one) => one.name.toLowerCase() === name);
  // Only where it helps: a body that is partly JSON, or a calculation.
  const given = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
  const example = tags[0] === 'Calculators' || (shape && hasJson(shape)) ? given : undefined;
  const successes = Object.entries(described.responses).filter(([status]) => status.startsWith('2'));
  return {
    id,
    method: method === 'get' ? 'GET' : 'POST',
    path: address.replace(/^\/v2\/chain\//, ''),
    summary,
    note: shortNote(description),
    tag: tags[0] ?? 'Service',
    scopes: [...new Set(security.flatMap(({ oauth2 = [] }) => oauth2.slice(0, 1)))],
    also: [...new Set(security.flatMap(({ oauth2 = [] }) => oauth2.slice(1)))],
    cost: described['x-cost'] ?? 1,
    parts: fields('path'),
    query: fields('query'),
    body: shape,
    ...(example !== undefined && { example }),
    dryRun: has('query', 'dryrun'),
    key: has('header', 'idempotency-key'),
    version: has('header', 'if-match'),
    purpose: has('header', 'purpose'),
    answers: [...new Set(successes.flatMap(([, { content = {} }]) => Object.keys(content)))],
  };
}

function hasJson(shape: Shape): boolean {
  if (shape.kind === 'object') return shape.fields.some((field) => hasJson(field.shape));
  return shape.kind === 'json';
}
