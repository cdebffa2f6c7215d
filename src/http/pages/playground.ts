/**
 * The playground at `/docs`: the OpenAPI document as a page where a person enters a token and a key and tries operations.
 * Scalar's script is read from its package once, through a separate Fastify instance that no request reaches: Scalar's own
 * handlers build a URL from the Host header, fail on unusual ones, and send four megabytes at every visit.
 */
import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { documentText } from '../document/document.ts';
import type { Examples, Services } from '../shared/operation.ts';
import { type Prepared, prepared, sendPrepared } from '../shared/prepared.ts';

export function servePlayground(
  app: FastifyInstance,
  { prefix, services }: { prefix: string; services: () => Services | null },
): void {
  let made: Promise<Playground> | undefined;
  const playground = () => {
    made ??= makePlayground();
    return made;
  };
  const hidden = { schema: { hide: true } };
  app.get('/docs', hidden, (_request, reply) => reply.redirect('/docs/', 302));
  app.get('/docs/', hidden, async (request, reply) => {
    const { page } = await playground();
    reply.header('Content-Security-Policy', POLICY);
    return send(page, request, reply);
  });
  // The operations stay the same; only their examples are made anew.
  let plain: string | undefined;
  let shown: { examples: Examples | null; document: Prepared } | undefined;
  app.get('/docs/openapi.json', hidden, async (request, reply) => {
    const examples = (await services()?.examples?.()) ?? null;
    plain ??= documentText(app);
    if (shown === undefined || shown.examples !== examples) {
      const filled = examples === null ? plain : withExamples(plain, { prefix, examples });
      shown = { examples, document: prepared('application/json; charset=utf-8', filled) };
    }
    return send(shown.document, request, reply);
  });
  for (const name of ['storage', 'scalar', 'start'] as const) {
    app.get(`/docs/js/${name}.js`, hidden, async (request, reply) => send((await playground())[name], request, reply));
  }
}

const SCRIPT = 'text/javascript; charset=utf-8';
type Playground = { page: Prepared; storage: Prepared; scalar: Prepared; start: Prepared };

async function makePlayground(): Promise<Playground> {
  // Loading the package takes a sixth of a start, and most services never show the page.
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const maker = Fastify({ logger: false });
  await maker.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION });
  const script = (await maker.inject('/docs/js/scalar.js')).body;
  await maker.close();
  return {
    page: prepared('text/html; charset=utf-8', PAGE),
    storage: prepared(SCRIPT, KEPT),
    scalar: prepared(SCRIPT, script),
    start: prepared(SCRIPT, START),
  };
}

type Parameter = { in: string; name: string; example?: unknown; examples?: unknown };
type Described = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: object; examples?: Record<string, { value: object }> }> };
};
type Document = { info: { description: string }; paths: Record<string, Record<string, Described>> };

/** The document whose examples name loans that are there, so that each can be sent as it stands. */
function withExamples(text: string, { prefix, examples }: { prefix: string; examples: Examples }): string {
  const document = JSON.parse(text) as Document;
  document.info.description += `\n\n${EXAMPLES}`;
  for (const [path, methods] of Object.entries(document.paths)) {
    const own = examples[path.slice(prefix.length + 1)];
    const values: Readonly<Record<string, string>> = { ...examples['*']?.parameters, ...own?.parameters };
    for (const { parameters = [], requestBody } of Object.values(methods)) {
      for (const parameter of parameters) {
        if (values[parameter.name] === undefined || parameter.in === 'header') continue;
        delete parameter.examples;
        parameter.example = values[parameter.name];
      }
      const json = requestBody?.content['application/json'];
      if (json === undefined || own?.body === undefined) continue;
      // The first of several examples is the one that is filled in.
      const [first] = Object.values(json.examples ?? {});
      if (json.example === undefined && first === undefined) continue;
      json.example = { ...(json.example ?? first?.value), ...own.body };
      delete json.examples;
    }
  }
  return JSON.stringify(document);
}

const EXAMPLES =
  'The examples name loans of the demonstration on which each operation is possible now, so they can be sent as they stand. Client id, secret ' +
  'and API key of the demonstration are in `credentials.json` in the data folder (`data`), under `demo`. Reload the page for new examples after you have changed ' +
  'loans. Examples for clients, people, webhooks and sandboxes refer to objects that you create first.';

