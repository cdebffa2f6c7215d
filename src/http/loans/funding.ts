/** Funding: the loan is disbursed or taken over, and repayment begins. */
import { Type } from 'typebox';
import { LoanRequest, request } from './shapes.ts';
import { loanWrite } from './write.ts';

const FundRequest = request({
  metadata: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Figures of an earlier servicer: `{ "AutoLoan": {…} }` or its members alone (`currentBalance`, `fundedDate` and so on).',
      },
    ),
  ),
});

export const fundLoan = loanWrite({
  does: 'fund-loan',
  id: 'fundLoan',
  aliases: ['disburse-loan'],
  summary: 'Fund the loan',
  description:
    'The money goes out: dates are set and interest runs. `metadata` hands over the figures of an earlier servicer; without it those ' +
    'of the creation are taken, if there were any.',
  scopes: ['loans:fund'],
  body: FundRequest,
  names: { opening: 'metadata' },
  command: (_read, { metadata }) =>
    metadata === undefined ? { do: 'fund-loan', date: null, opening: 'onFile' } : { do: 'fund-loan', metadata },
});

export const initiateRepayment = loanWrite({
  does: 'initiate-repayment',
  id: 'initiateRepayment',
  aliases: ['initiate-payment'],
  summary: 'Begin the repayment',
  description:
    'On a loan that is approved and not funded yet it funds first: two transactions, of which the second’s hash is answered; that needs ' +
    'the scope `loans:fund`. On a loan whose repayment has begun nothing changes.',
  scopes: ['servicing:write', 'loans:fund'],
  body: LoanRequest,
  command: () => ({ do: 'initiate-repayment', date: null, opening: 'onFile' }),
});
