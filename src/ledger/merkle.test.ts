import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { merkleProof, merkleRoot, verifyProof } from './merkle.ts';

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const bytesOf = (hash: string) => Buffer.from(hash.slice(2), 'hex');
const textOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const transactions = (count: number) => Array.from({ length: count }, (_, i) => textOf(sha256(Buffer.from(`${i}`))));

/** The largest power of two below n, at which RFC 6962 splits. */
function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** MTH(D[n]) of RFC 6962, 2.1, word for word. */
function mth(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Buffer.from([0]), leaves[0] as Uint8Array);
  const k = splitOf(leaves.length);
  return sha256(Buffer.from([1]), mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}

/** PATH(m, D[n]) of RFC 6962, 2.1.1. */
function path(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const k = splitOf(leaves.length);
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))];
}

describe('the tree of a block', () => {
  it('has the SHA-256 of nothing as the root of no transactions', () => {
    expect(merkleRoot([])).toBe('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('of three: two leaves under a node, the third moved up unchanged', () => {
    const [a, b, c] = transactions(3).map((hash) => sha256(Buffer.from([0]), bytesOf(hash))) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const node = sha256(Buffer.from([1]), a, b);
    const root = sha256(Buffer.from([1]), node, c);
    expect(merkleRoot(transactions(3))).toBe(textOf(root));
    expect(merkleProof(transactions(3), 0)).toEqual([textOf(b), textOf(c)]);
    expect(merkleProof(transactions(3), 2)).toEqual([textOf(node)]);
  });

  it('is that of RFC 6962 for every size, with its audit paths', () => {
    for (let count = 1; count <= 24; count++) {
      const hashes = transactions(count);
      const leaves = hashes.map(bytesOf);
      const root = merkleRoot(hashes);
      expect(root).toBe(textOf(mth(leaves)));
      for (let index = 0; index < count; index++) {
        const siblings = merkleProof(hashes, index);
        expect(siblings).toEqual(path(index, leaves).map(textOf));
        expect(verifyProof({ transactionHash: hashes[index] as string, index, count, siblings, root })).toBe(true);
      }
    }
  });

  it('proves a transaction at its own position only', () => {
    for (const count of [1, 2, 3, 5, 8, 13]) {
      const hashes = transactions(count);
      const root = merkleRoot(hashes);
      hashes.forEach((transactionHash, index) => {
        const siblings = merkleProof(hashes, index);
        const claim = { transactionHash, index, count, siblings, root };
        for (let other = -1; other <= count; other++)
          expect(verifyProof({ ...claim, index: other })).toBe(other === index);
        const foreign = textOf(sha256(Buffer.from('foreign')));
        expect(verifyProof({ ...claim, transactionHash: foreign })).toBe(false);
        expect(verifyProof({ ...claim, root: foreign })).toBe(false);
        expect(verifyProof({ ...claim, siblings: [...siblings, foreign] })).toBe(false);
        for (let i = 0; i < siblings.length; i++) {
          expect(verifyProof({ ...claim, siblings: siblings.toSpliced(i, 1) })).toBe(false);
          expect(verifyProof({ ...claim, siblings: siblings.with(i, foreign) })).toBe(false);
        }
      });
    }
  });

  it('does not accept a node as a transaction', () => {
    const hashes = transactions(4);
    const root = merkleRoot(hashes);
    const [, right] = merkleProof(hashes, 0) as [string, string];
    const [, left] = merkleProof(hashes, 3) as [string, string];
    expect(verifyProof({ transactionHash: left, index: 0, count: 2, siblings: [right], root })).toBe(false);
  });

  it('rejects a malformed claim, however large', () => {
    const [transactionHash = ''] = transactions(1);
    const claim = { transactionHash, index: 0, count: 1, siblings: [], root: merkleRoot([transactionHash]) };
    expect(verifyProof(claim)).toBe(true);
    expect(verifyProof({ ...claim, index: 0.5 })).toBe(false);
    expect(verifyProof({ ...claim, count: Number.NaN })).toBe(false);
    expect(verifyProof({ ...claim, count: Number.MAX_SAFE_INTEGER, index: 2 ** 40 })).toBe(false);
    expect(verifyProof({ ...claim, transactionHash: '0x12' })).toBe(false);
    expect(verifyProof({ ...claim, count: 2, siblings: ['nonsense'] })).toBe(false);
    expect(() => merkleProof([transactionHash], 1)).toThrow(RangeError);
    expect(() => merkleRoot(['0x12'])).toThrow(TypeError);
  });
});
