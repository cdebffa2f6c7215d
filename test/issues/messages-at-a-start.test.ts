/** A start that fails says why in one line, and what to do. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDataFolder } from '../../src/store/db/embedded.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'daybook-messages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('DATA_DIR', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const dangling = join(folder, 'dangling');
  symlinkSync(join(folder, 'missing', 'folder'), dangling);

  test.each([
    ['is a file', file, /is not a folder/],
    ['is below a file', join(file, 'data'), /is not a folder/],
    ['is a link to nothing', dangling, /is not a folder/],
  ])('that %s', (_, dataDir, why) => {
    expect(() => openDataFolder(dataDir)).toThrow(why);
  });

  // In a process of its own, with a timeout: Node's recursive mkdir never returns there.
  test.runIf(process.platform === 'linux')('where no folder can be made', () => {
    const { status, stderr } = start({ DATA_DIR: '/proc/daybook/data' });
    expect(stderr).toMatch(/^DATA_DIR \(\/proc\/daybook\/data\) cannot be created\. .*\n$/);
    expect(status).toBe(2);
  });
});

test('a TMPDIR that does not exist', () => {
  const { status, stderr } = start({ DATA_DIR: join(folder, 'data'), TMPDIR: join(folder, 'nowhere') });
  expect(stderr).toMatch(/^The temporary folder .*nowhere does not exist\. Set TMPDIR .*\n$/);
  expect(status).toBe(2);
});

/** The command `migrate`, which opens DATA_DIR and starts the database as the service does, and is ended after 15 seconds. */
function start(env: Record<string, string>) {
  return spawnSync(process.execPath, ['src/cli/main.ts', 'migrate'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    timeout: 15_000,
    killSignal: 'SIGKILL',
  });
}
