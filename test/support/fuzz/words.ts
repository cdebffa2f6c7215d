/** The words that the fuzzing inserts: one string for each kind of place, words separated by bars. */
import { MARKER } from './bodies.ts';

const words = (text: string): readonly string[] => text.split(' | ').map((word) => word.trim());

/** Visible characters, spaces and bytes above 0x7f: all that a header may hold. */
export const HEADER_VALUES = [
  ...words(`| * | , | ; | = | " | \\ | */* | ${MARKER} | é | null | 0 | -1 | 1e999 | %00 | ' OR 1=1 | {}`),
  ' ',
  '\t',
  '\x80\xff',
  'a'.repeat(5_000),
  'Wed, 21 Oct 2099 07:28:00 GMT',
];

/** Headers that a server interprets, with unusual values. */
export const HEADERS: readonly (readonly [weight: number, name: string, values: readonly string[]])[] = [
  [3, 'Accept', words('text/html | application/json | application/* | */*;q=0 | application/json;q=0.000, */* | ,,')],
  [
    2,
    'Host',
    [...words('a | a:1 | [::1]:80 | [ | ] | a:b | a:99999 | % | %00 | a b | a/b | a@b | .. | xn-- | 0x7f.1')],
  ],
  [1, 'Host', ['', '1.2.3.4.5', 'é', 'a'.repeat(300), `${MARKER}.example`]],
  [2, 'X-Request-Id', ['a b', '123-45-6789', 'x'.repeat(65), '', 'é', '*']],
  [2, 'If-None-Match', words('* | "x" | W/"x" | " | "a", "b",')],
  [1, 'If-Match', words('* | "1" | 1 | W/"2" | "x" | "1", "2" | 1e9')],
  [2, 'Content-Encoding', words('gzip | br | identity | Identity | zstd | gzip, gzip')],
  [1, 'Origin', words('https://desk.example | https://evil.example | null')],
  [1, 'Access-Control-Request-Method', ['POST']],
  [1, 'X-Forwarded-For', words('1.2.3.4 | ::1 | a, b')],
  [1, 'X-Forwarded-Host', words('evil.example | [')],
  [1, 'X-HTTP-Method-Override', ['DELETE']],
  [1, 'Idempotency-Key', ['x'.repeat(300), 'a', 'b', 'a b', '', 'é']],
  [1, 'purpose', ['audit', 'x'.repeat(201), '\x80', 'é', '']],
  [1, 'Range', words('bytes=0-1 | bytes=- | x')],
  [1, 'Cookie', [`a=${MARKER}; __proto__=1`]],
  [1, 'Connection', words('keep-alive | close | TE')],
  [1, 'TE', words('trailers | gzip')],
  [1, 'Accept-Version', words('1.x | 2.0.0')],
  [1, 'Accept-Encoding', words('gzip | identity;q=0 | *;q=0')],
  [1, 'Prefer', words('numbers=plain | respond-async | numbers=plain, numbers=plain | numbers | ;;numbers="plain"')],
  [1, '__proto__', ['1']],
  [1, 'constructor', ['1']],
  [1, 'X-'.repeat(200), ['1']],
];

export const TYPES = [
  ...words('application/json | application/json; charset=utf-8 | application/json;charset="UTF-8" | APPLICATION/JSON'),
  ...words('application/json; charset=latin1 | application/json; charset=utf-16 | application/json; charset'),
  ...words('application/json; | application/jsonx | application/merge-patch+json | application/problem+json'),
  ...words('application/x-www-form-urlencoded | application/x-www-form-urlencoded; charset=latin1 | text/plain'),
  ...words('multipart/form-data | multipart/form-data; boundary=x | text/json | application/xml | application'),
  ...words(`application/octet-stream | / | ; | */* | application/json, text/html | a/${MARKER} | é/é`),
  '',
  'a/b;'.repeat(500),
];

export const QUERIES = [
  ...words(`? | & | = | a | a=b | ssn=${MARKER} | a=1&a=2 | a[]=1&a[b]=2 | __proto__=1 | constructor[prototype][x]=1`),
  ...words("%00 | %zz | %ff=%fe | a=% | limit=-1 | cursor=x | dryRun=true | asOf=2026-02-30 | a=#b | ';-- | a=1;b=2"),
  ...words(
    '+ | a=+&+=a | dryRun=false | dryRun= | knownAt=2026-01-15T12:00:00+01:00 | knownAt=x | limit=1e2 | status=Current',
  ),
  ...words(
    'asOf=2199-12-31 | asOf=1900-01-01 | date=2026-02-01 | bucket=120%2B | q=%27 | sort=-createdAt | cursor=AAAA',
  ),
  '',
  'x'.repeat(5_000),
  'a&'.repeat(2_000),
];

/** For the middle of a path, its end, and in place of it. */
export const PATH_PARTS = words('%00 | %2f | %2e%2e | %zz | % | %c0%80 | %ff | %25 | ;a=b | // | /./ | /../');
export const PATH_ENDS = [...words(`${MARKER} | 123-45-6789 | %F0%9F%98%80 | %ED%A0%80 | * | :id`), 'x'.repeat(300)];
export const PATHS = [...words('* | // | /% | /%% | /\\ | /? | /?? | /# | /" | /{} | /^ | /`'), '/|'];
export const HOSTS = words('| a | 127.0.0.1:1 | a@b | [::1] | %');

/** Addresses of the service without an operation, and addresses that scanners request. */
export const OTHER_TARGETS = [
  ...words('/ | // | /docs | /docs/ | /docs/x | /docs/js | /docs/openapi.json | /openapi.json | /metrics | /healthz/'),
  ...words(
    '/readyz | /v2 | /v2/ | /v2/chain | /v2/chain/ | /v2/chain/me/ | /v2/chain//me | /V2/chain/me | /v1/chain/me',
  ),
  ...words('/v2/chain/ME | /v2/chain/loans/0x00 | /favicon.ico | /robots.txt | /.env | /.git/config | /.well-known/'),
  ...words('/.well-known/openid-configuration | /../../etc/passwd | /v2/chain/../chain/me | /documentation/json'),
  ...words('/* | /:id | /__proto__ | /constructor'),
];

export const TOKENS = [
  ...words(`. | .. | ... | a.b | a.b.c.d | a.b.c | ${MARKER}.x.y | é.é.é | null | undefined`),
  '',
  ' ',
  'x'.repeat(5_000),
  `${'a'.repeat(4_000)}.b.c`,
];
export const KEYS = [...words(`${MARKER} | é | a,b | ' OR 1=1`), '', ' ', '\x80', 'x'.repeat(600)];
