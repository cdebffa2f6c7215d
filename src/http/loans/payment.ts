/** Payments: submitted, acknowledged, returned, reversed, and the payoff quote. */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { METHODS, PURPOSES, type Purpose, type Quote, RETURN_CODES } from '../../core/loan.ts';
import type { Change, LoanCommand } from '../../loans/door/write.ts';
import { payoffOf, remainingBalance } from '../../loans/reads/figures.ts';
import { amountTexts } from '../shared/figures.ts';
import { about, shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import type { RequestReader } from '../shared/request-reader.ts';
import { Allocation, Amount, date, day, maybe, Reason, Reference, request, written } from '../shared/shapes.ts';
import { referenceOut } from '../shared/texts.ts';
import { dateOr, loanWrite } from '../shared/write.ts';

const RepayRequest = request(
  {
    amount: about(Amount, 'The amount received. At most two decimals; "1,234.50" is accepted.'),
    refId: about(
      Reference,
      'Your reference for the payment, unique for the loan. Must not be a social security number.',
    ),
    paymentDate: Type.Optional(day('The effective date of the payment; default: today.')),
    purpose: Type.Optional(
      Type.Enum([...PURPOSES], {
        description:
          'Default `installment`, the only purpose that satisfies installments. `principal` pays no interest; the others pay accrued interest, ' +
          'then principal, then fees. They do not change due dates or days past due until the loan is paid off.',
      }),
    ),
    principalOnly: Type.Optional(Type.Boolean({ description: '`true` is the same as `purpose` `principal`.' })),
    method: Type.Optional(Type.Enum([...METHODS], { description: 'How the payment was made.' })),
    trace: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description: 'The bank’s or payment processor’s reference. No personal data: it is stored in the ledger.',
      }),
    ),
    acceptOverpayment: Type.Optional(
      Type.Boolean({ description: 'If true, any excess over the payoff amount becomes a credit of the borrower.' }),
    ),
    reason: Type.Optional(Reason),
  },
  { amount: '575.50', refId: 'ACH-2026-02-0001', method: 'ach', trace: '091000010000001' },
);

const paid = { allocation: Allocation, remainingBalance: money('Principal owed after the payment.') };

export const paidExample = {
  allocation: { fees: '0', interest: '173.83', principal: '401.67', credit: '0' },
  remainingBalance: '28,473.33',
};

export const RepayAnswer = written('Payment', paid, paidExample);

const PaymentRequest = request(
  { refId: about(Reference, 'Your reference for the payment.') },
  { refId: 'ACH-2026-02-0001' },
);

const ReturnRequest = request(
  {
    refId: about(Reference, 'Your reference for the payment.'),
    date: Type.Optional(day('The date on which the payment was returned; default: today.')),
    code: Type.Optional(
      Type.Enum([...RETURN_CODES], {
        description: 'Return reason: an ACH return code (`R01` to `R85`), `nsf_check`, `chargeback` or `other`.',
      }),
    ),
    reason: Type.Optional(Reason),
  },
  { refId: 'ACH-2026-02-0001', code: 'R01', reason: 'Insufficient funds' },
);

const ReverseRequest = request(
  { refId: about(Reference, 'Your reference for the payment.'), reason: Reason },
  { refId: 'ACH-2026-02-0001', reason: 'Posted to the wrong loan' },
);

const ReturnAnswer = written(
  'PaymentUndone',
  { remainingBalance: money('Principal owed after the payment was removed.') },
  { remainingBalance: '28,875' },
);

export const quoteId = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,64}$',
    description: 'Your reference for the quote; default: generated.',
  }),
);

const PayoffQuoteRequest = request(
  {
    date: Type.Optional(day('The payoff date; default: today.')),
    goodThrough: Type.Optional(
      day('The last date on which the quote is honoured; default `date`, at most a year ahead.'),
    ),
    quoteId,
  },
  { goodThrough: '2026-02-25' },
);

export const QuoteParts = shape(
  'PayoffParts',
  'The components of a quoted amount. Their sum less credits is the amount.',
  {
    principal: money('Principal.'),
    interest: money('Accrued interest.'),
    fees: money('Unpaid fees.'),
    prepaymentPenalty: money('Prepayment penalty.'),
    credits: money('Credits of the borrower, which are deducted.'),
  },
);

export const quotePartsExample = {
  principal: '28,875',
  interest: '59.52',
  fees: '0',
  prepaymentPenalty: '0',
  credits: '0',
};

export const QuoteAnswer = written(
  'PayoffQuote',
  {
    quoteId: referenceOut('The reference of the quote.'),
    amount: money('The quoted amount. If received by `goodThrough`, it pays off the loan.'),
    date: date('The requested payoff date.'),
    goodThrough: date('The last date on which the quote is honoured.'),
    perDiem: money('Interest for each further day.'),
    parts: maybe(QuoteParts, 'The components of the amount on `goodThrough`; null for a settlement.'),
  },
  {
    quoteId: 'quote-6c1f0b7a9d2e',
    amount: '28,934.52',
    date: '2026-02-15',
    goodThrough: '2026-02-25',
    perDiem: '5.61',
    parts: quotePartsExample,
  },
);

