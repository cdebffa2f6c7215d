/** Holds: placed and released. What a hold does follows from its dates; the fold only keeps it. */
import type { PlainDate } from '../calendar.ts';
import type { HoldKind } from '../hold-effects.ts';
import type { Bankruptcy } from '../holds.ts';
import type { EventFamily } from './definition.ts';

export type HoldFact =
  /** Its date is the first day of the hold. `detailed`: further details are sealed beside the event. */
  | {
      readonly type: 'holdPlaced';
      readonly holdId: string;
      readonly kind: HoldKind;
      readonly to: PlainDate | null;
      readonly bankruptcy?: Bankruptcy;
      readonly detailed: boolean;
    }
  /** Its date is the first day on which the hold is no longer in force. */
  | { readonly type: 'holdReleased'; readonly holdId: string };

export const holdEvents: EventFamily<HoldFact> = {
  holdPlaced: {
    phase: 'holds',
    feed: { type: 'hold.placed', about: 'A hold was placed.' },
    line: { says: 'Hold placed[: {hold}]', tone: 'late' },
    undo: { by: 'servicer', restedOnBy: { holdReleased: 'holdId' } },
    apply({ working }, { holdId, kind, to, bankruptcy = null, detailed, date: from, recordedAt }) {
      const hold = { holdId, kind, from, to, releasedOn: null, bankruptcy, detailed, recordedAt };
      working.holds = [...working.holds, hold];
    },
    show: null,
  },

  holdReleased: {
    phase: 'holds',
    feed: { type: 'hold.released', about: 'A hold was released.' },
    line: { says: 'Hold released[: {hold}]' },
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working }, { holdId, date: releasedOn }) {
      working.holds = working.holds.map((hold) => (hold.holdId === holdId ? { ...hold, releasedOn } : hold));
    },
    show: null,
  },
};
