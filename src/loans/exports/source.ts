/** Where the rows of an export come from. */
import type { Actor } from '../loans.ts';
import type { ExportAsked, Moment, Place, Row } from './exports.ts';

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
