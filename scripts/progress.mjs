/**
 * Shows that a long step of a start goes on: on a terminal by one line that is written again each second, elsewhere by a line every
 * ten seconds. It uses no syntax newer than Node 14, because `packages.mjs` runs on whatever Node the machine has.
 */
import process from 'node:process';

const EVERY_MS = process.stderr.isTTY ? 1_000 : 10_000;

/** `state` returns how far the step is, or nothing as long as that is not known. */
export function startProgress(what, state) {
  const started = Date.now();
  const isLive = process.stderr.isTTY && process.env.TERM !== 'dumb';
  const elapsed = () => `${Math.round((Date.now() - started) / 1_000)} s`;
  const write = (text) => {
    // A line that the terminal wraps could not be written again.
    const line = text.slice(0, (process.stderr.columns || 80) - 1);
    process.stderr.write(isLive ? `\r${line}\x1b[K` : `${text}\n`);
  };
  write(`${what}…`);
  const timer = setInterval(() => {
    const known = state();
    write(`${what}… ${elapsed()}${known ? `, ${known}` : ''}`);
  }, EVERY_MS);
  const end = (text) => {
    clearInterval(timer);
    write(text);
    if (isLive) process.stderr.write('\n');
  };
  return {
    done: () => end(`${what}: done in ${elapsed()}.`),
    failed: () => end(`${what}: stopped after ${elapsed()}.`),
  };
}
