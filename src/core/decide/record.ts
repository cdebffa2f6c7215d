/** The loan's record: whether it is public. */
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
    decide: ({ when }, { published }) => [{ type: 'published', published, date: when.today }],
  },
};
