/** `npm run release` in a clone of the tree as it is here, committed or not: what it refuses, what it does, and that it leaves alone what it only checks. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/documents.ts';

const run = promisify(execFile);
let clone: string;

const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8', stdio: 'pipe' }).trim();

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'daybook-release-'));
  const known = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const path of known.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    cpSync(join(root, path), join(clone, path), { force: true });
  }
  git('init', '--quiet', '--initial-branch', 'main');
  for (const [name, value] of Object.entries({ name: 'Tester', email: 'tester@example.com' }))
    git('config', `user.${name}`, value);
  for (const folder of ['', 'sdk', 'web', 'test/clients']) {
    const packages = join(root, folder, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(clone, folder, 'node_modules'));
  }
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  // Between releases the drawing's numbers of lines may lag behind.
  execFileSync(process.execPath, [join(clone, 'scripts/drawing.ts')], { cwd: clone });
  git('add', '--all');
  git('commit', '--quiet', '--message', 'everything');
}, 120_000);
afterAll(() => {
  if (clone) rmSync(clone, { recursive: true, force: true });
});

async function release(...args: string[]): Promise<{ code: number; said: string }> {
  const script = join(clone, 'scripts/release.ts');
  const env = { ...process.env, npm_lifecycle_event: 'release' };
  return run(process.execPath, [script, ...args], { cwd: clone, env }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, said: stdout + stderr }),
  );
}
const file = (path: string) => readFileSync(join(clone, path), 'utf8');
const failed = (said: string) => [...said.matchAll(/^✗ (.*?) {2,}/gm)].map(([, name]) => name);

/** Each try makes every generated file again, which takes a minute: `TEST_LONG=1` runs them all. */
const longTest = process.env.TEST_LONG ? test : test.skip;

describe('npm run release', () => {
  test('wrong arguments end with 2 and the usage', async () => {
    for (const args of [['--dryrun'], ['1.0.0', '2.0.0'], ['--tests-passed']]) {
      const { code, said } = await release(...args);
      expect([code, said.includes('Usage: npm run release')], args.join(' ')).toEqual([2, true]);
    }
    expect((await release('--help')).code).toBe(0);
  });

  test('what is not in order is named with what to do, and nothing long is tried', async () => {
    writeFileSync(join(clone, 'left-over.md'), 'x\n');
    git('switch', '--quiet', '--create', 'other');
    git('tag', 'v1.0.0-rc.1');
    const { code, said } = await release('--dry-run');
    expect(code).toBe(1);
    expect(failed(said)).toEqual(['work tree', 'branch', 'tag']);
    expect(said).toContain('commit or remove them: left-over.md');
    expect(said).toContain('git switch main');
    expect(said).toContain('– generated files  not tried until the above is in order');
    expect(failed((await release('3.0.0', '--dry-run')).said)).toContain('version');
    git('tag', '--delete', 'v1.0.0-rc.1');
    git('switch', '--quiet', 'main');
    rmSync(join(clone, 'left-over.md'));
  });

  longTest(
    'a generated file that is out of date is named, and the tree is left as it was',
    async () => {
      const text = file('docs/reference.md');
      writeFileSync(join(clone, 'docs/reference.md'), `${text}More.\n`);
      git('commit', '--quiet', '--all', '--message', 'by hand');
      const { code, said } = await release('--dry-run');
      expect([code, ...failed(said)]).toEqual([1, 'generated files']);
      expect(said).toContain('docs/reference.md is out of date');
      expect([git('status', '--porcelain'), file('docs/reference.md')]).toEqual(['', `${text}More.\n`]);
      git('reset', '--quiet', '--hard', 'HEAD~1');
    },
    900_000,
  );

  test('a dry run of a tree that is in order says so and changes nothing', async () => {
    const head = git('rev-parse', 'HEAD');
    const { code, said } = await release('--dry-run');
    expect(said).toContain('1.0.0-rc.1 can be released: npm run release -- 1.0.0-rc.1');
    expect([code, ...failed(said)]).toEqual([0]);
    expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag')]).toEqual(['', head, '']);
  }, 900_000);

  longTest(
    'the tests of another commit prove nothing',
    async () => {
      const { code, said } = await release('--dry-run', '--tests-passed', 'abc1234');
      expect([code, ...failed(said)]).toEqual([1, 'tests']);
    },
    900_000,
  );

  longTest(
    'a release moves all versions, dates the changelog, commits and tags, and pushes nothing',
    async () => {
      const { code, said } = await release('--tests-passed', git('rev-parse', 'HEAD'));
      expect(said).toContain('Released 1.0.0-rc.1 as the tag v1.0.0-rc.1. Nothing was pushed');
      expect(code).toBe(0);
      expect(git('status', '--porcelain')).toBe('');
      expect(git('log', '-1', '--format=%s')).toBe('release: 1.0.0-rc.1');
      expect(git('cat-file', '-t', 'v1.0.0-rc.1')).toBe('tag');
      expect(git('rev-parse', 'v1.0.0-rc.1^{commit}')).toBe(git('rev-parse', 'HEAD'));
      expect(JSON.parse(file('openapi.json')).info.version).toBe('1.0.0-rc.1');
      expect(JSON.parse(file('docs/postman.json')).info.version).toBe('1.0.0-rc.1');
      expect(file('CHANGELOG.md')).toMatch(
        /## \[Unreleased\]\n\n## \[1\.0\.0-rc\.1\] - \d{4}-\d\d-\d\d\n\n### Added\n/,
      );
      for (const entry of ['src/main.ts', 'src/cli/main.ts']) {
        const { stdout } = await run(process.execPath, [join(clone, entry), '--version'], { cwd: clone });
        expect(stdout.trim()).toBe('1.0.0-rc.1');
      }
      // The next one: the same version is refused, and there is nothing to say about another.
      expect(failed((await release('1.0.0-rc.1', '--dry-run')).said)).toEqual(['version', 'tag', 'changelog']);
      const next = await release('--dry-run');
      expect(next.said).toContain('1.0.0-rc.1 → 1.0.0-rc.2');
      expect([next.code, ...failed(next.said)]).toEqual([1, 'changelog']);
    },
    900_000,
  );
});
