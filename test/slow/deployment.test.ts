/**
 * The service as docs/deployment.md installs it, as far as a machine without systemd and without a container engine can: the documented
 * commands and those of the unit and of the Containerfile are read from their files and run below a folder that stands for `/`, the
 * service itself as a user who may not write to its program. And the service on the Node for machines without libatomic.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Block, blocksOf, isShell, read } from '../support/documents.ts';
import { call, endAll, newDataDir, PROJECT, run, type Service, whenReady } from '../support/service.ts';

const PATIENT = { timeout: 300_000 };
afterAll(endAll, PATIENT.timeout);

/** The user who has nothing, if root runs the tests; otherwise the one who runs them. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: 65_534, gid: 65_534 } : undefined;

const NEEDED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'openapi.json',
  'deploy',
  'scripts',
  'migrations',
  'sdk',
  'src',
  'study',
  'web',
];

/** A folder that stands for `/`, everything below removed at the end; `at` puts the absolute paths of a text into it. */
function newRoot() {
  const root = dirname(newDataDir());
  chmodSync(root, 0o755);
  const at = (text: string) => text.replace(/(^|[\s=:"'+@-])(\/(?:opt|etc|var)\/)/gm, `$1${root}$2`);
  for (const folder of ['opt', 'etc/systemd/system', 'var/lib']) mkdirSync(join(root, folder), { recursive: true });
  return { root, at, program: join(root, 'opt', 'daybook') };
}

/** Copies what is needed of the project, without anything that was built; the packages are those of the project. */
function copyProgram(to: string, names: readonly string[]): void {
  const isBuilt = (path: string) => /\/(node_modules|dist)$/.test(path);
  for (const name of names)
    cpSync(join(PROJECT, name), join(to, name), { recursive: true, filter: (path) => !isBuilt(path) });
  symlinkSync(join(PROJECT, 'node_modules'), join(to, 'node_modules'));
}

const blockWith = (begins: string): string =>
  blocksOf('docs/deployment.md')
    .filter(isShell)
    .find(({ code }: Block) => code.startsWith(begins))?.code ?? '';

async function shell(script: string, env: Record<string, string> = {}, as?: typeof user): Promise<string> {
  const one = run('sh', ['-ec', script], { env, ...(as && { user: as }) });
  const code = await one.ended;
  expect(code, one.output().slice(-2_000)).toBe(0);
  return one.output();
}

/** Every address that people and probes begin at, after redirects. */
async function expectPages({ url }: Service): Promise<void> {
  for (const path of ['/readyz', '/market', '/console', '/sign-in', '/docs']) {
    const answer = await fetch(url + path);
    expect(answer.status, path).toBe(200);
    const text = await answer.text();
    // The files of a page are there too.
    for (const [, part = ''] of text.matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g))
      expect((await fetch(url + part)).status, `${path}: ${part}`).toBe(200);
  }
}

describe('systemd', PATIENT, () => {
  const unit = read('deploy/daybook.service');
  const all = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const { root, at, program } = newRoot();

  /** Stand in for what only root of a machine with systemd can do: users, their files, and `systemctl`. */
  const STAND_INS = `
    useradd() { :; }
    systemctl() { :; }
    runuser() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }
    install() {
      set -- "$@" --
      while [ "$1" != -- ]; do case $1 in -o|-g) shift 2 ;; *) set -- "$@" "$1"; shift ;; esac; done
      shift; command install "$@"
    }`;

  test('the documented installation, the unit and the documented commands serve every page', async () => {
    copyProgram(program, NEEDED);
    const install = blockWith('useradd ');
    await shell(`${STAND_INS}\n${at(install)}`);
    expect(statSync(join(root, 'etc/daybook/master-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(root, 'etc/systemd/system/daybook.service'), 'utf8')).toBe(unit);

    // Settings as the document says.
    const settings = { PORT: '0', DEMO: 'off', LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' };
    const file = join(root, 'etc/daybook/daybook.env');
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const given = Object.fromEntries(
      all('Environment').map((line) => {
        const [, name = '', value = ''] = /^"?(\w+)=(.*?)"?$/.exec(line) ?? [];
        return [name, at(value)];
      }),
    );
    const env = { ...given, ...settings };
    const stateDir = join(root, 'var/lib', all('StateDirectory')[0] ?? '');
    mkdirSync(stateDir, { mode: 0o700 });
    if (user !== undefined) chownSync(stateDir, user.uid, user.gid);

    const inFolder = (line: string) =>
      `umask ${all('UMask')[0]}\ncd ${at(all('WorkingDirectory')[0] ?? '')}\nexec ${at(line)}`;
    // After an upgrade: the pages are of the version before, and the unit builds them.
    writeFileSync(join(program, 'web/dist/stamp'), '');
    for (const line of all('ExecStartPre')) await shell(inFolder(line.replace(/^[-+]+/, '')), env);
    expect(readFileSync(join(program, 'web/dist/stamp'), 'utf8')).not.toBe('');
    const [start = ''] = all('ExecStart');
    const service = await whenReady(run('sh', ['-ec', inFolder(start)], { env, ...(user && { user }) }));
    await expectPages(service);

    const commands = blockWith('cd /opt/daybook\n');
    expect(commands).toContain('runuser -u daybook');
    if (user !== undefined) chownSync(file, user.uid, user.gid);
    chmodSync(join(root, 'etc/daybook'), 0o755);
    expect(await shell(`${STAND_INS}\n${at(commands)}`, {}, user)).toContain('First client');
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  test('a service without its pages says in one line which command builds them, and serves the rest', async () => {
    const bare = newRoot();
    copyProgram(bare.program, NEEDED);
    const env = { PORT: '0', DEMO: 'off', LOG_LEVEL: 'warn', DATA_DIR: join(bare.root, 'var/lib/data') };
    const start = `cd ${bare.program}\nexec node_modules/.bin/node src/main.ts`;
    const service = await whenReady(run('sh', ['-ec', start], { env }));
    expect(service.output().match(/^ {2}Pages .*$/gm)).toEqual([
      expect.stringContaining('not built: run `npm run pages`'),
    ]);
    expect((await fetch(`${service.url}/market`)).status).toBe(503);
    expect((await fetch(`${service.url}/pages/web/any.js`)).status).toBe(404);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await shell(`cd ${bare.program} && npm run pages`);
    await expectPages(service);
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  const isVerifier = spawnSync('systemd-analyze', ['--version']).status === 0;
  test.runIf(isVerifier)('systemd finds nothing wrong with the unit', () => {
    const there = join(newRoot().root, 'daybook.service');
    writeFileSync(there, unit.replaceAll('/opt/daybook/node_modules/.bin/node', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', there], { encoding: 'utf8' });
    // It also reports units of the machine.
    expect(stderr.split('\n').filter((line) => line.includes('daybook'))).toEqual([]);
    expect(status).toBe(0);
  });
});

describe('container', PATIENT, () => {
  const lines = read('Containerfile').split('\n');
  const of = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

  test('what the image copies is enough to build the pages, to serve them and to run the documented commands', async () => {
    const { root, at, program } = newRoot();
    const sources = of('COPY').flatMap((line) => line.split(' ').slice(0, -1));
    const scripts = sources.filter((path) => path.startsWith('scripts/'));
    copyProgram(program, sources);
    expect(readdirSync(join(program, 'scripts')).length).toBe(new Set(scripts.map((path) => path.split('/')[1])).size);
    for (const line of of('RUN').filter((one) => !one.startsWith('install '))) await shell(`cd ${program}\n${line}`);

    const env: Record<string, string> = {};
    for (const [, name = '', , quoted, plain = ''] of of('ENV')
      .join(' ')
      .matchAll(/(\w+)=("([^"]*)"|(\S+))/g))
      env[name] = at(quoted ?? plain);
    Object.assign(env, {
      PORT: '0',
      HOST: '127.0.0.1',
      DEMO: 'off',
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      HOME: root,
    });
    const data = join(root, 'var/lib/daybook');
    mkdirSync(data, { mode: 0o700 });
    if (user !== undefined) chownSync(data, user.uid, user.gid);
    const [command = '[]'] = of('CMD');
    const words = (JSON.parse(command) as string[]).join(' ');
    const service = await whenReady(run('sh', ['-ec', `cd ${program}\nexec ${words}`], { env, ...(user && { user }) }));
    await expectPages(service);

    const documented = blockWith('docker exec ');
    const commands = [...documented.matchAll(/^docker exec daybook (.*)$/gm)].map(([, line = '']) => at(line));
    expect(commands.length).toBeGreaterThan(4);
    // Links of invitations lead to the port of the service.
    const beside = { ...env, PORT: String(service.port) };
    for (const line of commands) await shell(`cd ${program}\n${line}`, beside, user);
    const [, copied = ''] = /^docker cp daybook:(\S+)/m.exec(documented) ?? [];
    expect(existsSync(at(copied))).toBe(true);
    expect(await service.stop('SIGTERM')).toBe(0);
  });
});

describe('without libatomic', PATIENT, () => {
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(PROJECT, 'scripts', 'node', 'node_modules', name, 'bin', 'node');
  const isHere = existsSync(node);

  // Only a machine without libatomic downloads it by itself.
  test.runIf(isHere || (process.env.CI && process.platform === 'linux'))(
    'the service serves, pays and verifies on the Node that is downloaded there',
    async () => {
      expect(spawnSync('readelf', ['-d', node], { encoding: 'utf8' }).stdout ?? '').not.toContain('libatomic');
      const dataDir = newDataDir();
      const env = {
        PORT: '0',
        DEMO: 'off',
        DRAIN_SECONDS: '0',
        LOG_LEVEL: 'warn',
        DATA_DIR: dataDir,
        TIME_ZONE: 'America/New_York',
      };
      const service = await whenReady(run(node, ['src/main.ts'], { env }));
      expect(service.output()).not.toContain('Warning');
      await expectPages(service);
      const token = await service.token(JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')));
      const post = async (path: string, body: object) => {
        const answer = await call(service.url, 'POST', `/v2/chain/${path}`, { token, body });
        expect(answer.status, answer.text).toBe(200);
        return answer.body;
      };
      const { loanId } = await post('loans', LOAN);
      for (const step of ['start-underwriting', 'complete-underwriting', 'initiate-repayment'])
        await post(step, { loanId });
      await post('loan-repay', { loanId, amount: '500.00', refId: 'PAYMENT-1' });
      const verify = run(node, ['src/cli/main.ts', 'verify'], { env });
      expect(await verify.ended, verify.output()).toBe(0);
      expect(await service.stop('SIGTERM')).toBe(0);
    },
  );
});

const LOAN = {
  ...{ applicationId: 'A-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan', loanAmount: '9,000.00' },
  ...{ interestRate: '9', term: 36, Response: { Decision: 'APPROVED' } },
};
