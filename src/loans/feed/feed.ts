/** The interface of the feed: every fact of the loans that an organization may see, in one order that a reader can resume. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Sql } from '../../store/db/db.ts';
import type { NoteType } from './catalogue.ts';

/** Whose loans: the organization's own, and those that grants show it. */
export type FeedReach = {
  readonly organizationId: string;
  readonly countedFor?: string;
  readonly grants: readonly {
    readonly ownerOrganizationId: string;
    readonly access: 'read' | 'servicing';
    readonly servicerId: string | null;
  }[];
};

/** Ids and times, nothing personal. Of an event that is not of a loan, the members about one are null and `subject` is what it is about. */
export type FeedEvent = {
  readonly id: string;
  readonly type: string;
  readonly loanId: string | null;
  readonly transactionHash: string | null;
  readonly sequence: number | null;
  readonly dateEffective: PlainDate | null;
  readonly recordedAt: string;
  readonly subject: string | null;
};

export type FeedAsked = {
  /** The id of an event or a cursor; null: from the beginning. */
  readonly after: string | null;
  /** Types and families of the catalogue; none: all. */
  readonly types: readonly string[];
  readonly loanId: string | null;
  readonly limit: number;
};

/** A page may have fewer events than asked for although there are `more`. A reader can always go on from `nextCursor`. */
export type FeedPage = { readonly events: readonly FeedEvent[]; readonly nextCursor: string; readonly more: boolean };

export type Follow = {
  /** Whose loans the reader sees now; null: it is no longer admitted, and the reading ends. */
  readonly reach: () => Promise<FeedReach | null>;
  readonly asked: Omit<FeedAsked, 'limit'>;
  readonly signal: AbortSignal;
};

/** Pages as they come; one without events says that the reader is still connected. */
export type Following = AsyncGenerator<FeedPage, void, undefined>;

export type Feed = {
  /** `unknown cursor`: it is not of this feed, or of one that was rolled back. */
  read(reach: FeedReach, asked: FeedAsked): Promise<FeedPage | 'unknown cursor'>;
  /** Until what this process had committed before the call is in the feed: who has got an answer finds its event. */
  caughtUp(): Promise<void>;
  /** The cursor behind everything that is in the feed now. */
  head(): Promise<string>;
  /** Resolves when there may be something after the cursor, after so many milliseconds, or when `signal` aborts. */
  changed(after: string, ms: number, signal?: AbortSignal): Promise<void>;
  /** Pages as they come. `too many`: the organization has as many readers as it may have; `full`: the process has. */
  follow(organizationId: string, follow: Follow): Following | 'too many' | 'full';
  /** Within a transaction: records an event of an organization that is not of a loan. */
  note(tx: Sql, organizationId: string, note: { readonly type: NoteType; readonly subject: string }): Promise<void>;
};
