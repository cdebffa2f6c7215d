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

/** The days for which a credit has been owed back to a borrower, as ranges; each by the name of its sum. */
export const CREDIT_AGES = [
  { name: 'credits0To29', from: 0, to: 29 },
  { name: 'credits30To59', from: 30, to: 59 },
  { name: 'credits60To89', from: 60, to: 89 },
  { name: 'credits90To119', from: 90, to: 119 },
  { name: 'credits120AndMore', from: 120, to: null },
] as const;
export type CreditAge = (typeof CREDIT_AGES)[number]['name'];

/** Loans that are serviced and not charged off: their principal is the balance of a portfolio, and only they have a bucket. */
export const ACTIVE = LIVE;
export type ActiveStatus = (typeof ACTIVE)[number];

export function isActive(status: string): status is ActiveStatus {
  return (ACTIVE as readonly string[]).includes(status);
}
