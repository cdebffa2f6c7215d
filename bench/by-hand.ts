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
import { type Cpu, cpuOfWindow, type Watched } from './cpu.ts';
import { within } from './measure.ts';
import { bodyOf, entryId, LINES, PAID_ON } from './payment-rows.ts';

export type ByHandJob = {
  connection: pg.ClientConfig;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
  loansFile: string;
  volumes: number;
  /** The schema of the copies. */
  schema: string;
  watched: Watched;
};
export type ByHandResult = { perSecond: number; p99Ms: number; cpu: Cpu | null };

const job: ByHandJob = JSON.parse(process.argv[2] ?? '{}');
const loans = (JSON.parse(readFileSync(job.loansFile, 'utf8')) as string[]).map((id) =>
  Buffer.from(id.slice(2), 'hex'),
);
const latencies: number[] = [];
const countFrom = performance.now() + job.warmUpSeconds * 1_000;
const end = countFrom + job.seconds * 1_000;
const counted = cpuOfWindow(job.watched, countFrom, end);
await Promise.all(Array.from({ length: job.connections }, drive));
const result: ByHandResult = {
  perSecond: latencies.length / job.seconds,
  p99Ms: within(latencies, 0.99),
  cpu: await counted,
};
console.log(JSON.stringify(result));

async function drive(): Promise<void> {
  const client = new pg.Client({ ...job.connection, options: `-c search_path=${job.schema}` });
  await client.connect();
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
      values: [
        loanId,
        sequence,
        hash,
        bodyOf(loanId.toString('hex'), sequence, hash.toString('hex')),
        volume,
        organization,
      ],
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
        PAID_ON,
        LINES.map((_, i) => i + 1),
        LINES.map(([entry]) => entry),
        LINES.map(([, account]) => account),
        LINES.map(([, , cents]) => cents),
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
