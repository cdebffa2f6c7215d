/** Fees: assessed and waived. */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import type { Change, LoanCommand } from '../../loans/door/write.ts';
import { payoffOf } from '../../loans/reads/figures.ts';
import { about } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { Amount, effective, Label, Reason, Reference, request, written } from '../shared/shapes.ts';
import { referenceOut } from '../shared/texts.ts';
import { dateOr, loanWrite } from '../shared/write.ts';

const AssessFeeRequest = request(
  {
    feeId: about(Reference, 'Your reference for the fee, unique for the loan.'),
    kind: Type.Optional(
      Type.Enum(['fee', 'penalty'], { description: 'Its place in the payment order; default `fee`.' }),
    ),
    name: Label,
    amount: about(Amount, 'The amount of the fee.'),
    date: effective,
  },
  { feeId: 'NSF-1', name: 'Returned payment fee', amount: '25' },
);

const WaiveFeeRequest = request(
  {
    feeId: about(Reference, 'The reference of the fee. A late fee is named `late-` and the number of its installment.'),
    amount: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 64,
        description: 'The amount to waive; default: the unpaid amount of the fee.',
      }),
    ),
    reason: Reason,
  },
  { feeId: 'late-3', reason: 'Goodwill, first time' },
);

const FeesAnswer = written(
  'Fee',
  {
    feeId: referenceOut('The reference of the fee.'),
    fees: money('All unpaid fees of the loan.'),
  },
  { feeId: 'NSF-1', fees: '25' },
);

const assessFee = loanWrite({
  does: 'assess-fee',
  id: 'assessFee',
  tag: 'Servicing',
  summary: 'Charge a fee',
  description: 'For all fees except late fees, which are assessed automatically.',
  body: AssessFeeRequest,
  answer: FeesAnswer,
  command: (read, body) => ({
    do: 'assess-fee',
    feeId: read.reference(body, 'feeId', ''),
    kind: body.kind ?? 'fee',
    name: read.label(body, 'name', ''),
    amount: read.positiveAmount(body, 'amount', ''),
    date: dateOr(read, body, 'date'),
  }),
  tells: feesLeft,
});

const waiveFee = loanWrite({
  does: 'waive-fee',
  id: 'waiveFee',
  tag: 'Servicing',
  summary: 'Waive a fee',
  description: 'Waives a fee in full or in part. A late fee is named `late-` and the number of its installment.',
  body: WaiveFeeRequest,
  answer: FeesAnswer,
  command: (read, body) => ({
    do: 'waive-fee',
    feeId: read.reference(body, 'feeId', ''),
    amount: body.amount === undefined ? null : read.positiveAmount(body, 'amount', ''),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
  tells: feesLeft,
});

function feesLeft({ loan }: Change, command: LoanCommand): object {
  return { feeId: 'feeId' in command ? command.feeId : '', fees: amountText(payoffOf(loan).fees) };
}

/** In the order of the OpenAPI document. */
export const feeWrites = [assessFee, waiveFee] as const;
