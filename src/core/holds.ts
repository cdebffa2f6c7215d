/**
 * Holds: what stands on a loan between two dates and restricts its servicing (`hold-effects.ts`). A hold is in force from its first day
 * through its last, or until the day before it is released. It moves no money and stops no interest, and never refuses a payment.
 */
import { addDays, daysBetween, lastOfMonth, type PlainDate } from './calendar.ts';
import {
  DAYS_TO_CHARGE_OFF,
  EFFECTS,
  type EffectRow,
  type Exception,
  HOLD_EFFECTS,
  type HoldArea,
  type HoldKind,
} from './hold-effects.ts';

export const CHAPTERS = [7, 11, 12, 13] as const;

export type Bankruptcy = {
  readonly chapter: (typeof CHAPTERS)[number];
  /** Null: not known; the hold's first day then counts. */
  readonly filed: PlainDate | null;
  readonly discharged: PlainDate | null;
  /** Whether the borrower has reaffirmed the debt, which a discharge then does not end. */
  readonly reaffirmed: boolean;
};

export type Hold = {
  readonly holdId: string;
  readonly kind: HoldKind;
  readonly from: PlainDate;
  /** Its last day; null: until it is released. */
  readonly to: PlainDate | null;
  /** The first day on which it is no longer in force; null: it was not released. */
  readonly releasedOn: PlainDate | null;
  readonly bankruptcy: Bankruptcy | null;
  /** Whether details were given that are sealed. */
  readonly detailed: boolean;
  readonly recordedAt: string;
};

/**
 * Days on which no late fee is charged although no hold forbids it: the end of one, or of military service (`hold` null), became known only
 * later, and nobody asked to charge for the time before that.
 */
export type FeesSpared = { readonly hold: Hold | null; readonly from: PlainDate; readonly until: PlainDate };

export function spareFees(working: { feesSpared: readonly FeesSpared[] }, spared: FeesSpared): void {
  if (spared.from < spared.until) working.feesSpared = [...working.feesSpared, spared];
}

type Held = { readonly holds: readonly Hold[]; readonly on: PlainDate };

export function isInForce({ from, to, releasedOn }: Hold, on: PlainDate): boolean {
  return from <= on && (to === null || on <= to) && (releasedOn === null || on < releasedOn);
}

/** Those in force on the loan's own day. */
export function holdsInForce({ holds, on }: Held): Hold[] {
  return holds.filter((hold) => isInForce(hold, on));
}

export const HOLD_STANDINGS = ['inForce', 'expired', 'released'] as const;

export function holdStandingOf(hold: Hold, on: PlainDate): (typeof HOLD_STANDINGS)[number] {
  if (isInForce(hold, on)) return 'inForce';
  return hold.releasedOn !== null ? 'released' : 'expired';
}

/** The effects of a hold on a day: the stage of a bankruptcy depends on the day. */
export function effectsOf({ kind, bankruptcy }: Hold, on: PlainDate): EffectRow['effects'] {
  const stage = bankruptcy === null ? null : stageOf(bankruptcy, on);
  const row = HOLD_EFFECTS.find((one) => one.kind === kind && one.stage === stage);
  if (row === undefined) throw new Error('The table of effects has no row for this hold.');
  return row.effects;
}

function stageOf({ discharged, reaffirmed }: Bankruptcy, on: PlainDate): 'stay' | 'discharged' | 'reaffirmed' {
  if (discharged === null || on < discharged) return 'stay';
  return reaffirmed ? 'reaffirmed' : 'discharged';
}

/**
 * The holds that forbid something on the loan's own day. `ground` is the reason for which it may be done all the same, such as a notice that
 * the law requires. A loan that is funded has nothing left to fund.
 */
export function forbidding(loan: Held & { readonly stage?: string }, area: HoldArea, ground?: Exception): Hold[] {
  if (loan.holds.length === 0 || (area === 'funding' && loan.stage === 'Funded')) return [];
  return holdsInForce(loan).filter((hold) => {
    const { lets } = EFFECTS[effectsOf(hold, loan.on)[area].effect];
    return lets !== 'all' && lets !== ground;
  });
}

