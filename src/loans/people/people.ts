/** The people on a loan: changes of their contact data, who they are in masked form, and who has seen their personal data. */
import type { Door } from '../door/door.ts';
import { type DisclosedOptions, openDisclosed } from './disclosed.ts';
import { type IdentityOptions, openIdentity } from './identity.ts';
import { openParties } from './parties.ts';
import { openSightings } from './sightings.ts';

export type PeopleOptions = Door & Pick<DisclosedOptions, 'book' | 'visible'> & IdentityOptions;

export function openPeople(options: PeopleOptions) {
  const sightings = openSightings(options);
  const { update } = openParties({ ...options, indexKey: options.secrets.index });
  return {
    service: {
      identity: openIdentity({ ...options, sightings }),
      disclosures: openDisclosed(options),
      /** Saves the counts of masked views. */
      saveSightings: sightings.flush,
    },
    /** Commands that are prepared here on their way through the door. */
    prepared: { 'update-party': update },
  };
}
