/** `npm run nightly`: runs the nightly cycles that have not run yet, or one of them again. */
import { openRootSecrets } from '../access/root-secrets.ts';
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { openAccrual } from '../loans/books/accrual.ts';
import { type CycleProgress, type CyclesRun, type Nights, openNights } from '../loans/cycle/nights.ts';
import { openClocks } from '../loans/door/clocks.ts';
import { isMoved, lastDayOver } from '../loans/door/fence.ts';
import { openLoanCache } from '../loans/door/loan-cache.ts';
import { organization } from '../store/access/access.ts';
import { organizationsWithLoans } from '../store/door/loans.ts';
import { type Invocation, missing, type Topic, UsageError } from './arguments.ts';
import { record } from './audited.ts';
import { expectMigrated, expectRightClock, type Opened, withMasterKeys } from './database.ts';

export const nightly: Topic = {
  usage: `Usage: npm run nightly [-- options]
  (none)                 run the cycles of all past days that have not run yet, in date order
  --date YYYY-MM-DD      run up to this day; if it has already run, run its steps again and retry the loans that failed
  --organization <id>    only for this organization
It can run while the service is running. Shows a progress bar on a terminal, otherwise prints progress as lines of JSON
Exit code 1 when a loan failed; GET /cycles/{date} lists the failed loans`,
  commands: {
    '': {
      may: ['date', 'organization', 'json'],
      check: ({ date }) =>
        date === undefined || parseDate(date) !== null ? null : '--date must be a valid date, such as 2026-10-31.',
      run: (given) => withMasterKeys((opened) => run(opened, given)),
    },
  },
};

async function run({ db, cycleDb, masterKeys }: Opened, given: Invocation): Promise<void> {
  const { values } = given;
  await expectMigrated(db);
  await expectRightClock(db);
  cycleDb.useVolumes(db.volumes);
  const only = values.organization;
  if (only !== undefined && (await organization(db, only)) === null) missing('organization');
  const secrets = await openRootSecrets(db, masterKeys);
  // Before the first one runs; each that runs has an entry of its own.
  await record(db, given, { kind: 'did', organizationId: only ?? '', subject: values.date ?? null });
  const clock = Date.now;
  const clocks = openClocks({ db, clock });
  const accrue = openAccrual({ db: cycleDb, clock, clocks, partyKey: secrets.party });
  // A cache of one loan is enough: only a process that serves requests keeps loans in memory.
  const cycles = openNights({ db: cycleDb, clock, clocks, cache: openLoanCache(1), accrue });
  const bar = openProgress(values.json === true);
  const owners = (await organizationsWithLoans(db)).filter((one) => only === undefined || one === only);
  if (owners.length === 0) bar.nothing(only ?? null, 'there are no loans yet');
  // All are checked before the first one runs: if the date has not ended for any of them, nothing runs.
  const plans: { organizationId: string; date: PlainDate }[] = [];
  let notOver: { organizationId: string; over: PlainDate } | null = null;
  for (const organizationId of owners) {
    const ownersClock = await clocks.one(organizationId);
    if (isMoved(ownersClock)) {
      bar.nothing(organizationId, 'it is a sandbox that has ended, or that is being filled or advanced');
      continue;
    }
    const over = lastDayOver(ownersClock, clock());
    const date = (values.date ?? over) as PlainDate;
    if (date <= over) plans.push({ organizationId, date });
    else {
      notOver = { organizationId, over };
      // The clock of a sandbox may be at an earlier day; the other organizations still run.
      if (only === undefined) bar.nothing(organizationId, `its last completed day is ${over}`);
    }
  }
  if (notOver !== null && plans.length === 0) {
    throw new UsageError(`The last completed day of ${notOver.organizationId} is ${notOver.over}.`);
  }
  let failed = false;
  for (const { organizationId, date } of plans) {
    const done = await ran(cycles, organizationId, date, { again: values.date !== undefined, progress: bar.step });
    if (done.days === 0) bar.nothing(organizationId, await whyNothing(cycles, organizationId, date));
    else bar.done({ organizationId, through: date, ...done });
    failed ||= done.exceptions > 0;
  }
  if (failed) process.exitCode = 1;
}

async function whyNothing({ reach }: Nights, organizationId: string, date: PlainDate): Promise<string> {
  const head = await reach(organizationId);
  if (head !== null && date < head.first) return `its first day is ${head.first}`;
  return `all days up to ${head?.through ?? date} have already run`;
}

function ran(
  { runAgain, runCyclesThrough }: Nights,
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
  const inLines = json || !stdout.isTTY;
  const bar = stderr.isTTY && !inLines;
  const every = bar ? BAR_MS : LINE_MS;
  let next = 0;
  const line = (news: object) => console.log(JSON.stringify(news));
  return {
    step(progress: CycleProgress): void {
      const now = performance.now();
      if (now < next) return;
      next = now + every;
      if (bar) stderr.write(`\r\x1b[K${drawn(progress).slice(0, (stderr.columns || 80) - 1)}`);
      else if (inLines) line(progress);
    },
    nothing(organizationId: string | null, why: string): void {
      if (inLines) line({ organizationId, days: 0, why });
      else console.log(`${organizationId ?? 'No organization'}: nothing to run, ${why}.`);
    },
    done(run: CyclesRun & { organizationId: string; through: PlainDate }): void {
      if (bar) {
        stderr.write('\r\x1b[K');
        console.log(sentence(run));
      } else if (inLines) line(run);
      else console.log(sentence(run));
    },
  };
}

function drawn({ organizationId, date, step, done, total }: CycleProgress): string {
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const count = total === 0 ? '' : ` ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
  return `[${'#'.repeat(Math.round(share * 30)).padEnd(30)}] ${date} ${step}${count} ${organizationId}`;
}

function sentence(run: CyclesRun & { organizationId: string; through: PlainDate }): string {
  const { organizationId, through, days, loans, exceptions } = run;
  const counted = (count: number, what: string) => `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
  const failures = exceptions === 0 ? '' : `, ${counted(exceptions, 'loan')} failed: see GET /cycles/${through}`;
  return `${organizationId}: ${counted(days, 'day')} up to ${through}, ${counted(loans, 'loan')} updated${failures}`;
}
