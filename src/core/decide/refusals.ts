/** Refusals that several families share. */
import { addDays, type PlainDate } from '../calendar.ts';
import { daysPastDue } from '../delinquency.ts';
import type { Folding } from '../fold.ts';
import { type Exception, HOLD_AREAS, type HoldArea } from '../hold-effects.ts';
import { effectsOf, forbidding, type Hold } from '../holds.ts';
import type { Loan } from '../loan.ts';
import { MAX_CENTS } from '../money.ts';
import { quoteIn } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { When } from './operation.ts';

export function badValue(member: string, detail: string): Refusal {
  return refuse('invalid_value', detail, { member });
}

export function amountTooLarge({ amount }: { amount: number }): Refusal | null {
  return amount > MAX_CENTS ? badValue('amount', 'The amount is too large.') : null;
}

export function amountZero(): Refusal {
  return refuse('amount_zero', 'The amount must be more than zero.', { member: 'amount' });
}

/** Not in the future, not before the contract or the opening; further back than the policy allows only with a reason. */
export function refuseDate(loan: Loan, day: PlainDate, when: When, reason?: string | null): Refusal | null {
  if (day > when.today) return futureDate('date');
  const start = loan.terms?.disbursements[0]?.date;
  if (start !== undefined && day < start) {
    return refuse('date_before_contract', `The loan began on ${start}; nothing can be dated before that.`, {
      member: 'date',
    });
  }
  if (loan.openedOn !== null && day < loan.openedOn) {
    return refuse(
      'date_before_opening',
      `The loan was boarded as of ${loan.openedOn}; nothing can be dated before that.`,
      { member: 'date' },
    );
  }
  if (reason !== undefined && !reason && day < addDays(when.today, -loan.policy.backdateDays)) {
    return refuse(
      'backdating_needs_reason',
      `A date more than ${loan.policy.backdateDays} days back requires a reason.`,
      {
        member: 'reason',
      },
    );
  }
  return null;
}

export function futureDate(member: string): Refusal {
  return refuse('date_in_future', 'The date cannot be in the future.', { member });
}

/** For what ends a loan as if it had not been: no transfer may come after it. */
export function transferPlanned(): Refusal {
  return refuse(
    'reference_conflict',
    'A transfer of this loan is scheduled. Cancel it first with POST /cancel-transfer.',
  );
}

export function unknownPayment(): Refusal {
  return refuse('unknown_reference', 'This loan has no payment with this reference.', { member: 'refId' });
}

/** A reference identifies one call: another call under it is a conflict. */
export function referenceUsed(withWhat: string): Refusal {
  return refuse('reference_conflict', `This reference was already used with ${withWhat}; use a new one.`, {
    member: 'refId',
  });
}

export function quoteExists(folding: Folding, quoteId: string): Refusal | null {
  return quoteIn(folding, quoteId) !== null
    ? refuse('reference_conflict', 'A quote with this id already exists.', { member: 'quoteId' })
    : null;
}

/** A quoted amount is valid for at most a year. */
export function beyondAYear(goodThrough: PlainDate, when: When): Refusal | null {
  return goodThrough > addDays(when.today, 366) ? badValue('goodThrough', 'Must be at most a year from today.') : null;
}

export function ifNothingPastDue({ loan }: { loan: Loan }): Refusal | null {
  return daysPastDue(loan) === 0 ? nothingPastDue() : null;
}

export function nothingPastDue(): Refusal {
  return refuse('nothing_past_due', 'Nothing is past due on this loan.', { retryable: true });
}

/** Refused because of holds in force today; null: none forbids it. `ground` as for `forbidding`. */
export function onHold(loan: Loan, area: HoldArea, ground?: Exception): Refusal | null {
  const holds = forbidding(loan, area, ground);
  const [first] = holds;
  if (first === undefined) return null;
  const named = holds.map(({ kind, holdId }) => `${kind} (${holdId})`).join(', ');
  const basis = effectsOf(first, loan.on)[area].basis;
  const detail = `Forbidden by a hold in force: ${named}. It restricts: ${HOLD_AREAS[area]} Basis: ${basis}. Wait for its end, or release it if it no longer applies.`;
  return onHoldBy(holds, detail);
}

export function onHoldBy(holds: readonly Hold[], detail: string): Refusal {
  const facts = { holds: holds.map(({ holdId, kind }) => ({ holdId, kind })) };
  return refuse('on_hold', detail, { facts, retryable: true });
}

/** White space and invisible characters are not a reason. */
export function isBlank(reason: string): boolean {
  return !/[^\s\p{Cf}\p{Cc}]/u.test(reason);
}
