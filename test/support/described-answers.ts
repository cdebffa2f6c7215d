/**
 * Every JSON answer is compared with the OpenAPI document, in whatever test it is received: what a client generated from the document
 * would read. Amounts must also have the form that the answer says it has, or the interface's where it says nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

type Received = { status: number; headers: Headers; body: unknown };
type Operation = { responses: Record<string, { $ref?: string; content?: Record<string, unknown> }> };
type OpenApi = { paths: Record<string, Record<string, Operation>> };

let opened: ReturnType<typeof open> | undefined;

/** Throws when the body is not as the document describes it. */
export function readAsDescribed(sent: { method: string; path: string }, received: Received): void {
  opened ??= open();
  opened(sent, received);
}

function open() {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as OpenApi;
  const formats = { date: /^\d{4}-\d{2}-\d{2}$/, 'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/ };
  const ajv = new Ajv2020({ strict: false, validateSchema: false, formats });
  ajv.addSchema(document, 'openapi');
  const routes = Object.entries(document.paths).map(([path, item]) => ({
    item,
    path,
    parts: path.split('/'),
    fixed: path.split('/').filter((part) => !part.startsWith('{')).length,
  }));
  // `/policies/{policy_id}` comes after what has a name in its place.
  routes.sort((a, b) => b.fixed - a.fixed);
  const validators = new Map<string, ValidateFunction | null>();

  return ({ method, path }: { method: string; path: string }, { status, headers, body }: Received) => {
    const type = headers.get('content-type') ?? '';
    if (!/[/+]json/.test(type) || body === '') return;
    const parts = (path.split('?')[0] ?? '').replace(/(?<=.)\/$/, '').split('/');
    const route = routes.find(
      (one) =>
        one.parts.length === parts.length && one.parts.every((part, i) => part.startsWith('{') || part === parts[i]),
    );
    const operation = route?.item[method.toLowerCase()];
    if (route === undefined || operation === undefined) return;
    const validate = validatorOf(`${method.toLowerCase()} ${route.path} ${status}`, route.path, operation, status);
    if (validate === null || validate(body)) return;
    const errors = (validate.errors ?? []).map((one) => shown(one, body));
    throw new Error(`${method} ${path} (${status}) is not as openapi.json describes it:\n  ${errors.join('\n  ')}`);
  };

  function validatorOf(key: string, path: string, operation: Operation, status: number): ValidateFunction | null {
    const known = validators.get(key);
    if (known !== undefined) return known;
    const described = operation.responses[status];
    let made: ValidateFunction | null = null;
    if (status >= 400) made = ajv.compile({ $ref: 'openapi#/components/schemas/Problem' });
    else if (described?.content !== undefined && 'application/json' in described.content) {
      const method = key.split(' ')[0];
      const pointer = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
      const escaped = pointer.map((one) => encodeURIComponent(String(one).replaceAll('~', '~0').replaceAll('/', '~1')));
      made = ajv.compile({ $ref: `openapi#/${escaped.join('/')}` });
    }
    validators.set(key, made);
    return made;
  }
}

function shown({ instancePath, message = '' }: ErrorObject, body: unknown): string {
  const at = instancePath
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], body);
  return `${instancePath} ${message}: ${JSON.stringify(at)?.slice(0, 80)}`;
}
