/**
 * The command line for operators. Each command uses the running embedded database, or starts it for its own
 * duration. `--json` prints data for programs; without it, tables for people. Exit code 2: the arguments are wrong.
 */

import { AccessRefused } from '../access/refused.ts';
import { ConfigError, databaseUrlProblem } from '../config.ts';
import { DatabaseUnavailable } from '../store/db/db.ts';
import { EmbeddedPostgresError } from '../store/db/embedded.ts';
import { MigrationError } from '../store/db/migrate.ts';
import { VolumesMismatch } from '../store/db/volumes.ts';
import { WrongMasterKey } from '../vault/master-keys.ts';
import { UsageError } from './arguments.ts';
import { commandOf } from './command.ts';

try {
  const run = await commandOf(process.argv.slice(2), process.env);
  await run();
} catch (error) {
  const kinds = [UsageError, AccessRefused, ConfigError, EmbeddedPostgresError, MigrationError, VolumesMismatch];
  const known = [...kinds, WrongMasterKey].some((kind) => error instanceof kind);
  const message = known ? (error as Error).message : databaseUrlProblem(error);
  process.exitCode = 2;
  if (message !== null) console.error(message);
  else if (error instanceof DatabaseUnavailable) {
    console.error('The database cannot be reached: check DATABASE_URL and that the server is running.');
  } else {
    process.exitCode = 1;
    const { describe } = await import('../http/shell/log.ts');
    console.error(`The command failed: ${JSON.stringify(describe(error))}`);
  }
}
