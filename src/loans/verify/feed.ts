/** The order of the feed: every tick is as it was recorded in the audit trail, and those since then have a mark or a note each. */
import type { Sql } from '../../store/db/db.ts';
import { type FeedRecord, hashTicks, readFeedEnds, type Ticks, ticksIn } from '../../store/ledger/feed-records.ts';

type Complain = (table: string, what: string, compared?: { expected: unknown; found: unknown }) => void;

export function openFeedRecords(db: Sql, complain: Complain) {
  const records: (Ticks & { readonly hash: string })[] = [];
  return {
    /** The content of an entry. */
    add(content: string): void {
      if (!content.includes('"feed_marks"')) return;
      for (const { table, key, hash } of rowsIn(content)) {
        const ticks = table === 'feed_marks' ? ticksIn(key) : null;
        if (ticks !== null) records.push({ ...ticks, hash });
      }
    },

    async check(): Promise<void> {
      let through = 0;
      for (const { first, last, hash } of records.sort((a, b) => a.first - b.first)) {
        if ((await hashTicks(db, { first, last })) !== hash) {
          complain(
            'feed_marks',
            `ticks ${first} to ${last}: a mark or a note (feed_notes) was changed, added or removed`,
          );
        }
        through = Math.max(through, last);
      }
      const ends = await readFeedEnds(db, through);
      if (ends === null) return complain('feed_head', 'its row is missing');
      const { head, newest, empty } = ends;
      if (head !== newest) {
        complain('feed_head', 'is not the last tick that has a mark or a note', { expected: newest, found: head });
      }
      if (empty !== null) complain('feed_marks', `tick ${empty}: has no mark`);
    },
  };
}

function rowsIn(content: string): readonly FeedRecord[] {
  try {
    return (JSON.parse(content) as { rows: readonly FeedRecord[] }).rows;
  } catch {
    return [];
  }
}
