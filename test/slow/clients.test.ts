/** The programs of docs/clients.md, written against three generated clients and a library: they compile without casts, and run against the service. Other stock libraries connect to it too. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { allowInsecureRequests, clientCredentialsGrant, discovery } from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const [withFetch = '', withSdk = '', fetchDaybook = '', withOrval = '', withOpenidClient = ''] = [
  ...readFileSync(join(root, 'docs/clients.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms),
].map(([, code]) => code);

let service: TestApp;
/** With a link to the packages, in place of an integrator's own node_modules. */
let folder: string;

beforeAll(async () => {
  service = await testApp();
  folder = mkdtempSync(join(tmpdir(), 'daybook-clients-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await service?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const PROGRAMS = ['with-fetch.ts', 'with-sdk.ts', 'with-orval.ts'];

function environment() {
  const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, apiKey: API_KEY } = service.credentials;
  return { ...process.env, BASE_URL: service.url, CLIENT_ID, CLIENT_SECRET, API_KEY };
}

const LIBRARIES = join(root, 'test/clients/libraries.mjs');

describe('docs/clients.md', () => {
  test('one loan with each generated client', async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    // Read by orval.
    writeFileSync(join(folder, 'fetch-daybook.ts'), fetchDaybook);
    await run(process.execPath, [join(root, 'test/clients/generate.mjs'), join(root, 'openapi.json'), folder]);
    writeFileSync(join(folder, 'with-fetch.ts'), withFetch);
    writeFileSync(join(folder, 'with-sdk.ts'), withSdk);
    writeFileSync(join(folder, 'with-orval.ts'), withOrval);
    writeFileSync(join(folder, 'with-openid-client.ts'), withOpenidClient);
    const options = {
      ...{ target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    };
    const typeRoots = [join(root, 'node_modules/@types')];
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, typeRoots }, files: [...PROGRAMS, 'with-openid-client.ts'] }),
    );
    const complaints = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      ({ stdout }) => stdout,
    );
    expect(complaints).toEqual({ stdout: '', stderr: '' });

    const env = environment();
    for (const program of PROGRAMS) {
      const { stdout } = await run(process.execPath, [join(folder, program)], { env });
      const told = JSON.parse(stdout);
      expect(told, program).toEqual({
        loanId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        principal: '600',
        previewed: true,
        installments: 24,
        status: 'Current',
        income: null,
      });
    }
    const { stdout } = await run(process.execPath, [join(folder, 'with-openid-client.ts')], { env });
    expect(stdout).toBe('loans:read\n');
  }, 240_000);

  test.each(['oauth2', 'oidc'] as const)('a stock discovery (%s) finds the token endpoint', async (algorithm) => {
    const { clientId, clientSecret } = service.credentials;
    const server = await discovery(new URL(service.url), clientId, clientSecret, undefined, {
      algorithm,
      // The service of the test is at http://127.0.0.1.
      execute: [allowInsecureRequests],
    });
    expect(server.serverMetadata()).toMatchObject({
      issuer: service.url,
      grant_types_supported: ['client_credentials'],
      scopes_supported: expect.arrayContaining(['loans:read', 'admin']),
    });
    const { access_token: token } = await clientCredentialsGrant(server, { scope: 'loans:read' });
    const answer = await service.call('GET', '/v2/chain/loans', { token });
    expect(answer.status).toBe(200);
    expect((await service.call('GET', '/v2/chain/clients', { token })).status).toBe(403);
  });
});

describe('stock libraries', () => {
  test('swagger-parser takes openapi.json', async () => {
    const document = join(root, 'openapi.json');
    const { stdout } = await run(process.execPath, [LIBRARIES, 'swagger-parser', document]);
    const { info, paths } = JSON.parse(readFileSync(document, 'utf8'));
    expect(JSON.parse(stdout)).toEqual({ version: info.version, paths: Object.keys(paths).length });
  }, 60_000);

  test.each(['oauth4webapi', 'simple-oauth2'])(
    '%s gets a token that works, with the scope it asked for',
    async (name) => {
      const { stdout } = await run(process.execPath, [LIBRARIES, name], { env: environment() });
      const { token, scope, expired = false } = JSON.parse(stdout);
      expect([scope, expired]).toEqual(['loans:read', false]);
      expect((await service.call('GET', '/v2/chain/loans', { token })).status).toBe(200);
      expect((await service.call('GET', '/v2/chain/clients', { token })).status).toBe(403);
    },
  );

  test('eventsource goes on behind the last event when its connection breaks', async () => {
    const token = await service.token();
    const create = async (applicationId: string) => {
      const terms = { loanType: 'AutoLoan', loanAmount: '12000.00', interestRate: '7.25', term: 24 };
      const body = { applicationId, borrowerId: 'BRW-1', lenderId: 'LND-1', ...terms };
      expect((await service.call('POST', '/v2/chain/loans', { token, body })).status).toBe(200);
    };
    await create('APP-STREAM-1');
    const streams: Socket[] = [];
    service.app.server.on('request', ({ headers, socket }: IncomingMessage) => {
      if (headers.accept === 'text/event-stream') streams.push(socket);
    });
    const child = spawn(process.execPath, [LIBRARIES, 'eventsource'], {
      env: { ...environment(), TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async () => JSON.parse((await lines.next()).value ?? 'null');
      expect(await next()).toEqual({ connects: true, last: null });
      const seen: string[] = [];
      const first = await next();
      for (let one = first; ; one = await next()) {
        seen.push(one.id);
        // The events of the other tests come first.
        const { body } = await service.call('GET', `/v2/chain/events?types=loan.*&after=${one.id}`, { token });
        if (body.data.items.length === 0) break;
      }
      for (const socket of streams) socket.destroy();
      await create('APP-STREAM-2');
      expect(await next()).toEqual({ connects: true, last: seen.at(-1) });
      const { id, type } = await next();
      expect(type).toBe(first.type);
      expect(seen).not.toContain(id);
    } finally {
      child.kill();
    }
  }, 60_000);
});
