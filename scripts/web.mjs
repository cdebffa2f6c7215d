/**
 * Builds the pages into web/dist, if something that they are made of has changed since: the sources of web and sdk, the engine's
 * events, the contract and the lock file. Runs before `npm start` and `npm test`, and takes milliseconds when nothing has.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { startProgress } from './progress.mjs';

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'web', 'dist');
const stampFile = path.join(dist, 'stamp');

const inputs = [
  'package-lock.json',
  'scripts/web.mjs',
  'openapi.json',
  'web/package.json',
  ...globSync('web/*.ts', { cwd: root }),
  ...globSync('web/*.html', { cwd: root }),
  ...globSync('web/{src,public}/**/*.*', { cwd: root }),
  ...globSync('sdk/src/**/*.ts', { cwd: root }),
  ...globSync(['src/core/event.ts', 'src/core/events/*.ts'], { cwd: root }),
].sort();
const hash = createHash('sha256');
for (const file of inputs) hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
const wanted = hash.digest('hex');
// Pages are for everybody, and a service often runs as another user than the one who builds them.
process.umask(0o022);

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== wanted) {
  let modules = 0;
  const progress = startProgress('Building the pages', () => (modules > 0 ? `${modules} modules` : ''));
  const { build } = await import('vite');
  // Beside the old one, and then in its place: a service that runs keeps what it has read.
  const next = `${dist}.${process.pid}`;
  try {
    await build({
      configFile: path.join(root, 'web', 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: next, emptyOutDir: true },
      plugins: [
        {
          name: 'progress',
          moduleParsed: () => {
            modules += 1;
          },
        },
      ],
    });
    mkdirSync(next, { recursive: true });
    await compressBeside(next);
    writeFileSync(path.join(next, 'stamp'), wanted);
    rmSync(dist, { recursive: true, force: true });
    renameSync(next, dist);
    progress.done();
  } catch (error) {
    progress.failed();
    process.stderr.write(`The pages could not be built: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/** Beside each script, style sheet and picture its compressed forms, as small as they get: the service sends them as they are. */
async function compressBeside(folder) {
  const files = globSync('**/*.{js,css,svg,json}', { cwd: folder });
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(path.join(folder, file));
      writeFileSync(path.join(folder, `${file}.br`), await promisify(brotliCompress)(bytes));
      writeFileSync(path.join(folder, `${file}.gz`), await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}
