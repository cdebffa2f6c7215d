/** The loan's record: whether it is public. */
import { refuse } from '../refusal.ts';
import { hasServed } from '../withheld.ts';
import { BEFORE_FUNDING, type Family, FUNDED } from './operation.ts';

export type RecordCommand = { do: 'publish'; published: boolean };

export const record: Family<RecordCommand> = {
  publish: {
    from: [...BEFORE_FUNDING, 'Rejected', 'Cancelled', ...FUNDED],
    to: 'unchanged',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['published'],
    onHistory: true,
    decide({ loan, when }, { published }) {
      if (published && hasServed(loan)) return refuse('not_eligible', SERVED);
      return [{ type: 'published', published, date: when.today }];
    },
  },
};

const SERVED =
  'Military service was recorded: the rate and the payments of this loan would tell the public of it, so it cannot be published.';
