/** Payments: submitted, acknowledged, returned, reversed, and the payoff quote. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { METHODS, PURPOSES, type Purpose, type Quote, RETURN_CODES } from '../../core/loan.ts';
import { payoffOf, remainingBalance } from '../../loans/figures.ts';
import type { Change, LoanCommand } from '../../loans/loans.ts';
import { about, shape } from '../named.ts';
import type { RequestReader } from '../shell/request-reader.ts';
import { amountTexts } from './figures.ts';
import { Allocation, Amount, date, day, maybe, money, Reason, Reference, request, written } from './shapes.ts';
import { dateOr, loanWrite } from './write.ts';

const RepayRequest = request(
  {
    amount: about(Amount, 'The amount received. At most two decimals; "1,234.50" is accepted.'),
    refId: about(Reference, 'Your reference of the payment, unique for the loan. No social security number.'),
    paymentDate: Type.Optional(day('The effective date of the payment; today when absent.')),
    purpose: Type.Optional(
      Type.Enum([...PURPOSES], {
        description:
          '`installment` when absent. Only that satisfies installments. `principal` takes no interest; the others take accrued interest, ' +
          'then principal, then fees. They leave due dates and days past due as they are until the loan is paid off.',
      }),
    ),
    principalOnly: Type.Optional(Type.Boolean({ description: '`true` is `purpose` `principal`.' })),
    method: Type.Optional(Type.Enum([...METHODS], { description: 'How the payment was made.' })),
    trace: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description: 'The reference of the bank or payment processor. Nothing personal: it is stored in the ledger.',
      }),
    ),
    acceptOverpayment: Type.Optional(
      Type.Boolean({ description: 'Any excess over the payoff becomes a credit of the borrower.' }),
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
  { refId: about(Reference, 'Your reference of the payment.') },
  { refId: 'ACH-2026-02-0001' },
);

const ReturnRequest = request(
  {
    refId: about(Reference, 'Your reference of the payment.'),
    date: Type.Optional(day('The date on which the payment was returned; today when absent.')),
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
  { refId: about(Reference, 'Your reference of the payment.'), reason: Reason },
  { refId: 'ACH-2026-02-0001', reason: 'Posted to the wrong loan' },
);

const ReturnAnswer = written(
  'PaymentUndone',
  { remainingBalance: money('Principal owed without the payment.') },
  { remainingBalance: '28,875' },
);

export const quoteId = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,64}$',
    description: 'Your reference of the quote; generated when absent.',
  }),
);

const PayoffQuoteRequest = request(
  {
    date: Type.Optional(day('The date of the payoff; today when absent.')),
    goodThrough: Type.Optional(
      day('The last date on which the quote is honoured; `date` when absent, at most a year ahead.'),
    ),
    quoteId,
  },
  { goodThrough: '2026-02-25' },
);

export const QuoteParts = shape('PayoffParts', 'The parts of a quoted amount; they add up to it, credits taken off.', {
  principal: money('Principal.'),
  interest: money('Accrued interest.'),
  fees: money('Unpaid fees.'),
  prepaymentPenalty: money('The penalty for paying off early.'),
  credits: money('Owed to the borrower; taken off.'),
});

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
    quoteId: Type.String({ description: 'The reference of the quote.' }),
    amount: money('The quoted amount. Received by `goodThrough`, it pays the loan off.'),
    date: date('The date of the payoff that was asked for.'),
    goodThrough: date('The last date on which the quote is honoured.'),
    perDiem: money('Interest added by each further day.'),
    parts: maybe(QuoteParts, 'The parts of the amount on `goodThrough`; null for a settlement.'),
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

export const submitRepayment = loanWrite({
  does: 'loan-repay',
  id: 'submitRepayment',
  aliases: ['loan-payment'],
  summary: 'Submit a repayment',
  description:
    'It reduces the balance at once, effective on its `paymentDate`. The same `refId` with the same members answers as the first ' +
    'time and changes nothing; members left out are not compared. More than 30 days back needs the scope `servicing:write` and a `reason`. Up to ten days of per-diem more ' +
    'than the payoff becomes a credit of the borrower; beyond that it needs `acceptOverpayment`.',
  scopes: ['payments:write'],
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

export const acknowledgeRepayment = loanWrite({
  does: 'acknowledge-repayment',
  id: 'acknowledgeRepayment',
  aliases: ['acknowledge-payment'],
  summary: 'Confirm that the money is there',
  description:
    'A loan whose payoff is zero closes when its last payment is confirmed. Acknowledging twice answers the first hash.',
  scopes: ['payments:write'],
  body: PaymentRequest,
  command: (read, body) => ({ do: 'acknowledge-repayment', refId: read.reference(body, 'refId', '') }),
});

export const returnRepayment = loanWrite({
  does: 'return-repayment',
  id: 'returnRepayment',
  summary: 'A payment came back',
  description:
    'Undoes it, and assesses the policy’s return fee, once. A loan that it had closed is open again, also where a payoff quote or a ' +
    'settlement had counted it: what that gave up is owed again. Returning twice answers the first hash.',
  scopes: ['payments:write'],
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
  tells: ({ loan }, plain) => ({ remainingBalance: amountText(remainingBalance(loan), plain) }),
});

export const reverseRepayment = loanWrite({
  does: 'reverse-repayment',
  id: 'reverseRepayment',
  summary: 'A payment was posted in error',
  description:
    'The payment never was: it is undone as a return undoes it, without a return fee. Reversing twice answers the first hash; one ' +
    'that was returned is a 409.',
  scopes: ['payments:write'],
  body: ReverseRequest,
  answer: ReturnAnswer,
  command: (read, body) => ({
    do: 'reverse-repayment',
    refId: read.reference(body, 'refId', ''),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
  tells: ({ loan }, plain) => ({ remainingBalance: amountText(remainingBalance(loan), plain) }),
});

export const quotePayoff = loanWrite({
  does: 'payoff-quotes',
  id: 'quotePayoff',
  summary: 'Promise a payoff amount',
  description:
    'The amount is what is owed on `goodThrough`. It is honoured to the cent if it is received by then: any remainder is waived. ' +
    '`GET /loans/{loan_id}/payoff-quotes` lists the quotes of a loan.',
  scopes: ['payments:write'],
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
    const detail = 'principalOnly and purpose contradict each other: send purpose alone.';
    read.note('/principalOnly', { code: 'contradiction', detail });
  }
  return { purpose };
}

export function paidBy({ loan }: Change, plain: boolean, command: LoanCommand): object {
  const refId = 'refId' in command ? command.refId : null;
  const payment = loan.payments.find((one) => one.refId === refId);
  if (payment === undefined) throw new Error('A payment was made that the loan does not show.');
  return {
    allocation: amountTexts(payment.allocation, plain),
    remainingBalance: amountText(remainingBalance(loan), plain),
  };
}

export function quoted({ loan }: Change, plain: boolean, command: LoanCommand): object {
  const id = 'quoteId' in command ? command.quoteId : null;
  const quote = loan.quotes.find((one) => one.quoteId === id) as Quote;
  return {
    quoteId: quote.quoteId,
    amount: amountText(quote.amount, plain),
    date: quote.payoffDate,
    goodThrough: quote.goodThrough,
    perDiem: amountText(payoffOf(loan).perDiem, plain),
    parts: quotePartsText(quote, plain),
  };
}

export function quotePartsText({ parts }: Quote, plain: boolean): object | null {
  if (parts === null) return null;
  const { perDiem: _, ...amounts } = parts;
  return amountTexts(amounts, plain);
}

export function quoteReference(read: RequestReader, body: { quoteId?: string }): string {
  return body.quoteId === undefined ? `quote-${randomUUID()}` : read.reference(body, 'quoteId', '');
}
