/** An undo: one more event, by which an earlier one counts as if it had never been recorded. */
import type { EventFamily } from './definition.ts';

/** `sequence` is the position of the undone event in the loan's chain of transactions, from 1. */
export type UndoFact = { readonly type: 'undone'; readonly sequence: number };

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
