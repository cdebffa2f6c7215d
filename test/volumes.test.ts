/**
 * What allows the tables of loans to be spread over servers by volume: it is in every key, every statement names it, and nothing spans
 * servers that must not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from './support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** One row for the whole service, or rows that no loan has: every server may have a copy of them. */
const OF_NO_LOAN = ['root_secrets', 'ledger_roots', 'schema_migrations'];

async function loanTables(): Promise<string[]> {
  const rows = await database.db.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'volume')
     ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

describe('the catalogs', () => {
  test('every table that names a loan has a volume', async () => {
    const rows = await database.db.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('loan_id', 'block')
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY 1`,
    );
    const tables = await loanTables();
    expect(rows.map(({ name }) => name).filter((name) => !tables.includes(name))).toEqual([]);
    expect(tables.length).toBeGreaterThan(12);
    expect(tables.filter((name) => OF_NO_LOAN.includes(name))).toEqual([]);
  });

  test('docs/scaling.md says how to distribute each of them', async () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/scaling.md'), 'utf8');
    const named = [...page.matchAll(/create_distributed_table\('(\w+)', 'volume'/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(await loanTables());
  });

  test('the volume is in every key and unique index of theirs', async () => {
    const rows = await database.db.query<{ index: string; columns: string[] }>(
      `SELECT i.relname AS index, array_agg(a.attname ORDER BY a.attnum) AS columns
       FROM pg_index x
       JOIN pg_class i ON i.oid = x.indexrelid
       JOIN pg_class t ON t.oid = x.indrelid
       JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY(x.indkey)
       WHERE x.indisunique AND t.relname = ANY($1) GROUP BY 1`,
      [await loanTables()],
    );
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.filter(({ columns }) => !columns.includes('volume'))).toEqual([]);
  });

  test('no foreign key, no trigger, no rule, no identity column', async () => {
    const tables = await loanTables();
    const found = await database.db.query(
      `SELECT conname FROM pg_constraint WHERE contype = 'f' AND (conrelid::regclass::text = ANY($1) OR confrelid::regclass::text = ANY($1))
       UNION ALL SELECT tgname FROM pg_trigger WHERE tgrelid::regclass::text = ANY($1)
       UNION ALL SELECT rulename FROM pg_rewrite WHERE ev_class::regclass::text = ANY($1)
       UNION ALL SELECT attname FROM pg_attribute WHERE attidentity <> '' AND attrelid::regclass::text = ANY($1)`,
      [tables],
    );
    expect(found).toEqual([]);
  });
});

describe('the statements of src/store', () => {
  /** Those that go to all volumes, by the file and the function or constant they are in, and why they may. */
  const FAN_OUTS: Readonly<Record<string, string>> = {
    'ledger.ts readLastBlocks': 'a root is over the heads of all volumes',
    'ledger.ts readTransaction': 'a transaction is looked for by its hash alone',
    'loans.ts markLate': 'the late loans of an organization',
    'loans.ts organizationsWithLoans': 'whose loans there are',
    'people.ts countKeyUse': 'before a master key is pruned',
    'people.ts keysInUse': 'before a master key is pruned',
    'people.ts keysOfLoans': 'before the book is verified',
    'people.ts readWrappedKeys': 'all keys, while they are wrapped anew',
    'reads.ts findByDigests': 'a search by what is personal',
    'reads.ts idsLike': 'a search by references',
    'reads.ts selectOf': 'a list of loans',
    'verify.ts readBounds': 'how far each volume goes',
    'volumes.ts readVolumes': 'how many volumes there are',
  };
  /** Sent to plain servers only, which have all volumes. */
  const PLAIN_ONLY = ['save-loans.ts saveStatement'];

  type Statement = { where: string; text: string };
  const folder = join(import.meta.dirname, '../src/store');

  /** Every text of the files, by the function or constant at the top of the file that it is in. */
  function statements(): Statement[] {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((file) => {
        const source = readFileSync(join(folder, file), 'utf8');
        const { program } = parseSync(file, source);
        const found: Statement[] = [];
        for (const node of program.body) {
          const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
          const name =
            declared?.type === 'FunctionDeclaration'
              ? declared.id?.name
              : declared?.type === 'VariableDeclaration'
                ? (declared.declarations[0]?.id as { name?: string } | undefined)?.name
                : '';
          for (const text of textsIn(node, source)) found.push({ where: `${file} ${name}`, text });
        }
        return found;
      });
  }

  type Node = { type: string; start: number; end: number; value?: unknown };

  /** The outermost texts, with what they are put together from. */
  function textsIn(value: unknown, source: string): string[] {
    if (typeof value !== 'object' || value === null) return [];
    if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, source));
    const node = value as Node;
    const isText = node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
    if (isText) return [source.slice(node.start, node.end)];
    return Object.values(node).flatMap((one) => textsIn(one, source));
  }

  test('each that names a loan table has a constant volume, but for those named here', async () => {
    const tables = (await loanTables()).join('|');
    const names = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE|USING)\\s+(${tables})\\b`, 'g');
    const unbound = new Set<string>();
    let seen = 0;
    for (const { where, text } of statements()) {
      const uses = [...text.matchAll(names)];
      if (uses.length === 0) continue;
      seen += 1;
      const bound = /\bvolume = (ANY\()?(\$|'?\$\{|asked\.volume|u\.volume|looks\.volume|[a-z]\.volume)/.test(text);
      const inserted = uses.every(([use]) => use.startsWith('INTO')) && /\(volume, /.test(text);
      if (!bound && !inserted) unbound.add(where);
    }
    expect(seen).toBeGreaterThan(40);
    expect([...unbound].sort()).toEqual(Object.keys(FAN_OUTS).sort());
  });

  test('row locks and recursion stay within one volume', async () => {
    const tables = new RegExp(`\\b(${(await loanTables()).join('|')})\\b`);
    const spanning = statements()
      .filter(({ text }) => /FOR (NO KEY )?(UPDATE|SHARE)|WITH RECURSIVE/.test(text) && tables.test(text))
      .filter(({ text }) => !/\bvolume = \$\d/.test(text))
      .map(({ where }) => where);
    expect(spanning).toEqual(PLAIN_ONLY);
  });
});
