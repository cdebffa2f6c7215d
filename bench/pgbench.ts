/**
 * The second baseline: `pgbench`, PostgreSQL's own load generator, with the eight statements of `by-hand.ts` on the same copies of the tables.
 * It is written in C and prepares its statements, so it shows what the server itself can do with one transaction for each payment. It is
 * used where it is installed; the embedded PostgreSQL does not include it.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Db } from '../src/store/db/db.ts';
import { type Cpu, startCpu, type Watched } from './cpu.ts';
import { LINES_AS_VALUES, PAID_ON } from './payment-rows.ts';

type Server = { host: string; port: number; user: string; password: string; database: string };

export type PgbenchJob = {
  program: string;
  server: Server;
  schema: string;
  loans: number;
  connections: number;
  seconds: number;
  /** A folder for the script. */
  dir: string;
  watched: Watched;
};

const PACKAGES = '/usr/lib/postgresql';

/** Debian's versions first, the newest before the others: the one in PATH there is a wrapper script. Null: not installed. */
export function findPgbench(): string | null {
  const versions = foldersIn(PACKAGES).sort((a, b) => Number(b) - Number(a));
  const folders = [
    ...versions.map((version) => join(PACKAGES, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.map((folder) => join(folder, 'pgbench')).find(isProgram) ?? null;
}

/** The loans by number, because pgbench draws numbers; and the text of an event, because pgbench cannot write a text with a colon. */
export async function prepareForPgbench(book: Db, schema: string): Promise<void> {
  await book.query(`CREATE TABLE ${schema}.drawn (n integer PRIMARY KEY, volume smallint, loan_id bytea, body text)`);
  await book.query(
    `INSERT INTO ${schema}.drawn
     SELECT row_number() OVER (ORDER BY l.loan_id), l.volume, l.loan_id, e.body FROM ${schema}.loans l CROSS JOIN LATERAL (
       SELECT body FROM ${schema}.events e
       WHERE e.volume = l.volume AND e.loan_id = l.loan_id AND e.type = 'paymentSubmitted' ORDER BY e.sequence LIMIT 1) e`,
  );
  await book.query(`ANALYZE ${schema}.drawn`);
}

const SCRIPT = `\\set n random(1, :loans)
BEGIN;
SELECT l.volume, l.loan_id, d.body, l.version + 1 AS sequence, l.principal - 380 AS principal, l.organization_id AS organization,
  decode(md5(random()::text) || md5(random()::text), 'hex') AS hash
FROM drawn d JOIN loans l ON l.volume = d.volume AND l.loan_id = d.loan_id WHERE d.n = :n FOR UPDATE OF l \\gset
INSERT INTO events (volume, loan_id, sequence, hash, block, position, type, body, client_id, note, organization_id)
VALUES (:volume, :loan_id, :sequence, :hash, nextval('blocks'), 1, 'paymentSubmitted', :body, 'bench', NULL, :organization);
INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective, date_posted)
SELECT :volume::smallint, :loan_id::bytea, :sequence::int, line, :organization, 'bench', 1, entry, account, amount, '${PAID_ON}'::date, '${PAID_ON}'::date
FROM (VALUES ${LINES_AS_VALUES}) AS lines (line, entry, account, amount);
INSERT INTO audit_waiting (volume, entry_id, at, organization_id, client_id, key_id, kind, operation, outcome, loan_id, transaction_hash, request_id)
VALUES (:volume, lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || left(md5(random()::text), 16), now(), :organization,
  'bench', 'key_0123456789abcdef', 'did', 'loan-repay', 'done', :loan_id, :hash, md5(random()::text));
UPDATE loans SET version = :sequence, last_hash = :hash, principal = :principal, past_due_from = past_due_from, updated_at = now()
WHERE volume = :volume AND loan_id = :loan_id;
COMMIT;
`;

/** Payments per second, and the processor time of the whole run. */
export async function runPgbench(job: PgbenchJob): Promise<{ perSecond: number; cpu: Cpu | null }> {
  const { program, server, schema, loans, connections, seconds, dir } = job;
  const script = join(dir, 'payment.sql');
  writeFileSync(script, SCRIPT);
  const env = {
    ...process.env,
    PGHOST: server.host,
    PGPORT: String(server.port),
    PGUSER: server.user,
    PGPASSWORD: server.password,
    PGDATABASE: server.database,
    PGOPTIONS: `-c search_path=${schema}`,
  };
  const args = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, '--jobs=1', `--define=loans=${loans}`];
  const used = startCpu(job.watched);
  const { stdout } = await promisify(execFile)(program, [...args, `--time=${seconds}`, `--file=${script}`], { env });
  const cpu = used();
  const perSecond = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
  if (perSecond === undefined || !/^number of failed transactions: 0 /m.test(stdout))
    throw new Error(`pgbench: ${stdout}`);
  return { perSecond: Number(perSecond), cpu };
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
