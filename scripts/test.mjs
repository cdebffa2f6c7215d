/**
 * `npm test`: types, lint, tests, the statements that they sent (`statements.ts`), and as the last line the count. `npm run test:long`
 * (`--long`) runs the sizes that take minutes. With arguments (`npm test -- src/core`, `npm test -- -t waterfall`) only vitest runs, with those; with
 * `--on-the-server` it runs the files that use the server of the tests, for which TEST_DATABASE_URL may name another.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const root = path.dirname(import.meta.dirname);
const bin = (name) => path.join(root, 'node_modules', '.bin', name);

if (Number(process.versions.node.split('.')[0]) < 26) {
  // Started directly with the machine's Node.
  const { status } = spawnSync(bin('node'), process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}

process.chdir(root);
const args = process.argv.slice(2).filter((arg) => arg !== '--long' && arg !== '--on-the-server');
if (process.argv.includes('--on-the-server')) args.push(...filesOnTheServer());
if (process.argv.includes('--long')) process.env.TEST_LONG = '1';

// Beside the tests, which often wait for processes to start.
// The client and the pages are compiled for browsers, without the types of Node.
const checking =
  args.length > 0
    ? []
    : Promise.all([
        check('types', 'tsc'),
        ...['sdk', 'web'].map((folder) => check(`types of ${folder}`, 'tsc', ['-p', folder, '--noEmit'])),
        check('lint', 'biome', lintArgs()),
      ]);
// Not with the imports above: the machine's Node cannot load it.
const { judgeStatements, recordStatements } = await import('./statements.ts');
const recorded = args.length > 0 ? null : recordStatements();
const tests = await runTests(args);
const checks = await checking;
if (recorded !== null) checks.push(judgeStatements(recorded));

const failed = tests.failed + checks.filter((passed) => !passed).length;
console.log(`${tests.passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''}`);
// Vitest has set its own exit code for any other failure. A run without a test is a failure.
process.exit(failed > 0 || tests.passed === 0 ? 1 : (process.exitCode ?? 0));

function lintArgs() {
  return ['check', '--error-on-warnings', ...(process.stdout.isTTY ? ['--colors=force'] : []), '.'];
}

/** Runs one of the locked tools; its output is shown only when it fails. */
async function check(label, tool, toolArgs = []) {
  const started = performance.now();
  const child = spawn(bin(tool), toolArgs, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const status = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  const passed = status === 0;
  if (!passed) process.stdout.write(output);
  console.log(
    `${label.padEnd(12)} ${passed ? 'ok' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
  );
  return passed;
}

/** The test files that import, directly or through others, what is given the server or reads which one it is. */
function filesOnTheServer() {
  const files = new Map();
  const read = (file) => {
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(/(?:\bfrom |\bimport\()'(\.[^']*\.ts)'/g)];
    const one = {
      usesServer: /inject\('server'\)|env\.TEST_DATABASE_URL/.test(text),
      imports: imports.map(([, to]) => path.resolve(path.dirname(file), to)).filter((to) => existsSync(to)),
    };
    files.set(file, one);
    return one;
  };
  const reaches = (test) => {
    const seen = new Set([test]);
    for (const file of seen) {
      const { usesServer, imports } = files.get(file) ?? read(file);
      if (usesServer) return true;
      for (const to of imports) seen.add(to);
    }
    return false;
  };
  // These take minutes and ask no more of the database than others do: the pages, the demonstration, clients, calculators, requests that are
  // refused before anything is read, and of those with several processes all but `instances` and `faults`.
  const exclude = [
    'test/browser/**',
    'test/{demo,interface,round-trip}.test.ts',
    'src/demo/**',
    'test/{clients,failover,owners,restored-database,sdk-package,webhooks-killed}.test.ts',
    'test/*-across-processes.test.ts',
    'test/sign-in/**',
    'test/api/{calculators,fuzz,matrix,offer,roles}.test.ts',
  ];
  const tests = globSync('{src,test}/**/*.test.ts', { cwd: root, exclude });
  return tests.map((file) => path.join(root, file)).filter(reaches);
}

async function runTests(testArgs) {
  const { parseCLI, startVitest } = await import('vitest/node');
  const { filter, options } = parseCLI(['vitest', 'run', ...testArgs]);
  // Vitest reports why a test failed only after all have run, which takes an hour for the long ones.
  const reporters = process.env.TEST_LONG ? ['default', { onTestCaseResult: tellFailure }] : undefined;
  const vitest = await startVitest(filter, { ...options, watch: false, ...(reporters && { reporters }) });
  await vitest.close();
  // An error outside of every test (in the global setup, or thrown after its test has ended) is a failure too.
  const count = { passed: 0, failed: vitest.state.getUnhandledErrors().length, skipped: 0 };
  for (const module of vitest.state.getTestModules()) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      count[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1;
    }
    // A file that cannot be loaded, or a hook around its tests that throws, fails without a failed test.
    count.failed += module.errors().length;
    for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
  }
  return count;
}

function tellFailure(test) {
  const { state, errors } = test.result();
  if (state !== 'failed') return;
  for (const { message = '', stack = '' } of errors)
    console.log(`${test.fullName}\n${message}\n${stack}`.slice(0, 4_000));
}
