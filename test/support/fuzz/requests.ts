/**
 * The requests: valid calls of every operation, the same with one to three mutations, calls of addresses without an operation,
 * and bytes that are not HTTP. A case is made from its own number, so that a single case can be repeated.
 */
import { encodeJson, formText, MARKER, type Members, mutateMembers, splice, validMembers } from './bodies.ts';
import { HANDMADE } from './handmade.ts';
import { type FuzzOperation, MUTATIONS, mutateHeaders, mutateTarget, type Request, type Stock } from './mutations.ts';
import type { Random } from './random.ts';
import { OTHER_TARGETS } from './words.ts';

export type FuzzCase = {
  label: string;
  bytes: Buffer;
  /** The method of each request in the bytes, in their order. */
  methods: string[];
  /** Well-formed HTTP gets exactly one answer per request; for the rest, any answer must be a proper one. */
  wellFormed: boolean;
  halfCloseAtOnce: boolean;
  /** The status that a valid request must have. */
  expected?: number;
};

export function makeCase(random: Random, number: number, stock: Stock): FuzzCase {
  const kind = random.weighted<(random: Random, number: number, stock: Stock) => FuzzCase>([
    [10, untouched],
    [62, mutated],
    [10, elsewhere],
    [5, pipelined],
    [7, mangled],
    [6, handmade],
  ]);
  return kind(random, number, stock);
}

/** A valid request. A read is answered 200 whatever came before; a write may name an id that was revoked. */
function untouched(random: Random, number: number, stock: Stock): FuzzCase {
  return validCase(random, number, stock, anyOperation(random, stock));
}

export function validCase(random: Random, number: number, stock: Stock, operation: FuzzOperation): FuzzCase {
  const request = validRequest(random, number, stock, { operation, body: 'valid' });
  return {
    ...single(`${operation.id}, valid`, request),
    // Whether there is a provider depends on what was sent before.
    // No day is over here, so no cycle has run that could be read.
    ...(isRead(operation) && operation.id !== 'readIdentityProvider'
      ? { expected: EXPECTED[operation.id] ?? 200 }
      : {}),
  };
}

/** The query that a read needs. */
const NEEDED: Readonly<Record<string, string>> = {
  listEntries: '?date=2020-01-31',
  readRollForward: '?period=2020-01',
  exportPeriod: '?period=2020-01',
  listTransfers: '?direction=in',
  listNames: '?ids=user_1',
};

function anyOperation(random: Random, { operations }: Stock): FuzzOperation {
  let weighted = weights.get(operations);
  if (weighted === undefined) {
    weighted = operations.map((one) => [isCostly(one) ? 2 : 6, one] as const);
    weights.set(operations, weighted);
  }
  return random.weighted(weighted);
}

const weights = new WeakMap<FuzzOperation[], (readonly [weight: number, operation: FuzzOperation])[]>();

/** Each of these hashes a secret, which deliberately takes some 50 ms. */
const isCostly = ({ id }: FuzzOperation) => /^(create(OAuth)?Token|createClient|rotateClient)$/.test(id);
const isRead = ({ method }: FuzzOperation) => method === 'GET';

function mutated(random: Random, number: number, stock: Stock): FuzzCase {
  const operation = anyOperation(random, stock);
  const request = validRequest(random, number, stock, { operation, body: 'perhaps valid' });
  const names = Array.from({ length: 1 + random.int(3) }, () => {
    const [name, mutate] = random.weighted(MUTATIONS);
    mutate(request, random, stock);
    return name;
  });
  return single(`${operation.id} + ${names.join(' + ')}`, request);
}

function elsewhere(random: Random, number: number, stock: Stock): FuzzCase {
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']);
  const target = random.pick(OTHER_TARGETS) + (random.chance(0.2) ? `?${MARKER}` : '');
  const request: Request = {
    method,
    target,
    version: '1.1',
    headers: [['Host', 'a']],
    body: EMPTY,
    framing: 'none',
  };
  request.headers.push(['X-Request-Id', `fuzz-${number}`]);
  if (random.chance(0.3)) mutateHeaders(request, random);
  if (random.chance(0.1)) mutateTarget(request, random, stock);
  return single('elsewhere', request);
}

