/** The loan's record: whether it is public. */
import type { EventFamily } from './definition.ts';

export type RecordFact = { readonly type: 'published'; readonly published: boolean };

export const recordEvents: EventFamily<RecordFact> = {
  published: {
    phase: 'application',
    feed: { type: 'loan.published', about: 'The public record of a loan was published, or withdrawn.' },
    line: { says: 'Publication changed', group: 'application' },
    undo: { by: 'owner', scope: 'loans:write', restedOnBy: {} },
    apply({ working }, { published }) {
      working.published = published;
    },
    show: null,
  },
};
