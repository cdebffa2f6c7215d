/** Texts of real logs. */
import { expect, test } from 'vitest';
import { whyItEnded } from './log.ts';

const PLACE = {
  dataDir: '/nowhere/data',
  cluster: '/nowhere/data/postgres',
  log: '/nowhere/data/postgres.log',
  name: 'daybook-0',
};
const why = (log: string) => whyItEnded(log, PLACE, 'exit code 1');

const STARTING = `2026-11-15 14:18:24.858 UTC [21632] LOG:  starting PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit
2026-11-15 14:18:24.869 UTC [21632] LOG:  listening on Unix socket "/tmp/daybook-0/.s.PGSQL.5432"
2026-11-15 14:18:24.890 UTC [21638] LOG:  database system was shut down at 2026-11-15 14:17:59 UTC
`;
const ASKED = '2026-11-15 14:18:24.904 UTC [21639] FATAL:  the database system is starting up\n';
const ENDED = `2026-11-15 14:18:24.940 UTC [21632] LOG:  startup process (PID 21638) exited with exit code 1
2026-11-15 14:18:24.940 UTC [21632] LOG:  terminating any other active server processes
2026-11-15 14:18:24.942 UTC [21640] FATAL:  the database system is in recovery mode
2026-11-15 14:18:24.950 UTC [21632] LOG:  shutting down due to startup process failure
2026-11-15 14:18:24.978 UTC [21632] LOG:  database system is shut down
`;

test('a full disk is reported, however many of our connection attempts come before it in the log', () => {
  const full =
    '2026-11-15 14:18:24.936 UTC [21638] FATAL:  could not write to file "pg_wal/xlogtemp.21638": No space left on device\n';
  const sentence = 'The disk that holds DATA_DIR (/nowhere/data) is full. Free some space and start again.';
  expect(why(STARTING + ASKED + full + ENDED)).toBe(sentence);
  expect(why(STARTING + ASKED.repeat(2_000) + full + ENDED)).toBe(sentence);
  const torn = 'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 8\n';
  expect(why(STARTING + ASKED + torn)).toBe(sentence);
});

test('shared memory that is full is not the disk', () => {
  const said =
    'FATAL:  could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device\n';
  expect(why(STARTING + said)).toMatch(/\/dev\/shm/);
});

test('a cluster that others may read: the mode, and the command', () => {
  const said = '2026-11-15 14:22:58 UTC [1] FATAL:  data directory "/nowhere/data/postgres" has invalid permissions\n';
  expect(why(said)).toBe(
    "PostgreSQL requires that only its user can access /nowhere/data/postgres: run chmod 700 '/nowhere/data/postgres' and start again.",
  );
});

test('a cluster of another user', () => {
  expect(why('FATAL:  data directory "/nowhere/data/postgres" has wrong ownership\n')).toMatch(
    /belongs to another user.*chown/,
  );
});

test('any other cause is quoted, and never our own connection attempts', () => {
  const cause = 'FATAL:  could not locate a valid checkpoint record at 0/1A2B3C4D';
  expect(why(`${STARTING}${ASKED}2026-11-15 14:18:25 UTC [2] ${cause}\n${ENDED}`)).toBe(
    'The embedded PostgreSQL could not start (exit code 1): could not locate a valid checkpoint record at 0/1A2B3C4D. ' +
      'See /nowhere/data/postgres.log for details.',
  );
  const loader = 'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file';
  expect(why(loader)).toContain(loader);
  expect(why(STARTING + ASKED)).toBe(
    'The embedded PostgreSQL could not start (exit code 1). See /nowhere/data/postgres.log for details.',
  );
});
