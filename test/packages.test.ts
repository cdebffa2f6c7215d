/**
 * Every command runs on the Node of the packages; where that does not start, on the machine's own if it is new enough, and otherwise on
 * one that is downloaded. Programs that say a version stand in for all of them, and a registry of the test's own has the last.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'daybook-packages-'));
// A Node in a folder that only root may enter is not used.
chmodSync(folder, 0o755);
const platform = `${process.platform}-${process.arch}`;
const name = process.platform === 'darwin' ? `node-bin-${platform}` : `node-${platform}`;
const LOADER = (library: string) =>
  `node: error while loading shared libraries: ${library}: cannot open shared object file: No such file or directory`;

/** A program that says the version, and is otherwise the Node of this test. */
const saying = (version: string) =>
  `#!/bin/sh\nif [ "$1" = --version ]; then echo v${version}; exit; fi\nexec '${process.execPath}' "$@"\n`;
const without = (library: string) => `#!/bin/sh\necho '${LOADER(library)}' >&2\nexit 127\n`;

/** A registry that has the downloaded Node and nothing else. */
const tarball = tarballOf(saying('24.21.0'));
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
const asked: string[] = [];
const registry = createServer((request, response) => {
  asked.push(request.url ?? '');
  const { port } = registry.address() as AddressInfo;
  if (request.url?.endsWith('.tgz')) {
    response.end(tarball);
    return;
  }
  const dist = { tarball: `http://127.0.0.1:${port}/${name}.tgz`, integrity };
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ name, versions: { '24.21.0': { name, version: '24.21.0', dist } } }));
});
await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

let project: string;
let number = 0;
/** A folder with the packages installed; the packaged Node and the machine's own start. */
beforeEach(() => {
  number += 1;
  asked.length = 0;
  project = join(folder, `project-${number}`);
  for (const file of ['packages.sh', 'packages.mjs', 'progress.mjs'])
    cpSync(join(root, 'scripts', file), join(project, 'scripts', file));
  const locked = JSON.stringify({ packages: {} });
  writeFileSync(join(project, 'package-lock.json'), locked);
  write(packaged(), saying('26.10.0'));
  write(own(), saying('24.15.0'));
  mkdirSync(join(project, 'node_modules', '.bin'), { recursive: true });
  const digest = createHash('sha256').update(locked).digest('hex');
  writeFileSync(join(project, 'node_modules', '.packages-stamp'), `${digest} ${platform}\n`);
  const lock = (extra: object) => ({ name: 'other', version: '0.0.0', lockfileVersion: 3, ...extra });
  const manifest = { name: 'other', version: '0.0.0', optionalDependencies: { [name]: '24.21.0' } };
  write(join(project, 'scripts', 'node', 'package.json'), JSON.stringify(manifest));
  const packages = { '': manifest, [`node_modules/${name}`]: { version: '24.21.0', integrity, optional: true } };
  write(join(project, 'scripts', 'node', 'package-lock.json'), JSON.stringify(lock({ packages })));
});

const packaged = () => join(project, 'node_modules', name, 'bin', 'node');
const own = () => join(project, '..', `own-${number}`, 'node');
const chosen = () => readlinkSync(join(project, 'node_modules', '.bin', 'node'));

describe.runIf(process.platform === 'linux')('the Node of the commands', () => {
  test('is that of the packages, and nothing is said about it', async () => {
    expect(await install()).toEqual({ status: 0, said: '' });
    expect(chosen()).toBe(`../${name}/bin/node`);
    expect(await install()).toEqual({ status: 0, said: '' });
  });

  test("is the machine's own where the packaged one does not start, and the packaged one again once it does", async () => {
    write(packaged(), without('libatomic.so.1'));
    expect(await install()).toEqual({
      status: 0,
      said: "The packaged Node does not start (libatomic.so.1 is missing); this machine's own is used, Node 24.15.0.\n",
    });
    expect(chosen()).toBe(own());
    expect(await install()).toEqual({ status: 0, said: '' });
    write(packaged(), saying('26.10.0'));
    expect(await install()).toEqual({ status: 0, said: '' });
    expect(chosen()).toBe(`../${name}/bin/node`);
  });

  test('is chosen anew when one that started does not start any more', async () => {
    await install();
    write(packaged(), without('libatomic.so.1'));
    expect((await install()).status).toBe(0);
    expect(chosen()).toBe(own());
    rmSync(own());
    expect((await install({ npm_node_execpath: process.execPath })).status).toBe(0);
    expect(chosen()).toBe(process.execPath);
  });

  test.runIf(process.getuid?.() === 0)('is none that only root can start', async () => {
    write(packaged(), without('libatomic.so.1'));
    chmodSync(dirname(own()), 0o700);
    write(join(project, 'scripts', 'node', 'node_modules', name, 'bin', 'node'), saying('24.21.0'));
    expect((await install()).status).toBe(0);
    expect(chosen()).toBe(`../../scripts/node/node_modules/${name}/bin/node`);
  });

  test("is downloaded where the machine's own is too old, once", async () => {
    write(packaged(), without('libatomic.so.1'));
    write(own(), saying('24.14.1'));
    const { status, said } = await install();
    expect(said).toMatch(
      /^Installing a Node that needs no libatomic…\n(.*\n)*The packaged Node .* Node 24\.21\.0 is used, /,
    );
    expect(status, said).toBe(0);
    expect(chosen()).toBe(`../../scripts/node/node_modules/${name}/bin/node`);
    expect(asked.filter((path) => path.endsWith('.tgz'))).toHaveLength(1);
    expect(await install()).toEqual({ status: 0, said: '' });
    expect(asked.filter((path) => path.endsWith('.tgz'))).toHaveLength(1);
  });

  test('cannot be had without a library that every Node needs, and one line says which', async () => {
    write(packaged(), without('libstdc++.so.6'));
    write(own(), saying('20.20.2'));
    const line = 'Node needs the library libstdc++.so.6. Install it and run this again.\n';
    expect(await install()).toEqual({ status: 1, said: line });
    expect(existsSync(join(project, 'node_modules', '.bin', 'node'))).toBe(false);
  });
});

/** The words of `packages.sh` as the first script of a command, started by the npm of a machine whose Node is `own`. */
function install(more: Record<string, string> = {}): Promise<{ status: number | null; said: string }> {
  const { port } = registry.address() as AddressInfo;
  const env = {
    ...process.env,
    npm_node_execpath: own(),
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(project, 'cache'),
    ...more,
  };
  const child = spawn('sh', ['scripts/packages.sh'], { cwd: project, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
}

function tarballOf(program: string): Buffer {
  const source = join(folder, 'source', 'package');
  write(join(source, 'bin', 'node'), program);
  const bin = { node: 'bin/node' };
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version: '24.21.0', bin }));
  const made = spawnSync('tar', ['-czf', join(folder, 'node.tgz'), '-C', dirname(source), 'package']);
  expect(made.status).toBe(0);
  return readFileSync(join(folder, 'node.tgz'));
}
