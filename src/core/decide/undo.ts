/** Undo: one more event, by which a fact that is not money counts as never recorded. */
import { STATUSES } from '../loan.ts';
import { partiesOf } from '../ownership.ts';
import { refuse } from '../refusal.ts';
import { restingOn, sparesFees, whyNotUndone } from '../undo.ts';
import type { Family } from './operation.ts';

/**
 * `sequence`: the position of the event in the loan's chain of transactions, from 1; 0: it has no such transaction. `chargeRetroactive`: the
 * late fees that a hold or military service kept from being charged are charged on their own days.
 */
export type UndoCommand = { do: 'undo'; sequence: number; reason: string; chargeRetroactive?: boolean };

export const undo: Family<UndoCommand> = {
  undo: {
    from: STATUSES,
    to: 'that of the loan without the fact',
    by: 'servicer',
    records: ['undone'],
    onHistory: true,
    needsFile: true,
    needsReason: 'An undo requires a reason.',
    repeat: {
      of: ({ folding }, { sequence }) => (folding.undone.has(sequence) ? 'same' : null),
      original: (events, { sequence }) =>
        events.findIndex((event) => event.type === 'undone' && event.sequence === sequence),
    },
    decide({ history: { events }, when }, { sequence, chargeRetroactive = false }) {
      if (events === null) return 'needs_events';
      const event = events[sequence - 1];
      if (event === undefined) {
        return refuse('unknown_reference', 'This loan has no transaction with this hash.', {
          member: 'transactionHash',
        });
      }
      const why = whyNotUndone(event);
      if (why !== null) return refuse('reference_conflict', why, { member: 'transactionHash' });
      const { ownedSince } = partiesOf(events);
      if (ownedSince !== null && event.recordedOn < ownedSince) {
        const detail = `The loan has its present owner since ${ownedSince}. What was recorded before is in the former owner's books and cannot be undone.`;
        return refuse('reference_conflict', detail, { member: 'transactionHash' });
      }
      const transactions = restingOn(events, sequence);
      if (transactions.length > 0) {
        const detail =
          'Later transactions depend on this one. Undo them first (`transactions`), beginning with the latest.';
        return refuse('depends', detail, { member: 'transactionHash', facts: { transactions } });
      }
      const spared = sparesFees(event) && !chargeRetroactive && event.date < when.today ? { feesFrom: when.today } : {};
      return [{ type: 'undone', sequence, ...spared, date: when.today }];
    },
  },
};
