/**
 * The positions of a loan on dates, as an organization knew them on a day: from the events that were recorded by the end of that day. A
 * position is the owner's on its date. In the month of a sale both have one: the seller with what flowed until the sale, and with the
 * principal given away; the buyer with the principal bought, and with what flowed since. A former owner knows nothing of what was recorded
 * after the sale, until the loan comes back: from that day on it knows the whole history.
 */
import { addDays, lastOfMonth, type PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import { foldOver } from '../core/fold-days.ts';
import { isTransfer, type Parties, partiesOf } from '../core/ownership.ts';
import { type Flows, NO_FLOWS, type Position, positionOf } from './position.ts';

/** Owner and servicers of a loan; a servicer that it does not have is empty. */
export type Holders = {
  readonly organizationId: string;
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
};

/** A loan with all its events, and its holders when it was created. */
export type LoanHistory = { readonly events: readonly LoanEvent[]; readonly created: Holders };

export type HeldPosition = { readonly date: PlainDate; readonly holders: Holders; readonly position: Position };

/** A query of a history: an organization's positions on dates, in their order, by what was recorded up to the end of a day. */
export type PositionsQuery = {
  readonly organizationId: string;
  readonly dates: readonly PlainDate[];
  readonly knownOn: PlainDate;
};

/** The positions of a query; dates on which the organization has none are left out. */
export function positionsKnown(
  { events, created }: LoanHistory,
  { organizationId, dates, knownOn }: PositionsQuery,
): HeldPosition[] {
  const known = knownBy(events, organizationId, knownOn);
  const first = beginningOf(known);
  const counted = dates.filter((date) => first !== null && date >= first);
  if (counted.length === 0) return [];
  if (!events.some(isTransfer)) {
    if (created.organizationId !== organizationId) return [];
    return foldOver(known, counted, positionOf).flatMap((position, i) =>
      position === null ? [] : [{ date: counted[i] as PlainDate, holders: created, position }],
    );
  }
  return counted.flatMap((date) => {
    const recorded = events.filter(({ recordedOn }) => recordedOn <= date);
    const of = { organizationId, date, parties: partiesOf(recorded), created };
    const position = ownedOn(known, of);
    return position === null ? [] : [{ date, holders: holdersOf(recorded, of), position }];
  });
}

/** The day on which a loan begins here: with its funding, or with the figures that an earlier servicer handed over. */
export function beginningOf(events: readonly LoanEvent[]): PlainDate | null {
  const opened = events.find(({ type }) => type === 'opened');
  return (opened ?? events.find(({ type }) => type === 'funded'))?.date ?? null;
}

/** Recorded up to the end of a day, and while the organization owned the loan. */
function knownBy(events: readonly LoanEvent[], organizationId: string, knownOn: PlainDate): readonly LoanEvent[] {
  const known = events.filter(({ recordedOn }) => recordedOn <= knownOn);
  const { organizationId: owner, formerOwners } = partiesOf(known);
  if (owner === null || owner === organizationId) return known;
  const sold = formerOwners.findLast((one) => one.organizationId === organizationId);
  return sold === undefined ? known : known.slice(0, sold.events);
}

type OnDate = {
  readonly organizationId: string;
  readonly date: PlainDate;
  /** By what was recorded up to the date. */
  readonly parties: Parties;
  readonly created: Holders;
};

function ownedOn(known: readonly LoanEvent[], { organizationId, date, parties, created }: OnDate): Position | null {
  const owner = parties.organizationId ?? created.organizationId;
  const { ownedSince } = parties;
  const isOfMonth = (day: PlainDate) => lastOfMonth(day) === lastOfMonth(date);
  if (owner === organizationId) {
    const position = positionOf(fold(known, date));
    if (position === null || ownedSince === null || !isOfMonth(ownedSince)) return position;
    const before = atSale(known, ownedSince);
    return before === null ? position : { ...position, ...bought(position, before) };
  }
  const sold = parties.formerOwners.findLast((one) => one.organizationId === organizationId);
  if (sold === undefined || !isOfMonth(sold.until)) return null;
  const position = atSale(known, sold.until);
  if (position === null) return null;
  const { principal, disbursed } = position;
  // The principal of a charged-off loan was not in the balance any more.
  const given = position.status === 'ChargedOff' ? 0 : principal;
  return {
    ...position,
    principal: 0,
    ...{ interest: 0, fees: 0, credits: 0, creditSince: null, kept: 0 },
    remaining: 0,
    disbursed: disbursed - given,
  };
}

/** At the end of the day before a sale; null: it had no position, or that day is of an earlier month, so that nothing flowed before the sale. */
function atSale(known: readonly LoanEvent[], until: PlainDate): Position | null {
  const position = positionOf(fold(known, addDays(until, -1)));
  if (position === null || lastOfMonth(addDays(until, -1)) === lastOfMonth(until)) return position;
  const { status, principal } = position;
  return { ...position, ...NO_FLOWS, openingPrincipal: status === 'ChargedOff' ? 0 : principal };
}

/** The flows of a month less those until the sale; what was owed then was bought. */
function bought(position: Position, before: Position): Flows {
  const since = { ...NO_FLOWS } as Record<keyof Flows, number>;
  for (const name of Object.keys(NO_FLOWS) as (keyof Flows)[]) since[name] = Math.max(0, position[name] - before[name]);
  const owed = before.status === 'ChargedOff' ? 0 : before.principal;
  return { ...since, openingPrincipal: 0, disbursed: position.disbursed - before.disbursed + owed };
}

/** The owner's on the date; of a former owner, those it had until the sale. Nothing that is recorded later changes them. */
function holdersOf(recorded: readonly LoanEvent[], { organizationId, parties, created }: OnDate): Holders {
  const owner = parties.organizationId ?? created.organizationId;
  const sold =
    owner === organizationId
      ? undefined
      : parties.formerOwners.findLast((one) => one.organizationId === organizationId);
  const own = sold === undefined ? parties : partiesOf(recorded.slice(0, sold.events));
  return {
    organizationId,
    lenderId: sold?.lenderId ?? own.lenderId ?? created.lenderId,
    primaryServicerId: own.primaryServicerId ?? created.primaryServicerId,
    secondaryServicerId: own.secondaryServicerId ?? created.secondaryServicerId,
  };
}
