/**
 * The benches that matter most to users, with small sizes, in about ten minutes: each against its own limit in the same run, in five rounds that
 * alternate with it. The medians are compared with `bench/baseline.json`, which has ratios and no times, so that another machine may compare. A
 * ratio that is worse by more than 15 % and by more than the spread of its rounds fails the run; so does a bench with wrong results.
 *   npm run bench -- --help
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Ratios } from './measure.ts';
import { type Judged, judge, nextBaseline } from './verdict.ts';

const BASELINE = join(import.meta.dirname, 'baseline.json');

/** The whole bench is run this many `times`; the others have five rounds in one run. */
type Bench = { env: Record<string, string>; times?: number };

const BENCHES: Readonly<Record<string, Bench>> = {
  repay: { env: { BENCH_LOANS: '2000', BENCH_MONTHS: '12', BENCH_SECONDS: '4', BENCH_ROUNDS: '5' } },
  http: { env: { BENCH_SECONDS: '2', BENCH_ROUNDS: '5' } },
  read: { env: { BENCH_SECONDS: '1', BENCH_ROUNDS: '5', BENCH_BY: 'token' } },
  lists: { env: { BENCH_LOANS: '50000', BENCH_ROUNDS: '5' } },
  audit: { env: { BENCH_ENTRIES: '100000', BENCH_ROUNDS: '25' } },
  nightly: { env: { BENCH_LOANS: '20000', BENCH_PARTS: 'a' }, times: 5 },
  portfolio: { env: { BENCH_LOANS: '10000', BENCH_ROUNDS: '5', BENCH_RAW_ROUNDS: '5' } },
  underwrite: { env: { BENCH_DECISIONS: '500' } },
};

const USAGE = `npm run bench                 all of: ${Object.keys(BENCHES).join(', ')}
npm run bench -- repay http   only these
npm run bench -- --keep       also writes the ratios of this run to bench/baseline.json
npm run bench -- --help       this

About ten minutes on two cores; other programs should be quiet meanwhile. The whole of a bench: npm run bench:<name>.
Ends with 1 when a ratio is worse than in the baseline by more than 15 % and more than the spread of its rounds.`;

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-all-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const { values, positionals } = asked();
  const unknown = positionals.filter((name) => !(name in BENCHES));
  if (values.help === true || unknown.length > 0) {
    if (unknown.length > 0) console.log(`There is no bench ${unknown.join(', ')}.\n`);
    console.log(USAGE);
    return unknown.length > 0 ? 2 : 0;
  }
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
  const measured: Record<string, number[]> = {};
  const failed: string[] = [];
  const outside: string[] = [];
  const began = performance.now();
  for (const [i, name] of names.entries()) {
    const left = `${i + 1} of ${names.length}, after ${minutes(performance.now() - began)}`;
    console.log(`\n── ${name} (${left}) ${'─'.repeat(Math.max(0, 60 - name.length - left.length))}`);
    const { code, ratios } = await run(name, BENCHES[name] as Bench);
    for (const [what, some] of Object.entries(ratios ?? {})) measured[what] = [...(measured[what] ?? []), ...some];
    if (ratios === null) failed.push(name);
    else if (code !== 0) outside.push(name);
  }
  const baseline = JSON.parse(readFileSync(BASELINE, 'utf8')) as Record<string, number>;
  const judged = judge(baseline, measured).filter(({ now }) => now !== null || positionals.length === 0);
  console.log(`\n${tableOf(judged)}\n`);
  if (outside.length > 0) {
    console.log(`Outside a limit of its own, which is for the whole size and a quiet machine: ${outside.join(', ')}.`);
  }
  const worse = judged.filter(({ verdict }) => verdict === 'WORSE');
  for (const { name, baseline: before, now } of worse) {
    console.log(`!!! WORSE THAN THE BASELINE: ${name}, ${text(now)} instead of ${text(before)}`);
  }
  for (const name of failed) console.log(`!!! FAILED: ${name} ended without a result`);
  if (values.keep === true && failed.length === 0) {
    writeFileSync(BASELINE, `${JSON.stringify(nextBaseline(judge(baseline, measured)), null, 2)}\n`);
    console.log('bench/baseline.json has the ratios of this run.');
  }
  console.log(`${minutes(performance.now() - began)}: ${worse.length + failed.length === 0 ? 'ok' : 'NOT OK'}`);
  return worse.length + failed.length === 0 ? 0 : 1;
}

function asked() {
  const options = { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.log(`${(error as Error).message.split('. ')[0]}.\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Its output is shown as it comes; the exit code is the last that was not 0. No ratios: it failed. */
async function run(name: string, { env, times = 1 }: Bench): Promise<{ code: number; ratios: Ratios | null }> {
  const file = join(dir, `${name}.jsonl`);
  const given = { ...process.env, ...env, BENCH_REPORT: file, BENCH_DATA: join(dir, `${name}-data`) };
  writeFileSync(file, '');
  let code = 0;
  for (let n = 0; n < times; n++) {
    const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { env: given, stdio: 'inherit' });
    code = (await new Promise<number>((resolve) => child.once('exit', (ended) => resolve(ended ?? 1)))) || code;
  }
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  if (lines.length < times) return { code, ratios: null };
  const ratios: Record<string, number[]> = {};
  for (const line of lines) {
    for (const [what, some] of Object.entries(JSON.parse(line) as Ratios)) {
      ratios[what] = [...(ratios[what] ?? []), ...some];
    }
  }
  return { code, ratios };
}

function tableOf(judged: readonly Judged[]): string {
  const width = Math.max(...judged.map(({ name }) => name.length), 'name'.length) + 2;
  const lines = judged.map(({ name, baseline, now, spread, verdict }) => [
    name.padEnd(width),
    text(baseline).padStart(10),
    text(now).padStart(10),
    (now === null ? '—' : `± ${(spread * 100).toFixed(0)} %`).padStart(10),
    `   ${verdict}`,
  ]);
  const head = ['name'.padEnd(width), ...['baseline', 'now', 'spread'].map((word) => word.padStart(10)), '   verdict'];
  return [head, ...lines].map((cells) => cells.join('')).join('\n');
}

function text(ratio: number | null): string {
  return ratio === null ? '—' : ratio.toPrecision(3);
}

function minutes(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
