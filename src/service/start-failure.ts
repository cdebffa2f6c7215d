/** The text and exit code of a start that failed. */
import { ConfigError, databaseUrlProblem } from '../config.ts';
import { RestoredDatabase } from '../jobs/root-watch.ts';
import { AddressNotFree } from '../owners/listener.ts';
import { EmbeddedPostgresError } from '../store/db/embedded.ts';
import { MigrationError } from '../store/db/migrate.ts';
import { VolumesMismatch } from '../store/db/volumes.ts';
import { WrongMasterKey } from '../vault/master-keys.ts';
import { type Ending, MISTAKE } from './settings.ts';

/** Failures whose message tells the operator what to do. */
const EXPLAINED = [
  AddressNotFree,
  ConfigError,
  EmbeddedPostgresError,
  MigrationError,
  RestoredDatabase,
  VolumesMismatch,
  WrongMasterKey,
];

export function startFailure(error: unknown, describe: (error: unknown) => object): Ending {
  const isExplained = EXPLAINED.some((kind) => error instanceof kind);
  const text = isExplained ? (error as Error).message : databaseUrlProblem(error);
  if (text !== null) return { exitCode: MISTAKE, text };
  return { exitCode: 1, text: `The service could not start: ${JSON.stringify(describe(error))}` };
}
