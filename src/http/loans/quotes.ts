/** The payoff quotes and settlements of a loan. */
import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { QUOTE_STANDINGS, quotesOf } from '../../loans/figures.ts';
import { envelope, operation } from '../operation.ts';
import { QuoteParts, quotePartsExample, quotePartsText } from './payment.ts';
import { okText, reading, shown, viewed } from './read.ts';
import { DayOut, Hash, loanExample, Money, maybe, Timestamp, ViewQuery } from './shapes.ts';

const PayoffQuote = Type.Object({
  quoteId: Type.String({ description: 'The reference of the quote.' }),
  kind: Type.Enum(['payoff', 'settlement'], { description: 'What pays the loan off, or what is taken for it.' }),
  amount: Type.String({ description: 'Paid by `goodThrough`, it ends the loan.' }),
  date: Type.String({ description: 'The day of the payoff that was asked for, YYYY-MM-DD.' }),
  goodThrough: Type.String({ description: 'The last day on which it is honoured, YYYY-MM-DD.' }),
  perDiem: maybe(Money, 'What each day after `goodThrough` would add; null for a settlement.'),
  parts: maybe(QuoteParts, 'What the amount is made of on `goodThrough`; null for a settlement.'),
  quotedAt: Timestamp,
  standing: Type.Enum([...QUOTE_STANDINGS], {
    description: '`void`: money that the quote had counted did not stay, or another quote has ended the loan.',
  }),
  received: Type.String({ description: 'What has been paid towards it.' }),
  honouredOn: maybe(DayOut, 'The day on which its amount was complete.'),
});

const PayoffQuotesAnswer = envelope(
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    items: Type.Array(PayoffQuote, { description: 'The newest first.' }),
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
  },
);

export const listPayoffQuotes = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/payoff-quotes',
  id: 'listPayoffQuotes',
  summary: 'Payoff quotes and settlements of a loan',
  description: 'What was promised, what it is made of, and what became of it.',
  scopes: ['loans:read'],
  query: ViewQuery,
  answer: PayoffQuotesAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { view, options } = await viewed(call);
    return shown(call, view, ['payoff-quotes', options], (plain) =>
      okText({
        loanId: view.loanId,
        asOf: view.loan.on,
        items: quotesOf(view.loan).map(({ quote, standing }) => ({
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
