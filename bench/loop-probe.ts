/**
 * Loaded into the service (`node --import`) by `loop.ts` only: every millisecond it measures how much processor time
 * the event loop's thread has used since the last measurement. Long work between two measurements is one turn of the loop that blocks all other requests.
 * A connection to its socket is answered with the longest turn since the last connection, as JSON.
 */
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

export type Longest = { cpuMs: number; wallMs: number };

const path = process.env.LOOP_PROBE;
if (isMainThread && path !== undefined) {
  let longest: Longest = { cpuMs: 0, wallMs: 0 };
  let before = { cpu: cpuMs(), wall: performance.now() };
  const look = () => {
    const now = { cpu: cpuMs(), wall: performance.now() };
    longest.cpuMs = Math.max(longest.cpuMs, now.cpu - before.cpu);
    longest.wallMs = Math.max(longest.wallMs, now.wall - before.wall);
    before = now;
  };
  setInterval(look, 1).unref();
  const server = createServer((socket) => {
    look();
    socket.end(JSON.stringify(longest));
    longest = { cpuMs: 0, wallMs: 0 };
  });
  server.listen(path).unref();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
