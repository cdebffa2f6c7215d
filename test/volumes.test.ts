/**
 * The rules that allow the tables of loans to be spread over servers by volume: it is in every key, every statement names it, and nothing
 * spans servers that must not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openVolumes, VolumesMismatch } from '../src/store/db/volumes.ts';
import { type TestDatabase, testDatabase } from './support/database.ts';
import { BESIDE_THE_HEAD } from './support/judge/tables.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/**
 * Findings in an organization's loans on a date, and the loans of one of its requests: rows that belong to the organization and stay where
 * its other rows are.
 */
const FOUND = ['cycle_findings', 'transfer_run_loans'];
/** One row for the whole service, or rows that no loan has: every server may have a copy of them. */
const OF_NO_LOAN = ['root_secrets', 'ledger_roots', 'schema_migrations'];

async function loanTables(): Promise<string[]> {
  const rows = await database.db.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'volume') AND c.relname <> ALL($1)
     ORDER BY 1`,
    [BESIDE_THE_HEAD],
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
    expect(rows.map(({ name }) => name).filter((name) => !tables.includes(name))).toEqual(FOUND);
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

describe('the number of volumes', () => {
  /** Opens them after a change that is undone. */
  const openedAfter = async (...statements: string[]) => {
    const undone = new Error('Undone.');
    let opened: unknown;
    const attempt = database.db.transaction(async (tx) => {
      for (const sql of statements) await tx.query(sql);
      const db = { ...database.db, ...tx, useVolumes: () => {} };
      opened = await openVolumes(db, null).catch((error: unknown) => error);
      throw undone;
    });
    await expect(attempt).rejects.toBe(undone);
    return opened;
  };

  test.each([
    ['one is missing', 'DELETE FROM ledger_heads WHERE volume = 7'],
    ['the last is missing', 'DELETE FROM ledger_heads WHERE volume = 15'],
    ['there is one more', 'INSERT INTO ledger_heads VALUES (16, 16)'],
    ['they begin later', 'UPDATE ledger_heads SET volume = volume + 16'],
  ])('is not believed when %s', async (_, damage) => {
    const found = await openedAfter(damage);
    expect(found).toBeInstanceOf(VolumesMismatch);
    expect((found as Error).message).toMatch(
      /^ledger_heads has \d+ rows for volumes .* Restore the database from a backup\.$/,
    );
  });

  test('the tables count as sharded when they are, not when a server could do it', async () => {
    const citus = 'CREATE TABLE pg_dist_partition (logicalrelid regclass)';
    expect(await openedAfter(citus)).toEqual({ count: 16, sharded: false });
    const distributed = "INSERT INTO pg_dist_partition VALUES ('loans'::regclass)";
    expect(await openedAfter(citus, distributed)).toEqual({ count: 16, sharded: true });
  });

  test('reading it creates nothing', async () => {
    const part = "to_regclass('answers' || to_char(current_date + 7, '_YYYYMMDD'))";
    const [day] = await database.db.query<{ name: string }>(`SELECT ${part}::text AS name`);
    await database.db.query(`DROP TABLE ${day?.name}`);
    await openVolumes(database.db, null);
    expect(await database.db.query(`SELECT ${part}::text AS name`)).toEqual([{ name: null }]);
  });
});

describe('the statements of src/store', () => {
  /** Those that go to all volumes, by the file and the function or constant they are in, and why they may. */
  const FAN_OUTS: Readonly<Record<string, string>> = {
    'approvals/approvals.ts listApprovals': 'a list of approvals',
    'approvals/approvals.ts ownersAsked': 'whose loans an organization has requested something of',
    'audit/chain.ts readLastLinks': 'a root is over the audit trails of all volumes',
    'audit/list.ts pageOf': 'a page of the audit trail',
    'audit/chain.ts volumesToLink': 'where an entry of the audit trail waits',
    'reports/facts.ts loanFacts': 'the loans of an organization as they stand today, added up for a report',
    'allowance/allowance.ts readLost': 'what was lost of the loans of an organization since a date, added up',
    'allowance/allowance.ts rowsOn': 'the positions of an organization on a date, added up for its allowance',
    'allowance/allowance.ts rowsToday': 'the loans of an organization as they stand today, added up for its allowance',
    'reports/roll-rates.ts placesOn': 'the positions of an organization on a date, for roll rates',
    'reports/roll-rates.ts placesToday': 'the loans of an organization as they stand today, for roll rates',
    'reports/roll-rates.ts rolledIn': 'the loans that an organization transferred to others between two dates',
    'books/periods.ts countGroundsGone': 'the charge-offs of an organization whose ground is gone',
    'books/books.ts POSTED': 'what an organization has posted',
    'books/books.ts readFirstRecorded': 'the lenders that loans of an organization were transferred from',
    'books/books.ts readLoansToFold': 'the loans of an organization that are folded for a day',
    'books/books.ts readRowFigures': 'what the loans of an organization show on a day',
    'cycle/cycles.ts countLoansOfDay': 'the loans of an organization that something follows for from the date alone',
    'cycle/cycles.ts hasAccrued': 'whether the interest of a day is posted in any book of an organization',
    'cycle/cycles.ts isDayWithWork': 'whether an organization has a loan that a day can bring something to',
    'feed/feed.ts HEADS': 'how far each volume goes, for a tick of the feed',
    'exports/exports.ts readBlockHeads': 'an export is of one moment of all volumes',
    'ledger/ledger.ts readLastBlocks': 'a root is over the heads of all volumes',
    'ledger/ledger.ts readTransaction': 'a transaction is looked for by its hash alone',
    'ledger/sealing.ts unsealedVolumes': 'where there is something to seal',
    'books/entry-books.ts readEntries': 'the entries by hand of an organization',
    'books/entry-books.ts readEntryState': 'whether an organization has entries by hand',
    'books/loan-balances.ts readLoansHeld': 'a page of the loans in the books of an organization',
    'books/loan-balances.ts readPostedByLoan': 'what the loans of that page have posted, in their volumes',
    'books/lender-books.ts readBookTransactions': 'the entries of a day, of all lenders of an organization',
    'books/lender-books.ts readBooks': 'the books of all lenders of an organization',
    'reads/by-balance.ts inStep': 'the balance of a loan that a list has found',
    'reads/by-balance.ts selectSome': 'a list of loans by balance',
    'reads/list-names.ts isNamed': 'the name of a loan that a list has found',
    'reads/list-names.ts namedFirst': 'the loans that a search by references has found',
    'reads/list-names.ts namesIn': 'a search by references',
    'reads/lists.ts readHorizons': 'the last day on which a loan of an organization was recorded',
    'reads/lists.ts readPage': 'a list of loans',
    'market/market.ts readMarketPage': 'published loans of all organizations',
    'people/erasure.ts countKeyUse': 'before a master key is pruned',
    'people/erasure.ts keysInUse': 'before a master key is pruned',
    'people/erasure.ts keysOfLoans': 'before the book is verified',
    'people/erasure.ts readWrappedKeys': 'all keys, while they are wrapped anew',
    'reports/portfolio.ts addedUp': 'the positions of a date, added up once',
    'reports/checks.ts readSumKeys': 'which dates have positions, before the sums are verified',
    'reports/positions.ts countFunded': 'how many loans of an organization may have a position',
    'reports/positions.ts countPositions': 'how many positions a night has written',
    'reports/positions.ts readRestated': 'the dates that a night has restated',
    'reports/positions.ts readVolumesRecorded': 'where something was recorded of the loans of an organization',
    'origination/notices.ts listNoticesOwed': 'the applications of an organization to whose people a notice is owed',
    'policies/policies.ts hasLoans': 'whether a lender has a loan that a version of its policy concerns',
    'policies/dry-runs.ts countExamined': 'how many loans a dry run of a policy examines',
    'door/summaries.ts findByDigests': 'a search by what is personal',
    'origination/signs.ts findSharing': 'the loans of an owner that have a personal value in common',
    'door/summaries.ts readOrigins': 'who created the loans that were transferred to an organization',
    'transfers/transfers.ts listTransfers': 'a list of transfers',
    'transfers/transfers.ts readDueTransfers': 'the transfers that are due',
    'verify/rows.ts readContentPage': 'the recorded tables that are not in volumes; of approvals each volume',
    'verify/verify.ts countStrays': 'rows of volumes that there are not',
    'verify/verify.ts readBounds': 'how far each volume goes',
    'db/volumes.ts makeVolumes': 'once, before there is anything else',
    'db/volumes.ts readVolumes': 'how many volumes there are',
  };
  /** Sent to plain servers only, which have all volumes; the first change tables within a WITH. */
  const SAVE_LOANS = ['MOVED', 'saveStatement', 'usualStatement'].map((name) => `door/save-loans.ts ${name}`);
  const PLAIN_WITH = ['audit/chain.ts MOVE', 'reads/reads.ts RECORD', ...SAVE_LOANS];
  const PLAIN_ONLY = [
    ...PLAIN_WITH,
    'door/save-loans.ts beginning',
    'audit/audit.ts RECORD',
    ...['ENDS', 'HASHES', 'BLOCKS', 'DAYS'].map((name) => `ledger/sealing.ts ${name}`),
  ];
  /** Parts of statements: their tables are bound to one that is bound where they are used. */
  const PARTS = ['approvals/approvals.ts select', ...['feed/feed.ts looked', 'feed/feed.ts read']];

  type Statement = { where: string; text: string };
  const folder = join(import.meta.dirname, '../src/store');

  /** Every text of the files, by the function or constant at the top of the file that it is in. */
  function statements(): Statement[] {
    return readdirSync(folder, { recursive: true })
      .map((name) => String(name).replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('db/embedded'))
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

  const CONSTANT = String.raw`(?:\$\d+|\$\{volume\}|asked\.volume)`;

  /** Whether the volume of every loan table of a text is a constant, by itself or by that of another. Null: it names none. */
  function boundTables(text: string, tables: readonly string[]): boolean | null {
    const use = new RegExp(
      String.raw`\b(FROM|JOIN|UPDATE|USING|INTO)\s+(${[...tables, '\\$\\{table\\}'].join('|')})(?![\w])(?: +([a-z]\w*))?( USING \(volume)?`,
      'g',
    );
    const uses = [...text.matchAll(use)].map(([, verb, table, alias = table, joined]) => ({
      ...{ verb, alias: alias?.replace(/[${}]/g, '\\$&'), joined },
    }));
    if (uses.length === 0) return null;
    const holds = (pattern: string) => new RegExp(pattern).test(text);
    const bound = new Set<string | undefined>();
    for (let round = 0; round <= uses.length; round++) {
      for (const [i, { verb, alias, joined }] of uses.entries()) {
        const same = [...bound].some(
          (other) =>
            holds(String.raw`\b${alias}\.volume = ${other}\.volume\b`) ||
            holds(String.raw`\b${other}\.volume = ${alias}\.volume\b`),
        );
        const constant =
          verb === 'INTO'
            ? holds(String.raw`INTO ${alias} \(volume,[^)]*\)\s+(?:SELECT |VALUES \()${CONSTANT}`)
            : holds(String.raw`\b${alias}\.volume = ${CONSTANT}`) || holds(String.raw`(?<![.\w])volume = ${CONSTANT}`);
        if (constant || same || (joined !== undefined && bound.has(uses[i - 1]?.alias))) bound.add(alias);
      }
    }
    return uses.every(({ alias }) => bound.has(alias));
  }

  test('what counts as constant', () => {
    const tables = ['loans', 'events'];
    const is = (text: string) => boundTables(text, tables);
    expect(is('SELECT 1 FROM clients')).toBeNull();
    for (const text of [
      'SELECT 1 FROM loans WHERE volume = $1',
      'SELECT 1 FROM loans l JOIN events e USING (volume, loan_id) WHERE l.volume = $2',
      `JOIN loans l ON l.volume = $${'{volume}'}`,
      'SELECT 1 FROM events e, LATERAL (SELECT 1 FROM loans l WHERE l.volume = e.volume) x WHERE e.volume = asked.volume',
      'INSERT INTO loans (volume, loan_id) VALUES ($1, $2)',
    ]) {
      expect([text, is(text)]).toEqual([text, true]);
    }
    for (const text of [
      'SELECT 1 FROM loans',
      'SELECT 1 FROM loans l JOIN events e USING (volume, loan_id)',
      'SELECT 1 FROM loans l JOIN events e ON e.volume = l.volume',
      'SELECT 1 FROM loans l CROSS JOIN events e WHERE l.volume = $1',
      'SELECT 1 FROM loans l WHERE l.volume = h.volume',
      'INSERT INTO loans (volume, loan_id) SELECT n.volume, n.loan_id',
      'INSERT INTO loans (loan_id) VALUES ($1)',
    ]) {
      expect([text, is(text)]).toEqual([text, false]);
    }
  });

  test('each that names a loan table has a constant volume, except for those named here', async () => {
    const tables = await loanTables();
    let seen = 0;
    const unbound = new Set<string>();
    for (const { where, text } of statements()) {
      const found = boundTables(text, tables);
      if (found === null) continue;
      seen += 1;
      if (!found) unbound.add(where);
    }
    expect(seen).toBeGreaterThan(40);
    expect([...unbound].sort()).toEqual([...Object.keys(FAN_OUTS), ...PLAIN_ONLY, ...PARTS].sort());
  });

  test('row locks and recursion stay within one volume', async () => {
    const tables = new RegExp(`\\b(${(await loanTables()).join('|')})\\b`);
    const spanning = statements()
      .filter(({ text }) => /FOR (NO KEY )?(UPDATE|SHARE)|WITH RECURSIVE/.test(text) && tables.test(text))
      .filter(({ text }) => !/\bvolume = \$\d/.test(text))
      .map(({ where }) => where);
    expect(spanning.filter((where) => !PLAIN_ONLY.includes(where))).toEqual([]);
  });

  test('only what goes to plain servers alone changes a loan table within a WITH', async () => {
    const change = `(INSERT INTO|UPDATE|DELETE FROM) (${(await loanTables()).join('|')})\\b`;
    const within = new RegExp(`\\bAS (MATERIALIZED )?\\(\\s*${change}`);
    const changing = statements().filter(({ text }) => within.test(text));
    expect([...new Set(changing.map(({ where }) => where))].toSorted()).toEqual(PLAIN_WITH.toSorted());
  });
});
