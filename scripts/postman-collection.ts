/**
 * The text of `docs/postman.json`: a Postman collection (v2.1) of every operation, made from openapi.json. A folder for each tag, a
 * request for each operation with its example; the collection fetches the token itself. It has no ids and no credentials, so that the
 * same document makes the same text.
 */
type Schema = {
  $ref?: string;
  examples?: unknown[];
  properties?: Record<string, object>;
  enum?: unknown[];
  type?: string;
  format?: string;
};
type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
};
export type Described = {
  info: { title: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

export function postmanCollection(document: Described): string {
  const { info, tags, paths, components } = document;
  const items = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      ...itemOf({ method, path, operation }, components.schemas),
    })),
  );
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: items.filter(({ tag }) => tag === name).map(({ tag: _, ...item }) => item),
  }));
  const collection = {
    info: {
      name: info.title,
      description: ABOUT,
      version: info.version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: FETCH_TOKEN.trim().split('\n') } }],
    variable: VARIABLES,
    item: folders.filter(({ item }) => item.length > 0),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

const ABOUT =
  'Every operation of Daybook. Set `baseUrl`, `clientId`, `clientSecret` and `apiKey` as variables of an environment (the secrets as current ' +
  'values, which Postman does not share); the token is fetched with the first request and renewed. `loanId` is set by “Create a loan”.';

const VARIABLES = [
  { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
  ...['clientId', 'clientSecret', 'apiKey', 'loanId'].map((key) => ({ key, value: '' })),
];

/** Once for all requests of a client and a service. `expiresIn` is the time in seconds at which the token ends. */
const FETCH_TOKEN = `
const of = ['baseUrl', 'clientId', 'clientSecret'].map((name) => pm.variables.get(name) || '');
const [baseUrl, clientId, clientSecret] = of;
const known = JSON.stringify([baseUrl, clientId]);
const ends = Number(pm.collectionVariables.get('tokenEnds') || 0);
if (clientId !== '' && (pm.collectionVariables.get('tokenOf') !== known || Date.now() / 1000 > ends - 60)) {
  pm.sendRequest({
    url: baseUrl + '/v2/chain/auth-token',
    method: 'POST',
    header: { 'Content-Type': 'application/json' },
    body: { mode: 'raw', raw: JSON.stringify({ clientId, clientSecret }) },
  }, (error, answer) => {
    if (error || answer.code !== 200) {
      console.error('No token: ' + (error || answer.json().detail));
      return;
    }
    const { data } = answer.json();
    pm.collectionVariables.set('token', data.token);
    pm.collectionVariables.set('tokenEnds', String(data.expiresIn));
    pm.collectionVariables.set('tokenOf', known);
  });
}
`;

const KEEP_LOAN = ["if (pm.response.code === 200) pm.collectionVariables.set('loanId', pm.response.json().loanId);"];

type Place = { method: string; path: string; operation: Operation };

function itemOf({ method, path, operation }: Place, schemas: Record<string, Schema>) {
  const { operationId, summary, description, security, parameters = [], requestBody } = operation;
  const body = requestBody === undefined ? null : bodyOf(requestBody.content, operationId, schemas);
  const of = (where: string) => parameters.filter((parameter) => parameter.in === where);
  const query = of('query').map((one) => ({ ...told(one, exampleOf(one)), disabled: one.required !== true }));
  const segments = path
    .split('/')
    .slice(1)
    .map((part) => part.replace(/^\{(\w+)\}$/, ':$1'));
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description: `${operation.deprecated === true ? '**Deprecated.** ' : ''}${description}`,
      ...(security.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: [
        ...(body === null ? [] : [{ key: 'Content-Type', value: body.type }]),
        ...keyOf(security),
        ...of('header').map(headerOf),
      ],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
        host: ['{{baseUrl}}'],
        path: segments,
        ...(query.length === 0 ? {} : { query }),
        ...(of('path').length === 0 ? {} : { variable: of('path').map((one) => told(one, exampleOf(one))) }),
      },
      ...(body === null ? {} : { body: body.content }),
    },
    ...(operationId === 'createLoan'
      ? { event: [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP_LOAN } }] }
      : {}),
    response: [],
  };
}

const told = ({ name, description }: Parameter, value: string) => ({
  key: name,
  value,
  ...(description === undefined ? {} : { description }),
});

/** Sent where the operation needs it; elsewhere offered. */
function keyOf(security: readonly Record<string, string[]>[]): object[] {
  const ofTokens = security.filter((one) => 'bearerAuth' in one || 'oauth2' in one);
  if (!ofTokens.some((one) => 'apiKey' in one)) return [];
  const isNeeded = ofTokens.every((one) => 'apiKey' in one);
  return [
    {
      key: 'key',
      value: '{{apiKey}}',
      description: 'An API key of the client.',
      ...(isNeeded ? {} : { disabled: true }),
    },
  ];
}

/** A write that Postman sends again by hand is another write; the others change what a request means. */
const headerOf = (parameter: Parameter) => ({
  ...told(
    parameter,
    parameter.name === 'Idempotency-Key' ? '{{$guid}}' : parameter.name === 'Prefer' ? 'numbers=plain' : '',
  ),
  ...(parameter.name === 'Idempotency-Key' ? {} : { disabled: true }),
});

function exampleOf({ name, schema, example }: Parameter): string {
  if (name === 'loan_id' || name === 'loanId') return '{{loanId}}';
  const known =
    example ?? COUNTED[name] ?? schema.examples?.[0] ?? schema.enum?.[0] ?? (schema.type === 'boolean' ? true : '');
  return String(known);
}

/** Places in the lists of a loan. */
const COUNTED: Readonly<Record<string, number>> = { n: 1, index: 0 };

// ---- bodies ----

function bodyOf(content: Record<string, Media>, operationId: string, schemas: Record<string, Schema>) {
  const [[type, media] = ['', null]] = Object.entries(content);
  if (media === null) throw new Error(`${operationId} has a body without a type.`);
  const named = schemas[media.schema.$ref?.split('/').at(-1) ?? ''] ?? media.schema;
  const example = withVariables(media.example ?? firstOf(media) ?? named.examples?.[0] ?? {}) as Record<
    string,
    unknown
  >;
  if (type === 'application/x-www-form-urlencoded') {
    const urlencoded = Object.entries(example).map(([key, value]) => ({ key, value: String(value) }));
    return { type, content: { mode: 'urlencoded', urlencoded } };
  }
  const raw = JSON.stringify(example, null, 2);
  return { type, content: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
}

const firstOf = ({ examples = {} }: Media) => Object.values(examples)[0]?.value;

/** Members of examples that stand for something of the caller. */
const OWN: Readonly<Record<string, string>> = {
  loanId: '{{loanId}}',
  clientSecret: '{{clientSecret}}',
  client_id: '{{clientId}}',
  client_secret: '{{clientSecret}}',
};

/** `clientId` is the caller's own where its secret is beside it. */
function withVariables(example: unknown): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  const own = 'clientSecret' in example ? { ...OWN, clientId: '{{clientId}}' } : OWN;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' && name in own ? own[name as keyof typeof own] : value,
    ]),
  );
}
