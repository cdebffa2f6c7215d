/** Groups of loans in reports: by delinquency bucket (the engine's own thresholds) and by outcome. */
import { BUCKETS, bucketOf, type DelinquencyBucket } from '../core/delinquency.ts';
import { LIVE } from '../core/loan.ts';

export { BUCKETS, type DelinquencyBucket };

/** The first day past due of each bucket after `current`, found from the engine's function, so that the two cannot differ. */
export const THRESHOLDS: readonly number[] = BUCKETS.slice(1).map((bucket) => {
  let days = 0;
  while (bucketOf(days) !== bucket) days += 1;
  return days;
});

/** Loans that are serviced and not charged off: their principal is the balance of a portfolio, and only they have a bucket. */
export const ACTIVE = LIVE;
export type ActiveStatus = (typeof ACTIVE)[number];

export function isActive(status: string): status is ActiveStatus {
  return (ACTIVE as readonly string[]).includes(status);
}
