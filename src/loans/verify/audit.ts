/** The audit trail: the chain of each volume link by link, and that every transaction of a loan has its entry. */
import { setTimeout as delay } from 'node:timers/promises';
import { auditLinkHash, NO_LINKS } from '../../ledger/audit-chain.ts';
import { auditVolume } from '../../store/audit/audit.ts';
import { RECORD_ROWS } from '../../store/audit/rows.ts';
import type { Session, Sql } from '../../store/db/db.ts';
import {
  type LinkRow,
  readEnd,
  readLateEntries,
  readLinkPage,
  readStrayEntries,
  type Stray,
} from '../../store/verify/audit.ts';
import type { CheckedBook } from '../../store/verify/verify.ts';
import type { Tell } from './complaint.ts';
import { openFeedRecords } from './feed.ts';
import { openRecordedRows } from './recorded-rows.ts';

type Complain = (table: string, what: string, compared?: { expected: unknown; found: unknown }) => void;

const LINKS_AT_ONCE = 2_000;
const STRAYS_SHOWN = 1_000;

/**
 * Entries that waited for this long while the service ran are looked at until they are linked, as they are at once after a start, or none of
 * them was for `patienceMs`.
 */
export type Lateness = { readonly afterMs: number; readonly patienceMs: number };
const BETWEEN_LOOKS_MS = 500;

export type AuditCheck = {
  /** Null: entries may wait for ever. */
  readonly late: Lateness | null;
  readonly complain: Complain;
  readonly progress: (done: number, total: number) => void;
};

/** The chains of all volumes, and the rows that they record. */
export async function checkAudit(db: Session, { late, complain, progress }: AuditCheck): Promise<void> {
  const recorded = openRecordedRows(db, complain);
  const feed = openFeedRecords(db, complain);
  const ends: ({ volume: number } & Awaited<ReturnType<typeof readEnd>>)[] = [];
  for (let volume = 0; volume < db.volumes.count; volume++) ends.push({ volume, ...(await readEnd(db, volume)) });
  const total = ends.reduce((sum, { through }) => sum + through, 0);
  let done = 0;
  for (const { volume, through } of ends) {
    await checkAuditChain(db, { volume, through }, complain, (page) => {
      for (const { content } of page) {
        if (content === null) continue;
        recorded.add(content);
        feed.add(content);
      }
      done += page.length;
      progress(done, total);
    });
    await recorded.volumeRead(volume, through);
    for (const { entryId, what } of await readStrayEntries(db, volume, STRAYS_SHOWN)) {
      const { table, told } = STRAYS[what];
      complain(table, `${entryId} ${told}`);
    }
  }
  const ran = Math.max(...ends.map((end) => end.ran?.getTime() ?? 0));
  if (late !== null) await checkLate(db, late, new Date(ran - late.afterMs), complain);
  await recorded.check();
  await feed.check();
}

async function checkLate(db: Sql, { patienceMs }: Lateness, before: Date, complain: Complain): Promise<void> {
  const look = async () => {
    const found: string[] = [];
    for (let volume = 0; volume < db.volumes.count; volume++) {
      found.push(...(await readLateEntries(db, { volume, before }, STRAYS_SHOWN)));
    }
    return found;
  };
  let waiting = await look();
  let patience = patienceMs;
  while (waiting.length > 0 && patience > 0) {
    await delay(BETWEEN_LOOKS_MS);
    const now = new Set(await look());
    const linked = waiting.some((entryId) => !now.has(entryId));
    patience = linked ? patienceMs : patience - BETWEEN_LOOKS_MS;
    waiting = waiting.filter((entryId) => now.has(entryId));
  }
  for (const entryId of waiting)
    complain('audit_waiting', `${entryId} waits for its link for too long: entries are not linked`);
}

/** The links of a volume up to one of them. */
async function checkAuditChain(
  db: Sql,
  { volume, through }: { readonly volume: number; readonly through: number },
  complain: Complain,
  progress: (page: readonly LinkRow[]) => void,
): Promise<void> {
  /** The hash as stored and as the entry gives it: where they differ there is a complaint, and the next link may name either. */
  let last = { ...NO_LINKS, computed: NO_LINKS.hash };
  for (;;) {
    const page: LinkRow[] = await readLinkPage(db, { volume, after: last.number, through }, LINKS_AT_ONCE);
    if (page.length === 0) return;
    for (const { number, hash, entry, whole } of page) {
      const { entryId } = entry;
      const tell = (what: string) => complain('audit', `volume ${volume} link ${number}: ${what}`);
      const follows = number === last.number + 1;
      if (!follows) tell('the one before is missing');
      const of = (previous: string) => auditLinkHash(volume, number, previous, entry);
      const computed = of(last.hash);
      // Behind a gap nothing can be computed: that the one before is missing is told.
      if (follows && computed !== hash && of(last.computed) !== hash) tell(`it or its entry ${entryId} was changed`);
      else if (!whole) tell(`the time of its entry ${entryId} was changed`);
      const own = entry.operation === RECORD_ROWS ? volume : auditVolume(db, entry);
      if (own !== volume) complain('audit', `${entryId} is in the wrong volume`, { expected: own, found: volume });
      last = { number, hash, computed };
    }
    progress(page);
  }
}

const STRAYS: Readonly<Record<Stray['what'], { table: string; told: string }>> = {
  waits: { table: 'audit_waiting', told: 'is linked already' },
  twice: { table: 'audit', told: 'is linked twice' },
  loanless: { table: 'audit', told: 'is of a loan that does not exist' },
};

/** As in `CheckedBook.actors`: no person. */
const SERVICE = 'service ';

/** Transactions that the service records by itself have no entry of their own. */
export function checkOwnActs({ heads, actors }: CheckedBook, tell: Tell): void {
  const lines = (heads ?? '').split('\n');
  for (const [i, sender] of (actors ?? '').split('\n').entries()) {
    if (sender !== SERVICE && sender !== '')
      tell('events', Number(lines[i]?.split(' ')[0]), 'was not sent by the service');
  }
}

/**
 * Each write of a loan has one entry, with the hash of its last transaction and who sent it; transactions of one write share a block. The end
 * of a day has none of its own: the nightly cycle has one for all loans of an organization.
 */
export function checkActs({ heads, hashes, actors, acts }: CheckedBook, tell: Tell): void {
  const entries = new Map((acts ?? '').split('\n').map((line) => [line.slice(0, 64), line.slice(65)]));
  entries.delete('');
  const senders = (actors ?? '').split('\n');
  const lines = (heads ?? '').split('\n').map((line) => line.split(' '));
  let first = 0;
  for (const [i, [sequence, block, type]] of lines.entries()) {
    if (lines[i + 1]?.[1] === block) continue;
    const sent = senders.slice(first, i + 1);
    first = i + 1;
    const hash = hashes?.slice(i * 64, (i + 1) * 64) ?? '';
    const entry = entries.get(hash);
    entries.delete(hash);
    if (entry === undefined) {
      if (type !== 'dayEnded' && type !== 'smallBalanceWrittenOff')
        tell('audit', Number(sequence), 'its entry is missing');
      else if (sent.some((sender) => sender !== SERVICE))
        tell('events', Number(sequence), 'was not sent by the service');
    } else {
      const other = sent.find((sender) => sender !== entry);
      if (other === undefined) continue;
      tell('audit', Number(sequence), 'its entry names another sender', { expected: other, found: entry });
    }
  }
  for (const hash of entries.keys()) tell('audit', null, `an entry names a transaction that does not exist: 0x${hash}`);
}
