/** Errors of the embedded PostgreSQL, as sentences that its user can act on. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The embedded PostgreSQL cannot be started or used. The message says what to do; it never holds a password. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

const OTHER_DATABASE = 'or set DATABASE_URL to a PostgreSQL 15 or newer';

/** Turns an error of the operating system, met while working in `dataDir`, into a sentence. */
export function explain(error: unknown, dataDir: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  return new EmbeddedPostgresError(sentenceFor(code, error, dataDir), { cause: error });
}

function sentenceFor(code: string, error: unknown, dataDir: string): string {
  const path = (error as { path?: unknown } | null)?.path;
  const elsewhere = typeof path === 'string' && path !== dataDir && !path.startsWith(join(dataDir, '/')) ? path : null;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    // PostgreSQL's own code.
    case '53100':
      return elsewhere === null || isAbove(elsewhere, dataDir)
        ? diskFull(dataDir)
        : `The disk that holds ${dirname(elsewhere)} is full. Free some space, or set TMPDIR to a folder on another disk.`;
    case 'EROFS':
      return `DATA_DIR (${dataDir}) is on a read-only file system. Set DATA_DIR to a folder that can be written, ${OTHER_DATABASE}.`;
    case 'EACCES':
    case 'EPERM':
      return (
        `This user${numbered(process.getuid?.())} cannot read and write everything in DATA_DIR (${dataDir}): ` +
        `${whose(typeof path === 'string' ? path : dataDir)}. Start Daybook as the user who owns that folder, set DATA_DIR to another one, ${OTHER_DATABASE}.`
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return `DATA_DIR (${dataDir}) is not a folder. Set DATA_DIR to a folder, ${OTHER_DATABASE}.`;
    case 'ENOENT':
      if (elsewhere === null || isAbove(elsewhere, dataDir)) {
        return `DATA_DIR (${dataDir}) cannot be created. Set DATA_DIR to a folder that can be, ${OTHER_DATABASE}.`;
      }
  }
  const said = error instanceof Error ? error.message : String(error);
  return `The embedded PostgreSQL in DATA_DIR (${dataDir}) could not be used: ${said}`;
}

const isAbove = (path: string, dataDir: string): boolean => dataDir.startsWith(join(path, '/'));

function numbered(user: number | undefined): string {
  return user === undefined ? '' : ` (number ${user})`;
}

/** The path, or the nearest folder above it that this user can see, and whose it is. */
function whose(path: string): string {
  try {
    return `${path} belongs to user ${statSync(path).uid}`;
  } catch {
    return whose(dirname(path));
  }
}

/** The line in which PostgreSQL's programs say that there is no room, or null. */
export function noSpaceLine(said: string): string | null {
  const isOne = (line: string) =>
    line.includes('No space left on device') ||
    line.includes('Disk quota exceeded') ||
    (line.includes('wrote only ') && line.includes(' bytes'));
  return said.split('\n').find(isOne) ?? null;
}

export function diskFull(dataDir: string): string {
  return `The disk that holds DATA_DIR (${dataDir}) is full. Free some space and start again.`;
}
