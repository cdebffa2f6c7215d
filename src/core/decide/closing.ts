/** The end of a loan: a credit is refunded, a paid-off loan is closed, an application or a boarding is cancelled, a contract is rescinded. */
import type { PlainDate } from '../calendar.ts';
import type { Folding } from '../fold.ts';
import type { Loan } from '../loan.ts';
import { type Cents, formatCents } from '../money.ts';
import { partiesOf } from '../ownership.ts';
import { payoff } from '../payoff.ts';
import { paymentIn, refundIn } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { finalPayment, isClosed, isPaidOff } from '../status.ts';
import { amountIn, BEFORE_FUNDING, type Family, FUNDED, firstWith } from './operation.ts';
import { amountZero, referenceUsed, refuseDate, transferPlanned, unknownPayment } from './refusals.ts';
import { ifPaid, whyNotUnboarded } from './unboarding.ts';

export type ClosingCommand =
  | { do: 'refund-credit'; refId: string; amount: Cents }
  | { do: 'close'; refId: string | null }
  | { do: 'cancel'; reason: string | null }
  | { do: 'cancel-boarding'; reason: string }
  | { do: 'rescind'; date: PlainDate | null; reason: string };

export const closing: Family<ClosingCommand> = {
  'refund-credit': {
    from: FUNDED,
    afterRescission: true,
    to: 'unchanged',
    by: 'servicer',
    records: ['creditRefunded'],
    amount: amountIn('creditRefunded'),
    repeat: {
      of({ folding }, { refId, amount }) {
        const first = refundIn(folding, refId);
        if (first === null) return null;
        return first === amount ? 'same' : referenceUsed('another amount');
      },
      original: firstWith('creditRefunded'),
    },
    blocked: ({ loan }) => (loan.credit === 0 ? creditIs(loan.credit) : null),
    decide({ loan, when }, { refId, amount }) {
      if (amount === 0) return amountZero();
      return amount > loan.credit
        ? creditIs(loan.credit)
        : [{ type: 'creditRefunded', refId, amount, date: when.today }];
    },
  },

  // A loan closes automatically, so this either confirms it like a repeated call or reports what is still open.
  close: {
    from: FUNDED,
    to: 'Closed or ClosedEarly',
    by: 'servicer',
    records: [],
    repeat: {
      of: ({ folding, loan }, { refId }) =>
        isClosed(loan) ? (otherThanFinal({ folding, loan }, refId) ?? 'same') : null,
      original: null,
    },
    blocked: ({ loan }) => (isClosed(loan) ? null : stillOpen(loan)),
    decide: ({ history, loan }, { refId }) =>
      otherThanFinal({ folding: history.folding, loan }, refId) ?? stillOpen(loan),
  },

  cancel: {
    from: BEFORE_FUNDING,
    to: 'Cancelled',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['cancelled'],
    decide: ({ when }) => [{ type: 'cancelled', date: when.today }],
  },

  'cancel-boarding': {
    from: ['Approved', 'CollateralRequested', 'CollateralApproved', ...FUNDED],
    to: 'Cancelled',
    by: 'owner',
    records: ['boardingCancelled'],
    onHistory: true,
    needsReason: 'A cancelled boarding requires a reason.',
    blocked: ({ loan }) => ifPaid(loan),
    decide({ history: { events }, loan, when }) {
      if (events === null) return 'needs_events';
      return whyNotUnboarded(events, loan) ?? [{ type: 'boardingCancelled', date: when.today }];
    },
  },

  rescind: {
    from: FUNDED,
    to: 'Cancelled',
    by: 'servicer',
    records: ['rescinded'],
    needsReason: 'A rescission requires a reason.',
    repeat: {
      of: ({ loan: { rescission } }, { date }) =>
        rescission !== null && (date === null || date === rescission.date) ? 'same' : null,
      original: (events) => events.findIndex(({ type }) => type === 'rescinded'),
    },
    blocked: ({ loan }) => (loan.boughtOn === null ? null : rescindedElsewhere(loan.boughtOn)),
    decide({ history: { events }, loan, when }, { date }) {
      if (events === null) return 'needs_events';
      const day = date ?? when.today;
      const wrong = refuseDate(loan, day, when);
      if (wrong !== null) return wrong;
      return partiesOf(events).planned.length > 0 ? transferPlanned() : [{ type: 'rescinded', date: day }];
    },
  },
};

function creditIs(credit: Cents): Refusal {
  const detail = `The borrower's credit is ${formatCents(credit)}.`;
  return refuse('amount_exceeds_balance', detail, { member: 'amount', facts: { credit } });
}

/** Income and losses of a former owner are in that owner's books, which nothing changes any more. */
function rescindedElsewhere(boughtOn: PlainDate): Refusal {
  const detail = `The loan has its present owner since ${boughtOn}: what was earned of it before is in the former owner's books and cannot be taken back here. Settle the rescission with the former owner, and record it by entries by hand and a waiver.`;
  return refuse('reference_conflict', detail);
}

function stillOpen(loan: Loan): Refusal {
  if (!isPaidOff(loan)) {
    const owed = payoff(loan).payoff;
    const detail = `${formatCents(owed)} is still owed on this loan.`;
    return refuse('not_paid_off', detail, { facts: { payoff: owed }, retryable: true });
  }
  const detail = 'A payment is not acknowledged yet; the loan closes automatically when it is.';
  return refuse('payment_unconfirmed', detail, { retryable: true });
}

/** A given reference must be that of the payment that paid the loan off. */
function otherThanFinal({ folding, loan }: { folding: Folding; loan: Loan }, refId: string | null): Refusal | null {
  if (refId === null || refId === finalPayment(loan)?.refId) return null;
  return paymentIn(folding, refId) !== null
    ? refuse('contradiction', 'This payment did not pay the loan off.', { member: 'refId' })
    : unknownPayment();
}
