/** The people on a loan: changes of their contact data, who they are in masked form, what its owner keeps with it, and who has seen their personal data. */
import type { Door } from '../door/door.ts';
import { type CustomDataOptions, openCustomData } from './custom-data.ts';
import { type DisclosedOptions, openDisclosed } from './disclosed.ts';
import { type IdentityOptions, openIdentity } from './identity.ts';
import { openParties } from './parties.ts';
import { openSightings } from './sightings.ts';

export type PeopleOptions = Door &
  Pick<DisclosedOptions, 'book' | 'visible'> &
  IdentityOptions &
  Pick<CustomDataOptions, 'reach' | 'read'>;

export function openPeople(options: PeopleOptions) {
  const sightings = openSightings(options);
  const indexKey = options.secrets.index;
  const { update } = openParties({ ...options, indexKey });
  const customData = openCustomData({ ...options, indexKey });
  return {
    service: {
      identity: openIdentity({ ...options, sightings }),
      disclosures: openDisclosed(options),
      customData: customData.shown,
      /** Saves the counts of masked views. */
      saveSightings: sightings.flush,
    },
    /** Commands that are prepared here on their way through the door. */
    prepared: { 'update-party': update, 'update-custom-data': customData.update },
  };
}
