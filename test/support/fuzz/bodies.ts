/** Bodies: valid ones made from the request schemas of the OpenAPI document, and mutations of them. */
import type { Random } from './random.ts';

export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  minItems?: number;
  maxItems?: number;
  maximum?: number;
};

/** Put wherever a secret or a personal value could be; no answer and no log may contain it. */
export const MARKER = 'zq7secretzq7';

/** Existing ids that a valid body may name. */
export type ExistingIds = {
  clientId: string[];
  keyId: string[];
  grantId: string[];
  granteeOrganizationId: string[];
  /** Ids of sandboxes. */
  organizationId: string[];
  timeZone: string[];
  loanId: string[];
  refId: string[];
};

/** A JSON object as text, member by member, so that it can hold what no JavaScript object can (a name twice, 1e999). */
export type Members = [name: string, json: string][];

export function validMembers(schema: Schema, random: Random, known: ExistingIds): Members {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => schema.required?.includes(name) || random.chance(0.5))
    .map(([name, property]) => [name, validJson(property, name, random, known)]);
}

function validJson(schema: Schema, name: string, random: Random, known: ExistingIds): string {
  const pool = known[name as keyof ExistingIds] as string[] | undefined;
  if (pool !== undefined && pool.length > 0 && random.chance(0.8)) return JSON.stringify(random.pick(pool));
  if (schema.enum) return JSON.stringify(random.pick(schema.enum));
  if (schema.anyOf) return validJson(random.pick(schema.anyOf), name, random, known);
  if (/date|^to$|^start$|goodThrough/i.test(name)) return JSON.stringify(random.pick(DAYS));
  switch (Array.isArray(schema.type) ? schema.type.join() : schema.type) {
    // Amounts and rates.
    case 'string,number':
      return random.pick(['10', '10.5', '"1,234.56"', '"0.01"', '6', '"9,999,999,999,999.99"']);
    case 'boolean':
      return random.pick(['true', 'false']);
    case 'object':
      return random.pick(['{}', '{"AutoLoan":{}}', '{"AutoLoan":{"currentBalance":9000}}']);
    case 'array': {
      const all = schema.items?.enum ?? [];
      const some = all.filter(() => random.chance(0.4));
      return JSON.stringify(some.length === 0 ? all.slice(0, 1) : some);
    }
    case 'integer':
      return String(random.pick([0, 1, 5, 600, schema.maximum ?? 9]));
    case 'null':
      return 'null';
    default:
      if (/secret/i.test(name)) return JSON.stringify(`${MARKER}${random.word(6)}`);
      return JSON.stringify(random.pick([`x-${random.word(8)}`, random.word(1), `client_${random.word(24)}`]));
  }
}

const DAYS = ['2026-01-15', '2026-01-14', '2025-12-01', '2026-02-20', '2026-12-31', '1900-01-01', '2199-12-31'];

function jsonText(members: Members): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Valid JSON with unusual values. */
export function nastyJson(random: Random): string {
  return random.weighted<() => string>([
    [8, () => random.pick(['null', 'true', 'false', '""', '[]', '{}', '[[]]', '[null]', '[{}]', '{"":""}'])],
    [6, () => random.pick(['0', '-0', '-1', '1.5', '1e308', '1e400', '-1e400', '1e-400', '9007199254740993'])],
    [
      2,
      () => random.pick(['123456789012345678901234567890', '2147483648', '9223372036854775808', `1${'0'.repeat(400)}`]),
    ],
    [
      6,
      () =>
        random.pick([
          '"\\u0000"',
          '"a\\u0000b"',
          '"\\ud800"',
          '"\\udc00\\ud800"',
          '"\\uffff"',
          '"\\u202e"',
          '"\\ufeff"',
        ]),
    ],
    [
      4,
      () => random.pick(['"😀"', '"ﬃ"', '"é"', '"e\\u0301"', '"\\n"', '"\\u001b[2J"', '" "', '"\\u2028"', '"\\u0085"']),
    ],
    [4, () => JSON.stringify(random.pick(INJECTIONS))],
    [3, () => `"${'x'.repeat(random.pick([65, 129, 201, 513, 1025, 20_000]))}"`],
    [2, () => `"${'😀'.repeat(random.pick([64, 100, 128, 150, 200, 201]))}"`],
    [2, () => JSON.stringify(MARKER)],
    [1, () => random.pick([deep, deepObject])(random.pick([10, 33, 500, 5_000]))],
    [
      1,
      () =>
        JSON.stringify(Array.from({ length: random.pick([11, 100, 6_000]) }, () => random.pick(['admin', 1, null]))),
    ],
    [
      2,
      () =>
        random.pick(['["loans:read","loans:read"]', '["admin",null]', '["ADMIN"]', '{"length":3}', '{"toString":1}']),
    ],
  ])();
}

