/** `npm run fairness`: the fair lending report over a simulated population. No database is used. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fairLending } from '../../study/src/fairness.ts';
import { fairLendingFiles } from '../../study/src/fairness-page.ts';
import { population } from '../../study/src/population.ts';
import { versionsOn } from '../../study/src/versions.ts';
import { type PlainDate, parseDate } from '../core/calendar.ts';
import type { Invocation, Topic } from './arguments.ts';
import { openProgress } from './progress.ts';
import { expectWritableFolder, notWritable } from './writable.ts';

/** Fixed, the day too, so that the report in the repository is the same whenever it is written. */
const DEFAULTS = { size: '1000', seed: 'daybook', date: '2026-01-15' };
/** Fewer leave bands empty, and more than this do not fit in memory. */
const [FEWEST, MOST] = [100, 20_000];
const EARLIEST = '1950-01-01';

export const fairness: Topic = {
  usage: `Usage: npm run fairness [-- options]
Decides on simulated applicants of two proxy groups and writes the fair lending report: approval, price and reasons by group, the adverse
impact ratio, effects of the group alone and among comparable applicants, and which rule or feature contributes most
  --size <n>          applicants, ${FEWEST} to ${MOST.toLocaleString('en-US')} (default: ${DEFAULTS.size})
  --seed <text>       letters and digits; another seed gives other people (default: ${DEFAULTS.seed})
  --date YYYY-MM-DD   the day of the decisions, whose model and policy are in force (default: ${DEFAULTS.date})
  --out <folder>      where to write (default: docs/model)
  --check             write nothing; exit code 1 when the files there differ`,
  commands: {
    '': {
      may: ['size', 'seed', 'date', 'out', 'check'],
      check({ size = DEFAULTS.size, seed = DEFAULTS.seed, date = DEFAULTS.date }) {
        if (!/^\d{1,6}$/.test(size) || Number(size) < FEWEST || Number(size) > MOST) {
          return `--size must be a whole number from ${FEWEST} to ${MOST.toLocaleString('en-US')}.`;
        }
        if (!/^[A-Za-z0-9-]{1,40}$/.test(seed)) return '--seed must be 1 to 40 letters, digits and hyphens.';
        // The oldest vehicle of the population must not be older than the first model year.
        return parseDate(date) === null || date < EARLIEST
          ? `--date must be a valid date from ${EARLIEST}, such as 2026-10-31.`
          : null;
      },
      run: write,
    },
  },
};

function write({ values }: Invocation): void {
  const { size = DEFAULTS.size, seed = DEFAULTS.seed, date = DEFAULTS.date } = values;
  const folder = values.out ?? join(import.meta.dirname, '../../docs/model');
  if (!values.check) expectWritableFolder('--out', folder);
  const made = { size: Number(size), seed, on: date as PlainDate };
  const bar = openProgress();
  const found = fairLending(population(made), versionsOn(made.on), (done, total) =>
    bar.step({ part: 'decision', done, total }),
  );
  bar.clear();
  const files = fairLendingFiles(found, made);
  const shown = relative(process.cwd(), folder) || folder;
  if (values.check) {
    const stale = [...files].filter(([name, text]) => textAt(join(folder, name)) !== text).map(([name]) => name);
    if (stale.length === 0) return;
    console.error(`${shown}: ${stale.join(', ')} would change: run \`npm run fairness\` and commit the result.`);
    process.exitCode = 1;
    return;
  }
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw notWritable('--out', folder, (error as NodeJS.ErrnoException).code);
  }
  console.log(`${[...files.keys()].join(', ')} written to ${shown}.`);
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
