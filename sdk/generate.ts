/**
 * `npm run sdk`: what the client takes from openapi.json. `api.ts` has the table by which a call finds its address, and the shapes of requests
 * and answers. It is committed, and a test compares it with the document.
 *
 * Descriptions of members, examples, and the failures of each operation are left out: a failure is a problem document everywhere, and the
 * descriptions are most of the document. An operation keeps its summary, which an editor shows beside its method.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Members = { readonly [name: string]: Json };
type Schema = { $ref?: string; properties?: Record<string, Schema> };
type Operation = {
  operationId: string;
  summary: string;
  tags: readonly string[];
  security: readonly object[];
  parameters?: readonly { in: string; name: string }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const root = join(import.meta.dirname, '..');
const { openapi, info, paths, components }: Document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
const folder = process.argv[2] ?? join(import.meta.dirname, 'src/generated');

/** Keywords under which a member's name is a name of the API and not of JSON Schema. */
const NAMED = new Set(['properties', 'schemas']);
const WORDS = new Set(['description', 'example', 'examples', 'title', 'security', 'tags', 'x-cost']);

const made = `// Made from openapi.json by \`npm run sdk\`.\n${table()}\n${await types()}`;
writeFileSync(join(folder, 'api.ts'), made);

async function types(): Promise<string> {
  const operations = Object.entries(paths).map(([path, methods]) => {
    const kept = Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, responses, ...rest } = operation;
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      return [
        method,
        {
          ...(withoutWords(rest) as Members),
          operationId,
          summary,
          responses: withoutWords(Object.fromEntries(successes)),
        },
      ];
    });
    return [path, Object.fromEntries(kept)];
  });
  const nodes = await openapiTS(
    JSON.stringify({
      openapi,
      info: { title: info.title, version: info.version },
      paths: Object.fromEntries(operations),
      components: { schemas: withoutWords(components.schemas as Json, true) },
    }),
    { alphabetize: false, silent: true },
  );
  let text = astToString(nodes);
  for (const { operationId, summary } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    text = text.replace(`\n    ${operationId}: {\n`, (member) => `\n    /** ${summary}. */${member}`);
  }
  // Removes types that the client does not read: every operation is found by its id.
  for (const [start, end] of [
    ['export interface paths {\n', '\n}\n'],
    ['export type webhooks =', ';\n'],
    ['export type $defs =', ';\n'],
  ] as const) {
    text = without(text, start, end);
  }
  return text;
}

/** Without the first part that begins and ends so. */
function without(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length);
}

function withoutWords(value: Json | object, names = false): Json {
  if (Array.isArray(value)) return value.map((entry: Json) => withoutWords(entry));
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = Object.entries(value as Members).filter(([name]) => names || !WORDS.has(name));
  return Object.fromEntries(members.map(([name, entry]) => [name, withoutWords(entry, !names && NAMED.has(name))]));
}

function table(): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, tags, security, parameters = [] } = operation;
      const takes = (name: string) => parameters.some((parameter) => parameter.name === name);
      const row = {
        method: method.toUpperCase(),
        path,
        dryRun: takes('dryRun'),
        key: takes('Idempotency-Key'),
        paged: isPaged(operation),
        open: security.length === 0,
        tag: tags[0] ?? '',
      };
      const media = Object.keys(operation.responses['200']?.content ?? {});
      const accept = media.includes('application/json') ? {} : { accept: media[0] ?? '' };
      const members = Object.entries({ ...row, ...accept }).map(([name, value]) => `${name}: ${quoted(value)}`);
      return `  ${operationId}: { ${members.join(', ')} },\n`;
    }),
  );
  return `export const OPERATIONS = {\n${rows.join('')}} as const;\n`;
}

/** Whether its answer has \`items\` and a \`nextCursor\`, which may be sent with the next call. */
function isPaged({ parameters = [], responses }: Operation): boolean {
  const cursor = parameters.some(({ in: where, name }) => where === 'query' && (name === 'cursor' || name === 'after'));
  const answer = resolved(responses['200']?.content?.['application/json']?.schema);
  const data = resolved(answer?.properties?.data)?.properties ?? {};
  return cursor && 'items' in data && 'nextCursor' in data;
}

function resolved(schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
}

function quoted(value: string | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
}
