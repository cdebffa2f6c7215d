/**
 * Cursors: an export and a place in it, with full stops between the parts, in characters that a URL takes as they are. `exp_….start` is
 * before the first row; the cursor of the last row ends with `.end`.
 */
import { createHash } from 'node:crypto';
import type { Moment, Place } from './source.ts';

const START = 'start';
const END = 'end';

export const startCursor = (exportId: string): string => `${exportId}.${START}`;
export const exportCursorOf = (exportId: string, place: Place): string => `${exportId}.${place.join('.')}`;
export const lastCursorOf = (exportId: string, place: Place): string => `${exportCursorOf(exportId, place)}.${END}`;

export type ReadCursor = {
  readonly exportId: string;
  /** Null: before the first row. */
  readonly place: Place | null;
  /** Nothing follows. */
  readonly ended: boolean;
};

/** Null: no export gave it. */
export function readExportCursor(cursor: string): ReadCursor | null {
  const [exportId = '', ...parts] = cursor.split('.');
  if (!/^exp_[0-9a-f]{24}$/.test(exportId) || parts.length === 0) return null;
  if (parts.length === 1 && parts[0] === START) return { exportId, place: null, ended: false };
  const ended = parts.at(-1) === END;
  return { exportId, place: ended ? parts.slice(0, -1) : parts, ended };
}

/** The same export of the same moment has the same id, so that its text is the same, byte for byte. */
export function exportIdOf(...parts: readonly string[]): string {
  return `exp_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)}`;
}

/** The part for a loan, in 43 characters. */
export const loanPart = (loanId: string): string => Buffer.from(loanId.slice(2), 'hex').toString('base64url');

/** Null: it is none. */
export function loanIn(part: string | undefined): string | null {
  if (part === undefined || !/^[A-Za-z0-9_-]{43}$/.test(part)) return null;
  return `0x${Buffer.from(part, 'base64url').toString('hex')}`;
}

export const isCount = (part: string | undefined): boolean => part !== undefined && /^\d{1,9}$/.test(part);

/** The share of all loans before that of a place, in their order: by volume, which the first byte of its id tells, and by id. */
export function shareOfLoans([loan]: Place, { heads }: Moment): number {
  const first = Number.parseInt((loanIn(loan) ?? '0x00').slice(2, 4), 16);
  return ((first % heads.length) + first / 256) / heads.length;
}
