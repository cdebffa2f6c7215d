/** Before all tests: one PostgreSQL server with a migrated template, given to `database.ts`, and a migrated DATA_DIR, given to `data-dir.ts`. Both are removed after them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import type { KeeperReport } from './server.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // In a session of its own, so that Ctrl-C reaches the tests and not the process that cleans up after them.
  const keeper = spawn(process.execPath, [fileURLToPath(new URL('./keeper.ts', import.meta.url))], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(keeper, 'exit');
  for await (const line of createInterface(keeper.stdout)) {
    const { server, dataDir } = JSON.parse(line) as KeeperReport;
    project.provide('server', server);
    project.provide('dataDir', dataDir);
    return async () => {
      keeper.stdin.end();
      await ended;
    };
  }
  throw new Error('The database of the tests did not start. The reason is above.');
}
