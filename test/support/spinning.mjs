/** Loaded into a process with --import: on SIGUSR2 its event loop never comes back, as after a mistake in a loop. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) process.on('SIGUSR2', spinForEver);

function spinForEver() {
  for (let turns = 0; ; turns += 1) if (turns < 0) return;
}
