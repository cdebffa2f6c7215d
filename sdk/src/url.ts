/** The address of a call. */

export type Bases = { operations: string; service: string };

/** Path in openapi.json that stands for the path of `baseUrl`, whose last part an installation may set. */
const PREFIX = '/v2/chain';

/** Operations are below `baseUrl`, a few (`/healthz`, `/.well-known/…`) below the service itself. */
export function basesOf(baseUrl: string): Bases {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TypeError('baseUrl must be an http or https address without query, fragment and credentials.');
  }
  let operations = url.href;
  while (operations.endsWith('/')) operations = operations.slice(0, -1);
  return { operations, service: operations.replace(/\/v2\/[^/]+$/, '') };
}

export function addressOf(
  { operations, service }: Bases,
  id: string,
  path: string,
  { path: values = {}, query = {} }: { path?: Record<string, unknown>; query?: Record<string, unknown> },
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    // A browser would take these for parts of the path itself, and call another operation.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`${id} needs path.${name}.`);
    return encodeURIComponent(value);
  });
  const base = filled.startsWith(`${PREFIX}/`) ? operations + filled.slice(PREFIX.length) : service + filled;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? base : `${base}?${text}`;
}
