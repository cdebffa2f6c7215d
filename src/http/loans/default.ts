/** Delinquency, default, charge-off, write-downs and recoveries. */
import { Type } from 'typebox';
import { DEFAULT_GROUNDS } from '../../core/loan.ts';
import { ZERO } from '../../core/money.ts';
import { about } from '../shared/named.ts';
import { Amount, day, effective, LoanRequest, Reason, Reference, request } from '../shared/shapes.ts';
import { dateOr, loanWrite } from '../shared/write.ts';
import { paidBy, RepayAnswer } from './payment.ts';

const RecoveryRequest = request(
  {
    amount: about(Amount, 'The amount received.'),
    refId: about(Reference, 'Your reference for the recovery.'),
    date: Type.Optional(day('The effective date; default: today.')),
  },
  { amount: '1,200', refId: 'AUCTION-88' },
);

const DefaultRequest = request(
  {
    ground: Type.Optional(
      Type.Enum([...DEFAULT_GROUNDS], {
        description:
          'Default: `pastDue`, allowed from the days past due that the policy sets. Any other ground needs nothing past due, and is not cured by payments.',
      }),
    ),
    reason: Reason,
  },
  { ground: 'insurance', reason: 'Insurance lapsed, none shown after two letters' },
);

const AccelerateRequest = request({ reason: Reason }, { reason: 'No answer to the notice of intent' });

const ChargeOffRequest = request(
  {
    date: effective,
    reason: Reason,
    collateral: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 64,
        description: 'Value of the collateral less the cost to sell it; this amount stays on the books. Default 0.',
      }),
    ),
  },
  { reason: '120 days past due' },
);

const WriteDownRequest = request(
  { amount: about(Amount, 'The amount written down.'), reason: Reason },
  { amount: '450', reason: 'Sold at auction for less' },
);

const noteDelinquency = loanWrite({
  does: 'delinquent',
  id: 'noteDelinquency',
  tag: 'Servicing',
  summary: 'Record a delinquency',
  description:
    'Records on the loan that it is past due. Days past due follow from the due dates and cure automatically. 409 if nothing is past due.',
  body: LoanRequest,
  command: () => ({ do: 'delinquent' }),
});

const defaultLoan = loanWrite({
  does: 'default',
  id: 'defaultLoan',
  tag: 'Servicing',
  summary: 'Declare a default',
  description:
    'Allowed from the number of days past due that the policy sets (90), or on another ground at any time. Does not accelerate the loan. A default ' +
    'for being past due is cured when nothing is past due; one on another ground is not cured by payments.',
  body: DefaultRequest,
  command: (_read, { ground = 'pastDue', reason }) => ({ do: 'default', ground, reason }),
  reason: ({ reason }) => reason,
});

const accelerateLoan = loanWrite({
  does: 'accelerate',
  id: 'accelerateLoan',
  tag: 'Servicing',
  summary: 'Accelerate a loan',
  description:
    'Makes everything that is owed due today. The payoff stays as it is, days past due continue to count, interest continues to accrue, and ' +
    'no further late fees are charged. Due dates cannot be changed while the loan is accelerated.',
  body: AccelerateRequest,
  command: (_read, { reason }) => ({ do: 'accelerate', reason }),
  reason: ({ reason }) => reason,
});

const remindOfPayment = loanWrite({
  does: 'payment-reminders',
  id: 'remindOfPayment',
  tag: 'Servicing',
  summary: 'Record a reminder',
  description: 'Records that a reminder is due. The service sends nothing.',
  body: LoanRequest,
  command: () => ({ do: 'payment-reminders' }),
});

const chargeOffLoan = loanWrite({
  does: 'charge-off',
  id: 'chargeOffLoan',
  tag: 'Servicing',
  summary: 'Charge off a loan',
  description: 'Writes the loan off the books, net of the collateral’s value. The borrower still owes the full amount.',
  body: ChargeOffRequest,
  command: (read, body) => ({
    do: 'charge-off',
    date: dateOr(read, body, 'date'),
    reason: body.reason,
    collateral: body.collateral === undefined ? ZERO : read.amount(body, 'collateral', ''),
  }),
  reason: ({ reason }) => reason,
});

const writeDown = loanWrite({
  does: 'write-down',
  id: 'writeDown',
  tag: 'Servicing',
  summary: 'Write down the collateral of a charged-off loan',
  description:
    'Records as an expense that the collateral was worth less than the amount kept on the books. What the borrower owes does not change.',
  body: WriteDownRequest,
  command: (read, body) => ({
    do: 'write-down',
    amount: read.positiveAmount(body, 'amount', ''),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
});

const recordRecovery = loanWrite({
  does: 'record-recovery',
  id: 'recordRecovery',
  tag: 'Servicing',
  summary: 'Record a recovery',
  description: 'Money received after a charge-off: applied like a payment and posted as a recovery.',
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

/** In the order of the OpenAPI document. */
export const defaultWrites = [
  noteDelinquency,
  defaultLoan,
  accelerateLoan,
  remindOfPayment,
  chargeOffLoan,
  writeDown,
  recordRecovery,
] as const;
