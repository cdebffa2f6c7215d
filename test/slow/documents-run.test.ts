/**
 * Every command in every document is run, as a reader would paste it, against a service that was started once. Output that a document
 * shows as `text` below its commands must be what they print. Beside them, what only a running service can show: the members of both
 * records and the names of the metrics.
 */
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/config.ts';
import { type Block, blocksOf, documentAt, documents, isShell, named, rows } from '../support/documents.ts';
import { call, endAll, newDataDir, PROJECT, run, type Service, startService } from '../support/service.ts';

const NEEDS_A_SERVER =
  'needs a PostgreSQL of your own: test/slow/instances.test.ts and test/slow/failover.test.ts start such services';

/** Blocks that no test runs as they are: their first line, and why. */
const NOT_RUN: readonly [path: string, begins: string, why: string][] = [
  ['README.md', 'npm start', 'starts the service in the foreground: the test starts it itself'],
  ['README.md', 'npm test', 'runs this test'],
  ['docs/running.md', 'export DATABASE_URL=postgres://daybook:password@db.example:5432/daybook', NEEDS_A_SERVER],
  [
    'docs/running.md',
    'export DATABASE_URL=postgres://daybook:password@db1.example:5432,db2.example:5432/daybook',
    NEEDS_A_SERVER,
  ],
  [
    'docs/scaling.md',
    'TEST_CITUS_URL=postgres://postgres@127.0.0.1:9700/postgres npm run test:citus',
    'needs a Citus coordinator with workers',
  ],
  [
    'docs/audit.md',
    'npm run audit -- list --outcome refused --from 2026-02-01',
    'test/slow/audit-commands.test.ts runs these commands',
  ],
  [
    'docs/events.md',
    `curl -N "http://127.0.0.1:8080/v2/chain/events?types=payment.*" -H "Authorization: Bearer $TOKEN" -H 'Accept: text/event-stream'`,
    'never ends: test/api/events.test.ts reads the same stream',
  ],
  [
    'docs/webhooks.md',
    'curl -s http://127.0.0.1:8080/v2/chain/webhook-endpoints \\',
    'delivers to a host that does not exist: test/api/webhooks.test.ts makes such endpoints',
  ],
  [
    'docs/exports.md',
    'curl -s "http://127.0.0.1:8080/v2/chain/exports/loans?asOf=2026-10-31" \\',
    'test/api/exports.test.ts asks for the same file of loans that it makes',
  ],
  [
    'docs/exports.md',
    'npm run export -- loans --format csv --out loans.csv',
    'test/export-command.test.ts runs these commands over loans that it makes',
  ],
  ['docs/sdk.md', 'npm pack --workspace sdk', 'test/slow/sdk-package.test.ts packs it'],
  ['docs/sdk.md', `npm install ./daybook-sdk-${VERSION}.tgz`, 'test/slow/sdk-package.test.ts installs it'],
  ['docs/running.md', 'npm run keys -- prune', 'is refused in the first minute after the rotation, which is run'],
  ['docs/running.md', 'DATA_DIR=restored npm start', 'runs in the foreground: the test starts the same folder'],
  [
    'docs/running.md',
    'node_modules/.bin/node src/main.ts',
    'runs in the foreground: every test of a process starts it',
  ],
  [
    'docs/running.md',
    `npm run organizations -- update <organizationId> --rate-limit 24000 --until "$(date -u -d '+12 hours' +%FT%TZ)"`,
    'test/slow/commands.test.ts raises a quota of an organization that it makes',
  ],
  ['CONTRIBUTING.md', 'npm run release -- --dry-run', 'test/slow/release.test.ts runs it in a repository of its own'],
  [
    'docs/audit.md',
    'npm run audit -- list --outcome refused --from 2026-02-01',
    'test/audit-commands.test.ts runs these commands over a trail that it makes',
  ],
  [
    'docs/deployment.md',
    'useradd --system --home-dir /var/lib/daybook --shell /usr/sbin/nologin daybook',
    'test/slow/deployment.test.ts runs it in a root of its own',
  ],
  ['docs/deployment.md', 'cd /opt/daybook', 'test/slow/deployment.test.ts runs it in a root of its own'],
  ['docs/deployment.md', 'docker build -f Containerfile -t daybook .', 'needs Docker and a network'],
  [
    'docs/deployment.md',
    'docker exec daybook npm run clients -- list',
    'test/slow/deployment.test.ts runs these commands beside what the Containerfile copies',
  ],
];

const TUTORIALS = [...documents.keys()].filter((path) => path.startsWith('docs/tutorials/'));
// Some 30 s of processor time in all; on a crowded machine, at idle priority, one tutorial alone has taken more than three minutes.
const PATIENT = { timeout: 600_000 };

/** The folder of a reader: the project, and the data that the service has made in it. */
const dataDir = newDataDir();
const folder = dirname(dataDir);
let service: Service;

