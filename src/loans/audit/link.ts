/** Puts the entries of the audit trail into the chains of their volumes, in the order of their ids, some moments after they were written. */
import { type AuditLink, NO_LINKS, nextAuditLink } from '../../ledger/audit-chain.ts';
import { readLastLink, readWaiting, saveLinks, volumesToLink } from '../../store/audit-chain.ts';
import { DatabaseUnavailable, type Db, type Sql } from '../../store/db.ts';
import { whileSealing } from '../../store/ledger.ts';

/** Entries linked in one transaction. */
const AT_ONCE = 2_048;
/** Links made in one turn of the event loop: about 2 ms. */
const IN_ONE_TURN = 128;

/** Links what waits; how many entries that were. One volume that is damaged does not keep the others from it. */
export async function linkEntries(db: Db): Promise<number> {
  let linked = 0;
  const failures: unknown[] = [];
  for (const volume of await volumesToLink(db)) {
    try {
      for (;;) {
        const some = (await whileSealing(db, { audit: volume }, (tx) => linkSome(tx, volume))) ?? 0;
        linked += some;
        if (some < AT_ONCE) break;
      }
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return linked;
}

async function linkSome(tx: Sql, volume: number): Promise<number> {
  let last = (await readLastLink(tx, volume)) ?? NO_LINKS;
  const links: AuditLink[] = [];
  for (const entry of await readWaiting(tx, volume, AT_ONCE)) {
    const link = nextAuditLink(volume, last, entry);
    links.push(link);
    last = link;
    if (links.length % IN_ONE_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  if (links.length > 0) await saveLinks(tx, volume, links);
  return links.length;
}
