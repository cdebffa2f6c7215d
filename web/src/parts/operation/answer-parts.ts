/** Lays out the response of any operation in facts, tables and parts. */
import { cents } from '../../format.ts';

export type Scalar = string | number | boolean | null;
export type Rows = { columns: readonly string[]; rows: readonly Readonly<Record<string, Scalar>>[]; left: number };
export type Parts = {
  facts: readonly (readonly [string, Scalar])[];
  tables: readonly (readonly [string, Rows])[];
  lists: readonly (readonly [string, readonly Scalar[]])[];
  objects: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
};

/** More are in the JSON. */
const MOST_ROWS = 200;

export function partsOf(data: unknown): Parts {
  const entries: [string, unknown][] = isObject(data) ? Object.entries(data) : [['', data]];
  const rows = entries.flatMap(([name, value]) => (Array.isArray(value) ? [[name, value as unknown[]] as const] : []));
  return {
    facts: entries.flatMap(([name, value]) => (isScalar(value) ? [[name, value] as const] : [])),
    objects: entries.flatMap(([name, value]) => (isObject(value) ? [[name, value] as const] : [])),
    tables: rows.flatMap(([name, items]) =>
      items.length > 0 && items.every(isObject) ? [[name, rowsOf(items)] as const] : [],
    ),
    lists: rows.flatMap(([name, items]) => (items.every(isScalar) ? [[name, items] as const] : [])),
  };
}

/** Parts of a row become columns of their own ("allocation.fees"); lists become their length. */
export function rowsOf(items: readonly Readonly<Record<string, unknown>>[]): Rows {
  const rows = items.slice(0, MOST_ROWS).map((item) => flat(item));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { columns, rows, left: items.length - rows.length };
}

function flat(item: Readonly<Record<string, unknown>>, prefix = '', depth = 0): Record<string, Scalar> {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]): [string, Scalar][] => {
      const key = prefix + name;
      if (isScalar(value)) return [[key, value]];
      if (Array.isArray(value))
        return [[key, value.every(isScalar) && value.length <= 4 ? value.join(', ') : value.length]];
      return depth < 1 && isObject(value) ? Object.entries(flat(value, `${key}.`, depth + 1)) : [];
    }),
  );
}

const isScalar = (value: unknown): value is Scalar => value === null || !['object', 'undefined'].includes(typeof value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Look = 'nothing' | 'yes-no' | 'day' | 'moment' | 'money' | 'figure' | 'hash' | 'word' | 'text';

const AMOUNTS =
  /(^|\.)(amount|payoff|fees|interest|principal|credits?|debit|balance|perDiem|prepaymentPenalty|received|[a-z]+(Amount|Balance|Paid|Fees|Interest))$/;
const WORDS =
  /(^|\.)(\w*[sS]tatus|state|kind|standing|outcome|method|purpose|what|type|account|entry|area|effect|role)$/;

/** Chooses the display of a value. */
export function look(name: string, value: Scalar): Look {
  if (value === null || value === '') return 'nothing';
  if (typeof value === 'boolean') return 'yes-no';
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'day';
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return 'moment';
  if (/^0x[\da-f]{40,}$/.test(text)) return 'hash';
  if (/^-?[\d,]{1,24}(\.\d{1,12})?$/.test(text)) return AMOUNTS.test(name) && cents(text) !== null ? 'money' : 'figure';
  return WORDS.test(name) && /^[A-Za-z][A-Za-z-]*$/.test(text) ? 'word' : 'text';
}
