/** The order of the feed: every tick is as it was recorded in the audit trail, and those since then have a mark or a note each. */
import type { Session, Sql } from '../../store/db/db.ts';
import { type FeedRecord, hashTicks, readFeedEnds, type Ticks, ticksIn } from '../../store/ledger/feed-records.ts';

import { surelyWrong } from './second-look.ts';

type Compared = { expected: unknown; found: unknown };
type Complaint = readonly [table: string, what: string, compared?: Compared];

export function openFeedRecords(session: Session, complain: (...complaint: Complaint) => void) {
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
      for (const record of records.sort((a, b) => a.first - b.first)) {
        for (const complaint of await surelyWrong(session, (sql) => changedTicks(sql, record))) complain(...complaint);
        through = Math.max(through, record.last);
      }
      for (const complaint of await surelyWrong(session, (sql) => wrongEnds(sql, through))) complain(...complaint);
    },
  };
}

async function changedTicks(sql: Sql, { first, last, hash }: Ticks & { readonly hash: string }): Promise<Complaint[]> {
  if ((await hashTicks(sql, { first, last })) === hash) return [];
  return [['feed_marks', `ticks ${first} to ${last}: a mark or a note (feed_notes) was changed, added or removed`]];
}

async function wrongEnds(sql: Sql, through: number): Promise<Complaint[]> {
  const ends = await readFeedEnds(sql, through);
  if (ends === null) return [['feed_head', 'its row is missing']];
  const { head, newest, empty } = ends;
  const found: Complaint[] = [];
  if (head !== newest) {
    found.push(['feed_head', 'is not the last tick that has a mark or a note', { expected: newest, found: head }]);
  }
  if (empty !== null) found.push(['feed_marks', `tick ${empty}: has no mark`]);
  return found;
}

function rowsIn(content: string): readonly FeedRecord[] {
  try {
    return (JSON.parse(content) as { rows: readonly FeedRecord[] }).rows;
  } catch {
    return [];
  }
}
