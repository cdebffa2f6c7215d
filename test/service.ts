/** The service as its users run it: a process of its own on a free port, with a data directory or a database of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export type Service = {
  port: number;
  url: string;
  process: ChildProcess;
  /** Everything the service printed so far. */
  output(): string;
  token(): Promise<string>;
  /** Sends the signal and waits for the end; answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export type Credentials = { clientId: string; clientSecret: string; apiKey: string };

export async function startService(options: {
  dataDir: string;
  credentials: Credentials;
  env?: Record<string, string>;
  /** Milliseconds until `/readyz` must answer 200. */
  patience?: number;
}): Promise<Service> {
  const { dataDir, credentials, env = {}, patience = 30_000 } = options;
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'src', 'main.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      BOOTSTRAP_CLIENT_ID: credentials.clientId,
      BOOTSTRAP_CLIENT_SECRET: credentials.clientSecret,
      BOOTSTRAP_API_KEY: credentials.apiKey,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  const url = await ready(child, () => printed, patience).catch(async (error: unknown) => {
    await stop('SIGTERM');
    throw error;
  });
  return {
    port: Number(new URL(url).port),
    url,
    process: child,
    output: () => printed,
    stop,
    async token() {
      const answer = await fetch(`${url}/v2/chain/auth-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ clientId: credentials.clientId, clientSecret: credentials.clientSecret }),
      });
      const { data } = (await answer.json()) as { data: { token: string } };
      return data.token;
    },
  };
}

/** The line with the address is printed when the service is ready to serve. */
function ready(child: ChildProcess, output: () => string, patience: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const finish = (outcome: () => void) => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      child.off('exit', gone);
      outcome();
    };
    const look = () => {
      const url = /ready at\s+(http:\/\/\S+?)\/v2\//.exec(output())?.[1];
      if (url !== undefined) finish(() => resolve(url));
    };
    const gone = () => finish(() => reject(new Error(`The service ended before it was ready:\n${output()}`)));
    const timer = setTimeout(() => finish(() => reject(new Error(`Not ready in time:\n${output()}`))), patience);
    child.stdout?.on('data', look);
    child.on('exit', gone);
  });
}
