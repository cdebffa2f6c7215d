/** `npm run compare`: two versions of the model or the policy over the same applications. No database is used. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Comparison, openComparison } from '../../study/src/compare.ts';
import { OFFERS, type Offers } from '../../study/src/outcome.ts';
import { population } from '../../study/src/population.ts';
import { builtIn, readModel, readPolicy, type Versions, versionsOn } from '../../study/src/versions.ts';
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { csvFigure, csvLine, csvText } from '../loans/exports/csv.ts';
import { countLines, readApplications, refusalText } from './applications.ts';
import { type Invocation, type Topic, UsageError, type Values } from './arguments.ts';
import { printComparison } from './compare-tables.ts';
import { count } from './output.ts';
import { openProgress } from './progress.ts';
import { expectWritableFile, notWritable } from './writable.ts';

const MOST_SIMULATED = 20_000;
const DEFAULT_SEED = 'compare';
/** The number of bad lines named; `--json` has all of them. */
const BAD_SHOWN = 100;
const LONGEST_MESSAGE = 4_000;

type OpenComparison = ReturnType<typeof openComparison>;

export const compare: Topic = {
  usage: `Usage: npm run compare -- (--simulated <count> | --applications <file> | --print <what>) [options]
Decides the same applications by two pairs of a model and an underwriting policy, and shows who is approved by only one of them
  --simulated <count>            made-up applicants, up to 20,000; --seed <text> chooses others
  --applications <file>          one application a line, as the body of POST /calculate-offer; each needs a report
  --champion-model <version>     a built-in version, or a JSON file (default: the version in force)
  --champion-policy <version>    the same for the policy
  --challenger-model <version>   the same for the challenger
  --challenger-policy <version>
  --date YYYY-MM-DD              the day of the decisions (default: today)
  --offers none|rate|any         what counts if the requested deal is declined: nothing, the same deal at the version's own buy rate
                                 (default), or any of the sixty deals, which takes some sixty times as long
  --csv <file>                   write the list of swapped applications
  --print <what>                 print model, policy or a built-in version as JSON, to start a version of your own
Exit code 1 when an application could not be read or assessed`,
  commands: {
    '': {
      may: [
        ...(['simulated', 'seed', 'applications', 'date', 'offers', 'csv', 'json', 'print'] as const),
        ...(['champion-model', 'champion-policy', 'challenger-model', 'challenger-policy'] as const),
      ],
      check,
      run: ({ values }) => (values.print === undefined ? run({ values }) : print(values.print, today(values))),
    },
  },
};

function check({ simulated, applications, date, seed, offers, print: printed }: Values): string | null {
  if ([simulated, applications, printed].filter((one) => one !== undefined).length !== 1) {
    return 'Specify one of --simulated, --applications and --print.';
  }
  if (simulated !== undefined && !(/^[1-9]\d{0,4}$/.test(simulated) && Number(simulated) <= MOST_SIMULATED)) {
    return '--simulated must be a whole number from 1 to 20,000.';
  }
  if (offers !== undefined && !OFFERS.some((one) => one === offers)) return '--offers must be none, rate or any.';
  if (seed !== undefined && simulated === undefined) return '--seed is for --simulated.';
  return date === undefined || parseDate(date) !== null ? null : '--date must be a valid date, such as 2026-10-31.';
}

function today({ date }: Values): PlainDate {
  // The day in UTC: no organization is involved, so no time zone is either.
  return (date ?? new Date().toISOString().slice(0, 10)) as PlainDate;
}

async function run({ values }: Pick<Invocation, 'values'>): Promise<void> {
  const on = today(values);
  const [champion, challenger] = [versionsOf(values, 'champion', on), versionsOf(values, 'challenger', on)];
  if (values.csv !== undefined) expectWritableFile('--csv', values.csv);
  const comparison = openComparison(champion, challenger, (values.offers ?? 'rate') as Offers);
  const bad = await (values.applications === undefined
    ? addSimulated(comparison, { size: Number(values.simulated), seed: values.seed ?? DEFAULT_SEED, on })
    : addApplications(comparison, values.applications, on));
  const result = comparison.result();
  if (champion.model === challenger.model && champion.policy === challenger.policy) {
    console.error('Both are the same versions. To compare others, add --challenger-model or --challenger-policy.');
  }
  if (bad.length > 0) process.exitCode = 1;
  if (values.csv !== undefined) write(values.csv, swapList(result));
  if (values.json) {
    console.log(JSON.stringify({ ...result, bad }, null, 2));
    return;
  }
  for (const { line, wrong } of bad.slice(0, BAD_SHOWN)) console.error(`line ${line}: ${wrong}`);
  if (bad.length > BAD_SHOWN) console.error(`The first ${BAD_SHOWN} of ${count(bad.length, 'bad line')}.`);
  printComparison(result, { csv: values.csv ?? null });
}

