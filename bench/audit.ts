/**
 * Pages of the audit trail over BENCH_ENTRIES entries, on an embedded server of its own: each filter within 50 ms at the 99th percentile, its
 * own entry included, beside the newest hundred of one index with such an entry; and how many entries a second are linked, beside writing them
 * once more with one statement.
 *
 *   npm run bench:audit      (BENCH_ENTRIES=1000000 BENCH_ROUNDS=200)
 */
import { type AuditFilter, openAudit } from '../src/loans/audit/audit.ts';
import { linkEntries } from '../src/loans/audit/link.ts';
import { recordAudit } from '../src/store/audit/audit.ts';
import type { Db } from '../src/store/db/db.ts';
import { makeAlike } from './indexes.ts';
import { end, median, openSums, report, setting, timed, timesOf, whole, within } from './measure.ts';
import { withServer } from './own-server.ts';

const PAGE_MS = 50;
/** The entries are made and linked in this many parts. */
const PARTS = 5;
const entries = setting('BENCH_ENTRIES', 1_000_000);
const rounds = setting('BENCH_ROUNDS', 200);
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

await withServer(async (db) => {
  report({ 'audit entries linked': await link(db) });
  end(await readPages(db));
});

/** The ratio of each part. */
async function link(db: Db): Promise<number[]> {
  await makeAlike(db, 'audit_waiting', 'once_more');
  const ratios: number[] = [];
  let all = { linked: 0, ms: 0 };
  for (let part = 0; part < PARTS; part++) {
    await fill(db, Math.round((entries * part) / PARTS) + 1, Math.round((entries * (part + 1)) / PARTS));
    const raw = await timed(() => db.query('INSERT INTO once_more SELECT * FROM audit_waiting'));
    const { ms, result: linked } = await timed(() => linkEntries(db));
    ratios.push(raw.ms / ms);
    all = { linked: all.linked + linked, ms: all.ms + ms };
  }
  await db.query('DROP TABLE once_more');
  console.log(
    `${whole(all.linked)} entries linked, ${whole((all.linked * 1_000) / all.ms)} a second; ` +
      `${median(ratios).toFixed(2)} of the rate at which one statement writes them once more\n`,
  );
  if (all.linked !== entries) throw new Error(`${entries - all.linked} entries were not linked.`);
  for (const table of ['audit', 'audit_waiting']) await db.query(`VACUUM ANALYZE ${table}`);
  return ratios;
}

async function readPages(db: Db): Promise<boolean> {
  const { list } = openAudit({ db, reads: () => db, clock: () => Date.UTC(2027, 0, 1) });
  const actor = { organizationId: 'org_0', clientId: 'examiner', keyId: null, requestId: 'bench' };
  const entry = { ...actor, at: new Date(Date.UTC(2027, 0, 1)), kind: 'saw', operation: 'list-audit' } as const;
  const raw = async () => {
    await db.query('SELECT * FROM audit WHERE organization_id = $1 ORDER BY entry_id DESC LIMIT 101', ['org_0']);
    await recordAudit(db, [{ ...entry, outcome: 'done', subject: 'audit' }]);
  };
  const sums = openSums();
  let slowest = 0;
  for (const [name, filter] of Object.entries(FILTERS)) {
    let found = 0;
    const times = await timesOf(rounds, async () => {
      const page = await list(actor, { ...filter, limit: 100, cursor: null });
      if (page !== 'bad_cursor') found = page.items.length;
    });
    sums.add('ours', times);
    sums.add('limit', await timesOf(rounds, raw));
    const p99 = within(times, 0.99);
    slowest = Math.max(slowest, p99);
    console.log(
      `${name.padEnd(30)} ${String(found).padStart(4)} rows  ${median(times).toFixed(1).padStart(7)} ms  p99 ${p99.toFixed(1).padStart(7)} ms`,
    );
  }
  console.log(`\nslowest p99 ${slowest.toFixed(1)} ms, limit ${PAGE_MS} ms`);
  report({ 'pages of the audit trail': sums.ratios() });
  return slowest <= PAGE_MS;
}

/** Most are payments of one organization by few clients; a tenth is refused or seen; a twentieth is another organization's on its loans. */
async function fill(db: Db, from: number, to: number): Promise<void> {
  await db.query(
    `INSERT INTO audit_waiting (volume, entry_id, at, organization_id, owner_id, client_id, user_id, kind, operation, outcome, loan_id, request_id)
     SELECT n % 16, lpad(to_hex($1::bigint + n * 2000), 12, '0') || lpad(to_hex(n), 8, '0') || '00000000',
       to_timestamp(($1::bigint + n * 2000) / 1000.0), CASE WHEN n % 20 = 3 THEN 'org_1' ELSE 'org_0' END, CASE WHEN n % 20 = 3 THEN 'org_0' END,
       CASE WHEN n % 100003 = 0 THEN 'client_rare' ELSE 'client_' || n % 3 END, CASE WHEN n % 4 = 0 THEN 'user_' || n % 97 END,
       CASE WHEN n % 20 = 7 THEN 'tried' WHEN n % 20 = 9 THEN 'saw' ELSE 'did' END,
       CASE WHEN n % 50021 = 0 THEN 'charge-off' WHEN n % 20 = 9 THEN 'read-loan' ELSE 'loan-repay' END,
       CASE WHEN n % 20 <> 7 THEN 'done' WHEN n % 10007 = 0 THEN 'on_hold' WHEN n % 3 = 0 THEN 'not_granted' ELSE 'conflict' END,
       decode(lpad(to_hex(n % 16), 2, '0') || lpad(to_hex(n % 10000), 62, '0'), 'hex'), 'request'
     FROM generate_series($2::int, $3::int) n`,
    [START, from, to],
  );
  await db.query('ANALYZE audit_waiting');
}
