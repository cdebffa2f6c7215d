/** The ledger's side of loans: transactions with their proofs, blocks and their sealing, the journal. */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { cents } from '../../core/money.ts';
import type { FormerOwner } from '../../core/ownership.ts';
import { blockHash, GENESIS_HASH, merkleProof, merkleRoot, nextRoot } from '../../ledger/chain.ts';
import type { Account } from '../../ledger/chart.ts';
import { type DatedLine, isPriorPeriod } from '../../ledger/journal.ts';
import type { Entry } from '../../ledger/post.ts';
import { readLastLinks } from '../../store/audit/chain.ts';
import { readBookOwner } from '../../store/books/lender-books.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db/db.ts';
import { recordFeed } from '../../store/ledger/feed-records.ts';
import {
  type BlockRow,
  readBlockHashes,
  readBlocks,
  readBlockTransactions,
  readHead,
  readJournal,
  readLastBlocks,
  readRoots,
  readTransaction,
  readTransactions,
  saveRoot,
  type TransactionRow,
  volumeOfBlock,
} from '../../store/ledger/ledger.ts';
import {
  readHashesOf,
  readVolumeEnds,
  saveBlocks,
  unsealedVolumes,
  whileMakingRoot,
  whileSealing,
} from '../../store/ledger/sealing.ts';
import { linkEntries } from '../audit/link.ts';
import type { Actor } from '../door/actor.ts';
import type { FairReader, FairReads } from '../door/fair-reads.ts';
import type { Known } from '../door/loan-cache.ts';
import { type Belonging, roleOf } from '../door/permissions.ts';

export type LedgerTransaction = {
  readonly transactionHash: string;
  readonly loanId: string;
  readonly sequence: number;
  readonly type: string;
  /** Canonical JSON (RFC 8785): its SHA-256 is the hash. */
  readonly body: string;
  readonly recordedAt: string;
  readonly block: number;
  readonly sealed: boolean;
  readonly proof: Proof | null;
};

/** The way from a transaction to its block's root, and the block's header. */
export type Proof = {
  readonly index: number;
  readonly siblings: readonly string[];
  readonly header: Block;
};

/** The last sealed blocks of all volumes under one root. */
export type LedgerRoot = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly heads: readonly { readonly volume: number; readonly number: number; readonly hash: string }[];
  /** The same over the last links of the audit trail. */
  readonly audit: string;
  readonly auditHeads: readonly { readonly volume: number; readonly number: number; readonly hash: string }[];
  readonly madeAt: string;
  readonly hash: string;
};

export type Block = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly count: number;
  readonly sealedAt: string;
  readonly hash: string;
};

export type JournalEntry = DatedLine & {
  readonly transactionHash: string;
  readonly sequence: number;
  readonly lenderId: string;
  /** It takes effect in an earlier month than it is posted in. */
  readonly priorPeriod: boolean;
};

/** Blocks of a volume that are sealed in one transaction. */
export const SEALED_AT_ONCE = 256;

