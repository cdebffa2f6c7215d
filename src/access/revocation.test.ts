/** Several instances on one database: how soon one sees the changes of another, and what happens when it cannot. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { granted } from '../../test/support/granted.ts';
import { presentTo } from '../../test/support/present.ts';
import { type Connection, type Db, openDb } from '../store/db/db.ts';
import { type Access, type Caller, openAccess } from './access.ts';
import type { Credentials } from './admin.ts';
import type { Denial } from './refused.ts';

const MASTER = new Uint8Array(32).fill(7);
const NOW = Date.UTC(2026, 0, 15, 12);
const BELIEVED_MS = 750;

let database: TestDatabase;
let organizationId: string;
let tick = 0;
let here: Access;

beforeAll(async () => {
  database = await testDatabase();
  here = open();
  ({ organizationId } = await here.createOrganization('Harbor Auto Finance'));
});
afterAll(() => database.drop());

/** An instance; without `start` it reads the database only when it must, so the test's own monotonic time decides. */
function open(db: Db = database.db, monotonic = () => tick): Access {
  return openAccess({ db, clock: () => NOW, secret: MASTER, monotonic });
}

const newClient = () => here.createClient(organizationId, { name: 'desk', scopes: ['loans:read', 'admin'] });

async function tokenOf(who: Credentials, by = here): Promise<string> {
  const answer = await by.issueToken({ ...who, address: '192.0.2.1', issuer: 'https://loans.example' });
  if ('denied' in answer) throw new Error(`denied: ${answer.denied}`);
  return answer.token;
}

async function present(by: Access, token: string, key?: string): Promise<Caller | Denial> {
  return presentTo(by, { token, key });
}

const changes: Record<string, { change(who: Credentials): Promise<unknown>; after: object }> = {
  'a revoked client': {
    change: (who) => here.revokeClient(organizationId, who.clientId),
    after: { denied: 'bad_token', why: 'revoked' },
  },
  'a new secret': {
    change: (who) => here.rotateClient(organizationId, who.clientId, { what: 'secret' }),
    after: { denied: 'bad_token', why: 'revoked' },
  },
  'a revoked key': {
    change: (who) => here.revokeKey(organizationId, who.keyId),
    after: { denied: 'bad_key' },
  },
  'a new key': {
    change: (who) => here.rotateClient(organizationId, who.clientId, { what: 'key' }),
    after: { denied: 'bad_key' },
  },
  'removed scopes': {
    change: (who) => here.updateClient(organizationId, who.clientId, { scopes: ['loans:read'] }),
    after: { scopes: new Set(['loans:read']) },
  },
  'a row changed by hand': {
    change: (who) =>
      database.db.query(`UPDATE clients SET status = 'revoked', revoked_at = now() WHERE client_id = $1`, [
        who.clientId,
      ]),
    after: { denied: 'bad_token', why: 'revoked' },
  },
  'a signing key removed by hand': {
    change: () => database.db.query('DELETE FROM signing_keys'),
    after: { denied: 'bad_token', why: 'invalid' },
  },
};

test.each(Object.entries(changes))('%s is known on another instance within a second', async (_, { change, after }) => {
  const who = await newClient();
  const token = await tokenOf(who);
  const there = open();
  const before = { clientId: who.clientId, scopes: new Set(['loans:read', 'admin']), keyId: who.keyId };
  expect(await present(there, token, who.apiKey)).toMatchObject(before);
  await change(who);
  tick += BELIEVED_MS - 1;
  expect(await present(there, token, who.apiKey), 'still trusted').toMatchObject(before);
  tick += 1;
  expect(await present(there, token, who.apiKey)).toMatchObject(after);
});

test('the instance that makes the change knows it at once', async () => {
  const who = await newClient();
  const token = await tokenOf(who);
  expect(await present(here, token, who.apiKey)).toMatchObject({ keyId: who.keyId });
  await here.revokeKey(organizationId, who.keyId);
  expect(await present(here, token, who.apiKey)).toEqual({ denied: 'bad_key' });
  await here.revokeClient(organizationId, who.clientId);
  expect(await present(here, token)).toEqual({ denied: 'bad_token', why: 'revoked' });
});

test('credentials created on one instance work on another at once', async () => {
  const there = open();
  const who = await newClient();
  expect(await present(there, await tokenOf(who, there), who.apiKey)).toMatchObject({ keyId: who.keyId });
  const rotated = { ...who, ...(await here.rotateClient(organizationId, who.clientId, { what: 'both' })) };
  tick += 1;
  expect(await present(there, await tokenOf(rotated), rotated.apiKey), 'a token newer than its cache').toMatchObject({
    keyId: rotated.keyId,
  });
  expect(await present(there, await tokenOf(rotated, there), rotated.apiKey)).toMatchObject({ keyId: rotated.keyId });
  expect(
    await there.issueToken({ ...who, address: '192.0.2.1', issuer: 'https://loans.example' }),
    'the old secret',
  ).toEqual({
    denied: 'bad_credentials',
  });
});

test('a cached secret is dropped with the change that revokes it', async () => {
  const who = await newClient();
  const there = open();
  await tokenOf(who, there);
  await here.rotateClient(organizationId, who.clientId, { what: 'secret' });
  tick += BELIEVED_MS;
  expect(await there.issueToken({ ...who, address: '192.0.2.1', issuer: 'https://loans.example' })).toEqual({
    denied: 'bad_credentials',
  });
});

