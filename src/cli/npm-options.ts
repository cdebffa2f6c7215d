/**
 * Options that npm kept for itself. Without `--` before them npm does not pass options on to the command, which would then run without
 * them: `npm run migrate --status` would migrate. npm hands them over as `npm_config_…` instead, with the value where it knows the option.
 */
type Commands = Readonly<Record<string, { readonly id?: string }>>;
type Env = Readonly<Record<string, string | undefined>>;
type OptionType = { readonly type: 'string' | 'boolean' };

/** Settings of npm itself, which may come from an .npmrc: they do not show that an option was lost. */
const SETTINGS_OF_NPM = ['json', 'yes', 'access'];

/** The command to type instead; null: no option was lost. */
export function lostOptions(
  name: string,
  commands: Commands,
  { args, options, env }: { args: readonly string[]; options: Readonly<Record<string, OptionType>>; env: Env },
): string | null {
  if (!isRunByNpm(name, env)) return null;
  const kept = Object.entries(options).flatMap(([option, { type }]) => {
    const value = env[`npm_config_${option.replaceAll('-', '_')}`] ?? '';
    if (value === '' || SETTINGS_OF_NPM.includes(option)) return [];
    // For an option that npm does not know, it keeps only the name; the value is then among the arguments.
    return [{ option, value: type === 'boolean' ? '' : value === 'true' ? '…' : quoted(value) }];
  });
  if (kept.length === 0) return null;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const verb = words.find((word) => word !== '' && Object.hasOwn(commands, word));
  const before = kept.some(({ value }) => value === '…') ? usageOf(verb, commands) : words.map(quoted);
  const after = kept.map(({ option, value }) => `--${option} ${value}`.trim());
  return `npm did not pass the options on. ${putBefore(name, [...before, ...after])}`;
}

/** The advice for a required option that is missing; empty when npm is not the reason. */
export function npmAdvice(name: string, said: string, { args, env }: { args: readonly string[]; env: Env }): string {
  if (!isRunByNpm(name, env) || args.some((arg) => arg.startsWith('-'))) return '';
  return ` ${putBefore(name, [...said.split(' ').slice(1), '--…'])}`;
}

function isRunByNpm(name: string, env: Env): boolean {
  return env.npm_lifecycle_event === name;
}

function putBefore(name: string, words: readonly string[]): string {
  return `Put -- before the options: npm run ${name} -- ${words.join(' ')}`;
}

function usageOf(verb: string | undefined, commands: Commands): string[] {
  if ('' in commands) return [];
  const id = commands[verb ?? '']?.id;
  return [verb ?? '<command>', ...(id === undefined ? [] : [`<${id}>`])];
}

function quoted(word: string): string {
  return /^[\w.,:/@+-]+$/.test(word) ? word : JSON.stringify(word);
}
