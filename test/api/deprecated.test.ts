/** A deprecation is declared once, and announced in headers and in the OpenAPI document. Nothing is yet, so the operations are examples. */
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postmanCollection } from '../../scripts/postman-collection.ts';
import { deprecated, deprecationsOf } from '../../src/http/shared/deprecation.ts';
import { about, shape } from '../../src/http/shared/named.ts';
import { closed, computation, envelope, type Operation, ok, operation } from '../../src/http/shared/operation.ts';
import { type TestApp, testApp } from '../support/app.ts';

const SINCE = { since: '2027-01-15', sunset: '2028-02-01' } as const;
const LATER = { since: '2027-03-01', sunset: '2028-03-01' } as const;
const Part = shape('ExamplePart', 'A part.', { size: Type.Integer({ description: 'Its size.' }) });

const common = { scopes: [], key: 'checked', tag: 'Access', problems: [] } as const;
const replaced = operation({
  ...common,
  at: 'GET /example-old',
  id: 'readExampleOld',
  summary: 'An operation that is replaced',
  description: 'It answers nothing.',
  deprecated: { ...SINCE, replacedBy: 'POST /example-new' },
  answer: envelope(Type.Object({}, { title: 'ExampleOld', description: 'Nothing.' }), {}),
  handle: () => ok({}),
});
const kept = operation({
  ...common,
  at: 'POST /example-new',
  id: 'writeExampleNew',
  summary: 'An operation with members that are replaced',
  description: 'It answers what it got.',
  query: closed({
    plain: Type.Optional(deprecated(Type.Boolean({ description: 'Without.' }), { ...LATER, replacedBy: 'Prefer' })),
  }),
  body: closed(
    {
      name: Type.String({ maxLength: 20, description: 'The name.' }),
      title: Type.Optional(
        deprecated(Type.String({ maxLength: 20, description: 'The former name.' }), { ...SINCE, replacedBy: 'name' }),
      ),
      parts: Type.Optional(
        Type.Array(
          closed(
            {
              weight: Type.Optional(
                deprecated(Type.Integer({ description: 'The weight.' }), { ...LATER, replacedBy: 'mass' }),
              ),
            },
            { title: 'ExampleEntry', description: 'An entry.' },
          ),
          { maxItems: 3, description: 'The parts.' },
        ),
      ),
    },
    { examples: [{ name: 'one' }] },
  ),
  answer: envelope(
    shape('ExampleNew', 'What it got.', {
      part: deprecated(about(Part, 'The first part.'), { ...SINCE, replacedBy: 'parts' }),
      other: about(Part, 'Another part.'),
    }),
    { part: { size: 1 }, other: { size: 2 } },
  ),
  handle: () => ok({ part: { size: 1 }, other: { size: 2 } }),
});
const inAThread = computation({
  ...common,
  at: 'POST /calculate-apr-example',
  id: 'calculateExample',
  summary: 'A calculation with a member that is replaced',
  description: 'It is never carried out.',
  body: closed(
    {
      former: Type.Optional(
        deprecated(Type.String({ maxLength: 9, description: 'Former.' }), { ...SINCE, replacedBy: 'rate' }),
      ),
    },
    { examples: [{}] },
  ),
  answer: envelope(Type.Object({}, { title: 'ExampleOfNothing', description: 'Nothing.' }), {}),
  compute: () => ({}),
});

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp({ CORS_ORIGINS: 'https://pages.example' }, undefined, {
    operations: [replaced, kept, inAThread],
  });
  token = await service.token();
});
afterAll(() => service?.close());

const announced = async (method: string, path: string, options: object = {}) => {
  const { status, headers } = await service.call(method, `/v2/chain${path}`, { token, ...options });
  return [status, ...['deprecation', 'sunset', 'link'].map((name) => headers.get(name))];
};
const DOCS = '</docs/>; rel="deprecation"; type="text/html"';
const FIRST = [`@${Date.UTC(2027, 0, 15) / 1000}`, 'Tue, 01 Feb 2028 00:00:00 GMT'];
const SECOND = [`@${Date.UTC(2027, 2, 1) / 1000}`, 'Wed, 01 Mar 2028 00:00:00 GMT'];
const NOTHING = [null, null, null];

