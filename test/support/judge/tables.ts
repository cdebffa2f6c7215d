/** The tables and their columns, from `migrations/schema.sql`. Those with a column `volume` are the ones that Citus distributes. */
export type Tables = ReadonlyMap<string, ReadonlySet<string>>;

export function tablesIn(schema: string): Tables {
  const found = new Map<string, ReadonlySet<string>>();
  for (const [, name = '', body = ''] of schema.matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)\n\)/gm)) {
    const columns = [...body.matchAll(/^ {2}"?(\w+)"? /gm)].map(([, column = '']) => column);
    found.set(name, new Set(columns.filter((column) => column !== 'CONSTRAINT')));
  }
  return found;
}

/** Marks of the feed in all volumes, which every reader of it asks for together with its head: they stay where it is. */
export const BESIDE_THE_HEAD = ['feed_marks'];

export const isDistributed = (tables: Tables, name: string): boolean =>
  tables.get(name)?.has('volume') === true && !BESIDE_THE_HEAD.includes(name);
