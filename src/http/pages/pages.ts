/**
 * The pages for people: `/sign-in`, its callback, `/invitation` and `/account`, plain HTML with one style sheet and a script for each page,
 * all our own; and `/console` and `/market`, which are built from `web/` (`web.ts`). `/console` and `/account` lead to `/sign-in` without a
 * session; `/market` is for everybody, unless the operator has closed it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../shared/operation.ts';
import { prepared, sendPrepared } from '../shared/prepared.ts';
import { addressOf } from '../shell/address.ts';
import { isSecure, secretIn } from '../shell/session-cookie.ts';
import { MARKET_CLOSED, PAGES } from './markup.ts';
import { openWeb } from './web.ts';

/** Nothing inline, nothing from another host, in no frame; a form is sent by the script alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const FILES = [
  'page.css',
  'playground.css',
  'playground.js',
  'page.js',
  'sign-in.js',
  'callback.js',
  'invitation.js',
  'account.js',
];
const TYPES: Record<string, string> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

export function servePages(
  app: FastifyInstance,
  options: { prefix: string; services: () => Services | null; publicUrl: string | null; market: boolean },
): void {
  const hidden = { schema: { hide: true } };
  for (const name of FILES) {
    const text = readFileSync(join(import.meta.dirname, 'files', name), 'utf8');
    const content = prepared(TYPES[name.split('.')[1] ?? ''] ?? '', text);
    app.get(`/pages/${name}`, hidden, (request, reply) => {
      reply.header('Cache-Control', 'no-cache');
      return sendPrepared(content, request, reply);
    });
  }
  for (const [path, { text, forPeople }] of Object.entries(PAGES)) {
    const page = text.replaceAll('{{prefix}}', options.prefix);
    app.get(path, hidden, async (request, reply) => {
      if (forPeople && !(await hasSession(request))) {
        return reply.redirect(`/sign-in?next=${path}`, 303);
      }
      return send(reply, page);
    });
  }

  const web = openWeb(options.prefix);
  web.serveFiles(app);
  for (const path of ['/console', '/console/*']) {
    app.get(path, hidden, async (request, reply) => {
      if (!(await hasSession(request))) {
        const next = request.url === '/console' ? '' : `?next=${encodeURIComponent(request.url)}`;
        return reply.redirect(`/sign-in${next}`, 303);
      }
      return web.send(reply, 'index.html');
    });
  }

  for (const path of ['/market', '/market/', '/market/loans', '/market/loans/', '/market/loans/:loan_id']) {
    app.get(path, hidden, (_, reply) =>
      options.market ? web.send(reply, 'market.html') : send(reply.code(404), MARKET_CLOSED),
    );
  }

  async function hasSession(request: FastifyRequest): Promise<boolean> {
    const services = options.services();
    const secret = secretIn(request.headers.cookie, isSecure(request, options.publicUrl));
    // Until the service is ready the page itself says so.
    if (services === null) return true;
    if (secret === null) return false;
    return !('denied' in (await services.access.sessions.admit({ secret, address: () => addressOf(request) })));
  }
}

function send(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8').send(page);
}
