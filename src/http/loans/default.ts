/** Delinquency, default, charge-off, write-downs and recoveries. */
import { Type } from 'typebox';
import { ZERO } from '../../core/money.ts';
import { about } from '../named.ts';
import { paidBy, RepayAnswer } from './payment.ts';
import { Amount, day, effective, LoanRequest, Reason, Reference, request } from './shapes.ts';
import { dateOr, loanWrite } from './write.ts';

const RecoveryRequest = request(
  {
    amount: about(Amount, 'The amount received.'),
    refId: about(Reference, 'Your reference of the recovery.'),
    date: Type.Optional(day('The effective date; today when absent.')),
  },
  { amount: '1,200', refId: 'AUCTION-88' },
);

const DefaultRequest = request({ reason: Type.Optional(Reason) });

const ChargeOffRequest = request(
  {
    date: effective,
    reason: Reason,
    collateral: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 64,
        description: 'Value of the collateral less the cost to sell it; this amount stays on the books. 0 when absent.',
      }),
    ),
  },
  { reason: '120 days past due' },
);

const WriteDownRequest = request(
  { amount: about(Amount, 'The amount written down.'), reason: Reason },
  { amount: '450', reason: 'Sold at auction for less' },
);

export const noteDelinquency = loanWrite({
  does: 'delinquent',
  id: 'noteDelinquency',
  tag: 'Servicing',
  summary: 'Record that the loan is past due',
  description:
    'Delinquency is derived from the due dates and cures by itself; this writes it down. 409 when nothing is past due.',
  scopes: ['servicing:write'],
  body: LoanRequest,
  command: () => ({ do: 'delinquent' }),
});

export const defaultLoan = loanWrite({
  does: 'default',
  id: 'defaultLoan',
  tag: 'Servicing',
  summary: 'Declare a default',
  description:
    'As many days past due as the policy says (90). It does not accelerate, and cures when nothing is past due.',
  scopes: ['servicing:write'],
  body: DefaultRequest,
  command: (_read, { reason = null }) => ({ do: 'default', reason }),
  reason: ({ reason }) => reason,
});

export const remindOfPayment = loanWrite({
  does: 'payment-reminders',
  id: 'remindOfPayment',
  tag: 'Servicing',
  summary: 'Record that a reminder is due',
  description: 'Nothing is sent.',
  scopes: ['servicing:write'],
  body: LoanRequest,
  command: () => ({ do: 'payment-reminders' }),
});

export const chargeOffLoan = loanWrite({
  does: 'charge-off',
  id: 'chargeOffLoan',
  tag: 'Servicing',
  summary: 'Charge the loan off',
  description: 'The books give it up, net of the collateral’s value; the borrower still owes it.',
  scopes: ['servicing:write'],
  body: ChargeOffRequest,
  command: (read, body) => ({
    do: 'charge-off',
    date: dateOr(read, body, 'date'),
    reason: body.reason,
    collateral: body.collateral === undefined ? ZERO : read.amount(body, 'collateral', ''),
  }),
  reason: ({ reason }) => reason,
});

export const writeDown = loanWrite({
  does: 'write-down',
  id: 'writeDown',
  tag: 'Servicing',
  summary: 'Write down what a charge-off kept',
  description:
    'The collateral did not bring what the books kept for it: the difference is an expense. What the borrower owes stays as it is.',
  scopes: ['servicing:write'],
  body: WriteDownRequest,
  command: (read, body) => ({
    do: 'write-down',
    amount: read.positiveAmount(body, 'amount', ''),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
});

export const recordRecovery = loanWrite({
  does: 'record-recovery',
  id: 'recordRecovery',
  tag: 'Servicing',
  summary: 'Money that came after the charge-off',
  description: 'Applied as a payment is, and booked as a recovery.',
  scopes: ['servicing:write'],
  body: RecoveryRequest,
  answer: RepayAnswer,
  command: (read, body) => ({
    do: 'record-recovery',
    refId: read.reference(body, 'refId', ''),
    amount: read.positiveAmount(body, 'amount', ''),
    date: dateOr(read, body, 'date'),
  }),
  tells: paidBy,
});
