/** The sources that the rows of an export come from. */

import type { PlainDate } from '../../core/calendar.ts';
import type { LoanStatus } from '../../core/loan.ts';
import type { Actor } from '../door/actor.ts';
import type { Cell } from './text.ts';

/** The limits of an export; null, or an empty list: not limited. */
export type ExportQuery = {
  readonly asOf: PlainDate | null;
  readonly knownAt: string | null;
  /** For payments, journal lines, events and positions. */
  readonly from: PlainDate | null;
  readonly to: PlainDate | null;
  /** For everything but events. */
  readonly lenderId: string | null;
  /** For loans only. */
  readonly statuses: readonly LoanStatus[];
  /** With the personal columns, each row a disclosure. */
  readonly personal: boolean;
};

/** The moment that an export is of. Nothing that is recorded later changes what it shows. */
export type Moment = {
  /** The last block of each volume, by volume. */
  readonly heads: readonly number[];
  /** The day of each owner whose loans are in reach, by organization. An owner that is not listed is not in reach. */
  readonly days: Readonly<Record<string, PlainDate>>;
  /** The last day of each of them whose nightly cycle had run. */
  readonly cycles: Readonly<Record<string, PlainDate>>;
  /** The end of the feed, as a cursor; '' where it is not read. */
  readonly feed: string;
};

/** A row, and its place in the order of its export. */
export type Row = { readonly at: Place; readonly cells: readonly Cell[] };

/** Parts without a full stop, since a cursor has them one after the other with full stops between them. */
export type Place = readonly string[];

export type SourceQuery = {
  readonly actor: Actor;
  readonly asked: ExportQuery;
  readonly moment: Moment;
  /** The place to continue after; null: from the beginning. */
  readonly after: Place | null;
};

/** Reads one kind of rows, a few at a time, when they are asked for. */
export type Source = {
  /** Whether it could be a place. */
  readonly place: (parts: Place) => boolean;
  /** The approximate part of all rows that is before it, from 0 to 1. */
  readonly share: (place: Place, moment: Moment) => number;
  readonly rows: (asked: SourceQuery) => AsyncGenerator<readonly Row[]>;
};
