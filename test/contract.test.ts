/**
 * `openapi.json` as a contract: it passes both usual linters, everything in it is named and described so that generated clients read well,
 * and its examples match their schemas (the linters check those).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { expectDescribed } from './support/described-answers.ts';

const path = join(import.meta.dirname, '../openapi.json');
const source = readFileSync(path, 'utf8');

type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  examples?: unknown[];
};
type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  operationId: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
const document = JSON.parse(source) as {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;
const operations = Object.entries(document.paths).flatMap(([at, item]) =>
  Object.entries(item).map(([method, operation]) => ({ at: `${method} ${at}`, ...operation })),
);

/** Every schema with its place in the document; `isNamed` for those under `components`. */
const all: { at: string; schema: Schema; isNamed: boolean }[] = [];
function gather(at: string, schema: Schema, isNamed = false): void {
  all.push({ at, schema, isNamed });
  for (const [name, member] of Object.entries(schema.properties ?? {})) gather(`${at}.${name}`, member);
  for (const [i, one] of (schema.anyOf ?? []).entries()) gather(`${at}/${i}`, one);
  if (schema.items) gather(`${at}[]`, schema.items);
  if (typeof schema.additionalProperties === 'object') gather(`${at}{}`, schema.additionalProperties);
}
for (const [name, schema] of Object.entries(schemas)) gather(name, schema, true);
for (const { operationId, parameters = [], requestBody, responses } of operations) {
  for (const { name, schema } of parameters) gather(`${operationId}?${name}`, schema);
  for (const holder of [requestBody, ...Object.values(responses)]) {
    for (const [type, { schema }] of Object.entries(holder?.content ?? {})) {
      if (schema) gather(`${operationId} ${type}`, schema);
    }
  }
}
const named = (schema: Schema): Schema => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

describe('linters', () => {
  // The linter of @redocly/cli: the same rules from the same package, without its preview server and bundler.
  test('redocly recommended', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // Not among the recommended ones: examples in schemas, where the answers have theirs.
        'no-invalid-schema-examples': 'error',
      },
    });
    const found = await lintFromString({ source, absoluteRef: path, config });
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)).toEqual(
      [],
    );
  }, 30_000);

  test('spectral:oas', async () => {
    const spectral = new spectralCore.Spectral();
    // The contact depends on the operator: the document describes the software, not one installation.
    spectral.setRuleset({ extends: [spectralRulesets.oas], rules: { 'info-contact': 'off' } } as never);
    const found = await spectral.run(JSON.parse(source));
    expect(found.map(({ code, message, path: at }) => `${code}: ${message} ${at.join('/')}`)).toEqual([]);
  }, 60_000);
});

describe('an answer that a test receives is held against it', () => {
  const headers = (more: object = {}) => new Headers({ 'content-type': 'application/json; charset=utf-8', ...more });
  const clock = {
    kind: 'live',
    timeZone: 'UTC',
    today: '2026-01-15',
    now: '2026-01-15T12:00:00.000Z',
    advancing: null,
    next: null,
  };
  const answer = (data: object = clock, more: object = {}, status = 200) => {
    const body = { message: 'ok', data };
    return { status, headers: headers(more), body, text: JSON.stringify(body) };
  };
  const PATH = '/v2/chain/clock';
  const problem = (code: string, more: object = {}) => {
    const body = { ...(schemas.Problem?.examples?.[0] as object), code, ...more };
    return {
      status: 401,
      headers: headers({ 'content-type': 'application/problem+json' }),
      body,
      text: JSON.stringify(body),
    };
  };

  test('and one that is as described is taken', () => {
    expect(() => expectDescribed('GET', PATH, answer())).not.toThrow();
    expect(() => expectDescribed('GET', PATH, problem('unauthorized'))).not.toThrow();
    expect(() => expectDescribed('GET', '/docs/', answer({}))).not.toThrow();
  });

  test.each([
    ['a status', answer(clock, {}, 201), 'The status 201 is not documented'],
    [
      'a member that is not listed',
      answer({ ...clock, weather: 'fair' }),
      'must NOT have additional properties: weather',
    ],
    ['a member of another type', answer({ ...clock, today: 3 }), '/data/today must be string'],
    ['a day that is none', answer({ ...clock, today: '2026-13-15' }), '/data/today must match format "date"'],
    ['a member that is missing', answer({ ...clock, kind: undefined }), "must have required property 'kind'"],
    ['a header', answer(clock, { etag: '"1"' }), 'The header ETag is not documented'],
    [
      'a type',
      { ...answer(), headers: headers({ 'content-type': 'text/csv' }) },
      'The type "text/csv" is not documented',
    ],
    ['a problem code', problem('on_hold'), 'The code on_hold is not documented for 401'],
    ['a member of a problem', problem('unauthorized', { secret: 'x' }), 'must NOT have additional properties: secret'],
  ])('%s that is not described fails', (_, received, wrong) => {
    // Read again from its text, as one that arrived.
    const body = JSON.parse(JSON.stringify(received.body));
    expect(() => expectDescribed('GET', PATH, { ...received, body, text: JSON.stringify(body) })).toThrow(wrong);
  });

  test('and success at an address that is no operation fails', () => {
    expect(() => expectDescribed('GET', '/v2/chain/nothing', answer({}))).toThrow('There is no such operation');
  });
});

