/** The payoff quotes and settlements of a loan. */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { QUOTE_STANDINGS, quotesOf } from '../../loans/reads/figures.ts';
import { QuoteParts, quotePartsExample, quotePartsText } from '../loans/payment.ts';
import { shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { closed, envelope, operation } from '../shared/operation.ts';
import { pageName, pageOf, wholeOrPages } from '../shared/pages.ts';
import { okText, reading, shown, viewed } from '../shared/read.ts';
import { date, LoanIdOut, loanExample, maybe, NextCursor, time, view as viewQuery } from '../shared/shapes.ts';
import { referenceOut } from '../shared/texts.ts';

const ListedQuote = shape('PayoffQuoteStanding', 'A payoff quote or settlement, and its outcome.', {
  quoteId: referenceOut('The reference of the quote.'),
  kind: Type.Enum(['payoff', 'settlement'], {
    description: 'A payoff quote, or a settlement for less than the amount owed.',
  }),
  amount: money('The quoted amount. If received by `goodThrough`, it pays off the loan.'),
  date: date('The requested payoff date.'),
  goodThrough: date('The last date on which it is honoured.'),
  perDiem: maybe(money('An amount.'), 'Interest for each day after `goodThrough`; null for a settlement.'),
  parts: maybe(QuoteParts, 'The components of the amount on `goodThrough`; null for a settlement.'),
  quotedAt: time('When it was quoted.'),
  standing: Type.Enum([...QUOTE_STANDINGS], {
    description: '`void`: a payment that the amount was based on was returned, or another quote has paid off the loan.',
  }),
  received: money('Payments received towards it.'),
  honouredOn: maybe(Type.String({ format: 'date' }), 'The date on which the full amount was received.'),
});

const PayoffQuotesAnswer = envelope(
  shape('PayoffQuoteList', 'The quotes of a loan.', {
    loanId: LoanIdOut,
    asOf: date('The date of the figures.'),
    items: Type.Array(ListedQuote, { description: 'Newest first.' }),
    nextCursor: NextCursor,
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    items: [
      {
        quoteId: 'quote-6c1f0b7a9d2e',
        kind: 'payoff',
        amount: '28,934.52',
        date: '2026-02-15',
        goodThrough: '2026-02-25',
        perDiem: '5.61',
        parts: quotePartsExample,
        quotedAt: '2026-02-15T12:00:00.000Z',
        standing: 'open',
        received: '0',
        honouredOn: null,
      },
    ],
    nextCursor: null,
  },
);

export const listPayoffQuotes = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/payoff-quotes',
  id: 'listPayoffQuotes',
  summary: 'List payoff quotes and settlements',
  description: 'Each quote with its components and its outcome.',
  scopes: ['loans:read'],
  query: closed({ ...viewQuery, ...wholeOrPages }),
  answer: PayoffQuotesAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { view, options } = await viewed(call);
    const page = pageOf(quotesOf(view.loan), call.query, ({ quote }) => quote.quoteId);
    return shown(call, view, ['payoff-quotes', options, pageName(call.query)], (plain) =>
      okText({
        loanId: view.loanId,
        asOf: view.loan.on,
        ...page,
        items: page.items.map(({ quote, standing }) => ({
          quoteId: quote.quoteId,
          kind: quote.kind,
          amount: amountText(quote.amount, plain),
          date: quote.payoffDate,
          goodThrough: quote.goodThrough,
          perDiem: quote.parts === null ? null : amountText(quote.parts.perDiem, plain),
          parts: quotePartsText(quote, plain),
          quotedAt: quote.recordedAt,
          standing,
          received: amountText(quote.received, plain),
          honouredOn: quote.honouredOn,
        })),
      }),
    );
  },
});
