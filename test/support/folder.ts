/**
 * The folder of the tests' databases: in memory, if the machine has a file system there with room to spare, and in the system's
 * temporary folder otherwise. A database is some 450 files, and ext4, which looks past the inodes of files that were deleted in the last
 * seconds, took a tenth of the processor time of all tests to make and remove them.
 */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** The server of the tests takes less than half a gigabyte, and each service that a test starts a tenth of one. */
const ROOM = 3 * 2 ** 30;
/** Left for everything else that the tests start. */
const SPARE = 5 * 2 ** 30;

/** The folder to make temporary folders in. One that the user names (TMPDIR) is used whatever the machine has. */
export function databaseFolder(): string {
  if (process.env.TMPDIR !== undefined || process.availableMemory() < ROOM + SPARE) return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    return type === TMPFS && bavail * bsize >= ROOM ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** The type of the file system, as `statfs(2)` tells it. */
const TMPFS = 0x01021994;