const INJECTIONS = [
  "'; DROP TABLE clients; --",
  "' OR '1'='1",
  '../../../../etc/passwd',
  '%00',
  '#{jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'first\u0000',
  '\\x00',
  '\\N',
  '\\.',
  'NaN',
  'undefined',
];

/** Changes one thing about the members. */
export function mutateMembers(members: Members, random: Random): Members {
  const at = random.int(members.length);
  const changed = (json: string): Members => members.map((member, i) => (i === at ? [member[0], json] : member));
  const oddName = () =>
    random.pick([
      'extra',
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      '',
      'a/b~c',
      '\u0000',
      '\ud800',
      'x'.repeat(300),
    ]);
  return random.weighted<() => Members>([
    [10, () => (members.length === 0 ? [['extra', nastyJson(random)]] : changed(nastyJson(random)))],
    [2, () => members.filter((_, i) => i !== at)],
    [2, () => [...members, [oddName(), nastyJson(random)]]],
    [1, () => [...members, ...members]],
    [1, () => members.flatMap((member) => [member, [member[0], nastyJson(random)] as [string, string]])],
    [1, () => [['__proto__', jsonText(members)]]],
    [1, () => members.map(([name, json]) => [random.pick([name.toUpperCase(), ` ${name}`, name]), json])],
    [1, () => changed(`[${members[at]?.[1] ?? ''}]`)],
    [1, () => Array.from({ length: random.pick([30, 6_000]) }, (_, i) => [`m${i}`, '1'])],
  ])();
}

/** The members as JSON text, or as something that only resembles it. */
export function encodeJson(members: Members, random: Random, oddity: number): Buffer {
  const text = jsonText(members);
  if (!random.chance(oddity)) return Buffer.from(text);
  return random.weighted<() => Buffer>([
    [3, () => Buffer.from(nastyJson(random))],
    [3, () => Buffer.from(text.slice(0, random.int(text.length)))],
    [2, () => Buffer.from(text + random.pick(['}', ',', '\u0000', ' {}', '//', text]))],
    [1, () => Buffer.from(`\ufeff${text}`)],
    [1, () => Buffer.from(text, 'utf16le')],
    [2, () => splice(Buffer.from(text), random, random.bytes(1 + random.int(3)))],
    [2, () => splice(Buffer.from(text), random, random.pick(BAD_UTF8))],
    [1, () => random.bytes(random.int(200))],
    [1, () => Buffer.alloc(0)],
    [
      1,
      () =>
        Buffer.from(
          random.pick([' ', '\n', '\u0000', "{'a':1}", '{a:1}', '[1,]', '{"a":1,}', 'NaN', '/**/{}', '{"a":01}']),
        ),
    ],
    [1, () => Buffer.from(formText(members, random, 0.3))],
    [1, () => Buffer.from(random.pick([deep, deepObject, (n: number) => '['.repeat(n)])(random.pick([2_000, 12_000])))],
    [1, () => Buffer.alloc(random.pick([65_536, 65_537, 80_000]), 'x')],
  ])();
}

export function formText(members: Members, random: Random, oddity: number): string {
  const plain = members.map(([name, json]) => [name, json.startsWith('"') ? JSON.parse(json) : json]);
  const text = plain.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join('&');
  if (!random.chance(oddity)) return text;
  return random.pick([
    `${text}&${text}`,
    `${text}&=`,
    `${text}&%zz=%`,
    `${text}&a%00b=%00`,
    `&&&${text}`,
    `__proto__=1&${text}`,
    `${text}&scope=%ff%fe`,
    `${text}&scope=${'x'.repeat(2_000)}`,
    text.replaceAll('=', ''),
    text.replaceAll('&', ';'),
    'a&'.repeat(3_000),
  ]);
}

const BAD_UTF8 = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]].map((bytes) =>
  Buffer.from(bytes),
);

/** The bytes with others inserted, or replacing some. */
export function splice(bytes: Buffer, random: Random, other: Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), other, bytes.subarray(at + (random.chance(0.5) ? other.length : 0))]);
}
