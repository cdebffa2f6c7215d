/** Reads a parsed statement, level by level, and collects what there is to check about each when all equalities are known. */
import type {
  CommonTableExpr,
  DeleteStmt,
  InsertStmt,
  JoinExpr,
  LockingClause,
  Node,
  RangeFunction,
  RangeVar,
  SelectStmt,
  SubLink,
  UpdateStmt,
  WithClause,
} from 'libpg-query';
import {
  type Equalities,
  type Facts,
  found,
  type Item,
  keyOf,
  NOTHING,
  namesIn,
  type Outer,
  type Output,
  openEqualities,
  openScope,
  pass,
  type Ref,
  renamed,
  type Scope,
  settle,
  tie,
} from './scopes.ts';
import { isDistributed, type Tables } from './tables.ts';

/** One level of the statement, as the rules look at it. */
export type Level = {
  readonly scope: Scope;
  readonly joins: readonly OuterJoin[];
  /** The tables that are locked; null: none. */
  readonly locked: readonly Item[] | null;
};
/** Rows of `outer` are kept, whether or not `inner` has one for them. */
export type OuterJoin = { readonly outer: readonly Item[]; readonly inner: readonly Item[] };

export type Read = {
  readonly levels: Level[];
  readonly equalities: Equalities;
  /** Every use of a distributed table that is read. */
  readonly refs: Ref[];
  readonly changed: {
    readonly table: string;
    readonly by: 'insert' | 'change';
    readonly isDistributed: boolean;
    readonly isWithin: boolean;
  }[];
  /** Queries that refer to themselves. */
  readonly recursive: Facts[];
};

type Names = ReadonlyMap<string, Facts>;
type Place = { readonly parent: Scope | null; readonly zone: object; readonly names: Names };

/** The place of an expression. */
type Within = { readonly names: Names; readonly isInWhere?: boolean; readonly isOuter?: boolean };

