/**
 * Checks the ledger transactions of a loan here, with the browser's own SHA-256, without trusting what the service says about them:
 * 1. the hash of a transaction is the SHA-256 of its text, which is canonical JSON (RFC 8785) and says the same as what stands beside it;
 * 2. the text names the hash of the transaction before it;
 * 3. the path of sibling hashes leads from the transaction to the root of its block (a Merkle tree as in RFC 6962);
 * 4. the hash of the block is that of its header.
 */

export type Transaction = {
  readonly transactionHash: string;
  readonly loanId: string;
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
  readonly recordedAt: string;
  readonly block: number;
  readonly proof: Proof | null;
};
type Header = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly count: number;
  readonly sealedAt: string;
  readonly hash: string;
};
type Proof = { readonly index: number; readonly siblings: readonly string[]; readonly header: Header };

export const STEPS = ['hash', 'link', 'path', 'block'] as const;
export type Step = (typeof STEPS)[number];
/** `waits`: the block is not sealed yet, so there is nothing to check. */
export type Result = 'holds' | 'fails' | 'waits';

export type Checked = {
  readonly transaction: Transaction;
  readonly computed: string;
  readonly results: Readonly<Record<Step, Result>>;
};

export type Verdict = {
  readonly checked: readonly Checked[];
  readonly failed: number;
  readonly waiting: number;
  readonly blocks: number;
};

const GENESIS = `0x${'0'.repeat(64)}`;
const HASH = /^0x[0-9a-f]{64}$/;

/** Of the transactions of a loan from the first on, in their order. */
export async function verify(transactions: readonly Transaction[]): Promise<Verdict> {
  const checked: Checked[] = [];
  for (const [n, transaction] of transactions.entries()) {
    const computed = await sha256(new TextEncoder().encode(transaction.body));
    const facts = factsIn(transaction.body);
    const previous = n === 0 ? GENESIS : transactions[n - 1]?.transactionHash;
    const { proof } = transaction;
    const sealed = (holds: boolean): Result => (proof === null ? 'waits' : said(holds));
    checked.push({
      transaction,
      computed,
      results: {
        hash: said(computed === transaction.transactionHash && agrees(transaction, facts)),
        link: said(facts?.previous === previous && transaction.sequence === n + 1),
        path: sealed(
          proof !== null && proof.header.number === transaction.block && (await leadsToRoot(computed, proof)),
        ),
        block: sealed(proof !== null && (await blockHash(proof.header)) === proof.header.hash),
      },
    });
  }
  return {
    checked,
    failed: checked.filter(({ results }) => Object.values(results).includes('fails')).length,
    waiting: checked.filter(({ results }) => results.path === 'waits').length,
    blocks: new Set(checked.flatMap(({ transaction: { proof } }) => (proof === null ? [] : [proof.header.hash]))).size,
  };
}

const said = (holds: boolean): Result => (holds ? 'holds' : 'fails');

type Facts = Readonly<Record<string, unknown>> & { readonly event?: Readonly<Record<string, unknown>> };

/** Null: it is not the canonical text of an object. */
function factsIn(body: string): Facts | null {
  try {
    const facts = JSON.parse(body) as unknown;
    return typeof facts === 'object' && facts !== null && canonical(facts) === body ? (facts as Facts) : null;
  } catch {
    return null;
  }
}

/** Whether what stands beside the text is what the text says. */
function agrees({ loanId, sequence, type, recordedAt }: Transaction, facts: Facts | null): boolean {
  return (
    facts !== null &&
    facts.loanId === loanId &&
    facts.sequence === sequence &&
    facts.event?.type === type &&
    facts.event.recordedAt === recordedAt
  );
}

/** Whether the path has exactly the length that the size of the block requires, and ends at its root. */
async function leadsToRoot(transactionHash: string, { index, siblings, header }: Proof): Promise<boolean> {
  const { count, root } = header;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count) || index < 0 || index >= count) return false;
  if (!siblings.every((sibling) => HASH.test(sibling))) return false;
  let node = await sha256(joined(0, transactionHash));
  let used = 0;
  for (let at = index, last = count - 1; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    // A node without a sibling moves up unchanged.
    if (at === last && at % 2 === 0) continue;
    const sibling = siblings[used++];
    if (sibling === undefined) return false;
    node = await sha256(at % 2 === 1 ? joined(1, sibling, node) : joined(1, node, sibling));
  }
  return used === siblings.length && node === root;
}

const blockHash = ({ number, previousHash, root, count, sealedAt }: Header): Promise<string> =>
  sha256(new TextEncoder().encode(canonical({ number, previousHash, root, count, sealedAt })));

/** Leaves begin with a zero byte, nodes with a one, so that neither can be taken for the other. */
function joined(first: 0 | 1, ...hashes: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + 32 * hashes.length);
  bytes[0] = first;
  for (const [n, hash] of hashes.entries()) {
    for (let i = 0; i < 32; i++) bytes[1 + 32 * n + i] = Number.parseInt(hash.slice(2 + 2 * i, 4 + 2 * i), 16);
  }
  return bytes;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `0x${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** RFC 8785: members sorted by UTF-16 code units; numbers and escapes as ECMAScript writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
