import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { events } from './web/events.ts';
import { operations } from './web/operations.ts';

/** Several servers take longer, and so do the large sizes. */
const PATIENCE_MS = process.env.TEST_CITUS_URL || process.env.TEST_LONG ? 600_000 : 60_000;

export default defineConfig({
  plugins: [events(), operations()],
  // The client is imported from its source, not from what was last built.
  ssr: { resolve: { conditions: ['daybook-source', ...defaultServerConditions] } },
  test: {
    include: ['{src,test}/**/*.test.ts', '{sdk,web,study}/src/**/*.test.ts'],
    globalSetup: ['./test/support/setup.ts'],
    setupFiles: ['./test/support/seed.ts'],
    // Threads that share one module graph: the suite takes a tenth of the isolated time. The price is that no
    // test may leave global state behind.
    pool: 'threads',
    isolate: false,
    // One more than there are processors: much of a test is waiting, for timers, the database or a browser.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // Against what hangs; a machine that does other things may be ten times as slow, and several servers on one machine are too.
    // In one of the suites a group may have no test: `scripts/test.mjs` fails a run without any.
    passWithNoTests: true,
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 2 } },
    teardownTimeout: 15_000,
  },
});
