/**
 * A process that runs the nightly cycles of the test organization, at a given time: directly (`run`), or as the service does, through
 * the queue (`jobs`). At a given statement it prints `stands` and stops, so that it can be killed exactly there.
 */
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import { startCycleJobs } from '../../src/jobs/cycle.ts';
import { openLoans } from '../../src/loans/open.ts';
import { openDb } from '../../src/store/db/db.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { openWorkers } from '../../src/workers/workers.ts';
import { ACTOR, testMasterKeys, testSecrets } from './loans.ts';
import { AFTERWARDS, interruptedDb, LAST_NIGHT } from './nights.ts';

const [how = '', after = '', within = ''] = process.argv.slice(2);
const inner = openDb({ connectionString: process.env.DATABASE_URL ?? '' }, { max: 2 });
await openVolumes(inner, null);
const { db } = interruptedDb(inner, {
  after: after === '' ? Number.POSITIVE_INFINITY : Number(after),
  within: within === 'transaction' ? 'a transaction' : 'anything',
  before: () => {
    console.log('stands');
    return new Promise(() => {});
  },
});
const workers = openWorkers({ threads: 1, niceness: 0 });
const bureau = openSimulator(workers);
const loans = openLoans({
  ...{ db: inner, cycleDb: db, clock: () => AFTERWARDS, workers },
  ...{ masterKeys: testMasterKeys, secrets: testSecrets, bureau, simulator: bureau },
});
if (how === 'jobs') {
  const log = { event: (name: string) => console.log(name), failure: (name: string) => console.log(`failed: ${name}`) };
  startCycleJobs({ cycles: loans.cycle, db: inner, log, pollSeconds: 0.5, lookMs: 100, superviseSeconds: 1 });
} else {
  await loans.cycle.runCyclesThrough(ACTOR.organizationId, LAST_NIGHT);
  console.log('done');
  process.exit(0);
}
// Nothing else keeps a process alive that only waits.
setInterval(() => {}, 60_000);
