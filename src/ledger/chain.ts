/**
 * The ledger as a chain that anyone can verify. Each event of a loan is one transaction: canonical JSON (RFC 8785), whose SHA-256 is its
 * hash and which names the hash of the loan's previous transaction. Hashes are public while most bodies are not, so each body has a nonce:
 * without it, what happened on a day could be guessed until its hash fits. The transactions of one commit are a block: a Merkle tree over their
 * hashes (as in RFC 6962, so that a leaf can never be mistaken for a node), and a header that names the hash of the previous block. Loan
 * ids and hashes are '0x' and 64 lower-case hexadecimal digits.
 */
import { hash } from 'node:crypto';
import type { LoanEvent } from '../core/event.ts';
import { canonical, quoted } from './canonical.ts';
import { isHash, merkleRoot, verifyProof } from './merkle.ts';

export { canonical } from './canonical.ts';
export { merkleProof, merkleRoot, verifyProof } from './merkle.ts';

/** The previous hash of a loan's first transaction and of the first block. */
export const GENESIS_HASH = `0x${'0'.repeat(64)}`;

export type TransactionFacts = {
  readonly loanId: string;
  /** From 1. */
  readonly sequence: number;
  readonly previous: string;
  readonly event: LoanEvent;
  /** A random UUID. */
  readonly nonce: string;
  /** Keyed hashes of the sealed parts, by part; omitted when there are none. */
  readonly commitments?: Readonly<Record<string, string>> | null;
  /** The SHA-256 of the sealed reason beside the transaction; omitted when there is none. */
  readonly note?: string | null;
};

/** The members in canonical order, so that only the event has to be sorted. */
export function transactionBody(facts: TransactionFacts): string {
  const { loanId, sequence, previous, event, nonce, commitments, note } = facts;
  const parts = commitments ? canonical(commitments) : '{}';
  const given = parts === '{}' ? '' : `"commitments":${parts},`;
  const reason = note ? `"note":${quoted(note)},` : '';
  return `{${given}"event":${canonical(event)},"loanId":${quoted(loanId)},"nonce":${quoted(nonce)},${reason}"previous":${quoted(previous)},"sequence":${sequence},"v":1}`;
}

export const isNonce = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value);

/** '0x' and the SHA-256 of the bytes; of a text in UTF-8. */
export function hashOf(body: string | Uint8Array): string {
  return `0x${hash('sha256', body, 'hex')}`;
}

export type Header = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly sealedAt: string;
};

export function blockHash({ number, previousHash, root, count, sealedAt }: Header): string {
  return hashOf(canonical({ count, number, previousHash, root, sealedAt }));
}

// ---- the root over all volumes ----

/** The last sealed block of a volume, or the last link of its audit trail. */
export type VolumeHead = { readonly volume: number; readonly number: number; readonly hash: string };

export type RootHeader = {
  /** From 1. */
  readonly number: number;
  readonly previousHash: string;
  /** Merkle root over the last sealed block's hash of each volume, by volume; zeros for a volume without one. */
  readonly root: string;
  /** The same over the last link of the audit trail of each volume. */
  readonly audit: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
};

export function rootOf(heads: readonly VolumeHead[], volumes: number): string {
  const byVolume = new Map(heads.map(({ volume, hash: last }) => [volume, last]));
  return merkleRoot(Array.from({ length: volumes }, (_, volume) => byVolume.get(volume) ?? GENESIS_HASH));
}

export function rootHash({ number, previousHash, root, audit, madeAt }: RootHeader): string {
  return hashOf(canonical({ number, previousHash, root, audit, madeAt }));
}

/** The root that follows another; null: it is the first. */
export function nextRoot(
  last: { readonly number: number; readonly hash: string } | null,
  heads: { readonly blocks: readonly VolumeHead[]; readonly audit: readonly VolumeHead[] },
  volumes: number,
  madeAt: string,
): RootHeader & { readonly hash: string } {
  const header = {
    number: (last?.number ?? 0) + 1,
    previousHash: last?.hash ?? GENESIS_HASH,
    root: rootOf(heads.blocks, volumes),
    audit: rootOf(heads.audit, volumes),
    madeAt,
  };
  return { ...header, hash: rootHash(header) };
}

// ---- a loan's export, checked offline ----

/** `where` names the transaction by its position in the export, from 1. */
export type Complaint = { readonly where: string; readonly what: string };

