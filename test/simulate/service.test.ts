/**
 * The assembled service, two instances of it on one database, against an auditor with plain books of its own. Loans of three lenders live
 * in a sandbox whose clock is advanced; requests are repeated, late, out of order or at once; processes and connections fail at random
 * statements. Everything follows from a seed.
 *
 * `SIMULATE_SEED=n` lives one seed, `SIMULATE_SEEDS=n` so many from the first on, or from `SIMULATE_FROM`; `SIMULATE_STEPS` and `SIMULATE_LOANS` make it longer. A
 * seed that has failed belongs into failed-seeds.ts, with its steps and loans, and is lived each time.
 */
import { expect, test } from 'vitest';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { testMasterKeys } from '../support/loans.ts';
import { FAILED_SEEDS } from '../support/simulate/failed-seeds.ts';
import { openServices, type Services } from '../support/simulate/services.ts';
import { Failure, type Lived, type Run, shortest, simulate } from '../support/simulate/simulation.ts';

const LONG = process.env.TEST_LONG !== undefined;
const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const SPAN = {
  steps: number('SIMULATE_STEPS', LONG ? 120 : 24),
  loans: number('SIMULATE_LOANS', LONG ? 8 : 4),
};
const SEEDS = number('SIMULATE_SEEDS', LONG ? 2_000 : 2);
const FIRST = number('SIMULATE_FROM', 1);
/** Seeds that share a database: verifying it takes longer the larger it is. */
const TOGETHER = 10;

const runs: Run[] =
  process.env.SIMULATE_SEED === undefined
    ? [...FAILED_SEEDS, ...Array.from({ length: SEEDS }, (_, n) => ({ seed: FIRST + n, span: SPAN }))]
    : [
        FAILED_SEEDS.find(({ seed }) => seed === number('SIMULATE_SEED', 0)) ?? {
          seed: number('SIMULATE_SEED', 0),
          span: SPAN,
        },
      ];

const batches = Array.from({ length: Math.ceil(runs.length / TOGETHER) }, (_, n) =>
  runs.slice(n * TOGETHER, (n + 1) * TOGETHER),
);

test.each(batches.map((batch) => ({ batch, seeds: batch.map(({ seed }) => seed).join(', ') })))(
  'the service and the auditor agree: seed $seeds',
  { timeout: 120_000 + TOGETHER * SPAN.steps * 10_000 },
  async ({ batch }) => {
    const services = await openServices();
    try {
      const all: Lived[] = [];
      for (const run of batch) all.push(await live(services, run));
      // A simulation in which nothing happens finds nothing.
      const sum = (name: keyof Lived) => all.reduce((total, lived) => total + lived[name], 0);
      expect(sum('done')).toBeGreaterThan(sum('refused') * 3);
      expect(Math.min(sum('days'), sum('repeated'), sum('audits'))).toBeGreaterThan(0);
      const [{ db, loans }] = services.instances;
      while ((await loans.seal()) > 0);
      expect((await verifyBook({ db, masterKeys: testMasterKeys })).complaints).toEqual([]);
    } finally {
      await services.close();
    }
  },
);

async function live(services: Services, run: Run): Promise<Lived> {
  try {
    return await simulate(services, run);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, step, story, run: short } = await shortest(services, error);
    const which = short.only ? `, loan ${short.only} alone` : '';
    const { steps, loans } = run.span;
    throw new Error(
      `Seed ${run.seed} fails in step ${step}${which}: ${message}\n${story.join('\n')}\n` +
        `SIMULATE_SEED=${run.seed} SIMULATE_STEPS=${steps} SIMULATE_LOANS=${loans} repeats it.`,
      { cause: error },
    );
  }
}
