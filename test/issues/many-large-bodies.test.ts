/** Two hundred connections with a large body each do not exhaust the memory of the service: beyond a budget they get 503 with Retry-After. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { openWire, type Wire } from '../support/fuzz/wire.ts';

let service: TestApp;
let token: string;
const open: (Socket | Wire)[] = [];
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(async () => {
  for (const one of open) one.destroy();
  await service.close();
});

const MIB = 1024 * 1024;
const head = (of: string, framing: string) =>
  `POST /v2/chain/loans HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${of}\r\nkey: first-key\r\n` +
  `Content-Type: application/json\r\n${framing}\r\n\r\n`;
const withLength = (bytes: number) => head(token, `Content-Length: ${bytes}`);

/** Begins a request, and returns when the service waits for its body: the room for it is taken by then. */
async function begin(bytes: number): Promise<Socket> {
  const socket = connect({ port: service.port, host: '127.0.0.1' });
  open.push(socket);
  await once(socket, 'connect');
  const { server } = service.app;
  const waits = new Promise<void>((resolve) => {
    const see = (request: IncomingMessage) => {
      if (request.socket.remotePort !== socket.localPort) return;
      server.off('request', see);
      request.on('newListener', (name) => {
        if (name === 'data') resolve();
      });
    };
    server.prependListener('request', see);
  });
  socket.write(withLength(bytes));
  await waits;
  return socket;
}

async function answerTo(bytes: string | Buffer): Promise<{ status: number; retryAfter: string | undefined }> {
  const wire = await openWire(service.port);
  open.push(wire);
  const { answers } = await wire.exchange(Buffer.from(bytes), ['POST']);
  return { status: answers[0]?.status ?? 0, retryAfter: answers[0]?.headers.get('retry-after')?.[0] };
}

test('an organization holds 32 MiB of bodies at most, small ones are always read, and room is given back', async () => {
  const held: Socket[] = [];
  for (let i = 0; i < 3; i += 1) held.push(await begin(10 * MIB));
  // Refused on its head alone: no byte of the body was sent.
  expect(await answerTo(withLength(10 * MIB))).toEqual({ status: 503, retryAfter: '1' });
  const chunk = `${(3 * MIB).toString(16)}\r\n${' '.repeat(3 * MIB)}\r\n`;
  expect((await answerTo(head(token, 'Transfer-Encoding: chunked') + chunk)).status).toBe(503);
  expect((await answerTo(`${withLength(2)}{}`)).status).toBe(422);
  expect((await answerTo(`${withLength(MIB)}{}${' '.repeat(MIB - 2)}`)).status).toBe(422);
  // Another organization is not affected.
  const { organizationId } = await service.access.createOrganization('another');
  const other = await service.access.createClient(organizationId, { name: 'other', scopes: ['loans:write'] });
  const { body } = await service.call('POST', '/v2/chain/auth-token', {
    body: { clientId: other.clientId, clientSecret: other.clientSecret },
  });
  const theirs = `Content-Length: ${3 * MIB}`;
  const request = head(body.data.token, theirs).replace('first-key', other.apiKey);
  expect((await answerTo(`${request}{}${' '.repeat(3 * MIB - 2)}`)).status).toBe(422);

  for (const socket of held) socket.destroy();
  // A later connection is served after the ended ones were noticed; a few tries at most.
  let status = 503;
  for (let i = 0; i < 50 && status === 503; i += 1) {
    status = (await answerTo(`${withLength(3 * MIB)}{}${' '.repeat(3 * MIB - 2)}`)).status;
  }
  expect(status).toBe(422);
});

test('a body that was refused for its size takes no room, though its bytes still arrive', async () => {
  const chunk = `${(78_000).toString(16)}\r\n${' '.repeat(78_000)}\r\n`;
  const small = head(token, 'Transfer-Encoding: chunked').replace('/loans', '/close');
  for (let i = 0; i < 450; i += 1) expect((await answerTo(small + chunk)).status).toBe(413);
  expect((await answerTo(`${withLength(3 * MIB)}{}${' '.repeat(3 * MIB - 2)}`)).status).toBe(422);
});

test('a caller that disconnects before its body is read takes no room', async () => {
  const socket = connect({ port: service.port, host: '127.0.0.1' });
  const begun = new Promise<void>((resolve) => {
    // The connection is gone by the time the caller has been looked up.
    service.app.server.prependOnceListener('request', (request: IncomingMessage) => {
      request.socket.destroy();
      resolve();
    });
  });
  socket.write(withLength(10 * MIB));
  await begun;
  for (let i = 0; i < 3; i += 1) await new Promise(setImmediate);
  const held = await Promise.all([begin(10 * MIB), begin(10 * MIB)]);
  expect((await answerTo(`${withLength(10 * MIB)}{}${' '.repeat(10 * MIB - 2)}`)).status).toBe(422);
  for (const one of held) one.destroy();
});

test('chunks that arrive after a refusal for the size are discarded', async () => {
  const first = `${(9_000).toString(16)}\r\n${' '.repeat(9_000)}\r\n`;
  const bytes = `${head(token, 'Transfer-Encoding: chunked').replace('/loans', '/auth-token')}${first}`;
  for (let i = 0; i < 5; i += 1) {
    expect((await answerTo(`${bytes}${'1\r\n \r\n'.repeat(5_000)}`)).status).toBe(413);
  }
  expect((await answerTo(`${withLength(2)}{}`)).status).toBe(422);
});

test('a body in twenty thousand chunks of one byte is refused before it is read to its end', async () => {
  const chunks = '1\r\n \r\n'.repeat(20_000);
  const bytes = `${head(token, 'Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`;
  const wire = await openWire(service.port);
  open.push(wire);
  const { answers } = await wire.exchange(Buffer.from(bytes), ['POST']);
  expect(JSON.parse(answers[0]?.body.toString() ?? '')).toMatchObject({
    status: 400,
    code: 'invalid_body',
    detail:
      'The body is sent in too many small chunks; send larger chunks, or send the whole body with Content-Length.',
  });
  // Small chunks are fine as long as there are not too many of them.
  const few = `${'1\r\n \r\n'.repeat(500)}2\r\n{}\r\n0\r\n\r\n`;
  expect((await answerTo(head(token, 'Transfer-Encoding: chunked') + few)).status).toBe(422);
});
