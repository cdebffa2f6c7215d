/** `npm run nightly`: the cycles that have not run yet, or one of them again. */
import { openRootSecrets } from '../access/root-secrets.ts';
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { openAccrual } from '../loans/books/accrual.ts';
import { openClocks } from '../loans/clock/clocks.ts';
import type { CycleProgress, CyclesRun } from '../loans/cycle/cycles.ts';
import { isMoved, lastDayOver } from '../loans/cycle/fence.ts';
import { type OpenCycles, openCycles } from '../loans/cycle/open.ts';
import { openLoanCache } from '../loans/loan-cache.ts';
import { organization } from '../store/access.ts';
import { organizationsWithLoans } from '../store/loans.ts';
import { type Given, missing, type Topic, UsageError } from './arguments.ts';
import { expectMigrated, expectRightClock, type Opened, withMasterKeys } from './database.ts';

export const nightly: Topic = {
  usage: `Usage: npm run nightly [-- options]
  (none)                 run every cycle of a day that is over and has not run, in the order of days
  --date YYYY-MM-DD      up to this day; if it has run already, its steps once more: what could not be done then is tried again
  --organization <id>    of this organization alone
It may run beside the service. On a terminal with a progress bar, otherwise one line of JSON for each piece of news
Exit code 1 when a loan could not be done; GET /cycles/{date} names it`,
  commands: {
    '': {
      may: ['date', 'organization', 'json'],
      check: ({ date }) =>
        date === undefined || parseDate(date) !== null
          ? null
          : '--date must be a day of the calendar, such as 2026-10-31.',
      run: (given) => withMasterKeys((opened) => run(opened, given)),
    },
  },
};

async function run({ db, masterKeys }: Opened, { values }: Given): Promise<void> {
  await expectMigrated(db);
  await expectRightClock(db);
  const only = values.organization;
  if (only !== undefined && (await organization(db, only)) === null) missing('organization');
  const secrets = await openRootSecrets(db, masterKeys);
  const clock = Date.now;
  const clocks = openClocks({ db, clock });
  const accrue = openAccrual({ db, clock, clocks, partyKey: secrets.party });
  // Nothing is remembered here: a process that serves has a memory of loans to keep right, this one has not.
  const cycles = openCycles({ db, clock, clocks, cache: openLoanCache(1), accrue });
  const bar = openProgress(values.json === true);
  let failed = false;
  for (const organizationId of only === undefined ? await organizationsWithLoans(db) : [only]) {
    const ownersClock = await clocks.one(organizationId);
    // Whoever moves a test clock runs its cycles.
    if (isMoved(ownersClock)) continue;
    const over = lastDayOver(ownersClock, clock());
    const date = (values.date ?? over) as PlainDate;
    if (date > over) throw new UsageError(`The last day that is over for ${organizationId} is ${over}.`);
    const done = await ran(cycles, organizationId, date, { again: values.date !== undefined, progress: bar.step });
    bar.done({ organizationId, through: date, ...done });
    failed ||= done.exceptions > 0;
  }
  if (failed) process.exitCode = 1;
}

function ran(
  { runAgain, runCyclesThrough }: OpenCycles,
  organizationId: string,
  date: PlainDate,
  { again, progress }: { again: boolean; progress: (progress: CycleProgress) => void },
) {
  return again ? runAgain(organizationId, date, { progress }) : runCyclesThrough(organizationId, date, { progress });
}

const BAR_MS = 100;
const LINE_MS = 1_000;

function openProgress(json: boolean) {
  const { stderr, stdout } = process;
  const bar = stdout.isTTY && !json;
  const every = bar ? BAR_MS : LINE_MS;
  let next = 0;
  const line = (news: object) => console.log(JSON.stringify(news));
  return {
    step(progress: CycleProgress): void {
      const now = performance.now();
      if (now < next) return;
      next = now + every;
      if (bar) stderr.write(drawn(progress));
      else line(progress);
    },
    done(run: CyclesRun & { organizationId: string; through: PlainDate }): void {
      if (bar) {
        stderr.write('\r\x1b[K');
        console.log(sentence(run));
      } else line(run);
    },
  };
}

function drawn({ organizationId, date, step, done, total }: CycleProgress): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const text = `${organizationId} ${date} ${step} ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
  return `\r\x1b[K[${'#'.repeat(Math.round(share * 30)).padEnd(30)}] ${text}`;
}

function sentence(run: CyclesRun & { organizationId: string; through: PlainDate }): string {
  const { organizationId, through, days, loans, exceptions } = run;
  const failures = exceptions === 0 ? '' : `, ${exceptions} could not be done: see GET /cycles/${through}`;
  return `${organizationId}: ${days} days up to ${through}, ${loans} loans written${failures}`;
}
