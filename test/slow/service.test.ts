/** The service as a process on its embedded database: first start, later starts, signals, crashes, users, terminals, npm. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canReach } from '../../src/store/db/embedded/user.ts';
import {
  type Answered,
  type Credentials,
  call,
  endAll,
  eventually,
  freePort,
  newDataDir,
  PROJECT,
  postmasterOf,
  type Running,
  run,
  type Service,
  serviceEnv,
  spawnService,
  startService,
  whenReady,
} from '../support/service.ts';

const NOBODY = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';
const GIVEN: Credentials = {
  clientId: 'given-id',
  clientSecret: 'given-secret-of-the-service',
  apiKey: 'given-api-key-of-the-service',
};
// A loaded machine takes ten times as long.
const PATIENT = { timeout: 90_000 };

afterAll(endAll, PATIENT.timeout);

describe('one DATA_DIR through its starts and crashes', PATIENT, () => {
  const dataDir = newDataDir('müller & söhne');
  let service: Service;
  let kept: Credentials;
  let printed = '';
  beforeAll(async () => {
    service = await startService({ dataDir, env: { LOG_LEVEL: 'debug' } });
  }, PATIENT.timeout);

  test('the first start is ready and says where', async () => {
    expect(service.output()).toContain(`Daybook is ready at   ${service.url}/v2/chain\n`);
    expect(service.output()).toContain(`Playground            ${service.url}/docs\n`);
    const here = service.url.replace('127.0.0.1', 'localhost');
    expect(service.output()).toContain(`Console               ${here}/console\n`);
    expect(service.output()).toContain(`Published loans       ${here}/market\n`);
    expect((await call(service.url, 'GET', '/readyz')).status).toBe(200);
    expect((await call(service.url, 'GET', '/docs/')).status).toBe(200);
  });

  test('its credentials and its master key are readable by its user alone, and they work', async () => {
    kept = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
    expect(Object.keys(kept)).toEqual(['clientId', 'clientSecret', 'apiKey']);
    expect(modeOf(join(dataDir, 'credentials.json'))).toBe('600');
    expect(modeOf(join(dataDir, 'master-key'))).toBe('600');
    expect(readdirSync(dataDir).filter((name) => /^(credentials|master-key)/.test(name))).toHaveLength(2);
    expect(service.output()).toContain(`Credentials           ${dataDir}/credentials.json\n`);
    // About this service, with links to it.
    const command = `DATA_DIR='${dataDir}' PORT=${service.port} npm run users -- invite --email <address> --name "<name>" --roles administrator`;
    expect(service.output()).toContain(`Console of your organization\n${' '.repeat(24)}${command}\n`);
    expect(service.output()).not.toContain('Console with demo data');
    const me = await askWho(service, kept);
    expect(me.status).toBe(200);
    expect(me.body.data.client.clientId).toBe(kept.clientId);
    expect(me.body.data.scopes).toHaveLength(14);
  });

  test('a write of clients is carried out once under its idempotency key', async () => {
    const { clientId, clientSecret, apiKey: key } = kept;
    const issued = await call(service.url, 'POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const { token } = issued.body.data;
    const body = { name: 'Twice', scopes: ['loans:read'] };
    const headers = { 'idempotency-key': 'one-client' };
    const answers = [];
    for (let n = 0; n < 2; n++)
      answers.push(await call(service.url, 'POST', '/v2/chain/clients', { token, key, body, headers }));
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
    const { items } = (await call(service.url, 'GET', '/v2/chain/clients', { token, key })).body.data;
    expect(items.filter(({ name }: { name: string }) => name === 'Twice')).toHaveLength(1);
  });

  test('a PORT that is taken is one line, and nothing is created', async () => {
    const other = newDataDir();
    const second = spawnService({ dataDir: other, env: { PORT: String(service.port) } });
    expect(await second.ended).toBe(2);
    expect(second.output()).toBe(`PORT ${service.port} is already in use: choose another port with PORT=…\n`);
    expect(existsSync(other)).toBe(false);
  });

  test('a DATA_DIR that is in use is one line, and its service keeps running', async () => {
    const second = spawnService({ dataDir });
    expect(await second.ended).toBe(2);
    expect(second.output()).toBe(
      `A Daybook service (process ${service.process.pid}) is using DATA_DIR (${dataDir}). ` +
        'Stop it, or set DATA_DIR (and PORT) to run another one beside it.\n',
    );
    expect((await askWho(service, kept)).status).toBe(200);
  });

  test('another one runs beside it, as an ordinary user, with the credentials it was given and none on disk', async () => {
    const other = newDataDir();
    mkdirSync(other);
    // As root the test starts the service as another user; any other user is an ordinary one already.
    const lent = isRoot && canReach(PROJECT, NOBODY) ? { user: NOBODY } : {};
    if (lent.user) for (const folder of [dirname(other), other]) chownSync(folder, NOBODY.uid, NOBODY.gid);
    const env = { HOME: '/nonexistent' };
    const beside = await startService({ dataDir: other, credentials: GIVEN, env, ...lent });
    expect(beside.port).not.toBe(service.port);
    expect((await askWho(beside, GIVEN)).body.data.client.clientId).toBe('given-id');
    expect((await askWho(service, GIVEN)).status).toBe(401);
    expect(existsSync(join(other, 'credentials.json'))).toBe(false);
    expect(beside.output()).toContain('First client          given-id\n');
    expect(beside.output()).not.toMatch(/given-secret|given-key/);
    expect(statSync(join(other, 'postgres')).uid).not.toBe(0);
    if (lent.user) expect(statSync(join(other, 'postgres')).uid).toBe(NOBODY.uid);
    expect(await beside.stop('SIGTERM')).toBe(0);
    expect(postmasterOf(other)).toBeUndefined();
  });

  test('Ctrl-C: a request in progress gets its answer, new ones are refused, no process is left', async () => {
    const postmaster = postmasterOf(dataDir);
    expect(postmaster).toBeDefined();
    const upload = await beginUpload(service.port, kept);
    service.process.kill('SIGINT');
    await eventually(() => refusesConnections(service.port));
    expect(service.hasEnded()).toBe(false);
    const answer = await upload.finish();
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain('"token":"');
    expect(await service.ended).toBe(0);
    expect(postmasterOf(dataDir)).toBeUndefined();
    expect(readdirSync(dataDir)).not.toContain('daybook.pid');
    printed += service.output();
  });

  test('the next start has the data and the client; BOOTSTRAP_* is ignored', async () => {
    service = await startService({ dataDir, credentials: GIVEN, env: { LOG_LEVEL: 'debug' } });
    expect((await askWho(service, kept)).status).toBe(200);
    expect((await askWho(service, GIVEN)).status).toBe(401);
    expect(service.output()).toContain(
      `First client          ${kept.clientId} (created earlier; BOOTSTRAP_* only applies to the first start)\n`,
    );
    expect(service.output()).toContain(`Credentials           ${dataDir}/credentials.json\n`);
  });

  test('kill -9 of the service: the next start adopts the database that is left', async () => {
    const postmaster = postmasterOf(dataDir);
    await service.stop('SIGKILL');
    printed += service.output();
    expect(postmasterOf(dataDir)).toBe(postmaster);
    service = await startService({ dataDir, env: { LOG_LEVEL: 'debug' } });
    expect(postmasterOf(dataDir)).toBe(postmaster);
    expect((await askWho(service, kept)).status).toBe(200);
  });

  test('kill -9 of the database: 503 meanwhile, and it recovers by itself', async () => {
    const token = await service.token(kept);
    const postmaster = postmasterOf(dataDir) ?? 0;
    const seen: Answered[] = [];
    process.kill(postmaster, 'SIGKILL');
    await eventually(async () => {
      for (const path of ['/readyz', '/v2/chain/clients']) {
        seen.push(await call(service.url, 'GET', path, { token }));
      }
      const [ready, clients] = seen.slice(-2);
      return seen.some(({ status }) => status === 503) && ready?.status === 200 && clients?.status === 200;
    });
    const others = seen.filter(({ status }) => status !== 200);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { headers, body } of others) {
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(body.code).toBe('unavailable');
    }
    expect(postmasterOf(dataDir)).not.toBe(postmaster);
    await eventually(() => service.output().includes('"msg":"database restarted"'));
    expect((await askWho(service, kept)).status).toBe(200);
  });

  test('kill -9 of both: the next start recovers', async () => {
    const postmaster = postmasterOf(dataDir) ?? 0;
    service.process.kill('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await service.ended;
    printed += service.output();
    service = await startService({ dataDir, env: { LOG_LEVEL: 'debug' } });
    expect((await askWho(service, kept)).status).toBe(200);
  });

  test('a second Ctrl-C does not wait for requests in progress', async () => {
    const upload = await beginUpload(service.port, kept);
    service.process.kill('SIGINT');
    await eventually(() => refusesConnections(service.port));
    expect(service.hasEnded()).toBe(false);
    // Sent repeatedly: signals too close to the first one do not count.
    await eventually(() => service.hasEnded() || !service.process.kill('SIGINT'), 10_000, 100);
    expect(await service.ended).toBe(130);
    expect(postmasterOf(dataDir)).toBeUndefined();
    upload.abandon();
    printed += service.output();
  });

  test('nothing that was printed contains a secret', () => {
    const masterKey = readFileSync(join(dataDir, 'master-key'), 'utf8').trim();
    const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
    for (const secret of [kept.clientSecret, kept.apiKey, masterKey, password, GIVEN.clientSecret, GIVEN.apiKey]) {
      expect(printed).not.toContain(secret);
    }
    // Every token begins like this, and every stack trace has these words.
    expect(printed).not.toMatch(/eyJ[\w-]{20}/);
    expect(printed).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });

  test.runIf(isLinux)('npm start: Ctrl-C on the terminal, and SIGTERM or kill -9 for npm alone', async () => {
    for (const how of ['Ctrl-C', 'SIGTERM', 'SIGKILL'] as const) {
      const npm = run('npm', ['start'], { env: serviceEnv({ dataDir }), detached: true });
      const { url, port } = await whenReady(npm);
      expect((await call(url, 'GET', '/readyz')).status).toBe(200);
      if (how === 'Ctrl-C') process.kill(-(npm.process.pid ?? 0), 'SIGINT');
      else npm.process.kill(how);
      // The output closes when the last process that holds it has ended.
      await npm.ended;
      expect(postmasterOf(dataDir)).toBeUndefined();
      expect(await refusesConnections(port)).toBe(true);
    }
  });
});

describe('another DATA_DIR', PATIENT, () => {
  const dataDir = newDataDir();
  let kept: Credentials;

  test('a signal while it starts: it stops and leaves nothing running', async () => {
    const port = await freePort();
    const early = spawnService({ dataDir, env: { PORT: String(port) } });
    await eventually(async () => (await call(`http://127.0.0.1:${port}`, 'GET', '/readyz')).status === 503);
    expect(await early.stop('SIGTERM')).toBe(0);
    expect(early.output()).toBe('');
    expect(postmasterOf(dataDir)).toBeUndefined();
    expect(existsSync(join(dataDir, 'credentials.json'))).toBe(false);
  });

  test.runIf(isLinux)('on a terminal it shows the credentials, once; a terminal that is closed stops it', async () => {
    const first = onTerminal(dataDir);
    const service = await whenReady(first);
    kept = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
    expect((await askWho(service, kept)).status).toBe(200);
    expect(first.output()).toContain(`Client id             ${kept.clientId}\r\n`);
    expect(first.output()).toContain(`Client secret         ${kept.clientSecret}\r\n`);
    expect(first.output()).toContain(`API key               ${kept.apiKey}\r\n`);
    expect(first.output()).toContain(`(shown only once; stored in ${dataDir}/credentials.json)`);
    const LINK = 'http://localhost:\\d+/invitation#[\\w-]{43}';
    expect(first.output()).toMatch(new RegExp(`Console of your organization\r\n {24}${LINK}\r\n`));
    // Without `script` its terminal is gone as well, and the kernel sends SIGHUP to the service.
    await first.stop('SIGKILL');
    await eventually(() => postmasterOf(dataDir) === undefined);

    const second = onTerminal(dataDir);
    await whenReady(second);
    expect(second.output()).toContain(`First client          ${kept.clientId}\r\n`);
    expect(second.output()).not.toContain(kept.clientSecret);
    expect(second.output()).not.toContain(kept.apiKey);
    // Nobody has opened the link.
    expect(second.output()).not.toContain('/invitation#');
    expect(second.output()).toContain('Console of your organization\r\n');
    expect(second.output()).toContain('npm run users -- invite --email ');
    await second.stop('SIGTERM');
    await eventually(() => postmasterOf(dataDir) === undefined);
  });

  test('a database whose master key is missing does not get a new one', async () => {
    renameSync(join(dataDir, 'master-key'), join(dataDir, 'elsewhere'));
    const keyless = spawnService({ dataDir });
    expect(await keyless.ended).toBe(2);
    expect(keyless.output()).toBe(
      `The master key file ${dataDir}/master-key of this database is missing. ` +
        'Restore it from a backup, or set MASTER_KEY.\n',
    );
    expect(existsSync(join(dataDir, 'master-key'))).toBe(false);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });
});

function onTerminal(dataDir: string): Running {
  const command = `'${process.execPath}' '${join(PROJECT, 'src', 'main.ts')}'`;
  return run('script', ['-qec', command, '/dev/null'], { env: serviceEnv({ dataDir }) });
}

async function askWho(service: Service, credentials: Credentials): Promise<Answered> {
  const { clientId, clientSecret, apiKey: key } = credentials;
  const issued = await call(service.url, 'POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  if (issued.status !== 200) return issued;
  return call(service.url, 'GET', '/v2/chain/me', { token: issued.body.data.token, key });
}

/** A token request whose body lacks its last byte until `finish`. */
async function beginUpload(port: number, { clientId, clientSecret }: Credentials) {
  const body = JSON.stringify({ clientId, clientSecret });
  const socket: Socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = ['POST /v2/chain/auth-token HTTP/1.1', 'Host: daybook', 'Content-Type: application/json'];
  head.push('Expect: 100-continue', `Content-Length: ${body.length}`);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The service has received the request once it asks for the body.
  await eventually(() => received.startsWith('HTTP/1.1 100 '));
  socket.write(body.slice(0, -1));
  received = '';
  return {
    async finish(): Promise<string> {
      socket.write(body.slice(-1));
      await closed;
      return received;
    },
    abandon: () => socket.destroy(),
  };
}

function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
