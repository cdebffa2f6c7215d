/** Funding: the loan is disbursed or boarded, and repayment begins. */
import { type Static, Type } from 'typebox';
import { type Disbursement, PAYEES } from '../../core/loan.ts';
import { about, named } from '../shared/named.ts';
import { closed } from '../shared/operation.ts';
import type { RequestReader } from '../shared/request-reader.ts';
import { Amount, request } from '../shared/shapes.ts';
import { loanWrite } from '../shared/write.ts';

const Disbursements = Type.Array(
  named(
    'DisbursementInput',
    closed(
      {
        payee: Type.Enum([...PAYEES], { description: 'To whom it is paid.' }),
        name: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
            description: 'The name of the payee. Stored encrypted.',
          }),
        ),
        amount: about(Amount, 'The amount paid.'),
      },
      { description: 'What is paid to one payee at funding.' },
    ),
  ),
  {
    minItems: 1,
    maxItems: 20,
    description:
      'To whom the money is paid. The amounts add up to what is paid out: the loan amount less the prepaid finance charge, plus dealer reserve and ' +
      'direct costs. Default: all of it to one payee.',
  },
);

const FundRequest = request({
  disbursements: Type.Optional(Disbursements),
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
    'given at creation apply, if any. An approval of an application is good for the policy’s `offerDays`: after that, start underwriting again.',
  problems: ['offer_expired', 'stipulations_open'],
  body: FundRequest,
  names: { opening: 'metadata' },
  command(read, { metadata, disbursements: given }) {
    const disbursements = disbursementsIn(read, given);
    return metadata === undefined
      ? { do: 'fund-loan', date: null, opening: 'onFile', disbursements }
      : { do: 'fund-loan', metadata, disbursements };
  },
  details: ({ disbursements }) => namesIn(disbursements),
});

const initiateRepayment = loanWrite({
  does: 'initiate-repayment',
  id: 'initiateRepayment',
  aliases: ['initiate-payment'],
  summary: 'Start repayment',
  description:
    'If the loan is approved but not funded, it is funded first: this makes two transactions, returns the hash of the second, and requires ' +
    'the scope `loans:fund`. If repayment has already started, nothing changes.',
  problems: ['offer_expired', 'stipulations_open'],
  body: request({ disbursements: Type.Optional(Disbursements) }),
  command: (read, { disbursements }) => ({
    do: 'initiate-repayment',
    date: null,
    opening: 'onFile',
    disbursements: disbursementsIn(read, disbursements),
  }),
  details: ({ disbursements }) => namesIn(disbursements),
});

type Given = Static<typeof Disbursements> | undefined;

function disbursementsIn(read: RequestReader, given: Given): Disbursement[] | null {
  if (given === undefined) return null;
  return given.map((one, i) => ({
    payee: one.payee,
    amount: read.positiveAmount(one, 'amount', `/disbursements/${i}`),
  }));
}

/** By their positions. */
function namesIn(given: Given): Record<string, string> | null {
  const names = (given ?? []).flatMap(({ name }, i) => (name === undefined ? [] : [[String(i), name] as const]));
  return names.length === 0 ? null : Object.fromEntries(names);
}

/** In the order of the OpenAPI document. */
export const fundingWrites = [fundLoan, initiateRepayment] as const;
