/** Puts the entries of the audit trail into the chains of their volumes, in the order of their ids, some moments after they were written. */
import { type AuditLink, NO_LINKS, nextAuditLink } from '../../ledger/audit-chain.ts';
import { readLastLinksOf, readWaitingEntries, saveLinks, volumesToLink } from '../../store/audit/chain.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db/db.ts';
import { whileLinking } from '../../store/ledger/sealing.ts';

/** Entries that are linked in one transaction, which on a plain server is of all volumes: each has an equal share. */
const AT_ONCE = 4_096;
/** Links made in one turn of the event loop: about 2 ms. */
const IN_ONE_TURN = 128;

/** Links what waits; how many entries that were. One volume that is damaged does not keep the others from it. */
export async function linkEntries(db: Db): Promise<number> {
  const volumes = await volumesToLink(db);
  if (volumes.length === 0) return 0;
  if (!db.volumes.sharded) {
    try {
      return await linkAll(db, volumes);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      // Then each by itself, to find the one that fails.
    }
  }
  let linked = 0;
  const failures: unknown[] = [];
  for (const volume of volumes) {
    try {
      linked += await linkAll(db, [volume]);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return linked;
}

/** Until nothing waits that was there when it began. */
async function linkAll(db: Db, volumes: readonly number[]): Promise<number> {
  let linked = 0;
  for (let left = volumes; left.length > 0; ) {
    const { count, full } = await whileLinking(db, left, linkSome);
    linked += count;
    left = full;
  }
  return linked;
}

/** The number of entries linked, and the volumes in which more may wait. */
async function linkSome(tx: Sql, volumes: readonly number[]): Promise<{ count: number; full: number[] }> {
  if (volumes.length === 0) return { count: 0, full: [] };
  const share = Math.ceil(AT_ONCE / volumes.length);
  const lasts = await readLastLinksOf(tx, volumes);
  const waiting = await readWaitingEntries(tx, volumes, share);
  const links: (AuditLink & { volume: number })[] = [];
  for (const [volume, entries] of waiting) {
    let last = lasts.get(volume) ?? NO_LINKS;
    for (const entry of entries) {
      const link = nextAuditLink(volume, last, entry);
      links.push({ ...link, volume });
      last = link;
      if (links.length % IN_ONE_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  if (links.length > 0) await saveLinks(tx, links);
  const full = [...waiting].filter(([, { length }]) => length === share).map(([volume]) => volume);
  return { count: links.length, full };
}