/** The look of the other pages: the same font, colours and measures. */
const LOOK = `
@font-face { font-family: Inter; src: url("/pages/inter.woff2") format("woff2"); font-weight: 100 900; font-display: swap; }
:root { --scalar-font: Inter, system-ui, sans-serif; --scalar-radius: 6px; --scalar-radius-lg: 6px; --scalar-radius-xl: 6px; }
.light-mode {
  --scalar-background-1: #ffffff; --scalar-background-2: #f6f7f9; --scalar-background-3: #eef1f5; --scalar-background-accent: #e8eefc;
  --scalar-color-1: #171b21; --scalar-color-2: #55606e; --scalar-color-3: #55606e; --scalar-color-accent: #1d4ed8;
  --scalar-border-color: #d9dee5; --scalar-color-green: #176b3a; --scalar-color-red: #b3261e; --scalar-color-orange: #8a4b00;
  --scalar-color-yellow: #8a4b00; --scalar-color-blue: #1d4ed8; --scalar-color-purple: #6b3fa0;
  --scalar-button-1: #1d4ed8; --scalar-button-1-hover: #1a44bf; --scalar-button-1-color: #ffffff;
}
.dark-mode {
  --scalar-background-1: #181c22; --scalar-background-2: #111418; --scalar-background-3: #232932; --scalar-background-accent: #1a2540;
  --scalar-color-1: #e8ebef; --scalar-color-2: #a4aebb; --scalar-color-3: #a4aebb; --scalar-color-accent: #8fb0ff;
  --scalar-border-color: #333a44; --scalar-color-green: #7fd6a0; --scalar-color-red: #ff9a92; --scalar-color-orange: #f2bd72;
  --scalar-color-yellow: #f2bd72; --scalar-color-blue: #8fb0ff; --scalar-color-purple: #c7a6f5;
  --scalar-button-1: #8fb0ff; --scalar-button-1-hover: #a6c0ff; --scalar-button-1-color: #0d1117;
}`;

const CONFIGURATION = {
  url: '/docs/openapi.json',
  theme: 'none',
  customCss: LOOK,
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  // Its menus share and deploy the document through another company's service.
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Schemas',
  // In the order of the document, where the most important members come first.
  orderSchemaPropertiesBy: 'preserve',
  // Across a reload, and no longer than the tab: see `KEPT`.
  persistAuth: true,
  // Client id and secret are what a person has; the page gets the token with them.
  authentication: { preferredSecurityScheme: [['oauth2', 'apiKey']] },
} satisfies FastifyApiReferenceOptions['configuration'];

const START = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})`;

/** Scalar keeps credentials in `localStorage`, which outlives the tab and is shared with every other one. It gets the tab's own instead. */
const KEPT = "Object.defineProperty(window, 'localStorage', { value: window.sessionStorage })";

/** An open book. It marks the tab, and no browser asks for /favicon.ico. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%231d4ed8'/%3E" +
  "%3Cpath d='M16 10c-3-2-6-2-9-1v13c3-1 6-1 9 1 3-2 6-2 9-1V9c-3-1-6-1-9 1zm0 0v13' fill='none' stroke='%23fff' stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Daybook API</title>
    <link rel="icon" href="${ICON}">
    <link rel="stylesheet" href="/pages/playground.css">
  </head>
  <body>
    <nav class="daybook-top" aria-label="Daybook"><a href="/console">Console</a><a href="/market">Market</a><a href="/docs/" aria-current="page">API playground</a></nav>
    <div id="app"></div>
    <noscript>This page needs JavaScript. The same document for machines is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="js/storage.js"></script>
    <script src="js/scalar.js"></script>
    <script src="js/start.js"></script>
    <script type="module" src="/pages/playground.js"></script>
  </body>
</html>
`;

/** The page runs scripts of the service and connects to no other host. Scalar needs inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The script is 1 MB compressed instead of 4.3 MB, and 304 when the browser has it already. */
function send(content: Prepared, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('Cache-Control', 'no-cache');
  return sendPrepared(content, request, reply);
}