type Bad = { readonly line: number; readonly wrong: string };

function addSimulated(comparison: OpenComparison, of: { size: number; seed: string; on: PlainDate }): Bad[] {
  const bar = openProgress();
  const bad: Bad[] = [];
  for (const [i, { input }] of population(of).entries()) {
    bar.step({ part: 'application', done: i, total: of.size });
    const refused = comparison.add(input.applicationId, input);
    if (refused !== null) bad.push({ line: i + 1, wrong: refusalText(refused) });
  }
  bar.clear();
  return bad;
}

async function addApplications(comparison: OpenComparison, path: string, on: PlainDate): Promise<Bad[]> {
  const total = await countLines(path);
  const bar = openProgress();
  const bad: Bad[] = [];
  let last = 0;
  for await (const read of readApplications(path, on)) {
    const { line } = read;
    last = line;
    if (total !== null) bar.step({ part: 'line', done: line, total });
    if ('wrong' in read) bad.push({ line, wrong: read.wrong });
    else {
      const refused = comparison.add(read.id, read.input);
      if (refused !== null) bad.push({ line, wrong: refusalText(refused) });
    }
  }
  bar.clear();
  if (last === 0) throw new UsageError(`--applications: ${path} has no applications.`);
  return bad;
}

// ---- versions ----

function versionsOf(values: Values, side: 'champion' | 'challenger', on: PlainDate): Versions {
  const { model, policy } = versionsOn(on);
  const [ownModel, ownPolicy] = [values[`${side}-model`], values[`${side}-policy`]];
  return {
    model: ownModel === undefined ? model : versionOf(ownModel, `--${side}-model`, 'model', readModel),
    policy: ownPolicy === undefined ? policy : versionOf(ownPolicy, `--${side}-policy`, 'policy', readPolicy),
  };
}

function versionOf<T>(named: string, option: string, kind: 'model' | 'policy', read: (text: string) => T): T {
  const found = builtIn(kind).find(({ version }) => version === named);
  if (found !== undefined) return found as T;
  let text: string;
  try {
    text = readFileSync(named, 'utf8');
  } catch (error) {
    const known = builtIn(kind).map(({ version }) => version);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new UsageError(`${option}: ${named} cannot be read (${code}).`);
    throw new UsageError(`${option}: ${named} is neither a built-in version (${known.join(', ')}) nor a file.`);
  }
  try {
    return read(text);
  } catch (error) {
    throw new UsageError(`${option}: ${named}: ${shortened((error as Error).message)}`);
  }
}

/** A file with thousands of mistakes is told about the first. */
function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)} …`;
}

function print(what: string, on: PlainDate): void {
  const inForce = versionsOn(on);
  const all = [...builtIn('model'), ...builtIn('policy')];
  const found = what === 'model' || what === 'policy' ? inForce[what] : all.find(({ version }) => version === what);
  if (found === undefined) {
    const known = all.map(({ version }) => version).join(', ');
    throw new UsageError(`--print must be model, policy or one of ${known}.`);
  }
  console.log(JSON.stringify(found, null, 2));
}

// ---- the list ----

const SIDES = ['champion', 'challenger'] as const;
const FIGURES = ['Decision', 'Rules', 'Grade', 'DefaultProbability', 'Rate'] as const;

function swapList({ swaps }: Comparison): string {
  const head = ['application', 'swap', ...SIDES.flatMap((side) => FIGURES.map((figure) => `${side}${figure}`))];
  const lines = swaps.map(({ application, swap, ...sides }) => [
    csvText(application),
    csvFigure(swap),
    ...SIDES.flatMap((name) => {
      const { decision, rules, grade, defaultProbability, ratePercent } = sides[name];
      return [
        csvFigure(decision),
        csvText(rules.join(' ')),
        csvFigure(grade),
        csvFigure(defaultProbability),
        csvFigure(ratePercent),
      ];
    }),
  ]);
  return [head.map(csvText), ...lines].map(csvLine).join('');
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw notWritable('--csv', path, (error as NodeJS.ErrnoException).code);
  }
}
