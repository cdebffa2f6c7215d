/** For a worker thread: what a version of a policy would change, over a page of loans. */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { type Impact, impactOn, NO_IMPACT, plusImpact } from '../../policy/impact.ts';
import type { LenderTimeline } from '../../policy/versions.ts';

export type Page = {
  /** `bodies`: JSON of its transactions, with commas between them. */
  readonly loans: readonly { readonly lenderId: string; readonly bodies: string }[];
  /** By lender. */
  readonly timelines: ReadonlyMap<string, { readonly present: LenderTimeline; readonly proposed: LenderTimeline }>;
  readonly through: PlainDate;
};

/** `failed`: loans that cannot be folded. */
export function examine({ loans, timelines, through }: Page): Impact & { failed: number } {
  let sum: Impact = NO_IMPACT;
  let failed = 0;
  for (const { lenderId, bodies } of loans) {
    const two = timelines.get(lenderId);
    if (two === undefined) throw new Error('The timeline of a lender is missing.');
    try {
      const events = (JSON.parse(`[${bodies}]`) as { event: LoanEvent }[]).map(({ event }) => event);
      sum = plusImpact(sum, impactOn(events, { ...two, through }));
    } catch {
      failed += 1;
    }
  }
  return { ...sum, failed };
}
