/**
 * Pages of the audit trail over BENCH_ENTRIES entries, on an embedded server of its own: each filter within 50 ms at the 99th percentile, its
 * own entry included; and how many entries a second are linked.
 *
 *   npm run bench:audit      (BENCH_ENTRIES=1000000 BENCH_ROUNDS=200)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditFilter, openAudit } from '../src/loans/audit/audit.ts';
import { linkEntries } from '../src/loans/audit/link.ts';
import { openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../src/store/db/migrate.ts';
import { openVolumes } from '../src/store/db/volumes.ts';

const PAGE_MS = 50;
const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 200);
const SLOW = { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000, idleTransactionMs: 600_000 };
const START = Date.UTC(2026, 0, 1);

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
const loan = (n: number) => `0x${hex(n % 16, 2)}${hex(n, 62)}`;
type Filter = Omit<AuditFilter, 'limit' | 'cursor'>;
const FILTERS: Readonly<Record<string, Filter>> = {
  none: {},
  'a busy client': { clientId: 'client_0' },
  'a rare client': { clientId: 'client_rare' },
  'a person': { userId: 'user_7' },
  'a loan': { loanId: loan(77) },
  'a frequent operation': { operation: 'loan-repay' },
  'a rare operation': { operation: 'charge-off' },
  tried: { kind: 'tried' },
  saw: { kind: 'saw' },
  did: { kind: 'did' },
  done: { outcome: 'done' },
  refused: { outcome: 'refused' },
  'a code': { outcome: 'not_granted' },
  'a rare code': { outcome: 'on_hold' },
  'a month': { from: new Date(START + 86_400_000), until: new Date(START + 2 * 86_400_000) },
  'a rare operation of a person': { operation: 'charge-off', userId: 'user_7' },
  'refusals of a client': { outcome: 'refused', clientId: 'client_1' },
  nothing: { operation: 'never' },
};

const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-audit-'));
const postgres = await startPostgres({ dataDir: folder, own: true });
const db = openDb(postgres.connection, SLOW);
try {
  await migrate(db, await readMigrations());
  await openVolumes(db, null);
  await fill();
  const began = performance.now();
  const linked = await linkEntries(db);
  const seconds = (performance.now() - began) / 1_000;
  console.log(
    `${linked.toLocaleString('en-US')} entries linked, ${Math.round(linked / seconds).toLocaleString('en-US')} a second\n`,
  );
  await db.query('VACUUM ANALYZE audit');
  await db.query('VACUUM ANALYZE audit_waiting');
  const { list } = openAudit({ db, reads: () => db, clock: () => Date.UTC(2027, 0, 1) });
  const actor = { organizationId: 'org_0', clientId: 'examiner', keyId: null, requestId: 'bench' };
  let slowest = 0;
  for (const [name, filter] of Object.entries(FILTERS)) {
    const times: number[] = [];
    let found = 0;
    for (let n = 0; n < rounds; n++) {
      const at = performance.now();
      const page = await list(actor, { ...filter, limit: 100, cursor: null });
      times.push(performance.now() - at);
      if (page !== 'bad_cursor') found = page.items.length;
    }
    times.sort((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
    slowest = Math.max(slowest, p99);
    const middle = times[Math.floor(times.length / 2)] ?? 0;
    console.log(
      `${name.padEnd(30)} ${String(found).padStart(4)} rows  ${middle.toFixed(1).padStart(7)} ms  p99 ${p99.toFixed(1).padStart(7)} ms`,
    );
  }
  console.log(`\nslowest p99 ${slowest.toFixed(1)} ms, limit ${PAGE_MS} ms`);
  if (slowest > PAGE_MS) process.exitCode = 1;
} finally {
  await db.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Most are payments of one organization by few clients; a tenth is refused or seen; a twentieth is another organization's on its loans. */
async function fill(): Promise<void> {
  await db.query(
    `INSERT INTO audit_waiting (volume, entry_id, at, organization_id, owner_id, client_id, user_id, kind, operation, outcome, loan_id, request_id)
     SELECT n % 16, lpad(to_hex($1::bigint + n * 2000), 12, '0') || lpad(to_hex(n), 8, '0') || '00000000',
       to_timestamp(($1::bigint + n * 2000) / 1000.0), CASE WHEN n % 20 = 3 THEN 'org_1' ELSE 'org_0' END, CASE WHEN n % 20 = 3 THEN 'org_0' END,
       CASE WHEN n % 100003 = 0 THEN 'client_rare' ELSE 'client_' || n % 3 END, CASE WHEN n % 4 = 0 THEN 'user_' || n % 97 END,
       CASE WHEN n % 20 = 7 THEN 'tried' WHEN n % 20 = 9 THEN 'saw' ELSE 'did' END,
       CASE WHEN n % 50021 = 0 THEN 'charge-off' WHEN n % 20 = 9 THEN 'read-loan' ELSE 'loan-repay' END,
       CASE WHEN n % 20 <> 7 THEN 'done' WHEN n % 10007 = 0 THEN 'on_hold' WHEN n % 3 = 0 THEN 'not_granted' ELSE 'conflict' END,
       decode(lpad(to_hex(n % 16), 2, '0') || lpad(to_hex(n % 10000), 62, '0'), 'hex'), 'request'
     FROM generate_series(1, $2::int) n`,
    [START, entries],
  );
  await db.query('ANALYZE audit_waiting');
}
