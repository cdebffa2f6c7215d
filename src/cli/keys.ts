/** `npm run keys`: master keys, the list of personal members, and erasing a borrower. */
import { openRootSecrets } from '../access/root-secrets.ts';
import { listKeys, pruneKeys, rotateKeys } from '../access/rotate-keys.ts';
import { eraseBorrower } from '../loans/erase.ts';
import { migrate, readMigrations } from '../store/migrate.ts';
import { PERSONAL } from '../vault/fields.ts';
import { checkLoanId, type Given, type Topic, UsageError } from './arguments.ts';
import { expectRightClock, type Opened, withMasterKeys } from './database.ts';
import { show } from './output.ts';

export const keys: Topic = {
  usage: `Usage: npm run keys -- <command> [options]
  list                          master keys, the current one first, and how much each wraps
  rotate                        make a new key current and wrap everything under it while the service runs;
                                run again, it finishes what was cut short
  prune                         take the keys that wrap nothing out of the key file
  personal                      what is personal in a loan's record, and why
  erase --loan 0x… --yes        erase the borrower of a loan for good: destroys the key of everything personal;
                                only when the loan is over and RETENTION_DAYS have passed`,
  commands: {
    list: {
      may: ['json'],
      run: ({ values }) =>
        withMasterKeys(async ({ db, masterKeys }) => {
          await migrate(db, await readMigrations());
          // The root secrets stay closed: this must also work when a key is missing.
          show(await listKeys(db, masterKeys), values.json);
        }),
    },
    rotate: {
      may: ['json'],
      run: (given) =>
        withRootSecrets(given, ({ db, masterKeys }) => rotateKeys(db, masterKeys, { onProgress: progressBar() })),
    },
    prune: {
      may: ['json'],
      run: (given) => withRootSecrets(given, ({ db, masterKeys }) => pruneKeys(db, masterKeys, Date.now())),
    },
    personal: { may: ['json'], run: ({ values }) => show(PERSONAL, values.json) },
    erase: {
      needs: ['loan', 'yes'],
      may: ['json'],
      check: checkLoanId,
      run: (given) =>
        withRootSecrets(given, async ({ db, config: { retentionDays } }) => {
          // With a clock that is ahead, the years of retention would be over too early.
          await expectRightClock(db);
          return eraseBorrower(db, { loanId: given.values.loan ?? '', retentionDays, now: Date.now() });
        }),
    },
  },
};

/** Opening the root secrets is the check that the master keys are the right ones. Prints the result of `work`. */
function withRootSecrets(
  { values }: Given,
  work: (opened: Opened) => Promise<object | { refused: string }>,
): Promise<void> {
  return withMasterKeys(async (opened) => {
    const { db, masterKeys } = opened;
    await migrate(db, await readMigrations());
    await openRootSecrets(db, masterKeys);
    const answer = await work(opened);
    if ('refused' in answer) throw new UsageError(String(answer.refused));
    show(answer, values.json);
  });
}

/** A bar on a terminal, else a line every few seconds. */
function progressBar(): (done: number, total: number) => void {
  const { stderr } = process;
  let saidAt = performance.now();
  return (done, total) => {
    const all = Math.max(done, total);
    const share = all === 0 ? 1 : done / all;
    const text = `${Math.floor(share * 100)} % (${done} of ${all} loans)`;
    if (stderr.isTTY) {
      stderr.write(`\r[${'█'.repeat(Math.round(share * 30)).padEnd(30, '·')}] ${text}${done === all ? '\n' : ''}`);
    } else if (performance.now() - saidAt >= 3_000) {
      saidAt = performance.now();
      stderr.write(`${text}\n`);
    }
  };
}