export type Verification = {
  readonly complaints: readonly Complaint[];
  /** The number of transactions, and of those that wait for their block to be sealed. */
  readonly transactions: number;
  readonly unsealed: number;
  /** The number of blocks that the others are proved to be in. */
  readonly blocks: number;
  /** Those blocks, by number. */
  readonly headers: readonly { readonly number: number; readonly hash: string }[];
};

/**
 * Checks the parsed JSON of `GET /loans/{id}/transactions`, or of its `data`: a list as `items`, or as `transactions` beside the loan's id.
 * Every hash, every link and every proof must hold, and the members beside a body must match the body. Transactions that wait for their
 * block are counted. An export cannot prove that no transaction is missing at its end, nor that its blocks are the service's own: compare
 * `headers` with block hashes from another source.
 */
export function verifyExport(exported: unknown): Verification {
  const complaints: Complaint[] = [];
  const data = isObject(exported) && isObject(exported.data) ? exported.data : exported;
  const transactions = isObject(data) ? (data.items ?? data.transactions) : null;
  if (!isObject(data) || !Array.isArray(transactions) || (data.loanId !== undefined && !isHash(data.loanId))) {
    const what = 'This is not the export of a loan, which is a list of transactions, with or without the loan’s id.';
    return { complaints: [{ where: 'export', what }], transactions: 0, unsealed: 0, blocks: 0, headers: [] };
  }
  if (transactions.length === 0)
    complaints.push({ where: 'export', what: 'There are no transactions; a loan has at least its creation.' });
  const toldBy =
    (i: number): Complain =>
    (what) =>
      complaints.push({ where: `transaction ${i + 1}`, what });
  const all = transactions.map((one, i) => read(one, toldBy(i)));
  const loanId = data.loanId ?? all.find((one) => isHash(one?.facts?.loanId))?.facts?.loanId;
  const headers = new Map<number, Sealed>();
  all.forEach((transaction, i) => {
    if (transaction === null) return;
    const complain = toldBy(i);
    const [before, next] = [all[i - 1] ?? null, all[i + 1] ?? null];
    const previous = i === 0 ? GENESIS_HASH : (before?.transactionHash ?? null);
    // Counted from the previous transaction where that is valid, so that a missing one gives one complaint.
    const counted = before?.computed === before?.transactionHash ? before?.facts?.sequence : null;
    const sequence = isCount(counted) ? counted + 1 : i + 1;
    checkHash(transaction, next, complain);
    checkFacts(transaction, { loanId, sequence, previous }, complain);
    if (transaction.proof !== null) checkProof(transaction, transaction.proof, headers, complain);
    if (before !== null) checkOrder(transaction, before, complain);
  });
  checkLinks(headers, loanId, complaints);
  return {
    complaints,
    transactions: all.length,
    unsealed: all.filter((one) => one !== null && !one.sealed).length,
    blocks: headers.size,
    headers: [...headers.values()].map(({ number, hash }) => ({ number, hash })),
  };
}

/**
 * The blocks of a loan are of one volume, so their numbers have the same remainder modulo the number of volumes, and each names
 * the hash of the block that many numbers before it. An export does not say how many volumes there are: where one block names
 * another as its predecessor, their distance is that number, and consecutive numbers are in one volume only where there is just one.
 */
function checkLinks(headers: ReadonlyMap<number, Sealed>, loanId: unknown, complaints: Complaint[]): void {
  const byHash = new Map([...headers.values()].map((header) => [header.hash, header]));
  const distances = [...headers.values()].flatMap(({ number, previousHash }) => {
    const before = byHash.get(previousHash);
    return before === undefined ? [] : [number - before.number];
  });
  const numbers = [...headers.keys()];
  const volumes = Math.min(...distances, ...(numbers.some((number) => headers.has(number - 1)) ? [1] : []));
  if (!Number.isFinite(volumes)) return;
  const rest = isHash(loanId) ? Number.parseInt(loanId.slice(2, 4), 16) % volumes : null;
  for (const [number, header] of headers) {
    const complain = (what: string) => complaints.push({ where: `block ${number}`, what });
    if (volumes < 1 || (rest !== null && number % volumes !== rest))
      complain('The block is not in the volume of this loan.');
    const before = headers.get(number - volumes);
    if (before !== undefined && before.hash !== header.previousHash) {
      complain(`Its previousHash is ${header.previousHash}; the previous block has ${before.hash}.`);
    }
    const named = byHash.get(header.previousHash);
    if (named !== undefined && named.number !== number - volumes) {
      complain(`It names block ${named.number} as the one before it; that is ${number - volumes}.`);
    }
  }
}

