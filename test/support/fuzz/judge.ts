/** The rules for every answer, whatever the request: those of the OpenAPI document, and no leaks. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { MARKER, type Schema } from './bodies.ts';
import type { FuzzOperation } from './mutations.ts';
import { shown, type WireAnswer } from './wire.ts';

type Media = {
  content?: Record<string, { schema: Schema; example?: object; examples?: Record<string, { value: object }> }>;
};
type OperationObject = {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: { in: string; name: string }[];
  requestBody?: Media;
  responses: Record<string, Media>;
};
export type OpenApi = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
};

/** One line of the service's log about an answered request. */
export type LogLine = { requestId: string; method: string; route: string; status: number };

export type Judge = {
  operations: FuzzOperation[];
  /** Everything that is wrong with the answer; empty if it is right. `line` is what the service logged about it. */
  judge(answer: WireAnswer, line: LogLine | undefined, method: string): string[];
  /** Counts of statuses by operation (`-` where none was found). */
  seen: Map<string, number>;
};

const LEAKS = [
  /^\s+at /m,
  /node:internal/,
  /\/src\//,
  /node_modules/,
  /\b(SELECT|INSERT|UPDATE|DELETE) .*\b(FROM|INTO|SET|WHERE)\b/,
  /relation "/,
];

const JSON_TYPE = 'application/json; charset=utf-8';

export function openJudge(document: OpenApi, secrets: () => readonly string[]): Judge {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    // In a record a date that is not known is empty.
    formats: { date: /^(\d{4}-\d{2}-\d{2})?$/, 'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/ },
  });
  ajv.addSchema(document, 'openapi');
  const problem = ajv.compile({ $ref: 'openapi#/components/schemas/Problem' });
  const answers = new Map<string, ValidateFunction>();
  const seen = new Map<string, number>();
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): FuzzOperation => {
      const content = operation.requestBody?.content;
      const media = content?.['application/json'];
      const json = media && whole(media.schema, document);
      const examples = [media?.example, ...Object.values(media?.examples ?? {}).map(({ value }) => value)].filter(
        (example) => example !== undefined,
      );
      const form = content?.['application/x-www-form-urlencoded'];
      const withToken = (operation.security ?? []).filter((one) => !('session' in one));
      return {
        method: method.toUpperCase(),
        path,
        id: operation.operationId,
        security: (operation.security ?? []).length > 0,
        keyed: withToken.length > 0 && withToken.every((one) => 'apiKey' in one),
        dryRun: (operation.parameters ?? []).some(({ name }) => name === 'dryRun'),
        ...(json ? { json } : {}),
        examples,
        ...(form ? { form: whole(form.schema, document) } : {}),
      };
    }),
  );

  function judge(answer: WireAnswer, line: LogLine | undefined, method: string): string[] {
    const { status, headers, body } = answer;
    const wrong: string[] = [];
    const path = line?.route.replaceAll(/:(\w+)/g, '{$1}') ?? '';
    const item = line && document.paths[path];
    const asked = (line?.method ?? method).toLowerCase().replace('head', 'get');
    const operation = item?.[asked];
    const probe = line === undefined && isProbeAnswer(answer);
    const name = operation?.operationId ?? (probe ? 'probe' : item ? `${line?.route} by another method` : '-');
    seen.set(`${name} ${status}`, (seen.get(`${name} ${status}`) ?? 0) + 1);

    const header = (key: string) => {
      const values = headers.get(key) ?? [];
      if (values.length > 1) wrong.push(`the header ${key} came ${values.length} times`);
      return values[0];
    };
    const requestId = header('x-request-id');
    const type = header('content-type');
    if (requestId === undefined || requestId === '') wrong.push('no X-Request-Id');
    if (header('x-content-type-options') !== 'nosniff') wrong.push('no X-Content-Type-Options');
    if (status >= 500) wrong.push(`status ${status}`);
    if (line?.status !== status && !probe) wrong.push(line ? `logged as ${line.status}` : 'not logged');
    const text = body.toString('utf8');
    const head = [...headers.values()].flat().join('\n');

    if (operation && !(status in operation.responses)) wrong.push(`${name} does not document ${status}`);
    if (item && !operation && !Object.values(item).some(({ responses }) => status in responses)) {
      wrong.push(`no operation at ${line.route} documents ${status}`);
    }
    if (status >= 400) {
      for (const leak of LEAKS) if (leak.test(text)) wrong.push(`looks like a leak: ${leak}`);
      for (const secret of [MARKER, ...secrets()]) {
        if (text.includes(secret) || head.includes(secret)) wrong.push('repeats a secret or the marker');
      }
      const oauth = line?.route.endsWith('/oauth/token') && type === JSON_TYPE;
      if (type !== 'application/problem+json; charset=utf-8' && !oauth) wrong.push(`is of type ${type}`);
      if (method !== 'HEAD' || body.length > 0) judgeProblem();
    } else if (operation && (status === 200 || status === 202)) {
      const types = Object.keys(operation.responses[status]?.content ?? {});
      const known = types.map((one) => (one === 'application/pdf' ? one : `${one}; charset=utf-8`));
      if (!known.some((one) => one === type)) wrong.push(`is of type ${type}`);
      if (method !== 'HEAD' && type === JSON_TYPE) judgeSuccess();
    } else if (operation && status !== 304) {
      wrong.push(`a success other than 200 and 202`);
    }
    return wrong;

    function judgeProblem(): void {
      const document = parse(text, wrong);
      if (document === undefined) return;
      if (!problem(document)) wrong.push(`no valid problem: ${ajv.errorsText(problem.errors)}`);
      if (document.status !== status) wrong.push('status and body.status differ');
      if (document.requestId !== requestId) wrong.push('X-Request-Id and body.requestId differ');
    }
    function judgeSuccess(): void {
      // By its place in the document, so that its references resolve.
      const place = ['paths', path, asked, 'responses', String(status), 'content', 'application/json', 'schema'];
      const pointer = place
        .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      let validate = answers.get(pointer);
      if (validate === undefined) {
        validate = ajv.compile({ $ref: `openapi#/${pointer}` });
        answers.set(pointer, validate);
      }
      const document = parse(text, wrong);
      if (document !== undefined && !validate(document))
        wrong.push(`not as documented: ${ajv.errorsText(validate.errors)}`);
    }
  }
  return { operations, judge, seen };
}

/** A schema with what it refers to in place of the references. */
function whole(schema: Schema, document: OpenApi): Schema {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    typeof value?.$ref === 'string'
      ? whole(document.components.schemas[value.$ref.split('/').at(-1)] as Schema, document)
      : value,
  );
}

/** `/healthz`, `/readyz` and `/metrics` when healthy: a probe comes every few seconds, so it is not logged. */
export function isProbeAnswer({ status, headers, body }: WireAnswer): boolean {
  if (status !== 200 || headers.has('etag')) return false;
  const text = body.subarray(0, 50).toString();
  return text === '' || /^{"message":"ok","version":"[^"]+"}$/.test(text) || text.startsWith('# HELP ');
}

function parse(text: string, wrong: string[]): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    wrong.push(`no JSON: ${shown(text)}`);
    return undefined;
  }
}
