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
  const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n(.*?)\n\)([^\n]*);$/gms)]
    .filter(([, , , rest = '']) => !rest.startsWith(' INHERITS'))
    .map(([, name, body = '']) => `  ${name}: {\n${columnsOf(body).join('\n')}\n  };`);
  return `${HEADING}\nexport type Tables = {\n${tables.join('\n')}\n};\n`;
}

function columnsOf(body: string): string[] {
  const entries = body.split(/,\n(?= {2}\S)/);
  const choices = choicesIn(entries);
  return entries
    .filter((entry) => !entry.startsWith('  CONSTRAINT '))
    .map((entry) => {
      const column = /^ {2}"?(\w+)"? ([a-z ]+?(?:\[\])?)(?:\([\d,]+\))?(?= [A-Z]|$)/.exec(entry);
      if (column === null)
        throw new Error(`migrations/schema.sql has a column that is not understood: ${entry.trim()}`);
      const [, name = '', type = ''] = column;
      const value = choices.get(name) ?? driverType(type);
      return `    ${name}: ${value}${entry.endsWith(' NOT NULL') ? '' : ' | null'};`;
    });
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