describe('headers', () => {
  test('every answer of a deprecated operation has them, a refusal too', async () => {
    const whole = [...FIRST, `${DOCS}, </v2/chain/example-new>; rel="successor-version"`];
    expect(await announced('GET', '/example-old')).toEqual([200, ...whole]);
    expect(await announced('HEAD', '/example-old')).toEqual([200, ...whole]);
    expect(await announced('GET', '/example-old', { token: 'wrong' })).toEqual([401, ...whole]);
    expect(await announced('GET', '/example-old?a=1')).toEqual([422, ...whole]);
  });

  test('a request that uses a deprecated member or parameter, and no other', async () => {
    const at = '/example-new';
    expect(await announced('POST', at, { body: { name: 'a' } })).toEqual([200, ...NOTHING]);
    expect(await announced('POST', at, { body: { name: 'a', title: 'b' } })).toEqual([200, ...FIRST, DOCS]);
    expect(await announced('POST', at, { body: { name: 1, title: 'b' } })).toEqual([422, ...FIRST, DOCS]);
    expect(await announced('POST', at, { body: { name: 'title' } })).toEqual([200, ...NOTHING]);
    expect(await announced('POST', at, { body: { name: 'a', parts: [{}, { weight: 1 }] } })).toEqual([
      200,
      ...SECOND,
      DOCS,
    ]);
    expect(await announced('POST', `${at}?plain=true`, { body: { name: 'a' } })).toEqual([200, ...SECOND, DOCS]);
    expect(await announced('POST', `${at}?plain=true`, { body: { name: 'a', title: 'b' } })).toEqual([
      200,
      ...FIRST,
      DOCS,
    ]);
    for (const body of ['[]', 'null', '{"parts":[null,3]}', '{"parts":{"weight":1}}', '"title"'])
      expect(await announced('POST', at, { body })).toEqual([422, ...NOTHING]);
  });

  test('in a body that a thread reads, the name of the member anywhere', async () => {
    const [, ...headers] = await announced('POST', '/calculate-apr-example', { body: { former: 'a', more: 1 } });
    expect(headers).toEqual([...FIRST, DOCS]);
    const [, ...none] = await announced('POST', '/calculate-apr-example', { body: { more: 'former' } });
    expect(none).toEqual(NOTHING);
  });

  test('pages of other origins may read them', async () => {
    const { headers } = await service.call('GET', '/v2/chain/example-old', {
      token,
      headers: { origin: 'https://pages.example' },
    });
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link', 'X-Loan-Version']));
  });

  test('an operation of which nothing is deprecated looks at no request', async () => {
    expect(await announced('GET', '/me')).toEqual([200, ...NOTHING]);
    expect(deprecationsOf({}, '/v2/chain').of).toBeNull();
  });
});

describe('the OpenAPI document', () => {
  const text = 'Deprecated since 2027-01-15: use';

  test('marks operation, parameter and member, each with its day', async () => {
    const { body: document } = await service.call('GET', '/openapi.json');
    const { paths, components } = document;
    const whole = paths['/v2/chain/example-old'].get;
    expect(whole).toMatchObject({ deprecated: true, 'x-sunset': '2028-02-01' });
    expect(whole.description).toContain(`${text} \`POST /example-new\` instead. May be missing from 2028-02-01.`);
    expect(Object.keys(whole.responses['200'].headers)).toEqual(['Deprecation', 'Sunset', 'Link']);
    expect(paths['/v2/chain/example-new'].post).not.toHaveProperty('deprecated');
    const [plain] = paths['/v2/chain/example-new'].post.parameters;
    expect(plain).toMatchObject({
      name: 'plain',
      deprecated: true,
      'x-sunset': '2028-03-01',
      schema: { type: 'boolean' },
    });
    expect(plain.description).toContain('Without. Deprecated since 2027-03-01: use `Prefer` instead.');
    const { title, name } = components.schemas.WriteExampleNewRequest.properties;
    expect(title).toMatchObject({
      deprecated: true,
      description: expect.stringContaining(`The former name. ${text} \`name\``),
    });
    expect(name).not.toHaveProperty('deprecated');
    // Only where it is used: the shape itself is not deprecated.
    const { part, other } = components.schemas.ExampleNew.properties;
    expect(part).toMatchObject({
      $ref: '#/components/schemas/ExamplePart',
      deprecated: true,
      'x-sunset': '2028-02-01',
    });
    expect(other).toEqual({ $ref: '#/components/schemas/ExamplePart', description: 'Another part.' });
    expect(components.schemas.ExamplePart).not.toHaveProperty('deprecated');
    expect(JSON.stringify(document)).not.toContain('x-deprecation');
    expect(postmanCollection(document)).toContain('**Deprecated.** It answers nothing.');
  });

  test('has nothing that is deprecated at present, as docs/api.md says', async () => {
    const { operations } = await import('../../src/http/routes.ts');
    expect(operations.filter((one: Operation) => deprecationsOf(one, '').always ?? deprecationsOf(one, '').of)).toEqual(
      [],
    );
  });
});

test('nothing ends with less than a year of notice', () => {
  const ending = (sunset: `${number}-${number}-${number}`) => () =>
    deprecated(Type.String(), { since: '2027-01-15', sunset, replacedBy: 'name' });
  expect(ending('2028-01-15')).not.toThrow();
  expect(ending('2028-01-14')).toThrow('ends a year later at the earliest');
  expect(ending('2028-13-01')).toThrow('ends a year later at the earliest');
});