export function readStatement(statement: Node, tables: Tables): Read {
  const equalities = openEqualities();
  const read: Read = { levels: [], equalities, refs: [], changed: [], recursive: [] };
  let items = 0;
  query(statement, { parent: null, zone: {}, names: new Map() }, false);
  settle(equalities);
  return read;

  function query(node: Node, place: Place, isWithin: boolean): Facts {
    if ('SelectStmt' in node) return select(node.SelectStmt, place);
    if ('InsertStmt' in node) return insert(node.InsertStmt, place, isWithin);
    if ('UpdateStmt' in node) return change(node.UpdateStmt, node.UpdateStmt.fromClause, place, isWithin);
    if ('DeleteStmt' in node) return change(node.DeleteStmt, node.DeleteStmt.usingClause, place, isWithin);
    if ('DeclareCursorStmt' in node) return query(node.DeclareCursorStmt.query as Node, place, isWithin);
    if ('ExplainStmt' in node) return query(node.ExplainStmt.query as Node, place, isWithin);
    if ('CopyStmt' in node && node.CopyStmt.query !== undefined) return query(node.CopyStmt.query, place, isWithin);
    return NOTHING;
  }

  function select(stmt: SelectStmt, outside: Place): Facts {
    const place = { ...outside, names: withNames(stmt.withClause, outside) };
    if (stmt.larg !== undefined && stmt.rarg !== undefined) {
      const [left, right] = [select(stmt.larg, { ...place, zone: {} }), select(stmt.rarg, { ...place, zone: {} })];
      for (const [i, { key }] of left.outputs.entries()) tie(equalities, key, right.outputs[i]?.key ?? null);
      return { ...both(left, right), outputs: left.outputs, isMerged: true };
    }
    const scope = openScope(place.parent, place.zone);
    const joins: OuterJoin[] = [];
    for (const node of stmt.fromClause ?? []) from(node, { scope, joins, names: place.names });
    qualify(stmt.whereClause, scope, { names: place.names, isInWhere: true });
    const { targetList, groupClause, havingClause, sortClause, valuesLists, distinctClause, windowClause } = stmt;
    const { limitCount, limitOffset } = stmt;
    walk(
      { targetList, groupClause, havingClause, sortClause, valuesLists, distinctClause, windowClause },
      scope,
      place,
    );
    walk({ limitCount, limitOffset }, scope, place);
    const facts = close(scope, joins, outputsOf(targetList, scope), lockedIn(stmt.lockingClause, scope));
    return { ...facts, isMerged: facts.isMerged || !isPlain(stmt, true) };
  }

  function insert(stmt: InsertStmt, outside: Place, isWithin: boolean): Facts {
    const place = { ...outside, names: withNames(stmt.withClause, outside) };
    const { relation = {}, cols = [], selectStmt, onConflictClause, returningClause } = stmt;
    const source = selectStmt === undefined ? NOTHING : query(selectStmt, place, isWithin);
    const scope = openScope(place.parent, place.zone);
    const target = changedTable(relation, scope, 'insert', isWithin);
    const volume = cols.findIndex((col) => 'ResTarget' in col && col.ResTarget.name === 'volume');
    const values =
      selectStmt !== undefined && 'SelectStmt' in selectStmt ? selectStmt.SelectStmt.valuesLists : undefined;
    const keys = (values ?? []).map((row) =>
      'List' in row ? keyOf(row.List.items?.[volume], scope, equalities) : null,
    );
    for (const key of values === undefined ? [source.outputs[volume]?.key ?? null] : keys) {
      for (const ref of target.facts.refs) tie(equalities, ref.volume, key);
    }
    scope.items.push({ ...target, alias: 'excluded' });
    walk({ onConflictClause, returningClause }, scope, place);
    return { ...both(source, target.facts), outputs: outputsOf(returningClause?.exprs, scope) };
  }

  function change(
    stmt: UpdateStmt | DeleteStmt,
    sources: Node[] | undefined,
    outside: Place,
    isWithin: boolean,
  ): Facts {
    const { names, ...place } = { ...outside, names: withNames(stmt.withClause, outside) };
    const scope = openScope(place.parent, place.zone);
    const joins: OuterJoin[] = [];
    changedTable(stmt.relation ?? {}, scope, 'change', isWithin);
    for (const node of sources ?? []) from(node, { scope, joins, names });
    qualify(stmt.whereClause, scope, { names, isInWhere: true });
    const { returningClause } = stmt;
    walk({ targetList: 'targetList' in stmt ? stmt.targetList : [], returningClause }, scope, { names });
    return close(scope, joins, outputsOf(returningClause?.exprs, scope), null);
  }

  /** The table that a statement changes, as the first item of its level. */
  function changedTable(relation: RangeVar, scope: Scope, by: 'insert' | 'change', isWithin: boolean): Item {
    const table = relation.relname ?? '';
    read.changed.push({ table, by, isDistributed: isDistributed(tables, table), isWithin });
    return base(relation, scope, false);
  }

  function withNames(clause: WithClause | undefined, place: Place): Names {
    const names = new Map(place.names);
    for (const node of clause?.ctes ?? []) {
      if (!('CommonTableExpr' in node)) continue;
      const { ctename = '', ctequery, aliascolnames }: CommonTableExpr = node.CommonTableExpr;
      if (clause?.recursive) names.set(ctename, NOTHING);
      const facts = ctequery === undefined ? NOTHING : query(ctequery, { ...place, zone: {}, names }, true);
      if (clause?.recursive && refersTo(ctequery, ctename)) read.recursive.push(facts);
      names.set(ctename, { ...facts, outputs: renamed(facts.outputs, { colnames: aliascolnames ?? [] }) });
    }
    return names;
  }

  type Into = { readonly scope: Scope; readonly joins: OuterJoin[]; readonly names: Names };

  /** The items of one part of a FROM, which are in the scope from then on. */
  function from(node: Node, into: Into): Item[] {
    const { scope, names } = into;
    if ('JoinExpr' in node) return join(node.JoinExpr, into);
    if ('RangeVar' in node) {
      const { relname = '', schemaname, alias } = node.RangeVar;
      const named = schemaname === undefined ? names.get(relname) : undefined;
      return [
        named === undefined ? base(node.RangeVar, scope, true) : derived(named, alias?.aliasname ?? relname, scope),
      ];
    }
    if ('RangeSubselect' in node) {
      const { subquery, lateral, alias } = node.RangeSubselect;
      const limited = subquery !== undefined && 'SelectStmt' in subquery && !isPlain(subquery.SelectStmt, lateral);
      const place = { parent: lateral ? scope : scope.parent, zone: limited ? {} : scope.zone, names };
      const facts = subquery === undefined ? NOTHING : query(subquery, place, false);
      pass(facts.outer, scope);
      return [derived({ ...facts, outputs: renamed(facts.outputs, alias) }, alias?.aliasname ?? '', scope)];
    }
    if ('RangeFunction' in node) return [rows(node.RangeFunction, into)];
    throw new Error(`FROM with ${Object.keys(node)[0]} is not read here.`);
  }

  function join({ larg, rarg, jointype, usingClause, quals }: JoinExpr, into: Into): Item[] {
    const left = larg === undefined ? [] : from(larg, into);
    const right = rarg === undefined ? [] : from(rarg, into);
    const isOuter = jointype !== 'JOIN_INNER';
    const having = (side: readonly Item[], column: string) =>
      side.find(({ columns }) => columns?.has(column)) ?? side.find(({ columns }) => columns === null);
    for (const column of namesIn(usingClause)) {
      const [one, other] = [having(left, column), having(right, column)];
      if (one && other) tie(equalities, `${one.id}.${column}`, `${other.id}.${column}`, isOuter);
    }
    if (jointype === 'JOIN_LEFT' || jointype === 'JOIN_FULL') into.joins.push({ outer: left, inner: right });
    if (jointype === 'JOIN_RIGHT' || jointype === 'JOIN_FULL') into.joins.push({ outer: right, inner: left });
    qualify(quals, into.scope, { names: into.names, isOuter });
    return [...left, ...right];
  }

  function base({ relname = '', alias }: RangeVar, scope: Scope, isRead: boolean): Item {
    const id = `${++items}`;
    const ref = { table: relname, volume: `${id}.volume` };
    equalities.zones.set(ref.volume, scope.zone);
    const reads = isDistributed(tables, relname) ? { refs: [ref] } : { locals: [relname] };
    if ('refs' in reads && isRead) read.refs.push(ref);
    const item = {
      id,
      alias: alias?.aliasname ?? relname,
      columns: tables.get(relname) ?? null,
      facts: { ...NOTHING, ...reads },
    };
    scope.items.push(item);
    return item;
  }

  function derived(facts: Facts, alias: string, scope: Scope): Item {
    const id = `${++items}`;
    const columns = new Set<string>();
    for (const { name, key } of facts.outputs) {
      columns.add(name);
      equalities.zones.set(`${id}.${name}`, scope.zone);
      tie(equalities, `${id}.${name}`, key);
    }
    const item = { id, alias, columns: columns.has('*') || columns.size === 0 ? null : columns, facts };
    scope.items.push(item);
    return item;
  }

  function rows({ functions, alias, coldeflist }: RangeFunction, { scope, names }: Into): Item {
    walk(functions, scope, { names });
    const defined = (coldeflist ?? []).flatMap((node) => ('ColumnDef' in node ? (node.ColumnDef.colname ?? '') : []));
    const columns = [...namesIn(alias?.colnames), ...defined];
    const name = alias?.aliasname ?? '';
    const item = {
      id: `${++items}`,
      alias: name,
      columns: columns.length > 0 ? new Set(columns) : null,
      facts: NOTHING,
    };
    scope.items.push(item);
    return item;
  }

  /** Reads a condition: its equalities, where all of it must hold, and its subqueries. */
  function qualify(node: Node | undefined, scope: Scope, within: Within): void {
    if (node === undefined) return;
    if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR') {
      for (const part of node.BoolExpr.args ?? []) qualify(part, scope, within);
      return;
    }
    if ('A_Expr' in node && node.A_Expr.kind === 'AEXPR_OP' && namesIn(node.A_Expr.name)[0] === '=') {
      const { lexpr, rexpr } = node.A_Expr;
      const [left, right] = [valuesIn(lexpr), valuesIn(rexpr)];
      for (const [i, one] of left.entries()) {
        tie(equalities, keyOf(one, scope, equalities), keyOf(right[i], scope, equalities), within.isOuter);
      }
    }
    const negated = 'BoolExpr' in node && node.BoolExpr.boolop === 'NOT_EXPR' ? node.BoolExpr.args?.[0] : undefined;
    const asked = negated ?? node;
    if (!('SubLink' in asked) || asked.SubLink.subLinkType === 'EXPR_SUBLINK') {
      walk(node, scope, within);
      return;
    }
    // EXISTS and IN become joins: they are planned together with their level.
    const facts = subquery(asked.SubLink, scope, within, scope.zone);
    for (const [i, value] of valuesIn(asked.SubLink.testexpr).entries()) {
      tie(equalities, keyOf(value, scope, equalities), facts.outputs[i]?.key ?? null);
    }
  }

  function subquery({ subselect, testexpr }: SubLink, scope: Scope, within: Within, zone: object): Facts {
    const { names, isInWhere = false } = within;
    const facts = subselect === undefined ? NOTHING : query(subselect, { parent: scope, zone, names }, false);
    scope.subqueries.push({ ...facts, isInWhere });
    pass(facts.outer, scope);
    walk(testexpr, scope, within);
    return facts;
  }

  /** Notes the columns of other levels, and reads the subqueries, within anything. */
  function walk(value: unknown, scope: Scope, within: Within): void {
    if (typeof value !== 'object' || value === null) return;
    if ('SubLink' in value) subquery(value.SubLink as SubLink, scope, within, {});
    else if ('ColumnRef' in value) found(scope, namesIn((value.ColumnRef as { fields?: Node[] }).fields));
    else for (const one of Object.values(value)) walk(one, scope, within);
  }

  function outputsOf(targetList: Node[] | undefined, scope: Scope): Output[] {
    return (targetList ?? []).flatMap((node) => {
      if (!('ResTarget' in node)) return [];
      const { name, val } = node.ResTarget;
      if (val === undefined || !('ColumnRef' in val))
        return [{ name: name ?? nameOf(val), key: keyOf(val, scope, equalities) }];
      const { fields = [] } = val.ColumnRef;
      const fieldNames = namesIn(fields);
      if (fieldNames.length === fields.length)
        return [{ name: name ?? fieldNames.at(-1) ?? '', key: keyOf(val, scope, equalities) }];
      const of = fieldNames.at(-1);
      const starred = scope.items.filter(({ alias }) => of === undefined || alias === of);
      return starred.flatMap(({ id, columns }): Output[] =>
        columns === null
          ? [{ name: '*', key: null }]
          : [...columns].map((column) => ({ name: column, key: `${id}.${column}` })),
      );
    });
  }

  function close(scope: Scope, joins: OuterJoin[], outputs: Output[], locked: Item[] | null): Facts {
    read.levels.push({ scope, joins, locked });
    const inner = [...scope.items.map(({ facts }) => facts), ...scope.subqueries.filter(({ outer }) => outer.size > 0)];
    const refs = inner.flatMap((facts) => facts.refs);
    const locals = inner.flatMap((facts) => facts.locals);
    // Local tables alone are read first and handed in, by Citus itself; beside distributed ones they are complained of here already.
    const isReadFirst = scope.outer.size === 0 || refs.length > 0;
    const isMerged = scope.items.some(({ facts }) => facts.isMerged);
    return { refs, locals: isReadFirst ? [] : locals, outer: scope.outer, outputs, isMerged };
  }
}

