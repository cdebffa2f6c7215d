/**
 * The worker thread of the tests: one for all files that run in this thread, because a new one loads half of the service first. It is
 * never closed: idle, it keeps no process alive.
 */
import { openWorkers } from '../../src/workers/workers.ts';

export const testWorkers = openWorkers({ threads: 1, niceness: 0 });
