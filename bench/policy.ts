/**
 * The dry run of a version of a policy over BENCH_LOANS loans, on its own embedded server, in this process: within a minute, with the
 * right counts. The loans are copies of a hundred, so that a plain comparison of those hundred, times the number of copies, is what the
 * run must find. Prints how long the event loop was held meanwhile.
 *
 *   npm run bench:policy      (BENCH_LOANS=100000)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openSimulator } from '../src/bureau/simulator/open.ts';
import { bookFiguresOf } from '../src/core/books.ts';
import { addDays, date } from '../src/core/calendar.ts';
import { daysPastDue } from '../src/core/delinquency.ts';
import type { LoanEvent } from '../src/core/event.ts';
import { fold } from '../src/core/fold.ts';
import type { Loan } from '../src/core/loan.ts';
import { cents } from '../src/core/money.ts';
import { DEFAULT_POLICY } from '../src/core/policy.ts';
import { isMistakes } from '../src/core/reader.ts';
import { isRefusal } from '../src/core/refusal.ts';
import { statusOf } from '../src/core/status.ts';
import { openLoans } from '../src/loans/open.ts';
import { readBodies } from '../src/store/books/books.ts';
import { makeDays } from '../src/store/db/by-day.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../src/store/db/migrate.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { openWorkers } from '../src/workers/workers.ts';
import { ACTOR, testMasterKeys, testSecrets } from '../test/support/loans.ts';
import { fillBook } from './book.ts';
import { copyLoans } from './copies.ts';
import { end, setting } from './measure.ts';
import { SLOW } from './own-server.ts';

const LIMIT_MS = 60_000;
const loanCount = setting('BENCH_LOANS', 100_000);
const ORG = ACTOR.organizationId;
const TODAY = date('2026-06-20');
const FROM = addDays(TODAY, 2);
const THROUGH = addDays(FROM, 30);
const VALUES = { nonAccrualDays: 20, satisfiedPercent: 100 } as const;
const POLICY = {
  ...DEFAULT_POLICY,
  lateFee: { flat: cents(2_500), percent: null, floor: null, cap: null, graceDays: 10, judge: 'currentFirst' as const },
};

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const workers = openWorkers({ threads: 1 });
const server = await startPostgres({ dataDir: join(dir, 'policy'), own: true });
const db = openDb(server.connection, SLOW);
await migrate(db, await readMigrations());
await openVolumes(db, null);
await makeDays(db);
await db.query("INSERT INTO organizations VALUES ($1, 'Bench', now())", [ORG]);
const bureau = openSimulator(workers);
const shared = { masterKeys: testMasterKeys, secrets: testSecrets, bureau, simulator: bureau, workers };
const loans = openLoans({ db, clock: () => Date.parse(`${TODAY}T12:00:00Z`), ...shared });
try {
  const originals = await fill(db);
  const expected = await plainly(db, originals);
  const copies = Math.round(loanCount / originals.length);
  await copyLoans(db, copies - 1, () => {});
  console.log(`${(copies * originals.length).toLocaleString('en-US')} loans`);
  const asked = { policyId: 'all', lenderId: null, from: FROM, through: THROUGH, values: VALUES };
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const began = performance.now();
  let calls = 0;
  for (;;) {
    const found = await loans.policies.dryRun(ACTOR, asked);
    if (isRefusal(found) || isMistakes(found)) throw new Error('The dry run was refused.');
    calls += 1;
    const { impact } = found;
    const seconds = (performance.now() - began) / 1_000;
    console.log(`    ${seconds.toFixed(1)} s: ${impact.done} of ${impact.total}`);
    if (!impact.complete) continue;
    const took = performance.now() - began;
    const right = Object.entries(expected).every(
      ([name, value]) => impact[name as keyof typeof expected] === value * copies,
    );
    const fine = took <= LIMIT_MS && right && impact.failed === 0;
    console.log(
      `    ${calls} calls, ${(took / 1_000).toFixed(1)} s (limit ${LIMIT_MS / 1_000} s), ` +
        `event loop held at most ${(loop.max / 1e6).toFixed(0)} ms, 99 of 100 turns within ${(loop.percentile(99) / 1e6).toFixed(0)} ms`,
    );
    console.log(
      `    counts ${JSON.stringify(expected)} × ${copies}: ${right ? 'as found' : `NOT AS FOUND ${JSON.stringify(impact)}`}`,
    );
    console.log(fine ? '    ok' : '    TOO SLOW OR WRONG');
    end(fine);
    break;
  }
} finally {
  await loans.close();
  await db.close();
  await server.stop();
  await workers.close();
  rmSync(dir, { recursive: true, force: true });
}

/** A hundred loans with a year of payments; ten of them have missed the last one or more. */
async function fill(db: Db): Promise<string[]> {
  const whole = {
    db,
    organizationId: ORG,
    clientId: 'bench',
    master: testMasterKeys.current(),
    months: 12,
    policy: POLICY,
  };
  const last = date('2026-06-15');
  const { loanIds: late } = await fillBook({ ...whole, loans: 5, today: last, name: 'LATE' });
  const { loanIds: later } = await fillBook({ ...whole, loans: 5, today: date('2026-05-15'), name: 'LATER' });
  const { loanIds } = await fillBook({ ...whole, loans: 90, today: last, paidToday: true });
  return [...late, ...later, ...loanIds];
}

/** The same comparison, written down once more. */
async function plainly(db: Db, ids: readonly string[]) {
  const sum = { loansChanged: 0, feesChanged: 0, status: 0, daysPastDue: 0, bookInterestCents: 0, interestCents: 0 };
  const { waterfall: _, lateFee: __, graceDays: ___, ...current } = DEFAULT_POLICY;
  const follows = [{ from: FROM, values: { ...current, ...VALUES } }];
  for (const bodies of (await readBodies(db, ids)).values()) {
    const events = (JSON.parse(`[${bodies}]`) as { event: LoanEvent }[]).map(({ event }) => event);
    const [created, ...rest] = events;
    const before = fold(events, THROUGH);
    const after = fold([{ ...created, follows } as LoanEvent, ...rest], THROUGH);
    const fees = new Set(before.fees.map(({ feeId }) => feeId)).symmetricDifference(
      new Set(after.fees.map(({ feeId }) => feeId)),
    ).size;
    const differs = {
      feesChanged: fees,
      status: statusOf(before) === statusOf(after) ? 0 : 1,
      daysPastDue: daysPastDue(before) === daysPastDue(after) ? 0 : 1,
      bookInterestCents: Math.abs(booked(before) - booked(after)),
      interestCents: Math.abs(before.interest - after.interest),
    };
    for (const [name, value] of Object.entries(differs)) sum[name as keyof typeof differs] += value;
    if (Object.values(differs).some((value) => value > 0)) sum.loansChanged += 1;
  }
  return sum;
}

function booked(loan: Loan): number {
  const { interestReceivable, accruedInterest } = bookFiguresOf(loan);
  return interestReceivable + accruedInterest;
}
