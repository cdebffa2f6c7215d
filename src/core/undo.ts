/**
 * Undone events. An undo names an earlier event by its position, so a list of events must be given here from the first on, in the order in
 * which they were recorded.
 */
import { KINDS, type LoanEvent } from './event.ts';
import type { Undoing } from './events/definition.ts';

/** The events a loan is folded from: without those that were undone, and without the undoing. */
export function eventsInForce(events: readonly LoanEvent[]): readonly LoanEvent[] {
  const undone = undoneIn(events);
  if (undone.size === 0) return unlessUnboarded(events);
  return unlessUnboarded(events.filter(({ type }, i) => type !== 'undone' && !undone.has(i + 1)));
}

/**
 * The same for the fold, but an undone hold or military service is kept where its undoing brings no late fee for the time before, and does
 * nothing else. So is a cancelled boarding or a rescission.
 */
export function eventsToFold(events: readonly LoanEvent[]): readonly LoanEvent[] {
  return unlessUnboarded(withoutUndone(events));
}

/** Once a boarding is cancelled: the application alone, with what says who the borrower is and what its owner keeps with it. */
function unlessUnboarded(events: readonly LoanEvent[]): readonly LoanEvent[] {
  const isCancelled = (event: LoanEvent) => event.type === 'boardingCancelled' && event.withdrawnOn === undefined;
  if (!events.some(isCancelled)) return events;
  return events.filter(({ type }) => KINDS[type].early || type === 'partyUpdated' || type === 'customDataUpdated');
}

function withoutUndone(events: readonly LoanEvent[]): readonly LoanEvent[] {
  const undone = undoneIn(events);
  if (undone.size === 0) return events;
  return events.flatMap((event, i): LoanEvent[] => {
    if (event.type === 'undone') return [];
    const at = undone.get(i + 1);
    if (at === undefined) return [event];
    const by = events[at];
    const spares = by?.type === 'undone' && by.feesFrom !== undefined && sparesFees(event);
    return spares ? [{ ...event, withdrawnOn: by.feesFrom } as LoanEvent] : [];
  });
}

/** Whether late fees were not charged because of it. */
export function sparesFees({ type }: Pick<LoanEvent, 'type'>): boolean {
  return SPARING.has(type);
}

const SPARING: ReadonlySet<LoanEvent['type']> = new Set<LoanEvent['type']>([
  ...(['holdPlaced', 'militaryService', 'boardingCancelled', 'rescinded'] as const),
]);

/** The positions of the events that were undone, from 1, each with the index of the event that undid it. */
export function undoneIn(events: readonly LoanEvent[]): ReadonlyMap<number, number> {
  let undone: Map<number, number> | null = null;
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as LoanEvent;
    if (event.type !== 'undone') continue;
    undone ??= new Map();
    undone.set(event.sequence, i);
  }
  return undone ?? NONE;
}

const NONE: ReadonlyMap<number, number> = new Map();

/** The reason that an event cannot be undone, and what to do instead; null: it can. */
export function whyNotUndone(event: LoanEvent): string | null {
  const undo = undoingOf(event);
  return 'refused' in undo ? undo.refused : (undo.unless?.(event) ?? null);
}

/** The positions of the later events that rest on an event and were not undone, from 1. */
export function restingOn(events: readonly LoanEvent[], sequence: number): number[] {
  const event = events[sequence - 1] as LoanEvent;
  const undo = undoingOf(event);
  if ('refused' in undo) return [];
  const undone = undoneIn(events);
  return events.flatMap((later, i) => {
    const same = i < sequence || undone.has(i + 1) ? undefined : undo.restedOnBy[later.type];
    const rests = same === 'any' || (same !== undefined && memberOf(later, same) === memberOf(event, same));
    return rests ? [i + 1] : [];
  });
}

function undoingOf({ type }: LoanEvent): Undoing<LoanEvent> {
  return KINDS[type].undo;
}

function memberOf(event: LoanEvent, name: string): unknown {
  return (event as Readonly<Record<string, unknown>>)[name];
}
