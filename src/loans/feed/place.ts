/** Ids of events and cursors: both are places in the feed, so a reader goes on after either. Callers treat them as opaque. */
import type { FeedPlace } from '../../store/feed/feed.ts';

/** Letters, digits and underscores, because the id of a webhook is part of what is signed. `hash` is of the event's transaction. */
export function idOf(place: FeedPlace, hash: string | null): string {
  return `evt_${written(place)}_${hash === null ? '0' : checkOf(hash)}`;
}

export const feedCursorOf = (place: FeedPlace): string => `cur_${written(place)}`;

/** The end of a tick. */
export const endOf = (tick: number): FeedPlace => ({ tick, block: 0, position: 0 });

const written = ({ tick, block, position }: FeedPlace): string =>
  [tick, block, position].map((part) => part.toString(36)).join('_');

/** The start of an event's hash, by which an id of another history, or one that was made up, is recognised. */
export const checkOf = (hash: string): string => hash.slice(2, 10);

const PLACE = /^(evt|cur)_([0-9a-z]{1,10})_([0-9a-z]{1,10})_([0-9a-z]{1,6})(?:_([0-9a-f]{1,8}))?$/;

/** Null: it is neither an id nor a cursor. `check` is null where there is nothing to compare. */
export function feedPlaceOf(text: string): { place: FeedPlace; check: string | null } | null {
  const [, kind, tick = '', block = '', position = '', check] = PLACE.exec(text) ?? [];
  if (kind === undefined || (kind === 'evt') !== (check !== undefined)) return null;
  const place = {
    tick: Number.parseInt(tick, 36),
    block: Number.parseInt(block, 36),
    position: Number.parseInt(position, 36),
  };
  if (place.position > 2_147_483_647) return null;
  return { place, check: place.block === 0 ? null : (check ?? null) };
}

/** The tick of an id or a cursor. */
export const tickOf = (text: string): number => feedPlaceOf(text)?.place.tick ?? 0;
