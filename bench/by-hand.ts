/**
 * The baseline, as most programmers would first write it: one transaction of eight statements for each payment (BEGIN, read the loan, four
 * inserts, the update, COMMIT), on its own connections, with no HTTP, no token, no fold and no chain: it writes rows of the same
 * shape and size into a copy of the same tables, with prepared statements. The fourth insert is the entry of the audit trail, into
 * `audit_waiting`, as the transaction of the service writes it; nothing links these entries here.
 *   node bench/by-hand.ts '{"connection":…,"connections":…,"seconds":…,"loansFile":"…"}'
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';

export type ByHandJob = {
  connection: pg.ClientConfig;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
  loansFile: string;
  volumes: number;
  /** The schema of the copies. */
  schema: string;
};
export type ByHandResult = { perSecond: number; p99Ms: number };

const job: ByHandJob = JSON.parse(process.argv[2] ?? '{}');
const loans = (JSON.parse(readFileSync(job.loansFile, 'utf8')) as string[]).map((id) =>
  Buffer.from(id.slice(2), 'hex'),
);
const latencies: number[] = [];
const countFrom = performance.now() + job.warmUpSeconds * 1_000;
const end = countFrom + job.seconds * 1_000;
await Promise.all(Array.from({ length: job.connections }, drive));
latencies.sort((a, b) => a - b);
const result: ByHandResult = {
  perSecond: latencies.length / job.seconds,
  p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
};
console.log(JSON.stringify(result));

async function drive(): Promise<void> {
  const client = new pg.Client({ ...job.connection, options: `-c search_path=${job.schema}` });
  await client.connect();
  const today = '2026-01-15';
  while (performance.now() < end) {
    const started = performance.now();
    const loanId = loans[Math.floor(Math.random() * loans.length)] as Buffer;
    const volume = (loanId[0] ?? 0) % job.volumes;
    const hash = randomBytes(32);
    await client.query('BEGIN');
    const { rows } = await client.query({
      name: 'read',
      text: 'SELECT version, principal, organization_id, last_hash FROM loans WHERE volume = $1 AND loan_id = $2 FOR UPDATE',
      values: [volume, loanId],
    });
    const {
      version,
      principal,
      organization_id: organization,
    } = rows[0] as {
      version: number;
      principal: string;
      organization_id: string;
    };
    const sequence = version + 1;
    await client.query({
      name: 'event',
      text: `INSERT INTO events (volume, loan_id, sequence, hash, block, position, type, body, client_id, note, organization_id)
        VALUES ($5, $1, $2, $3, nextval('blocks'), 1, 'paymentSubmitted', $4, 'bench', NULL, $6)`,
      values: [loanId, sequence, hash, bodyOf(loanId, sequence, hash), volume, organization],
    });
    await client.query({
      name: 'journal',
      text: `INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective, date_posted)
        SELECT $9::smallint, $1, $2, line, $3, 'bench', 1, entry, account, amount, $4::date, $4::date
        FROM unnest($5::smallint[], $6::text[], $7::text[], $8::bigint[]) AS lines (line, entry, account, amount)`,
      values: [
        loanId,
        sequence,
        organization,
        today,
        [1, 2, 3, 4, 5],
        ['accrual', 'accrual', 'receipt', 'receipt', 'receipt'],
        ['interestReceivable', 'interestIncome', 'cashClearing', 'interestReceivable', 'loanPrincipal'],
        [120, -120, 500, -120, -380],
        volume,
      ],
    });
    await client.query({
      name: 'entry',
      text: `INSERT INTO audit_waiting (volume, entry_id, at, organization_id, client_id, key_id, kind, operation, outcome, loan_id,
          transaction_hash, request_id)
        VALUES ($1, $2, now(), $3, 'bench', 'key_0123456789abcdef', 'did', 'loan-repay', 'done', $4, $5, $6)`,
      values: [volume, entryId(), organization, loanId, hash, randomUUID()],
    });
    await client.query({
      name: 'loan',
      text: `UPDATE loans SET version = $2, last_hash = $3, principal = $4, past_due_from = past_due_from, updated_at = now()
        WHERE volume = $5 AND loan_id = $1`,
      values: [loanId, sequence, hash, String(Number(principal) - 380), volume],
    });
    await client.query('COMMIT');
    const now = performance.now();
    if (now >= countFrom && now < end) latencies.push(now - started);
  }
  await client.end();
}

/** Begins with the time, as that of an entry does. */
function entryId(): string {
  return `${Date.now().toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}

function bodyOf(loanId: Buffer, sequence: number, hash: Buffer): string {
  const at = '2026-01-15T10:00:00.000Z';
  return `{"event":{"amount":500,"date":"2026-01-15","purpose":"installment","recordedAt":"${at}","recordedOn":"2026-01-15","refId":"hand-${sequence}","type":"paymentSubmitted"},"loanId":"0x${loanId.toString('hex')}","nonce":"${randomUUID()}","previous":"0x${hash.toString('hex')}","sequence":${sequence},"v":1}`;
}
