/**
 * The hashes of the ledger, computed with the browser's own SHA-256: texts, the headers of blocks, and the Merkle trees over both (RFC 6962).
 * A value that cannot be computed is null, which no claim equals.
 */

export type Header = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly count: number;
  readonly sealedAt: string;
  readonly hash: string;
};
export type Path = { readonly index: number; readonly siblings: readonly string[]; readonly header: Header };

/** Previous hash of the first transaction of a chain. */
export const NOTHING = `0x${'0'.repeat(64)}`;
const HASH = /^0x[0-9a-f]{64}$/;

/** Hashes of a text, and of a leaf and a node of a tree. */
export const hashOf = (text: string): Promise<string> => sha256(new TextEncoder().encode(text));
const leaf = (hash: string): Promise<string> => sha256(joined(0, hash));
const parent = (left: string, right: string): Promise<string> => sha256(joined(1, left, right));

export const blockHash = ({ number, previousHash, root, count, sealedAt }: Header): Promise<string> =>
  hashOf(canonical({ number, previousHash, root, count, sealedAt }));

/** Root to which the path leads from a transaction; null unless it has exactly the length that the size of the block requires. */
export async function rootFrom(transactionHash: string, { index, siblings, header }: Path): Promise<string | null> {
  const { count } = header;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count) || index < 0 || index >= count) return null;
  if (![transactionHash, ...siblings].every((hash) => HASH.test(hash))) return null;
  let node = await leaf(transactionHash);
  let used = 0;
  for (let at = index, last = count - 1; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    // A node without a sibling moves up unchanged.
    if (at === last && at % 2 === 0) continue;
    const sibling = siblings[used++];
    if (sibling === undefined) return null;
    node = await (at % 2 === 1 ? parent(sibling, node) : parent(node, sibling));
  }
  return used === siblings.length ? node : null;
}

export async function merkleRoot(hashes: readonly string[]): Promise<string | null> {
  if (!hashes.every((hash) => HASH.test(hash))) return null;
  let level = await Promise.all(hashes.map(leaf));
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => level.slice(2 * i, 2 * i + 2));
    level = await Promise.all(
      pairs.map(([left = '', right]) => (right === undefined ? Promise.resolve(left) : parent(left, right))),
    );
  }
  return level[0] ?? null;
}

/** RFC 8785: members sorted by UTF-16 code units; numbers and escapes as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

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