beforeAll(async () => {
  for (const name of ['package.json', 'package-lock.json', 'node_modules', 'scripts', 'src', 'migrations']) {
    symlinkSync(join(PROJECT, name), join(folder, name));
  }
  service = await startService({ dataDir, patience: PATIENT.timeout });
  await standInForTheDemo();
}, PATIENT.timeout);

afterAll(endAll, PATIENT.timeout);

test('every block of commands is run below, or is listed with the reason why not', () => {
  const run = new Set([...TUTORIALS, ...RUN].flatMap(blocksOf).map(keyOf));
  const listed = new Set(NOT_RUN.map(([path, begins]) => `${path}: ${begins}`));
  const all = [...documents.keys()].flatMap(blocksOf).filter(isShell).map(keyOf);
  expect(all.filter((block) => !run.has(block) && !listed.has(block))).toEqual([]);
  expect([...listed].filter((block) => !all.includes(block))).toEqual([]);
});

/** Documents beside the tutorials whose blocks are run. */
const RUN = ['README.md', 'docs/api.md', 'docs/running.md'];

describe('README', PATIENT, () => {
  const all = blocksOf('README.md').filter(isRun);
  /** The second time without the slow steps that cannot affect a third run: verification, and a month of cycles. */
  const again = all.filter(
    ({ code }) => process.env.TEST_LONG !== undefined || !/npm run verify|clock|tie-out/.test(code),
  );
  test.each([
    ['once', all],
    ['and again', again],
  ])('its life of a loan runs without a refusal, %s', async (_, blocks) => {
    const { code, output } = await paste(blocks);
    expect(output).not.toContain('urn:daybook:problem');
    expect(code, output.slice(-2000)).toBe(0);
  });
});

/** The output of a process, and that of each of its blocks. */
type Pasted = { code: number | null; output: string; printed: string[] };

/** Runs the blocks in one shell, which ends at the first command that fails. */
async function paste(blocks: readonly Block[]): Promise<Pasted> {
  const mark = '---- block ----';
  const lines = blocks.map(
    ({ code }) => `echo '${mark}'\n${code.replaceAll('127.0.0.1:8080', `127.0.0.1:${service.port}`)}`,
  );
  const shell = run('bash', ['-c', `cd '${folder}'\nset -eo pipefail\n${lines.join('\n')}`]);
  const code = await shell.ended;
  const output = shell.output();
  return { code, output, printed: output.split(`${mark}\n`).slice(1) };
}

const keyOf = ({ path, code }: Block) => `${path}: ${code.split('\n')[0]}`;
const isRun = (block: Block) =>
  isShell(block) && !NOT_RUN.some(([path, begins]) => keyOf(block) === `${path}: ${begins}`);

/** The block of README that gets a token. */
function firstToken(): Block[] {
  return blocksOf('README.md').filter(({ code }) => code.startsWith('CLIENT_ID='));
}

describe.each(TUTORIALS)('%s', PATIENT, (path) => {
  test('every command runs and prints what the document shows', async () => {
    const all = blocksOf(path);
    const commands = all.filter(isShell);
    const shown = commands.map((block) => {
      const next = all[all.indexOf(block) + 1];
      return next?.language === 'text' ? next.code : '';
    });
    const { printed, output } = await paste(commands);
    expect(printed.length, output.slice(-2000)).toBe(commands.length);
    expect(printed.map((text, i) => withEllipses(text, shown[i] ?? ''))).toEqual(shown);
  });
});

/** The printed text with `…` where the document has it, if the rest is the same. */
function withEllipses(printed: string, shown: string): string {
  const pattern = shown.split('…').map((text) => text.replace(/[^\w\s]/g, '\\$&'));
  return new RegExp(`^${pattern.join('\\S+')}$`).test(printed) ? shown : printed;
}

test('docs/api.md, with a token that was fetched as README does it', PATIENT, async () => {
  const { code, output } = await paste([...firstToken(), ...blocksOf('docs/api.md').filter(isRun)]);
  expect(output).not.toContain('urn:daybook:problem');
  expect(code, output.slice(-2000)).toBe(0);
});