const both = (one: Facts, other: Facts): Facts => ({
  refs: [...one.refs, ...other.refs],
  locals: [...one.locals, ...other.locals],
  outer: new Map([...one.outer, ...other.outer].map(([scope]) => [scope, itemsOf(scope, one.outer, other.outer)])),
  outputs: one.outputs,
  isMerged: one.isMerged || other.isMerged,
});

const itemsOf = (scope: Scope, ...outers: readonly Outer[]): Set<Item> =>
  new Set(outers.flatMap((outer) => [...(outer.get(scope) ?? [])]));

function lockedIn(clauses: readonly Node[] | undefined, { items }: Scope): Item[] | null {
  if (clauses === undefined || clauses.length === 0) return null;
  return clauses.flatMap((node) => {
    const { lockedRels }: LockingClause = 'LockingClause' in node ? node.LockingClause : {};
    const named = lockedRels?.flatMap((one) => ('RangeVar' in one ? (one.RangeVar.relname ?? '') : []));
    return items.filter(({ alias }) => named?.includes(alias) ?? true);
  });
}

const valuesIn = (node: Node | undefined): Node[] =>
  node === undefined ? [] : 'RowExpr' in node ? (node.RowExpr.args ?? []) : [node];

/** The name that PostgreSQL gives to a column without one, as far as statements here rely on it. */
function nameOf(node: Node | undefined): string {
  if (node === undefined) return '';
  if ('TypeCast' in node) return nameOf(node.TypeCast.arg);
  if ('FuncCall' in node) return namesIn(node.FuncCall.funcname).at(-1) ?? '';
  return '?';
}

const ADDED_UP = /^(count|max|min|sum|avg|bool_or|bool_and|every|\w+_agg)$/;

/** Whether the planner sees through a subquery in FROM: a constant outside of it is known within. */
function isPlain(stmt: SelectStmt, isLateral: boolean | undefined): boolean {
  if (stmt.limitCount !== undefined || stmt.limitOffset !== undefined) return false;
  if (!isLateral) return true;
  const { groupClause, havingClause, distinctClause, windowClause, lockingClause, larg, targetList = [] } = stmt;
  const more = [groupClause, havingClause, distinctClause, windowClause, lockingClause, larg];
  if (more.some((clause) => clause !== undefined)) return false;
  return !/"funcname":\[\{"String":\{"sval":"(\w+)"/
    .exec(JSON.stringify(targetList))
    ?.slice(1)
    .some((name) => ADDED_UP.test(name));
}

const refersTo = (node: unknown, name: string): boolean => JSON.stringify(node ?? null).includes(`"relname":"${name}"`);