type Complain = (what: string) => void;

type Read = {
  transactionHash: string;
  /** The hash of the body as it is, whatever hash is claimed. */
  computed: string;
  loanId: unknown;
  sequence: unknown;
  type: unknown;
  recordedAt: unknown;
  block: number;
  body: string;
  /** The members of the body; null when it is not a JSON object. */
  facts: Record<string, unknown> | null;
  sealed: boolean;
  /** Null when it is missing or cannot be read. */
  proof: Proof | null;
};

type Sealed = Header & { readonly hash: string };
type Proof = { readonly index: number; readonly siblings: readonly string[]; readonly header: Sealed };

const MEMBERS = 'transactionHash loanId sequence type body recordedAt block sealed proof'.split(' ');
const FACTS = ['commitments', 'event', 'loanId', 'nonce', 'note', 'previous', 'sequence', 'v'];

/** The transaction as far as its fields have the right type; null when too little of it can be read to check the rest. */
function read(one: unknown, complain: Complain): Read | null {
  if (!isObject(one)) {
    complain('The transaction is not an object.');
    return null;
  }
  for (const name of MEMBERS) if (!(name in one)) complain(`${name} is missing.`);
  const { transactionHash, body, block, proof = null, sealed } = one;
  if (!isHash(transactionHash))
    complain(`transactionHash is not 0x and 64 lower-case hexadecimal digits: ${show(transactionHash)}.`);
  if (typeof body !== 'string') complain('body is not a string.');
  if (!isCount(block)) complain(`block is not a block number: ${show(block)}.`);
  if (sealed !== (proof !== null))
    complain(`sealed is ${show(sealed)}, and there is ${proof === null ? 'no' : 'a'} proof.`);
  if (!isHash(transactionHash) || typeof body !== 'string' || !isCount(block)) return null;
  const { loanId, sequence, type, recordedAt } = one;
  const facts = factsOf(body, complain);
  return {
    transactionHash,
    computed: body.isWellFormed() ? hashOf(body) : '',
    loanId,
    sequence,
    type,
    recordedAt,
    block,
    body,
    facts,
    sealed: proof !== null,
    proof: proof === null ? null : readProof(proof, complain),
  };
}

function factsOf(body: string, complain: Complain): Record<string, unknown> | null {
  let parsed: unknown;
  let plain: string;
  try {
    parsed = JSON.parse(body);
    plain = canonical(parsed);
  } catch (error) {
    complain(`body is not canonical JSON: ${(error as Error).message}`);
    return null;
  }
  if (plain !== body) {
    let at = 0;
    while (body[at] === plain[at]) at += 1;
    const byte = Buffer.byteLength(body.slice(0, at));
    complain(
      `body is not canonical JSON: at byte ${byte} it should continue with ${show(plain.slice(at, at + 24))}, but has ${show(body.slice(at, at + 24))}.`,
    );
  }
  if (!isObject(parsed)) {
    complain('body is not an object.');
    return null;
  }
  return parsed;
}

function readProof(proof: unknown, complain: Complain): Proof | null {
  const wrong = (what: string) => {
    complain(what);
    return null;
  };
  if (!isObject(proof)) return wrong('proof is not an object.');
  const { index, siblings, header } = proof;
  if (!isCount(index)) return wrong(`proof.index is not a position in a block: ${show(index)}.`);
  if (!Array.isArray(siblings)) return wrong('proof.siblings is not a list.');
  const bad = siblings.findIndex((one) => !isHash(one));
  if (bad >= 0) return wrong(`proof.siblings[${bad}] is not a hash: ${show(siblings[bad])}.`);
  if (!isObject(header)) return wrong('proof.header is not an object.');
  const { number, previousHash, root, count, sealedAt, hash: own } = header;
  if (!isCount(number)) return wrong(`proof.header.number is not a block number: ${show(number)}.`);
  if (!isHash(previousHash)) return wrong(`proof.header.previousHash is not a hash: ${show(previousHash)}.`);
  if (!isHash(root)) return wrong(`proof.header.root is not a hash: ${show(root)}.`);
  if (!isCount(count)) return wrong(`proof.header.count is not a count: ${show(count)}.`);
  if (typeof sealedAt !== 'string' || !sealedAt.isWellFormed())
    return wrong(`proof.header.sealedAt is not a time: ${show(sealedAt)}.`);
  if (!isHash(own)) return wrong(`proof.header.hash is not a hash: ${show(own)}.`);
  return { index, siblings, header: { number, previousHash, root, count, sealedAt, hash: own } };
}

