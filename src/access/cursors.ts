/** Cursors of lists: the last row of a page, opaque to callers. */
import type { ListPlace } from '../store/access/access.ts';

/** A part of a list in which the first come first: null begins it, and the page has at most `limit`. */
export type PageAsked = { readonly limit: number; readonly cursor: string | null };
export type PageOf<T> = { readonly items: T[]; readonly nextCursor: string | null };

const cursorOf = ({ rank, place, id }: ListPlace) => Buffer.from(`${rank} ${place} ${id}`).toString('base64url');

/** Undefined: not a valid cursor. */
function placeOf(cursor: string): ListPlace | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  // The id of a client may be the operator's own.
  const [, rank, place, id] = /^(\d) (-?\d{1,15}(?:\.\d{1,9})?) ([^\p{Cc}]{1,128})$/u.exec(text) ?? [];
  return id === undefined || place === undefined ? undefined : { rank: Number(rank), place, id };
}

/** Null: not a valid cursor. */
export async function pageBy<Row extends ListPlace, T>(
  { limit, cursor }: PageAsked,
  read: (after: ListPlace | null, limit: number) => Promise<Row[]>,
  shown: (row: Row) => T,
): Promise<PageOf<T> | null> {
  const after = cursor === null ? null : placeOf(cursor);
  if (after === undefined) return null;
  const rows = await read(after, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { items: page.map(shown), nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