function pipelined(random: Random, number: number, stock: Stock): FuzzCase {
  const parts = Array.from({ length: 2 + random.int(4) }, (_, i) => {
    // Numbers unique to the case: they become request ids, and an answer that was not read leaves its log line behind.
    const own = 1_000_000_000 + number * 10 + i;
    const one = random.chance(0.5) ? untouched(random, own, stock) : mutated(random, own, stock);
    return one.wellFormed ? one : untouched(random, own, stock);
  });
  const bytes = Buffer.concat(parts.map((part) => part.bytes));
  const label = `pipelined: ${parts.map((part) => part.label).join(' | ')}`;
  const methods = parts.flatMap((part) => part.methods);
  if (!random.chance(0.3)) return { label, bytes, methods, wellFormed: true, halfCloseAtOnce: false };
  const tail = random.pick([
    random.bytes(20),
    Buffer.from('\r\n\r\nBREW / HTTP/1.1\r\n\r\n'),
    Buffer.from('GET / HTTP/9.9\r\n\r\n'),
  ]);
  return {
    label: `${label} | garbage`,
    bytes: Buffer.concat([bytes, tail]),
    methods,
    wellFormed: false,
    halfCloseAtOnce: false,
  };
}

/** A valid request with some of its bytes changed, removed or doubled. */
function mangled(random: Random, number: number, stock: Stock): FuzzCase {
  let { bytes, methods } = single(
    '',
    validRequest(random, number, stock, { operation: anyOperation(random, stock), body: 'valid' }),
  );
  for (let i = 0; i <= random.int(3); i += 1) {
    const [from, to] = [random.int(bytes.length), random.int(bytes.length)].sort((a, b) => a - b) as [number, number];
    bytes = random.pick([
      () => bytes.subarray(0, to),
      () => splice(bytes, random, random.bytes(1 + random.int(4))),
      () =>
        splice(
          bytes,
          random,
          random.pick(
            ['\0', '\r', '\n', '\r\n', ' ', ':', '\t', '%', '\x7f', '\xff'].map((c) => Buffer.from(c, 'latin1')),
          ),
        ),
      () => Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]),
      () => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]),
    ])();
  }
  return { label: 'mangled', bytes, methods, wellFormed: false, halfCloseAtOnce: random.chance(0.5) };
}

function handmade(random: Random, _number: number, _stock: Stock): FuzzCase {
  const bytes = Buffer.from(random.pick(HANDMADE)(random), 'latin1');
  const methods = [/^HEAD /.test(bytes.toString('latin1')) ? 'HEAD' : 'GET'];
  const label = `handmade ${JSON.stringify(bytes.subarray(0, 40).toString('latin1'))} of ${bytes.length} bytes`;
  return { label, bytes, methods, wellFormed: false, halfCloseAtOnce: random.chance(0.3) };
}

function validRequest(
  random: Random,
  number: number,
  stock: Stock,
  { operation, body }: { operation: FuzzOperation; body: 'valid' | 'perhaps valid' },
): Request {
  const { method } = operation;
  const headers: Request['headers'] = [
    ['Host', '127.0.0.1'],
    ['X-Request-Id', `fuzz-${number}`],
  ];
  if (operation.security) {
    headers.push(['Authorization', `Bearer ${stock.token}`]);
    if (operation.keyed || random.chance(0.5)) headers.push(['key', stock.key]);
  }
  // The loan of a suited body must not change, so that the body can be used again.
  const suited = operation.dryRun && (body === 'valid' || random.chance(0.7));
  const params = { ...stock.params, ...stock.paramsOf[operation.id] };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => random.pick(params[name] ?? ['x']));
  const request: Request = {
    method,
    target: suited ? `${path}?dryRun=true` : path + (NEEDED[operation.id] ?? ''),
    version: '1.1',
    headers,
    body: EMPTY,
    framing: 'none',
  };
  if (operation.json !== undefined || operation.form !== undefined) {
    const type = operation.json ? 'application/json' : 'application/x-www-form-urlencoded';
    request.framing = random.chance(0.2) ? 'chunked' : 'length';
    headers.push(['Content-Type', type]);
    request.body = bodyOf(operation, random, stock, { valid: body === 'valid', suited });
  }
  return request;
}

