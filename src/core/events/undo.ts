/** An undo: one more event, by which an earlier one counts as if it had never been recorded. */
import type { PlainDate } from '../calendar.ts';
import type { EventFamily } from './definition.ts';

/**
 * `sequence` is the position of the undone event in the loan's chain of transactions, from 1. `feesFrom`, where that was a hold or military
 * service: the first day on which a late fee is charged again; absent: as if it had never been recorded.
 */
export type UndoFact = { readonly type: 'undone'; readonly sequence: number; readonly feesFrom?: PlainDate };

export const undoEvents: EventFamily<UndoFact> = {
  // It is never applied: the fold leaves out both events (`inForce`).
  undone: {
    phase: 'notes',
    feed: { type: 'loan.undone', about: 'An earlier event of the loan was undone.' },
    line: { says: 'Undone', more: '{undid}' },
    undo: { refused: 'An undo cannot be undone. Record the fact again.' },
    apply() {},
    show: null,
  },
};
