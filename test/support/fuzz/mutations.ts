/** One mutation of a request that stays HTTP: method, address, query, headers, credentials, type, body, version. */
import { METHODS } from 'node:http';
import { type ExistingIds, MARKER, nastyJson, type Schema, splice } from './bodies.ts';
import type { Random } from './random.ts';
import { HEADER_VALUES, HEADERS, HOSTS, KEYS, PATH_ENDS, PATH_PARTS, PATHS, QUERIES, TOKENS, TYPES } from './words.ts';

export type FuzzOperation = {
  method: string;
  path: string;
  id: string;
  json?: Schema;
  form?: Schema;
  /** Example bodies of the document. */
  examples: object[];
  security: boolean;
  /** Whether it requires an API key, and whether it has a dry run. */
  keyed: boolean;
  dryRun: boolean;
};

/** The material of the requests; the run keeps it up to date. */
export type Stock = {
  operations: FuzzOperation[];
  /** The first client's: every scope, no quota. */
  token: string;
  key: string;
  /** A client that may send one request a minute. */
  limited: { clientId: string; clientSecret: string };
  limitedToken: string;
  /** Tokens of clients with fewer scopes, of a revoked one, and expired ones. */
  otherTokens: string[];
  otherKeys: string[];
  signIns: { clientId: string; clientSecret: string }[];
  known: ExistingIds;
  /** Values for a `{name}` in a path. */
  params: Record<string, string[]>;
  /** By operation, where those of all operations do not suit it. */
  paramsOf: Record<string, Record<string, string[]>>;
  /** By operation: a body that always succeeds as a dry run. */
  suited: Record<string, object>;
};

export type Request = {
  method: string;
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: Buffer;
  /** The way in which the length of the body is sent; a mutation with a wrong length sets it. */
  framing: 'length' | 'chunked' | 'none';
};

type Mutation = (request: Request, random: Random, stock: Stock) => void;

export function mutateTarget(request: Request, random: Random, stock: Stock): void {
  const { target } = request;
  const at = random.int(target.length);
  const [before, after] = [target.slice(0, at), target.slice(at)];
  const encoded = `%${(after.charCodeAt(0) || 47).toString(16)}${after.slice(1)}`;
  request.target = random.weighted<() => string>([
    [3, () => random.pick(stock.operations).path],
    [2, () => before + random.pick(PATH_PARTS) + after],
    [2, () => before + encoded],
    [1, () => `${target}/${random.pick(PATH_ENDS)}`],
    [1, () => `http://${random.pick(HOSTS)}${target}`],
    [1, () => target.toUpperCase()],
    [1, () => target + '/x'.repeat(random.pick([5, 500]))],
    [1, () => `/${'x'.repeat(random.pick([255, 257, 4_000]))}`],
    [1, () => random.pick(PATHS)],
  ])();
}

function mutateQuery(request: Request, random: Random): void {
  request.target += `?${random.pick(QUERIES)}`;
}

export function mutateHeaders(request: Request, random: Random): void {
  random.weighted<() => void>([
    [
      30,
      () => {
        const [name, values] = random.weighted(HEADERS.map(([weight, ...rest]) => [weight, rest] as const));
        // The request id is echoed to the caller, so it must not hold the marker.
        const any = name !== 'X-Request-Id' && random.chance(0.2);
        request.headers = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
        request.headers.push([name, random.pick(any ? HEADER_VALUES : values)]);
      },
    ],
    [Math.min(1, request.headers.length), () => void request.headers.push(random.pick(request.headers))],
    [1, () => void request.headers.splice(0, 1 + random.int(3))],
    [1, () => many(60, (i) => request.headers.push([`X-${i}`, random.pick(HEADER_VALUES).slice(0, 50)]))],
  ])();
}

function many(times: number, work: (i: number) => void): void {
  for (let i = 0; i < times; i += 1) work(i);
}

