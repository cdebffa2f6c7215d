/**
 * Date-driven changes of a loan: late fees, a delinquency bucket, non-accrual, quotes and holds that expire. All of it follows from the fold; here it
 * is collected for a nightly run to record, with the next day on which something changes.
 */
import { isNonAccrual } from './books.ts';
import { addDays, type PlainDate } from './calendar.ts';
import { bucketOf, chargeOffDue, daysPastDue, pastDueFrom } from './delinquency.ts';
import type { DayFact } from './events/day.ts';
import type { HoldKind } from './hold-effects.ts';
import { chargeOffRequired, expiresOn as holdExpiresOn } from './holds.ts';
import type { Loan, Quote } from './loan.ts';
import { type Cents, cents } from './money.ts';
import { feesOwed } from './working-loan.ts';

/** Days past due on which a bucket begins. */
const BUCKETS_BEGIN = [1, 30, 60, 90, 120];

/** The date-driven changes after the day of the first state, through that of the second, if nothing was recorded between. */
export function broughtBetween(before: Loan, loan: Loan): DayFact {
  let lateFees = 0;
  for (const { installment, date, amount } of loan.fees) {
    if (installment !== null && date > before.on && date <= loan.on) lateFees += amount;
  }
  const bucket = bucketOf(agesOn(loan) ? daysPastDue(loan) : 0);
  const changed = agesOn(loan) && bucket !== bucketOf(agesOn(before) ? daysPastDue(before) : 0);
  const quotesExpired = loan.quotes.flatMap((quote) => {
    const day = expiresOn(quote);
    return day !== null && day > before.on && day <= loan.on ? [quote.quoteId] : [];
  });
  return {
    type: 'dayEnded',
    lateFees: cents(lateFees),
    bucket: changed ? bucket : null,
    nonAccrual: isNonAccrual(loan) && !isNonAccrual(before),
    quotesExpired,
    holdsExpired: loan.holds.flatMap((hold) => {
      const day = holdExpiresOn(hold);
      return day !== null && day > before.on && day <= loan.on ? [hold.holdId] : [];
    }),
  };
}

/** The first day after the loan's own on which a bucket begins or a quote or hold expires, if nothing is recorded before. Null: none. */
export function nextDayNoted(loan: Loan): PlainDate | null {
  const days: PlainDate[] = [];
  const from = agesOn(loan) ? pastDueFrom(loan) : null;
  if (from !== null) for (const count of BUCKETS_BEGIN) days.push(addDays(from, count));
  for (const quote of loan.quotes) {
    const day = expiresOn(quote);
    if (day !== null) days.push(day);
  }
  for (const hold of loan.holds) {
    const day = holdExpiresOn(hold);
    if (day !== null) days.push(day);
  }
  return days.filter((day) => day > loan.on).sort()[0] ?? null;
}

/** `reason`: its days past due, or the kind of the hold that requires it; then `holdId` names the hold. */
export type ChargeOffProposal = {
  readonly daysPastDue: number;
  readonly amount: Cents;
  readonly reason: 'pastDue' | HoldKind;
  readonly holdId: string | null;
};

/**
 * For a loan that the policy or a hold requires to be charged off by its own day: its days past due and the amount owed. Null: not required,
 * or done. Charge-offs are proposed at month end (FFIEC), and at every later month end until one is decided.
 */
export function chargeOffProposed(loan: Loan): ChargeOffProposal | null {
  if (!agesOn(loan)) return null;
  const due = chargeOffDue(loan);
  const required = chargeOffRequired(loan);
  const byHold =
    required !== null && required.by <= loan.on && (due === null || required.by < due) ? required.hold : null;
  if (byHold === null && (due === null || due > loan.on)) return null;
  const amount = cents(loan.principal + loan.interest + feesOwed(loan));
  if (amount === 0) return null;
  return { daysPastDue: daysPastDue(loan), amount, reason: byHold?.kind ?? 'pastDue', holdId: byHold?.holdId ?? null };
}

/** The month end from which a hold in force requires the charge-off; null: none does. */
export function chargeOffRequiredBy(loan: Loan): PlainDate | null {
  return agesOn(loan) ? (chargeOffRequired(loan)?.by ?? null) : null;
}

/** Whether its days past due are tracked here: a charged-off loan is in no collection bucket. */
function agesOn({ stage, chargeOff }: Loan): boolean {
  return stage === 'Funded' && chargeOff === null;
}

/** The first day on which a quote is no longer valid; null: it was honoured, or is void. */
function expiresOn({ goodThrough, honouredOn, isVoid }: Quote): PlainDate | null {
  return honouredOn !== null || isVoid ? null : addDays(goodThrough, 1);
}
