/** The rules of `npm run release`: version numbers, the places that name the version, the changelog. The command itself: test/slow/release.test.ts. */
import { describe, expect, test } from 'vitest';
import {
  lockComplaints,
  nextVersions,
  unreleased,
  versionsNamed,
  wantedVersion,
  withRelease,
  withVersion,
} from '../scripts/versions.ts';
import { read } from './support/documents.ts';

describe('a version', () => {
  test.each([
    ['0.1.0', false, ['1.0.0-rc.1']],
    ['1.0.0-rc.1', true, ['1.0.0-rc.2', '1.0.0']],
    ['1.0.0-rc.9', true, ['1.0.0-rc.10', '1.0.0']],
    ['1.2.3', true, ['1.2.4', '1.3.0', '2.0.0', '1.2.4-rc.1', '1.3.0-rc.1', '2.0.0-rc.1']],
  ])('after %s (released: %s) may be %j', (current, released, next) => {
    expect(nextVersions(current, released)).toEqual(next);
  });

  test('is the next candidate when none is named, but after a whole version somebody has to say which', () => {
    expect(wantedVersion(null, '0.1.0', false)).toEqual({ version: '1.0.0-rc.1' });
    expect(wantedVersion(null, '1.0.0-rc.1', true)).toEqual({ version: '1.0.0-rc.2' });
    expect(wantedVersion('1.0.0', '1.0.0-rc.2', true)).toEqual({ version: '1.0.0' });
    expect(wantedVersion(null, '1.0.0', true)).toMatchObject({ problem: expect.stringContaining('Say which version') });
  });

  test.each([
    ['0.9.0', '0.1.0', false],
    ['1.0.0-rc.1', '1.0.0-rc.1', true],
    ['1.0.0-rc.1', '1.0.0-rc.2', true],
    ['1.0.0-rc.4', '1.0.0-rc.2', true],
    ['1.0.0-rc.3', '1.0.0', true],
    ['1.0.0', '1.0.0', true],
    ['0.9.9', '1.0.0', true],
    ['1.0.2', '1.0.0', true],
    ['1.2.0', '1.0.0', true],
    ['v1.0.1', '1.0.0', true],
    ['1.0.1-rc.0', '1.0.0', true],
    ['1.0.01', '1.0.0', true],
    ['1.0.1-beta.1', '1.0.0', true],
  ])('%s does not follow %s (released: %s)', (asked, current, released) => {
    expect(wantedVersion(asked, current, released)).toHaveProperty('problem');
  });
});

describe('the places that name it', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };

  test('agree, and the lock file with the manifests', () => {
    expect(versionsNamed(read).filter((one) => one.version !== version)).toEqual([]);
    expect(versionsNamed(read).length).toBeGreaterThan(12);
    expect(lockComplaints(read)).toEqual([]);
  });

  test('move together, but for openapi.json, which is generated', () => {
    const texts = withVersion(read, '1.0.0-rc.7');
    const then = (path: string) => texts.get(path) ?? read(path);
    expect(versionsNamed(then).filter((one) => one.version !== '1.0.0-rc.7')).toEqual([
      { place: 'openapi.json', version },
    ]);
    expect(lockComplaints(then)).toEqual([]);
    // Nothing else is written in another way than npm and the formatter write it.
    const back = withVersion(then, version);
    for (const [path, text] of back) expect(text, path).toBe(read(path));
  });

  test('and one that was forgotten is named', () => {
    const other = (path: string) =>
      path === 'sdk/package.json' ? read(path).replace(`"version": "${version}"`, '"version": "9.9.9"') : read(path);
    expect(versionsNamed(other).filter((one) => one.version !== version)).toEqual([
      { place: 'sdk/package.json', version: '9.9.9' },
    ]);
    const added = (path: string) =>
      path === 'web/package.json' ? read(path).replace('"react":', '"left-pad": "1.0.0",\n    "react":') : read(path);
    expect(lockComplaints(added)).toEqual(['dependencies of web/package.json are not those of package-lock.json']);
  });
});

describe('the changelog', () => {
  const text = '# Changelog\n\nIntro.\n\n## [Unreleased]\n\n### Added\n\n- One.\n- Two.\n';

  test('has a dated section afterwards, below one that is empty', () => {
    expect(unreleased(text)).toEqual({ lines: 2, released: false, problem: null });
    const then = withRelease(text, '1.0.0-rc.1', '2026-11-18');
    expect(then).toBe(
      '# Changelog\n\nIntro.\n\n## [Unreleased]\n\n## [1.0.0-rc.1] - 2026-11-18\n\n### Added\n\n- One.\n- Two.\n',
    );
    expect(unreleased(then)).toEqual({
      lines: 0,
      released: true,
      problem: 'CHANGELOG.md has no line under Unreleased',
    });
  });

  test('without the section, or without a line in it, nothing is released', () => {
    expect(unreleased('# Changelog\n').problem).toContain('no section');
    expect(unreleased('# Changelog\n\n## [Unreleased]\n\n### Added\n').problem).toContain('no line');
  });

  test('of the project can be released', () => {
    expect(unreleased(read('CHANGELOG.md')).problem).toBeNull();
  });
});
