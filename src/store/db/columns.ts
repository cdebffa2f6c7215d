/** Rows as columns: how a statement takes many at once. */
import type { Flows } from '../../portfolio/position.ts';

/**
 * Numbers a statement's parameters in the order in which they are named. Rows come as columns, and a column as one text with the
 * separators below (`asText`): the driver's own arrays quote and escape every value, which took a sixth of a payment's time.
 */
export function parameters() {
  let last = 0;
  const next = () => `$${++last}`;
  return {
    one: (type: string) => `${next()}::${type}`,
    rows(alias: string, columns: Readonly<Record<string, string>>, ordinality = ''): string {
      const arrays = Object.values(columns).map(
        (type) => `string_to_array(${next()}, chr(${BETWEEN.charCodeAt(0)}), chr(${NONE.charCodeAt(0)}))::${type}[]`,
      );
      const names = [...Object.keys(columns), ...(ordinality === '' ? [] : [ordinality])];
      const order = ordinality === '' ? '' : ' WITH ORDINALITY';
      return `unnest(${arrays.join(', ')})${order} AS ${alias} (${names.join(', ')})`;
    },
  };
}

/** Control characters, which no stored text contains: JSON escapes them, and names and references have none. */
const BETWEEN = '\u001e';
const NONE = '\u001f';

/** A column as one text. None of its values may be empty, because an empty text is a column without rows. */
export function asText(values: readonly unknown[]): string {
  let text = '';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) text += BETWEEN;
    text += value === null ? NONE : value instanceof Date ? value.toISOString() : value;
  }
  return text;
}

/** The members of `Summary.standing` and `Summary.flows`, in the order of their columns. */
export const STANDING = ['fundedOn', 'vintage', 'original', 'rate', 'remaining'] as const;
export const FLOWS = [
  'openingPrincipal',
  'disbursed',
  'principalReceived',
  'interestReceived',
  'feesReceived',
  'unscheduledPrincipal',
  'chargedOff',
  'recovered',
  'forgiven',
  'scheduled',
  'scheduledPrincipal',
] as const satisfies readonly (keyof Flows)[];
