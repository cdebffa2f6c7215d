/**
 * The pages that are built from `web/` by `scripts/web.mjs`: their files under `/pages/`, which never change under one name, and
 * their documents, which name the files of the build. A document gets a nonce for the style sheets that its library makes; scripts are
 * files of ours alone, and nothing is inline.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Coding } from '../shared/coding.ts';
import { type Prepared, sendPrepared } from '../shared/prepared.ts';

const DIST = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The compressed forms that `scripts/web.mjs` puts beside a file. */
const BESIDE: readonly (readonly [Coding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

/** Files of the build whose name stays. */
const FIXED = new Set(['icon.svg', 'inter.woff2']);

const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'self' blob:",
    "frame-src 'self' blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const NOT_BUILT = `<!doctype html><html lang="en"><title>Daybook</title><p>The pages are not built. Run <code>npm run pages</code> in the folder of Daybook and load this page again.</p></html>`;

const DOCUMENTS = ['index.html', 'market.html'] as const;

/** Whether there is anything to send: a service that was not started by `npm start` may have been started without its pages. */
export const arePagesBuilt = (): boolean => DOCUMENTS.every((document) => existsSync(join(DIST, document)));

export type Web = {
  serveFiles(app: FastifyInstance): void;
  send(reply: FastifyReply, document: (typeof DOCUMENTS)[number]): FastifyReply;
};

export function openWeb(prefix: string): Web {
  const documents = new Map<string, string>();
  return {
    serveFiles(app) {
      const files = new Map<string, Prepared>();
      const find = (name: string): Prepared | null => {
        const known = files.get(name);
        if (known !== undefined) return known;
        // Only what the build made, by its exact name; its compressed forms are sent under that name.
        const type = TYPES[extname(name)];
        if (type === undefined || !names().has(name)) return null;
        const coded = new Map<Coding, Promise<Buffer>>();
        for (const [coding, ending] of BESIDE) {
          if (names().has(name + ending)) coded.set(coding, Promise.resolve(readFileSync(join(DIST, name + ending))));
        }
        const file = { type, plain: readFileSync(join(DIST, name)), etag: null, coded };
        files.set(name, file);
        return file;
      };
      for (const [path, folder] of [
        ['/pages/web/:name', 'web/'],
        ['/pages/:name', ''],
      ] as const) {
        app.get<{ Params: { name: string } }>(path, { schema: { hide: true } }, (request, reply) => {
          const { name } = request.params;
          const file = folder === '' && !FIXED.has(name) ? null : find(folder + name);
          if (file === null) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file.');
          reply.header('Cache-Control', folder === '' ? 'max-age=86400' : 'public, max-age=31536000, immutable');
          return sendPrepared(file, request, reply);
        });
      }
    },
    send(reply, document) {
      const nonce = randomBytes(16).toString('base64');
      reply.headers({ 'Content-Security-Policy': policy(nonce), 'Cache-Control': 'no-store' });
      reply.type('text/html; charset=utf-8');
      if (!documents.has(document) && existsSync(join(DIST, document)))
        documents.set(document, readFileSync(join(DIST, document), 'utf8').replaceAll('{{prefix}}', prefix));
      const text = documents.get(document);
      if (text === undefined) return reply.code(503).send(NOT_BUILT);
      return reply.send(text.replaceAll('{{nonce}}', nonce));
    },
  };
}

let listed: Set<string> | undefined;
function names(): Set<string> {
  // They may be built while the service runs.
  if (!existsSync(DIST)) return new Set();
  listed ??= new Set(
    readdirSync(DIST, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(DIST.length + 1)),
  );
  return listed;
}
