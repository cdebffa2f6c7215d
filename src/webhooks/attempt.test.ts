/** One attempt against receivers that behave badly, and the guard of targets: real sockets on this machine, names that resolve as needed. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type LookupFunction, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { FeedEvent } from '../loans/feed/read.ts';
import { openOutbound } from '../outbound/client.ts';
import { openTargetCheck } from '../outbound/targets.ts';
import { attempt, WEBHOOK_CONNECTIONS } from './attempt.ts';
import { newSecret } from './signing.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const EVENT: FeedEvent = {
  ...{ id: 'evt_1', type: 'payment.submitted', loanId: 'loan', transactionHash: null, sequence: 1 },
  ...{ dateEffective: null, recordedAt: '2026-01-15T12:00:00.000Z', subject: null },
};

async function listen(server: Server): Promise<number> {
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('connection', (socket) => sockets.add(socket));
  opened.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const receiver = (behave: RequestListener) => listen(createServer(behave));

function sender(more: { allow?: string[]; lookup?: LookupFunction } = {}) {
  const outbound = openOutbound({ ...WEBHOOK_CONNECTIONS, allow: ['127.0.0.1'], ...more });
  opened.push(outbound);
  const posting = { outbound, clock: Date.now, monotonic: () => performance.now() };
  return (url: string, withinMs?: number) => attempt(posting, { url, secrets: [newSecret()] }, EVENT, withinMs);
}

/** Each lookup gets the next of these addresses, later ones the last. */
function resolvesTo(...addresses: string[]): LookupFunction {
  let asked = 0;
  return (_, options, callback) => {
    const address = addresses[Math.min(asked++, addresses.length - 1)] as string;
    const family = address.includes(':') ? 6 : 4;
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

describe('a receiver that', () => {
  test('accepts and never answers: a time-out', async () => {
    const port = await receiver(() => {});
    expect(await sender()(`http://127.0.0.1:${port}/`, 150)).toMatchObject({ status: null, failure: 'timeout' });
  });

  test.each([
    ['quickly', 0],
    ['slowly', 20],
  ])('answers 200 with a body that comes %s and never ends: delivered, without waiting for it', async (_, everyMs) => {
    let sent = 0;
    let isOpen = true;
    const port = await receiver((_request, response) => {
      response.on('close', () => {
        isOpen = false;
      });
      const more = () => {
        if (!isOpen) return;
        sent += 1_024;
        response.write('x'.repeat(1_024), () => setTimeout(more, everyMs));
      };
      response.writeHead(200);
      more();
    });
    const outcome = await sender()(`http://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ status: 200, failure: null });
    // The limit is a second; a busy machine takes longer.
    expect(outcome.ms).toBeLessThan(8_000);
    await expect.poll(() => isOpen).toBe(false);
    expect(sent).toBeLessThan(10_000_000);
  });

  test('closes before its answer: no delivery; after the head: one', async () => {
    const port = await receiver((request, response) => {
      if (request.url === '/before') return request.socket.destroy();
      response.writeHead(200, { 'content-length': '1000' });
      return response.write('x', () => request.socket.destroy());
    });
    expect(await sender()(`http://127.0.0.1:${port}/before`)).toMatchObject({ status: null, failure: 'connection' });
    expect(await sender()(`http://127.0.0.1:${port}/after`)).toMatchObject({ status: 200, failure: null });
  });

  test('answers with a megabyte of headers: no delivery', async () => {
    const port = await listen(
      createSocketServer((socket) => {
        socket.on('error', () => {});
        socket.write(`HTTP/1.1 200 OK\r\n${`x-filler: ${'y'.repeat(1_000)}\r\n`.repeat(1_024)}\r\n`);
      }),
    );
    expect(await sender()(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, failure: 'connection' });
  });

  test.each([301, 302, 303, 307, 308])('redirects with %i to an inner address: not followed', async (status) => {
    let inner = 0;
    const innerPort = await listen(
      createSocketServer(() => {
        inner += 1;
      }),
    );
    const port = await receiver((_, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${innerPort}/` }).end(),
    );
    expect(await sender()(`http://127.0.0.1:${port}/`)).toMatchObject({ status, failure: 'redirect' });
    expect(inner).toBe(0);
  });
});

describe('a target', () => {
  const check = openTargetCheck({ allow: [], lookup: resolvesTo('8.8.8.8') });
  const inner = openTargetCheck({ allow: [], lookup: resolvesTo('127.0.0.1') });

  test('that resolves to a private address is refused when it is set', async () => {
    for (const host of [
      'inner.example',
      'localhost',
      'localhost.',
      'LOCALHOST',
      '%6cocalhost',
      'xn--bcher-kva.example',
    ])
      expect(await inner(`https://${host}/`), host).toMatchObject({ code: 'target_forbidden' });
  });

  test('that is public when it is set and private when it is connected to is never connected to', async () => {
    let connections = 0;
    const port = await listen(
      createSocketServer(() => {
        connections += 1;
      }),
    );
    const lookup = resolvesTo('8.8.8.8', '127.0.0.1');
    const url = `https://rebinding.example:${port}/`;
    expect(await openTargetCheck({ allow: [], lookup })(url)).toBeNull();
    const send = sender({ allow: [], lookup });
    for (let i = 0; i < 3; i++) expect(await send(url)).toMatchObject({ status: null, failure: 'forbidden' });
    expect(connections).toBe(0);
  });

  test.each([
    ...['127.0.0.1', '0x7f000001', '2130706433', '017700000001', '127.1', '0', '10.0.0.1:8443', '192.168.1.1.'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fd00::1]', '[fe80::1]', '[64:ff9b::a00:1]'],
    ...['[2002:7f00:1::]', '169.254.169.254', '１２７.0.0.1'.normalize('NFKC')],
  ])('at %s is refused in every spelling', async (host) => {
    expect(await check(`https://${host}/`)).toMatchObject({ code: 'target_forbidden' });
  });

  test.each([
    ...[
      'https://user:pass@hooks.example/',
      'https://user@hooks.example/',
      'https://hooks.example/#part',
      'https://hooks.example/#',
    ],
    ...[
      'https://hooks.example:65536/',
      'https://hooks.example:x/',
      'https://bücher.example/',
      'https://[fe80::1%25eth0]/',
    ],
    ...[
      'https:hooks.example',
      '//hooks.example/',
      'https://hooks.example/a b',
      'https://hooks.example/\n',
      'javascript:alert(1)',
    ],
  ])('%s is no URL for it', async (url) => {
    expect(await check(url)).toMatchObject({ code: 'format' });
  });

  test.each(['https://HOOKS.example/', 'https://hooks.example.:8443/x?y=z', 'https://xn--bcher-kva.example/'])(
    '%s may be one',
    async (url) => expect(await check(url)).toBeNull(),
  );
});
