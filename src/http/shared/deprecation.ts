/**
 * Each deprecation is declared once, where the thing is defined: on an operation (`deprecated`), or on a member of a request or an answer
 * (`deprecated(schema, …)`). From that follow the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, and in the OpenAPI
 * document `deprecated: true`, `x-sunset` and a sentence in the description. docs/api.md says what is promised.
 */
import type { TSchema } from 'typebox';
import { withMembers } from './named.ts';

export type Deprecation = {
  /** The day of the release that announces it. */
  readonly since: `${number}-${number}-${number}`;
  /** The first day on which it may be missing, a year after `since` at the earliest. */
  readonly sunset: `${number}-${number}-${number}`;
  /** An operation (`POST /loan-repay`) or, of a member, another member (`lenderId`). */
  readonly replacedBy: string;
};

/** The schema of a member or a parameter that callers should no longer use. */
export function deprecated<T extends TSchema>(schema: T, how: Deprecation): T {
  return withMembers(schema, { [MARK]: checked(how) });
}

/** In a schema; `components.ts` replaces it by what the document says. */
export const MARK = 'x-deprecation';

export const deprecationText = ({ since, sunset, replacedBy }: Deprecation): string =>
  `Deprecated since ${since}: use \`${replacedBy}\` instead. May be missing from ${sunset}.`;

/** The headers of an answer; null: nothing that was used is deprecated. */
export type DeprecationHeaders = Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> | null;

/** The parts of a request that are looked at; `body` is the bytes where a thread reads them. */
type Used = { body: unknown; query: unknown };

export type Deprecations = {
  /** On every answer, a refusal too. */
  always: DeprecationHeaders;
  /** The headers of a request by the members and parameters that it uses, with those of the operation. Null: none of them is deprecated. */
  of: ((used: Used) => DeprecationHeaders) | null;
};

const NONE: Deprecations = { always: null, of: null };

/** For an operation under `prefix`. Almost always none, which costs a request nothing. */
export function deprecationsOf(
  operation: { deprecated?: Deprecation; body?: TSchema; query?: TSchema },
  prefix: string,
): Deprecations {
  const whole = operation.deprecated === undefined ? [] : [checked(operation.deprecated)];
  const members = (['body', 'query'] as const).flatMap((where) =>
    membersIn(operation[where] ?? {}).map((member) => ({ where, ...member })),
  );
  if (whole.length === 0 && members.length === 0) return NONE;
  const always = headersOf(whole, prefix);
  if (members.length === 0) return { always, of: null };
  return {
    always,
    of: (used) => {
      const found = members.filter(({ where, path }) => isUsed(used[where], path)).map(({ how }) => how);
      return found.length === 0 ? always : headersOf([...whole, ...found], prefix);
    },
  };
}

/** Whether its answers may have these headers. */
export const announces = (operation: Parameters<typeof deprecationsOf>[0]): boolean =>
  deprecationsOf(operation, '') !== NONE;

/** The earliest dates of several, and a link to each replacement that is an operation. */
function headersOf(all: readonly Deprecation[], prefix: string): DeprecationHeaders {
  const [first] = all;
  if (first === undefined) return null;
  const earliest = (member: 'since' | 'sunset') => all.map((one) => one[member]).reduce((a, b) => (a < b ? a : b));
  const successors = all.flatMap(({ replacedBy }) => {
    const path = /^(?:GET|POST) (\/.*)$/.exec(replacedBy)?.[1];
    // A path with a parameter is no address.
    return path === undefined || path.includes('{') ? [] : [`<${prefix}${path}>; rel="successor-version"`];
  });
  return {
    Deprecation: `@${Date.parse(earliest('since')) / 1000}`,
    Sunset: new Date(earliest('sunset')).toUTCString(),
    Link: [...new Set(['</docs/>; rel="deprecation"; type="text/html"', ...successors])].join(', '),
  };
}

/** A year, so that nothing ends with less notice than docs/api.md promises. */
function checked(how: Deprecation): Deprecation {
  const [since, sunset] = [new Date(how.since), new Date(how.sunset)];
  const inAYear = new Date(since);
  inAYear.setUTCFullYear(since.getUTCFullYear() + 1);
  if (!(sunset.getTime() >= inAYear.getTime())) {
    throw new Error(`What is deprecated on ${how.since} ends a year later at the earliest, and not on ${how.sunset}.`);
  }
  return how;
}

// ---- members ----

/** The names on the way to a member; `[]` for the entries of a list. */
type Member = { path: readonly string[]; how: Deprecation };

function membersIn(schema: object, path: readonly string[] = []): Member[] {
  const { properties = {}, items, anyOf = [] } = schema as { properties?: object; items?: object; anyOf?: object[] };
  const own = (schema as { [MARK]?: Deprecation })[MARK];
  return [
    ...(own === undefined ? [] : [{ path, how: own }]),
    ...Object.entries(properties).flatMap(([name, member]) => membersIn(member as object, [...path, name])),
    ...(items === undefined ? [] : membersIn(items, [...path, '[]'])),
    ...anyOf.flatMap((one) => membersIn(one, path)),
  ];
}

function isUsed(value: unknown, path: readonly string[]): boolean {
  if (Buffer.isBuffer(value)) return isNameIn(value, path.findLast((name) => name !== '[]') ?? '');
  const [name, ...rest] = path;
  if (name === undefined) return true;
  if (name === '[]') return Array.isArray(value) && value.some((entry) => isUsed(entry, rest));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  return isUsed((value as Record<string, unknown>)[name], rest);
}

/** Whether a member anywhere in a body, which only a thread reads, has the name. */
function isNameIn(bytes: Buffer, name: string): boolean {
  const quoted = Buffer.from(JSON.stringify(name));
  for (let at = bytes.indexOf(quoted); at !== -1; at = bytes.indexOf(quoted, at + 1)) {
    let next = at + quoted.length;
    while (next < bytes.length && BLANKS.has(bytes[next] as number)) next += 1;
    if (bytes[next] === COLON) return true;
  }
  return false;
}

const BLANKS: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));
const COLON = 0x3a;
