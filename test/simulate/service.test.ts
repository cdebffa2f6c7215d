/**
 * The assembled service, two instances of it on one database, against an auditor with plain books of its own. Loans of three lenders are
 * serviced in a sandbox whose clock is advanced; requests are repeated, late, out of order or at once; processes and connections fail at random
 * statements. Everything follows from a seed.
 *
 * `SIMULATE_SEED=n` runs one seed, `SIMULATE_SEEDS=n` runs n of them, starting with the first or with `SIMULATE_FROM`; `SIMULATE_STEPS`
 * and `SIMULATE_LOANS` set the length of all of them. A seed that has failed is added to failed-seeds.ts, with its steps and loans, and is
 * run every time.
 */
import { expect, test } from 'vitest';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { testMasterKeys } from '../support/loans.ts';
import { FAILED_SEEDS } from '../support/simulate/failed-seeds.ts';
import { openServices, type Services } from '../support/simulate/services.ts';
import { Failure, type Lived, type Run, type Span, shortest, simulate } from '../support/simulate/simulation.ts';
import { WHOLE } from '../support/whole.ts';

const LONG = process.env.TEST_LONG !== undefined;
const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const SEEDS = number('SIMULATE_SEEDS', LONG ? 2_000 : WHOLE ? 1 : 0);
const FIRST = number('SIMULATE_FROM', 1);
const SHORT: Span = { steps: 12, loans: 3 };
const USUAL: Span = { steps: 24, loans: 4 };
const YEARS: Span = { steps: 120, loans: 8 };
/** Seeds that share a database: the cost of opening one is shared, and a verification at the end checks all of them. */
const TOGETHER = 25;

/** Among thousands, most are short: most faults show within a few steps, and many short runs find more than a few long ones. */
function spanOf(seed: number): Span {
  const span = !LONG ? (WHOLE ? USUAL : SHORT) : seed % 100 === 0 ? YEARS : seed % 10 === 0 ? USUAL : SHORT;
  return { steps: number('SIMULATE_STEPS', span.steps), loans: number('SIMULATE_LOANS', span.loans) };
}

const only = process.env.SIMULATE_SEED === undefined ? null : number('SIMULATE_SEED', 0);
const seeds = only === null ? Array.from({ length: SEEDS }, (_, n) => FIRST + n) : [only];
const runs: Run[] = [
  ...FAILED_SEEDS.filter(({ seed }) => only === null || seed === only),
  ...seeds.map((seed) => ({ seed, span: spanOf(seed) })),
];

const batches = Array.from({ length: Math.ceil(runs.length / TOGETHER) }, (_, n) =>
  runs.slice(n * TOGETHER, (n + 1) * TOGETHER),
);

test.each(batches.map((batch) => ({ batch, seeds: batch.map(({ seed }) => seed).join(', ') })))(
  'the service and the auditor agree: seed $seeds',
  { timeout: 120_000 + TOGETHER * YEARS.steps * 10_000 },
  async ({ batch }) => {
    const services = await openServices();
    try {
      const all: Lived[] = [];
      const failures: string[] = [];
      for (const run of batch) {
        const lived = await live(services, run);
        if (typeof lived === 'string') failures.push(lived);
        else all.push(lived);
      }
      expect(failures).toEqual([]);
      // A simulation in which nothing happens finds nothing.
      const sum = (name: keyof Lived) => all.reduce((total, lived) => total + lived[name], 0);
      expect(sum('done')).toBeGreaterThan(sum('refused') * 3);
      expect(Math.min(sum('days'), sum('repeated'), sum('audits'))).toBeGreaterThan(0);
      const [{ db, loans }] = services.instances;
      while ((await loans.ledger.seal()) > 0);
      expect((await verifyBook({ db, masterKeys: testMasterKeys })).complaints).toEqual([]);
    } finally {
      await services.close();
    }
  },
);

/** The failure as text, so that the other seeds are run as well. */
async function live(services: Services, run: Run): Promise<Lived | string> {
  try {
    return await simulate(services, run);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, step, story, run: short } = await shortest(services, error);
    const which = short.only ? `, loan ${short.only} alone` : '';
    const { steps, loans } = run.span;
    return (
      `Seed ${run.seed} fails in step ${step}${which}: ${message}\n${story.join('\n')}\n` +
      `SIMULATE_SEED=${run.seed} SIMULATE_STEPS=${steps} SIMULATE_LOANS=${loans} repeats it.`
    );
  }
}
