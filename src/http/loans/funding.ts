/** Funding: the loan is disbursed or boarded, and repayment begins. */
import { Type } from 'typebox';
import { LoanRequest, request } from '../shared/shapes.ts';
import { loanWrite } from '../shared/write.ts';

const FundRequest = request({
  metadata: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Opening figures from the previous servicer: `{ "AutoLoan": {…} }`, or its fields directly (`currentBalance`, `fundedDate` and so on).',
      },
    ),
  ),
});

const fundLoan = loanWrite({
  does: 'fund-loan',
  id: 'fundLoan',
  aliases: ['disburse-loan'],
  summary: 'Fund a loan',
  description:
    'Disburses the loan: sets the dates and starts interest accrual. `metadata` gives the opening figures from the previous servicer; without it, those ' +
    'given at creation apply, if any.',
  body: FundRequest,
  names: { opening: 'metadata' },
  command: (_read, { metadata }) =>
    metadata === undefined ? { do: 'fund-loan', date: null, opening: 'onFile' } : { do: 'fund-loan', metadata },
});

const initiateRepayment = loanWrite({
  does: 'initiate-repayment',
  id: 'initiateRepayment',
  aliases: ['initiate-payment'],
  summary: 'Start repayment',
  description:
    'If the loan is approved but not funded, it is funded first: this makes two transactions, returns the hash of the second, and requires ' +
    'the scope `loans:fund`. If repayment has already started, nothing changes.',
  body: LoanRequest,
  command: () => ({ do: 'initiate-repayment', date: null, opening: 'onFile' }),
});

/** In the order of the OpenAPI document. */
export const fundingWrites = [fundLoan, initiateRepayment] as const;
