/** Defines and parses the arguments of a command: every error that can be found without a database is found here. */
import { parseArgs } from 'node:util';
import type { RateLimits } from '../access/checks.ts';
import { lostOptions, npmAdvice } from './npm-options.ts';

export const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  status: { type: 'boolean' },
  snapshot: { type: 'boolean' },
  check: { type: 'boolean' },
  fit: { type: 'boolean' },
  organization: { type: 'string' },
  name: { type: 'string' },
  'time-zone': { type: 'string' },
  scopes: { type: 'string' },
  email: { type: 'string' },
  roles: { type: 'string' },
  'rate-limit': { type: 'string' },
  numbers: { type: 'string' },
  what: { type: 'string' },
  to: { type: 'string' },
  access: { type: 'string' },
  servicer: { type: 'string' },
  loan: { type: 'string' },
  yes: { type: 'boolean' },
  out: { type: 'string' },
  date: { type: 'string' },
  user: { type: 'string' },
  client: { type: 'string' },
  operation: { type: 'string' },
  kind: { type: 'string' },
  outcome: { type: 'string' },
  from: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  service: { type: 'boolean' },
  audit: { type: 'string' },
  'champion-model': { type: 'string' },
  'champion-policy': { type: 'string' },
  'challenger-model': { type: 'string' },
  'challenger-policy': { type: 'string' },
  applications: { type: 'string' },
  simulated: { type: 'string' },
  seed: { type: 'string' },
  offers: { type: 'string' },
  csv: { type: 'string' },
  print: { type: 'string' },
  size: { type: 'string' },
  format: { type: 'string' },
  'as-of': { type: 'string' },
  'known-at': { type: 'string' },
  lender: { type: 'string' },
  after: { type: 'string' },
  resume: { type: 'boolean' },
} as const;
type Option = keyof typeof OPTIONS;
export type Values = ReturnType<typeof parse>['values'];

/** The name of a command (`clients create`), its id argument (empty when it takes none), and its options. */
export type Invocation = { readonly name: string; readonly id: string; readonly values: Values };

export type Command = {
  /** The name of its id argument, which is required. */
  readonly id?: string;
  readonly needs?: readonly Option[];
  readonly may?: readonly Option[];
  /** The fault of the values, or null. */
  readonly check?: (values: Values) => string | null;
  readonly run: (given: Invocation) => Promise<void> | void;
};

export type Topic = {
  readonly usage: string;
  /** By name; the command of a topic without a subcommand has an empty name. */
  readonly commands: Readonly<Record<string, Command>>;
};

/** The command cannot run with these arguments; the message says what to do. */
export class UsageError extends Error {}

export function missing(what: string): never {
  throw new UsageError(`There is no such ${what}.`);
}

export function readArguments(
  name: string,
  topic: Topic,
  args: string[],
  env: Readonly<Record<string, string | undefined>>,
): { command: Command; given: Invocation } | 'help' {
  const { values, positionals } = parse(args, topic.usage);
  if (values.help) return 'help';
  const isVerb = Object.hasOwn(topic.commands, positionals[0] ?? '');
  const verb = '' in topic.commands && !isVerb ? '' : (positionals.shift() ?? '');
  const said = `${name} ${verb}`.trim();
  const wrong = (what: string) => new UsageError(`${what}\n\n${topic.usage}`);
  const lost = lostOptions(name, topic.commands, { args, options: OPTIONS, env });
  if (lost !== null) throw wrong(lost);
  const command = Object.hasOwn(topic.commands, verb) ? topic.commands[verb] : undefined;
  if (command === undefined) throw wrong(verb === '' ? 'A command is missing.' : `There is no command "${said}".`);
  const { id, needs = [], may = [], check } = command;
  const stray = (Object.keys(values) as Option[]).find((option) => !needs.includes(option) && !may.includes(option));
  if (stray !== undefined) throw wrong(`"${said}" has no option --${stray}.`);
  if (id !== undefined && !positionals[0]) throw wrong(`<${id}> is missing.`);
  if (positionals.length > (id === undefined ? 0 : 1)) throw wrong(`Unexpected argument "${positionals.at(-1)}".`);
  const absent = needs.find((option) => !values[option]);
  if (absent !== undefined) throw wrong(`--${absent} is missing.${npmAdvice(name, said, { args, env })}`);
  const problem = check?.(values) ?? null;
  if (problem !== null) throw wrong(problem);
  return { command, given: { name: said, id: positionals[0] ?? '', values } };
}

function parse(args: string[], usage: string) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    // Only the first sentence; the rest explains arguments that begin with a dash.
    throw new UsageError(`${(error as Error).message.split('. ')[0]?.replace(/\.?$/, '.')}\n\n${usage}`);
  }
}

/** For `--loan` where it is a loan id. */
export function checkLoanId({ loan = '' }: Values): string | null {
  return /^0x[0-9a-f]{64}$/.test(loan)
    ? null
    : '--loan must be a loan id: 0x followed by 64 lower-case hexadecimal digits.';
}

/** For `--rate-limit`: cost units per minute, or `default`. */
export function checkRateLimit({ 'rate-limit': limit }: Values): string | null {
  return limit === undefined || /^(\d{1,9}|default)$/.test(limit)
    ? null
    : '--rate-limit must be a whole number or default.';
}

/** For `--rate-limit` with `--until`: for a time, and `--rate-limit` alone, which lasts and ends what was for a time. */
export function checkRaised(values: Values): string | null {
  const { 'rate-limit': limit, until } = values;
  if (until === undefined) return checkRateLimit(values);
  if (limit === undefined || !/^[1-9]\d{0,8}$/.test(limit)) {
    return '--until needs --rate-limit with a number of cost units per minute, 1 or more.';
  }
  return raisedUntil(until) === null
    ? '--until must be a time with a zone, such as 2026-11-19T18:00:00Z, or a day, such as 2026-11-19, whose end it is (UTC).'
    : null;
}

/** The limits that `--rate-limit` and `--until` set. */
export function rateLimitsIn(values: Values): RateLimits {
  const { until } = values;
  if (until !== undefined) {
    return { raisedRateLimit: { perMinute: Number(values['rate-limit']), until: raisedUntil(until) as string } };
  }
  const rateLimitPerMinute = rateLimitIn(values);
  return rateLimitPerMinute === undefined ? {} : { rateLimitPerMinute, raisedRateLimit: null };
}

function raisedUntil(text: string): string | null {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (!isDay && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)) return null;
  const at = Date.parse(text) + (isDay ? 86_400_000 : 0);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** Null: the service's default. Undefined: not given. */
export function rateLimitIn({ 'rate-limit': limit }: Values): number | null | undefined {
  if (limit === undefined) return undefined;
  return limit === 'default' ? null : Number(limit);
}

export function optionsHelp({ commands, usage }: Topic): string {
  const takes = (option: Option) => Object.values(commands).some(({ may = [] }) => may.includes(option));
  const lines = ['', 'Options'];
  if (takes('organization') && !usage.includes('--organization'))
    lines.push('  --organization <id>   the organization (required when there is more than one)');
  if (takes('json')) lines.push('  --json                print JSON');
  return [...lines, '  --help                show this help'].join('\n');
}
