/** `npm run export`. */
import { writeFileSync } from 'node:fs';
import { EXPORTS } from '../loans/exports/columns.ts';
import { exportLoan } from '../loans/verify/export-loan.ts';
import { readOwners } from '../store/audit/audit.ts';
import type { Db } from '../store/db/db.ts';
import { checkLoanId, type Invocation, missing, type Topic, UsageError } from './arguments.ts';
import { record } from './audited.ts';
import { expectMigrated, withDatabase } from './database.ts';
import { exportCommand } from './export-rows.ts';

export const exporting: Topic = {
  usage: `Usage: npm run export -- <what> [options]
  loans, payments, journal, events, positions   the rows of GET /exports/…, without personal data
    --organization <id>     the organization (required when there is more than one)
    --format csv|ndjson     default: ndjson
    --as-of YYYY-MM-DD      the date of the figures (default: today); for positions, a month end
    --known-at <time>       without what was recorded later, such as 2026-02-15T12:00:00Z
    --from, --to YYYY-MM-DD only these dates (not for loans)
    --lender <id>           only this lender (not for events)
    --out <file>            the file to write (default: standard output)
    --resume                continue the file of --out after its last complete row
    --after <cursor>        continue after the row with this cursor
  --loan <loanId> [--out <file>]                the transactions of one loan with their proofs, as in
                            GET /loans/{id}/transactions, without personal data`,
  commands: {
    '': {
      needs: ['loan'],
      may: ['out'],
      check: checkLoanId,
      run: (given) => withDatabase((db) => writeExport(db, given)),
    },
    ...Object.fromEntries(EXPORTS.map((what) => [what, exportCommand(what)])),
  },
};

async function writeExport(db: Db, given: Invocation): Promise<void> {
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
