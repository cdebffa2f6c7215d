/** The end of a loan: the credit refunded, closed, or cancelled before it was funded. */
import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { about } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { Amount, Reason, Reference, request, written } from '../shared/shapes.ts';
import { loanWrite } from '../shared/write.ts';

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

/** In the order of the OpenAPI document. */
export const closingWrites = [closeLoan, cancelBoarding] as const;
