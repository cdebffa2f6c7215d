/** What can go wrong with the embedded PostgreSQL, as sentences its user can act on. */

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
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(dataDir);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return (
        `This user cannot read and write everything in DATA_DIR (${dataDir}). Start Daybook as the user who owns ` +
        `that folder, set DATA_DIR to another one, ${OTHER_DATABASE}.`
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return `DATA_DIR (${dataDir}) is not a folder. Set DATA_DIR to a folder, ${OTHER_DATABASE}.`;
    default: {
      const said = error instanceof Error ? error.message : String(error);
      return `The embedded PostgreSQL in DATA_DIR (${dataDir}) could not be used: ${said}`;
    }
  }
}

export function diskFull(dataDir: string): string {
  return `The disk that holds DATA_DIR (${dataDir}) is full. Free some space and start again.`;
}
