/** Compares what was acknowledged to the clients of a bench with the book. */
import { readFileSync } from 'node:fs';
import { verifyBook } from '../src/loans/verify/book.ts';
import type { Db } from '../src/store/db/db.ts';
import type { MasterKeys } from '../src/vault/master-keys.ts';
import { eventually } from '../test/support/service.ts';

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

/** Waits until everything is sealed, then checks the whole book: balances, journal, chain, and every acknowledged payment once. */
export async function checkBook(
  { db, masterKeys }: { db: Db; masterKeys: MasterKeys },
  acknowledged: readonly string[],
): Promise<void> {
  await eventually(() => allSealed(db), 120_000, 200);
  await checkAcknowledged(db, acknowledged);
  const { complaints, loans, transactions, lines } = await verifyBook({ db, masterKeys });
  for (const complaint of complaints.slice(0, 10)) console.log(complaint);
  if (complaints.length > 0) throw new Error('The book has problems.');
  const shown = (count: number) => count.toLocaleString('en-US');
  console.log(
    `checked: ${shown(loans)} loans, ${shown(transactions)} transactions and ${shown(lines)} journal lines are correct, ` +
      'every acknowledged payment is in the book once',
  );
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
