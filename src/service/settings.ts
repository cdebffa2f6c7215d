/** The settings with which the service starts, or the text with which it ends at once. */
import { type Config, ConfigError, readConfig, VARIABLES, VERSION } from '../config.ts';

/** The process ends with this code after the text: on standard output with code 0, otherwise on standard error. */
export type Ending = { readonly exitCode: number; readonly text: string };

/** An operator's mistake. */
export const MISTAKE = 2;

export function settingsFrom(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { readonly config: Config } | Ending {
  if (args.some((argument) => argument === '--help' || argument === '-h')) return { exitCode: 0, text: help() };
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) return { exitCode: 0, text: VERSION };
  if (args.length > 0) {
    const text = 'The service takes no arguments; its settings are environment variables, listed by --help.';
    return { exitCode: MISTAKE, text };
  }
  try {
    return { config: readConfig(env) };
  } catch (error) {
    if (error instanceof ConfigError) return { exitCode: MISTAKE, text: error.message };
    throw error;
  }
}

function help(): string {
  const width = Math.max(...VARIABLES.map(([name]) => name.length));
  return [
    'Daybook, an open loan servicing service.\n\nUsage: npm start\n\nSettings are environment variables:',
    ...VARIABLES.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`),
  ].join('\n');
}

/** The reason why the service cannot listen at its address. */
export function addressProblem({ code }: { readonly code?: string | undefined }, port: number): Ending {
  const text =
    code === 'EADDRINUSE'
      ? `PORT ${port} is already in use: choose another port with PORT=…`
      : code === 'EACCES'
        ? `PORT ${port} requires privileges that this user does not have.`
        : `HOST must be an address of this machine (${code}).`;
  return { exitCode: MISTAKE, text };
}
