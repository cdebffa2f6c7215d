/**
 * Puts what a body says into one text: two bodies with the same text ask for the same. Space, escapes, the order of members and the form of a number
 * make no difference, and neither do the separators and zeros of an amount. Of members that are sent twice the last one counts, as
 * everywhere else. A member that is left out is not one that is null or has the default.
 */
import type { TSchema } from 'typebox';
import { shortestDecimal } from '../../core/decimal.ts';
import { numberText } from '../../core/reader.ts';

/** A value that may be a text or a number is a decimal. Undefined: there is none in it. */
type Decimals = 'here' | { readonly members: ReadonlyMap<string, Decimals>; readonly others: Decimals | undefined };

type Schema = {
  type?: string | readonly string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
};

/** Reads the schema at the first use. */
export function sayingOf(schema: TSchema): (body: unknown) => string {
  let decimals: { found: Decimals | undefined } | undefined;
  return (body) => {
    decimals ??= { found: decimalsIn(schema as Schema) };
    return said(body, decimals.found, NO_HOLDER, '');
  };
}

const NO_HOLDER = {};

function decimalsIn(schema: Schema): Decimals | undefined {
  const { type = [], properties = {}, additionalProperties, patternProperties = {}, items, anyOf = [] } = schema;
  if (type.includes('string') && type.includes('number')) return 'here';
  const members = new Map<string, Decimals>();
  let others: Decimals | undefined;
  for (const [name, member] of Object.entries(properties)) {
    const found = decimalsIn(member);
    if (found !== undefined) members.set(name, found);
  }
  for (const member of [additionalProperties, items, ...Object.values(patternProperties)]) {
    if (typeof member === 'object') others ??= decimalsIn(member);
  }
  for (const one of anyOf) {
    const found = decimalsIn(one);
    if (found === 'here') return found;
    for (const [name, member] of found?.members ?? []) members.set(name, member);
    others ??= found?.others;
  }
  return members.size === 0 && others === undefined ? undefined : { members, others };
}

function said(value: unknown, decimals: Decimals | undefined, holder: object, name: string | number): string {
  if (typeof value === 'string') {
    if (decimals === 'here') return decimal(value);
    // A hash is the same in either case.
    return value.length === 66 && HASH.test(value) ? value.toLowerCase() : JSON.stringify(value);
  }
  if (typeof value === 'number') {
    return decimals === 'here' ? decimal(numberText(holder, name) ?? String(value)) : exact(value, holder, name);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const { members, others } = decimals === undefined || decimals === 'here' ? NONE : decimals;
  let text = '';
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) text += `${i === 0 ? '' : ','}${said(value[i], others, value, i)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const member = said((value as Record<string, unknown>)[key], members.get(key) ?? others, value, key);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${member}`;
  }
  return `{${text}}`;
}

const NONE: { members: ReadonlyMap<string, Decimals>; others: undefined } = { members: new Map(), others: undefined };

const HASH = /^0x[0-9A-Fa-f]{64}$/;
const DECIMAL = /^(?:0|[1-9][\d,]*)(?:\.\d+)?$/;

/** "1,234.50" as "1234.5". What is no decimal as it is: the operation says what is wrong with it. */
function decimal(text: string): string {
  const rest = text.replace(/^0+/, '');
  const short = rest === text || /^\d/.test(rest) ? rest : `0${rest}`;
  return DECIMAL.test(short) ? shortestDecimal(short.replaceAll(',', '')) : JSON.stringify(text);
}

/** A number that the nearest binary fraction does not tell apart from others is compared by its text. */
function exact(value: number, holder: object, name: string | number): string {
  const text = numberText(holder, name);
  return text === undefined || text.length <= 15 ? String(value) : decimal(text);
}
