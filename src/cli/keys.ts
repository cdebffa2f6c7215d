/** `npm run keys`: master keys, the list of personal fields, and erasing a borrower. */
import { openRootSecrets } from '../access/root-secrets.ts';
import { listKeys, pruneKeys, rotateKeys } from '../access/rotate-keys.ts';
import { eraseBorrower } from '../loans/people/erase.ts';
import { migrate, readMigrations } from '../store/db/migrate.ts';
import { openVolumes } from '../store/db/volumes.ts';
import { PERSONAL } from '../vault/fields.ts';
import { checkLoanId, type Invocation, type Topic, UsageError } from './arguments.ts';
import { accountName, record } from './audited.ts';
import { expectRightClock, type Opened, withMasterKeys } from './database.ts';
import { show } from './output.ts';

export const keys: Topic = {
  usage: `Usage: npm run keys -- <command> [options]
  list                          list master keys, the current one first, and how many data keys each protects
  rotate                        make a new key current and re-encrypt all data keys under it while the service runs;
                                run it again to finish an interrupted rotation
  prune                         remove keys that no longer protect anything from the key file
  personal                      list the personal fields of a loan's record, and why they are personal
  erase --loan 0x… --yes        erase the borrower of a loan permanently by destroying the key of the personal data;
                                only when the loan has ended and RETENTION_DAYS have passed`,
  commands: {
    list: {
      may: ['json'],
      run: (given) =>
        withMasterKeys(async ({ db, masterKeys }) => {
          await migrate(db, await readMigrations());
          await openVolumes(db, null);
          await record(db, given, { kind: 'saw' });
          // The root secrets are not opened: this must also work when a key is missing.
          show(await listKeys(db, masterKeys), given.values.json);
        }),
    },
    rotate: {
      may: ['json'],
      run: (given) =>
        withRootSecrets(given, async ({ db, masterKeys }) => {
          // Before it begins: a rotation that is interrupted has begun all the same.
          await record(db, given, { kind: 'did' });
          return rotateKeys(db, masterKeys, { onProgress: progressBar() });
        }),
    },
    prune: {
      may: ['json'],
      run: (given) =>
        withRootSecrets(given, async ({ db, masterKeys }) => {
          await record(db, given, { kind: 'did' });
          return pruneKeys(db, masterKeys, Date.now());
        }),
    },
    personal: { may: ['json'], run: ({ values }) => show(PERSONAL, values.json) },
    erase: {
      needs: ['loan', 'yes'],
      may: ['json'],
      check: checkLoanId,
      run: (given) =>
        withRootSecrets(given, async ({ db, config: { retentionDays } }) => {
          // With a clock that is ahead, the retention period would end too early.
          await expectRightClock(db);
          const account = accountName();
          return eraseBorrower(db, { loanId: given.values.loan ?? '', retentionDays, now: Date.now(), account });
        }),
    },
  },
};

/** Opening the root secrets checks that the master keys are the right ones. Prints the result of `work`. */
function withRootSecrets(
  { values }: Invocation,
  work: (opened: Opened) => Promise<object | { refused: string }>,
): Promise<void> {
  return withMasterKeys(async (opened) => {
    const { db, masterKeys } = opened;
    await migrate(db, await readMigrations());
    await openVolumes(db, null);
    await openRootSecrets(db, masterKeys);
    const answer = await work(opened);
    if ('refused' in answer) throw new UsageError(String(answer.refused));
    show(answer, values.json);
  });
}

/** A progress bar on a terminal, otherwise a line every few seconds. */
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
