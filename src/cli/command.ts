/** From the words of the command line to the command that they name. */

import { VERSION } from '../config.ts';
import { optionsHelp, readArguments, UsageError } from './arguments.ts';
import { TOPICS } from './topics.ts';

/** Runs the command, or prints the help that was asked for. A UsageError: the words name no command, or not in a right way. */
export async function commandOf(
  [name = '', ...rest]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<() => Promise<void> | void> {
  if (name === '--version' || name === '-v') return () => console.log(VERSION);
  const topic = Object.hasOwn(TOPICS, name) ? await TOPICS[name]?.() : undefined;
  if (topic === undefined) {
    const text = `Commands:\n${Object.keys(TOPICS)
      .map((one) => `  npm run ${one} -- --help`)
      .join('\n')}`;
    if (name !== '--help' && name !== '-h') {
      throw new UsageError(name === '' ? text : `There is no command "${name}".\n\n${text}`);
    }
    return () => console.log(text);
  }
  const read = readArguments(name, topic, rest, env);
  if (read === 'help') return () => console.log(`${topic.usage}\n${optionsHelp(topic)}`);
  return () => read.command.run(read.given);
}