const submitRepayment = loanWrite({
  does: 'loan-repay',
  id: 'submitRepayment',
  aliases: ['loan-payment'],
  summary: 'Submit a payment',
  description:
    'Reduces the balance immediately, effective on `paymentDate`. Repeating the call with the same `refId` and fields returns the first ' +
    'response and changes nothing; omitted fields are not compared. A `paymentDate` more than 30 days ago requires the scope ' +
    '`servicing:write` and a `reason`. An excess over the payoff amount of up to ten days of interest ' +
    'becomes a credit of the borrower; a larger one requires `acceptOverpayment`.',
  body: RepayRequest,
  answer: RepayAnswer,
  names: { date: 'paymentDate' },
  command: (read, body) => ({
    do: 'loan-repay',
    refId: read.reference(body, 'refId', ''),
    amount: read.positiveAmount(body, 'amount', ''),
    date: body.paymentDate === undefined ? null : read.date(body, 'paymentDate', ''),
    ...purposeIn(read, body),
    ...(body.method === undefined ? {} : { method: body.method }),
    ...(body.trace === undefined ? {} : { trace: read.reference(body, 'trace', '') }),
    acceptOverpayment: body.acceptOverpayment ?? false,
    reason: body.reason ?? null,
  }),
  reason: ({ reason }) => reason,
  tells: paidBy,
});

const acknowledgeRepayment = loanWrite({
  does: 'acknowledge-repayment',
  id: 'acknowledgeRepayment',
  aliases: ['acknowledge-payment'],
  summary: 'Confirm a payment',
  description:
    'Confirms that the money was received. A loan with a payoff amount of zero closes when its last payment is confirmed. Confirming a payment again returns the first hash.',
  body: PaymentRequest,
  command: (read, body) => ({ do: 'acknowledge-repayment', refId: read.reference(body, 'refId', '') }),
});

const returnRepayment = loanWrite({
  does: 'return-repayment',
  id: 'returnRepayment',
  summary: 'Return a payment',
  description:
    'Reverses a payment that the bank returned, and assesses the policy’s return fee once. A loan that the payment had closed is reopened, also if a payoff quote or a ' +
    'settlement included it: the amount that was waived is owed again. Returning a payment again returns the first hash.',
  body: ReturnRequest,
  answer: ReturnAnswer,
  command: (read, body) => ({
    do: 'return-repayment',
    refId: read.reference(body, 'refId', ''),
    date: dateOr(read, body, 'date'),
    ...(body.code === undefined ? {} : { code: body.code }),
    reason: body.reason ?? '',
  }),
  reason: ({ reason }) => reason,
  tells: ({ loan }) => ({ remainingBalance: amountText(remainingBalance(loan)) }),
});

const reverseRepayment = loanWrite({
  does: 'reverse-repayment',
  id: 'reverseRepayment',
  summary: 'Reverse a payment',
  description:
    'Removes a payment that was posted in error, like a return but without a return fee. Reversing a payment again returns the first hash; a payment ' +
    'that was returned is a 409.',
  body: ReverseRequest,
  answer: ReturnAnswer,
  command: (read, body) => ({
    do: 'reverse-repayment',
    refId: read.reference(body, 'refId', ''),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
  tells: ({ loan }) => ({ remainingBalance: amountText(remainingBalance(loan)) }),
});

const quotePayoff = loanWrite({
  does: 'payoff-quotes',
  id: 'quotePayoff',
  summary: 'Create a payoff quote',
  description:
    'The amount is the payoff amount on `goodThrough`. If it is received by then, it pays off the loan and any remainder is waived. ' +
    '`GET /loans/{loan_id}/payoff-quotes` lists the quotes of a loan.',
  body: PayoffQuoteRequest,
  answer: QuoteAnswer,
  command: (read, body) => ({
    do: 'payoff-quotes',
    quoteId: quoteReference(read, body),
    date: dateOr(read, body, 'date'),
    goodThrough: dateOr(read, body, 'goodThrough'),
  }),
  tells: quoted,
});

/** `principalOnly` is the older name of one purpose; together they must say the same. Nothing when neither is sent. */
function purposeIn(read: RequestReader, body: { purpose?: Purpose; principalOnly?: boolean }): { purpose?: Purpose } {
  const { purpose, principalOnly } = body;
  if (purpose === undefined) {
    return principalOnly === undefined ? {} : { purpose: principalOnly ? 'principal' : 'installment' };
  }
  if (principalOnly !== undefined && principalOnly !== (purpose === 'principal')) {
    const detail = 'principalOnly and purpose contradict each other; send only purpose.';
    read.note('/principalOnly', { code: 'contradiction', detail });
  }
  return { purpose };
}

export function paidBy({ loan }: Change, command: LoanCommand): object {
  const refId = 'refId' in command ? command.refId : null;
  const payment = loan.payments.find((one) => one.refId === refId);
  if (payment === undefined) throw new Error('A payment was made that the loan does not show.');
  return {
    allocation: amountTexts(payment.allocation),
    remainingBalance: amountText(remainingBalance(loan)),
  };
}

export function quoted({ loan }: Change, command: LoanCommand): object {
  const id = 'quoteId' in command ? command.quoteId : null;
  const quote = loan.quotes.find((one) => one.quoteId === id) as Quote;
  return {
    quoteId: quote.quoteId,
    amount: amountText(quote.amount),
    date: quote.payoffDate,
    goodThrough: quote.goodThrough,
    perDiem: amountText(payoffOf(loan).perDiem),
    parts: quotePartsText(quote),
  };
}

export function quotePartsText({ parts }: Quote, plain = false): object | null {
  if (parts === null) return null;
  const { perDiem: _, ...amounts } = parts;
  return amountTexts(amounts, plain);
}

export function quoteReference(read: RequestReader, body: { quoteId?: string }): string {
  return body.quoteId === undefined ? `quote-${read.fresh}` : read.reference(body, 'quoteId', '');
}

/** In the order of the OpenAPI document. */
export const paymentWrites = [
  submitRepayment,
  acknowledgeRepayment,
  returnRepayment,
  reverseRepayment,
  quotePayoff,
] as const;
