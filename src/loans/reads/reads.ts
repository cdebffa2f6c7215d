/** Reads of loans: one on any day, its full and its public record, its timeline and holds, what a caller can do with it, and lists of loans. */
import type { Door } from '../door/door.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import type { PartyShowing } from '../people/parties.ts';
import { openAllowed } from './allowed.ts';
import { openRecordShowing } from './decided.ts';
import { openHolds } from './holds.ts';
import { openLists } from './list.ts';
import { openReading } from './read.ts';
import { openTimeline, type TimelineOptions } from './timeline.ts';

export type ReadsOptions = Door & { book: DisclosureBook; parties: PartyShowing } & Pick<TimelineOptions, 'journal'>;

export type Reads = ReturnType<typeof openReads>;

export function openReads(options: ReadsOptions) {
  const reading = openReading({
    ...options,
    showing: openRecordShowing(options),
    partyKey: options.secrets.party,
    openedBytes: options.memory.openedBytes,
  });
  options.db.onMoved(reading.forget);
  const { read, readState, readFull, readPublic, visible, reach, openedToday } = reading;
  return {
    service: {
      ...{ read, readState, readFull, readPublic },
      ...openLists({ ...options, indexKey: options.secrets.index }),
      allowed: openAllowed(reading),
      timeline: openTimeline({ ...options, read }),
      holds: openHolds({ ...options, read }),
    },
    /** For other capabilities: they enter the disclosure themselves, or show nothing personal. */
    inner: { visible, reach, openedToday },
  };
}
