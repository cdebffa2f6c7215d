/** The checks of the page against proofs that the service's own ledger makes. */
import { describe, expect, test } from 'vitest';
import { blockHash, GENESIS_HASH, hashOf, merkleProof, merkleRoot, nextRoot } from '../src/ledger/chain.ts';
import { type Claim, check, fails, holds } from '../web/src/pages/market/proof.ts';

const VOLUMES = 4;
const bodies = Array.from({ length: 5 }, (_, n) => JSON.stringify({ n, text: 'ü' }));
const hashes = bodies.map(hashOf);

function block(number: number, previousHash: string, all: readonly string[]) {
  const header = {
    number,
    previousHash,
    root: merkleRoot(all),
    count: all.length,
    sealedAt: '2026-01-15T12:00:00.000Z',
  };
  return { ...header, hash: blockHash(header) };
}

/** A transaction in block 6, of which block 10 is the next one, under a root. */
function claimOf(index: number): Claim {
  const header = block(6, GENESIS_HASH, hashes);
  const next = block(10, header.hash, [hashOf('another')]);
  const heads = [{ volume: 2, number: 10, hash: next.hash }];
  const root = nextRoot(null, { blocks: heads, audit: [] }, VOLUMES, '2026-01-15T12:01:00.000Z');
  return {
    transactionHash: hashes[index] as string,
    body: bodies[index] as string,
    proof: { index, siblings: merkleProof(hashes, index), header },
    links: [next],
    root: { ...root, heads, volume: 2, volumes: VOLUMES },
  };
}

describe('a proof', () => {
  test('holds for every place in a block', async () => {
    for (const [index, hash] of hashes.entries()) {
      const steps = await check(hash, claimOf(index));
      expect(steps.map(({ outcome }) => outcome)).toEqual(['holds', 'holds', 'holds', 'holds', 'holds', 'holds']);
      expect(holds(steps)).toBe(true);
    }
  });

  test('holds without the text of the transaction', async () => {
    expect(holds(await check(hashes[1] as string, { ...claimOf(1), body: null }))).toBe(true);
  });

  test('fails when any byte of it is changed', async () => {
    const text = JSON.stringify(claimOf(3));
    // Every hexadecimal digit and every figure; other places make it malformed.
    const places = [...text.matchAll(/[0-9a-f]/g)].map(({ index }) => index);
    const changed = places.filter((_, i) => i % 7 === 0);
    expect(changed.length).toBeGreaterThan(100);
    for (const at of changed) {
      const other = text[at] === '1' ? '2' : '1';
      const wrong = text.slice(0, at) + other + text.slice(at + 1);
      let given: unknown;
      try {
        given = JSON.parse(wrong);
      } catch {
        continue;
      }
      expect(fails(await check(hashes[3] as string, given)), `${wrong.slice(at - 30, at + 5)}`).toBe(true);
    }
  });

  test('of another transaction fails', async () => {
    expect(fails(await check(hashes[0] as string, claimOf(1)))).toBe(true);
  });

  test('that is none fails', async () => {
    for (const given of [null, {}, 7, 'proof', { ...claimOf(0), proof: {} }]) {
      expect(fails(await check(hashes[0] as string, given))).toBe(true);
    }
  });

  test('is open until the block is sealed and under a root', async () => {
    const unsealed = await check(hashes[0] as string, { ...claimOf(0), proof: null, links: null, root: null });
    expect(unsealed.map(({ outcome }) => outcome)).toEqual(['holds', 'holds', 'open']);
    const without = await check(hashes[0] as string, { ...claimOf(0), links: null, root: null });
    expect(without.map(({ outcome }) => outcome)).toEqual(['holds', 'holds', 'holds', 'holds', 'open']);
    expect(holds(without) || fails(without)).toBe(false);
  });

  test('whose chain has a gap fails', async () => {
    const claim = claimOf(0);
    expect(fails(await check(hashes[0] as string, { ...claim, links: [] }))).toBe(true);
  });
});
