/** `npm run study`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DIALS, type DialName, type Fitted, fitLevel, placeOf, valueAt } from '../../study/src/fit.ts';
import { filesOf } from '../../study/src/page.ts';
import { type Study, studiedSample, study, workOf } from '../../study/src/study.ts';
import { versionsOn } from '../../study/src/versions.ts';
import type { Invocation, Topic } from './arguments.ts';
import { openProgress } from './progress.ts';
import { expectWritableFolder, notWritable } from './writable.ts';

const DEFAULTS = { size: '1000', seed: 'daybook' };
/** A level is searched on more people than the page shows, so that it is not that of its sample. */
const FIT_SIZE = '4000';
/** Fewer leave bands without anybody, and tenths without a loan. */
const [FEWEST, MOST] = [200, 100_000];

export const studying: Topic = {
  usage: `Usage: npm run study [-- --size <n>] [--seed <text>] [--out <folder>]
Assesses simulated applications with the model in force and writes its calibration: tables beside published figures, and charts
  --size <n>       applications in each population, ${FEWEST} to ${MOST.toLocaleString('en-US')} (default: ${DEFAULTS.size})
  --seed <text>    letters and digits; another seed gives other people (default: ${DEFAULTS.seed})
  --out <folder>   where to write (default: docs/model)
  --fit            write nothing: search the level of the model that is nearest to the published figures, and print it beside the one in
                   force, on ${Number(FIT_SIZE).toLocaleString('en-US')} applications unless --size says otherwise (some minutes)`,
  commands: {
    '': {
      may: ['size', 'seed', 'out', 'fit'],
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
  if (values.fit) {
    showFit(fitted({ size: Number(values.size ?? FIT_SIZE), seed }));
    return;
  }
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

function fitted(options: { size: number; seed: string }): Fitted {
  const sample = studiedSample(options);
  const work = fitLevel(versionsOn(sample.on).model, sample);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const { place, distance } = step.value;
    const values = (Object.keys(DIALS) as DialName[]).map((name) => `${name} ${valueAt(place, name)}`);
    console.error(`${values.join(', ')}: ${distance.toFixed(3)}`);
  }
}

function showFit({ place, distance, compared }: Fitted): void {
  const inForce = placeOf(versionsOn(studiedSample({ size: 0, seed: '' }).on).model);
  for (const name of Object.keys(DIALS) as DialName[]) {
    console.log(`${name.padEnd(20)}${String(valueAt(place, name)).padStart(7)}   in force ${valueAt(inForce, name)}`);
  }
  const outside = compared.filter(({ within }) => !within);
  console.log(
    `Distance ${distance.toFixed(3)}; ${compared.length - outside.length} of ${compared.length} figures are within their ranges.`,
  );
  for (const { band, figure, value, low, high } of outside) {
    console.log(`${figure} of ${band}: ${value.toFixed(2)} is not in ${low}–${high}`);
  }
}