/** The hash is claimed beside the body, by the next transaction and by the proof; the majority shows which one was changed. */
function checkHash({ transactionHash, computed, proof }: Read, next: Read | null, complain: Complain): void {
  if (computed === transactionHash) return;
  const inBlock = (one: string) => proof !== null && isIn(one, proof);
  const changed =
    next?.facts?.previous === computed || inBlock(computed)
      ? 'transactionHash was changed'
      : next?.facts?.previous === transactionHash || inBlock(transactionHash)
        ? 'body was changed'
        : 'one of them was changed';
  complain(
    `transactionHash is ${transactionHash}; the SHA-256 of body is ${computed || 'undefined, because it is not valid Unicode'}: ${changed}.`,
  );
}

/** The body must match the fields beside it and the previous transaction. */
function checkFacts(
  transaction: Read,
  expected: { loanId: unknown; sequence: number; previous: string | null },
  complain: Complain,
): void {
  const { facts } = transaction;
  const differs = (name: string, is: unknown, should: unknown) => {
    if (is !== should) complain(`${name} is ${show(is)}; it should be ${show(should)}.`);
  };
  differs('loanId', transaction.loanId, expected.loanId);
  differs('sequence', transaction.sequence, expected.sequence);
  if (facts === null) return;
  for (const name of Object.keys(facts)) if (!FACTS.includes(name)) complain(`Unknown field body.${name}.`);
  differs('body.v', facts.v, 1);
  differs('body.loanId', facts.loanId, expected.loanId);
  differs('body.sequence', facts.sequence, expected.sequence);
  if (!isNonce(facts.nonce)) complain(`body.nonce is not a random UUID: ${show(facts.nonce)}.`);
  if (expected.previous !== null) differs('body.previous', facts.previous, expected.previous);
  if (isObject(facts.event)) {
    differs('type', transaction.type, facts.event.type);
    differs('recordedAt', transaction.recordedAt, facts.event.recordedAt);
  } else complain('body.event is not an object.');
  if ('note' in facts && !isHash(facts.note)) complain(`body.note is not a hash: ${show(facts.note)}.`);
  const { commitments = {} } = facts;
  if (!isObject(commitments)) complain('body.commitments is not an object.');
  for (const [name, value] of Object.entries(isObject(commitments) ? commitments : {})) {
    if (!isHash(value)) complain(`body.commitments.${name} is not a hash: ${show(value)}.`);
  }
}

function checkProof(
  { block, transactionHash }: Read,
  proof: Proof,
  headers: Map<number, Sealed>,
  complain: Complain,
): void {
  const { header, index } = proof;
  if (header.number !== block) complain(`block is ${block}; proof.header.number is ${header.number}.`);
  const computed = blockHash(header);
  if (computed !== header.hash) complain(`proof.header.hash is ${header.hash}; the header gives ${computed}.`);
  if (index >= header.count) complain(`proof.index is ${index}; the block has ${header.count} transactions.`);
  else if (!isIn(transactionHash, proof))
    complain(`The proof does not lead from the transaction to proof.header.root, ${header.root}.`);
  const known = headers.get(header.number);
  if (known === undefined) headers.set(header.number, header);
  else {
    for (const name of ['previousHash', 'root', 'count', 'sealedAt', 'hash'] as const) {
      if (known[name] !== header[name])
        complain(
          `proof.header.${name} is ${show(header[name])}; an earlier transaction of block ${header.number} has ${show(known[name])}.`,
        );
    }
  }
}

/** Blocks are numbered and sealed in order, so along a loan their numbers never decrease, and none is unsealed while a later one is sealed. */
function checkOrder(transaction: Read, before: Read, complain: Complain): void {
  if (transaction.block < before.block)
    complain(`block is ${transaction.block}; the transaction before it is in block ${before.block} already.`);
  if (transaction.sealed && !before.sealed)
    complain('Its block is sealed, but the block of the previous transaction is not.');
}

function isIn(transactionHash: string, { index, siblings, header: { count, root } }: Proof): boolean {
  return verifyProof({ transactionHash, index, count, siblings, root });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A value from the export, short enough for a sentence. */
function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
