/**
 * The client as others get it: packed, installed without a network into an empty project, compiled there for Node and for a browser that
 * knows nothing of Node, bundled, and run. The programs are those of docs/sdk.md.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { blocksOf, read, root } from '../support/documents.ts';

const run = promisify(execFile);
/** The bytes of it that a page may load, out of 200 KB for everything. */
const LARGEST = 12_000;

const PACKED = `daybook-sdk-${JSON.parse(read('sdk/package.json')).version}.tgz`;

let service: TestApp;
let folder: string;

const [connect = '', call = '', fails = '', lists = '', streams = '', receives = '', page = ''] = blocksOf(
  'docs/sdk.md',
)
  .filter(({ language }) => language === 'ts')
  .map(({ code }) => code);
const [, readme = ''] = /^```ts\n(.*?)^```$/ms.exec(read('sdk/README.md')) ?? [];
const programs = { daybook: connect, call, fails, lists, streams, receives, readme };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-sdk-'));
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"type":"module"}');
  for (const [name, code] of Object.entries(programs)) writeFileSync(join(app, `${name}.ts`), code);
  writeFileSync(join(app, 'page.ts'), page);
  const npm = (cwd: string, ...args: string[]) =>
    run('npm', [...args, '--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')], { cwd });
  [service] = await Promise.all([
    testApp(),
    npm(root, 'pack', '--workspace', 'sdk', '--pack-destination', folder).then(() => {
      const packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
      expect(packed).toEqual([PACKED]);
      return npm(app, 'install', join(folder, PACKED));
    }),
  ]);
}, 120_000);
afterAll(async () => {
  await service?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const inApp = (...path: string[]) => join(folder, 'app', ...path);

test('what is generated is what openapi.json says', async () => {
  const made = join(folder, 'generated');
  mkdirSync(made);
  await run(process.execPath, [join(root, 'sdk/generate.ts'), made]);
  const same = readFileSync(join(made, 'api.ts'), 'utf8') === read('sdk/src/generated/api.ts');
  expect(same, 'run npm run sdk').toBe(true);
});

test('the package has what it needs to run, its types, and no source', () => {
  const files = readdirSync(inApp('node_modules/daybook-sdk'), { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']),
  );
  expect(files.filter((name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name))).toEqual([]);
  expect(files.filter((name) => /test|support|scripted/.test(name))).toEqual([]);
  expect(readdirSync(inApp('node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['daybook-sdk']);
});

describe('compiles, strictly and with the declarations themselves checked', () => {
  const strict = { strict: true, noEmit: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true };
  const compile = async (name: string, compilerOptions: object, files: string[]) => {
    writeFileSync(inApp(`${name}.json`), JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', inApp(`${name}.json`)]).catch((failed) => failed);
    return stdout as string;
  };

  test('for Node', async () => {
    const typeRoots = [join(root, 'node_modules/@types')];
    // The declarations of Node are its own affair; those of the client are checked for the browser, below.
    const options = {
      target: 'esnext',
      lib: ['esnext'],
      module: 'nodenext',
      types: ['node'],
      typeRoots,
      skipLibCheck: true,
    };
    expect(
      await compile(
        'node',
        options,
        Object.keys(programs).map((name) => `${name}.ts`),
      ),
    ).toBe('');
  });

  test('for a browser, without a type of Node', async () => {
    const options = {
      target: 'es2022',
      lib: ['es2022', 'dom'],
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
    };
    expect(await compile('browser', options, ['page.ts'])).toBe('');
    writeFileSync(inApp('wrong.ts'), page.replace('limit: 20', "limit: '20'"));
    expect(await compile('wrong', options, ['wrong.ts'])).toContain("Type 'string' is not assignable to type 'number");
  });
});

describe('in a project of any kind', () => {
  const program = (load: string) => `${load}
const client = createClient({ baseUrl: 'http://127.0.0.1:1/v2/chain', auth: { token: 't' }, retries: 0 });
export const page = client.listLoans({ query: { limit: 1 } }).then(({ data }) => data.items[0]?.loanStatus);
page.catch((error: unknown) => console.log(error instanceof ConnectionError, createClient.name));
`;
  const strict = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  };
  const compiled = async (name: string, file: string, options: object) => {
    const config = { compilerOptions: { ...strict, ...options }, files: [file] };
    writeFileSync(inApp(`${name}.json`), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', inApp(`${name}.json`)]).catch((failed) => failed);
    return stdout as string;
  };
  const byImport = program("import { ConnectionError, createClient } from 'daybook-sdk';");
  const byRequire = program("import sdk = require('daybook-sdk');\nconst { ConnectionError, createClient } = sdk;");

  test.each([
    ['ES modules, nodenext', 'esm.mts', byImport, { module: 'nodenext' }],
    ['ES modules, node16', 'esm.mts', byImport, { module: 'node16' }],
    ['CommonJS, nodenext', 'cjs.cts', byRequire, { module: 'nodenext' }],
    ['CommonJS, node16', 'cjs.cts', byRequire, { module: 'node16' }],
    ['import in CommonJS', 'mixed.cts', byImport, { module: 'node16' }],
    ['a bundler', 'esm.mts', byImport, { module: 'preserve', moduleResolution: 'bundler' }],
  ])('%s', async (name, file, text, options) => {
    writeFileSync(inApp(file), text);
    expect(await compiled('any', file, options), name).toBe('');
    // The types are there, and not any.
    writeFileSync(inApp(`wrong-${file}`), text.replace('limit: 1', "limit: '1'"));
    expect(await compiled('any-wrong', `wrong-${file}`, options), name).toContain("Type 'string' is not assignable");
  });

  test('runs by import and by require, and both give the same', async () => {
    const end =
      'page.catch((error) => console.log(error instanceof ConnectionError, createClient.name, typeof OPERATIONS.readLoan));';
    const start =
      "const page = createClient({ baseUrl: 'http://127.0.0.1:1/v2/chain', auth: { token: 't' }, retries: 0 }).listLoans();";
    const names = '{ ConnectionError, createClient, OPERATIONS }';
    writeFileSync(inApp('run.mjs'), `import ${names} from 'daybook-sdk';\n${start}\n${end}\n`);
    writeFileSync(inApp('run.cjs'), `const ${names} = require('daybook-sdk');\n${start}\n${end}\n`);
    for (const [file, ...flags] of [['run.mjs'], ['run.cjs'], ['run.cjs', '--no-experimental-require-module']]) {
      const { stdout } = await run(process.execPath, [...flags, inApp(file ?? '')]);
      expect(stdout, file).toBe('true createClient object\n');
    }
  });
});

test('bundled for a browser it is small, and imports nothing', async () => {
  const lib = { entry: 'page.ts', formats: ['es'], fileName: 'page' };
  writeFileSync(
    inApp('vite.config.js'),
    `export default ${JSON.stringify({ build: { lib, target: 'es2022', minify: true } })}`,
  );
  await run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'], {
    cwd: inApp(),
  });
  const bundle = readFileSync(inApp('dist/page.js'), 'utf8');
  expect(bundle).toContain('/v2/chain/loan-repay');
  expect(bundle).not.toMatch(/\bfrom\s*["']|\bimport\s*[("']|\brequire\(|node:|process\.|Buffer/);
  expect(gzipSync(bundle).length).toBeLessThan(LARGEST);
});

describe('runs in Node', () => {
  const environment = () => {
    const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, apiKey: API_KEY } = service.credentials;
    return { ...process.env, BASE_URL: service.url, CLIENT_ID, CLIENT_SECRET, API_KEY };
  };
  const printed = async (program: string) =>
    (await run(process.execPath, [inApp(`${program}.ts`)], { env: environment() })).stdout;

  test('every program prints what it says', async () => {
    expect(await printed('call')).toBe('true 600 Current\n');
    // With the loan that is there now.
    expect(await Promise.all(['fails', 'lists', 'streams'].map(printed))).toEqual([
      '404 not_found null 0\nNo such loan.\n',
      'true\n',
      'payment.submitted true\n',
    ]);
  });

  test('the receiver of webhooks takes what is signed, and nothing else', async () => {
    const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
    const child = spawn(process.execPath, [inApp('receives.ts')], {
      env: { ...environment(), PORT: '0', WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 4).toString('base64')} ${secret}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
      const port = /listening on (\d+)/.exec((await lines.next()).value)?.[1];
      const body = JSON.stringify({ type: 'payment.returned', data: { id: 'evt_1', type: 'payment.returned' } });
      const deliver = async (text: string) => {
        const at = new Date();
        const headers = {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
        };
        return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text })).status;
      };
      expect([await deliver(body), await deliver(body.replace('evt_1', 'evt_2'))]).toEqual([204, 400]);
      expect((await lines.next()).value).toBe('evt_1 payment.returned\n');
    } finally {
      child.kill();
    }
  });
});
