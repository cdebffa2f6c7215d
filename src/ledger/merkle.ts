/**
 * The Merkle tree of a block, as RFC 6962 (section 2.1) builds it: leaves and nodes are hashed under different first bytes, so that one
 * can never be taken for the other, and a proof is the audit path of that RFC.
 */
import { hash } from 'node:crypto';

/** Of the transactions' hashes in the order of the block; a node without a neighbour moves up as it is. Of none: the SHA-256 of nothing. */
export function merkleRoot(hashes: readonly string[]): string {
  let level = hashes.map(leaf);
  if (level.length === 0) return toText(hash('sha256', '', 'buffer'));
  while (level.length > 1) level = above(level);
  return toText(level[0] as Buffer);
}

/** The neighbours on the way from a transaction to the root, lowest first. */
export function merkleProof(hashes: readonly string[], index: number): string[] {
  if (!Number.isInteger(index) || index < 0 || index >= hashes.length) throw new RangeError('No such transaction.');
  const siblings: string[] = [];
  let level = hashes.map(leaf);
  for (let at = index; level.length > 1; at >>= 1) {
    const sibling = level[at ^ 1];
    if (sibling !== undefined) siblings.push(toText(sibling));
    level = above(level);
  }
  return siblings;
}

export type Claim = {
  readonly transactionHash: string;
  readonly index: number;
  readonly count: number;
  readonly siblings: readonly string[];
  readonly root: string;
};

/** Whether a transaction is at this place of a block with this root and so many transactions. */
export function verifyProof({ transactionHash, index, count, siblings, root }: Claim): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count) || index < 0 || index >= count) return false;
  let node = leaf(transactionHash);
  let used = 0;
  // `last` is the place of the level's last node: one that stands there alone has no neighbour.
  for (let at = index, last = count - 1; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    if (at === last && at % 2 === 0) continue;
    const sibling = siblings[used++];
    if (sibling === undefined) return false;
    node = at % 2 === 1 ? parent(toBytes(sibling), node) : parent(node, toBytes(sibling));
  }
  return used === siblings.length && toText(node) === root;
}

function above(level: readonly Buffer[]): Buffer[] {
  const next: Buffer[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = [level[i] as Buffer, level[i + 1]];
    next.push(right === undefined ? left : parent(left, right));
  }
  return next;
}

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

function leaf(transactionHash: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, toBytes(transactionHash)]), 'buffer');
}

function parent(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

function toBytes(hexText: string): Buffer {
  return Buffer.from(hexText.slice(2), 'hex');
}

function toText(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`;
}
