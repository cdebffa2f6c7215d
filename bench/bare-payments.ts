/**
 * The bare limit of payments through HTTP: Fastify in a process of its own, which parses the request, writes the rows that the service writes
 * for a payment (loan, event, journal, waiting entry of the audit trail, ledger head) into the copies, and answers with as many bytes. No
 * token, no fold, no decision, no chain. It gathers as the service does: by turn of the event loop and while a batch is at the database, two
 * batches at a time, each of its own volumes, up to 128 payments with one statement, one payment of a loan at a time.
 */
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { LOAN_COLUMNS, OFTEN_CHANGED } from '../src/portfolio/loan-columns.ts';
import { type Columns, columnTexts, parameters } from '../src/store/db/columns.ts';
import { startFlags } from '../test/support/service.ts';
import { bodyOf, entryId, LINES, LINES_AS_VALUES, LINES_OF_A_SECOND, PAID_ON } from './payment-rows.ts';

export type BarePaymentsJob = {
  connection: pg.ClientConfig;
  /** The schema of the copies. */
  schema: string;
  volumes: number;
  /** An answer of the service. */
  answer: { headers: Record<string, string>; body: string };
};

const LANES = 2;
const AT_ONCE = 128;

export async function startBarePayments(job: BarePaymentsJob): Promise<{ port: number; pid: number; stop(): void }> {
  const child = fork(import.meta.filename, ['serve', JSON.stringify(job)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: startFlags() },
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (sent) => resolve(sent as number));
    child.once('exit', () => reject(new Error('The bare server did not start.')));
  });
  return { port, pid: child.pid as number, stop: () => void child.kill() };
}

type Row = { volume: number; loanId: string; hash: string; lines: number; position: number; figures: Figures };
/** The columns of a loan that a payment may change, as they are stored. */
type Figures = Readonly<Record<string, string | number | null>>;
const PAYMENT = {
  volume: { type: 'smallint', of: ({ volume }) => volume },
  loan_id: { type: 'bytea', of: ({ loanId }) => loanId },
  hash: { type: 'bytea', of: ({ hash }) => `0x${hash}` },
  body: { type: 'text', of: ({ loanId, hash }) => bodyOf(loanId.slice(2), 100, hash) },
  lines: { type: 'int', of: ({ lines }) => lines },
  entry_id: { type: 'text', of: entryId },
  request_id: { type: 'text', of: () => randomUUID() },
  position: { type: 'int', of: ({ position }) => position },
  ...Object.fromEntries(
    OFTEN_CHANGED.map((name) => [
      name,
      { type: LOAN_COLUMNS[name].type, of: ({ figures }: Row) => figures[name] ?? null },
    ]),
  ),
} satisfies Columns<Row>;

/** Amounts go down from payment to payment; the other columns are written as they are sent. */
const CHANGED = OFTEN_CHANGED.map((name) =>
  name === 'principal' || name === 'book_principal' ? `${name} = l.${name} - 380` : `${name} = p.${name}`,
).join(', ');

function saveStatement(): string {
  const given = parameters('plain');
  const count = given.one('int');
  const volumes = given.one('smallint[]');
  return `
WITH head AS MATERIALIZED (
  SELECT volume, number + ${count} AS number FROM ledger_heads WHERE volume = ANY(${volumes}) ORDER BY volume FOR UPDATE
), moved AS (
  UPDATE ledger_heads h SET number = head.number FROM head WHERE h.volume = head.volume
), paid AS (
  UPDATE loans l SET version = l.version + 1, last_hash = p.hash, updated_at = now(), ${CHANGED}
  FROM ${given.rows('p', PAYMENT)} JOIN head USING (volume)
  WHERE l.volume = p.volume AND l.loan_id = p.loan_id
  RETURNING l.volume, l.loan_id, l.version AS sequence, l.organization_id, l.lender_id, head.number, p.position, p.hash, p.body,
    p.lines, p.entry_id, p.request_id
), new_events AS (
  INSERT INTO events (volume, loan_id, sequence, hash, block, position, type, body, client_id, organization_id)
  SELECT volume, loan_id, sequence, hash, number, position, 'paymentSubmitted', body, 'bench', organization_id FROM paid
), new_lines AS (
  INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective, date_posted)
  SELECT volume, loan_id, sequence, line, organization_id, lender_id, number, entry, account, amount, '${PAID_ON}', '${PAID_ON}'
  FROM paid JOIN (VALUES ${LINES_AS_VALUES}) AS lines (line, entry, account, amount) ON lines.line <= paid.lines
), new_acts AS (
  INSERT INTO audit_waiting (volume, entry_id, at, organization_id, client_id, key_id, kind, operation, outcome, loan_id, transaction_hash,
    request_id)
  SELECT volume, entry_id, now(), organization_id, 'bench', 'key_0123456789abcdef', 'did', 'loan-repay', 'done', loan_id, hash, request_id
  FROM paid
)
SELECT count(*)::int AS paid FROM paid`;
}

