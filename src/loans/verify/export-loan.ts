/** A loan's transactions with their proofs, for a reader outside the service. */
import type { Db } from '../../store/db/db.ts';
import { readTransactions } from '../../store/ledger/ledger.ts';
import { proven } from '../ledger/ledger.ts';

/** The same JSON as `GET /loans/{id}/transactions` answers; null: there is no such loan. */
export async function exportLoan(db: Db, loanId: string): Promise<string | null> {
  const rows = await readTransactions(db, loanId);
  if (rows.length === 0) return null;
  return JSON.stringify({ message: 'ok', data: { items: await proven(db, rows) } });
}
