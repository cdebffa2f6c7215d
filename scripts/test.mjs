/**
 * `npm test`: types and lint, the tests, and the statements that they sent (`statements.ts`); at the end the slowest files and the count.
 * `npm run test:slow` (`--slow`) runs the files of test/slow and the products of others in full, `npm run test:long` (`--long`) all
 * files with the sizes that take minutes, and `npm run test:citus` (`--citus`) those of a database that is spread over the servers of the
 * coordinator at TEST_CITUS_URL. With arguments (`npm test -- src/core`, `npm test -- -t waterfall`) only vitest runs, with those; with `--on-the-server` it runs the
 * files that use the server of the tests, for which TEST_DATABASE_URL may name another. `--budgets` writes what the folders took as
 * their budgets; `--check` stops before the tests.
 */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

const root = path.dirname(import.meta.dirname);

const node = path.join(root, 'node_modules', '.bin', 'node');
if (realpathSync(process.execPath) !== realpathSync(node)) {
  // Started directly with the machine's Node.
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}

process.chdir(root);
// Imported here because the Node that npm runs on may not be able to read them.
const { runChecks } = await import('./checks.ts');
const { judgeStatements, recordStatements } = await import('./statements.ts');
const { CITUS, SLOW, citusFiles, filesOnTheServer, slowFiles } = await import('./test-files.ts');
const { openPace, overBudget, readBudgets, timesTable, writeBudgets } = await import('./test-times.ts');

const OWN = ['--long', '--slow', '--citus', '--on-the-server', '--budgets', '--check'];
const is = Object.fromEntries(OWN.map((name) => [name.slice(2), process.argv.includes(name)]));
const args = process.argv.slice(2).filter((arg) => !OWN.includes(arg));
const isWhole = args.length === 0 && !is['on-the-server'];
const isUsual = isWhole && !is.slow && !is.long && !is.citus;
if (is['on-the-server']) args.push(...filesOnTheServer());
if (is.citus && !process.env.TEST_CITUS_URL) {
  console.log(
    'Set TEST_CITUS_URL to the address of a Citus coordinator with two workers or more; docs/scaling.md says how to make one.',
  );
  process.exit(2);
}
if (is.long) process.env.TEST_LONG = '1';
if (is.slow) process.env.TEST_SLOW = '1';

// First, because they take seconds and the tests minutes.
if (is.check || isUsual || (is.long && isWhole)) {
  const failed = await runChecks();
  if (failed > 0 && !is.check)
    console.log(`Tests are run once types and lint are in order.\n0 passed, ${failed} failed`);
  if (failed > 0 || is.check) process.exit(failed > 0 ? 1 : 0);
}

const pace = openPace();
const recorded = isUsual ? recordStatements() : null;
const { count, times } = await runTests(args);
const paceMs = pace.median();
if (recorded !== null && !judgeStatements(recorded)) count.failed += 1;
if (isUsual || (is.slow && isWhole)) {
  const suite = is.slow ? 'slow' : 'usual';
  if (is.budgets) writeBudgets(suite, paceMs, times);
  const over = overBudget(readBudgets()[suite], paceMs, times);
  for (const line of over) console.log(`Over budget: ${line}`);
  count.failed += over.length;
}
console.log(`${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}`);
// Vitest has set its own exit code for any other failure. A run without a test is a failure.
process.exit(count.failed > 0 || count.passed === 0 ? 1 : (process.exitCode ?? 0));

async function runTests(testArgs) {
  const { configDefaults } = await import('vitest/config');
  const { parseCLI, startVitest } = await import('vitest/node');
  const { filter, options } = parseCLI(['vitest', 'run', ...testArgs]);
  // Vitest reports why a test failed only after all have run, which takes an hour for the long ones.
  const reporters = is.long ? ['default', { onTestCaseResult: tellFailure }] : undefined;
  const exclude = [
    ...configDefaults.exclude,
    ...(isUsual ? [SLOW] : []),
    ...(process.env.TEST_CITUS_URL ? [] : [CITUS]),
  ];
  const files = is.slow ? { include: slowFiles() } : is.citus && isWhole ? { include: citusFiles() } : { exclude };
  const given = { ...options, ...files, ...(reporters && { reporters }) };
  const vitest = await startVitest(filter, { ...given, watch: false });
  await vitest.close();
  const times = timesOf(vitest);
  if (times.length > 1) console.log(timesTable(times));
  return { count: countOf(vitest), times };
}

function countOf(vitest) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  // Named once more below everything else, because a log of ten thousand tests is often cut to its end.
  const fail = (where, errors) => {
    count.failed += errors.length;
    for (const { message = '' } of errors)
      console.log(`Failed: ${where}: ${stripVTControlCharacters(message)}`.slice(0, 1_000));
  };
  // An error outside of every test (in the global setup, or thrown after its test has ended) is a failure too.
  fail('outside of the tests', vitest.state.getUnhandledErrors());
  for (const module of vitest.state.getTestModules()) {
    const file = path.relative(root, module.moduleId);
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'failed') fail(`${file} > ${test.fullName}`, [errors[0] ?? {}]);
      else count[state === 'passed' ? 'passed' : 'skipped'] += 1;
    }
    // A file that cannot be loaded, or a hook around its tests that throws, fails without a failed test.
    fail(file, module.errors());
    for (const suite of module.children.allSuites()) fail(`${file} > ${suite.fullName}`, suite.errors());
  }
  return count;
}

/** Loading included: a file's imports are its own cost, and the first of a worker pays for what the others share. */
function timesOf(vitest) {
  return vitest.state.getTestModules().map((module) => {
    const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
    const ms = collectDuration + setupDuration + prepareDuration + duration;
    return { file: path.relative(root, module.moduleId), seconds: ms / 1000 };
  });
}

function tellFailure(test) {
  const { state, errors } = test.result();
  if (state !== 'failed') return;
  for (const { message = '', stack = '' } of errors)
    console.log(`${test.fullName}\n${message}\n${stack}`.slice(0, 4_000));
}
