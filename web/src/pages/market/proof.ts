/**
 * Checks the proof of a transaction, step by step, with the browser's own SHA-256. What the service says is taken as a claim: every hash is
 * computed here and compared.
 */

import { blockHash, canonical, type Header, hashOf, merkleRoot, NOTHING, type Path, rootFrom } from '../../ledger.ts';

export type Step = {
  title: string;
  /** `open`: it cannot be checked (yet), and `detail` says why. */
  outcome: 'holds' | 'fails' | 'open';
  detail: string;
  /** The claimed and the computed value; null: not computable. */
  claimed?: string | null;
  computed?: string | null;
};

type Root = {
  number: number;
  previousHash: string;
  root: string;
  audit: string;
  madeAt: string;
  hash: string;
  volume: number;
  volumes: number;
  heads: { volume: number; number: number; hash: string }[];
};

export type Claim = {
  transactionHash: string;
  body: string | null;
  proof: Path | null;
  links: Header[] | null;
  root: Root | null;
};

/** `hash` is the requested transaction: the response has to be about it. */
export async function check(hash: string, given: unknown): Promise<Step[]> {
  try {
    return await stepsOf(hash, given as Claim);
  } catch {
    return [
      {
        title: 'Read the proof',
        outcome: 'fails',
        detail: 'The response is not a valid proof: a part is missing or malformed.',
      },
    ];
  }
}

export const holds = (steps: readonly Step[]): boolean =>
  steps.length > 0 && steps.every(({ outcome }) => outcome === 'holds');
export const fails = (steps: readonly Step[]): boolean => steps.some(({ outcome }) => outcome === 'fails');

async function stepsOf(hash: string, { transactionHash, body, proof, links, root }: Claim): Promise<Step[]> {
  const steps: Step[] = [];
  const about = compare(
    'The proof is about this transaction',
    transactionHash,
    hash,
    'The response names the requested hash.',
  );
  steps.push(about);
  if (body !== null) {
    const computed = await hashOf(body);
    steps.push(
      compare('The text of the transaction has this hash', hash, computed, 'SHA-256 of the text, computed here.'),
    );
  }
  if (proof === null) {
    steps.push({
      title: 'The transaction is in a sealed block',
      outcome: 'open',
      detail: 'Its block is sealed within seconds. Check again in a moment.',
    });
    return steps;
  }
  const { header } = proof;
  const reached = await rootFrom(hash, proof);
  steps.push(
    compare(
      'The transaction is in its block',
      header.root,
      reached,
      `From the hash over ${proof.siblings.length} neighbouring ${proof.siblings.length === 1 ? 'hash' : 'hashes'} to the Merkle root of block ${header.number}, which has ${header.count} ${header.count === 1 ? 'transaction' : 'transactions'}.`,
    ),
    compare(
      'The block has this hash',
      header.hash,
      await blockHash(header),
      'SHA-256 of the block’s header, computed here.',
    ),
  );
  if (root === null || links === null) {
    steps.push({
      title: 'The block is under a ledger root',
      outcome: 'open',
      detail: 'A root is created once a minute. Check again in a minute.',
    });
    return steps;
  }
  steps.push(await chain(header, links, root), await underRoot(root));
  return steps;
}

/** Each block names the one before, up to the one that is under the root. */
async function chain(from: Header, links: readonly Header[], root: Root): Promise<Step> {
  let last = from.hash;
  let number = from.number;
  for (const block of links) {
    const computed = await blockHash(block);
    if (block.previousHash !== last || computed !== block.hash || block.number !== number + root.volumes) {
      return {
        title: 'The block leads to the root',
        outcome: 'fails',
        detail: `Block ${block.number} does not follow the block before it.`,
        claimed: block.previousHash,
        computed: last,
      };
    }
    last = computed;
    number = block.number;
  }
  const found = root.heads.find(({ volume }) => volume === root.volume);
  const head = found?.number === number ? found.hash : null;
  const detail =
    links.length === 0
      ? 'The block itself is under the root.'
      : `Each of the ${links.length} following blocks names the hash of the one before, up to the one under the root.`;
  return compare('The block leads to the root', head, last, detail);
}

async function underRoot(root: Root): Promise<Step> {
  const byVolume = new Map(root.heads.map(({ volume, hash }) => [volume, hash]));
  const computed = await merkleRoot(
    Array.from({ length: root.volumes }, (_, volume) => byVolume.get(volume) ?? NOTHING),
  );
  if (computed !== root.root) {
    return {
      title: 'The ledger root has this hash',
      outcome: 'fails',
      detail: 'The newest blocks do not lead to the root.',
      claimed: root.root,
      computed,
    };
  }
  const { number, previousHash, audit, madeAt } = root;
  const own = await hashOf(canonical({ audit, madeAt, number, previousHash, root: root.root }));
  return compare(
    'The ledger root has this hash',
    root.hash,
    own,
    `Root ${number}, over the newest blocks of the whole ledger. Keep its hash to detect later changes to anything before it.`,
  );
}

function compare(title: string, claimed: string | null, computed: string | null, detail: string): Step {
  const outcome = claimed !== null && claimed === computed ? 'holds' : 'fails';
  return { title, outcome, detail, claimed, computed };
}
