/** `npm run study`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesOf } from '../../study/src/page.ts';
import { type Study, study, workOf } from '../../study/src/study.ts';
import type { Invocation, Topic } from './arguments.ts';
import { openProgress } from './progress.ts';
import { expectWritableFolder, notWritable } from './writable.ts';

const DEFAULTS = { size: '1000', seed: 'daybook' };
/** Fewer leave bands without anybody, and tenths without a loan. */
const [FEWEST, MOST] = [200, 100_000];

export const studying: Topic = {
  usage: `Usage: npm run study [-- --size <n>] [--seed <text>] [--out <folder>]
Assesses simulated applications with the model in force and writes its calibration: tables beside published figures, and charts
  --size <n>       applications in each population, ${FEWEST} to ${MOST.toLocaleString('en-US')} (default: ${DEFAULTS.size})
  --seed <text>    letters and digits; another seed gives other people (default: ${DEFAULTS.seed})
  --out <folder>   where to write (default: docs/model)`,
  commands: {
    '': {
      may: ['size', 'seed', 'out'],
      check: ({ size = DEFAULTS.size, seed = DEFAULTS.seed }) =>
        !/^\d{1,6}$/.test(size) || Number(size) < FEWEST || Number(size) > MOST
          ? `--size must be a whole number from ${FEWEST} to ${MOST.toLocaleString('en-US')}.`
          : /^[A-Za-z0-9-]{1,40}$/.test(seed)
            ? null
            : '--seed must be 1 to 40 letters, digits and hyphens.',
      run: writeStudy,
    },
  },
};

function writeStudy({ values }: Invocation): void {
  const { size = DEFAULTS.size, seed = DEFAULTS.seed } = values;
  const folder = values.out ?? join(import.meta.dirname, '../../docs/model');
  expectWritableFolder('--out', folder);
  const found = finished({ size: Number(size), seed });
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of filesOf(found)) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw notWritable('--out', folder, (error as NodeJS.ErrnoException).code);
  }
  const within = found.compared.filter((one) => one.within).length;
  console.log(`${relative(process.cwd(), folder) || folder} written.`);
  console.log(`${within} of ${found.compared.length} figures are within the published ranges.`);
}

function finished(options: { size: number; seed: string }): Study {
  const [work, total, bar] = [study(options), workOf(options), openProgress()];
  for (;;) {
    const step = work.next();
    if (!step.done) {
      bar.step({ part: 'application', done: step.value, total });
      continue;
    }
    bar.clear();
    return step.value;
  }
}
