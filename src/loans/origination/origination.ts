/** From the application to the contract: new loans, underwriting, the deals that were offered, and offers for applications that are not loans yet. */
import type { Bureau } from '../../bureau/bureau.ts';
import type { Screening } from '../../bureau/screening/screening.ts';
import { SIMULATED_SCREENING } from '../../bureau/screening/simulator.ts';
import type { Clock } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import { openOfferDesk } from './calculate-offer.ts';
import { openCreation } from './creation.ts';
import { type DealsOptions, openDeals } from './deals.ts';
import { openNotices } from './notices.ts';
import { openSigns } from './signs.ts';
import { openStipulations } from './stipulations.ts';
import { openUnderwriting } from './underwrite.ts';

export type OriginationOptions = Door & {
  bureau: Bureau;
  /** The credit bureau for sandboxes. It is separate, so that no real person's report is pulled for a test loan. */
  simulator: Bureau;
  /** Against sanctions lists; null: nobody is screened, except in sandboxes, by a simulator. */
  screening: Screening | null;
  book: DisclosureBook;
} & Pick<DealsOptions, 'visible' | 'readPublic'>;

export function openOrigination({ bureau, simulator, screening, ...options }: OriginationOptions) {
  const bureauOf = ({ test }: Clock) => (test === null ? bureau : simulator);
  const screeningOf = ({ test }: Clock) => (test === null ? screening : SIMULATED_SCREENING);
  const signs = openSigns({ ...options, indexKey: options.secrets.index });
  const { start, complete, cashflows } = openUnderwriting({ ...options, bureauOf, screeningOf, signs });
  return {
    service: {
      ...openCreation(options),
      ...openDeals(options),
      ...openNotices(options),
      ...openStipulations(options),
      cashflows,
      signs: signs.list,
      calculateOffer: openOfferDesk({ ...options, bureauOf, screeningOf }),
    },
    /** Commands that are prepared here on their way through the door. */
    prepared: { 'start-underwriting': start, 'complete-underwriting': complete },
  };
}
