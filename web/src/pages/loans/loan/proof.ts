/**
 * Checks the ledger transactions of a loan here, with the browser's own SHA-256, without trusting what the service says about them:
 * 1. the hash of a transaction is the SHA-256 of its text, which is canonical JSON (RFC 8785) and says the same as what stands beside it;
 * 2. the text names the hash of the transaction before it;
 * 3. the path of sibling hashes leads from the transaction to the root of its block (a Merkle tree as in RFC 6962);
 * 4. the hash of the block is that of its header.
 */

import { blockHash, canonical, hashOf, NOTHING, type Path, rootFrom } from '../../../ledger.ts';

export type Transaction = {
  readonly transactionHash: string;
  readonly loanId: string;
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
  readonly recordedAt: string;
  readonly block: number;
  readonly proof: Path | null;
};

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

/** Verifies the transactions of a loan, from the first on, in their order. */
export async function verify(transactions: readonly Transaction[]): Promise<Verdict> {
  const checked: Checked[] = [];
  for (const [n, transaction] of transactions.entries()) {
    const computed = await hashOf(transaction.body);
    const facts = factsIn(transaction.body);
    const previous = n === 0 ? NOTHING : transactions[n - 1]?.transactionHash;
    const { proof } = transaction;
    const sealed = (holds: boolean): Result => (proof === null ? 'waits' : said(holds));
    checked.push({
      transaction,
      computed,
      results: {
        hash: said(computed === transaction.transactionHash && agrees(transaction, facts)),
        link: said(facts?.previous === previous && transaction.sequence === n + 1),
        path: sealed(
          proof !== null &&
            proof.header.number === transaction.block &&
            (await rootFrom(computed, proof)) === proof.header.root,
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

/** Whether the members beside the text agree with the text. */
function agrees({ loanId, sequence, type, recordedAt }: Transaction, facts: Facts | null): boolean {
  return (
    facts !== null &&
    facts.loanId === loanId &&
    facts.sequence === sequence &&
    facts.event?.type === type &&
    facts.event.recordedAt === recordedAt
  );
}
