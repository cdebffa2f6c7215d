/**
 * The events of a loan. Each has two times: the day it takes effect (`date`) and the time it was recorded (`recordedAt`, and
 * `recordedOn`, the business day of that). Events are facts and amounts; there is no place for a personal value in any of them. Each is
 * defined in its family's file; this file combines the families and states the order in which events take effect.
 */
import type { PlainDate } from './calendar.ts';
import { type ApplicationFact, applicationEvents } from './events/application.ts';
import { type ClosingFact, closingEvents } from './events/closing.ts';
import { type DayFact, dayEvents } from './events/day.ts';
import { type DefaultFact, defaultEvents } from './events/default.ts';
import { type EventDefinition, type EventFamily, PHASES, type Stamp } from './events/definition.ts';
import { type FeeFact, feeEvents } from './events/fee.ts';
import { type FundingFact, fundingEvents } from './events/funding.ts';
import { type HoldFact, holdEvents } from './events/hold.ts';
import { type ModificationFact, modificationEvents } from './events/modification.ts';
import { type PartyFact, partyEvents } from './events/party.ts';
import { type PaymentFact, paymentEvents } from './events/payment.ts';
import { type RecordFact, recordEvents } from './events/record.ts';
import { type TransferFact, transferEvents } from './events/transfer.ts';
import { type UndoFact, undoEvents } from './events/undo.ts';

export type LoanEvent = Fact & Stamp;

export type Fact =
  | ApplicationFact
  | FundingFact
  | PaymentFact
  | FeeFact
  | ModificationFact
  | HoldFact
  | DefaultFact
  | ClosingFact
  | RecordFact
  | TransferFact
  | PartyFact
  | DayFact
  | UndoFact;

type EventType = Fact['type'];

/** Family by family. */
export const DEFINITIONS: EventFamily<Fact> = {
  ...applicationEvents,
  ...fundingEvents,
  ...paymentEvents,
  ...feeEvents,
  ...modificationEvents,
  ...holdEvents,
  ...defaultEvents,
  ...closingEvents,
  ...recordEvents,
  ...transferEvents,
  ...partyEvents,
  ...dayEvents,
  ...undoEvents,
};

/** True of a return or reversal of a payment: it applies to the payment, whenever it became known. */
export function undoesPayment(
  event: LoanEvent,
): event is Extract<LoanEvent, { type: 'paymentReturned' | 'paymentReversed' }> {
  return event.type === 'paymentReturned' || event.type === 'paymentReversed';
}

/** Whether it changes the past: it takes effect before the day it was recorded, or undoes a payment or other events. */
export function looksBack(event: LoanEvent): boolean {
  const { type, date, recordedOn } = event;
  return date < recordedOn || undoesPayment(event) || type === 'undone' || type === 'boardingCancelled';
}

/** Those that still have an effect after a rescission: money of both sides, and what is known of the borrower. */
const AFTER_RESCISSION: ReadonlySet<EventType> = new Set<EventType>([
  ...(['paymentSubmitted', 'paymentReturned', 'paymentReversed', 'creditRefunded'] as const),
  ...(['holdPlaced', 'holdReleased', 'partyUpdated', 'customDataUpdated'] as const),
]);

export function isAfterRescission(type: EventType): boolean {
  return KINDS[type].early || AFTER_RESCISSION.has(type);
}

/** A definition with its position in the order, all of one shape, because the fold reads one or two for every event. */
type Kind = {
  /** Its position within a day. */
  readonly rank: number;
  /** Belongs to the phase that comes before everything else, whatever its date. */
  readonly early: boolean;
  readonly judgedFirst: boolean;
  readonly inert: boolean;
  readonly apply: NonNullable<EventDefinition<LoanEvent>['apply']>;
  readonly show: EventDefinition<LoanEvent>['show'];
  readonly undo: EventDefinition<LoanEvent>['undo'];
};

/** By type of event; listed in the order of a day: by phase, and within a phase as the families define them. */
export const KINDS = kindsOf(DEFINITIONS);

function kindsOf(definitions: Readonly<Record<EventType, EventDefinition<never>>>): Readonly<Record<EventType, Kind>> {
  const types = Object.keys(definitions) as EventType[];
  const ordered = Object.keys(PHASES).flatMap((phase) => types.filter((type) => definitions[type].phase === phase));
  const entries = ordered.map((type, rank): [EventType, Kind] => {
    const { phase, inert = false, apply = () => {}, show, undo } = definitions[type] as EventDefinition<LoanEvent>;
    const { judgedFirst } = PHASES[phase];
    return [type, { rank, early: phase === 'application', judgedFirst, inert, apply, show, undo }];
  });
  return Object.fromEntries(entries) as Record<EventType, Kind>;
}

/** The time at which the first charge-off or rescission of a day was recorded, by day. */
export type ChargeOffs = ReadonlyMap<PlainDate, string>;

const NO_CHARGE_OFFS: ChargeOffs = new Map();

/** Those of these events, and those known before. */
export function chargeOffsIn(events: readonly LoanEvent[], before: ChargeOffs = NO_CHARGE_OFFS): ChargeOffs {
  let all: Map<PlainDate, string> | null = null;
  for (const event of events) {
    const { date, recordedAt } = event;
    if (event.type !== 'chargedOff' && (event.type !== 'rescinded' || event.withdrawnOn !== undefined)) continue;
    all ??= new Map(before);
    const known = all.get(date);
    if (known === undefined || recordedAt < known) all.set(date, recordedAt);
  }
  return all ?? before;
}

/**
 * A charge-off divides its day: what was recorded by then comes before it, and all that is recorded later comes after it, whatever its
 * kind. So money received after a charge-off is a recovery, also on the same day. A rescission does the same.
 */
export function isAfterChargeOff({ type, date, recordedAt }: Placed, chargeOffs: ChargeOffs): boolean {
  return recordedAt > (chargeOffs.get(date) ?? recordedAt) && !KINDS[type].early;
}

/** The order in which events take effect, given the charge-offs among them. */
export function orderWith(chargeOffs: ChargeOffs): (a: Placed, b: Placed) => number {
  if (chargeOffs.size === 0) return inOrder;
  return (a, b) => {
    if (a.date === b.date && !KINDS[a.type].early && !KINDS[b.type].early) {
      const halves = Number(isAfterChargeOff(a, chargeOffs)) - Number(isAfterChargeOff(b, chargeOffs));
      if (halves !== 0) return halves;
    }
    return inOrder(a, b);
  };
}

/** In the order in which they take effect; given in the order in which they were recorded. */
export function ordered(events: readonly LoanEvent[]): LoanEvent[] {
  return [...events].sort(orderWith(chargeOffsIn(events)));
}

/**
 * The order of events that no charge-off divides: by day, and by kind within a day. Zero for two of one kind on one day: they take effect in
 * the order in which they were recorded, which a sort keeps. Names and clocks decide nothing, so what is recorded today comes after everything
 * of its kind, and what it did when it was answered stays true.
 */
export function inOrder(a: Placed, b: Placed): number {
  const kindA = KINDS[a.type];
  const kindB = KINDS[b.type];
  // A loan may take effect before the day it was entered here (a contract date in the past): its application still comes first.
  if (kindA.early !== kindB.early) return kindA.early ? -1 : 1;
  if (kindA.early) return 0;
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return kindA.rank - kindB.rank;
}

/** The fields that determine the order. */
export type Placed = Pick<LoanEvent, 'type' | 'date' | 'recordedAt'>;

/** An event's position in the order, without the rest of it. */
export function placeOf({ type, date, recordedAt }: Placed): Placed {
  return { type, date, recordedAt };
}
