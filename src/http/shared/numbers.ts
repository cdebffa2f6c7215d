/**
 * The form of amounts and counts in answers: with thousands separators, as the interface has them, or plain. A request says which in `Prefer`;
 * otherwise the option of its client does, and sessions of people have the interface's form. Reads write the form that is asked for. What
 * is stored or comes from another process (answers under an idempotency key, previews of approvals, facts of problems) is in the
 * interface's form always, and leaves the service in the form of the request that it answers.
 */
import { type TSchema, Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import type { Answer, Call } from './operation.ts';

// ---- the form of a request ----

/** `plain`: without thousands separators. `headers` confirms it (RFC 7240 section 3). */
export type NumbersForm = { readonly plain: boolean; readonly headers: Readonly<Record<string, string>> };

/** As it is without any word of it. */
export const BY_DEFAULT: NumbersForm = { plain: false, headers: {} };
const INTERFACE: NumbersForm = { plain: false, headers: { 'Preference-Applied': 'numbers=interface' } };
const PLAIN: NumbersForm = { plain: true, headers: { 'Preference-Applied': 'numbers=plain' } };

/** Made once each, because every payment asks for one. */
export function numbersOf({
  headers,
  caller,
}: Pick<Call, 'headers'> & { readonly caller: Pick<Caller, 'numbers'> | null }): NumbersForm {
  const { prefer } = headers;
  const asked = prefer === undefined ? null : askedIn(String(prefer));
  if (asked === null) return caller?.numbers === 'plain' ? PLAIN : BY_DEFAULT;
  return asked === 'plain' ? PLAIN : INTERFACE;
}

/** The first one counts (RFC 7240 section 2); values that are not known are ignored. */
function askedIn(prefer: string): 'plain' | 'interface' | null {
  for (const preference of prefer.toLowerCase().split(/[,;]/)) {
    const [name, value, ...more] = preference.split('=').map((part) => part.trim());
    if (name !== 'numbers' || more.length > 0) continue;
    if (value === 'plain' || value === '"plain"') return 'plain';
    if (value === 'interface' || value === '"interface"') return 'interface';
  }
  return null;
}

// ---- schemas ----

/** Digits in groups of three, or in one. */
const WHOLE = '(?:\\d{1,3}(?:,\\d{3})+|\\d+)';

/** By what they hold. Each is true for both forms. */
const PATTERNS = {
  amount: `^${WHOLE}(?:\\.\\d{2})?$`,
  signed: `^-?${WHOLE}(?:\\.\\d{2})?$`,
  count: `^${WHOLE}$`,
  moment: `^-?${WHOLE}$`,
  forecast: `^-?${WHOLE}(?:\\.\\d{1,6})?$`,
  figure: `^(?:-?${WHOLE}(?:\\.\\d{1,6})?|[A-Za-z][A-Za-z0-9]{0,39})$`,
} as const;

const orEmpty = (pattern: string) => `^(?:${pattern.slice(1, -1)})?$`;
const GROUPED = new Set(Object.values(PATTERNS).flatMap((pattern) => [pattern, orEmpty(pattern)]));

/**
 * A member of an answer that is written in the form of the request: an amount that is not negative, one of any sign, a count, milliseconds
 * since 1970, a predicted amount, or a figure that may also be a word. `empty`: it may have no value, which is the empty text.
 */
export function grouped(kind: keyof typeof PATTERNS, description: string, { empty = false } = {}) {
  const pattern = PATTERNS[kind];
  return Type.String({ pattern: empty ? orEmpty(pattern) : pattern, description });
}

/** An amount in an answer. */
export const money = (description: string) => grouped('amount', description);

/** A number that has no separators in either form: a rate, a share, a result of a calculator. */
export const decimalOut = (description: string, { empty = false } = {}) => {
  const pattern = '^-?\\d+(?:\\.\\d+)?$';
  return Type.String({ pattern: empty ? orEmpty(pattern) : pattern, description });
};

// ---- stored answers in the plain form ----

/** The places in a value that are in the form of a request. */
export type Places = {
  readonly here: boolean;
  readonly members: ReadonlyMap<string, Places>;
  readonly entries: Places | null;
};

/** The places of a value of this schema; null: it has none. */
export function placesIn(schema: TSchema): Places | null {
  const {
    pattern,
    properties = {},
    items,
    anyOf = [],
  } = schema as TSchema & {
    pattern?: string;
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  const own: Places = {
    here: pattern !== undefined && GROUPED.has(pattern),
    members: new Map(
      Object.entries(properties).flatMap(([name, member]) => {
        const places = placesIn(member);
        return places === null ? [] : [[name, places] as const];
      }),
    ),
    entries: items === undefined ? null : placesIn(items),
  };
  const all = anyOf.reduce<Places>((some, one) => both(some, placesIn(one)), own);
  return all.here || all.members.size > 0 || all.entries !== null ? all : null;
}

function both(a: Places, b: Places | null): Places {
  if (b === null) return a;
  const members = new Map(a.members);
  for (const [name, places] of b.members) {
    const known = members.get(name);
    members.set(name, known === undefined ? places : both(known, places));
  }
  const entries = a.entries === null ? b.entries : both(a.entries, b.entries);
  return { here: a.here || b.here, members, entries };
}

const SEPARATED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** The same value without separators at these places. */
export function plainValue<T>(value: T, places: Places | null): T {
  if (places === null || value === null) return value;
  if (typeof value === 'string') return (places.here && SEPARATED.test(value) ? value.replaceAll(',', '') : value) as T;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => plainValue(one, places.entries)) as T;
  const entries = Object.entries(value).map(([name, one]) => {
    const inner = places.members.get(name);
    return [name, inner === undefined ? one : plainValue(one, inner)];
  });
  return Object.fromEntries(entries) as T;
}

/** JSON in the same way. */
function plainText(text: string, places: Places | null): string {
  return places === null ? text : JSON.stringify(plainValue(JSON.parse(text), places));
}

/** Makes the answers of a write, which have the interface's form, those of a request: its own, a stored one, or that it waits. */
export function answersIn(answer: TSchema): (form: NumbersForm, given: Answer) => Answer {
  const done = placesIn(answer);
  const preview = previewPlaces(answer);
  const inside = (name: string, inner: Places): Places => ({
    here: false,
    members: new Map([[name, inner]]),
    entries: null,
  });
  const waiting = preview === null ? null : inside('data', inside('preview', preview));
  return (form, given) => {
    if (form === BY_DEFAULT || !('text' in given)) return given;
    const text = form.plain ? plainText(given.text, given.status === 202 ? waiting : done) : given.text;
    return { ...given, text, headers: { ...given.headers, ...form.headers } };
  };
}

/** A preview has the members of the data that its operation answers. */
export function previewPlaces(answer: TSchema): Places | null {
  return placesIn(answer)?.members.get('data') ?? null;
}