describe('names', () => {
  test('an object with members has a name of its own', () => {
    const inline = all.filter(({ schema, isNamed }) => !isNamed && Object.keys(schema.properties ?? {}).length > 0);
    expect(inline.map(({ at }) => at)).toEqual([]);
  });

  test('names are words in capitals, operations are verbs', () => {
    expect(Object.keys(schemas).filter((name) => !/^([A-Z][a-z]*|OAuth)+$/.test(name) || /\d/.test(name))).toEqual([]);
    expect(
      operations.map(({ operationId }) => operationId).filter((id) => !/^[a-z]+([A-Z][a-z]*|OAuth)*$/.test(id)),
    ).toEqual([]);
  });

  test('what a client would name has these names', () => {
    const wanted =
      'Loan LoanPage LoanDetails LoanRecord LoanApplication RiskAssessment Underwriting DealTerms Schedule Installment Payment Payoff ' +
      'PayoffQuoteResult Fee Allocation Statement Journal JournalLine Transaction Clock Cycle Problem Token LoanStatus';
    expect(wanted.split(' ').filter((name) => !(name in schemas))).toEqual([]);
  });

  test('an alias of an operation has no entry of its own, and is described at its operation', () => {
    expect(document.paths).not.toHaveProperty(['/v2/chain/applications']);
    expect(document.paths['/v2/chain/loans']?.post?.description).toContain('Also available as `POST /applications`.');
    expect(operations.filter(({ operationId }) => /Alias/.test(operationId))).toEqual([]);
  });
});

describe('descriptions', () => {
  test('every member, parameter, named schema and tag has one', () => {
    const members = all.flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([, member]) => !(member.description ?? named(member).description))
        .map(([name]) => `${at}.${name}`),
    );
    const parameters = operations.flatMap(({ operationId, parameters: given = [] }) =>
      given.filter(({ description }) => !description).map(({ name }) => `${operationId}?${name}`),
    );
    const shapes = Object.entries(schemas).flatMap(([name, { description }]) => (description ? [] : [name]));
    const tags = document.tags.filter(({ description }) => !description).map(({ name }) => name);
    expect([...members, ...parameters, ...shapes, ...tags]).toEqual([]);
  });

  /** Texts that the interface gives a form of its own. */
  const OWN_FORM = [
    'Loan.createdAt',
    'LoanDetails.createdAt',
    'CreateLoanRequest.createdAt',
    'LoanDetailsInput.createdAt',
    'PublicLoanDetails.createdAt',
    'RiskAssessment.DecisionDate',
  ];

  test('a date or a time says so', () => {
    const formats = (schema: Schema): (string | undefined)[] => [
      schema.format,
      schema.items?.format,
      ...(schema.anyOf ?? []).map(({ format }) => format),
    ];
    const members = all.flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {}).map(([name, member]) => ({ at: `${at}.${name}`, name, member })),
    );
    const parameters = operations.flatMap(({ operationId, parameters: given = [] }) =>
      given.map(({ name, schema }) => ({ at: `${operationId}?${name}`, name, member: schema })),
    );
    const texts = [...members, ...parameters].filter(
      ({ at, member }) =>
        !OWN_FORM.includes(at) && !member.$ref && !['boolean', 'integer'].includes(String(member.type)),
    );
    const dates = texts.filter(({ name }) =>
      /(^date|Date|Dates|On)$|^date[A-Z](?!fBirth)|^(asOf|on|today|goodThrough|(due|created)(From|To))$/.test(name),
    );
    const times = texts.filter(({ name, at }) => /[a-z]At$|^(at|now|knownAt)$/.test(name) && at !== 'ClockAdvance.at');
    expect(dates.length).toBeGreaterThan(50);
    expect(times.length).toBeGreaterThan(10);
    expect(dates.filter(({ member }) => !formats(member).includes('date')).map(({ at }) => at)).toEqual([]);
    expect(times.filter(({ member }) => !formats(member).includes('date-time')).map(({ at }) => at)).toEqual([]);
  });

  test('every pattern means the same with and without the flag u', () => {
    const patterns = all.flatMap(({ at, schema }) =>
      schema.pattern === undefined ? [] : [{ at, pattern: schema.pattern }],
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const { at, pattern } of patterns) {
      expect(() => new RegExp(pattern, 'u'), at).not.toThrow();
      expect(pattern, at).not.toMatch(/\\[pP]\{/);
    }
  });
});