describe('docs/record.md', () => {
  const record = documentAt('docs/record.md');
  const listed = (heading: string) => named(rows(record, heading));
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
  const answered = (file: string): any => JSON.parse(readFileSync(join(folder, file), 'utf8')).data;

  test('lists every member of the full record, in its order, and no other', () => {
    const { loanDetails, Request, Response, Underwriting } = answered('record.json');
    expect(listed('loanDetails')).toEqual(Object.keys(loanDetails));
    expect(listed('macroEconomicFeatures')).toEqual(Object.keys(loanDetails.macroEconomicFeatures));
    expect(listed('loanPayments')).toEqual(Object.keys(loanDetails.loanPayments[0]));
    expect(listed('metadata')).toEqual(Object.keys(loanDetails.metadata.AutoLoan));
    const parts = Object.entries(Request as Record<string, object>);
    expect(parts.map(([name]) => name).sort()).toEqual(
      [...record.matchAll(/^### (\w+Info)$/gm)]
        .map(([, name = '']) => name)
        .filter((name) => name in Request)
        .sort(),
    );
    for (const [name, members] of parts) expect(listed(name).sort(), name).toEqual(Object.keys(members).sort());
    expect(listed('Response')).toEqual(Object.keys(Response));
    expect(listed('LoanTerms')).toEqual(Object.keys(Response.LoanTerms[0]));
    expect(listed('Underwriting')).toEqual(Object.keys(Underwriting));
    expect(listed('DealTermsInfo')).toEqual(Object.keys(Underwriting.DealTermsInfo[0]));
    expect(listed('UnderwritingInfo')).toEqual(Object.keys(Underwriting.UnderwritingInfo[0]));
    const codes = Object.keys(Underwriting.PrimaryCreditInfo).filter((name) => !/^[A-Z]+\d/.test(name));
    expect(listed('PrimaryCreditInfo').filter((name) => !codes.includes(name))).toEqual([]);
  });

  test('lists what the public record has beside it', () => {
    const { loanDetails } = answered('public.json');
    expect(Object.keys(loanDetails)).toEqual([...listed('loanDetails'), 'loanInfo', 'Underwriting']);
    expect(listed('loanInfo')).toEqual(Object.keys(loanDetails.loanInfo.Auto));
    expect(Object.keys(loanDetails.Underwriting)).toEqual(['CashflowsCsv', 'DealTermsInfo', 'UnderwritingInfo']);
  });
});

test('every metric that a document names is at /metrics', async () => {
  const { text } = await call(service.url, 'GET', '/metrics');
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
  const named = [...documents].flatMap(([path, words]) =>
    [...words.matchAll(/\b((?:http|database|forwarded|nightly|process|nodejs)_[a-z_]+[a-z])\b(?!\*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|count|sum)$/, '')))
      .map((name) => `${path}: ${name}`),
  );
  expect(named).toEqual([]);
});

/**
 * The demonstration takes half a minute of processor time. In its place: a sandbox with one loan that is late, and its client under
 * `demo` in the credentials, which is all that README uses of it.
 */
async function standInForTheDemo(): Promise<void> {
  const file = join(dataDir, 'credentials.json');
  const first = JSON.parse(readFileSync(file, 'utf8'));
  const token = await service.token(first);
  const ask = async (path: string, body: unknown, as: { token: string; key: string }) => {
    const answer = await call(service.url, 'POST', `/v2/chain/${path}`, { ...as, body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };
  const demo = await ask('sandboxes', { name: 'Stand-in', start: '2026-03-20' }, { token, key: first.apiKey });
  const as = { token: await service.token(demo), key: demo.apiKey };
  const { loanId } = await ask('loans', LATE, as);
  for (const step of ['start-underwriting', 'complete-underwriting', 'initiate-repayment'])
    await ask(step, { loanId }, as);
  writeFileSync(file, JSON.stringify({ ...first, demo }));
}

const LATE = {
  ...{ applicationId: 'LATE-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan', loanAmount: '9,000.00' },
  ...{ interestRate: '9', term: 36, originationDate: '2026-02-01', firstPaymentDate: '2026-03-01', lateFee: '25.00' },
  Response: { Decision: 'APPROVED' },
};

/** Last, because the service is stopped for it. */
test('docs/running.md: keys, and a backup that only its owner can read and that starts again', PATIENT, async () => {
  const blocks = blocksOf('docs/running.md').filter(isRun);
  const isBackup = ({ code }: Block) => code.includes('daybook-backup');
  const beside = await paste(blocks.filter((block) => !isBackup(block)));
  expect(beside.code, beside.output.slice(-2000)).toBe(0);
  expect(await service.stop('SIGTERM')).toBe(0);
  const stopped = await paste(blocks.filter(isBackup));
  expect(stopped.code, stopped.output.slice(-2000)).toBe(0);
  expect((statSync(join(folder, 'daybook-backup.tar.gz')).mode & 0o777).toString(8)).toBe('600');
  const credentials = JSON.parse(readFileSync(join(folder, 'restored', 'credentials.json'), 'utf8'));
  const restored = await startService({ dataDir: join(folder, 'restored'), patience: PATIENT.timeout });
  expect(await restored.token(credentials)).not.toBe('');
  expect(await restored.stop('SIGTERM')).toBe(0);
});

/** By the list itself, because a copy without its repository need not have git. */
test('git ignores every file that the commands of the documents have made', () => {
  const patterns = readFileSync(join(PROJECT, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !/^[#!]/.test(line));
  const made = readdirSync(folder).filter((name) => !lstatSync(join(folder, name)).isSymbolicLink());
  expect(made).toContain('daybook-backup.tar.gz');
  const ignored = (name: string) => patterns.some((one) => matchesGlob(name, one.replace(/^\/|\/$/g, '')));
  expect(made.filter((name) => !ignored(name))).toEqual([]);
});