/** A valid body, more often a mutated one: four of five calls of an operation with a body test the body. */
function bodyOf(
  operation: FuzzOperation,
  random: Random,
  stock: Stock,
  { valid, suited }: { valid: boolean; suited: boolean },
): Buffer {
  const schema = operation.json ?? operation.form ?? {};
  let members: Members = validMembers(schema, random, stock.known);
  // The id of an alias ends in this.
  const found = stock.suited[operation.id];
  if (found !== undefined && (suited || random.chance(0.5))) {
    members = Object.entries(found).map(([name, value]) => [name, JSON.stringify(value)]);
    // Calls that are not dry runs use other loans.
    const loanId = JSON.stringify(random.pick(stock.known.loanId.length > 0 ? stock.known.loanId : ['0x00']));
    if (!suited && operation.dryRun) members = members.map(([name, json]) => [name, name === 'loanId' ? loanId : json]);
  }
  if (/^createLoan/.test(operation.id)) {
    const id = JSON.stringify(`APP-${random.word(12)}`);
    members = members.map(([name, json]) => [name, name === 'applicationId' ? id : json]);
  }
  // An address belongs to one person.
  if (operation.id === 'createUser') {
    const email = JSON.stringify(`${MARKER}${random.word(12)}@example.com`);
    members = members.map(([name, json]) => [name, name === 'email' ? email : json]);
  }
  // A calculation has rules between members that no schema states: start from the document's examples.
  if (/^(calculate|simulate)/.test(operation.id) && operation.examples.length > 0 && (valid || random.chance(0.7))) {
    members = Object.entries(random.pick(operation.examples)).map(([name, value]) => [name, JSON.stringify(value)]);
  }
  if (/Token$/.test(operation.id) && (valid || random.chance(0.5))) {
    const { clientId, clientSecret } = random.pick(stock.signIns);
    members = operation.form
      ? [
          ['grant_type', '"client_credentials"'],
          ['client_id', JSON.stringify(clientId)],
          ['client_secret', JSON.stringify(clientSecret)],
        ]
      : [
          ['clientId', JSON.stringify(clientId)],
          ['clientSecret', JSON.stringify(clientSecret)],
        ];
  }
  const wrong = valid ? 0 : random.pick([0, 1, 1, 1, 2]);
  for (let i = 0; i < wrong; i += 1) members = mutateMembers(members, random);
  if (operation.form) return Buffer.from(formText(members, random, valid ? 0 : 0.3));
  return encodeJson(members, random, valid ? 0 : wrong === 0 ? 0.4 : 0.1);
}

const EMPTY = Buffer.alloc(0);

function single(label: string, request: Request): FuzzCase {
  const { method, target, version, headers, framing } = request;
  const body = framing === 'none' ? EMPTY : request.body;
  const framed =
    framing === 'length'
      ? [['Content-Length', String(body.length)]]
      : framing === 'chunked'
        ? [['Transfer-Encoding', 'chunked']]
        : [];
  const head = [
    `${method} ${target} HTTP/${version}`,
    ...[...headers, ...framed].map(([name, value]) => `${name}: ${value}`),
  ];
  const bytes = Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    framing === 'chunked' ? chunks(body) : body,
  ]);
  // Large heads are refused, and what follows them may be too; a connection with "close" ends after the answer.
  const wellFormed = bytes.length - body.length < 14_000 && isTarget(target);
  return { label, bytes, methods: [method], wellFormed, halfCloseAtOnce: false };
}

/** True of targets that the grammar of HTTP allows in a request line; anything else only has to be refused properly. */
const isTarget = (target: string) => /^(\/|https?:\/\/|\*$)[\x21-\x7e]*$/.test(target) && !target.includes('#');

function chunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 9_000) {
    const part = body.subarray(at, at + 9_000);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** No cycle has run, so there is no entry of interest either; and a token is no session. */
const EXPECTED: Readonly<Record<string, number>> = { readCycle: 404, listEntryLoans: 404, readSession: 403 };
