/**
 * `npm run verify` in a loop from the first second of a first start: while the demonstration is filled, the service is killed and stopped in the
 * middle of it, its clock is advanced over a month, and the master key is rotated. It never tells of a problem, and where it cannot check it says so
 * in a line. It takes many minutes, so only `TEST_LONG=1` runs it; `test/issues/verify-beside-writes.test.ts` has the same in one process.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  type Credentials,
  call,
  cli,
  endAll,
  eventually,
  newDataDir,
  type Service,
  spawnService,
  whenReady,
} from '../support/service.ts';

// A loaded machine takes ten times as long.
const PATIENT = 1_800_000;
const WHILE = 600_000;
afterAll(endAll, PATIENT);

/** All that it may say where it cannot check. */
const CANNOT = [
  /^There is no database in DATA_DIR \(.*\): start the service once, or set DATA_DIR to the folder that holds it\.$/,
  /^The database is not up to date: start the service, which brings it up to date, or run `npm run migrate`\.$/,
  /^The database cannot be reached: /,
  /^The check was not finished, the database went away \(no problem until then\): run it again\.$/,
];
/** Progress, as it is where nobody watches. */
const PROGRESS = /^(blocks|loans|audit|answers) [\d,]+ of [\d,]+, about \d+ s left$/;

/** Checks again and again until it is stopped; a check that a service goes on without has a database of its own, which no start may find. */
function checking(env: Record<string, string>, wrong: string[]) {
  let [right, isOver] = [0, false];
  const over = (async () => {
    while (!isOver) {
      const { code, output } = await cli(['verify'], env);
      const lines = output.split('\n').filter((line) => line !== '' && !PROGRESS.test(line));
      const said = lines.join('\n');
      if (code === 0 && lines.at(-1) === 'No problems found.') right += 1;
      else if (code !== 2 || !CANNOT.some((one) => one.test(said))) wrong.push(`${code}: ${said}`);
    }
  })();
  return {
    /** Until it has found nothing that many times more. */
    more: (times: number) => {
      const until = right + times;
      return eventually(() => right >= until, WHILE);
    },
    async stop() {
      isOver = true;
      await over;
    },
  };
}

/** Its output stays open: the database goes on while a check uses it. */
function kill({ process }: Service): Promise<unknown> {
  process.kill('SIGKILL');
  return eventually(() => process.signalCode !== null);
}

(process.env.TEST_LONG ? test : test.skip)('it is right at every moment', { timeout: PATIENT }, async () => {
  const dataDir = newDataDir();
  const env = { DATA_DIR: dataDir };
  const wrong: string[] = [];
  /** Beside a service, from its first moment until it has ended, and once more then. */
  const beside = async (work: (service: Service, more: (times: number) => Promise<unknown>) => Promise<unknown>) => {
    const starting = spawnService({ dataDir, env: { DEMO: '', LOG_LEVEL: 'info' } });
    const isThere = () => existsSync(join(dataDir, 'daybook.pid')) || starting.hasEnded();
    await eventually(isThere, WHILE);
    const checks = checking(env, wrong);
    try {
      await work(await whenReady(starting, undefined, WHILE), checks.more);
      await checks.more(1);
    } finally {
      await checks.stop();
    }
  };
  const says = (service: Service, text: string) => eventually(() => service.output().includes(text), WHILE);

  await beside(async (service) => {
    await says(service, '"percent":25');
    await kill(service);
  });
  await beside(async (service, more) => {
    await more(2);
    await service.stop('SIGTERM');
  });
  let [today, to] = ['', ''];
  const ask = async (service: Service, method: string, path: string, body?: object) => {
    const { demo } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as { demo: Credentials };
    const given = { token: await service.token(demo), ...(body && { body }) };
    return (await call(service.url, method, `/v2/chain/${path}`, given)).body.data;
  };
  await beside(async (service, more) => {
    await says(service, 'demo filled');
    await more(2);
    ({ today } = await ask(service, 'GET', 'clock'));
    to = Temporal.PlainDate.from(today).add({ months: 1 }).toString();
    // The answer may come after the process is gone.
    const asked = ask(service, 'POST', 'clock/advance', { to }).catch(() => {});
    await eventually(async () => (await ask(service, 'GET', 'clock')).today > today, WHILE);
    await kill(service);
    await asked;
  });
  await beside(async (service, more) => {
    const rotated = await cli(['keys', 'rotate'], env);
    expect(rotated.code, rotated.output).toBe(0);
    await eventually(async () => (await ask(service, 'GET', 'clock')).advancing === null, WHILE);
    expect((await ask(service, 'GET', 'clock')).today).toBe(to);
    await more(2);
    await service.stop('SIGTERM');
  });
  expect(wrong).toEqual([]);
});
