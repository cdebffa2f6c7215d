/**
 * A database whose statements with lists are explained before they run, to count the rows that their plans visit. A named statement is
 * explained with the plan that suits every value and is kept from its first execution on, as the driver's is from the sixth on; another
 * one is planned for its values.
 */
import type { Db, Sql } from '../../src/store/db/db.ts';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'CTE Name'?: string;
  'Function Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
};

/** `found` gets a line for each node that visits rows again and again. */
export function watched(db: Db, found: (line: string) => void): Db & { statements: Set<string> } {
  const statements = new Set<string>();
  const on = (tx: Sql): Sql => ({
    ...tx,
    async query(text, values = [], name) {
      if (/\bunnest\b/.test(text)) {
        const statement = name ?? text.replaceAll(/\s+/g, ' ').slice(0, 60);
        statements.add(statement);
        for (const line of repeated(await planOf(tx, text, values, name))) found(`${statement}: ${line}`);
      }
      return tx.query(text, values, name);
    },
  });
  return {
    ...db,
    statements,
    query: (text, values, name) =>
      /^\s*(\/\* plain \*\/\s*)?(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text)
        ? db.transaction((tx) => on(tx).query(text, values, name))
        : db.query(text, values, name),
    transaction: (work) => db.transaction((tx) => work(on(tx))),
  };
}

async function planOf(tx: Sql, text: string, values: readonly unknown[], name: string | undefined): Promise<Node> {
  await tx.query('SAVEPOINT explaining');
  const explain = 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, FORMAT JSON)';
  type Row = { 'QUERY PLAN': [{ Plan: Node }] };
  let rows: Row[];
  if (name === undefined) {
    rows = await tx.query<Row>(`${explain} ${text}`, values);
  } else {
    await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
    const [known] = await tx.query('SELECT 1 FROM pg_prepared_statements WHERE name = $1', [`watched_${name}`]);
    if (known === undefined) await tx.query(`PREPARE watched_${name} AS ${text}`);
    rows = await tx.query<Row>(`${explain} EXECUTE watched_${name}(${values.map(literal).join(', ')})`);
  }
  await tx.query('ROLLBACK TO explaining');
  const [row] = rows;
  if (row === undefined) throw new Error('No plan.');
  return row['QUERY PLAN'][0].Plan;
}

/**
 * Nodes that visit more than twenty times the rows of the largest step that is done once, which may be once for each of the sixteen
 * volumes. Joined by a nested loop, a list of n rows is visited n times.
 */
function repeated(plan: Node): string[] {
  const nodes = [plan];
  for (const node of nodes) nodes.push(...(node.Plans ?? []));
  const given = (node: Node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const largest = Math.max(50, ...nodes.filter((node) => node['Actual Loops'] === 1).map(given));
  return nodes.flatMap((node) => {
    const rows = (given(node) + (node['Rows Removed by Join Filter'] ?? 0)) * node['Actual Loops'];
    const what = node['Relation Name'] ?? node['CTE Name'] ?? node['Function Name'] ?? '';
    return rows > 20 * largest ? [`${node['Node Type']} ${what} visits ${rows} rows, ${largest} at once`] : [];
  });
}

function literal(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : `'${textOf(value).replaceAll("'", "''")}'`;
}

/** As the driver sends it. */
function textOf(value: unknown): string {
  if (Array.isArray(value))
    return `{${value.map((one) => (one === null || one === undefined ? 'NULL' : `"${textOf(one).replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value);
}
