/**
 * `npm run release`: checks that the tree can be released, says what is missing, and when nothing is, writes the new version, dates the
 * section of the changelog, commits and makes an annotated tag. It never pushes. `--dry-run` only checks. Exit codes: 0 released, or
 * could be; 1 something is missing; 2 wrong arguments.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { lostOptions } from '../src/cli/npm-options.ts';
import { lockComplaints, unreleased, versionsNamed, wantedVersion, withRelease, withVersion } from './versions.ts';

const USAGE = `Usage: npm run release -- [version] [--dry-run] [--tests-passed <commit>]
  version                    the version to release; without it the next candidate (1.0.0-rc.1, 1.0.0-rc.2, …)
  --dry-run                  check everything but the tests, and change nothing
  --tests-passed <commit>    the commit for which npm test and npm run test:slow have passed, in place of running them`;

/** In this order: each reads what the one before has written. */
const GENERATORS: readonly (readonly [command: string, file: string, ...args: string[]])[] = [
  ['openapi', 'src/cli/main.ts', 'openapi'],
  ['sdk', 'sdk/generate.ts'],
  ['reference', 'scripts/reference.ts'],
  ['postman', 'scripts/postman.ts'],
  ['drawing', 'scripts/drawing.ts'],
  ['tables', 'scripts/tables.ts'],
];

