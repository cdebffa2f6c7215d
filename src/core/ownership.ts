/**
 * Owners and servicers of a loan, by its events. A transfer changes no figure of the loan, so the fold does not apply it: owners and
 * servicers are read from the events themselves. A loan without a transfer has the parties it was created with.
 */
import { addDays, type PlainDate } from './calendar.ts';
import type { LoanEvent } from './event.ts';
import type { Owner } from './events/transfer.ts';

/** A transfer that is scheduled and not carried out yet. */
export type PlannedTransfer = {
  readonly transferId: string;
  readonly on: PlainDate;
  /** Transfers of a servicer need no acceptance. */
  readonly accepted: boolean;
  /** The new owner's id of its servicer, given with the acceptance; empty: none. */
  readonly servicerId: string;
} & ({ readonly what: 'servicer'; readonly to: string } | { readonly what: 'owner'; readonly to: Owner });

export type FormerOwner = Owner & {
  /** Null: since the loan was created. */
  readonly from: PlainDate | null;
  /** The first day on which it no longer owned the loan. */
  readonly until: PlainDate;
  /** The number of events that the loan had before the transfer. */
  readonly events: number;
  /** The last day as of which it sees the loan: the day before the transfer, or a later one on which it recorded something itself. */
  readonly lastDay: PlainDate;
};

/** Null in a member: as the loan was created. */
export type Parties = {
  readonly organizationId: string | null;
  readonly lenderId: string | null;
  readonly primaryServicerId: string | null;
  readonly secondaryServicerId: string | null;
  /** The day of the last transfer of ownership. */
  readonly ownedSince: PlainDate | null;
  readonly formerOwners: readonly FormerOwner[];
  /** At most one of each kind. */
  readonly planned: readonly PlannedTransfer[];
  /** The number of events they were read from, and the day on which the last was recorded. */
  readonly events: number;
  readonly recordedOn: PlainDate | null;
};

const AS_CREATED: Parties = {
  organizationId: null,
  lenderId: null,
  primaryServicerId: null,
  secondaryServicerId: null,
  ownedSince: null,
  formerOwners: [],
  planned: [],
  events: 0,
  recordedOn: null,
};

/** After these events, which follow those that `before` was read from. */
export function partiesOf(events: readonly LoanEvent[], before: Parties = AS_CREATED): Parties {
  let parties = before;
  for (const [i, event] of events.entries()) {
    if (!isTransfer(event)) continue;
    const recordedOn = events[i - 1]?.recordedOn ?? before.recordedOn;
    parties = after({ ...parties, events: before.events + i, recordedOn }, event);
  }
  return {
    ...parties,
    events: before.events + events.length,
    recordedOn: events.at(-1)?.recordedOn ?? before.recordedOn,
  };
}

type TransferEvent = Extract<
  LoanEvent,
  { type: 'transferScheduled' | 'transferAccepted' | 'transferCancelled' | 'transferred' }
>;

export function isTransfer(event: LoanEvent): event is TransferEvent {
  return (
    event.type === 'transferred' ||
    event.type === 'transferScheduled' ||
    event.type === 'transferAccepted' ||
    event.type === 'transferCancelled'
  );
}

/** The event by which a loan changes its owner. */
export type OwnerChanged = Extract<LoanEvent, { type: 'transferred'; what: 'owner' }>;

export function changesOwner(event: LoanEvent): event is OwnerChanged {
  return event.type === 'transferred' && event.what === 'owner';
}

function after(parties: Parties, event: TransferEvent): Parties {
  const { transferId } = event;
  const others = parties.planned.filter((one) => one.transferId !== transferId);
  switch (event.type) {
    case 'transferScheduled': {
      // An offer that was not accepted by its date has lapsed, and a new one takes its place.
      const planned = others.filter(({ what }) => what !== event.what);
      const { what, to, on } = event;
      const plan = { transferId, what, to, on, accepted: what === 'servicer', servicerId: '' } as PlannedTransfer;
      return { ...parties, planned: [...planned, plan] };
    }
    case 'transferAccepted': {
      const { servicerId } = event;
      const planned = parties.planned.map((one) =>
        one.transferId === transferId ? { ...one, accepted: true, servicerId } : one,
      );
      return { ...parties, planned };
    }
    case 'transferCancelled':
      return { ...parties, planned: others };
    case 'transferred': {
      const planned = others.filter(({ what }) => what !== event.what);
      if (event.what === 'servicer') return { ...parties, planned, primaryServicerId: event.to };
      const until = event.recordedOn;
      const dayBefore = addDays(until, -1);
      const recordedOn = parties.recordedOn ?? dayBefore;
      const former: FormerOwner = {
        ...event.from,
        from: parties.ownedSince,
        until,
        events: parties.events,
        lastDay: recordedOn > dayBefore ? recordedOn : dayBefore,
      };
      return {
        ...parties,
        // Transfers that the former owner scheduled with its servicers are not the new owner's.
        planned: [],
        ...event.to,
        primaryServicerId: event.servicerId,
        secondaryServicerId: '',
        ownedSince: until,
        formerOwners: [...parties.formerOwners, former],
      };
    }
  }
}

/** The owner by whose hands the money of a payment went: a former one, by its place among them; null: the present owner. */
export type Taker = {
  readonly former: number;
  /** The payment was known when the present owner got the loan. */
  readonly isKnown: boolean;
};

/**
 * A payment belongs to the owner of its day, or, if it was recorded while an earlier one still had the loan, to that one. Until it is
 * acknowledged it goes to the next owner with the loan; once it is, its money stays. One that was recorded only after its owner had sold the
 * loan stays with that owner from the beginning.
 */
export function takerOf(
  { refId, date }: { readonly refId: string; readonly date: PlainDate },
  events: readonly LoanEvent[],
  { formerOwners }: Pick<Parties, 'formerOwners'>,
): Taker | null {
  const present = formerOwners.length;
  const ownerAt = (index: number) => {
    const former = formerOwners.findIndex((one) => index < one.events);
    return former < 0 ? present : former;
  };
  const indexOf = (type: LoanEvent['type']) =>
    events.findIndex((event) => event.type === type && 'refId' in event && event.refId === refId);
  const submitted = indexOf('paymentSubmitted');
  const recordedBy = ownerAt(submitted);
  const ofItsDay = formerOwners.findIndex(({ until }) => date < until);
  const isKnown = recordedBy < present;
  if (ofItsDay >= 0 && ofItsDay < recordedBy) return { former: ofItsDay, isKnown };
  const acknowledged = indexOf('paymentAcknowledged');
  const former = acknowledged < 0 ? present : ownerAt(acknowledged);
  return former === present ? null : { former, isKnown };
}

/** The transfer of a kind that is scheduled; an offer that was not accepted by its date has lapsed. */
export function plannedOn(
  { planned }: Parties,
  what: PlannedTransfer['what'],
  today: PlainDate,
): PlannedTransfer | null {
  const found = planned.find((one) => one.what === what) ?? null;
  return found === null || found.accepted || found.on >= today ? found : null;
}
