/** Default: notes on a loan that is past due, its charge-off, and what follows it: recoveries and write-downs. */
import type { PlainDate } from '../calendar.ts';
import { keptOf } from '../charged-off.ts';
import { daysPastDue } from '../delinquency.ts';
import { type DefaultGround, LIVE, type Loan } from '../loan.ts';
import { type Cents, formatCents, ZERO } from '../money.ts';
import { paymentIn } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { isClosed, isPaidOff } from '../status.ts';
import { amountIn, type Dated, type Family, firstWith } from './operation.ts';
import { paidBefore, repay, usedElsewhere } from './payment.ts';
import { amountTooLarge, amountZero, ifNothingPastDue, nothingPastDue, refuseDate } from './refusals.ts';

export type DefaultCommand =
  | { do: 'delinquent' }
  | { do: 'default'; ground: DefaultGround; reason: string }
  | { do: 'accelerate'; reason: string }
  | { do: 'payment-reminders' }
  | { do: 'charge-off'; date: PlainDate | null; reason: string; collateral: Cents }
  | { do: 'write-down'; amount: Cents; reason: string }
  | { do: 'record-recovery'; refId: string; amount: Cents; date: PlainDate | null };

export const defaulting: Family<DefaultCommand> = {
  delinquent: {
    from: ['Funded', 'Current', 'Delinquent'],
    to: 'derived',
    by: 'servicer',
    records: ['delinquencyNoted'],
    blocked: ifNothingPastDue,
    decide: ({ when }) => [{ type: 'delinquencyNoted', date: when.today }],
  },

  default: {
    from: ['Funded', 'Current', 'Delinquent'],
    to: 'Defaulted',
    by: 'servicer',
    records: ['defaulted'],
    needsReason: 'A default requires a reason.',
    decide({ loan, when }, { ground }) {
      const defaulted: Dated = { type: 'defaulted', ground, date: when.today };
      if (ground !== 'pastDue') return [defaulted];
      const days = daysPastDue(loan);
      if (days === 0) return nothingPastDue();
      const { defaultDays } = loan.policy;
      if (days < defaultDays) {
        return refuse(
          'not_past_due_enough',
          `The policy allows default at ${defaultDays} days past due; this loan is ${days} days past due.`,
          { facts: { daysPastDue: days, defaultDays }, retryable: true },
        );
      }
      return [defaulted];
    },
  },

  accelerate: {
    from: ['Delinquent', 'Defaulted'],
    to: 'unchanged',
    by: 'servicer',
    records: ['accelerated'],
    area: 'repossession',
    needsReason: 'An acceleration requires a reason.',
    blocked: ({ loan }) =>
      loan.acceleratedOn === null
        ? null
        : refuse('accelerated', `The loan was accelerated on ${loan.acceleratedOn}.`, {
            facts: { date: loan.acceleratedOn },
          }),
    decide: ({ when }) => [{ type: 'accelerated', date: when.today }],
  },

  'payment-reminders': {
    from: LIVE,
    to: 'unchanged',
    by: 'servicer',
    records: ['reminderDue'],
    area: 'notices',
    decide: ({ when }) => [{ type: 'reminderDue', date: when.today }],
  },

  'charge-off': {
    from: ['Current', 'Delinquent', 'Defaulted'],
    to: 'ChargedOff',
    by: 'servicer',
    records: ['chargedOff'],
    needsReason: 'A charge-off requires a reason.',
    blocked: ({ loan }) => (isPaidOff(loan) ? refuse('amount_zero', 'Nothing is owed on this loan.') : null),
    decide({ loan, when }, { date, collateral }) {
      const day = date ?? when.today;
      return refuseDate(loan, day, when) ?? [{ type: 'chargedOff', collateral, date: day }];
    },
  },

  'write-down': {
    from: ['ChargedOff'],
    to: 'unchanged',
    by: 'servicer',
    records: ['writtenDown'],
    amount: amountIn('writtenDown'),
    refuse: amountTooLarge,
    needsReason: 'A write-down requires a reason.',
    blocked: ({ loan }) => (keptOn(loan) === 0 ? onlyKept(ZERO) : null),
    decide({ loan, when }, { amount }) {
      if (amount === 0) return amountZero();
      const kept = keptOn(loan);
      return amount > kept ? onlyKept(kept) : [{ type: 'writtenDown', amount, date: when.today }];
    },
  },

  'record-recovery': {
    from: ['ChargedOff'],
    to: 'derived from the balance',
    by: 'servicer',
    records: ['paymentSubmitted'],
    // Once a loan is charged off, money is a recovery by either name.
    owns: (_, before) => before.chargeOff !== null && !isClosed(before),
    amount: amountIn('paymentSubmitted'),
    refuse: amountTooLarge,
    repeat: {
      of: ({ folding }, { refId, amount, date }) =>
        usedElsewhere(folding, refId) ?? paidBefore(paymentIn(folding, refId), { amount, date }),
      original: firstWith('paymentSubmitted'),
    },
    decide: (situation, { refId, amount, date }) =>
      repay(situation, { refId, amount, date, purpose: 'installment', acceptOverpayment: false, reason: 'recovery' }),
  },
};

/** The amount of a charged-off loan that is still on the books. */
function keptOn(loan: Loan): Cents {
  return loan.chargeOff === null ? ZERO : keptOf(loan, loan.chargeOff);
}

function onlyKept(kept: Cents): Refusal {
  const detail = `Only ${formatCents(kept)} of this loan is left on the books to write down.`;
  return refuse('amount_exceeds_balance', detail, { member: 'amount', facts: { kept } });
}
