/** Rows as columns: how a statement takes many at once; and the columns of loans as they are read. */
import type { LoanColumnName, LoanColumns, Summary } from '../../portfolio/loan-columns.ts';

export type SqlType = 'bigint' | 'boolean' | 'bytea' | 'date' | 'int' | 'numeric' | 'smallint' | 'text' | 'timestamptz';

/** Columns by name: the type of each, and where its value comes from. Ids and hashes are hexadecimal text with `0x`. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;
export type Column<Row> = { readonly type: SqlType; readonly of: (row: Row) => Value };
type Value = string | number | boolean | Date | Uint8Array | null;

export function without<C extends object, Name extends keyof C>(columns: C, ...names: readonly Name[]): Omit<C, Name> {
  const left = Object.entries(columns).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(left) as Omit<C, Name>;
}

/**
 * Numbers a statement's parameters in the order in which they are named. Rows come as columns, and a column as one text (`columnTexts`): the
 * driver's own arrays quote and escape every value, which took a sixth of a payment's time.
 *
 * On a plain server the columns of some rows are unnested side by side in a SELECT: in FROM the server keeps each column in a store of its
 * own first, which takes twice the time. A sharded server is given the form in FROM.
 */
export function parameters(server: 'plain' | 'sharded') {
  let last = 0;
  const next = () => `$${++last}`;
  return {
    one: (type: string) => `${next()}::${type}`,
    rows(alias: string, columns: Readonly<Record<string, { readonly type: SqlType }>>): string {
      const arrays = Object.entries(columns).map(([name, { type }]) => {
        const given = next();
        const array =
          type === 'text'
            ? `string_to_array(${given}, chr(${BETWEEN.charCodeAt(0)}), chr(${NONE.charCodeAt(0)}))`
            : `${given}::${type}[]`;
        return { name, array };
      });
      if (server === 'plain')
        return `(SELECT ${arrays.map(({ name, array }) => `unnest(${array}) AS ${name}`).join(', ')}) AS ${alias}`;
      const names = arrays.map(({ name }) => name);
      return `unnest(${arrays.map(({ array }) => array).join(', ')}) AS ${alias} (${names.join(', ')})`;
    },
  };
}

/** Control characters, which no stored text contains: JSON escapes them, and names and references have none. */
const BETWEEN = '\u001e';
const NONE = '\u001f';

/** Each column of some rows as one text, in the order of the columns. */
export function columnTexts<Row>(columns: Columns<Row>, rows: readonly Row[]): string[] {
  return Object.values(columns).map((column) => columnText(column, rows));
}

/** No text among the values may be empty, because an empty text is a column without rows. */
export function columnText<Row>({ type, of }: Column<Row>, rows: readonly Row[]): string {
  const isText = type === 'text';
  let text = isText ? '' : '{';
  for (let i = 0; i < rows.length; i++) {
    const value = of(rows[i] as Row);
    if (i > 0) text += isText ? BETWEEN : ',';
    if (value === null) text += isText ? NONE : 'NULL';
    else text += type === 'bytea' ? bytesInArray(value) : value instanceof Date ? value.toISOString() : value;
  }
  return isText ? text : `${text}}`;
}

/** The backslash before the digits is itself escaped. */
function bytesInArray(value: Value): string {
  const hex = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value).slice(2);
  return `\\\\x${hex}`;
}

/** Columns of loans as the driver reads them: large integers are `bigint`. */
export type StoredColumns<Name extends LoanColumnName = LoanColumnName> = {
  readonly [N in Name]: LoanColumns[N]['type'] extends 'bigint' ? bigint | Extract<Summary[N], null> : Summary[N];
};

/** A column of a stored row as `LOAN_COLUMNS` declares it. */
export function declaredValue<Name extends LoanColumnName>(row: StoredColumns<Name>, name: Name): Summary[Name] {
  const value: unknown = row[name];
  return (typeof value === 'bigint' ? Number(value) : value) as Summary[Name];
}