test('with the poll running, a revocation is known elsewhere within a second of real time', async () => {
  const who = await newClient();
  const token = await tokenOf(who);
  const there = open(database.db, () => performance.now());
  await there.start();
  try {
    expect(await present(there, token)).toMatchObject({ clientId: who.clientId });
    await here.revokeClient(organizationId, who.clientId);
    const revokedAt = performance.now();
    let answer = await present(there, token);
    while ('clientId' in answer && performance.now() - revokedAt < 5_000) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      answer = await present(there, token);
    }
    expect(answer).toEqual({ denied: 'bad_token', why: 'revoked' });
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
  } finally {
    there.stop();
  }
});

test('an answer that a change has overtaken does not restore the old state', async () => {
  const owner = await here.createOrganization('Owner');
  const terms = { granteeOrganizationId: organizationId, access: 'read' } as const;
  const grant = await granted(here, owner.organizationId, terms);
  // Holds back one reading of the grants, as a slow network would, after the database has answered it.
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let holding = true;
  const slow: Db = {
    ...database.db,
    async query(text, values) {
      const rows = await database.db.query(text, values);
      if (holding && text.includes('LEFT JOIN grants')) {
        holding = false;
        await held;
      }
      return rows as never;
    },
  };
  const there = open(slow);
  const early = there.grantsFor({ organizationId });
  await expect.poll(() => holding).toBe(false);
  // No time passes, so the old state would still be trusted if it were kept.
  await there.revokeGrant(owner.organizationId, grant?.grantId ?? '');
  release();
  expect(await early).toEqual([]);
  expect(await there.grantsFor({ organizationId })).toEqual([]);
});

test('a database restored from a backup is trusted, although its epoch decreased', async () => {
  const who = await newClient();
  const token = await tokenOf(who);
  const there = open();
  await here.revokeClient(organizationId, who.clientId);
  tick += BELIEVED_MS;
  expect(await present(there, token)).toEqual({ denied: 'bad_token', why: 'revoked' });
  await database.db.query(`UPDATE clients SET status = 'active', revoked_at = NULL WHERE client_id = $1`, [
    who.clientId,
  ]);
  await database.db.query('UPDATE access_epoch SET epoch = epoch - 2');
  tick += BELIEVED_MS;
  expect(await present(there, token)).toMatchObject({ clientId: who.clientId });
  await database.db.query('UPDATE access_epoch SET epoch = epoch + 10');
});

test('without its database an instance trusts its cache for three quarters of a second and then admits no caller', async () => {
  const who = await newClient();
  const token = await tokenOf(who);
  const line = await openLine(database.connection);
  try {
    const there = open(line.db);
    expect(await present(there, token, who.apiKey)).toMatchObject({ keyId: who.keyId });
    await tokenOf(who, there);
    line.cut();
    tick += BELIEVED_MS - 1;
    expect(await present(there, token, who.apiKey)).toMatchObject({ keyId: who.keyId });
    tick += 1;
    expect(await present(there, token, who.apiKey)).toEqual({ denied: 'unavailable' });
    expect(await there.issueToken({ ...who, address: '192.0.2.1', issuer: 'https://loans.example' })).toEqual({
      denied: 'unavailable',
    });
    await expect(there.grantsFor({ organizationId })).rejects.toThrow('database');
    // No secret was wrong: the guard does not count it.
    for (let i = 0; i < 12; i += 1)
      await there.issueToken({ ...who, address: '192.0.2.1', issuer: 'https://loans.example' });
    await line.restore();
    expect(await present(there, token, who.apiKey)).toMatchObject({ keyId: who.keyId });
    expect(await there.issueToken({ ...who, address: '192.0.2.1', issuer: 'https://loans.example' })).toHaveProperty(
      'token',
    );
  } finally {
    await line.close();
  }
});

test('an instance does not wait for a database that does not answer', async () => {
  const who = await newClient();
  const token = await tokenOf(who);
  const line = await openLine(database.connection);
  try {
    const there = open(line.db);
    await present(there, token);
    line.silence();
    tick += BELIEVED_MS;
    const asked = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => present(there, token)));
    expect(answers).toEqual(answers.map(() => ({ denied: 'unavailable' })));
    expect(performance.now() - asked).toBeLessThan(4_000);
  } finally {
    line.cut();
    await line.close();
  }
});

/** A proxy to the database that can be cut, silenced and restored. */
async function openLine(to: Connection) {
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connectTo(to);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => silent || into.write(bytes));
      from.on('error', () => into.destroy());
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
    }
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', () => resolve()));
  await listen(0);
  const port = portOf(server);
  const db = openDb(through(to, port));
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    db,
    cut,
    silence: () => {
      silent = true;
    },
    restore: () => listen(port),
    close: async () => {
      cut();
      await db.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the line has no port');
  return address.port;
}

function connectTo(to: Connection): Socket {
  if (!('connectionString' in to)) {
    return to.host.startsWith('/') ? connect(`${to.host}/.s.PGSQL.${to.port}`) : connect(to.port, to.host);
  }
  const url = new URL(to.connectionString);
  return connect(Number(url.port || 5432), url.hostname);
}

function through(to: Connection, port: number): Connection {
  if (!('connectionString' in to)) return { ...to, host: '127.0.0.1', port };
  const url = new URL(to.connectionString);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return { connectionString: url.toString() };
}
