/**
 * Whether Citus takes a statement: tables with a volume are distributed by it, all others are local to the coordinator. A statement, or a part
 * of one that can be answered by itself, whose distributed tables all have the same constant volume is passed on whole to one server, which
 * takes anything; the rules are about the others. They are those of the planner of Citus 13 (`query_pushdown_planning.c`,
 * `recursive_planning.c`), and stricter where it would only be slow.
 */
import { hasSqlDetails, loadModule, type Node, parsePlPgSQLSync, parseSync } from 'libpg-query';
import { type Level, type Read, readStatement } from './queries.ts';
import type { Item, Ref } from './scopes.ts';
import { isDistributed, type Tables } from './tables.ts';

await loadModule();

/** A statement that begins with this goes to plain servers only. */
const PLAIN = '/* plain */';

/** The complaints about a statement that was sent. */
export function complaintsAbout(text: string, tables: Tables, { sharded }: { sharded: boolean }): string[] {
  if (text.trimStart().startsWith(PLAIN)) {
    return sharded ? ['is for plain servers, but was sent to one with distributed tables'] : [];
  }
  const statements = parsed(text);
  if (typeof statements === 'string') return [`is no statement: ${statements}`];
  return [...new Set(statements.flatMap((statement) => judge(statement, tables)))];
}

/** The statements of a text, or why it has none. */
function parsed(text: string): Node[] | string {
  try {
    return (parseSync(text).stmts ?? []).flatMap(({ stmt }) => stmt ?? []);
  } catch (error) {
    if (hasSqlDetails(error)) return error.message;
    throw error;
  }
}

/** The statements within the PL/pgSQL functions that a script makes. */
export function statementsOfFunctions(script: string): string[] {
  const functions = script.match(/^CREATE FUNCTION [\s\S]*?LANGUAGE plpgsql[\s\S]*?\$\$[\s\S]*?\$\$;/gm) ?? [];
  return functions.flatMap((text) => {
    const queries = JSON.stringify(parsePlPgSQLSync(text)).matchAll(/"query":("(?:[^"\\]|\\.)*")/g);
    const texts = [...queries].map(([, quoted = '""']) => JSON.parse(quoted) as string);
    return texts.filter((one) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(one));
  });
}

function judge(statement: Node, tables: Tables): string[] {
  const read = readStatement(statement, tables);
  return [
    ...read.changed.flatMap(({ table, by, isDistributed, isWithin }) => {
      if (isDistributed) return isWithin ? [`changes the distributed table ${table} within a WITH`] : [];
      // The coordinator reads what it then inserts.
      if (by === 'insert') return [];
      const [ref] = read.refs;
      const alsoChanged = read.changed.find((other) => other.isDistributed)?.table;
      const other = ref?.table ?? alsoChanged;
      return other === undefined ? [] : [`changes the local table ${table} with the distributed table ${other}`];
    }),
    ...read.recursive.flatMap(({ refs }) =>
      refs.length > 0 && !isOfOne(refs, read) ? [`reads ${tablesOf(refs)} recursively without a constant volume`] : [],
    ),
    ...read.levels.flatMap((level) => complaintsOfLevel(level, read)),
    ...complaintsOfChange(statement, tables),
    ...complaintsOfReturning(statement, tables),
  ];
}

/** Functions whose value is that of the moment. */
const OF_THE_MOMENT = ['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp'];

const holds = (node: unknown, isSought: (kind: string, value: unknown) => boolean): boolean =>
  typeof node === 'object' &&
  node !== null &&
  Object.entries(node).some(([kind, value]) => isSought(kind, value) || holds(value, isSought));

/** Citus returns what does not change by itself. A function is not asked whether its value does. */
function complaintsOfReturning(statement: Node, tables: Tables): string[] {
  const changes = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'];
  const [found] = Object.entries(statement).filter(([kind]) => changes.includes(kind));
  const { relation, returningClause } = (found?.[1] ?? {}) as {
    relation?: { relname?: string };
    returningClause?: object;
  };
  const table = relation?.relname ?? '';
  return isDistributed(tables, table) && holds(returningClause, (kind) => kind === 'FuncCall')
    ? [`returns the value of a function for rows of the distributed table ${table}`]
    : [];
}

