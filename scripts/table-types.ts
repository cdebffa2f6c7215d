/**
 * The row types of all tables, from `migrations/schema.sql`. Also which value the driver gives for an SQL type: `test/row-types.test.ts` asks
 * the driver itself.
 */

/** By the name that PostgreSQL prints (`format_type`). An array of one of them is an array of its values, except where it is named here. */
const VALUES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  oid: 'number',
  'double precision': 'number',
  bigint: 'bigint',
  numeric: 'string',
  text: 'string',
  name: 'string',
  date: 'PlainDate',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
  json: 'unknown',
  jsonb: 'unknown',
};
const ARRAYS: Readonly<Record<string, string>> = {
  smallint: 'number[]',
  integer: 'number[]',
  text: 'string[]',
  bytea: 'Buffer[]',
  'timestamp with time zone': 'Date[]',
};

/** The SQL types that have a value here. */
export const KNOWN_TYPES: readonly string[] = [...Object.keys(VALUES), ...Object.keys(ARRAYS).map((one) => `${one}[]`)];

export function driverType(sqlType: string): string {
  const value = sqlType.endsWith('[]') ? ARRAYS[sqlType.slice(0, -2)] : VALUES[sqlType];
  if (value === undefined) throw new Error(`scripts/table-types.ts does not say what the driver gives for ${sqlType}.`);
  return value;
}

const HEADING = `/**
 * The rows of all tables, as the driver gives them. Generated from \`migrations/schema.sql\`: \`npm run tables\` writes it. Do not edit it.
 * Longer than other files, because it has every column.
 */
import type { PlainDate } from '../../core/calendar.ts';
`;

/** The text of `src/store/db/tables.ts`. Partitions have the rows of their tables and are left out. */
export function tableTypes(schema: string): string {
  const tables = schema.split('\n\n').flatMap((statement) => {
    const [first = '', ...lines] = statement.trimEnd().split('\n');
    const name = /^CREATE (?:UNLOGGED )?TABLE (\w+) \($/.exec(first)?.[1];
    if (name === undefined || lines.at(-1)?.startsWith(') INHERITS')) return [];
    return [`  ${name}: {\n${columnsOf(lines.slice(0, -1).join('\n')).join('\n')}\n  };`];
  });
  return `${HEADING}\nexport type Tables = {\n${tables.join('\n')}\n};\n`;
}

function columnsOf(body: string): string[] {
  const entries = body.split(/,\n(?= {2}\S)/);
  const choices = choicesIn(entries);
  return entries
    .filter((entry) => !entry.startsWith('  CONSTRAINT '))
    .map((entry) => {
      const [, name, rest = ''] = /^ {2}"?(\w+)"? ([^\n]*)/.exec(entry) ?? [];
      if (name === undefined)
        throw new Error(`migrations/schema.sql has a column that is not understood: ${entry.trim()}`);
      const type = typeIn(rest);
      const value = choices.get(name) ?? driverType(type);
      return `    ${name}: ${value}${entry.endsWith(' NOT NULL') ? '' : ' | null'};`;
    });
}

/** The type at the beginning: the words before the first in capitals, without a length. */
function typeIn(rest: string): string {
  const words = rest.split(' ');
  const end = words.findIndex((word) => /^[A-Z]/.test(word));
  return words
    .slice(0, end < 0 ? words.length : end)
    .join(' ')
    .replace(/\([\d,]+\)/, '');
}

/** By column, the texts that a constraint allows, where that is all it says. */
function choicesIn(entries: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of entries) {
    const check = /^ {2}CONSTRAINT \w+ CHECK \(\((\w+) = ANY \(ARRAY\[('\w*'::text(?:, '\w*'::text)*)\]\)\)\)$/.exec(
      entry,
    );
    if (check?.[1] !== undefined && check[2] !== undefined)
      found.set(check[1], check[2].replaceAll('::text', '').replaceAll(', ', ' | '));
  }
  return found;
}
