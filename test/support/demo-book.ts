/**
 * The whole demonstration in the assembled service, inside the test process: some 115 loans of every status, filled through the operations
 * with a clock that moves through the years. That takes half a minute, so it is done once in a run.
 */
import { openRootSecrets } from '../../src/access/root-secrets.ts';
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import { readConfig } from '../../src/config.ts';
import { date } from '../../src/core/calendar.ts';
import { type DemoOptions, fillDemo } from '../../src/demo/fill.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { openLoans } from '../../src/loans/open.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from './app.ts';
import { testDatabase } from './database.ts';
import { filledOnce } from './filled-once.ts';
import { testWorkers as workers } from './workers.ts';

const TODAY = '2026-06-15';

/** The service at noon of the day on which the demonstration was filled; its loans are those of the first client's organization. */
export async function demoBook(): Promise<TestApp> {
  const { template } = await filledOnce('demo', async (app) => {
    await fillBook(app, TODAY);
    return null;
  });
  const app = await testApp({}, () => testDatabase({ template }));
  app.clock.now = Date.parse(`${TODAY}T12:00:00Z`);
  return app;
}

export type Listed = { loanId: string; applicationId: string; loanStatus: string };

/** Every loan that the first client has, in the order of creation. */
export async function everyLoan(app: TestApp): Promise<Listed[]> {
  const token = await app.token();
  const from = async (cursor: string): Promise<Listed[]> => {
    const { body } = await app.call('GET', `/v2/chain/loans?limit=100&sort=createdAt${cursor}`, { token });
    const { items, nextCursor } = body.data;
    return nextCursor === null ? items : [...items, ...(await from(`&cursor=${encodeURIComponent(nextCursor)}`))];
  };
  return from('');
}

/** Fills the first client's organization with stories, as the demonstration is filled. */
export async function fillBook(
  { db, organizationId }: TestApp,
  day: string,
  more: Pick<DemoOptions, 'stories'> & { filled?: DemoOptions['sandbox']['filled'] } = {},
): Promise<void> {
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);
  const secrets = await openRootSecrets(db, masterKeys);
  const { filled = async () => {}, ...stories } = more;
  const done = await fillDemo({
    sandbox: {
      read: async () => null,
      create: async () => ({ organizationId, timeZone: 'UTC', today: date(day), filling: true }),
      filled,
    },
    show: async () => null,
    begin: true,
    open: (clock) =>
      openLoans({
        ...{ db, clock, masterKeys, secrets, workers },
        overridesTestClocks: true,
        bureau: openSimulator(workers),
        simulator: openSimulator(workers),
      }),
    signal: new AbortController().signal,
    ...stories,
  });
  if (done.outcome !== 'filled' || done.refused > 0) throw new Error(`The book: ${JSON.stringify(done)}`);
}
