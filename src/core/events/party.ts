/** The people on a loan: their contact data changes. */
import type { Party } from '../loan.ts';
import type { EventFamily } from './definition.ts';

/** The change is sealed beside the event, and found by its commitment. */
export type PartyFact = { readonly type: 'partyUpdated'; readonly party: Party; readonly commitment: string };

export const partyEvents: EventFamily<PartyFact> = {
  partyUpdated: {
    phase: 'notes',
    feed: { type: 'party.updated', about: 'Contact data of an applicant changed.' },
    line: { says: 'Borrower data updated' },
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working }, { party, commitment }) {
      working.partyChanges = [...working.partyChanges, { party, commitment }];
    },
    show: null,
  },
};
