/**
 * The service and its command line as their users run them: processes of their own on free ports, with data directories of
 * their own. `endAll` in `afterAll` ends and removes everything that a failed test left behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, isPostmaster, refer } from '../../src/store/db/embedded/processes.ts';
import { databaseFolder } from './folder.ts';
import { strictReader } from './interface-answers.ts';

export type Credentials = { clientId: string; clientSecret: string; apiKey: string };

export type Running = {
  process: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Its exit code, null when a signal ended it. */
  ended: Promise<number | null>;
  hasEnded(): boolean;
  /** Sends the signal and waits for the end; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export type Service = Running & {
  port: number;
  url: string;
  token(credentials?: Credentials): Promise<string>;
};

type SpawnOptions = {
  env?: Record<string, string>;
  user?: { uid: number; gid: number };
  /** In a process group of its own, as a shell starts a command on a terminal. */
  detached?: boolean;
};

export const PROJECT = join(import.meta.dirname, '../..');
const MAIN = join(PROJECT, 'src', 'main.ts');

// Half of the cost of a process here is compiling the same modules again.
const COMPILED = join(PROJECT, 'node_modules', '.cache', 'compiled');

const running = new Set<Running>();
const dataDirs = new Set<string>();

/** A folder that does not exist yet, inside one that is removed at the end. */
export function newDataDir(name = 'data'): string {
  const dataDir = join(mkdtempSync(join(databaseFolder(), 'daybook-service-')), name);
  dataDirs.add(dataDir);
  return dataDir;
}

/** Starts a program in the project's folder with exactly this environment and the minimum needed to run. */
export function run(program: string, args: readonly string[], options: SpawnOptions = {}): Running {
  const { env = {}, user, detached = false } = options;
  const child = spawn(program, args, {
    cwd: PROJECT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    ...user,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      printed += text;
    });
  }
  let over = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // Not "exit": by "close" everything it printed has arrived.
    child.once('close', (code) => {
      over = true;
      running.delete(one);
      resolve(code);
    });
  });
  const one: Running = {
    process: child,
    output: () => printed,
    ended,
    hasEnded: () => over,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
  running.add(one);
  return one;
}

/** The service, started and not waited for. Without credentials it makes its own. */
export function spawnService(options: SpawnOptions & { dataDir: string; credentials?: Credentials }): Running {
  return run(process.execPath, [MAIN], { ...options, env: serviceEnv(options) });
}

export async function startService(
  options: SpawnOptions & {
    dataDir: string;
    credentials?: Credentials;
    /** Milliseconds until it must be ready. */
    patience?: number;
  },
): Promise<Service> {
  return whenReady(spawnService(options), options.credentials, options.patience);
}

/** The flags that `npm start` gives Node. */
export function startFlags(): string {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  return /NODE_OPTIONS="([^"$]*)/.exec(scripts.start)?.[1]?.trim() ?? '';
}

export function serviceEnv(options: {
  dataDir: string;
  credentials?: Credentials;
  env?: Record<string, string>;
}): Record<string, string> {
  const { dataDir, credentials, env = {} } = options;
  return {
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    DEMO: 'off',
    DRAIN_SECONDS: '0',
    ...(credentials === undefined
      ? {}
      : {
          BOOTSTRAP_CLIENT_ID: credentials.clientId,
          BOOTSTRAP_CLIENT_SECRET: credentials.clientSecret,
          BOOTSTRAP_API_KEY: credentials.apiKey,
        }),
    ...env,
  };
}

/** The address is printed when the service is ready to serve. */
export async function whenReady(one: Running, credentials?: Credentials, patience = 60_000): Promise<Service> {
  const address = () => /ready at\s+(http:\/\/\S+?)\/v2\//.exec(one.output())?.[1];
  const ready = await eventually(() => address() !== undefined || one.hasEnded(), patience).catch(() => false);
  const url = address();
  if (!ready || url === undefined) {
    const state = one.hasEnded() ? 'ended before it was ready' : 'was not ready in time';
    if (!one.hasEnded()) await one.stop('SIGTERM');
    throw new Error(`The service ${state}:\n${one.output()}`);
  }
  return {
    ...one,
    port: Number(new URL(url).port),
    url,
    async token(given = credentials) {
      const answer = await call(url, 'POST', '/v2/chain/auth-token', {
        body: { clientId: given?.clientId, clientSecret: given?.clientSecret },
      });
      if (answer.status !== 200) throw new Error(`No token: ${answer.status} ${answer.text}`);
      return answer.body.data.token;
    },
  };
}

export type Finished = { code: number | null; stdout: string; output: string };

/** Runs a command of the command line to its end, in a copy of the project when one is given. */
export async function cli(args: readonly string[], env: Record<string, string>, project = PROJECT): Promise<Finished> {
  const one = run(process.execPath, [join(project, 'src', 'cli', 'main.ts'), ...args], { env });
  let stdout = '';
  one.process.stdout?.on('data', (text: string) => {
    stdout += text;
  });
  const code = await one.ended;
  return { code, stdout, output: one.output() };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
export type Answered = { status: number; headers: Headers; body: any; text: string };

/** A record in the answer is read as a strict client reads it, as `app.ts` does. */
export async function call(
  url: string,
  method: string,
  path: string,
  {
    token,
    key,
    body,
    headers = {},
  }: { token?: string; key?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const answer = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { key }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = /[/+]json/.test(answer.headers.get('content-type') ?? '');
  const answered = { status: answer.status, headers: answer.headers, body: json ? JSON.parse(text) : text, text };
  strictReader()({ method, path, body }, answered);
  return answered;
}

/** Polls until it holds; an error counts as no. Throws when that takes longer than `patience` milliseconds. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  patience = 20_000,
  everyMs = 20,
): Promise<boolean> {
  const end = performance.now() + patience;
  for (;;) {
    if (
      await Promise.resolve()
        .then(check)
        .catch(() => false)
    )
      return true;
    if (performance.now() > end) throw new Error(`Not so within ${patience} ms: ${check}`);
    await pause(everyMs);
  }
}

/** A port that was free a moment ago, for services whose address must be known before they are ready. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** The process of the embedded server on that folder, while it runs. */
export function postmasterOf(dataDir: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
    return isAlive(refer(pid)) && isPostmaster(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export async function endAll(): Promise<void> {
  for (const one of [...running]) await one.stop('SIGKILL');
  const remove = (dataDir: string) => {
    const pid = postmasterOf(dataDir);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    return rm(dirname(dataDir), { recursive: true, force: true, maxRetries: 5 });
  };
  await Promise.all([...dataDirs].map(remove));
  dataDirs.clear();
}
