/** `npm run export`. */
import { writeFileSync } from 'node:fs';
import { exportLoan } from '../loans/verify/export-loan.ts';
import type { Db } from '../store/db.ts';
import { checkLoanId, type Given, missing, type Topic, UsageError } from './arguments.ts';
import { expectMigrated, withDatabase } from './database.ts';

export const exporting: Topic = {
  usage: `Usage: npm run export -- --loan <loanId> [--out <file>]
  --loan <loanId>   the loan: its transactions with their proofs, as in GET /loans/{id}/transactions, without personal data
  --out <file>      the file to write (default: standard output)`,
  commands: {
    '': {
      needs: ['loan'],
      may: ['out'],
      check: checkLoanId,
      run: (given) => withDatabase((db) => writeExport(db, given)),
    },
  },
};

async function writeExport(db: Db, { values: { loan = '', out } }: Given): Promise<void> {
  await expectMigrated(db);
  const text = (await exportLoan(db, loan)) ?? missing('loan');
  if (out === undefined) {
    console.log(text);
    return;
  }
  try {
    writeFileSync(out, `${text}\n`);
  } catch (error) {
    throw new UsageError(`--out: ${out} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  console.log(`${out} written.`);
}
