/** `npm run export`. */
import { writeFileSync } from 'node:fs';
import { exportLoan } from '../loans/verify/export-loan.ts';
import { readOwners } from '../store/audit.ts';
import type { Db } from '../store/db.ts';
import { checkLoanId, type Given, missing, type Topic, UsageError } from './arguments.ts';
import { record } from './audited.ts';
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

async function writeExport(db: Db, given: Given): Promise<void> {
  const { loan = '', out } = given.values;
  await expectMigrated(db);
  const text = (await exportLoan(db, loan)) ?? missing('loan');
  const organizationId = (await readOwners(db, [loan])).get(loan) ?? '';
  await record(db, given, { kind: 'saw', organizationId, loanId: loan });
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