function mutateAuthorization(request: Request, random: Random, stock: Stock): void {
  const [head = '', payload = '', signature = ''] = stock.token.split('.');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const bearer = (...parts: string[]) => `Bearer ${parts.join('.')}`;
  const algorithm = () => random.pick(['none', 'None', '', 'HS256', 'ES384', 'EdDSA']);
  const keyId = () => random.pick(['', '../x', MARKER, `sig_${random.word(24)}`, 7, null]);
  const oddClaim = () => ({
    [random.pick(['sub', 'exp', 'gen', 'scope'])]: random.pick([null, {}, [], -1, 'x', MARKER]),
  });
  const text = random.weighted<() => string | null>([
    [4, () => null],
    [4, () => bearer(random.pick(stock.otherTokens))],
    [2, () => bearer(stock.limitedToken)],
    [2, () => bearer(part({ alg: algorithm(), typ: 'at+jwt' }), part(CLAIMS), random.pick(['', 'x', signature]))],
    [2, () => bearer(head, part({ ...CLAIMS, ...oddClaim() }), signature)],
    [2, () => bearer(head, payload, signature.slice(0, random.int(90)) + random.pick(['', 'A', '=', '-_']))],
    [1, () => bearer(part({ alg: 'ES256', typ: 'at+jwt', kid: keyId() }), payload, signature)],
    [1, () => bearer(part(TRICKY_HEADER), payload, signature)],
    [1, () => bearer(Buffer.from(nastyJson(random).slice(0, 3_000)).toString('base64url'), payload, signature)],
    [1, () => `${random.pick(['bearer', 'BEARER', 'Bearer ', 'Token', 'Basic', 'Digest', ''])} ${stock.token}`],
    [2, () => bearer(random.pick(TOKENS))],
    [1, () => random.pick(['Basic', 'Basic %%%', `Basic ${'A'.repeat(4_000)}`])],
    [1, () => basic(random.pick([':', 'first:x', `${random.word(5)}:${MARKER}%zz`, `a:${MARKER}`]))],
  ])();
  request.headers = request.headers.filter(([name]) => name !== 'Authorization');
  if (text !== null) request.headers.push(['Authorization', text]);
}

const CLAIMS = {
  iss: 'http://127.0.0.1',
  aud: 'daybook',
  sub: 'first',
  client_id: 'first',
  org: 'x',
  scope: 'admin',
  gen: 0,
  iat: 1,
  exp: 9e9,
  jti: 'x',
};
/** Members of a token's header that some libraries trust. */
const TRICKY_HEADER = {
  alg: 'ES256',
  typ: 'at+jwt',
  crit: ['x'],
  b64: false,
  zip: 'DEF',
  jku: 'http://127.0.0.1:1/',
  jwk: {},
};

function mutateKey(request: Request, random: Random, stock: Stock): void {
  request.headers = request.headers.filter(([name]) => name !== 'key');
  const value = random.pick([stock.key, random.pick(stock.otherKeys), `dbk_${random.word(43)}`, ...KEYS]);
  request.headers.push([random.pick(['key', 'KEY']), value]);
  if (random.chance(0.1)) request.headers.push(['key', stock.key]);
}

// A body on a method that usually has none is legal; CONNECT has its own protocol (see `handmade.ts`).
const OTHER_METHODS = METHODS.filter((method) => method !== 'CONNECT');

function mutateMethod(request: Request, random: Random): void {
  request.method = random.chance(0.7)
    ? random.pick(OTHER_METHODS)
    : random.pick(['HEAD', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
}

function mutateType(request: Request, random: Random): void {
  request.headers = request.headers.filter(([name]) => name !== 'Content-Type');
  if (random.chance(0.9)) request.headers.push(['Content-Type', random.pick(TYPES)]);
}

function mutateBody(request: Request, random: Random): void {
  request.body = random.pick([
    () => EMPTY,
    () => random.bytes(random.int(300)),
    () => Buffer.from(nastyJson(random)),
    () => splice(request.body, random, random.bytes(3)),
    () => Buffer.alloc(random.pick([1, 65_535, 65_536, 65_537, 150_000]), random.pick([' ', 'x', '[', '\0'])),
  ])();
  request.framing = random.pick(['length', 'chunked', 'none']);
}

function mutateVersion(request: Request, random: Random): void {
  request.version = '1.0';
  // Chunks are not HTTP/1.0.
  if (request.framing === 'chunked') request.framing = 'length';
  if (random.chance(0.5)) request.headers.push(['Connection', 'keep-alive']);
}

export const MUTATIONS: readonly (readonly [number, readonly [string, Mutation]])[] = [
  [3, ['method', mutateMethod]],
  [4, ['target', mutateTarget]],
  [3, ['query', mutateQuery]],
  [7, ['headers', mutateHeaders]],
  [5, ['authorization', mutateAuthorization]],
  [3, ['key', mutateKey]],
  [3, ['type', mutateType]],
  [3, ['body', mutateBody]],
  [1, ['version', mutateVersion]],
  // Only the body, which is mutated in most cases.
  [8, ['nothing else', () => {}]],
];

const EMPTY = Buffer.alloc(0);
