/** One level of a query: what its FROM names, and where its columns come from. */
import type { Alias, Node } from 'libpg-query';
import { constant, isConstant, openTies, type Ties } from './ties.ts';

/** One use of a distributed table, with the key of its volume. */
export type Ref = { readonly table: string; readonly volume: string };

export type Output = { readonly name: string; readonly key: string | null };

/** The tables that a query, or one item of a FROM, reads. Neither refs nor locals: a function or values, the same rows on every server. */
export type Facts = {
  /** Distributed tables, with those of subqueries that cannot be answered by themselves. */
  readonly refs: readonly Ref[];
  /** Local tables that are not read by themselves first. */
  readonly locals: readonly string[];
  /** The levels around it that it refers to, and the items there. */
  readonly outer: Outer;
  readonly outputs: readonly Output[];
  /** It adds up, sorts out or limits its rows, so that those of several servers would have to be put together first. */
  readonly isMerged: boolean;
};

export type Outer = ReadonlyMap<Scope, ReadonlySet<Item>>;

export type Item = {
  readonly id: string;
  readonly alias: string;
  /** Null: any, they are not known. */
  readonly columns: ReadonlySet<string> | null;
  readonly facts: Facts;
};

export type Scope = {
  readonly parent: Scope | null;
  /** Levels of one zone are planned together: a constant of one is known to the others. */
  readonly zone: object;
  readonly items: Item[];
  readonly subqueries: Subquery[];
  readonly outer: Map<Scope, Set<Item>>;
};

/** A subquery within an expression. */
export type Subquery = Facts & { readonly isInWhere: boolean };

export const NOTHING: Facts = { refs: [], locals: [], outer: new Map(), outputs: [], isMerged: false };

export const openScope = (parent: Scope | null, zone: object): Scope => ({
  ...{ parent, zone, items: [], subqueries: [], outer: new Map() },
});

/** A level refers to those around it that something within it refers to. */
export function pass(outer: Outer, scope: Scope): void {
  for (const [around, items] of outer) for (const item of items) if (around !== scope) refer(scope, around, item);
}

function refer(scope: Scope, around: Scope, item: Item): void {
  const items = scope.outer.get(around);
  if (items === undefined) scope.outer.set(around, new Set([item]));
  else items.add(item);
}

/** The item and the level that a column is of, and notes on the way that the level refers to one around it. */
export function found(scope: Scope, fields: readonly string[]): { item: Item; at: Scope; key: string } | null {
  const [column = ''] = fields.slice(-1);
  const table = fields.at(-2);
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const item =
      table !== undefined
        ? at.items.find(({ alias }) => alias === table)
        : (at.items.find(({ columns }) => columns?.has(column)) ??
          at.items.find(({ alias, columns }) => alias === column || columns === null));
    if (item === undefined) continue;
    if (at !== scope) refer(scope, at, item);
    return { item, at, key: `${item.id}.${column}` };
  }
  return null;
}

/**
 * Equalities as the planner of Citus sees them. `known`: a constant that reaches a table by them is known. `joined`: tables are joined by
 * them. An equality of an outer join is of both, unless one side is a constant: then PostgreSQL puts the constant in its place, and
 * nothing ties the two tables any more.
 */
export type Equalities = {
  readonly known: Ties;
  readonly joined: Ties;
  readonly zones: Map<string, object>;
  readonly ofOuterJoins: (readonly [string, string])[];
};

export const openEqualities = (): Equalities => ({
  ...{ known: openTies(), joined: openTies(), zones: new Map(), ofOuterJoins: [] },
});

export function tie(equalities: Equalities, one: string | null, other: string | null, isOuter = false): void {
  if (one === null || other === null) return;
  const { known, joined, zones, ofOuterJoins } = equalities;
  const [a, b] = [zones.get(one), zones.get(other)];
  if (a === undefined || b === undefined || a === b) known.tie(one, other);
  if (isOuter) ofOuterJoins.push([one, other]);
  else joined.tie(inZone(one, b), inZone(other, a));
}

/** Once all equalities are there. */
export function settle({ known, joined, ofOuterJoins }: Equalities): void {
  for (const [one, other] of ofOuterJoins) {
    if (known.constantOf(one) === null && known.constantOf(other) === null) joined.tie(one, other);
  }
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** A constant ties only tables that are planned together. */
function inZone(key: string, zone: object | undefined): string {
  if (!isConstant(key) || zone === undefined) return key;
  const number = numbers.get(zone) ?? ++lastNumber;
  numbers.set(zone, number);
  return `${key} in ${number}`;
}

/** The key of a value: of a column, a parameter or a constant; null of anything else. */
export function keyOf(node: Node | undefined, scope: Scope, equalities: Equalities): string | null {
  if (node === undefined) return null;
  if ('TypeCast' in node) return keyOf(node.TypeCast.arg, scope, equalities);
  if ('ParamRef' in node) return constant(`$${node.ParamRef.number}`);
  if ('A_Const' in node) return node.A_Const.isnull ? null : constant(JSON.stringify({ ...node.A_Const, location: 0 }));
  if (!('ColumnRef' in node)) return null;
  const column = found(scope, namesIn(node.ColumnRef.fields));
  if (column === null) return null;
  equalities.zones.set(column.key, column.at.zone);
  return column.key;
}

/** The texts of a list of names; a star is left out. */
export const namesIn = (nodes: readonly Node[] | undefined): string[] =>
  (nodes ?? []).flatMap((node) => ('String' in node ? (node.String.sval ?? '') : []));

/** Columns as an alias names them, the others as they are. */
export function renamed(outputs: readonly Output[], alias: Alias | undefined): Output[] {
  const names = namesIn(alias?.colnames);
  return outputs.map(({ name, key }, i) => ({ name: names[i] ?? name, key }));
}