export function forbids(loan: Held & { readonly stage?: string }, area: HoldArea, ground?: Exception): boolean {
  return forbidding(loan, area, ground).length > 0;
}

/** Whether no late fee is charged on a day, given the holds that have begun by then. */
export function lateFeesHeld(
  { holds, feesSpared }: Pick<Held, 'holds'> & { readonly feesSpared: readonly FeesSpared[] },
  on: PlainDate,
): boolean {
  if (holds.length > 0 && forbids({ holds, on }, 'lateFees')) return true;
  return feesSpared.some(
    ({ hold, from, until }) =>
      from <= on &&
      on < until &&
      (hold === null || forbids({ holds: [{ ...hold, releasedOn: null }], on }, 'lateFees')),
  );
}

/** Whether holds of this kind can be placed before the loan is funded: only those that say something about funding. */
export function concernsFunding(kind: HoldKind): boolean {
  return HOLD_EFFECTS.some((row) => row.kind === kind && row.effects.funding.effect !== 'allowed');
}

/** The hold of the same kind whose days overlap these; a second one would only hide when the first ends. */
export function overlapping(
  holds: readonly Hold[],
  { kind, from, to }: Pick<Hold, 'kind' | 'from' | 'to'>,
): Hold | null {
  const overlaps = (hold: Hold) => {
    const last = lastDayOf(hold);
    return (
      hold.kind === kind && (to === null || hold.from <= to) && (last === null || (last >= from && last >= hold.from))
    );
  };
  return holds.find(overlaps) ?? null;
}

/** The last day on which it is in force; null: open. Before its first day where it was released at once. */
function lastDayOf({ to, releasedOn }: Hold): PlainDate | null {
  const before = releasedOn === null ? null : addDays(releasedOn, -1);
  return before === null || (to !== null && to < before) ? to : before;
}

/** The first day after it ended by itself; null: it is open, or was released by then. */
export function expiresOn({ to, releasedOn }: Hold): PlainDate | null {
  if (to === null || (releasedOn !== null && releasedOn <= to)) return null;
  return addDays(to, 1);
}

// ---- the charge-off clock ----

/**
 * The day on which this many days after another have been counted, leaving out the days of holds that stop the clock. Null: it is stopped by
 * a hold that has no end yet.
 */
export function countedOn(
  holds: readonly Hold[],
  { after, days }: { after: PlainDate; days: number },
): PlainDate | null {
  let reached = addDays(after, days);
  let counted = after;
  const stopping = holds.filter((hold) => effectsOf(hold, hold.from).chargeOffClock.effect === 'stopped');
  for (const hold of stopping.sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const first = hold.from > counted ? hold.from : addDays(counted, 1);
    if (first > reached) break;
    const last = lastDayOf(hold);
    if (last === null) return null;
    if (last < first) continue;
    reached = addDays(reached, daysBetween(first, last) + 1);
    counted = last;
  }
  return reached;
}

/**
 * The month end by which a hold requires the charge-off, and that hold: the last one within its days, because charge-offs are proposed at
 * month end. Null: no hold in force requires one.
 */
export function chargeOffRequired(loan: Held): { readonly by: PlainDate; readonly hold: Hold } | null {
  let first: { by: PlainDate; hold: Hold } | null = null;
  for (const hold of loan.holds.length === 0 ? [] : holdsInForce(loan)) {
    const days = DAYS_TO_CHARGE_OFF[effectsOf(hold, loan.on).chargeOffClock.effect];
    if (days === undefined) continue;
    const by = monthEndBy(addDays(hold.bankruptcy?.filed ?? hold.from, days));
    if (first === null || by < first.by) first = { by, hold };
  }
  return first;
}

function monthEndBy(day: PlainDate): PlainDate {
  return lastOfMonth(day) === day ? day : addDays(`${day.slice(0, 7)}-01` as PlainDate, -1);
}
