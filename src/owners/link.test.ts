/** Messages between processes: only a process that knows the key can send one, and none can be changed or replayed. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Link, openLink } from './link.ts';
import { AddressNotFree, type Listener, openListener } from './listener.ts';
import { forwardingKey } from './tls.ts';

const SECRET = new Uint8Array(32).fill(9);
const ID = 'process_owner';
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end();
});

type Served = { listener: Listener; messages: unknown[] };

async function listen(serve: (message: unknown) => Promise<object | null> = async () => ({ ok: 1 })): Promise<Served> {
  const messages: unknown[] = [];
  const listener = await openListener({
    listen: { host: '127.0.0.1', port: 0 },
    processId: ID,
    key: forwardingKey(SECRET, ID),
    now: () => 1_000_000,
    longestMs: 10_000,
    serve: (message) => {
      messages.push(message);
      return serve(message);
    },
  });
  cleanup.push(() => listener.close());
  return { listener, messages };
}

function link(address: string, options: { processId?: string; secret?: Uint8Array; now?: number } = {}): Link {
  const { processId = ID, secret = SECRET, now = 1_000_000 } = options;
  const one = openLink({ processId, address, key: forwardingKey(secret, processId), now: () => now });
  cleanup.push(() => one.retire());
  return one;
}

/** A proxy to the listener that sees every byte and can change or record it. */
async function between(
  address: string,
  onData: (chunk: Buffer, way: 'there' | 'back') => Buffer,
  onConnection: (cut: () => void) => void = () => {},
): Promise<string> {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    onConnection(() => near.destroy());
    for (const [from, to, way] of [
      [near, far, 'there'],
      [far, near, 'back'],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk: Buffer) => to.write(onData(chunk, way)));
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

test('a message is processed and answered, many at a time on one connection', async () => {
  const { listener, messages } = await listen(async (message) => ({ twice: (message as { n: number }).n * 2 }));
  const one = link(listener.address);
  const sent = await Promise.all(Array.from({ length: 200 }, (_, n) => one.send({ n }, 5_000)));
  expect(sent).toEqual(sent.map((_, n) => ({ kind: 'answered', answer: { twice: n * 2 } })));
  expect(messages).toHaveLength(200);
});

test.each([
  ['another secret', { secret: new Uint8Array(32).fill(8) }],
  ['the key of another process', { processId: 'process_other' }],
])('a forged message, under %s, fails in the handshake', async (_, forged) => {
  const { listener, messages } = await listen();
  expect(await link(listener.address, forged).send({ n: 1 }, 5_000)).toEqual({ kind: 'away', lasting: true });
  expect(messages).toEqual([]);
});

test('bytes that are not a handshake get no answer, and a plain connection cannot send a message', async () => {
  const { listener, messages } = await listen();
  const socket = connect(Number(listener.address.split(':')[1]), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.write(`\0\0\0\x0d\0\0\0\x01{"message":1}${'x'.repeat(100_000)}`);
  await closed;
  expect(messages).toEqual([]);
});

test('a message altered in transit changes nothing and is not acknowledged', async () => {
  const { listener, messages } = await listen();
  let seen = 0;
  const address = await between(listener.address, (chunk, way) => {
    if (way === 'there') seen += 1;
    // The first two flights are the handshake.
    if (way === 'there' && seen > 2) chunk[chunk.length - 20] = (chunk[chunk.length - 20] as number) ^ 1;
    return chunk;
  });
  expect(await link(address).send({ n: 1 }, 5_000)).toEqual({ kind: 'unknown', lasting: true });
  expect(messages).toEqual([]);
});

test('an answer altered in transit is rejected', async () => {
  let altering = false;
  const { listener } = await listen(async () => {
    altering = true;
    return { ok: 1 };
  });
  const address = await between(listener.address, (chunk, way) => {
    if (way === 'back' && altering) chunk[chunk.length - 1] = (chunk[chunk.length - 1] as number) ^ 1;
    return chunk;
  });
  expect(await link(address).send({ n: 1 }, 5_000)).toEqual({ kind: 'unknown', lasting: true });
});

test('recorded bytes that are replayed, all or some, have no effect', async () => {
  const { listener, messages } = await listen();
  const recorded: Buffer[] = [];
  const address = await between(listener.address, (chunk, way) => {
    if (way === 'there') recorded.push(Buffer.from(chunk));
    return chunk;
  });
  expect((await link(address).send({ n: 1 }, 5_000)).kind).toBe('answered');
  expect(messages).toHaveLength(1);
  for (const bytes of [Buffer.concat(recorded), recorded.at(-1) as Buffer]) {
    const socket = connect(Number(listener.address.split(':')[1]), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).resume();
    socket.write(bytes);
    await closed;
  }
  // The same on the connection that it was recorded from.
  let again: (() => void) | null = null;
  const twice = await between(listener.address, (chunk, way) => {
    if (way === 'back' || again === null) return chunk;
    again();
    again = null;
    return Buffer.concat([chunk, chunk]);
  });
  const other = link(twice);
  expect((await other.send({ n: 2 }, 5_000)).kind).toBe('answered');
  again = () => {};
  await other.send({ n: 3 }, 5_000);
  expect(messages).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('an expired message is not processed, nor one that claims too long a validity', async () => {
  const { listener, messages } = await listen();
  for (const now of [990_000, 1_030_000]) {
    expect(await link(listener.address, { now }).send({ n: 1 }, 5_000)).toEqual({ kind: 'away', lasting: false });
  }
  expect(messages).toEqual([]);
});

test('a message that is too long is not sent', async () => {
  const { listener, messages } = await listen();
  const sent = await link(listener.address).send({ text: 'x'.repeat(2_000_000) }, 5_000);
  expect(sent).toEqual({ kind: 'away', lasting: false });
  expect(messages).toEqual([]);
});

test('an owner that does not exist is away; one that ends before its answer leaves the outcome unknown', async () => {
  const { listener } = await listen();
  await listener.close();
  expect(await link(listener.address).send({ n: 1 }, 5_000)).toEqual({ kind: 'away', lasting: true });

  let finish: (answer: object) => void = () => {};
  const { listener: other } = await listen(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  let cut = () => {};
  const address = await between(
    other.address,
    (chunk) => chunk,
    (end) => {
      cut = end;
    },
  );
  const sent = link(address).send({ n: 1 }, 5_000);
  await expect.poll(() => finish.name).not.toBe('finish');
  cut();
  expect(await sent).toEqual({ kind: 'unknown', lasting: true });
  finish({ ok: 1 });

  const silent = link(other.address).send({ n: 1 }, 50);
  expect(await silent).toEqual({ kind: 'unknown', lasting: true });
  finish({ ok: 1 });
});

test('a connection that stops answering is not used again', async () => {
  const { listener, messages } = await listen();
  let silent = false;
  let connections = 0;
  const address = await between(
    listener.address,
    (chunk) => (silent ? Buffer.alloc(0) : chunk),
    () => {
      connections += 1;
      silent = false;
    },
  );
  const one = link(address);
  expect((await one.send({ n: 1 }, 5_000)).kind).toBe('answered');
  silent = true;
  expect(await one.send({ n: 2 }, 50)).toEqual({ kind: 'unknown', lasting: true });
  expect((await one.send({ n: 3 }, 5_000)).kind).toBe('answered');
  expect((await one.send({ n: 4 }, 5_000)).kind).toBe('answered');
  expect(connections).toBe(2);
  expect(messages).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
});

test('one missing answer does not condemn a connection on which others arrive', async () => {
  const { listener } = await listen((message) =>
    (message as { n: number }).n === 1 ? Promise.withResolvers<object>().promise : Promise.resolve({ ok: 1 }),
  );
  // A listener that closes waits for the messages it has accepted.
  cleanup.pop();
  let connections = 0;
  const address = await between(
    listener.address,
    (chunk) => chunk,
    () => {
      connections += 1;
    },
  );
  const one = link(address);
  const owed = one.send({ n: 1 }, 300);
  expect((await one.send({ n: 2 }, 5_000)).kind).toBe('answered');
  expect(await owed).toEqual({ kind: 'unknown', lasting: false });
  expect((await one.send({ n: 3 }, 5_000)).kind).toBe('answered');
  expect(connections).toBe(1);
});

test('an invalid address is away, and a failure of the owner leaves the outcome unknown', async () => {
  for (const address of ['', 'nowhere', '127.0.0.1:99999', '[::1]', ':1']) {
    expect(await link(address).send({ n: 1 }, 5_000)).toEqual({ kind: 'away', lasting: true });
  }
  const { listener } = await listen(() => Promise.reject(new Error('unexpected')));
  expect(await link(listener.address).send({ n: 1 }, 5_000)).toEqual({ kind: 'unknown', lasting: false });
});

test('silent connections do not block a message', async () => {
  const { listener } = await listen();
  const one = link(listener.address);
  expect((await one.send({ n: 1 }, 5_000)).kind).toBe('answered');
  const port = Number(listener.address.split(':')[1]);
  const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  cleanup.push(() => {
    for (const socket of idle) socket.destroy();
  });
  expect((await one.send({ n: 2 }, 5_000)).kind).toBe('answered');
});

test('a listener that closes finishes the messages it has accepted and refuses more', async () => {
  let finish = () => {};
  const { listener } = await listen(
    () =>
      new Promise((resolve) => {
        finish = () => resolve({ ok: 1 });
      }),
  );
  const one = link(listener.address);
  const taken = one.send({ n: 1 }, 5_000);
  await expect.poll(() => finish.toString()).toContain('ok');
  const closed = listener.close();
  expect(await one.send({ n: 2 }, 5_000)).toEqual({ kind: 'away', lasting: true });
  finish();
  expect(await taken).toEqual({ kind: 'answered', answer: { ok: 1 } });
  await closed;
});

test('an address that cannot be listened on is reported in one line', async () => {
  const { listener } = await listen();
  const [host = '', port] = listener.address.split(':');
  const options = {
    processId: ID,
    key: forwardingKey(SECRET, ID),
    now: () => 0,
    longestMs: 1,
    serve: async () => null,
  };
  const taken = openListener({ ...options, listen: { host, port: Number(port) } });
  await expect(taken).rejects.toThrow(new AddressNotFree(Number(port), 'EADDRINUSE'));
  await expect(openListener({ ...options, listen: { host: '192.0.2.1', port: 0 } })).rejects.toThrow(/FORWARD_HOST/);
});
