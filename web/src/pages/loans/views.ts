/** Named filters: those that everybody has, and one's own, which are kept in this browser. */
import { APPLICATION_STATUSES, type Filters, fromSearch, toSearch } from './filters.ts';

export type View = { name: string; filters: Filters };
/** The part of `localStorage` that is used. */
export type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

const LATE = ['Current', 'Delinquent', 'Defaulted'] as const;
export const COLLECTIONS: Filters = { status: LATE, minDaysPastDue: 1, sort: 'collections' };

/** `today` is the business date; null while it is not known. */
export function builtInViews(today: string | null): View[] {
  return [
    { name: 'All', filters: { sort: '-createdAt' } },
    { name: 'Collections', filters: COLLECTIONS },
    {
      name: 'Late this week',
      filters: { status: LATE, minDaysPastDue: 1, maxDaysPastDue: 7, sort: 'daysPastDue' },
    },
    ...(today === null
      ? []
      : [
          {
            name: 'Due in 7 days',
            filters: { dueFrom: today, dueTo: addDays(today, 7), sort: 'nextDueDate' } satisfies Filters,
          },
        ]),
    { name: 'Applications', filters: { status: APPLICATION_STATUSES, sort: 'createdAt' } },
    { name: 'Charged off', filters: { status: ['ChargedOff'], sort: '-balance' } },
    { name: 'Paid off', filters: { status: ['Closed', 'ClosedEarly'], sort: '-createdAt' } },
  ];
}

const MOST_VIEWS = 30;
const MOST_LETTERS = 40;

/** Views are of a person in an organization: several may use one browser. */
export const shelfKey = (what: string, organizationId: string, userId: string): string =>
  `daybook.${what}.${organizationId}.${userId}`;

/** Stored views may be old or foreign: unreadable ones are left out. */
export function readViews(shelf: Shelf, key: string): View[] {
  const kept = readJson(shelf, key);
  if (!Array.isArray(kept)) return [];
  return kept.slice(0, MOST_VIEWS).flatMap((one: unknown): View[] => {
    const { name, search } = (one ?? {}) as { name?: unknown; search?: unknown };
    if (typeof name !== 'string' || viewName(name) === null || typeof search !== 'object' || search === null) return [];
    return [{ name, filters: fromSearch(search as Record<string, unknown>) }];
  });
}

/** The same name again replaces; the newest is last. */
export function keepView(shelf: Shelf, key: string, view: View): View[] {
  return writeViews(shelf, key, [...readViews(shelf, key).filter(({ name }) => name !== view.name), view]);
}

export function dropView(shelf: Shelf, key: string, dropped: string): View[] {
  return writeViews(
    shelf,
    key,
    readViews(shelf, key).filter(({ name }) => name !== dropped),
  );
}

/** A name without spaces around it; null if it is none. */
export function viewName(text: string): string | null {
  const name = text.trim();
  return name === '' || name.length > MOST_LETTERS ? null : name;
}

/** The columns that are shown, in their order; null if none were chosen. */
export function readColumns(shelf: Shelf, key: string, known: readonly string[]): string[] | null {
  const kept = readJson(shelf, key);
  if (!Array.isArray(kept)) return null;
  const columns = known.filter((name) => kept.includes(name));
  return columns.length === 0 ? null : columns;
}

export function keepColumns(shelf: Shelf, key: string, columns: readonly string[]): void {
  write(shelf, key, columns);
}

function writeViews(shelf: Shelf, key: string, views: readonly View[]): View[] {
  const kept = views.slice(-MOST_VIEWS);
  write(
    shelf,
    key,
    kept.map(({ name, filters }) => ({ name, search: toSearch(filters) })),
  );
  return kept;
}

function readJson(shelf: Shelf, key: string): unknown {
  try {
    return JSON.parse(shelf.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** A browser may refuse to keep anything: then it lasts as long as the page. */
function write(shelf: Shelf, key: string, value: unknown): void {
  try {
    shelf.setItem(key, JSON.stringify(value));
  } catch {}
}

export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}
