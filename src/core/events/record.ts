/** The loan's record: whether it is public, and the custom data of its owner. */
import type { EventFamily } from './definition.ts';

export type RecordFact =
  | { readonly type: 'published'; readonly published: boolean }
  /**
   * All members of the custom data of one owner, as they are from now on: sealed beside the event. `reasoned`: a reason is sealed with
   * them.
   */
  | {
      readonly type: 'customDataUpdated';
      readonly organizationId: string;
      readonly members: number;
      readonly reasoned: boolean;
    };

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
  customDataUpdated: {
    phase: 'notes',
    feed: { type: 'custom_data.updated', about: 'The custom data of a loan changed.' },
    line: { says: 'Custom data updated' },
    undo: {
      refused:
        'A change of custom data cannot be undone; use update-custom-data with the former values, which a read with knownAt shows.',
    },
    // Each owner has its own: it does not see what another one keeps with the loan, and a loan that returns has what it had.
    apply({ working }, { organizationId, members, recordedAt }) {
      const others = working.customData.filter((one) => one.organizationId !== organizationId);
      working.customData = [...others, { organizationId, members, recordedAt }];
    },
    show: null,
  },
};
