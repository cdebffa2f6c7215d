/** The differences between a row type and the columns that PostgreSQL describes. */
import { driverType } from '../../scripts/table-types.ts';
import type { Column } from './described.ts';
import type { Member, Statement } from './statements.ts';

/** One complaint for each difference, beginning with the name of the column or member. */
export function rowComplaints(
  { row, open }: Pick<Statement, 'row' | 'open'>,
  columns: Column[],
  text: string,
): string[] {
  if (row === null) return [];
  const names = columns.map(({ name }) => name);
  return [
    ...columns.flatMap((column) => {
      const member = row.find(({ name }) => name === column.name);
      if (member !== undefined) return differences(column, member, text);
      return open ? [] : [`${column.name} is selected, and the row type does not have it`];
    }),
    ...row
      .filter(({ name, optional }) => !optional && !names.includes(name))
      .map(({ name }) => `${name} is in the row type, and no column has this name`),
    ...names.filter((name, i) => names.indexOf(name) < i).map((name) => `${name} is selected twice`),
  ];
}

function differences({ name, type, notNull, table }: Column, member: Member, text: string): string[] {
  const given = valueOfDriver(type);
  const declared = member.values.join(' | ');
  const differs = given !== 'unknown' && given !== declared && declared !== 'unknown';
  return [
    ...(differs ? [`${name} is ${type}, ${given} from the driver, and declared ${declared}`] : []),
    ...(notNull === null || table === null ? [] : nullDifferences(name, member, notNull, isJoined(text, table))),
  ];
}

/** In the words of `Member.values`: a text with a mark is a text, and bytes may be declared without what Node adds to them. */
function valueOfDriver(type: string): string {
  return driverType(type).replace('PlainDate', 'string').replace('Buffer', 'Uint8Array');
}

function nullDifferences(name: string, { nullable }: Member, notNull: boolean, joined: boolean | null): string[] {
  if (!nullable && !notNull) return [`${name} may be null in its table, and is declared without null`];
  if (!nullable && joined === false) return [`${name} may be null after a LEFT JOIN, and is declared without null`];
  if (nullable && notNull && joined === true) return [`${name} is never null, and is declared with null`];
  return [];
}

/** Whether a row of the table is always there; false: it stands after LEFT JOIN only; null: this text does not show it. */
function isJoined(text: string, table: string): boolean | null {
  if (/\b(RIGHT|FULL) (OUTER )?JOIN\b/.test(text)) return null;
  const named = new RegExp(String.raw`(?:\b(?:FROM|JOIN|UPDATE|INTO|USING)|,)\s+\(*${table}\b`);
  const { always, perhaps } = outerJoins(text);
  const [isAlways, isPerhaps] = [named.test(always), named.test(perhaps)];
  return isAlways === isPerhaps ? null : isAlways;
}

const LEFT_JOIN = /\bLEFT (?:OUTER )?JOIN\s+(?:LATERAL\s+)?/;

/** The text without what its outer joins join, and that: tables, or joins and queries in parentheses. */
function outerJoins(text: string): { always: string; perhaps: string } {
  const join = LEFT_JOIN.exec(text);
  if (join === null) return { always: text, perhaps: '' };
  const joined = text.slice(join.index + join[0].length);
  const end = joined.startsWith('(') ? closingOf(joined) : joined.search(/\W|$/);
  const rest = outerJoins(joined.slice(end));
  return {
    always: text.slice(0, join.index) + rest.always,
    perhaps: `JOIN ${joined.slice(0, end)}\n${rest.perhaps}`,
  };
}

function closingOf(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth += 1;
    if (text[i] === ')') depth -= 1;
    if (depth === 0) return i + 1;
  }
  return text.length;
}