/** The coordinator computes them once, which it cannot do where it depends on the row whether they count. */
function complaintsOfChange(statement: Node, tables: Tables): string[] {
  if (!('UpdateStmt' in statement)) return [];
  const table = statement.UpdateStmt.relation?.relname ?? '';
  if (!isDistributed(tables, table)) return [];
  const isOfTheMoment = (kind: string, value: unknown) =>
    kind === 'SQLValueFunction' ||
    (kind === 'FuncCall' && OF_THE_MOMENT.some((name) => JSON.stringify(value).includes(`"sval":"${name}"`)));
  const isConditional = (kind: string, value: unknown) =>
    (kind === 'CaseExpr' || kind === 'CoalesceExpr') && holds(value, isOfTheMoment);
  return holds(statement, isConditional)
    ? [`changes the distributed table ${table} by the time of the moment within a CASE or COALESCE`]
    : [];
}

function complaintsOfLevel({ scope, joins, locked }: Level, read: Read): string[] {
  const found: string[] = [];
  const refsOf = (items: readonly Item[]) => items.flatMap(({ facts }) => facts.refs);
  const [refs, locals] = [refsOf(scope.items), scope.items.flatMap(({ facts }) => facts.locals)];
  const correlated = scope.subqueries.filter(({ outer }) => outer.has(scope));
  if (refs.length > 0 && locals.length > 0)
    found.push(`joins the distributed ${tablesOf(refs)} with the local ${locals[0]}`);
  for (const subquery of correlated) {
    if (subquery.refs.length > 0 && locals.length > 0)
      found.push(
        `has a correlated subquery on the distributed ${tablesOf(subquery.refs)} for rows of the local ${locals[0]}`,
      );
    if (subquery.locals.length > 0 && refs.length > 0)
      found.push(
        `has a correlated subquery on the local ${subquery.locals[0]} for rows of the distributed ${tablesOf(refs)}`,
      );
    if (subquery.refs.length > 0 && refs.length + locals.length === 0 && !isOfOne(subquery.refs, read))
      found.push(`has a correlated subquery on ${tablesOf(subquery.refs)} for rows of a set-returning function`);
  }
  // Citus reads a subquery by itself first where it must be put together from several servers, and any in a WHERE.
  const besides = scope.subqueries.filter((one) => one.outer.size === 0 && !one.isInWhere && !one.isMerged);
  const sides = [...scope.items.map(({ facts }) => facts), ...correlated, ...besides].filter(
    (facts) => facts.refs.length > 0,
  );
  const joined = sides.flatMap((facts) => facts.refs);
  if (
    refs.length > 0 &&
    sides.length > 1 &&
    !isOfOne(joined, read) &&
    !read.equalities.joined.areTied(joined.map(({ volume }) => volume))
  )
    found.push(`joins ${tablesOf(joined)}, which are not tied by volume`);
  for (const { facts } of scope.items) {
    const used = [...(facts.outer.get(scope) ?? [])].map((item) => item.facts);
    const recurs = used.some((one) => one.refs.length + one.locals.length === 0);
    const isTied = used.some((one) => one.refs.length > 0) && !facts.isMerged;
    if (facts.refs.length > 0 && recurs && !isTied && !isOfOne(facts.refs, read))
      found.push(`has a LATERAL on ${tablesOf(facts.refs)} for rows of a set-returning function`);
  }
  for (const { outer, inner } of joins) {
    const recurs = outer.every(({ facts }) => facts.refs.length + facts.locals.length === 0);
    const within = refsOf(inner);
    if (recurs && within.length > 0 && !isOfOne(within, read))
      found.push(`has an outer join that keeps the rows of a set-returning function and adds ${tablesOf(within)}`);
  }
  const held = refsOf(locked ?? []);
  if (held.length > 0 && !isOfOne(refs, read)) found.push(`locks rows of ${tablesOf(held)} without a constant volume`);
  return found;
}

/** All of the same constant volume, as the planner knows. */
function isOfOne(refs: readonly Ref[], { equalities: { known } }: Read): boolean {
  const constants = new Set(refs.map(({ volume }) => known.constantOf(volume)));
  return constants.size === 1 && !constants.has(null);
}

const tablesOf = (refs: readonly Ref[]): string => [...new Set(refs.map(({ table }) => table))].join(', ');
