/** Lists by pages: what their queries take, and a page of a list that is read whole. */
import { Type } from 'typebox';
import { Problem } from './problems.ts';
import { Limit } from './shapes.ts';

const Cursor = Type.Optional(Type.String({ maxLength: 400, description: '`nextCursor` of the previous page.' }));

export const pages = { limit: Limit(), cursor: Cursor };

/** A list that has a bound of its own, as those of one loan have, comes whole unless a part is asked for. */
export const wholeOrPages = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'Page size; default: the whole list.' }),
  ),
  cursor: Cursor,
};

type Asked = { readonly limit?: number; readonly cursor?: string };

/**
 * A cursor names the last item of its page, so what comes before it may change between two pages. `nameOf` gives each item a name of its
 * own that stays, given its place in the list.
 */
export function pageOf<T>(
  list: readonly T[],
  { limit = list.length, cursor }: Asked,
  nameOf: (item: T, place: number) => string | number,
): { items: T[]; nextCursor: string | null } {
  const named = (item: T, place: number) => Buffer.from(String(nameOf(item, place))).toString('base64url');
  const start = cursor === undefined ? 0 : list.findIndex((item, place) => named(item, place) === cursor) + 1;
  if (cursor !== undefined && start === 0) badCursor();
  const end = start + limit;
  const last = list[end - 1];
  const isCut = end < list.length && last !== undefined;
  return { items: list.slice(start, end), nextCursor: isCut ? named(last, end - 1) : null };
}

/** For the ETag of a page. */
export const pageName = ({ limit, cursor }: Asked): string => `${limit ?? ''} ${cursor ?? ''}`;

export function badCursor(detail = 'Must be the nextCursor of a previous page.'): never {
  throw new Problem('invalid_request', `/cursor: ${detail}`, {
    errors: [{ pointer: '/cursor', code: 'format', detail }],
  });
}
