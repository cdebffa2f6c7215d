/** Holds: placed and released. What a hold does follows from its dates; the fold only keeps it. */
import type { PlainDate } from '../calendar.ts';
import type { HoldKind } from '../hold-effects.ts';
import { type Bankruptcy, spareFees } from '../holds.ts';
import type { EventFamily } from './definition.ts';

export type HoldFact =
  /** Its date is the first day of the hold. `detailed`: further details are sealed beside the event. */
  | ({
      readonly type: 'holdPlaced';
      readonly holdId: string;
      readonly kind: HoldKind;
      readonly to: PlainDate | null;
      readonly bankruptcy?: Bankruptcy;
      readonly detailed: boolean;
    } & Withdrawn)
  /**
   * Its date is the first day on which the hold is no longer in force. `feesFrom`: the first day on which a late fee is charged again, where
   * that is later, because the end became known late; absent: the same day.
   */
  | { readonly type: 'holdReleased'; readonly holdId: string; readonly feesFrom?: PlainDate };

/**
 * Never recorded: set where an event that was undone is folded only for the late fees that were not charged while it stood. Before this day
 * none is charged for it.
 */
export type Withdrawn = { readonly withdrawnOn?: PlainDate };

export const holdEvents: EventFamily<HoldFact> = {
  holdPlaced: {
    phase: 'holds',
    feed: { type: 'hold.placed', about: 'A hold was placed.' },
    line: { says: 'Hold placed[: {hold}]', tone: 'late' },
    undo: { by: 'servicer', restedOnBy: { holdReleased: 'holdId' } },
    apply({ working }, { holdId, kind, to, bankruptcy = null, detailed, date: from, recordedAt, withdrawnOn }) {
      const hold = { holdId, kind, from, to, releasedOn: null, bankruptcy, detailed, recordedAt };
      if (withdrawnOn !== undefined) {
        spareFees(working, { hold, from, until: withdrawnOn });
        return;
      }
      working.holds = [...working.holds, hold];
    },
    show: null,
  },

  holdReleased: {
    phase: 'holds',
    feed: { type: 'hold.released', about: 'A hold was released.' },
    line: { says: 'Hold released[: {hold}]' },
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working }, { holdId, date: releasedOn, feesFrom = releasedOn }) {
      const hold = working.holds.find((one) => one.holdId === holdId);
      if (hold !== undefined) spareFees(working, { hold, from: releasedOn, until: feesFrom });
      working.holds = working.holds.map((hold) => (hold.holdId === holdId ? { ...hold, releasedOn } : hold));
    },
    show: null,
  },
};
