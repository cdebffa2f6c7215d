/** The loan's record: whether it is public, and the custom data of its owner. */
import { MOST_CUSTOM_MEMBERS } from '../custom-data.ts';
import { refuse } from '../refusal.ts';
import { hasServed } from '../withheld.ts';
import { BEFORE_FUNDING, type Family, FUNDED } from './operation.ts';

export type RecordCommand =
  | { do: 'publish'; published: boolean }
  /** `members`: how many there are after it; they are sealed beside the event. */
  | { do: 'update-custom-data'; organizationId: string; members: number; reasoned: boolean };

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
  'update-custom-data': {
    // Nothing about the loan depends on it, whatever the status.
    from: [...BEFORE_FUNDING, 'Rejected', 'Cancelled', ...FUNDED],
    to: 'unchanged',
    by: 'servicer',
    records: ['customDataUpdated'],
    onHistory: true,
    refuse: ({ members }) =>
      members > MOST_CUSTOM_MEMBERS ? refuse('invalid_value', tooMany(members), { member: 'customData' }) : null,
    decide: ({ when }, { organizationId, members, reasoned }) => [
      { type: 'customDataUpdated', organizationId, members, reasoned, date: when.today },
    ],
  },
};

const tooMany = (members: number) =>
  `A loan has at most ${MOST_CUSTOM_MEMBERS} members of custom data, and this one would have ${members}. Remove some by sending null for them.`;

const SERVED =
  'Military service was recorded: the rate and the payments of this loan would tell the public of it, so it cannot be published.';
