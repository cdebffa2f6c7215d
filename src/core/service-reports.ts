/** Which reports of military service in a history count, and until when. */
import { addDays, type PlainDate } from './calendar.ts';
import type { LoanEvent } from './event.ts';
import type { Run } from './events/definition.ts';

/** Of several reports with the same first day the last one recorded counts. A period ends at the latest before the next one begins. */
export function servicesIn(known: readonly LoanEvent[]): Run['services'] {
  const services = new Map<LoanEvent, PlainDate | null | 'superseded'>();
  const counted = new Map<PlainDate, Extract<LoanEvent, { type: 'militaryService' }>>();
  for (const event of known) {
    if (event.type !== 'militaryService') continue;
    services.set(event, 'superseded');
    if (event.recordedAt > (counted.get(event.from)?.recordedAt ?? '')) counted.set(event.from, event);
  }
  let next: PlainDate | null = null;
  for (const event of [...counted.values()].sort((a, b) => (a.from > b.from ? -1 : 1))) {
    const last: PlainDate | null = next === null ? null : addDays(next, -1);
    services.set(event, last !== null && (event.to === null || event.to > last) ? last : event.to);
    next = event.from;
  }
  return services;
}
