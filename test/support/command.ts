/** The command line inside the test process, for mistakes that are found before a database is opened: a process each would mostly load. */
import { UsageError } from '../../src/cli/arguments.ts';
import { commandOf } from '../../src/cli/command.ts';

/** The text that the command prints before it ends with exit code 2, as `src/cli/main.ts` does with every UsageError. */
export async function refusalOf(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  try {
    const run = await commandOf(args, env);
    await run();
  } catch (error) {
    if (error instanceof UsageError) return `${error.message}\n`;
    throw error;
  }
  throw new Error(`${args.join(' ')} was not refused.`);
}
