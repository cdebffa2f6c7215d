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
import { optionsHelp, readArguments, UsageError } from './arguments.ts';
import { TOPICS } from './topics.ts';

try {
  await run(process.argv.slice(2));
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

async function run([name = '', ...rest]: string[]): Promise<void> {
  const topic = Object.hasOwn(TOPICS, name) ? await TOPICS[name]?.() : undefined;
  if (topic === undefined) {
    const text = `Commands:\n${Object.keys(TOPICS)
      .map((one) => `  npm run ${one} -- --help`)
      .join('\n')}`;
    if (name !== '--help' && name !== '-h') {
      throw new UsageError(name === '' ? text : `There is no command "${name}".\n\n${text}`);
    }
    console.log(text);
    return;
  }
  const read = readArguments(name, topic, rest);
  if (read === 'help') console.log(`${topic.usage}\n${optionsHelp(topic)}`);
  else await read.command.run(read.given);
}
