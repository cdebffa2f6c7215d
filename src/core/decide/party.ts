/** The people on a loan: their contact data changes. */
import type { PlainDate } from '../calendar.ts';
import type { Party } from '../loan.ts';
import { refuse } from '../refusal.ts';
import { BEFORE_FUNDING, type Family, FUNDED } from './operation.ts';
import { refuseDate } from './refusals.ts';

/** The values themselves are sealed beside the event; `commitment` is a salted hash of them. */
export type PartyCommand = {
  do: 'update-party';
  party: Party;
  commitment: string;
  date: PlainDate | null;
  reason: string;
};

export const party: Family<PartyCommand> = {
  'update-party': {
    // People move whatever the status of their loan, and have a right to correct data for as long as it is kept.
    from: [...BEFORE_FUNDING, 'Rejected', 'Cancelled', ...FUNDED],
    to: 'unchanged',
    by: 'servicer',
    records: ['partyUpdated'],
    onHistory: true,
    needsReason: 'A change of contact data requires a reason.',
    decide({ loan, when }, { party: who, commitment, date }) {
      const day = date ?? when.today;
      const dated = refuseDate(loan, day, when);
      if (dated !== null) return dated;
      // Before funding no interest accrues, and the first stretch still begins with the application.
      if (loan.terms === null && day < loan.stretchSince) {
        const detail = `The application was submitted on ${loan.stretchSince}; nothing can be dated before that.`;
        return refuse('date_before_contract', detail, { member: 'date' });
      }
      return [{ type: 'partyUpdated', party: who, commitment, date: day }];
    },
  },
};
