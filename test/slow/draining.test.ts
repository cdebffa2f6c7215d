/** A service that gets SIGTERM is no longer ready, accepts requests for a while, and answers all of them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClosing } from '../../src/http/shell/closing.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { urlOf } from '../support/server.ts';
import { call, endAll, eventually, newDataDir, spawnService, startService } from '../support/service.ts';

const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-draining-tests',
  apiKey: 'first-api-key-of-the-draining-tests',
};
const BODY = JSON.stringify({ clientId: FIRST.clientId, clientSecret: FIRST.clientSecret });
const HEAD = `POST /v2/chain/auth-token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

let database: TestDatabase;
let service: TestApp;
beforeAll(async () => {
  database = await testDatabase();
  service = await testApp();
});
afterAll(async () => {
  await service.close();
  await endAll();
  await database.drop();
});

async function half(port: number, text: string): Promise<{ socket: Socket; all: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  return { socket, all: once(socket, 'close').then(() => Buffer.concat(chunks).toString()) };
}

test('after SIGTERM it is not ready and still serves; then it closes, and half-sent requests are answered', {
  timeout: 60_000,
}, async () => {
  const env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY: '5a'.repeat(32), DRAIN_SECONDS: '2' };
  const one = await startService({ dataDir: newDataDir(), credentials: FIRST, env });
  const token = await one.token();
  const [inHead, inBody] = [
    await half(one.port, HEAD.slice(0, 40)),
    await half(one.port, `${HEAD}${BODY.slice(0, 5)}`),
  ];
  const ended = one.stop('SIGTERM');
  await eventually(async () => (await call(one.url, 'GET', '/readyz')).status === 503, 20_000, 5);
  const me = await call(one.url, 'GET', '/v2/chain/me', { token });
  expect([me.status, me.headers.get('connection')]).toEqual([200, 'close']);
  // New connections are accepted until the listener closes.
  await eventually(
    () =>
      fetch(`${one.url}/healthz`).then(
        () => false,
        () => true,
      ),
    20_000,
    20,
  );
  inHead.socket.write(`${HEAD.slice(40)}${BODY}`);
  inBody.socket.write(BODY.slice(5));
  for (const { all } of [inHead, inBody]) expect(await all).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ended).toBe(0);
});

test('a service that gets SIGTERM while it joins the other processes does not become ready', {
  timeout: 60_000,
}, async () => {
  const env = {
    DATABASE_URL: urlOf(database.connection),
    MASTER_KEY: '5a'.repeat(32),
    DRAIN_SECONDS: '3600',
    LOG_LEVEL: 'info',
  };
  await database.db.session(async (session) => {
    const one = spawnService({ dataDir: newDataDir(), credentials: FIRST, env });
    const ended = await session.transaction(async (tx) => {
      await tx.query('LOCK TABLE processes IN ACCESS EXCLUSIVE MODE');
      const blocked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO processes%'";
      await eventually(async () => (await database.db.query(blocked)).length > 0, 30_000);
      const stopped = one.stop('SIGTERM');
      await eventually(() => one.output().includes('"draining"'));
      return { stopped };
    });
    expect(await ended.stopped).toBe(0);
    expect(one.output()).not.toContain('ready at');
  });
});

test('Ctrl-C does not wait for a load balancer', { timeout: 60_000 }, async () => {
  const env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY: '5a'.repeat(32), DRAIN_SECONDS: '3600' };
  const one = await startService({ dataDir: newDataDir(), credentials: FIRST, env });
  expect(await one.stop('SIGINT')).toBe(0);
});

test('a request that stays incomplete is answered with 503, and an idle connection is closed', async () => {
  const close = openClosing(service.app);
  const [silent, inHead, inBody] = [
    await half(service.port, ''),
    await half(service.port, HEAD.slice(0, 40)),
    await half(service.port, `${HEAD}${BODY.slice(0, 5)}`),
  ];
  // The server has read what was sent before it closes.
  await eventually(async () => (await service.call('GET', '/healthz')).status === 200);
  const closed = close({ halfSentMs: 100, runningMs: 5_000 });
  expect(await silent.all).toBe('');
  for (const { all } of [inHead, inBody]) {
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(answer).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
  }
  await closed;
});
