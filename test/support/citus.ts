/** A database that Citus spreads over servers, by the statements of docs/scaling.md itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, type Db, openDb } from '../../src/store/db/db.ts';

const PAGE = join(import.meta.dirname, '../../docs/scaling.md');
/** The page has as many as 64 volumes need; every shard of every table is a table that each test copies. */
const SHARDS = 8;

type Node = { host: string; port: number };

/** The servers that a coordinator has beside itself, and itself as they reach it. */
export async function nodesOf(coordinator: Connection): Promise<{ itself: Node; workers: Node[] }> {
  const db = openDb(coordinator, { max: 1 });
  try {
    const rows = await db.query<Node & { group: number }>(
      `SELECT nodename AS host, nodeport AS port, groupid AS group FROM pg_dist_node
       WHERE isactive AND noderole = 'primary' ORDER BY groupid`,
    );
    const itself = rows.find(({ group }) => group === 0);
    const workers = rows.filter(({ group }) => group !== 0);
    if (itself === undefined || workers.length === 0) {
      throw new Error(
        'TEST_CITUS_URL names a server without workers: call citus_set_coordinator_host and citus_add_node there first.',
      );
    }
    return { itself, workers };
  } finally {
    await db.close();
  }
}

/** The same user and database on another server. */
export function onNode(coordinator: Connection, { host, port }: Node): Connection {
  if (!('connectionString' in coordinator)) return { ...coordinator, host, port };
  const url = new URL(coordinator.connectionString);
  url.host = `${host}:${port}`;
  return { connectionString: url.toString() };
}

/** Citus in an empty database that every server has: the extension everywhere, and the servers known to the coordinator. */
export async function joinServers(
  coordinator: Connection,
  { itself, workers }: Awaited<ReturnType<typeof nodesOf>>,
): Promise<void> {
  for (const connection of [...workers.map((worker) => onNode(coordinator, worker)), coordinator]) {
    const db = openDb(connection, { max: 1 });
    await db.query('CREATE EXTENSION citus').finally(() => db.close());
  }
  const db = openDb(coordinator, { max: 1 });
  try {
    await db.query('SELECT citus_set_coordinator_host($1, $2)', [itself.host, itself.port]);
    for (const { host, port } of workers) await db.query('SELECT citus_add_node($1, $2)', [host, port]);
  } finally {
    await db.close();
  }
}

/** After the migrations and before the first loan, as the page says. */
export async function distribute(db: Db, shards = SHARDS): Promise<void> {
  const page = readFileSync(PAGE, 'utf8');
  const [, block = ''] = page.match(/```sql\n([\s\S]*?create_distributed_table[\s\S]*?)```/) ?? [];
  const statements = block.split(';').filter((one) => /^(?!--).*\S/m.test(one));
  if (statements.length < 20) throw new Error('docs/scaling.md does not say how to distribute the tables.');
  await db.session(async (session) => {
    for (const statement of statements) {
      await session.query(statement.replace(/(SET citus\.shard_count = )\d+/, `$1${shards}`));
    }
  });
}
