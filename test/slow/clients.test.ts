/** The programs of docs/clients.md, written against two generated clients: they compile without casts, and run against the service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allowInsecureRequests, clientCredentialsGrant, discovery } from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const [withFetch = '', withSdk = ''] = [
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

describe('docs/clients.md', () => {
  test('one loan with each generated client', async () => {
    await run(process.execPath, [join(root, 'test/clients/generate.mjs'), join(root, 'openapi.json'), folder]);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'with-fetch.ts'), withFetch);
    writeFileSync(join(folder, 'with-sdk.ts'), withSdk);
    const options = {
      ...{ target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    };
    const typeRoots = [join(root, 'node_modules/@types')];
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, typeRoots }, files: ['with-fetch.ts', 'with-sdk.ts'] }),
    );
    const complaints = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      ({ stdout }) => stdout,
    );
    expect(complaints).toEqual({ stdout: '', stderr: '' });

    const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, apiKey: API_KEY } = service.credentials;
    const env = { ...process.env, BASE_URL: service.url, CLIENT_ID, CLIENT_SECRET, API_KEY };
    for (const program of ['with-fetch.ts', 'with-sdk.ts']) {
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
  }, 120_000);

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