type Payment = { readonly loanId: string; readonly resolve: () => void; readonly reject: (error: unknown) => void };
type Lane = { readonly client: pg.Client; waiting: Payment[]; busy: boolean };

async function serve({ connection, schema, volumes, answer }: BarePaymentsJob): Promise<void> {
  const text = saveStatement();
  const lanes: Lane[] = [];
  for (let n = 0; n < LANES; n++) {
    const client = new pg.Client({ ...connection, options: `-c search_path=${schema}` });
    await client.connect();
    lanes.push({ client, waiting: [], busy: false });
  }
  const today = new Date().toISOString().slice(0, 10);
  const figuresOf = await lanes[0]?.client.query(
    `SELECT ${OFTEN_CHANGED.map((name) => `${name}::text`).join(', ')} FROM loans LIMIT 1`,
  );
  const figures: Figures = { ...figuresOf?.rows[0], recorded_on: today };
  const seen = new Set<string>();
  let scheduled = false;
  const volumeOf = (loanId: string) => Number.parseInt(loanId.slice(2, 4), 16) % volumes;

  const app = fastify();
  app.post<{ Body: { loanId: string } }>('/v2/chain/loan-repay', async ({ body: { loanId } }, reply) => {
    await new Promise<void>((resolve, reject) => {
      lanes[volumeOf(loanId) % LANES]?.waiting.push({ loanId, resolve, reject });
      schedule();
    });
    return reply.headers(answer.headers).send(answer.body);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send?.((app.server.address() as { port: number }).port);

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      for (const lane of lanes) void start(lane);
    });
  }

  async function start(lane: Lane): Promise<void> {
    if (lane.busy || lane.waiting.length === 0) return;
    lane.busy = true;
    const batch = take(lane);
    try {
      const { rows } = await lane.client.query({ name: 'save', text, values: valuesOf(batch) });
      if (rows[0].paid !== batch.length) throw new Error(`${rows[0].paid} of ${batch.length} payments were saved.`);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    lane.busy = false;
    schedule();
  }

  function valuesOf(batch: readonly Payment[]): unknown[] {
    const rows = batch.map(({ loanId }, i): Row => {
      const lines = seen.has(loanId) ? LINES_OF_A_SECOND : LINES.length;
      return {
        volume: volumeOf(loanId),
        loanId,
        hash: randomBytes(32).toString('hex'),
        lines,
        position: i + 1,
        figures,
      };
    });
    for (const { loanId } of batch) seen.add(loanId);
    return [volumes, [...new Set(rows.map(({ volume }) => volume))], ...columnTexts(PAYMENT, rows)];
  }
}

/** Takes the first payment of each loan; the others wait for the next batch. */
function take(lane: Lane): Payment[] {
  const batch = new Map<string, Payment>();
  lane.waiting = lane.waiting.filter((one) => {
    if (batch.size === AT_ONCE || batch.has(one.loanId)) return true;
    batch.set(one.loanId, one);
    return false;
  });
  return [...batch.values()];
}

if (process.argv[2] === 'serve') await serve(JSON.parse(process.argv[3] ?? '{}'));
