/** Compares what was acknowledged to the clients of a bench with the book. */
import { readFileSync } from 'node:fs';
import type { Db } from '../src/store/db/db.ts';

/** Waits until every numbered block is sealed. */
export async function allSealed(book: Db): Promise<boolean> {
  const [row] = await book.query<{ done: boolean }>(
    `SELECT NOT EXISTS (
       SELECT 1 FROM ledger_heads h
       WHERE h.number > (SELECT coalesce(max(b.number), h.volume) FROM blocks b WHERE b.volume = h.volume)
     ) AS done`,
  );
  return row?.done === true;
}

/** Every payment that was answered with 200 is in the book exactly once, and no other payment is. */
export async function checkAcknowledged(book: Db, files: readonly string[]): Promise<void> {
  const expected = new Map<string, { count: number; cents: number }>();
  for (const file of files) {
    const some: Record<string, { count: number; cents: number }> = JSON.parse(readFileSync(file, 'utf8'));
    for (const [loanId, { count: payments, cents }] of Object.entries(some)) {
      const sum = expected.get(loanId) ?? { count: 0, cents: 0 };
      expected.set(loanId, { count: sum.count + payments, cents: sum.cents + cents });
    }
  }
  const rows = await book.query<{ loan_id: Uint8Array; count: bigint; refs: bigint; cents: bigint }>(
    `SELECT loan_id, count(*) AS count, count(DISTINCT body::jsonb #>> '{event,refId}') AS refs,
       sum((body::jsonb #>> '{event,amount}')::bigint)::bigint AS cents
     FROM events WHERE type = 'paymentSubmitted' AND body LIKE '%"refId":"round%' GROUP BY loan_id`,
  );
  for (const { loan_id, count: payments, refs, cents } of rows) {
    const loanId = `0x${Buffer.from(loan_id).toString('hex')}`;
    const sum = expected.get(loanId);
    if (Number(payments) !== sum?.count || Number(refs) !== sum.count || Number(cents) !== sum.cents) {
      throw new Error(
        `Loan ${loanId}: ${payments} payments of ${cents} cents in the book, acknowledged ${JSON.stringify(sum)}.`,
      );
    }
    expected.delete(loanId);
  }
  if (expected.size > 0) throw new Error(`${expected.size} loans lack payments that were acknowledged.`);
}
