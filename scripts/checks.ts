/** Types and lint. A tree that has passed is remembered by its contents, and the compiler keeps what it found, so that a second time takes next to nothing. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.dirname(import.meta.dirname);
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'checks');
const PASSED = path.join(CACHE, 'passed');

/** The number of checks that failed. */
export async function runChecks(): Promise<number> {
  const tree = contents();
  if (tree !== null && tree === lastPassed()) {
    console.log('types, lint  ok (nothing has changed)');
    return 0;
  }
  mkdirSync(CACHE, { recursive: true });
  const colors = process.stdout.isTTY ? ['--colors=force'] : [];
  const results = await Promise.all([
    check('types', 'tsc', kept('all')),
    // The client and the pages are compiled for browsers, without the types of Node.
    ...['sdk', 'web'].map((folder) => check(`types of ${folder}`, 'tsc', ['-p', folder, '--noEmit', ...kept(folder)])),
    check('lint', 'biome', ['check', '--error-on-warnings', ...colors, '.']),
  ]);
  const failed = results.filter((passed) => !passed).length;
  if (failed === 0 && tree !== null) writeFileSync(PASSED, tree);
  return failed;
}

const kept = (name: string) => ['--incremental', '--tsBuildInfoFile', path.join(CACHE, `${name}.tsbuildinfo`)];

/** One of the locked tools; its output is shown only when it fails. */
async function check(label: string, tool: string, args: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const child = spawn(path.join(ROOT, 'node_modules', '.bin', tool), args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const status = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  const passed = status === 0;
  if (!passed) process.stdout.write(output);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${label.padEnd(12)} ${passed ? 'ok' : 'FAILED'} (${seconds} s)`);
  return passed;
}

/** A digest of every file that git does not ignore, and so of the versions of all packages; null where this is not a clone. */
function contents(): string | null {
  const { status, stdout } = spawnSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) return null;
  const digest = createHash('sha256').update(process.version);
  for (const file of stdout.split('\0').filter(Boolean))
    digest.update(`\0${file}\0`).update(read(path.join(ROOT, file)));
  return digest.digest('hex');
}

function lastPassed(): string | null {
  return read(PASSED).toString() || null;
}

/** Nothing where there is no such file: one that git knows may have been deleted. */
function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
