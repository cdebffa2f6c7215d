/**
 * Offers for applications that are not loans yet: on a dealer's desk, and for what-ifs. Nothing is stored, and no bureau is asked but the
 * simulator: a pull is an inquiry on a person's file.
 */
import { randomBytes } from 'node:crypto';
import { type Bureau, type BureauSubject, isBureauFailure } from '../../bureau/bureau.ts';
import { asAsked, type Screening } from '../../bureau/screening/screening.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { isMistakes } from '../../core/reader.ts';
import { isRefusal } from '../../core/refusal.ts';
import type { Screened, ScreenedPeople } from '../../underwriting/screened.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import { type Clock, type Clocks, todayBy } from '../door/clocks.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { Outcome } from '../door/write.ts';
import type { Offer } from './offer.ts';
import type * as Work from './offer-work.ts';

/** The outcome of a request for an offer. */
export type OfferOutcome =
  | { readonly kind: 'offered'; readonly offer: Offer }
  | Extract<Outcome, { kind: 'refused' | 'mistaken' | 'bureau_failed' }>;

export type OfferOptions = {
  clock: () => number;
  clocks: Clocks;
  /** The bureau that is asked for the loans of an organization with this clock. */
  bureauOf: (ownersClock: Clock) => Bureau;
  /** Null: nobody is screened. */
  screeningOf: (ownersClock: Clock) => Screening | null;
  workers: Workers;
};

/** Processor time of one offer: a decision takes a tenth of a second at most, reading the largest body two more. */
const OFFER_MS = 5_000;

export function openOfferDesk({ clock, clocks, bureauOf, screeningOf, workers }: OfferOptions) {
  const address = new URL('./offer-work.ts', import.meta.url);
  const work = workers.module<typeof Work>(address, { limitMs: OFFER_MS });
  return async function calculateOffer(actor: Actor, { source }: { source: Uint8Array }): Promise<OfferOutcome> {
    const share = shareOf(actor);
    const ownersClock = await clocks.one(actor.organizationId);
    const { asOf, subjects, screened } = await work.run('openAsked', share, { source });
    const today = asOf ?? todayBy(ownersClock, clock());
    const simulated = await simulatedFor(bureauOf(ownersClock), subjects ?? [], { today, share });
    if ('kind' in simulated) return simulated;
    const people = simulated.primary === undefined ? [] : (screened ?? []);
    const screening = await screenedFor(screeningOf(ownersClock), people, { today, share });
    if (screening !== null && 'kind' in screening) return screening;
    const policies = ownersClock.policies.forNewLoans(today);
    const offer = await work.run('makeOffer', share, { source, policies, today, simulated, screening });
    if (isRefusal(offer)) return { kind: 'refused', refusal: offer };
    if (isMistakes(offer)) return { kind: 'mistaken', wrong: offer };
    return { kind: 'offered', offer };
  };

  /** The simulated reports of these people; none where the organization's bureau is a real one. */
  async function simulatedFor(
    bureau: Bureau,
    subjects: NonNullable<ReturnType<typeof Work.openAsked>['subjects']>,
    { today, share }: { today: PlainDate; share: string },
  ): Promise<Work.SimulatedReports | Extract<OfferOutcome, { kind: 'bureau_failed' }>> {
    if (bureau.simulated !== true) return {};
    const at = new Date(clock()).toISOString();
    const pull = { pullId: 'offer', organizationId: share, today, at };
    const reports = await Promise.all(subjects.map((subject) => bureau.pull(subject, pull)));
    const found: Partial<Record<'primary' | 'coApplicant', Extract<(typeof reports)[number], { hit: boolean }>>> = {};
    for (const [i, report] of reports.entries()) {
      if (isBureauFailure(report)) {
        const detail = `The credit bureau returned no report (${report.failed}): ${report.detail}`;
        return { kind: 'bureau_failed', detail, retryable: report.retryable };
      }
      const role = subjects[i]?.role;
      if (role !== undefined) found[role] = report;
    }
    return found;
  }

  /** Whoever's report is asked for is screened. Lists and entries are not for whoever asks for an offer. Null: nobody was screened. */
  async function screenedFor(
    screening: Screening | null,
    people: NonNullable<ReturnType<typeof Work.openAsked>['screened']>,
    { today, share }: { today: PlainDate; share: string },
  ): Promise<ScreenedPeople | null | Extract<OfferOutcome, { kind: 'bureau_failed' }>> {
    if (screening === null || people.length === 0) return null;
    const asked = { organizationId: share, today, at: new Date(clock()).toISOString() };
    const answers = await Promise.all(
      people.map((person) =>
        screening.screen(person, { ...asked, pullId: `offer_${randomBytes(16).toString('hex')}` }),
      ),
    );
    const found: { primary: Screened | null; coApplicant: Screened | null } = { primary: null, coApplicant: null };
    for (const [i, answer] of answers.entries()) {
      if ('failed' in answer) {
        const detail = `The screening service gave no answer (${answer.failed}): ${answer.detail}`;
        return { kind: 'bureau_failed', detail, retryable: answer.retryable };
      }
      const person = people[i] as BureauSubject;
      found[person.role] = asAsked({ result: answer.result, list: '', entry: '' }, person);
    }
    return found;
  }
}
