/** `npm run verify`: the whole book of a database, or the export of one loan. */
import { readFileSync } from 'node:fs';
import { type KeptRoot, keptRoot } from '../key-files/ledger-root.ts';
import { verifyExport } from '../ledger/chain.ts';
import { verifyBook } from '../loans/verify/book.ts';
import { type BookComplaint, complaintLine } from '../loans/verify/complaint.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';
import { readRoot } from '../store/ledger/ledger.ts';
import { keysOfLoans } from '../store/people/erasure.ts';
import { WrongMasterKey } from '../vault/master-keys.ts';
import { type Invocation, type Topic, UsageError } from './arguments.ts';
import { record } from './audited.ts';
import { expectMigrated, type Opened, withMasterKeys } from './database.ts';
import { count } from './output.ts';
import { openProgress } from './progress.ts';
import { verifyTrail } from './verify-trail.ts';

/** The number of problems printed; the rest are only counted. */
const COMPLAINTS_SHOWN = 1_000;
/** The service links an entry of the audit trail within seconds, after a start too. */
const LATE = { afterMs: 600_000, patienceMs: 15_000 };

export const verify: Topic = {
  usage: `Usage: npm run verify [-- options]
  (none)                 check the whole book in the database and list every problem; nothing is changed
  --loan <export.json>   check the export of one loan, without a database
  --audit <file>         check an export of the audit trail, without a database
Exit code 1 when there is a problem`,
  commands: {
    '': {
      may: ['loan', 'audit', 'json'],
      check: ({ loan, audit }) => (loan !== undefined && audit !== undefined ? 'Specify --loan or --audit.' : null),
      run(given) {
        const { loan, audit, json = false } = given.values;
        if (audit !== undefined) return verifyTrail(audit, json);
        return loan === undefined ? withMasterKeys((opened) => verifyDatabase(opened, given)) : verifyFile(loan, json);
      },
    },
  },
};

/** Prints problems as they are found, together with the progress. */
async function verifyDatabase({ config, db, masterKeys }: Opened, given: Invocation): Promise<void> {
  const { json = false } = given.values;
  await expectMigrated(db);
  // A database that takes no writes, such as a replica, can be checked all the same.
  await record(db, given, { kind: 'saw' }).catch(() =>
    console.error('This check could not be entered into the audit trail.'),
  );
  const used = await keysOfLoans(db);
  // With none of the keys, every loan would report the same problem.
  if (used.length > 0 && used.every((keyId) => masterKeys.find(keyId) === null)) throw new WrongMasterKey();
  const bar = openProgress();
  let shown = 0;
  const complain = (complaint: BookComplaint) => {
    if (shown++ >= COMPLAINTS_SHOWN) return;
    bar.clear();
    console.log(json ? JSON.stringify(complaint) : complaintLine(complaint));
  };
  // Read first, so that a root made during the check does not count as missing.
  const replaced = await replacedRoot(db, keptRoot(config));
  const checked = verifyBook({ db, masterKeys, progress: bar.step, complain, late: LATE });
  const report = await checked.catch((error: unknown) => {
    bar.clear();
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const far = shown === 0 ? 'no problem' : count(shown, 'problem');
    throw new UsageError(`The check was not finished, the database went away (${far} until then): run it again.`);
  });
  if (replaced !== null) complain(replaced);
  bar.clear();
  const { complaints: _, complaintCount: within, ...counts } = report;
  const complaintCount = within + (replaced === null ? 0 : 1);
  if (complaintCount > 0) process.exitCode = 1;
  if (json) {
    console.log(JSON.stringify({ ...counts, complaints: complaintCount }));
    return;
  }
  const { loans, transactions, unsealed, blocks, lines, entries, erased, lastRoot } = counts;
  console.log(
    `Checked: ${count(loans, 'loan')}, ${count(transactions, 'transaction')} (${unsealed} not sealed yet), ` +
      `${count(blocks, 'block')}, ${count(lines, 'journal line')}, ${count(entries, 'audit link')}.`,
  );
  if (erased > 0) {
    console.log(`${count(erased, 'borrower')} erased: the records their loans were created from cannot be compared.`);
  }
  if (lastRoot !== null) console.log(`Last root: ${lastRoot.number}, ${lastRoot.hash}.`);
  const shownOnly = complaintCount > COMPLAINTS_SHOWN ? ', the first 1,000 of them listed above' : '';
  console.log(complaintCount === 0 ? 'No problems found.' : `${count(complaintCount, 'problem')}${shownOnly}.`);
}

/**
 * No check inside a database can show that it was replaced as a whole; the root kept outside the database does, and what the service has
 * noted beside it.
 */
async function replacedRoot(db: Db, kept: KeptRoot | null): Promise<BookComplaint | null> {
  if (kept === null) return null;
  const found = await readRoot(db, kept.number);
  const place = { table: 'ledger_roots', loanId: null, transaction: null, block: null };
  if (found?.hash !== kept.hash) {
    const what = `root ${kept.number} differs from the one in ledger-root.json: the database was restored or replaced`;
    return { ...place, what, expected: kept.hash, found: found?.hash ?? 'none' };
  }
  if (kept.setBack !== true) return null;
  const what = `after root ${kept.number} the database was set back to an older copy while the service ran, as ledger-root.json says`;
  return { ...place, what, expected: 'writes that were acknowledged', found: 'none of them' };
}

function verifyFile(path: string, json: boolean): void {
  const exported = readExport(path);
  const { complaints, transactions, unsealed, blocks, headers } = verifyExport(exported);
  for (const complaint of complaints) {
    console.log(json ? JSON.stringify(complaint) : `${complaint.where}: ${complaint.what}`);
  }
  if (complaints.length > 0) process.exitCode = 1;
  if (json) {
    console.log(JSON.stringify({ transactions, unsealed, blocks, headers, complaints: complaints.length }));
    return;
  }
  const wrong = (kind: string) =>
    new Set(complaints.flatMap(({ where }) => (where.startsWith(kind) ? [where] : []))).size;
  console.log(
    `${transactions - wrong('transaction ')} of ${count(transactions, 'transaction')} and ` +
      `${blocks - wrong('block ')} of ${count(blocks, 'block')} are correct; ${count(unsealed, 'transaction')} not sealed yet.`,
  );
  const last = headers.reduce<(typeof headers)[number] | null>(
    (newest, header) => (newest === null || header.number > newest.number ? header : newest),
    null,
  );
  // A whole file can be forged; only the service can confirm its blocks.
  if (last !== null) console.log(`Compare with GET /ledger/blocks/${last.number}: ${last.hash}.`);
  console.log(complaints.length === 0 ? 'No problems found.' : `${count(complaints.length, 'problem')}.`);
}

type Exported = { items?: unknown; transactions?: unknown };

function readExport(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(code === 'ENOENT' ? `File not found: ${path}.` : `${path} cannot be read (${code}).`);
  }
  let parsed: (Exported & { data?: Exported }) | null;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON.`);
  }
  const data = parsed?.data ?? parsed;
  if (!Array.isArray(data?.items ?? data?.transactions)) {
    throw new UsageError(`${path} is not the export of a loan: see \`npm run export -- --help\`.`);
  }
  return parsed;
}
