/** Exports: whole tables of loans, payments, journal lines, events and positions, for callers that keep a copy. */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanStatus } from '../../core/loan.ts';
import type { Actor } from '../loans.ts';
import type { ExportName } from './columns.ts';
import type { Cell, ExportFormat } from './text.ts';

/** What is exported; null, or an empty list: not limited. */
export type ExportAsked = {
  readonly asOf: PlainDate | null;
  readonly knownAt: string | null;
  /** Of payments, journal lines, events and positions. */
  readonly from: PlainDate | null;
  readonly to: PlainDate | null;
  /** Of everything but events. */
  readonly lenderId: string | null;
  /** Of loans. */
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

export type SourceAsked = {
  readonly actor: Actor;
  readonly asked: ExportAsked;
  readonly moment: Moment;
  /** Where to continue; null: at the beginning. */
  readonly after: Place | null;
};

/** Reads one kind of rows, a few at a time, when they are asked for. */
export type Source = {
  /** Whether it could be a place. */
  readonly place: (parts: Place) => boolean;
  /** Which part of all rows is about before it, from 0 to 1. */
  readonly share: (place: Place, moment: Moment) => number;
  readonly rows: (asked: SourceAsked) => AsyncGenerator<readonly Row[]>;
};

/** An export that can be sent. */
export type Started = {
  readonly exportId: string;
  /** Before its first row, or the one that it continues after. */
  readonly cursor: string;
  /** What it is of, with the dates that it was started with. */
  readonly asked: ExportAsked;
  /** The day of the caller's own loans. */
  readonly today: PlainDate;
  /** The text in pieces of some ten thousand characters. A place among the exports is taken from the first piece to the last. */
  readonly text: (format: ExportFormat) => AsyncGenerator<string>;
  /** Rows that were written so far, and about which part of the export is done, from 0 to 1. */
  readonly progress: () => { readonly rows: number; readonly share: number };
};

/** `cursor`: no export gave it, or it was too long ago. A name: the member differs from that of the export that is continued. */
export type NotStarted = { readonly wrong: 'cursor' | keyof ExportAsked };

export type Exports = {
  /** `after` null: a new export. Otherwise members of `asked` that are null or empty are those of the export that is continued. */
  start(actor: Actor, what: ExportName, asked: ExportAsked, after: string | null): Promise<Started | NotStarted>;
};