export function openLedger(options: {
  db: Db;
  reads: FairReads;
  reader: FairReader;
  clock: () => number;
  /** Not null while nothing may be written: then nothing is sealed or linked. */
  unavailable: () => unknown;
  reach: (actor: Actor, loanId: string) => Promise<{ known: Known; former: FormerOwner | null } | null>;
}) {
  const { db, reads, reader, clock, reach, unavailable } = options;
  /** Something may be sealed that no root has under it: at the start, what a process before has sealed. */
  let rootDue = true;
  /** The minute of the newest root, as far as this process knows. */
  let rootMinute = '';
  return { transactions, transaction, block, roots, journal, seal, link };

  async function transactions(actor: Actor, loanId: string): Promise<LedgerTransaction[] | null> {
    const reached = await reach(actor, loanId);
    if (reached === null) return null;
    const last = lastSeen(reached.former);
    return reader(actor).current(async (sql) => {
      const rows = await readTransactions(sql, loanId);
      return proven(sql, last === null ? rows : rows.filter(({ sequence }) => sequence <= last));
    });
  }

  async function transaction(actor: Actor, hash: string): Promise<LedgerTransaction | null> {
    const sql = reads(actor);
    const row = await readTransaction(sql, hash);
    if (row === null || !(await mayLookAt(actor, row))) return null;
    const [found] = await proven(sql, [row]);
    return found ?? null;
  }

  /** A loan, or a book of the actor's own organization. */
  async function mayLookAt(actor: Actor, { loanId: id, sequence }: TransactionRow): Promise<boolean> {
    const reached = await reach(actor, id);
    if (reached !== null) return sequence <= (lastSeen(reached.former) ?? sequence);
    return (await readBookOwner(reads(actor), id)) === actor.organizationId;
  }

  /** The header, and of the transactions those that the actor may see. */
  async function block(
    actor: Actor,
    number: number,
  ): Promise<{ block: Block | null; number: number; transactions: string[] } | null> {
    const sql = reads(actor);
    const volume = volumeOfBlock(db, number);
    if (number <= volume || number > (await readHead(sql, volume))) return null;
    const [headers, inside] = await Promise.all([
      readBlocks(sql, volume, [number]),
      readBlockTransactions(sql, number),
    ]);
    const transactions = inside.filter((one) => isShown(actor, one)).map(({ hash }) => hash);
    return { number, block: headers.get(number) ?? null, transactions };
  }

  async function journal(actor: Actor, loanId: string): Promise<JournalEntry[] | null> {
    const reached = await reach(actor, loanId);
    if (reached === null) return null;
    const { former } = reached;
    const all = await reader(actor).current((sql) => readJournal(sql, loanId));
    const rows = former === null ? all : all.filter(({ organizationId }) => organizationId === actor.organizationId);
    return rows.map(({ hash, sequence, lenderId, entry, account, amount, dateEffective, datePosted }) => ({
      transactionHash: hash,
      sequence,
      lenderId,
      entry: entry as Entry,
      account: account as Account,
      amount: cents(amount),
      ...datedOf(dateEffective, datePosted),
    }));
  }

  /** Seals what is not sealed yet, in the order of each volume, and links the audit trail. Returns the number of blocks. */
  async function seal(): Promise<number> {
    if (unavailable() !== null) return 0;
    const failures: unknown[] = [];
    const fail = (error: unknown) => {
      if (error instanceof DatabaseUnavailable) throw error;
      failures.push(error);
    };
    const blocks = await sealVolumes(await unsealedVolumes(db), fail);
    await link().catch(fail);
    rootDue ||= blocks > 0;
    if (rootDue) {
      // Entries that are linked meanwhile make one due again.
      rootDue = false;
      let covered = false;
      try {
        covered = await makeRoot();
      } finally {
        rootDue ||= !covered;
      }
    }
    if (failures.length > 0) throw failures[0];
    return blocks;
  }

  /** Links the audit trail, also while blocks are sealed. Returns the number of entries. */
  async function link(): Promise<number> {
    if (unavailable() !== null) return 0;
    const linked = await linkEntries(db);
    rootDue ||= linked > 0;
    return linked;
  }

  /** On a plain server all in one transaction, because each statement and each commit costs more than the blocks of a volume. */
  async function sealVolumes(volumes: readonly number[], fail: (error: unknown) => void): Promise<number> {
    if (volumes.length === 0) return 0;
    if (!db.volumes.sharded) {
      try {
        return await whileSealing(db, volumes, sealSome);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error;
        // Then each by itself: one that is damaged keeps neither the others nor the roots over them from being made.
      }
    }
    let blocks = 0;
    for (const volume of volumes) {
      await whileSealing(db, [volume], sealSome).then((count) => {
        blocks += count;
      }, fail);
    }
    return blocks;
  }

  async function sealSome(tx: Sql, volumes: readonly number[]): Promise<number> {
    if (volumes.length === 0) return 0;
    const step = tx.volumes.count;
    const open = (await readVolumeEnds(tx, volumes)).flatMap(({ volume, head, sealed }) => {
      const first = (sealed?.number ?? volume) + step;
      const last = Math.min(head, first + (SEALED_AT_ONCE - 1) * step);
      return last < first ? [] : [{ volume, first, last, previousHash: sealed?.hash ?? GENESIS_HASH }];
    });
    if (open.length === 0) return 0;
    const hashes = await readHashesOf(tx, open);
    const sealedAt = new Date(clock()).toISOString();
    const blocks: (BlockRow & { volume: number })[] = [];
    for (const { volume, first, last, ...before } of open) {
      let { previousHash } = before;
      for (let number = first; number <= last; number += step) {
        const all = hashes.get(number) ?? [];
        const header = { number, previousHash, root: merkleRoot(all), count: all.length, sealedAt };
        previousHash = blockHash(header);
        blocks.push({ ...header, volume, hash: previousHash });
        if (blocks.length % IN_ONE_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
    await saveBlocks(tx, open, blocks);
    return blocks.length;
  }

  /**
   * A root over the last sealed blocks and the last links of the audit trail of all volumes, at most one a minute: what is sealed after it
   * is under the next minute's, whether anything happens then or not. True: the newest root has everything under it.
   */
  async function makeRoot(): Promise<boolean> {
    const madeAt = new Date(clock()).toISOString();
    if (madeAt.slice(0, 16) === rootMinute) return false;
    const covered = await whileMakingRoot(db, async (tx) => {
      const [last] = await readRoots(tx, null, 1);
      const blocks = await readLastBlocks(tx);
      const audit = await readLastLinks(tx);
      const texts = { heads: JSON.stringify(blocks), auditHeads: JSON.stringify(audit) };
      if (last?.heads === texts.heads && last.auditHeads === texts.auditHeads) return true;
      if (blocks.length + audit.length === 0) return true;
      rootMinute = last?.madeAt.slice(0, 16) ?? '';
      if (rootMinute >= madeAt.slice(0, 16)) return false;
      await recordFeed(tx, new Date(madeAt));
      await saveRoot(tx, { ...nextRoot(last ?? null, { blocks, audit }, tx.volumes.count, madeAt), ...texts });
      rootMinute = madeAt.slice(0, 16);
      return true;
    });
    return covered === true;
  }

  async function roots(before: number | null, limit: number): Promise<LedgerRoot[]> {
    const rows = await readRoots(db, before, limit);
    return rows.map((row) => ({
      ...row,
      heads: JSON.parse(row.heads) as LedgerRoot['heads'],
      auditHeads: JSON.parse(row.auditHeads) as LedgerRoot['auditHeads'],
    }));
  }
}

/** The last transaction that a former owner sees: the one by which it transferred the loan. Null: it is no former owner. */
function lastSeen(former: FormerOwner | null): number | null {
  return former === null ? null : former.events + 1;
}

/** A grant is for loans: the books are their organization's alone. */
function isShown(actor: Actor, one: Belonging & { isOfBook: boolean }): boolean {
  return one.isOfBook ? one.organizationId === actor.organizationId : roleOf(actor, one) !== null;
}

function datedOf(effective: string, posted: string) {
  const days = { dateEffective: effective as PlainDate, datePosted: posted as PlainDate };
  return { ...days, priorPeriod: isPriorPeriod(days) };
}

/**
 * Transactions that are proven in one turn of the event loop, and blocks that are sealed in one: a block of 128 transactions takes 128
 * hashes, about 150 µs.
 */
const IN_ONE_TURN = 64;

/** Transactions of one loan, with the way from each to the root of its block, where that is sealed. */
export async function proven(db: Sql, rows: readonly TransactionRow[]): Promise<LedgerTransaction[]> {
  const all: LedgerTransaction[] = [];
  for (let from = 0; from < rows.length; from += IN_ONE_TURN) {
    all.push(...(await provenAtOnce(db, rows.slice(from, from + IN_ONE_TURN))));
  }
  return all;
}

async function provenAtOnce(db: Sql, rows: readonly TransactionRow[]): Promise<LedgerTransaction[]> {
  const numbers = [...new Set(rows.map(({ block: number }) => number))];
  // All are of one loan, so of one volume.
  const volume = volumeOfBlock(db, numbers[0] ?? 0);
  const headers = await readBlocks(db, volume, numbers);
  const hashes = await readBlockHashes(
    db,
    volume,
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
