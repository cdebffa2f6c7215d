/** `npm run openapi`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { openRateLimiter } from '../http/shell/limits.ts';
import { openLog } from '../http/shell/log.ts';
import { openWorkers } from '../workers/workers.ts';
import type { Invocation, Topic } from './arguments.ts';

export const openapi: Topic = {
  usage: `Usage: npm run openapi [-- --check]
  (none)       write openapi.json from the routes
  --check      exit code 1 when openapi.json does not match the routes`,
  commands: { '': { may: ['check'], run: writeDocument } },
};

/** Imported here because the HTTP module takes longest to load and no other command needs it. */
async function writeDocument({ values }: Invocation): Promise<void> {
  const { buildApp } = await import('../http/app.ts');
  const { documentText } = await import('../http/document/document.ts');
  const { openMetrics } = await import('../http/shell/metrics.ts');
  const app = await buildApp({
    settings: readConfig({}),
    log: openLog('silent'),
    metrics: openMetrics({ pool: () => ({ total: 0, idle: 0, waiting: 0 }), process: false }),
    limiter: openRateLimiter(Date.now),
    addressLimiter: openRateLimiter(Date.now),
    workers: openWorkers(),
    phase: () => 'starting',
    services: () => null,
    databaseAnswers: async () => false,
    problem: () => null,
  });
  await app.ready();
  const text = documentText(app);
  const path = join(import.meta.dirname, '../..', 'openapi.json');
  if (!values.check) {
    writeFileSync(path, text);
    console.log('openapi.json written.');
    return;
  }
  if (readFileSync(path, 'utf8') === text) return;
  console.error('openapi.json does not match the routes: run `npm run openapi` and commit it.');
  process.exitCode = 1;
}
