/**
 * The types of the feed: what each event of a loan is called outside, and what it says. A name is a family and a fact (`payment.returned`),
 * and stays for ever. The name alone says what happened; the figures are read through the API, where access to them is decided. The types
 * of a loan's events are defined with the events.
 */
import { DEFINITIONS } from '../../core/event.ts';

/** Events of an organization that are not of a loan; `subject` is the id of what they are about. */
export const OF_ORGANIZATIONS = {
  'webhook_endpoint.paused':
    'A webhook endpoint was paused: by a person, because it answered 410, or because it failed for a day.',
  'webhook_endpoint.resumed': 'A webhook endpoint is active again; it gets everything that happened meanwhile.',
} as const;

/** Sent to one endpoint on request; it stands in no feed. */
export const TEST = {
  type: 'webhook.test',
  about: 'A test of a webhook endpoint, sent by `POST /test-webhook`.',
} as const;

export type NoteType = keyof typeof OF_ORGANIZATIONS;

/** Every type with its description, by name. */
export const CATALOGUE: ReadonlyMap<string, string> = new Map(
  [
    ...Object.values(DEFINITIONS).map(({ feed: { type, about } }) => [type, about] as const),
    ...Object.entries(OF_ORGANIZATIONS),
  ].sort(([a], [b]) => (a < b ? -1 : 1)),
);

const FAMILIES = [...new Set([...CATALOGUE.keys()].map((type) => `${type.split('.')[0]}.*`))];

/** Every type, and those that come later. It stands alone. */
export const EVERY = '*';

export const BESIDE_EVERY = '`*` means all types: send it alone, or leave it out.';

/** The names that a filter may have: a type, a family of them (`payment.*`), or all. */
export const FILTERS: readonly string[] = [EVERY, ...FAMILIES, ...CATALOGUE.keys()].sort();

const asksForAll = (filter: readonly string[]): boolean => filter.length === 0 || filter.includes(EVERY);

/** Whether an event of this type is asked for; no filter asks for all. */
export function matches(filter: readonly string[], type: string): boolean {
  return asksForAll(filter) || filter.some((one) => one === type || one === `${type.split('.')[0]}.*`);
}

/** The ledger's types that a filter asks for; null: all. */
export function ledgerTypes(filter: readonly string[]): string[] | null {
  if (asksForAll(filter)) return null;
  return Object.entries(DEFINITIONS).flatMap(([ledger, { feed }]) => (matches(filter, feed.type) ? [ledger] : []));
}
