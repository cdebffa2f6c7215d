/** The end of a loan: the credit refunded, closed, cancelled before it was funded or because it was boarded by mistake, or rescinded. */
import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { principalToReturn } from '../../loans/reads/figures.ts';
import { about } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { Amount, effective, Reason, Reference, request, written } from '../shared/shapes.ts';
import { dateOr, loanWrite } from '../shared/write.ts';

const CancelRequest = request({ reason: Type.Optional(Reason) }, { reason: 'The buyer took another car.' });

const CloseRequest = request({
  refId: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'The payment that paid the loan off.' }),
  ),
});

const RefundRequest = request(
  { amount: about(Amount, 'The amount refunded.'), refId: about(Reference, 'Your reference for the refund.') },
  { amount: '12.34', refId: 'REFUND-1' },
);

const RefundAnswer = written(
  'CreditRefund',
  { credit: money('The remaining credit of the borrower.') },
  { credit: '0' },
);

export const refundCredit = loanWrite({
  does: 'refund-credit',
  id: 'refundCredit',
  tag: 'Servicing',
  summary: 'Refund a credit to the borrower',
  description:
    'At most the borrower’s credit. Repeating the call with the same `refId` and amount returns the first response.',
  body: RefundRequest,
  answer: RefundAnswer,
  command: (read, body) => ({
    do: 'refund-credit',
    refId: read.reference(body, 'refId', ''),
    amount: read.positiveAmount(body, 'amount', ''),
  }),
  tells: ({ loan }) => ({ credit: amountText(loan.credit) }),
});

const closeLoan = loanWrite({
  does: 'close',
  id: 'closeLoan',
  summary: 'Close a paid-off loan',
  description:
    'A loan closes automatically when nothing is owed and every payment is confirmed; this call then returns the hash of the closing transaction. ' +
    'Before that, the error says what is missing.',
  body: CloseRequest,
  command: (read, body) => ({
    do: 'close',
    refId: body.refId === undefined ? null : read.reference(body, 'refId', ''),
  }),
});

export const cancelLoan = loanWrite({
  does: 'cancel',
  id: 'cancelLoan',
  summary: 'Cancel a loan before funding',
  description: 'Cancels the application.',
  body: CancelRequest,
  command: (_read, { reason = null }) => ({ do: 'cancel', reason }),
  reason: ({ reason }) => reason,
});

const CancelBoardingRequest = request(
  { reason: about(Reason, 'Why it is cancelled.') },
  { reason: 'Boarded with the figures of another loan.' },
);

const cancelBoarding = loanWrite({
  does: 'cancel-boarding',
  id: 'cancelBoarding',
  summary: 'Cancel a loan that was boarded or funded by mistake',
  description:
    'Its books go back to zero, its status is `Cancelled`, and its application id is free: a new loan can be created under it. ' +
    'Allowed while nothing but corrections has happened: payments must be returned or reversed, other facts undone (`transactions` in the error). ' +
    'Late fees, the end of a day and other changes that follow from the date or the policy do not stand in the way. ' +
    'It can be undone while no other loan has the application id.',
  body: CancelBoardingRequest,
  problems: ['depends'],
  command: (_read, { reason }) => ({ do: 'cancel-boarding', reason }),
  reason: ({ reason }) => reason,
});

const RescindRequest = request(
  {
    date: effective,
    reason: about(Reason, 'Why it is void.'),
  },
  { date: '2026-02-03', reason: 'Notice of rescission of 2 February' },
);

const RescindAnswer = written(
  'Rescission',
  {
    credit: money('What the borrower has paid, which is to be refunded.'),
    principalToReturn: money('Principal that is still to come back.'),
  },
  { credit: '888.49', principalToReturn: '9,700' },
);

const rescind = loanWrite({
  does: 'rescind',
  id: 'rescindLoan',
  summary: 'Rescind a loan: its contract is void',
  description:
    'Interest, fees and other finance charges are taken back as if they had never been earned, what the borrower paid becomes a credit, and the principal that was paid out ' +
    'is to come back. The status is `Cancelled`, `closedBy` is `rescinded`. `refund-credit` pays the credit out; `loan-repay` takes the principal, and what is more as a credit; ' +
    '`acknowledge-repayment`, `return-repayment` and `reverse-repayment` go on. Not for a loan that was sold.',
  body: RescindRequest,
  answer: RescindAnswer,
  command: (read, body) => ({ do: 'rescind', date: dateOr(read, body, 'date'), reason: body.reason }),
  reason: ({ reason }) => reason,
  tells: ({ loan }) => ({
    credit: amountText(loan.credit),
    principalToReturn: amountText(principalToReturn(loan)),
  }),
});

/** In the order of the OpenAPI document. */
export const closingWrites = [closeLoan, cancelBoarding, rescind] as const;
