/**
 * The assembled service on a thread of its own, so that the CPU time of its event loop is measured apart from the time in which requests are made
 * and judged. `service.ts` starts it and talks to it.
 */
import { setImmediate } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { type Connection, openDb } from '../../../src/store/db/db.ts';
import { openVolumes } from '../../../src/store/db/volumes.ts';
import { testApp } from '../app.ts';

export type ThreadData = { connection: Connection; env: Record<string, string> };

/** The messages that it accepts; each is answered once. */
export type ServiceMessage =
  | { do: 'passTime'; ms: number }
  | { do: 'createOrganization'; name: string }
  | { do: 'createClient'; organizationId: string; name: string; scopes: readonly string[]; perMinute?: number }
  | { do: 'revokeClient'; organizationId: string; clientId: string }
  /** Bytes in use after garbage collection. */
  | { do: 'heap' }
  /** The longest turn since the last such message, in milliseconds of CPU time. */
  | { do: 'longestTurn' }
  | { do: 'close' };

export type ServiceReport =
  | { is: 'ready'; port: number; organizationId: string; apiKey: string; clientSecret: string; clientId: string }
  | { is: 'logged'; line: string }
  /** The loop was busy with one turn, or a few short ones, for this long. Times are of `process.hrtime`, the same on every thread. */
  | { is: 'long turn'; from: number; to: number; cpuMs: number }
  | { is: 'answer'; id: number; value: unknown };

/** Every turn of the loop that takes longer than this is followed by a beat. */
const BEAT_MS = 4;
const REPORTED_MS = 40;

const port = parentPort as NonNullable<typeof parentPort>;
const tell = (told: ServiceReport) => port.postMessage(told);
const { connection, env } = workerData as ThreadData;

const db = openDb(connection);
await openVolumes(db, null);
const service = await testApp(env, async () => ({ db, drop: () => db.close() }));
const { access, credentials, organizationId } = service;
service.logged.push = (...lines: string[]) => {
  for (const line of lines) tell({ is: 'logged', line });
  return 0;
};

let longest = 0;
let before = { cpu: cpuMs(), at: now() };
setInterval(() => {
  const present = { cpu: cpuMs(), at: now() };
  const turn = present.cpu - before.cpu;
  longest = Math.max(longest, turn);
  if (turn >= REPORTED_MS) tell({ is: 'long turn', from: before.at, to: present.at, cpuMs: turn });
  before = present;
}, BEAT_MS);

port.on('message', async ({ id, asked }: { id: number; asked: ServiceMessage }) => {
  tell({ is: 'answer', id, value: await answer(asked) });
  if (asked.do === 'close') process.exit(0);
});
tell({ is: 'ready', port: service.port, organizationId, ...credentials });

async function answer(asked: ServiceMessage): Promise<unknown> {
  switch (asked.do) {
    case 'passTime':
      service.clock.now += asked.ms;
      return null;
    case 'createOrganization':
      return access.createOrganization(asked.name);
    case 'createClient': {
      const { name, scopes, perMinute } = asked;
      return access.createClient(asked.organizationId, { name, scopes, rateLimitPerMinute: perMinute });
    }
    case 'revokeClient':
      return access.revokeClient(asked.organizationId, asked.clientId);
    case 'heap':
      v8.setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      return process.memoryUsage().heapUsed;
    case 'longestTurn': {
      // The current turn ends, and its beat follows.
      const beats = BEAT_MS * 3;
      for (const end = now() + beats; now() < end; ) await setImmediate();
      const found = longest;
      longest = 0;
      return found;
    }
    case 'close':
      return service.close();
  }
}

/** CPU time of this thread alone, so that other work of the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