const root = dirname(import.meta.dirname);
const files = (path: string) => readFileSync(join(root, path), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trimEnd();

/** Null: in order; else what to do. */
type Outcome = { readonly found: string; readonly todo?: string | undefined };
type Check = readonly [name: string, run: () => Outcome];

const { asked, isDry, testsPassed } = argumentsOf(process.argv.slice(2));
const current = (JSON.parse(files('package.json')) as { version: string }).version;
const changelog = files('CHANGELOG.md');
const log = unreleased(changelog);
const wanted = wantedVersion(asked, current, log.released);

const quick: readonly Check[] = [
  ['work tree', workTree],
  ['branch', branch],
  [
    'version',
    () =>
      'problem' in wanted ? { found: current, todo: wanted.problem } : { found: `${current} → ${wanted.version}` },
  ],
  ['tag', tag],
  ['versions agree', versionsAgree],
  ['lock file', lockFile],
  [
    'changelog',
    () => ({
      found: `${log.lines} unreleased lines`,
      ...(log.problem === null ? {} : { todo: `${log.problem}: say there what the release changes` }),
    }),
  ],
];
/** Only in a tree that can be put back as it was. */
const slow: readonly Check[] = [
  ['generated files', generatedFiles],
  ['types and lint', () => command('npm run check', ['scripts/test.mjs', '--check'])],
  ['tests', tests],
];

console.log(
  `Release of Daybook${'version' in wanted ? ` ${wanted.version}` : ''}${isDry ? ' (dry run: nothing is changed)' : ''}\n`,
);
let missing = quick.filter((check) => !tried(check)).length;
for (const check of slow) {
  if (missing > 0) console.log(`– ${check[0].padEnd(16)} not tried until the above is in order`);
  else if (!tried(check)) missing += 1;
}
if (missing > 0 || 'problem' in wanted) {
  console.log(`\n${missing} ${missing === 1 ? 'check' : 'checks'} failed. Nothing was changed.`);
  process.exit(1);
}
if (isDry) console.log(`\n${wanted.version} can be released: npm run release -- ${wanted.version}`);
else release(wanted.version);

function tried([name, run]: Check): boolean {
  const { found, todo } = run();
  console.log(
    `${todo === undefined ? '✓' : '✗'} ${name.padEnd(16)} ${found}${todo === undefined ? '' : `\n    ${todo}`}`,
  );
  return todo === undefined;
}

// ---- arguments ----

function argumentsOf(args: string[]): { asked: string | null; isDry: boolean; testsPassed: string | null } {
  const options = {
    'dry-run': { type: 'boolean' },
    'tests-passed': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    // `npm run release --dry-run` would release.
    const lost = lostOptions('release', { '': {} }, { args, options, env: process.env });
    if (lost !== null) throw new Error(lost);
    if (positionals.length > 1) throw new Error('Give one version.');
    return {
      asked: positionals[0] ?? null,
      isDry: values['dry-run'] === true,
      testsPassed: values['tests-passed'] ?? null,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

// ---- checks ----

function workTree(): Outcome {
  const changed = git('status', '--porcelain').split('\n').filter(Boolean);
  if (changed.length === 0) return { found: 'clean' };
  return {
    found: `${changed.length} changed files`,
    todo: `commit or remove them: ${changed
      .slice(0, 5)
      .map((line) => line.slice(3))
      .join(', ')}`,
  };
}

function branch(): Outcome {
  const name = git('rev-parse', '--abbrev-ref', 'HEAD');
  return name === 'main' ? { found: 'main' } : { found: name, todo: 'releases are made on main: git switch main' };
}

function tag(): Outcome {
  const name = `v${'version' in wanted ? wanted.version : current}`;
  const exists = git('tag', '--list', name) !== '';
  return exists
    ? {
        found: name,
        todo: `the tag exists; release the next version, or remove the tag if it was never pushed: git tag -d ${name}`,
      }
    : { found: `${name} is free` };
}

function versionsAgree(): Outcome {
  const named = versionsNamed(files);
  const other = named.filter(({ version }) => version !== current);
  if (other.length === 0) return { found: `${current} in ${named.length} places` };
  return {
    found: `not ${current} everywhere`,
    todo: `correct ${other.map(({ place, version }) => `${place} (${version})`).join(', ')}`,
  };
}

function lockFile(): Outcome {
  const complaints = lockComplaints(files);
  if (complaints.length === 0) return { found: 'agrees with package.json and the workspaces' };
  return { found: complaints.join('; '), todo: 'npm install --package-lock-only, then commit' };
}

function generatedFiles(): Outcome {
  for (const [name, file, ...args] of GENERATORS) {
    const { found, todo } = command(`npm run ${name}`, [file, ...args]);
    if (todo !== undefined) return { found, todo };
  }
  const changed = git('diff', '--name-only').split('\n').filter(Boolean);
  if (changed.length === 0) return { found: `${GENERATORS.length} generators change nothing` };
  // The tree was clean, so this is what it was.
  git('checkout', '--', ...changed);
  return {
    found: `${changed.join(', ')} ${changed.length === 1 ? 'is' : 'are'} out of date`,
    todo: `${GENERATORS.map(([name]) => `npm run ${name}`).join(' && ')}, then commit`,
  };
}

function tests(): Outcome {
  const head = git('rev-parse', 'HEAD');
  if (testsPassed !== null) {
    const given = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${testsPassed}^{commit}`], {
      cwd: root,
      encoding: 'utf8',
    });
    if (given.stdout.trim() === head) return { found: `said to have passed for ${head.slice(0, 12)}` };
    return {
      found: `passed for ${testsPassed}, and this is ${head.slice(0, 12)}`,
      todo: 'run the tests for this commit',
    };
  }
  if (isDry) return { found: 'not run by a dry run; the release runs npm test and npm run test:slow' };
  const usual = command('npm test', ['scripts/test.mjs'], 'inherit');
  return usual.todo === undefined ? command('npm run test:slow', ['scripts/test.mjs', '--slow'], 'inherit') : usual;
}

function command(name: string, [file = '', ...args]: readonly string[], stdio: 'pipe' | 'inherit' = 'pipe'): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, file), ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', stdio, stdio],
  });
  if (status === 0) return { found: 'passed' };
  return {
    found: `${name} failed\n${`${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-20).join('\n')}`,
    todo: `run ${name}, and correct what it says`,
  };
}

// ---- the release ----

function release(version: string): void {
  const day = new Date().toISOString().slice(0, 10);
  const texts = withVersion(files, version).set('CHANGELOG.md', withRelease(changelog, version, day));
  try {
    for (const [path, text] of texts) writeFileSync(join(root, path), text);
    for (const [name, file, ...args] of GENERATORS) {
      const { todo } = command(`npm run ${name}`, [file, ...args]);
      if (todo !== undefined) throw new Error(`npm run ${name} failed.`);
    }
    git('commit', '--all', '--message', `release: ${version}`);
    git('tag', '--annotate', `v${version}`, '--message', `Daybook ${version}`);
  } catch (error) {
    // The tree was clean.
    git('checkout', 'HEAD', '--', '.');
    console.error(`\nThe release was not made: ${(error as Error).message}`);
    process.exit(1);
  }
  console.log(
    `\nReleased ${version} as the tag v${version}. Nothing was pushed; look at it (git show v${version}), then: git push origin main v${version}`,
  );
}
