/** The ledger's side of loans: transactions with their proofs, blocks and their sealing, the journal, the trial balance. */
import type { PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { cents } from '../core/money.ts';
import { blockHash, GENESIS_HASH, merkleProof, merkleRoot } from '../ledger/chain.ts';
import { ACCOUNTS, type Account } from '../ledger/chart.ts';
import type { Entry } from '../ledger/post.ts';
import type { Db, Sql } from '../store/db.ts';
import {
  type BlockRow,
  readAccountTotals,
  readBlockHashes,
  readBlocks,
  readBlockTransactions,
  readHead,
  readJournal,
  readLastBlock,
  readTransaction,
  readTransactions,
  saveBlocks,
  type TransactionRow,
  whileSealing,
} from '../store/ledger.ts';
import type { FairReader, FairReads } from './fair-reads.ts';
import type { Known } from './loan-cache.ts';
import type { Actor, Block, JournalEntry, LedgerTransaction, TrialBalance } from './loans.ts';
import { roleOf } from './permissions.ts';

/** Blocks sealed in one transaction. */
export const SEALED_AT_ONCE = 256;

export function openLedger(options: {
  db: Db;
  reads: FairReads;
  reader: FairReader;
  clock: () => number;
  visible: (actor: Actor, loanId: string) => Promise<Known | null>;
}) {
  const { db, reads, reader, clock, visible } = options;
  return { transactions, transaction, block, journal, trialBalance, seal };

  async function transactions(actor: Actor, loanId: string): Promise<LedgerTransaction[] | null> {
    if ((await visible(actor, loanId)) === null) return null;
    return reader(actor).current(async (sql) => proven(sql, await readTransactions(sql, loanId)));
  }

  async function transaction(actor: Actor, hash: string): Promise<LedgerTransaction | null> {
    const sql = reads(actor);
    const row = await readTransaction(sql, hash);
    if (row === null || (await visible(actor, row.loanId)) === null) return null;
    const [found] = await proven(sql, [row]);
    return found ?? null;
  }

  /** The header, and of the transactions those that the actor may see. */
  async function block(
    actor: Actor,
    number: number,
  ): Promise<{ block: Block | null; number: number; transactions: string[] } | null> {
    const sql = reads(actor);
    if (number < 1 || number > (await readHead(sql))) return null;
    const [headers, inside] = await Promise.all([readBlocks(sql, [number]), readBlockTransactions(sql, number)]);
    const transactions = inside.filter((one) => roleOf(actor, one) !== null).map(({ hash }) => hash);
    return { number, block: headers.get(number) ?? null, transactions };
  }

  async function journal(actor: Actor, loanId: string): Promise<JournalEntry[] | null> {
    if ((await visible(actor, loanId)) === null) return null;
    const rows = await reader(actor).current((sql) => readJournal(sql, loanId));
    return rows.map(({ hash, sequence, entry, account, amount, dateEffective, datePosted }) => ({
      transactionHash: hash,
      sequence,
      entry: entry as Entry,
      account: account as Account,
      amount: cents(amount),
      dateEffective: dateEffective as PlainDate,
      datePosted: datePosted as PlainDate,
    }));
  }

  /** Each account's balance in its column, of the caller's own organization. */
  async function trialBalance(actor: Actor, asOf: PlainDate): Promise<TrialBalance> {
    const rows = await reader(actor).current((sql) => readAccountTotals(sql, actor.organizationId, asOf));
    const totals = new Map(rows.map((row) => [row.account, row.debit - row.credit]));
    const accounts = ACCOUNTS.map((account) => {
      const balance = Number(totals.get(account) ?? 0n);
      return { account, debit: cents(Math.max(balance, 0)), credit: cents(Math.max(-balance, 0)) };
    });
    return { asOf, accounts };
  }

  /** Seals what is not sealed yet, in order. Returns the number of blocks; 0 also when another process holds the lock. */
  async function seal(): Promise<number> {
    const sealed = await whileSealing(db, async (tx) => {
      const last = await readLastBlock(tx);
      const head = await readHead(tx);
      const first = (last?.number ?? 0) + 1;
      const count = Math.min(head - first + 1, SEALED_AT_ONCE);
      if (count <= 0) return 0;
      const numbers = Array.from({ length: count }, (_, i) => first + i);
      const hashes = await readBlockHashes(tx, numbers);
      const sealedAt = new Date(clock()).toISOString();
      let previousHash = last?.hash ?? GENESIS_HASH;
      const blocks: BlockRow[] = [];
      for (const number of numbers) {
        const all = hashes.get(number) ?? [];
        const header = { number, previousHash, root: merkleRoot(all), count: all.length, sealedAt };
        previousHash = blockHash(header);
        blocks.push({ ...header, hash: previousHash });
        if (blocks.length % IN_ONE_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
      await saveBlocks(tx, blocks);
      return blocks.length;
    });
    return sealed ?? 0;
  }
}

/**
 * Transactions that are proven in one turn of the event loop, and blocks that are sealed in one: a block of 128 transactions takes 128
 * hashes, about 150 µs.
 */
const IN_ONE_TURN = 64;

/** With the way from each to the root of its block, where that is sealed. */
export async function proven(db: Sql, rows: readonly TransactionRow[]): Promise<LedgerTransaction[]> {
  const all: LedgerTransaction[] = [];
  for (let from = 0; from < rows.length; from += IN_ONE_TURN) {
    all.push(...(await provenAtOnce(db, rows.slice(from, from + IN_ONE_TURN))));
  }
  return all;
}

async function provenAtOnce(db: Sql, rows: readonly TransactionRow[]): Promise<LedgerTransaction[]> {
  const numbers = [...new Set(rows.map(({ block: number }) => number))];
  const headers = await readBlocks(db, numbers);
  const hashes = await readBlockHashes(
    db,
    numbers.filter((number) => headers.has(number)),
  );
  return rows.map((row) => {
    const header = headers.get(row.block);
    const all = hashes.get(row.block) ?? [];
    const index = all.indexOf(row.hash);
    return {
      transactionHash: row.hash,
      loanId: row.loanId,
      sequence: row.sequence,
      type: row.type,
      body: row.body,
      recordedAt: (JSON.parse(row.body) as { event: LoanEvent }).event.recordedAt,
      block: row.block,
      sealed: header !== undefined,
      proof: header === undefined || index < 0 ? null : { index, siblings: merkleProof(all, index), header },
    };
  });
}
